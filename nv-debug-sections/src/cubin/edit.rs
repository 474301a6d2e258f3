//! Replacing the debug sections of a cubin.
//!
//! # Symbols keep their numbers
//!
//! Symbol indices occur in relocations, in `sh_info`, in `.nv.callgraph` and `.nv.prototype`, and in `.nv.info`
//! records, not all of which are known (FORMATS 9). ptxas puts the section symbols of the debug sections before those
//! of functions, so dropping or adding one would renumber symbols that unknown records may name. Therefore no symbol
//! moves. The section symbol of a removed section becomes a local, undefined `STT_NOTYPE` symbol of the same name (a
//! kind that ptxas itself writes for unresolved labels), and becomes a section symbol again when a section of that
//! name comes back; a section that never had a symbol gets none. Section indices, by contrast, occur only in fields
//! that the ELF standard or FORMATS name, and all of them follow (`EIATTR` 0x5a of Mercury files, whose bytes nobody
//! outside knows, is left as it is). nvdisasm and cuobjdump 13.2 read the results.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use object::elf;

use super::order::{self, Place};
use super::strtab::NameMap;
use super::{
    Contents, Cubin, ELFOSABI_CUDA_V2, Relocation, Section, SectionIndex, StringTable, Symbol, extended,
    is_nobits, is_relocation_type, sht,
};
use crate::catalog::{RelocForm, SectionKind, SectionName, Shape, is_debug_section};
use crate::error::{Error, ErrorKind, Result};

/// Bytes that the names of all sections of a cubin may take in any case, where they are listed.
pub const MAX_NAMES: usize = 1 << 20;

/// One debug section with its relocations, ready to be placed in a cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugSection {
    /// Its name, `.debug_*` or `.nv_debug_*`.
    pub name: String,
    /// Its bytes, with implicit addends in place.
    pub bytes: Vec<u8>,
    /// Contents of `.rel` + name, in file order, all without addend; empty: no such section.
    pub rel: Vec<Relocation>,
    /// Contents of `.rela` + name, in file order, all with addend; empty: no such section.
    pub rela: Vec<Relocation>,
}

/// Whether [`Cubin::set_debug_sections`] replaces a section of this name: every debug section but `.nv_debug.shared`, which holds
/// nothing and belongs to the code's shared memory.
pub(super) fn is_replaced(name: &str) -> bool {
    is_debug_section(name) && SectionKind::from_name(name) != Some(SectionKind::NvDebugShared)
}

/// Whether it is a debug section of the native code, with contents of its own.
fn is_own(name: &str, section: &Section<'_>) -> bool {
    let plain = matches!(section.contents, Contents::Bytes(_) | Contents::NoBits(_));
    plain && is_replaced(name) && !section.is_mercury()
}

/// A part of a [`DebugSection`]: each becomes a section of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Bytes,
    Rel,
    Rela,
}

impl Part {
    /// Of relocations: which kind.
    pub(super) const fn form(self) -> Option<RelocForm> {
        match self {
            Self::Bytes => None,
            Self::Rel => Some(RelocForm::Rel),
            Self::Rela => Some(RelocForm::Rela),
        }
    }

    /// Name of the section that holds this part of the debug section `name`.
    fn name(self, name: &str) -> SectionName<'_> {
        SectionName { form: self.form(), ..SectionName::native(name) }
    }
}

/// What becomes of a section of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    Goes,
    /// Takes the contents of this part of this given section.
    Takes(usize, Part),
}

