//! A side file and the code that it was made of: whether they belong together, and putting them together.

use std::borrow::Cow;

use object::elf;

use super::edit::move_capsule;
use super::layout::section_size;
use super::{Contents, Cubin, Section, SectionIndex, StringTable, sht};
use crate::error::{Error, ErrorKind, Result};

/// Name of the last section of a side file, an ELF note (name `nvdwarf`, type 1) whose description is a digest of the code:
/// FNV-1a, 64 bits, of the section names' table, and of name offset, size and bytes of each loaded section.
pub const CODE_NOTE: &str = ".note.nvdwarf.code";

/// A note's header (`Elf64_Nhdr`: sizes of name and description, type 1) and its name. The digest follows.
const NOTE_HEAD: [u8; 20] = *b"\x08\0\0\0\x08\0\0\0\x01\0\0\0nvdwarf\0";

/// Bytes of a name that is looked at to say which section is another one.
const COMPARED_NAME: usize = 1024;

/// The note whose name is at `name`.
pub(super) fn note(name: u32, digest: u64) -> Section<'static> {
    let bytes = [&NOTE_HEAD[..], &digest.to_le_bytes()].concat();
    let contents = Contents::Bytes(Cow::Owned(bytes));
    Section { name, sh_type: elf::SHT_NOTE.0, align: 4, contents, ..Section::default() }
}

impl<'d> Cubin<'d> {
    /// Whether [`keep_only_debug`](Self::keep_only_debug) made this file.
    pub fn is_side_file(&self) -> bool {
        self.code_note().is_some()
    }

    /// Gives the sections that [`keep_only_debug`](Self::keep_only_debug) emptied the contents that they have in `code`: the cubin
    /// that the side file was made of, with all, some or none of its debug sections.
    ///
    /// A whole cubin can stand for its side file: only the check is done then.
    ///
    /// # Errors
    ///
    /// The two do not belong together: architecture and type, names, order and sizes of all sections but debug sections,
    /// functions, and the code and other loaded bytes must be the same, and string tables as
    /// [`remove_debug_sections`](Self::remove_debug_sections) leaves them. The error says what is not, with offsets in `code`.
    /// Nothing is changed then.
    pub fn fill_from(&mut self, code: &Cubin<'d>) -> Result<()> {
        let pairs = self.pairs(code)?;
        self.check_functions(code)?;
        self.check_loaded(code, &pairs)?;

        let mut new_of_old = vec![0; code.sections.len()];
        for (own, other) in &pairs {
            if let Some(slot) = new_of_old.get_mut(*other) {
                *slot = *own as u32;
            }
        }
        let map = |old: u32| new_of_old.get(old as usize).copied().unwrap_or(0);
        if self.is_side_file() {
            self.sections.pop();
        }
        for (own, other) in &pairs {
            if let (Some(section), Some(source)) = (self.sections.get_mut(*own), code.sections.get(*other)) {
                fill(section, source, map);
            }
        }
        Ok(())
    }

    /// See [`CODE_NOTE`].
    pub(super) fn code_digest(&self) -> u64 {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let names = self.strings(self.header.shstrndx).map_or(&[][..], StringTable::as_bytes);
        let mut hash = names.iter().fold(0xcbf2_9ce4_8422_2325, step);
        for section in self.sections.iter().filter(|section| is_loaded(section)) {
            let (name, size) = (section.name.to_le_bytes(), section_size(self, section).to_le_bytes());
            let bytes = if let Contents::Bytes(bytes) = &section.contents { bytes.as_ref() } else { &[] };
            hash = [&name[..], &size, bytes].into_iter().flatten().fold(hash, step);
        }
        hash
    }

    /// The digest in the note at the end, if this is a side file.
    fn code_note(&self) -> Option<u64> {
        let (_, name, section) = self.iter().last()?;
        let Contents::Bytes(bytes) = &section.contents else { return None };
        let digest = bytes.strip_prefix(&NOTE_HEAD[..]).filter(|_| name == CODE_NOTE)?;
        Some(u64::from_le_bytes(digest.try_into().ok()?))
    }

