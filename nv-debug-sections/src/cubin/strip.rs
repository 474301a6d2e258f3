//! Debug sections apart from the code, and together again: what `strip`, `objcopy --only-keep-debug` and a debugger do with other
//! ELF files.
//!
//! ```text
//! cubin --remove_debug_sections--> the code
//!       --keep_only_debug--------> the side file --fill_from(the code)--> all of it
//! ```
//!
//! A side file has every section of its cubin under its old number. Those of code and of unknown contents have a size but no
//! bytes; debug sections, their relocations, symbols, strings and notes are there. Fields under RELA entries, which hold stale
//! bytes from sm_90 on (FORMATS 4), hold their values, so that readers that know no relocations of cubins see them too.

use std::borrow::Cow;

use object::elf;

use super::edit::{Fate, Plan, is_replaced};
use super::layout::section_size;
use super::{Contents, Cubin, Relocation, Section, SectionIndex, is_symtab_type, sht};
use crate::error::{Error, ErrorKind, Result};
use crate::reloc::{Action, RelocType};
use crate::relocated::Relocated;

/// Name of the last section of a side file, an ELF note with the digest of the code.
pub const CODE_NOTE: &str = ".note.nvdwarf.code";

/// A note's header (`Elf64_Nhdr`: sizes of name and description, type 1) and its name. The digest follows.
const NOTE_HEAD: [u8; 20] = *b"\x08\0\0\0\x08\0\0\0\x01\0\0\0nvdwarf\0";

/// Before the name of a debug section's Mercury clone (FORMATS 7).
const MERC: &str = ".nv.merc";

impl<'d> Cubin<'d> {
    /// Removes the debug sections whose name `keep` does not want, with their relocations and their Mercury clones.
    ///
    /// `keep` is asked with native names, `.debug_line` for `.nv.merc.debug_line` too. Symbols keep their numbers and section
    /// indices follow, as with [`set_debug_sections`](Self::set_debug_sections); all other sections keep their bytes.
    /// `.nv_debug.shared` stays: it holds nothing and belongs to the code's shared memory. Gives the indices that the removed
    /// sections had.
    ///
    /// # Errors
    ///
    /// A section that stays links to one that goes, or has a relocation against its symbol. Nothing is changed then.
    pub fn remove_debug_sections(&mut self, keep: impl Fn(&str) -> bool) -> Result<Vec<SectionIndex>> {
        let goes = self.debug_info(|name| !keep(name));
        let fates: Vec<Fate> = goes.iter().map(|goes| if *goes { Fate::Goes } else { Fate::Stays }).collect();
        self.check_references(&goes)?;
        Plan::new(self, &[], fates)?.apply(self, Vec::new());
        Ok((0..).zip(goes).filter(|(_, goes)| *goes).map(|(index, _)| SectionIndex(index)).collect())
    }

    /// Makes this the side file of its cubin: see [the module's text](self).
    ///
    /// # Errors
    ///
    /// A relocation of a debug section cannot be applied, or there are too many sections. Nothing is changed then.
    pub fn keep_only_debug(&mut self) -> Result<()> {
        let is_debug = self.debug_info(|_| true);
        super::extended::check_room(self, self.sections.len() + 1)?;
        let applied = self.applied(&is_debug)?;
        let digest = self.code_digest();
        let sizes: Vec<u64> = self.sections.iter().map(|section| section_size(self, section)).collect();

        let Some(Contents::Strings(names)) =
            self.sections.get_mut(self.header.shstrndx.as_usize()).map(|section| &mut section.contents)
        else {
            return Ok(()); // parse() makes sure of the table
        };
        let name = names.push(CODE_NOTE)?;
        for (index, bytes) in applied {
            if let Some(section) = self.sections.get_mut(index.as_usize()) {
                section.contents = Contents::Bytes(Cow::Owned(bytes));
            }
        }
        for ((section, is_debug), size) in self.sections.iter_mut().zip(is_debug).zip(sizes).skip(1) {
            let is_emptied =
                !is_debug && !stays_whole(section) && !matches!(section.contents, Contents::NoBits(_));
            if is_emptied {
                section.sh_type = elf::SHT_NOBITS.0;
                section.contents = Contents::NoBits(size);
                section.slack = None;
            }
        }
        let bytes = [&NOTE_HEAD[..], &digest.to_le_bytes()].concat();
        let contents = Contents::Bytes(Cow::Owned(bytes));
        self.sections.push(Section {
            name,
            sh_type: elf::SHT_NOTE.0,
            align: 4,
            contents,
            ..Section::default()
        });
        Ok(())
    }

