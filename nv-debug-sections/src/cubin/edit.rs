//! Replacement of the debug sections of a cubin.
//!
//! # Symbols keep their numbers
//!
//! Symbol indices occur in relocations, in `sh_info`, in `.nv.callgraph` and `.nv.prototype`, and
//! in `.nv.info` records, not all of which are known. ptxas puts the section symbols of the debug
//! sections before those of functions, so dropping or adding one would renumber symbols that
//! unknown records may name. Therefore no symbol moves. The section symbol of a removed section
//! becomes a local, undefined `STT_NOTYPE` symbol of the same name (a kind that ptxas itself writes
//! for unresolved labels), and becomes a section symbol again when a section of that name comes
//! back; a section that never had a symbol gets none. Section indices, by contrast, occur only in
//! fields that the ELF standard or docs/formats name, and all of them follow (`EIATTR` 0x5a of
//! Mercury files, whose bytes nobody outside knows, is left as it is). nvdisasm and cuobjdump 13.2
//! read the results.

use super::debug_section::DebugSection;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use dwarf2_reader::WorkBudget;
use object::elf;

use super::replaced_sections::{ReplacedSections, not_a_debug_section};
use super::section_edit::{Edit, ReplacementSection, SectionAction, SectionPart, relocations};
use super::section_order::{self, SectionOrderKey};
use super::strtab::NameMap;
use super::{
    Contents, Cubin, ELFOSABI_CUDA_V2, Relocation, Section, SectionIndex, StringTable, Symbol, SymbolIndex,
    extended_numbering, is_nobits, is_relocation_type, sht,
};
use crate::catalog::{SectionHeaderFields, SectionName, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{LISTED_NAME_BYTES, LONG_NAME_CHARS};

impl Space {
    /// The symbol table that relocations of the space refer to.
    fn symtab(self, cubin: &Cubin<'_>) -> Option<SectionIndex> {
        match self {
            Self::Native => cubin.symtab(),
            Self::Mercury => cubin.mercury_symtab(),
        }
    }
}

impl Cubin<'_> {
    /// Returns an error if all section names or all symbol names together are larger than four
    /// times their string table. Names in a hostile file may overlap.
    ///
    /// # Errors
    ///
    /// The names of all sections, or of all symbols of a table, together take more than four times
    /// the bytes that the file has for these names, and 1 MiB.
    pub fn check_name_expansion(&self) -> Result<()> {
        let table = self.header.shstrndx;
        self.check_expansion_of(table, self.iter().map(|(_, name, _)| name), "sections")?;
        for (index, _, section) in self.iter() {
            let symbols = (0..).zip(self.symbols_of(index));
            let names = symbols.map(|(symbol, _)| self.symbol_name_in(index, SymbolIndex(symbol)));
            self.check_expansion_of(SectionIndex(section.link), names, "symbols")?;
        }
        Ok(())
    }

    /// Rejects `names` that, listed one by one, take more than four times the bytes of their string
    /// table.
    fn check_expansion_of<'n>(
        &self,
        table: SectionIndex,
        names: impl Iterator<Item = &'n str>,
        what: &str,
    ) -> Result<()> {
        let table = self.strings(table).map_or(0, |table| table.as_bytes().len());
        let mut budget = WorkBudget::of_input(table as u64, LISTED_NAME_BYTES);
        for name in names {
            if !budget.take(name.len() as u64) {
                let start: String = name.chars().take(LONG_NAME_CHARS).collect();
                let text = format!("too many {what} have this name, which is too long for that");
                return Err(Error::new(format!("{start}..."), 0, ErrorKind::Limit(text.into())));
            }
        }
        Ok(())
    }

    /// Returns the debug sections of the cubin with their relocations, in file order.
    /// [`set_debug_sections`](Self::set_debug_sections) takes such a list.
    ///
    /// Mercury clones, which [`mercury_sections`](Self::mercury_sections) gives, and
    /// `.nv_debug.shared` are left out.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::check_name_expansion`].
    pub fn debug_sections(&self) -> Result<Vec<DebugSection>> {
        let all = self.debug_sections_in(Space::Native)?.into_iter().map(|given| {
            let ReplacementSection { base, bytes, rel, rela } = given;
            DebugSection { name: base, bytes: bytes.unwrap_or_default(), rel, rela }
        });
        Ok(all.collect())
    }

    /// The debug sections of a space as values, in file order.
    pub(super) fn debug_sections_in(&self, space: Space) -> Result<Vec<ReplacementSection>> {
        self.check_name_expansion()?;
        let mut tables: HashMap<u32, Vec<&[Relocation]>> = HashMap::new();
        for section in self.sections.iter().filter(|section| part_of(space, section).is_some()) {
            tables.entry(section.info).or_default().extend(section.relocations());
        }
        let mut out = Vec::new();
        let mut replaced = ReplacedSections::debug(space);
        for (index, name, section) in
            self.iter().filter(|(_, name, section)| replaced.includes(name, section))
        {
            let all = || tables.get(&index.0).into_iter().flatten().copied().flatten().copied();
            let is_shared = matches!(section.contents, Contents::Alias(_));
            out.push(ReplacementSection {
                base: SectionName::parse(name).base.into_owned(),
                bytes: if is_shared { None } else { Some(self.bytes(index)?.into_owned()) },
                rel: all().filter(|r| r.addend.is_none()).collect(),
                rela: all().filter(|r| r.addend.is_some()).collect(),
            });
        }
        Ok(out)
    }

    /// Replaces all debug sections of this cubin by `sections`. A debug section that is not listed
    /// is removed. Other sections stay, unless `sections` has one of the same name.
    ///
    /// Sections that exist already keep their place and header, new ones go where ptxas would put
    /// them, among equals in the order given; relocation sections likewise. Symbol indices are
    /// those of this cubin's `.symtab` and stay valid. Mercury sections (`.nv.merc.*`) keep their
    /// bytes: a clone of a section that changes gets bytes of its own. All section indices in the
    /// file follow the new order. Giving a cubin its own debug sections changes nothing.
    ///
    /// # Errors
    ///
    /// A name is neither a debug section's nor one that PTX can give, or that of a section of the
    /// file's own; a relocation names no symbol, has an addend where it must not (or the reverse),
    /// a section that stays links to one that goes, or the sections become too many. Nothing is
    /// changed then.
    pub fn set_debug_sections(&mut self, sections: Vec<DebugSection>) -> Result<()> {
        self.edit_native(sections, false)
    }

    /// Replaces or adds the debug sections that `sections` lists. Unlike in
    /// [`set_debug_sections`](Self::set_debug_sections), other debug sections stay, with their
    /// relocations.
    ///
    /// # Errors
    ///
    /// As [`set_debug_sections`](Self::set_debug_sections).
    pub fn update_debug_sections(&mut self, sections: Vec<DebugSection>) -> Result<()> {
        self.edit_native(sections, true)
    }

    fn edit_native(&mut self, sections: Vec<DebugSection>, keeps: bool) -> Result<()> {
        let given = sections.into_iter().map(|section| {
            let DebugSection { name, bytes, rel, rela } = section;
            ReplacementSection { base: name, bytes: Some(bytes), rel, rela }
        });
        self.edit(Edit { space: Space::Native, keeps_others: keeps, replacements: given.collect() })
    }

    /// Gives a space its debug sections, or changes nothing.
    pub(super) fn edit(&mut self, edit: Edit) -> Result<()> {
        let symbols = edit.space.symtab(self).map_or(&[][..], |table| self.symbols_of(table));
        check(&edit, symbols.len() as u64)?;
        let actions = section_actions(self, &edit)?;
        let plan = Plan::new(self, &edit, actions)?;
        plan.apply(self, edit);
        Ok(())
    }
}