    /// Sections of this file and of `code` that are the same one, debug sections left out.
    fn pairs(&self, code: &Cubin<'_>) -> Result<Vec<(usize, usize)>> {
        let of = |cubin: &Cubin<'_>| (cubin.header.sm(), cubin.header.e_type);
        if of(self) != of(code) {
            let ((own_sm, own_type), (sm, e_type)) = (of(self), of(code));
            let text =
                format!("sm_{sm}, ELF type {e_type:#x}; the debug file has sm_{own_sm}, type {own_type:#x}");
            return Err(Error::new("", 0, ErrorKind::Other(text)));
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
            return Err(Error::new(code.section_name(index(*other)), 0, ErrorKind::Other(text)));
        }
        if own.len() != other.len() {
            let (own, other) = (own.len(), other.len());
            let text = format!("{other} sections without debug information, in the debug file {own}");
            return Err(Error::new("", 0, ErrorKind::Other(text)));
        }
        Ok(pairs)
    }

    /// Names are the same if their offsets and the tables are: whole names may be as long as the file, and many.
    fn check_names(&self, code: &Cubin<'_>, pairs: &[(usize, usize)]) -> Result<()> {
        let start = |cubin: &Cubin<'_>, at: usize| {
            let name = cubin.section_name(index(at)).as_bytes();
            name.get(..COMPARED_NAME).unwrap_or(name).to_owned()
        };
        let other_name = pairs.iter().find(|(own, other)| start(self, *own) != start(code, *other));
        if let Some((own, other)) = other_name {
            let text = format!("the debug file has {} in its place", self.section_name(index(*own)));
            return Err(Error::new(code.section_name(index(*other)), 0, ErrorKind::Other(text)));
        }
        let offset = |cubin: &Cubin<'_>, at: usize| cubin.sections.get(at).map(|section| section.name);
        if pairs.iter().any(|(own, other)| offset(self, *own) != offset(code, *other)) {
            let text = "the debug file has other section names";
            return Err(Error::new("", 0, ErrorKind::Other(text.into())));
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
                return Err(Error::new("", 0, ErrorKind::Other(text)));
            }
        }
        let (own, other) = (self.functions().count(), code.functions().count());
        if own != other {
            let text = format!("{other} functions, in the debug file {own}");
            return Err(Error::new("", 0, ErrorKind::Other(text)));
        }
        Ok(())
    }

    /// The code must be the same: by digest if this is a side file, else by its bytes.
    fn check_loaded(&self, code: &Cubin<'_>, pairs: &[(usize, usize)]) -> Result<()> {
        if let Some(digest) = self.code_note() {
            if digest == code.code_digest() {
                return Ok(());
            }
            let text = "names and sizes are the same, but the code or its constants have other bytes";
            return Err(Error::new("", 0, ErrorKind::Other(text.into())));
        }
        for (own, other) in pairs {
            let (Some(a), Some(b)) = (self.sections.get(*own), code.sections.get(*other)) else { continue };
            let (Contents::Bytes(a), Contents::Bytes(b), true) = (&a.contents, &b.contents, is_loaded(b))
            else {
                continue;
            };
            if let Some(at) = a.iter().zip(b.iter()).position(|(a, b)| a != b) {
                let kind = ErrorKind::Other("the debug file has other bytes here".into());
                return Err(Error::new(code.section_name(index(*other)), at as u64, kind));
            }
        }
        Ok(())
    }
}

fn index(at: usize) -> SectionIndex {
    SectionIndex(at as u32)
}

/// Whether `own` is `table`, or that with more behind it: the name of the note.
fn is_beginning(table: &StringTable<'_>, own: &StringTable<'_>) -> bool {
    own.as_bytes().starts_with(table.as_bytes())
}

/// Gives `section` what its twin has, if it was emptied. `map` makes new section indices of those in `source`'s file.
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

/// Whether a program loads it.
fn is_loaded(section: &Section<'_>) -> bool {
    section.flags & elf::SHF_ALLOC.0 != 0 && !section.is_mercury()
}
