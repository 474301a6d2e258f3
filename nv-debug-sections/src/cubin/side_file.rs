//! Side files: the check that one belongs to a cubin, and the merge of the two.

use std::borrow::Cow;

use object::elf;
use sha2::{Digest as _, Sha256};

use super::edit::move_capsule;
use super::layout::section_size;
use super::{Contents, Cubin, Header, Section, SectionIndex, StringTable, sht};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_COMPARED_NAME;

/// The name of the section of ELF notes that marks a side file, which is a cubin without its code.
/// It is the last section. The owner of its notes is `nvdwarf`.
///
/// The description of the note of type 1 has digests of all that
/// [`remove_debug_sections`](Cubin::remove_debug_sections) leaves of the cubin if it keeps nothing:
/// 64-bit numbers, little-endian, one for the file header and then one for each section but the
/// null one. Each is FNV-1a, 64 bits, of fields in the order and width of their ELF structure: of
/// the header `EI_OSABI`, `EI_ABIVERSION`, `e_type`, `e_version`, `e_entry`, `e_flags`,
/// `e_shstrndx` (32 bits); of a section all of its header but `sh_offset`, then its bytes, or the
/// 32-bit index of the section whose file range it shares. Where in the file something lies is not
/// in it.
///
/// A note of type 2 follows where fields of debug sections hold other bytes than in the cubin,
/// since side files have the values of RELA entries in them. Its description has these bytes of the
/// cubin: for each such section its index (32 bits) and the number of the bytes (32 bits), then the
/// bytes of its fields one after the other, in the order of its relocations.
///
/// A note of type 3 ends the section: a SHA-256 of all other sections of the side file, of each its
/// header without `sh_offset` and its bytes as for the note of type 1, and of the notes before it.
pub const CODE_NOTE: &str = ".note.nvdwarf.code";

/// The size of the owner's name, with its NUL, which starts each note (`Elf64_Nhdr`).
const NAME_SIZE: [u8; 4] = *b"\x08\0\0\0";
/// The owner's name, after the note's type.
const OWNER: [u8; 8] = *b"nvdwarf\0";
/// The type of the note that has digests.
const DIGESTS: u32 = 1;
/// The type of the note that has the bytes of fields.
const FIELDS: u32 = 2;
/// The type of the note that has a digest of the side file itself.
const SIDE_FILE: u32 = 3;

/// The section [`CODE_NOTE`], without its name. `fields` are the bytes that fields have in the
/// cubin, by section.
pub(super) fn notes(digests: &[u64], fields: &[(SectionIndex, Vec<u8>)]) -> Result<Section<'static>> {
    let digests: Vec<u8> = digests.iter().flat_map(|digest| digest.to_le_bytes()).collect();
    let mut bytes = note(DIGESTS, &digests)?;
    if !fields.is_empty() {
        let mut description = Vec::new();
        for (index, own) in fields {
            description.extend_from_slice(&index.0.to_le_bytes());
            description.extend_from_slice(&size_field(own)?);
            description.extend_from_slice(own);
        }
        bytes.extend(note(FIELDS, &description)?);
    }
    let contents = Contents::Bytes(Cow::Owned(bytes));
    Ok(Section { sh_type: elf::SHT_NOTE.0, align: 4, contents, ..Section::default() })
}

/// An ELF note, with zeros up to a multiple of 4.
fn note(note_type: u32, description: &[u8]) -> Result<Vec<u8>> {
    let mut bytes =
        [&NAME_SIZE[..], &size_field(description)?, &note_type.to_le_bytes(), &OWNER, description].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Ok(bytes)
}

/// The number of bytes, in 32 bits.
fn size_field(bytes: &[u8]) -> Result<[u8; 4]> {
    let (value, field) = (bytes.len() as u64, "32 bits");
    let size = u32::try_from(value)
        .map_err(|_| Error::new(CODE_NOTE, 4, ErrorKind::DoesNotFit { what: "size", value, field }))?;
    Ok(size.to_le_bytes())
}

/// Takes a number of 32 bits off the start of `bytes`.
fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

