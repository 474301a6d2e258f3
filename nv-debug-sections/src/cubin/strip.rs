//! Separation of the debug sections from the code, and reunion: what `strip`, `objcopy
//! --only-keep-debug` and debuggers do with other ELF files.
//!
//! ```text
//! cubin --remove_debug_sections--> the code
//!       --keep_only_debug--------> the side file --fill_from(the code)--> all of it
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use object::elf;
use schemars::JsonSchema;
use serde::Serialize;

use super::edit::Plan;
use super::layout::section_size;
use super::replaced_sections::is_replaced;
use super::section_edit::{Edit, SectionAction};
use super::side_file::{CODE_NOTE, notes};
use super::{Contents, Cubin, Relocation, Section, SectionIndex, is_symtab_type};
use crate::catalog::{SectionKind, SectionName, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::line;
use crate::reloc::{RelocAction, RelocType};
use crate::relocated::RelocatedCubin;

/// Which debug sections stay when the others are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// No debug section stays.
    None,
    /// All debug sections stay.
    All,
    /// The sections that `-lineinfo` makes: frame rules, lines, inlined functions, PTX lines and
    /// the PTX text.
    Lines,
    /// As with `Lines`, without the PTX lines and the PTX text, from which the code can be read.
    LinesWithoutPtx,
    /// Everything but the PTX lines and the PTX text.
    AllWithoutPtx,
}

/// A section that was removed: the number, name and size that it had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedSection {
    /// The index that the section had in the section table.
    pub index: u32,
    /// The name that the section had.
    pub name: String,
    /// The size that the section had in bytes, also if it shared the bytes of another section.
    pub size: u64,
}

impl RemovedSection {
    /// Describes the sections that [`Cubin::strip`] removed. `removed` are the indices that it
    /// returned, and `cubin` is the cubin before the removal.
    pub fn of(cubin: &Cubin<'_>, removed: &[SectionIndex]) -> Vec<Self> {
        let sections = removed.iter().filter_map(|&index| Some((index, cubin.section(index).ok()?)));
        let removed = sections.map(|(index, section)| Self {
            index: index.0,
            name: cubin.section_name(index).to_owned(),
            size: cubin.size_of(section),
        });
        removed.collect()
    }
}

/// The sections of [`Keep::Lines`]. `.debug_str` stays where the line table takes names from it.
const LINES: [SectionKind; 6] = [
    SectionKind::DebugFrame,
    SectionKind::DebugLine,
    SectionKind::NvDebugLineSass,
    SectionKind::TileirDebugLine,
    SectionKind::NvDebugPtxTxt,
    SectionKind::TileirDebugTxt,
];

/// The PTX text, and the table of lines in it.
const PTX: [SectionKind; 2] = [SectionKind::NvDebugLineSass, SectionKind::NvDebugPtxTxt];