    /// Gives the sections that [`keep_only_debug`](Self::keep_only_debug) emptied the contents that they have in `code`: the cubin
    /// that the side file was made of, with all, some or none of its debug sections.
    ///
    /// A whole cubin can stand for its side file: only the check is done then.
    ///
    /// # Errors
    ///
    /// The two do not belong together: architecture and type, names, order and sizes of all sections but debug sections,
    /// functions, and the code and other loaded bytes must be the same. The error says what is not, with offsets in `code`.
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
            let (Some(section), Some(source)) = (self.sections.get_mut(*own), code.sections.get(*other))
            else {
                continue;
            };
            section.slack = source.slack;
            let is_emptied = section.sh_type == elf::SHT_NOBITS.0;
            section.contents = match (&section.contents, &source.contents) {
                (Contents::NoBits(_), Contents::Alias(target)) if is_emptied => {
                    Contents::Alias(SectionIndex(map(target.0)))
                }
                (Contents::NoBits(_), bytes) if is_emptied => bytes.clone(),
                // What is longer ends in the name of the note.
                (Contents::Strings(own), Contents::Strings(table))
                    if own.as_bytes().starts_with(table.as_bytes()) =>
                {
                    Contents::Strings(table.clone())
                }
                _ => continue,
            };
            section.sh_type = source.sh_type;
            if let (sht::MERC_CODE, Contents::Bytes(bytes)) = (section.sh_type, &mut section.contents) {
                super::edit::move_capsule(bytes, map);
            }
        }
        Ok(())
    }

    /// Whether there is a section that [`remove_debug_sections`](Self::remove_debug_sections) could remove.
    pub fn has_debug_sections(&self) -> bool {
        self.debug_info(|_| true).contains(&true)
    }

    /// Whether [`keep_only_debug`](Self::keep_only_debug) made this file.
    pub fn is_side_file(&self) -> bool {
        self.code_note().is_some()
    }

    /// By section index: whether it is a debug section that `chosen` wants, by its native name, or the relocations of one.
    fn debug_info(&self, chosen: impl Fn(&str) -> bool) -> Vec<bool> {
        let mut found = vec![false; self.sections.len()];
        for ((_, name, section), slot) in self.iter().zip(found.iter_mut().skip(1)) {
            let native = if section.is_mercury() { name.strip_prefix(MERC) } else { Some(name) };
            let plain =
                matches!(section.contents, Contents::Bytes(_) | Contents::NoBits(_) | Contents::Alias(_));
            *slot = plain && native.is_some_and(|native| is_replaced(native) && chosen(native));
        }
        for (index, section) in self.sections.iter().enumerate() {
            let of_debug = found.get(section.info as usize).copied().unwrap_or(false);
            if let Some(slot) = found.get_mut(index).filter(|_| of_debug && section.relocations().is_some()) {
                *slot = true;
            }
        }
        found
    }

    /// No relocation of a section that stays may name the symbol of one that goes.
    fn check_references(&self, goes: &[bool]) -> Result<()> {
        let gone = |index: u32| goes.get(index as usize) == Some(&true);
        for (section, goes) in self.sections.iter().zip(goes) {
            let Some(relocations) = section.relocations().filter(|_| !goes) else { continue };
            let symbols = self.symbols_of(SectionIndex(section.link));
            for Relocation { offset, symbol, .. } in relocations {
                let Some(target) = symbols.get(symbol.as_usize()).and_then(super::Symbol::section) else {
                    continue;
                };
                if gone(target.0) {
                    let text = format!("the field needs {}, which is removed", self.section_name(target));
                    let name = self.section_name(SectionIndex(section.info));
                    return Err(Error::new(name, *offset, ErrorKind::Other(text)));
                }
            }
        }
        Ok(())
    }

    /// The bytes of debug sections that change when the values of RELA entries are put in place. REL entries stay as they
    /// are: their fields hold what is to be added to the symbol's value, which mostly is 0.
    fn applied(&self, is_debug: &[bool]) -> Result<Vec<(SectionIndex, Vec<u8>)>> {
        let view = Relocated::new(self);
        let mut out: Vec<(SectionIndex, Vec<u8>)> = Vec::new();
        let mut tables: Vec<&Section<'_>> = self
            .sections
            .iter()
            .zip(is_debug)
            .filter(|(s, debug)| **debug && s.relocations().is_some())
            .map(|(s, _)| s)
            .collect();
        tables.sort_by_key(|table| table.info);
        for of_one in tables.chunk_by(|a, b| a.info == b.info) {
            let index = SectionIndex(of_one.first().map_or(0, |table| table.info));
            let Contents::Bytes(bytes) = &self.section(index)?.contents else { continue };
            let relocated = view.section(index)?;
            let mut new = bytes.to_vec();
            for relocation in of_one.iter().filter_map(|table| table.relocations()).flatten() {
                let known = RelocType::from_number(relocation.r_type).filter(|t| t.action == Action::Add);
                let Some((known, start)) = known.zip(usize::try_from(relocation.offset).ok()) else {
                    continue;
                };
                let range = start..start.saturating_add(known.width.into());
                if let (Some(field), Some(value), Some(_)) =
                    (new.get_mut(range.clone()), relocated.bytes.get(range), relocation.addend)
                {
                    field.copy_from_slice(value);
                }
            }
            if new != **bytes {
                out.push((index, new));
            }
        }
        Ok(out)
    }

    /// FNV-1a, 64 bits, of names, sizes and bytes of all loaded sections in file order.
    fn code_digest(&self) -> u64 {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let mut hash = 0xcbf2_9ce4_8422_2325;
        for (_, name, section) in self.iter().filter(|(.., section)| is_loaded(section)) {
            let size = section_size(self, section).to_le_bytes();
            let bytes = if let Contents::Bytes(bytes) = &section.contents { bytes.as_ref() } else { &[] };
            hash = [name.as_bytes(), &[0], &size, bytes].into_iter().flatten().fold(hash, step);
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
        let fault = |name: &str, text: String| Err(Error::new(name, 0, ErrorKind::Other(text)));
        let of = |cubin: &Cubin<'_>| (cubin.header.sm(), cubin.header.e_type);
        if of(self) != of(code) {
            let ((own_sm, own_type), (sm, e_type)) = (of(self), of(code));
            let text =
                format!("sm_{sm}, ELF type {e_type:#x}; the debug file has sm_{own_sm}, type {own_type:#x}");
            return fault("", text);
        }
        let (own, other) = (self.plain(), code.plain());
        for (own, other) in own.iter().zip(&other) {
            let name =
                |cubin: &Cubin<'_>, index: &usize| cubin.section_name(SectionIndex(*index as u32)).to_owned();
            let (own_name, other_name) = (name(self, own), name(code, other));
            if own_name != other_name {
                return fault(&other_name, format!("the debug file has {own_name} in its place"));
            }
            let (Some(a), Some(b)) = (self.sections.get(*own), code.sections.get(*other)) else { continue };
            let (a, b, is_table) =
                (section_size(self, a), section_size(code, b), matches!(b.contents, Contents::Strings(_)));
            if a != b && !is_table {
                return fault(&other_name, format!("the section has {b:#x} bytes, in the debug file {a:#x}"));
            }
        }
        if own.len() != other.len() {
            let text = format!(
                "{} sections without debug information, in the debug file {}",
                other.len(),
                own.len()
            );
            return fault("", text);
        }
        Ok(own.into_iter().zip(other).collect())
    }

    /// Indices of the sections that are neither debug sections nor the note.
    fn plain(&self) -> Vec<usize> {
        let end = self.sections.len() - usize::from(self.is_side_file());
        let debug = self.debug_info(|_| true);
        debug
            .iter()
            .take(end)
            .enumerate()
            .skip(1)
            .filter(|(_, debug)| !**debug)
            .map(|(index, _)| index)
            .collect()
    }

    fn check_functions(&self, code: &Cubin<'_>) -> Result<()> {
        for ((own, a), (other, b)) in self.functions().zip(code.functions()) {
            let (own, other) = (self.symbol_name(own), code.symbol_name(other));
            if (own, a.value, a.size) != (other, b.value, b.size) {
                let text = format!(
                    "function {other} at {:#x} of {:#x} bytes; the debug file has {own} at {:#x} of {:#x}",
                    b.value, b.size, a.value, a.size
                );
                return Err(Error::new("", 0, ErrorKind::Other(text)));
            }
        }
        let counts = (self.functions().count(), code.functions().count());
        if counts.0 != counts.1 {
            let text = format!("{} functions, in the debug file {}", counts.1, counts.0);
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
                let name = code.section_name(SectionIndex(*other as u32));
                return Err(Error::new(
                    name,
                    at as u64,
                    ErrorKind::Other("the debug file has other bytes here".into()),
                ));
            }
        }
        Ok(())
    }
}

/// Whether a program loads it.
fn is_loaded(section: &Section<'_>) -> bool {
    section.flags & elf::SHF_ALLOC.0 != 0 && !section.is_mercury()
}

/// Whether a side file keeps the contents although they are no debug information.
fn stays_whole(section: &Section<'_>) -> bool {
    let types = [elf::SHT_STRTAB.0, elf::SHT_SYMTAB_SHNDX.0, elf::SHT_NOTE.0, elf::SHT_NULL.0];
    types.contains(&section.sh_type) || is_symtab_type(section.sh_type)
}