/// Takes a note of a type off the start of `bytes`, and returns its description.
fn take_note<'n>(note_type: u32, bytes: &mut &'n [u8]) -> Option<&'n [u8]> {
    let mut rest = bytes.strip_prefix(&NAME_SIZE[..])?;
    let size = take_u32(&mut rest)? as usize;
    let rest = rest.strip_prefix(&note_type.to_le_bytes()[..])?.strip_prefix(&OWNER[..])?;
    let (padded, rest) = rest.split_at_checked(size.checked_next_multiple_of(4)?)?;
    *bytes = rest;
    padded.get(..size)
}

impl<'d> Cubin<'d> {
    /// Whether this file is a side file: a cubin without its code, as
    /// [`keep_only_debug`](Self::keep_only_debug) makes it.
    pub fn is_side_file(&self) -> bool {
        self.code_note().is_some()
    }

    /// Fills the sections that [`keep_only_debug`](Self::keep_only_debug) emptied with their
    /// contents in `code`, the cubin from which the side file was made. `code` may lack some or all
    /// of its debug sections.
    ///
    /// A whole cubin can stand for its side file: only the check is done then.
    ///
    /// # Errors
    ///
    /// The two do not belong together: the file header and all sections but debug sections must be
    /// the same, as [`remove_debug_sections`](Self::remove_debug_sections) leaves them: names,
    /// order, headers and contents, wherever in the file they lie. The error says what is not, with
    /// offsets in `code`. Or the side file is not as it was written. Nothing is changed then.
    pub fn fill_from(&mut self, code: &Cubin<'d>) -> Result<()> {
        let pairs = self.pairs(code)?;
        self.check_side_file()?;
        self.check_functions(code)?;
        self.check_contents(code)?;

        let mut new_of_old = vec![0; code.sections.len()];
        for (own, other) in &pairs {
            if let Some(slot) = new_of_old.get_mut(*other) {
                *slot = *own as u32;
            }
        }
        let map = |old: u32| new_of_old.get(old as usize).copied().unwrap_or(0);
        if self.is_side_file() {
            self.restore_fields();
            self.sections.pop();
        }
        for (own, other) in &pairs {
            if let (Some(section), Some(source)) = (self.sections.get_mut(*own), code.sections.get(*other)) {
                fill(section, source, map);
            }
        }
        Ok(())
    }

    /// All that does not depend on which debug sections are there.
    pub(super) fn without_debug_sections(&self) -> Result<Self> {
        let mut bare = self.clone();
        bare.remove_debug_sections(|_| false)?;
        Ok(bare)
    }