fn check(edit: &Edit, symbols: u64) -> Result<()> {
    for section in &edit.replacements {
        let name = section.base.as_str();
        let all = section.rel.iter().map(|r| (r, false)).chain(section.rela.iter().map(|r| (r, true)));
        for (relocation, with_addend) in all {
            let fault = |kind| Error::new(name, relocation.offset, kind);
            if relocation.addend.is_some() != with_addend {
                let sh_type = if with_addend { elf::SHT_RELA.0 } else { elf::SHT_REL.0 };
                return Err(fault(ErrorKind::Addend { has_addend: !with_addend, sh_type }));
            }
            let index = u64::from(relocation.symbol.0);
            if index >= symbols {
                return Err(fault(ErrorKind::Index { what: "symbol", index, count: symbols }));
            }
        }
    }
    Ok(())
}

/// Everything that is decided, and can fail, before anything is changed.
#[derive(Debug)]
pub(super) struct Plan<'d> {
    /// The action for each section of the file, by its index before the edit.
    actions: Vec<SectionAction>,
    new: Vec<(SectionOrderKey, usize, SectionPart, Section<'static>)>,
    /// The section names, with those of new sections added.
    names: StringTable<'d>,
    /// By given section: the native section whose file range it shares.
    shared: Vec<Option<SectionIndex>>,
}