impl Cubin<'_> {
    /// Removes the debug sections, except those that `keep` names. Returns the indices that the
    /// removed sections had.
    ///
    /// # Errors
    ///
    /// Those of [`remove_debug_sections`](Self::remove_debug_sections).
    pub fn strip(&mut self, keep: Keep) -> Result<Vec<SectionIndex>> {
        if keep == Keep::All {
            return Ok(Vec::new());
        }
        let keeps_lines = matches!(keep, Keep::Lines | Keep::LinesWithoutPtx);
        let keeps_names = keeps_lines && self.has_names_in_lines();
        let is_of_lines = |kind| LINES.contains(&kind) || kind == SectionKind::DebugStr && keeps_names;
        self.remove_debug_sections(|name| {
            let kind = SectionKind::from_name(name);
            let is_ptx = kind.is_some_and(|kind| PTX.contains(&kind));
            match keep {
                Keep::None => false,
                Keep::All => true,
                Keep::Lines => kind.is_some_and(is_of_lines),
                Keep::LinesWithoutPtx => kind.is_some_and(is_of_lines) && !is_ptx,
                Keep::AllWithoutPtx => !is_ptx,
            }
        })
    }

    /// Whether the line table takes names of inlined functions from `.debug_str`. If in doubt, yes.
    fn has_names_in_lines(&self) -> bool {
        let view = RelocatedCubin::new(self);
        let mut tables =
            self.iter().filter(|(_, name, _)| SectionKind::from_name(name) == Some(SectionKind::DebugLine));
        tables.any(|(index, name, _)| {
            let Ok(section) = view.section(index) else { return true };
            line::decode(name, &section.bytes)
                .map_or(true, |units| units.iter().any(|unit| unit.debug_str_base.is_some()))
        })
    }

    /// Whether this file is the unstripped form of `cubin`: the cubin before stripping, or its side
    /// file.
    pub fn is_unstripped(&self, cubin: &Cubin<'_>) -> bool {
        let sections = self.sections.len() - usize::from(self.is_side_file());
        sections > cubin.sections.len() && self.clone().fill_from(cubin).is_ok()
    }

    /// Removes the debug sections for whose name `keep` returns false, with their relocations and
    /// Mercury clones. Returns the indices that the removed sections had.
    ///
    /// `keep` is asked with native names, `.debug_line` for `.nv.merc.debug_line` too. Symbols keep
    /// their numbers and section indices follow, as with
    /// [`set_debug_sections`](Self::set_debug_sections); all other sections keep their bytes.
    /// `.nv_debug.shared` stays: it holds nothing and belongs to the code's shared memory. Gives
    /// the indices that the removed sections had.
    ///
    /// # Errors
    ///
    /// A section that stays links to one that goes, or has a relocation against its symbol. Nothing
    /// is changed then.
    pub fn remove_debug_sections(&mut self, keep: impl Fn(&str) -> bool) -> Result<Vec<SectionIndex>> {
        let goes = self.debug_info(|name| !keep(name));
        let actions: Vec<SectionAction> =
            goes.iter().map(|goes| if *goes { SectionAction::Remove } else { SectionAction::Keep }).collect();
        self.check_references(&goes)?;
        Plan::new(self, &Edit::nothing(), actions)?.apply(self, Edit::nothing());
        Ok((0..).zip(goes).filter(|(_, goes)| *goes).map(|(index, _)| SectionIndex(index)).collect())
    }

    /// Turns this cubin into its side file, which has the debug sections without the code, as
    /// `objcopy --only-keep-debug` does.
    ///
    /// Every section stays under its number. Debug sections, their relocations, symbols, strings
    /// and notes keep what they hold; those of code and of contents that only the code needs are
    /// `NOBITS` of the same size. Fields under RELA entries, which hold stale bytes from sm_90 on
    /// (docs/formats/relocations.md, fields), get their values, so that readers that know no
    /// relocations of cubins see them too. After all comes [`CODE_NOTE`]. Functions stay at
    /// address 0, as in the cubin.
    ///
    /// # Errors
    ///
    /// A relocation of a debug section cannot be applied,
    /// [`remove_debug_sections`](Self::remove_debug_sections) cannot remove all of them, or there
    /// are too many sections. Nothing is changed then.
    pub fn keep_only_debug(&mut self) -> Result<()> {
        if self.is_side_file() {
            return Ok(());
        }
        let is_debug = self.debug_info(|_| true);
        super::extended_numbering::check_section_count(self, self.sections.len() + 1)?;
        let applied = self.applied(&is_debug)?;
        let valued = self.valued_fields();
        let changed = applied.iter().filter_map(|(index, _)| Some((*index, valued.get(index)?)));
        let fields: Vec<_> =
            changed.map(|(index, fields)| (index, self.bytes_of_fields(index, fields))).collect();
        let mut note = notes(&self.code_digests()?, &fields)?;
        // Emptied, relocations of code by the name of a debug section would be taken for one.
        let is_named: Vec<bool> =
            self.iter().map(|(_, name, _)| is_replaced(&SectionName::parse(name).base)).collect();
        let sizes: Vec<u64> = self.sections.iter().map(|section| section_size(self, section)).collect();

        let Some(Contents::Strings(names)) =
            self.sections.get_mut(self.header.shstrndx.as_usize()).map(|section| &mut section.contents)
        else {
            return Ok(()); // parse() makes sure of the table
        };
        note.name = names.push(CODE_NOTE)?;
        self.set_bytes(applied);
        let sections = self.sections.iter_mut().zip(is_debug).zip(sizes).skip(1).zip(is_named);
        for (((section, is_debug), size), is_named) in sections {
            let stays = is_debug || stays_whole(section) || is_named && section.relocations().is_some();
            let is_emptied = !stays && !matches!(section.contents, Contents::NoBits(_));
            if is_emptied {
                section.sh_type = elf::SHT_NOBITS.0;
                section.contents = Contents::NoBits(size);
                section.slack = None;
            }
        }
        self.sections.push(note);
        self.add_side_file_digest()
    }

    /// Whether the cubin has a section that [`remove_debug_sections`](Self::remove_debug_sections)
    /// could remove.
    pub fn has_debug_sections(&self) -> bool {
        self.debug_info(|_| true).contains(&true)
    }

    /// By section index: whether it is a debug section that `chosen` wants, by its native name, or
    /// the relocations of one.
    pub(super) fn debug_info(&self, chosen: impl Fn(&str) -> bool) -> Vec<bool> {
        let mut found = vec![false; self.sections.len()];
        for ((_, name, section), slot) in self.iter().zip(found.iter_mut().skip(1)) {
            let name = SectionName::parse(name);
            let is_contents = name.form.is_none() && (name.space == Space::Mercury) == section.is_mercury();
            let plain =
                matches!(section.contents, Contents::Bytes(_) | Contents::NoBits(_) | Contents::Alias(_));
            *slot = plain && is_contents && is_replaced(&name.base) && chosen(&name.base);
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
                    let removed = self.section_name(target).to_owned();
                    let name = self.section_name(SectionIndex(section.info));
                    return Err(Error::new(name, *offset, ErrorKind::Needed { what: "the field", removed }));
                }
            }
        }
        Ok(())
    }

    /// The bytes of debug sections that change when the values of RELA entries are put in place.
    /// REL entries stay as they are: their fields hold what is to be added to the symbol's value,
    /// which mostly is 0.
    fn applied(&self, is_debug: &[bool]) -> Result<Vec<(SectionIndex, Vec<u8>)>> {
        let view = RelocatedCubin::new(self);
        let mut out: Vec<(SectionIndex, Vec<u8>)> = Vec::new();
        for (index, fields) in self.valued_fields() {
            let Contents::Bytes(bytes) = &self.section(index)?.contents else { continue };
            if is_debug.get(index.as_usize()) != Some(&true) {
                continue;
            }
            let relocated = view.section(index)?;
            let mut new = bytes.to_vec();
            for field in fields {
                if let (Some(place), Some(value)) = (new.get_mut(field.clone()), relocated.bytes.get(field)) {
                    place.copy_from_slice(value);
                }
            }
            if new != **bytes {
                out.push((index, new));
            }
        }
        Ok(out)
    }

    /// The fields whose values RELA entries have, by section in the order of the entries, each as a
    /// range of bytes, which may end outside the section.
    pub(super) fn valued_fields(&self) -> BTreeMap<SectionIndex, Vec<Range<usize>>> {
        let mut fields: BTreeMap<SectionIndex, Vec<Range<usize>>> = BTreeMap::new();
        for table in &self.sections {
            let Some(entries) = table.relocations() else { continue };
            let valued =
                entries.iter().filter(|relocation| relocation.addend.is_some()).filter_map(|relocation| {
                    let known =
                        RelocType::from_number(relocation.r_type).filter(|t| t.action == RelocAction::Add)?;
                    let start = usize::try_from(relocation.offset).ok()?;
                    Some(start..start.saturating_add(known.width.into()))
                });
            fields.entry(SectionIndex(table.info)).or_default().extend(valued);
        }
        fields
    }

    /// The bytes of fields, one after the other. What is outside the section counts as zeros, so
    /// that each field has its place.
    fn bytes_of_fields(&self, section: SectionIndex, fields: &[Range<usize>]) -> Vec<u8> {
        let Ok(bytes) = self.bytes(section) else { return Vec::new() };
        let own = fields
            .iter()
            .map(|field| bytes.get(field.clone()).map_or_else(|| vec![0; field.len()], <[u8]>::to_vec));
        own.flatten().collect()
    }

    /// Replaces the bytes of sections.
    pub(super) fn set_bytes(&mut self, changed: Vec<(SectionIndex, Vec<u8>)>) {
        for (index, bytes) in changed {
            if let Some(section) = self.sections.get_mut(index.as_usize()) {
                section.contents = Contents::Bytes(Cow::Owned(bytes));
            }
        }
    }
}

/// Whether a side file keeps the contents of a section that is not debug information.
fn stays_whole(section: &Section<'_>) -> bool {
    let types = [elf::SHT_STRTAB.0, elf::SHT_SYMTAB_SHNDX.0, elf::SHT_NOTE.0, elf::SHT_NULL.0];
    types.contains(&section.sh_type) || is_symtab_type(section.sh_type)
}