impl Cubin<'_> {
    /// For lists of sections by name: refuses a file in which so many share a long name that the list would be far larger.
    ///
    /// # Errors
    ///
    /// All names together take more than [`MAX_NAMES`] bytes and four times what the file has for names.
    pub fn expect_short_names(&self) -> Result<()> {
        let table = self.strings(self.header.shstrndx).map_or(0, |table| table.as_bytes().len());
        let mut room = table.saturating_mul(4).max(MAX_NAMES);
        for (_, name, _) in self.iter() {
            room = room.checked_sub(name.len()).ok_or_else(|| {
                let start: String = name.chars().take(40).collect();
                let text = "too many sections have this name, which is too long for that";
                Error::new(format!("{start}..."), 0, ErrorKind::Other(text.into()))
            })?;
        }
        Ok(())
    }

    /// The debug sections as values, in file order: what [`set_debug_sections`](Self::set_debug_sections) takes.
    ///
    /// Mercury clones and `.nv_debug.shared` are left out.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::expect_short_names`].
    pub fn debug_sections(&self) -> Result<Vec<DebugSection>> {
        let mut tables: HashMap<u32, Vec<&[Relocation]>> = HashMap::new();
        for section in self.sections.iter().filter(|section| part_of(section).is_some()) {
            tables.entry(section.info).or_default().extend(section.relocations());
        }
        let mut out = Vec::new();
        self.expect_short_names()?;
        for (index, name, _) in self.iter().filter(|(_, name, section)| is_own(name, section)) {
            let all = || tables.get(&index.0).into_iter().flatten().copied().flatten().copied();
            out.push(DebugSection {
                name: name.to_owned(),
                bytes: self.bytes(index)?.into_owned(),
                rel: all().filter(|r| r.addend.is_none()).collect(),
                rela: all().filter(|r| r.addend.is_some()).collect(),
            });
        }
        Ok(out)
    }

    /// Makes `sections` the debug sections of this cubin, all of them: what is not listed is removed.
    ///
    /// Sections that exist already keep their place and header, new ones go where ptxas would put them, among equals in
    /// the order given; relocation sections likewise. Symbol indices are those of this cubin's `.symtab` and stay valid.
    /// Mercury sections (`.nv.merc.*`) keep their bytes: a clone of a section that changes gets bytes of its own.
    /// All section indices in the file follow the new order. Giving a cubin its own debug sections changes nothing.
    ///
    /// # Errors
    ///
    /// A name is no debug section's, a relocation names no symbol, has an addend where it must not (or the reverse), a
    /// section that stays links to one that goes, or the sections become too many. Nothing is changed then.
    pub fn set_debug_sections(&mut self, sections: Vec<DebugSection>) -> Result<()> {
        check(&sections, self.symbols().len() as u64)?;
        let plan = Plan::new(self, &sections, fates(self, &sections))?;
        plan.apply(self, sections);
        Ok(())
    }
}

fn not_a_name(name: &str) -> Error {
    Error::new(name, 0, ErrorKind::Other("not the name of a debug section".into()))
}