    /// The bytes of a section; for one that shares those of another which that is, since many may
    /// share them.
    pub(super) fn own_bytes(&self, index: SectionIndex) -> Result<Cow<'_, [u8]>> {
        match self.section(index)?.contents {
            Contents::Alias(target) => Ok(Cow::Owned(target.0.to_le_bytes().to_vec())),
            _ => self.bytes(index),
        }
    }

    /// The numbers of [`CODE_NOTE`].
    pub(super) fn code_digests(&self) -> Result<Vec<u64>> {
        let bare = self.without_debug_sections()?;
        let mut digests = vec![fnv1a(&[&header_fields(&bare)])];
        for (index, _, section) in bare.iter() {
            digests.push(fnv1a(&[&section_fields(&bare, section), &bare.own_bytes(index)?]));
        }
        Ok(digests)
    }

    /// The notes at the end, if this is a side file.
    fn code_note(&self) -> Option<CodeNotes<'_>> {
        let (name, section) =
            (self.section_name(index(self.sections.len().checked_sub(1)?)), self.sections.last()?);
        let Contents::Bytes(bytes) = &section.contents else { return None };
        let mut rest = &**bytes;
        let digests = take_note(DIGESTS, &mut rest).filter(|_| name == CODE_NOTE)?;
        let fields = take_note(FIELDS, &mut rest).unwrap_or_default();
        let before = bytes.len() - rest.len();
        let side_file = take_note(SIDE_FILE, &mut rest).unwrap_or_default();
        let notes = CodeNotes { digests, fields, before: bytes.get(..before)?, side_file };
        rest.is_empty().then_some(notes)
    }

    /// The digest of this side file, whose notes so far are `notes`.
    fn side_file_digest(&self, notes: &[u8]) -> Result<[u8; 32]> {
        let mut hash = Sha256::new();
        let last = self.sections.len().saturating_sub(1);
        for (index, _, section) in self.iter().filter(|(index, ..)| index.as_usize() != last) {
            hash.update(section_fields(self, section));
            hash.update(&self.own_bytes(index)?);
        }
        hash.update(notes);
        Ok(hash.finalize().into())
    }

    /// Adds the note with the digest of the side file, which is complete but for it.
    pub(super) fn add_side_file_digest(&mut self) -> Result<()> {
        let Some(Contents::Bytes(notes)) = self.sections.last().map(|section| &section.contents) else {
            return Ok(());
        };
        let mut notes = notes.to_vec();
        notes.extend(note(SIDE_FILE, &self.side_file_digest(&notes)?)?);
        if let Some(section) = self.sections.last_mut() {
            section.contents = Contents::Bytes(Cow::Owned(notes));
        }
        Ok(())
    }

    /// Expects that the side file is as it was written. Older ones have no digest.
    fn check_side_file(&self) -> Result<()> {
        let Some(CodeNotes { before, side_file, .. }) = self.code_note() else { return Ok(()) };
        if side_file.is_empty() || self.side_file_digest(before)? == side_file {
            return Ok(());
        }
        let text = "the side file has other bytes than those that were written: it is damaged".to_owned();
        Err(Error::in_section(CODE_NOTE, ErrorKind::OtherFile(text)))
    }

    /// Gives the fields of debug sections the bytes that they have in the cubin. What the note says
    /// of other sections than this file has is passed over.
    fn restore_fields(&mut self) {
        let Some(CodeNotes { fields, .. }) = self.code_note() else { return };
        let (mut rest, valued) = (fields, self.valued_fields());
        let mut restored = Vec::new();
        while let (Some(section), Some(size)) = (take_u32(&mut rest), take_u32(&mut rest)) {
            let Some((own, after)) = rest.split_at_checked(size as usize) else { break };
            rest = after;
            let section = SectionIndex(section);
            let Some(Contents::Bytes(bytes)) = self.section(section).ok().map(|found| &found.contents) else {
                continue;
            };
            let mut bytes = bytes.to_vec();
            let mut own = own;
            for field in valued.get(&section).into_iter().flatten().cloned() {
                let Some((old, after)) = own.split_at_checked(field.len()) else { break };
                own = after;
                if let Some(place) = bytes.get_mut(field) {
                    place.copy_from_slice(old);
                }
            }
            restored.push((section, bytes));
        }
        self.set_bytes(restored);
    }

    /// Sections of this file and of `code` that are the same one, debug sections left out.
    fn pairs(&self, code: &Cubin<'_>) -> Result<Vec<(usize, usize)>> {
        let of = |cubin: &Cubin<'_>| (cubin.header.sm(), cubin.header.e_type);
        if of(self) != of(code) {
            let ((own_sm, own_type), (sm, e_type)) = (of(self), of(code));
            let text =
                format!("sm_{sm}, ELF type {e_type:#x}; the debug file has sm_{own_sm}, type {own_type:#x}");
            return Err(Error::in_section("", ErrorKind::OtherFile(text)));
        }
        let (own, other) = (self.plain(), code.plain());
        let pairs: Vec<_> = own.iter().copied().zip(other.iter().copied()).collect();
        self.check_names(code, &pairs)?;
        for (own, other) in &pairs {
            let (Some(a), Some(b)) = (self.sections.get(*own), code.sections.get(*other)) else { continue };
            let text = match (&a.contents, &b.contents) {
                (Contents::Strings(own), Contents::Strings(table)) if is_beginning(table, own) => continue,
                (_, Contents::Strings(_)) => "the debug file has other strings".to_owned(),
                _ if section_size(self, a) == section_size(code, b) => continue,
                _ => format!(
                    "the section has {:#x} bytes, in the debug file {:#x}",
                    section_size(code, b),
                    section_size(self, a)
                ),
            };
            return Err(Error::new(code.section_name(index(*other)), 0, ErrorKind::OtherFile(text)));
        }
        if own.len() != other.len() {
            let (own, other) = (own.len(), other.len());
            let text = format!("{other} sections without debug information, in the debug file {own}");
            return Err(Error::in_section("", ErrorKind::OtherFile(text)));
        }
        Ok(pairs)
    }

    /// Names are the same if their offsets and the tables are: whole names may be as long as the
    /// file, and many.
    fn check_names(&self, code: &Cubin<'_>, pairs: &[(usize, usize)]) -> Result<()> {
        let start = |cubin: &Cubin<'_>, at: usize| {
            let name = cubin.section_name(index(at)).as_bytes();
            name.get(..MAX_COMPARED_NAME).unwrap_or(name).to_owned()
        };
        let other_name = pairs.iter().find(|(own, other)| start(self, *own) != start(code, *other));
        if let Some((own, other)) = other_name {
            let text = format!("the debug file has {} in its place", self.section_name(index(*own)));
            return Err(Error::new(code.section_name(index(*other)), 0, ErrorKind::OtherFile(text)));
        }
        let offset = |cubin: &Cubin<'_>, at: usize| cubin.sections.get(at).map(|section| section.name);
        if pairs.iter().any(|(own, other)| offset(self, *own) != offset(code, *other)) {
            let text = "the debug file has other section names";
            return Err(Error::in_section("", ErrorKind::OtherFile(text.into())));
        }
        Ok(())
    }

    /// Indices of the sections that are neither debug sections nor the note.
    fn plain(&self) -> Vec<usize> {
        let end = self.sections.len() - usize::from(self.is_side_file());
        let debug = self.debug_info(|_| true);
        let plain = (0..).zip(debug).take(end).skip(1).filter(|(_, debug)| !debug);
        plain.map(|(index, _)| index).collect()
    }

    /// After [`pairs`](Self::pairs), which sees to the string tables.
    fn check_functions(&self, code: &Cubin<'_>) -> Result<()> {
        let key = |symbol: &super::Symbol| (symbol.name, symbol.value, symbol.size);
        for ((own, a), (other, b)) in self.functions().zip(code.functions()) {
            if key(a) != key(b) {
                let (own, other) = (self.symbol_name(own), code.symbol_name(other));
                let text = format!(
                    "function {other} at {:#x} of {:#x} bytes; the debug file has {own} at {:#x} of {:#x}",
                    b.value, b.size, a.value, a.size
                );
                return Err(Error::in_section("", ErrorKind::OtherFile(text)));
            }
        }
        let (own, other) = (self.functions().count(), code.functions().count());
        if own != other {
            let text = format!("{other} functions, in the debug file {own}");
            return Err(Error::in_section("", ErrorKind::OtherFile(text)));
        }
        Ok(())
    }

    /// Checks that everything other than debug information is the same: by digests in a side file,
    /// otherwise by fields and bytes.
    fn check_contents(&self, code: &Cubin<'_>) -> Result<()> {
        let of_header =
            || Error::in_section("", ErrorKind::OtherFile("the debug file has another file header".into()));
        let bare = code.without_debug_sections()?;
        let Some(note) = self.code_note() else {
            let own = self.without_debug_sections()?;
            if header_fields(&own) != header_fields(&bare) {
                return Err(of_header());
            }
            return own
                .iter()
                .zip(bare.iter())
                .try_for_each(|((a, ..), (b, ..))| check_same(&own, a, &bare, b));
        };
        let (digests, _) = note.digests.as_chunks::<8>();
        let found = code.code_digests()?;
        if digests.len() != found.len() {
            let text = format!("{} digests, expected {}", digests.len(), found.len());
            return Err(Error::new(CODE_NOTE, 0, ErrorKind::OtherFile(text)));
        }
        let differs = digests.iter().zip(&found).position(|(own, other)| u64::from_le_bytes(*own) != *other);
        match differs {
            None => Ok(()),
            Some(0) => Err(of_header()),
            Some(at) => {
                let text = "the section is another one than that which the debug file was made of";
                Err(Error::new(bare.section_name(index(at)), 0, ErrorKind::OtherFile(text.into())))
            }
        }
    }
}