impl<'d> Plan<'d> {
    pub(super) fn new(cubin: &Cubin<'d>, edit: &Edit, actions: Vec<SectionAction>) -> Result<Self> {
        check_links(cubin, &actions)?;
        let shared = shared_ranges(cubin, edit)?;
        let places = section_order::new_section_order(cubin, edit, &actions);
        let texts: Vec<String> =
            places.iter().map(|(_, index, part)| edit.section_name(*index, *part).to_string()).collect();
        let mut names = cubin.strings(cubin.header.shstrndx).cloned().unwrap_or_default();
        let offsets = names.intern(&texts)?;
        let symtab = edit.space.symtab(cubin).map_or(0, |s| s.0);
        let mut new = Vec::new();
        for (((place, index, part), offset), text) in places.into_iter().zip(offsets).zip(&texts) {
            let name = edit.section_name(index, part);
            let shape = name.ptx_header_fields().ok_or_else(|| not_a_debug_section(text))?;
            new.push((place, index, part, header(offset, shape, symtab)));
        }
        extended_numbering::check_section_count(cubin, cubin.sections.len() + new.len())?;
        Ok(Self { actions, new, names, shared })
    }
}

/// The native sections that given ones without bytes share their contents with.
fn shared_ranges(cubin: &Cubin<'_>, edit: &Edit) -> Result<Vec<Option<SectionIndex>>> {
    let mut wanted: NameMap<'_, Option<SectionIndex>> = NameMap::default();
    for given in edit.replacements.iter().filter(|given| given.bytes.is_none()) {
        wanted.change(&given.base, |_| {});
    }
    let mut native = ReplacedSections::debug(Space::Native);
    for (index, name, section) in cubin.iter().filter(|(_, name, section)| native.includes(name, section)) {
        if let Some(first) = wanted.find(section.name, name) {
            let has_bytes = !matches!(section.contents, Contents::NoBits(_));
            *first = first.or(has_bytes.then_some(index));
        }
    }
    let mut shared = vec![None; edit.replacements.len()];
    for (given, slot) in edit.replacements.iter().zip(&mut shared).filter(|(given, _)| given.bytes.is_none())
    {
        wanted.change(&given.base, |found| *slot = *found);
        if slot.is_none() {
            let text = "there is no such section whose file range its clone could share";
            return Err(Error::new(&*given.base, 0, ErrorKind::Missing(text.into())));
        }
    }
    Ok(shared)
}