fn check(sections: &[DebugSection], symbols: u64) -> Result<()> {
    for section in sections {
        let name = section.name.as_str();
        if !is_replaced(name) || name.contains('\0') {
            return Err(not_a_name(name));
        }
        let all = section.rel.iter().map(|r| (r, false)).chain(section.rela.iter().map(|r| (r, true)));
        for (relocation, with_addend) in all {
            let fault = |kind| Error::new(name, relocation.offset, kind);
            if relocation.addend.is_some() != with_addend {
                let text = if with_addend { "lacks its addend" } else { "has an addend" };
                return Err(fault(ErrorKind::Other(format!("a relocation {text}"))));
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
    /// By old section index.
    fates: Vec<Fate>,
    new: Vec<(Place, usize, Part, Section<'static>)>,
    /// The section names, with those of new sections added.
    names: StringTable<'d>,
}

impl<'d> Plan<'d> {
    pub(super) fn new(cubin: &Cubin<'d>, given: &[DebugSection], fates: Vec<Fate>) -> Result<Self> {
        check_links(cubin, &fates)?;
        let table = cubin.strings(cubin.header.shstrndx);
        // ptxas leaves the names of sections it made and dropped, so that a new one may have its name already.
        let mut known: HashMap<&str, u32> = HashMap::new();
        for (offset, name) in table.iter().flat_map(|t| t.entries()) {
            known.entry(name).or_insert(offset);
        }
        let mut names = table.cloned().unwrap_or_default();
        let symtab = cubin.symtab().map_or(0, |s| s.0);
        let mut new = Vec::new();
        for (place, index, part) in order::places(cubin, given, &fates) {
            let name = part.name(given.get(index).map_or("", |g| &g.name));
            let text = name.to_string();
            let offset = known.get(&*text).map_or_else(|| names.push(&text), |offset| Ok(*offset))?;
            let shape = Shape::of(&name).ok_or_else(|| not_a_name(&text))?;
            new.push((place, index, part, header(offset, shape, symtab)));
        }
        extended::check_room(cubin, cubin.sections.len() + new.len())?;
        Ok(Self { fates, new, names })
    }
}

fn fates(cubin: &Cubin<'_>, given: &[DebugSection]) -> Vec<Fate> {
    // Linked files may have several sections of one name: they match in order.
    let mut wanted: NameMap<'_, VecDeque<usize>> = NameMap::default();
    for (index, section) in given.iter().enumerate() {
        wanted.change(&section.name, |queue| queue.push_back(index));
    }
    let mut fates = vec![Fate::Stays; cubin.sections.len()];
    for ((_, name, section), fate) in cubin.iter().zip(fates.iter_mut().skip(1)) {
        if is_own(name, section) {
            let next = wanted.find(section.name, name).and_then(VecDeque::pop_front);
            *fate = next.map_or(Fate::Goes, |index| Fate::Takes(index, Part::Bytes));
        }
    }
    let mut placed = HashSet::new();
    for (index, section) in cubin.sections.iter().enumerate() {
        let target = fates.get(section.info as usize).copied();
        let fate = match (target, part_of(section)) {
            (Some(Fate::Goes), Some(_)) => Fate::Goes,
            (Some(Fate::Takes(g, Part::Bytes)), Some(part)) => {
                let filled = given.get(g).is_some_and(|s| !relocations(s, part).is_empty());
                if filled && placed.insert((g, part)) { Fate::Takes(g, part) } else { Fate::Goes }
            }
            _ => continue,
        };
        if let Some(slot) = fates.get_mut(index) {
            *slot = fate;
        }
    }
    fates
}

/// Which part of a debug section a native relocation section holds.
fn part_of(section: &Section<'_>) -> Option<Part> {
    let part = if section.sh_type == elf::SHT_REL.0 { Part::Rel } else { Part::Rela };
    (section.relocations().is_some() && !section.is_mercury()).then_some(part)
}

pub(super) fn relocations(section: &DebugSection, part: Part) -> &[Relocation] {
    match part {
        Part::Bytes => &[],
        Part::Rel => &section.rel,
        Part::Rela => &section.rela,
    }
}

/// A section that stays must not need one that goes. Clones may: they get the bytes.
fn check_links(cubin: &Cubin<'_>, fates: &[Fate]) -> Result<()> {
    let goes = |index: u32| fates.get(index as usize) == Some(&Fate::Goes);
    for ((_, name, section), fate) in cubin.iter().zip(fates.iter().skip(1)) {
        let info = if section.info_is_section() { section.info } else { 0 };
        if *fate == Fate::Stays && (goes(section.link) || goes(info)) {
            let gone = if goes(section.link) { section.link } else { info };
            let text =
                format!("the section needs {}, which is removed", cubin.section_name(SectionIndex(gone)));
            return Err(Error::new(name, 0, ErrorKind::Other(text)));
        }
    }
    Ok(())
}

/// One section of the result.
#[derive(Debug)]
struct Slot<'d> {
    place: Place,
    /// Index before the edit.
    old: Option<usize>,
    /// What was given for it.
    given: Option<(usize, Part)>,
    section: Section<'d>,
}

impl<'d> Plan<'d> {
    pub(super) fn apply(self, cubin: &mut Cubin<'d>, mut given: Vec<DebugSection>) {
        let Self { fates, new, names } = self;
        release_clones(cubin, &fates, &given);
        if let Some(section) = cubin.sections.get_mut(cubin.header.shstrndx.as_usize()) {
            section.contents = Contents::Strings(names);
        }
        let mut take =
            |index: usize, part: Part| given.get_mut(index).map_or(Contents::NoBits(0), |g| g.take(part));
        let mut slots = Vec::with_capacity(fates.len() + new.len());
        for (old, (mut section, fate)) in
            std::mem::take(&mut cubin.sections).into_iter().zip(fates).enumerate()
        {
            let given = match fate {
                Fate::Goes => continue,
                Fate::Stays => None,
                Fate::Takes(index, part) => {
                    section.contents = take(index, part);
                    if is_nobits(section.sh_type, section.flags) {
                        section.sh_type = elf::SHT_PROGBITS.0;
                    }
                    Some((index, part))
                }
            };
            slots.push(Slot { place: Place::old(old), old: Some(old), given, section });
        }
        for (place, index, part, section) in new {
            let section = Section { contents: take(index, part), ..section };
            slots.push(Slot { place, old: None, given: Some((index, part)), section });
        }
        slots.sort_by_key(|slot| slot.place);
        renumber(cubin, slots);
    }
}

impl DebugSection {
    fn take(&mut self, part: Part) -> Contents<'static> {
        match part {
            Part::Bytes => Contents::Bytes(Cow::Owned(std::mem::take(&mut self.bytes))),
            Part::Rel => Contents::Relocations(std::mem::take(&mut self.rel)),
            Part::Rela => Contents::Relocations(std::mem::take(&mut self.rela)),
        }
    }
}

/// A new section as ptxas makes it. `sh_link` is an old index; `sh_info` is set by [`renumber`].
fn header(name: u32, Shape { sh_type, flags, align, entsize }: Shape, symtab: u32) -> Section<'static> {
    let link = if is_relocation_type(sh_type) { symtab } else { 0 };
    Section { name, sh_type, flags, link, align, entsize, ..Section::default() }
}

/// Gives clones of sections that change or go their old bytes: the first of them owns these, the others follow it.
fn release_clones(cubin: &mut Cubin<'_>, fates: &[Fate], given: &[DebugSection]) {
    let changes = |target: usize, contents: Option<&Contents<'_>>| match (fates.get(target), contents) {
        (Some(Fate::Goes), _) => true,
        (Some(Fate::Takes(g, _)), Some(Contents::Bytes(old))) => {
            given.get(*g).is_some_and(|new| new.bytes != **old)
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
fn renumber<'d>(cubin: &mut Cubin<'d>, slots: Vec<Slot<'d>>) {
    let mut new_of_old: Vec<u32> = Vec::new();
    let mut targets: HashMap<usize, u32> = HashMap::new();
    for (new, slot) in (0..).zip(&slots) {
        if let Some(old) = slot.old {
            new_of_old.resize(new_of_old.len().max(old + 1), 0);
            if let Some(entry) = new_of_old.get_mut(old) {
                *entry = new;
            }
        }
        if let Some((given, Part::Bytes)) = slot.given {
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
            (None, Some((given, Part::Rel | Part::Rela))) => {
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
    cubin.find_symtab();
    revive_symbols(cubin, &added);
    extended::store(&mut cubin.sections);
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

/// `.nv.capmerc.text.F` begins with the section index of `.text.F` (FORMATS 7).
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
fn revive_symbols(cubin: &mut Cubin<'_>, added: &[u32]) {
    let Some(table) = cubin.symtab() else { return };
    let mut wanted: NameMap<'_, Option<u32>> = NameMap::default();
    for &index in added {
        wanted.change(cubin.section_name(SectionIndex(index)), |first| *first = first.or(Some(index)));
    }
    let local = elf::STB_LOCAL.0 << 4 | elf::STT_NOTYPE.0;
    let mut found = Vec::new();
    for (index, symbol) in (0..).zip(cubin.symbols()).skip(1) {
        if symbol.info == local && symbol.shndx == 0 {
            let name = cubin.symbol_name_in(table, super::SymbolIndex(index));
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