/// The descriptions of the notes in [`CODE_NOTE`].
struct CodeNotes<'n> {
    digests: &'n [u8],
    /// Empty without the note.
    fields: &'n [u8],
    /// The bytes of the notes before that of the side file.
    before: &'n [u8],
    /// The digest of the side file; empty without the note.
    side_file: &'n [u8],
}

/// The fields of the file header that are compared.
fn header_fields(cubin: &Cubin<'_>) -> Vec<u8> {
    let Header { e_type, os_abi, abi_version, e_version, e_entry, e_flags, shstrndx } = cubin.header;
    let words = [e_flags, shstrndx.0].map(u32::to_le_bytes).concat();
    [
        &[os_abi, abi_version][..],
        &e_type.to_le_bytes(),
        &e_version.to_le_bytes(),
        &e_entry.to_le_bytes(),
        &words,
    ]
    .concat()
}

/// The fields of a section header that are compared: all but the offset.
fn section_fields(cubin: &Cubin<'_>, section: &Section<'_>) -> Vec<u8> {
    let Section { name, sh_type, flags, address, link, info, align, entsize, .. } = *section;
    [
        &[name, sh_type].map(u32::to_le_bytes).concat()[..],
        &[flags, address, section_size(cubin, section)].map(u64::to_le_bytes).concat(),
        &[link, info].map(u32::to_le_bytes).concat(),
        &[align, entsize].map(u64::to_le_bytes).concat(),
    ]
    .concat()
}