fn section_actions(cubin: &Cubin<'_>, edit: &Edit) -> Result<Vec<SectionAction>> {
    // Linked files may have several sections of one name: they match in order.
    let names: Vec<String> = (0..edit.replacements.len())
        .map(|index| edit.section_name(index, SectionPart::Bytes).to_string())
        .collect();
    let mut replaced = ReplacedSections::by(cubin, edit, &names)?;
    let mut wanted: NameMap<'_, VecDeque<usize>> = NameMap::default();
    for (index, name) in names.iter().enumerate() {
        wanted.change(name, |queue| queue.push_back(index));
    }
    let mut actions = vec![SectionAction::Keep; cubin.sections.len()];
    for ((_, name, section), action) in cubin.iter().zip(actions.iter_mut().skip(1)) {
        if replaced.includes(name, section) {
            let next = wanted.find(section.name, name).and_then(VecDeque::pop_front);
            let other = if edit.keeps_others { SectionAction::Keep } else { SectionAction::Remove };
            *action = next.map_or(other, |index| SectionAction::Replace(index, SectionPart::Bytes));
        }
    }
    let mut placed = HashSet::new();
    for (index, section) in cubin.sections.iter().enumerate() {
        let target = actions.get(section.info as usize).copied();
        let action = match (target, part_of(edit.space, section)) {
            (Some(SectionAction::Remove), Some(_)) => SectionAction::Remove,
            (Some(SectionAction::Replace(g, SectionPart::Bytes)), Some(part)) => {
                let filled = edit.replacements.get(g).is_some_and(|s| !relocations(s, part).is_empty());
                if filled && placed.insert((g, part)) {
                    SectionAction::Replace(g, part)
                } else {
                    SectionAction::Remove
                }
            }
            _ => continue,
        };
        if let Some(slot) = actions.get_mut(index) {
            *slot = action;
        }
    }
    Ok(actions)
}

/// Which part of a debug section a relocation section of `space` holds.
fn part_of(space: Space, section: &Section<'_>) -> Option<SectionPart> {
    let part = if section.sh_type == elf::SHT_REL.0 { SectionPart::Rel } else { SectionPart::Rela };
    let in_space = section.is_mercury() == (space == Space::Mercury);
    (section.relocations().is_some() && in_space).then_some(part)
}

/// A section that stays must not need one that goes. Clones may: they get the bytes.
fn check_links(cubin: &Cubin<'_>, actions: &[SectionAction]) -> Result<()> {
    let goes = |index: u32| actions.get(index as usize) == Some(&SectionAction::Remove);
    for ((_, name, section), action) in cubin.iter().zip(actions.iter().skip(1)) {
        let info = if section.info_is_section() { section.info } else { 0 };
        if *action == SectionAction::Keep && (goes(section.link) || goes(info)) {
            let gone = if goes(section.link) { section.link } else { info };
            let removed = cubin.section_name(SectionIndex(gone)).to_owned();
            return Err(Error::new(name, 0, ErrorKind::Needed { what: "the section", removed }));
        }
    }
    Ok(())
}

/// One section of the result.
#[derive(Debug)]
struct Slot<'d> {
    place: SectionOrderKey,
    /// Index before the edit.
    old: Option<usize>,
    /// The replacement and its part, for a section that takes new contents.
    given: Option<(usize, SectionPart)>,
    section: Section<'d>,
}

impl<'d> Plan<'d> {
    pub(super) fn apply(self, cubin: &mut Cubin<'d>, edit: Edit) {
        let Self { actions, new, names, shared } = self;
        let Edit { space, replacements: mut given, .. } = edit;
        release_clones(cubin, &actions, &given);
        if let Some(section) = cubin.sections.get_mut(cubin.header.shstrndx.as_usize()) {
            section.contents = Contents::Strings(names);
        }
        let mut take = |index: usize, part: SectionPart| {
            let alias = shared.get(index).copied().flatten();
            given.get_mut(index).map_or(Contents::NoBits(0), |g| g.take(part, alias))
        };
        let mut slots = Vec::with_capacity(actions.len() + new.len());
        for (old, (mut section, action)) in
            std::mem::take(&mut cubin.sections).into_iter().zip(actions).enumerate()
        {
            let given = match action {
                SectionAction::Remove => continue,
                SectionAction::Keep => None,
                SectionAction::Replace(index, part) => {
                    section.contents = take(index, part);
                    if is_nobits(section.sh_type, section.flags) || section.sh_type == elf::SHT_NULL.0 {
                        section.sh_type = elf::SHT_PROGBITS.0;
                    }
                    Some((index, part))
                }
            };
            slots.push(Slot { place: SectionOrderKey::old(old), old: Some(old), given, section });
        }
        for (place, index, part, section) in new {
            let section = Section { contents: take(index, part), ..section };
            slots.push(Slot { place, old: None, given: Some((index, part)), section });
        }
        slots.sort_by_key(|slot| slot.place);
        renumber(cubin, space, slots);
    }
}

impl ReplacementSection {
    /// `shared` is the section whose file range stands for bytes of its own.
    fn take(&mut self, part: SectionPart, shared: Option<SectionIndex>) -> Contents<'static> {
        match part {
            SectionPart::Bytes => match shared {
                Some(native) => Contents::Alias(native),
                None => Contents::Bytes(Cow::Owned(self.bytes.take().unwrap_or_default())),
            },
            SectionPart::Rel => Contents::Relocations(std::mem::take(&mut self.rel)),
            SectionPart::Rela => Contents::Relocations(std::mem::take(&mut self.rela)),
        }
    }
}

/// A new section as ptxas makes it. `sh_link` is an old index; `sh_info` is set by [`renumber`].
fn header(
    name: u32,
    SectionHeaderFields { sh_type, flags, align, entsize }: SectionHeaderFields,
    symtab: u32,
) -> Section<'static> {
    let link = if is_relocation_type(sh_type) { symtab } else { 0 };
    Section { name, sh_type, flags, link, align, entsize, ..Section::default() }
}

/// Gives clones of sections that change or go their old bytes: the first of them owns these, the
/// others follow it.
fn release_clones(cubin: &mut Cubin<'_>, actions: &[SectionAction], given: &[ReplacementSection]) {
    let changes = |target: usize, contents: Option<&Contents<'_>>| match (actions.get(target), contents) {
        (Some(SectionAction::Remove), _) => true,
        (Some(SectionAction::Replace(g, _)), Some(Contents::Bytes(old))) => {
            given.get(*g).is_some_and(|new| new.bytes.as_deref() != Some(&**old))
        }
        _ => false,
    };
    let mut heirs: HashMap<usize, SectionIndex> = HashMap::new();
    for index in 1..cubin.sections.len() {
        let Some(Contents::Alias(target)) = cubin.sections.get(index).map(|s| &s.contents) else { continue };
        let target = target.as_usize();
        let contents = if let Some(heir) = heirs.get(&target) {
            Contents::Alias(*heir)
        } else if changes(target, cubin.sections.get(target).map(|s| &s.contents)) {
            heirs.insert(target, SectionIndex(index as u32));
            // Nobody reads the old contents again: the section goes, or takes new ones.
            let owner = cubin.sections.get_mut(target);
            owner.map_or(Contents::NoBits(0), |s| std::mem::replace(&mut s.contents, Contents::NoBits(0)))
        } else {
            continue;
        };
        if let Some(section) = cubin.sections.get_mut(index) {
            section.contents = contents;
        }
    }
}

/// Puts the sections in and rewrites every section index in the file.
fn renumber<'d>(cubin: &mut Cubin<'d>, space: Space, slots: Vec<Slot<'d>>) {
    let mut new_of_old: Vec<u32> = Vec::new();
    let mut targets: HashMap<usize, u32> = HashMap::new();
    for (new, slot) in (0..).zip(&slots) {
        if let Some(old) = slot.old {
            new_of_old.resize(new_of_old.len().max(old + 1), 0);
            if let Some(entry) = new_of_old.get_mut(old) {
                *entry = new;
            }
        }
        if let Some((given, SectionPart::Bytes)) = slot.given {
            targets.insert(given, new);
        }
    }
    // Sections that went map to 0, "none"; section 0 itself never moves.
    let map = |old: u32| new_of_old.get(old as usize).copied().unwrap_or(0);

    let cuinfo = cubin_info_flags(cubin, &slots);
    let mut added = Vec::new();
    for (new, mut slot) in (0..).zip(slots) {
        let section = &mut slot.section;
        section.link = map(section.link);
        match (slot.old, slot.given) {
            (None, Some((given, SectionPart::Rel | SectionPart::Rela))) => {
                section.info = targets.get(&given).copied().unwrap_or(0);
            }
            (None, _) => added.push(new),
            (Some(_), _) if section.info_is_section() => section.info = map(section.info),
            (Some(_), _) => {}
        }
        match &mut section.contents {
            Contents::Alias(target) => *target = SectionIndex(map(target.0)),
            Contents::Symbols(symbols) => symbols.iter_mut().for_each(|symbol| move_symbol(symbol, map)),
            Contents::Bytes(bytes) if section.sh_type == sht::MERC_CODE => move_capsule(bytes, map),
            _ => {}
        }
        cubin.sections.push(slot.section);
    }
    cubin.header.shstrndx = SectionIndex(map(cubin.header.shstrndx.0));
    if let Some(old) = cuinfo {
        cubin.header.e_flags = cubin.header.e_flags & 0x00ff_ffff | (map(old) & 0xff) << 24;
    }
    cubin.sections_changed();
    revive_symbols(cubin, space, &added);
    extended_numbering::store(&mut cubin.sections);
}