/// FNV-1a, 64 bits.
fn fnv1a(parts: &[&[u8]]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    parts.iter().copied().flatten().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Refuses two sections that differ.
fn check_same(own: &Cubin<'_>, a: SectionIndex, code: &Cubin<'_>, b: SectionIndex) -> Result<()> {
    let differs =
        |at, text: &str| Err(Error::new(code.section_name(b), at, ErrorKind::OtherFile(text.into())));
    if section_fields(own, own.section(a)?) != section_fields(code, code.section(b)?) {
        return differs(0, "the debug file has another header of the section");
    }
    let (own, code) = (own.own_bytes(a)?, code.own_bytes(b)?);
    match own.iter().zip(code.iter()).position(|(a, b)| a != b) {
        Some(at) => differs(at as u64, "the debug file has other bytes here"),
        None => Ok(()),
    }
}

fn index(at: usize) -> SectionIndex {
    SectionIndex(at as u32)
}

/// Whether `own` is `table`, or `table` followed by the name of the note.
fn is_beginning(table: &StringTable<'_>, own: &StringTable<'_>) -> bool {
    own.as_bytes().starts_with(table.as_bytes())
}

/// Copies the contents of `source` into `section` if it was emptied. `map` converts the section
/// indices of the file of `source`.
fn fill<'d>(section: &mut Section<'d>, source: &Section<'d>, map: impl Fn(u32) -> u32) {
    section.slack = source.slack;
    let is_emptied = section.sh_type == elf::SHT_NOBITS.0;
    section.contents = match (&section.contents, &source.contents) {
        (Contents::NoBits(_), Contents::Alias(target)) if is_emptied => {
            Contents::Alias(SectionIndex(map(target.0)))
        }
        (Contents::NoBits(_), bytes) if is_emptied => bytes.clone(),
        (Contents::Strings(_), Contents::Strings(table)) => Contents::Strings(table.clone()),
        _ => return,
    };
    section.sh_type = source.sh_type;
    if let (sht::MERC_CODE, Contents::Bytes(bytes)) = (section.sh_type, &mut section.contents) {
        move_capsule(bytes, map);
    }
}