/// The note that `e_flags` names.
const CUINFO: &str = ".note.nv.cuinfo";

/// The old index of `.note.nv.cuinfo`, if bits 24-31 of `e_flags` name it.
fn cubin_info_flags(cubin: &Cubin<'_>, slots: &[Slot<'_>]) -> Option<u32> {
    let names = slots.iter().find(|s| s.old == Some(cubin.header.shstrndx.as_usize()))?;
    let Contents::Strings(names) = &names.section.contents else { return None };
    let note = slots.iter().find(|s| s.old.is_some() && names.get(s.section.name) == Some(CUINFO))?;
    let old = u32::try_from(note.old?).ok()?;
    let named = cubin.header.os_abi == ELFOSABI_CUDA_V2 && cubin.header.e_flags >> 24 == old & 0xff;
    named.then_some(old)
}

fn move_symbol(symbol: &mut Symbol, map: impl Fn(u32) -> u32) {
    if let Some(section) = symbol.section() {
        symbol.shndx = map(section.0);
        if symbol.shndx == 0 {
            // Its section is gone. Only the name stays, so that the symbol can come back.
            *symbol = Symbol { name: symbol.name, info: symbol.info & 0xf0, ..Symbol::default() };
        }
    }
}

/// `.nv.capmerc.text.F` begins with the section index of `.text.F` (docs/formats/capsule.md,
/// sections).
pub(super) fn move_capsule(bytes: &mut Cow<'_, [u8]>, map: impl Fn(u32) -> u32) {
    if let Some(old) = bytes.first_chunk::<4>().copied().map(u32::from_le_bytes) {
        let new = map(old);
        if new != old
            && let Some(field) = bytes.to_mut().first_chunk_mut::<4>()
        {
            *field = new.to_le_bytes();
        }
    }
}

/// Makes the local undefined symbols that have the names of `added` sections their section symbols.
/// In Mercury space these have the names of the native sections.
fn revive_symbols(cubin: &mut Cubin<'_>, space: Space, added: &[u32]) {
    let Some(table) = space.symtab(cubin) else { return };
    let base = |index: u32| SectionName::parse(cubin.section_name(SectionIndex(index))).base;
    let names: Vec<Cow<'_, str>> = added.iter().map(|&index| base(index)).collect();
    let mut wanted: NameMap<'_, Option<u32>> = NameMap::default();
    for (name, &index) in names.iter().zip(added) {
        wanted.change(name, |first| *first = first.or(Some(index)));
    }
    let local = elf::STB_LOCAL.0 << 4 | elf::STT_NOTYPE.0;
    let mut found = Vec::new();
    for (index, symbol) in (0..).zip(cubin.symbols_of(table)).skip(1) {
        if symbol.info == local && symbol.shndx == 0 {
            let name = cubin.symbol_name_in(table, SymbolIndex(index));
            let section = wanted.find(symbol.name, name).and_then(Option::take);
            found.extend(section.map(|section| (index as usize, section)));
        }
    }
    if let Some(Contents::Symbols(symbols)) =
        cubin.sections.get_mut(table.as_usize()).map(|s| &mut s.contents)
    {
        for (index, shndx) in found {
            if let Some(symbol) = symbols.get_mut(index) {
                symbol.info = elf::STB_LOCAL.0 << 4 | elf::STT_SECTION.0;
                symbol.shndx = shndx;
            }
        }
    }
}
