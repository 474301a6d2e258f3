//! Paths in the debug sections of a cubin, written anew by a map.
//!
//! Folders and files of line tables, names and folders of units get other bytes, and lengths,
//! references and relocations follow. A string of `.debug_str` keeps its end where it was, for
//! other names may be its end; where there is no room it goes to the end of the section. Rows, code
//! and all other sections keep what they say.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use dwarf2_reader::Span;
use dwarf2_reader::offset_fields::{InfoFields, OffsetField, OffsetTarget, table_fields};
use dwarf2_reader::splices::{Splice, Splices};

use super::line_paths::line_paths;
use super::path_mapper::PathMapper;
use super::{Cubin, DebugSection, MercurySection, Relocation, SectionIndex};
use crate::catalog::{SectionKind, SectionName};
use crate::error::{Error, ErrorKind, Result};
use crate::reloc::{RelocAction, RelocType};

const INFO: &str = ".debug_info";
const STR: &str = ".debug_str";
const LINE: &str = ".debug_line";
/// The tables whose fields lead into `.debug_info`.
const TABLES: [&str; 3] = [".debug_pubnames", ".debug_pubtypes", ".debug_aranges"];

impl Cubin<'_> {
    /// Writes the paths in line tables and in names and folders of units as `map` says, in native
    /// sections and in their Mercury clones. Returns whether anything has changed.
    ///
    /// # Errors
    ///
    /// A section cannot be read, or a number does not fit its field any more. Nothing is changed
    /// then.
    pub fn map_paths(&mut self, map: PathMapper<'_>) -> Result<bool> {
        let before = self.debug_sections()?;
        let clones = self.mercury_sections()?;
        let native = before.iter().cloned().map(|DebugSection { name, bytes, rel, rela }| Part {
            name,
            bytes,
            is_shared: false,
            rel,
            rela,
        });
        let mercury = clones.iter().map(|clone| {
            let shared = || before.iter().find(|section| section.name == clone.native);
            Part {
                name: clone.native.clone(),
                bytes: match &clone.bytes {
                    Some(bytes) => bytes.clone(),
                    None => shared().map(|section| section.bytes.clone()).unwrap_or_default(),
                },
                is_shared: clone.bytes.is_none(),
                rel: Vec::new(),
                rela: clone.rela.clone(),
            }
        });
        let (native, mercury) = (native.collect(), mercury.collect());
        let native = Rewrite::new(self, self.symtab(), native).mapped(map)?;
        let mercury = Rewrite::new(self, self.mercury_symtab(), mercury).mapped(map)?;
        let after: Vec<DebugSection> = native
            .into_iter()
            .map(|Part { name, bytes, rel, rela, .. }| DebugSection { name, bytes, rel, rela })
            .collect();
        let new_clones: Vec<MercurySection> = mercury
            .into_iter()
            .map(|part| MercurySection {
                native: part.name,
                bytes: (!part.is_shared).then_some(part.bytes),
                rela: part.rela,
            })
            .collect();
        if after == before && new_clones == clones {
            return Ok(false);
        }
        let mut changed = self.clone();
        changed.set_debug_sections(after)?;
        if !new_clones.is_empty() {
            changed.set_mercury_sections(new_clones)?;
        }
        *self = changed;
        Ok(true)
    }
}

/// A debug section of a space.
#[derive(Debug, Clone)]
struct Part {
    /// The name of the native section.
    name: String,
    bytes: Vec<u8>,
    /// Whether the bytes are those of the native section.
    is_shared: bool,
    rel: Vec<Relocation>,
    rela: Vec<Relocation>,
}

impl Part {
    fn relocations(&self) -> impl Iterator<Item = &Relocation> {
        self.rel.iter().chain(&self.rela)
    }
}

/// The place of a relocated symbol: its section by name, and its value there.
#[derive(Debug, Clone)]
struct Place {
    section: String,
    value: u64,
}

/// The debug sections of one space, and what is replaced in them.
struct Rewrite<'c, 'd> {
    cubin: &'c Cubin<'d>,
    symtab: Option<SectionIndex>,
    parts: Vec<Part>,
    /// By the name of the section.
    splices: BTreeMap<String, Splices>,
    /// New offsets of strings that have moved in `.debug_str`.
    moved: BTreeMap<u64, u64>,
    /// By the name of a section and the offset of a field: how much its number grows.
    growth: BTreeMap<(String, u64), Growth>,
}

#[derive(Debug, Clone, Copy)]
struct Growth {
    width: u64,
    by: i64,
}

impl<'c, 'd> Rewrite<'c, 'd> {
    fn new(cubin: &'c Cubin<'d>, symtab: Option<SectionIndex>, parts: Vec<Part>) -> Self {
        let (splices, moved, growth) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { cubin, symtab, parts, splices, moved, growth }
    }

    fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// The section of a relocation's symbol; `None` if it is not a debug section.
    fn place(&self, relocation: &Relocation) -> Option<Place> {
        let symbol = self.cubin.symbols_of(self.symtab?).get(relocation.symbol.as_usize())?;
        let name = self.cubin.section_name(symbol.section()?);
        let section = SectionName::parse(name).base.into_owned();
        Some(Place { section, value: symbol.value })
    }

    /// The bytes of a section with the numbers of relocations that lead to debug sections.
    fn relocated<'p>(&self, part: &'p Part) -> Cow<'p, [u8]> {
        let mut bytes = Cow::Borrowed(&*part.bytes);
        for relocation in part.relocations() {
            let Some((value, width)) = self.value(part, relocation) else { continue };
            let start = relocation.offset as usize;
            if let (Some(field), Some(number)) =
                (bytes.to_mut().get_mut(start..start + width), value.to_le_bytes().get(..width))
            {
                field.copy_from_slice(number);
            }
        }
        bytes
    }

    /// The value of a field under a relocation, and its width.
    fn value(&self, part: &Part, relocation: &Relocation) -> Option<(u64, usize)> {
        let known =
            RelocType::from_number(relocation.r_type).filter(|known| known.action == RelocAction::Add)?;
        let width = usize::from(known.width);
        let place = self.place(relocation)?;
        let addend = match relocation.addend {
            Some(addend) => addend,
            None => number_at(&part.bytes, relocation.offset, width as u64)? as i64,
        };
        Some((place.value.checked_add_signed(addend)?, width))
    }

    fn mapped(mut self, map: PathMapper<'_>) -> Result<Vec<Part>> {
        for part in self.parts.clone() {
            if SectionKind::from_name(&part.name).is_some_and(SectionKind::is_line_table) {
                self.line_table(&part, map)?;
            }
        }
        self.entries(map)?;
        if self.splices.is_empty() && self.moved.is_empty() {
            return Ok(self.parts);
        }
        self.references()?;
        self.finish()
    }

    /// Names and folders of units.
    fn entries(&mut self, map: PathMapper<'_>) -> Result<()> {
        let (Some(info), Some(abbrev)) = (self.part(INFO).cloned(), self.part(".debug_abbrev")) else {
            return Ok(());
        };
        let bytes = self.relocated(&info).into_owned();
        let fields = InfoFields::read(&bytes, &abbrev.bytes)?;
        let mut strings = self.part(STR).map(|part| part.bytes.clone()).unwrap_or_default();
        let before = strings.clone();
        let mut splices = Splices::default();
        let used: BTreeSet<u64> = fields
            .offsets
            .iter()
            .filter(|field| field.target == OffsetTarget::Strings)
            .map(|field| field.offset)
            .collect();
        for path in &fields.paths {
            match path.string {
                None => {
                    let old = bytes.get(path.span.start as usize..path.span.end as usize).unwrap_or_default();
                    if let Some(new) = map(old) {
                        splices.add(Splice { span: path.span.clone(), bytes: new });
                    }
                }
                Some(start) if !self.moved.contains_key(&start) => {
                    let rest = before.get(start as usize..).unwrap_or_default();
                    let length = memchr::memchr(0, rest).unwrap_or(rest.len());
                    let old = rest.get(..length).unwrap_or_default();
                    if let Some(new) = map(old) {
                        let at = put_string(&mut strings, start, old, &new, &used)?;
                        self.moved.insert(start, at);
                    }
                }
                Some(_) => {}
            }
        }
        if let Some(part) = self.parts.iter_mut().find(|part| part.name == STR) {
            part.bytes = strings;
        }
        if !splices.is_empty() {
            self.splices.insert(INFO.to_owned(), splices);
        }
        self.fields(INFO, &fields.offsets, &bytes)?;
        for table in TABLES {
            if let Some(part) = self.part(table).cloned() {
                let fields = table_fields(table, &self.relocated(&part))?;
                self.fields(table, &fields, &bytes)?;
            }
        }
        Ok(())
    }

    /// Notes how much the numbers of fields grow. `info` is `.debug_info` as it was.
    fn fields(&mut self, section: &str, fields: &[OffsetField], info: &[u8]) -> Result<()> {
        for field in fields {
            let OffsetField { span, target, base, offset, is_leb } = field;
            let moved = |offset: u64| match target {
                OffsetTarget::Info => match self.splices.get(INFO) {
                    Some(splices) => splices.offset(offset, info),
                    None => Some(offset),
                },
                OffsetTarget::Strings => Some(self.moved.get(&offset).copied().unwrap_or(offset)),
                OffsetTarget::Lines => match (self.splices.get(LINE), self.part(LINE)) {
                    (Some(splices), Some(part)) => splices.offset(offset, &part.bytes),
                    _ => Some(offset),
                },
            };
            // The start of `.debug_str` stays, whatever becomes of the string there.
            let new_base = if *target == OffsetTarget::Strings { Some(*base) } else { moved(*base) };
            let (Some(new), Some(new_base)) = (moved(*offset), new_base) else {
                return Err(unsuitable(section, span.start));
            };
            let by = new.wrapping_sub(new_base).wrapping_sub(offset - base).cast_signed();
            if by != 0 && *is_leb {
                return Err(unsuitable(section, span.start));
            }
            self.grow(section, span, by);
        }
        Ok(())
    }

    fn grow(&mut self, section: &str, span: &Span, by: i64) {
        let growth = Growth { width: span.end - span.start, by };
        self.growth.insert((section.to_owned(), span.start), growth);
    }

    /// Folders and files of a line table, and the lengths of its units.
    fn line_table(&mut self, part: &Part, map: PathMapper<'_>) -> Result<()> {
        let found = line_paths(&part.bytes, map)?;
        if found.splices.is_empty() {
            return Ok(());
        }
        for length in &found.lengths {
            let moved = |offset: u64| found.splices.offset(offset, &part.bytes);
            let (Some(end), Some(base)) = (moved(length.offset), moved(length.base)) else {
                return Err(unsuitable(&part.name, length.span.start));
            };
            let by = (end - base).wrapping_sub(length.offset - length.base).cast_signed();
            self.grow(&part.name, &length.span, by);
        }
        self.splices.insert(part.name.clone(), found.splices);
        Ok(())
    }

    /// Relocations that lead into a section whose bytes move.
    fn references(&mut self) -> Result<()> {
        let mut found = Vec::new();
        for part in &self.parts {
            for relocation in part.relocations() {
                let Some(place) = self.place(relocation) else { continue };
                let key = (part.name.clone(), relocation.offset);
                let (Some(splices), false) =
                    (self.splices.get(&place.section), self.growth.contains_key(&key))
                else {
                    continue;
                };
                let Some((old, width)) = self.value(part, relocation) else { continue };
                let bytes = self.part(&place.section).map(|part| &*part.bytes).unwrap_or_default();
                let Some(new) = splices.offset(old, bytes) else {
                    return Err(unsuitable(&part.name, relocation.offset));
                };
                found.push((key, Growth { width: width as u64, by: new.wrapping_sub(old).cast_signed() }));
            }
        }
        self.growth.extend(found);
        Ok(())
    }

    /// The sections with all that changes.
    fn finish(self) -> Result<Vec<Part>> {
        let Self { mut parts, splices, growth, .. } = self;
        for part in &mut parts {
            let of_part = (part.name.clone(), 0)..=(part.name.clone(), u64::MAX);
            let rela: HashMap<u64, usize> =
                part.rela.iter().enumerate().map(|(index, relocation)| (relocation.offset, index)).collect();
            for ((_, offset), Growth { width, by }) in
                growth.range(of_part).filter(|(_, growth)| growth.by != 0)
            {
                if let Some(relocation) = rela.get(offset).and_then(|index| part.rela.get_mut(*index)) {
                    let grown = relocation.addend.map(|addend| addend.checked_add(*by));
                    relocation.addend = grown
                        .map(|addend| addend.ok_or_else(|| unsuitable(&part.name, *offset)))
                        .transpose()?;
                    continue;
                }
                let old = number_at(&part.bytes, *offset, *width);
                let new = old.and_then(|old| old.checked_add_signed(*by));
                let new = new.filter(|new| *width >= 8 || new >> (8 * width) == 0);
                let start = *offset as usize;
                let field = part.bytes.get_mut(start..start + *width as usize);
                let (Some(new), Some(field)) = (new, field) else {
                    return Err(unsuitable(&part.name, *offset));
                };
                field.iter_mut().zip(new.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            }
            let Some(splices) = splices.get(&part.name) else { continue };
            for relocation in part.rel.iter_mut().chain(&mut part.rela) {
                let moved = splices.offset(relocation.offset, &part.bytes);
                relocation.offset = moved.ok_or_else(|| unsuitable(&part.name, relocation.offset))?;
            }
            part.bytes = splices.apply(&part.bytes);
        }
        Ok(parts)
    }
}

/// Writes a string in place of an old one, and returns its offset. What other names share with it
/// is its end, which stays where it was.
fn put_string(
    strings: &mut Vec<u8>,
    start: u64,
    old: &[u8],
    new: &[u8],
    used: &BTreeSet<u64>,
) -> Result<u64> {
    let end = start + old.len() as u64;
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count() as u64;
    let next = used.range(start + 1..).next().copied().filter(|next| *next < end);
    if next.is_some_and(|next| next < end - tail) {
        return Err(unsuitable(STR, start)); // another name begins in what goes
    }
    let at = if let Some(at) = end.checked_sub(new.len() as u64).filter(|at| *at >= start) {
        at
    } else {
        let at = strings.len() as u64;
        strings.extend_from_slice(new);
        strings.push(0);
        at
    };
    // At a new place, what other names share stays at the old one.
    let kept = if at > end { next.unwrap_or(end) } else { end };
    let goes = start as usize..kept as usize;
    if let Some(bytes) = strings.get_mut(goes) {
        bytes.fill(0);
    }
    if let Some(bytes) = strings.get_mut(at as usize..at as usize + new.len()) {
        bytes.copy_from_slice(new);
    }
    Ok(at)
}

fn number_at(bytes: &[u8], offset: u64, width: u64) -> Option<u64> {
    let start = usize::try_from(offset).ok()?;
    let field = bytes.get(start..start.checked_add(usize::try_from(width).ok()?)?)?;
    let mut number = [0; 8];
    number.get_mut(..field.len())?.copy_from_slice(field);
    Some(u64::from_le_bytes(number))
}

fn unsuitable(section: &str, offset: u64) -> Error {
    let text = "the field leads into a path that is replaced, or its number does not fit any more";
    Error::new(section.to_owned(), offset, ErrorKind::Unsuitable(text))
}

#[cfg(test)]
mod tests {
    use super::put_string;
    use std::collections::BTreeSet;

    /// What becomes of `/src/k.cu` at offset 1, with names that begin at these offsets too.
    fn put(new: &str, others: &[u64]) -> Option<(u64, Vec<u8>)> {
        let mut strings = b"\0/src/k.cu\0x\0".to_vec();
        let used: BTreeSet<u64> = others.iter().copied().chain([1]).collect();
        let at = put_string(&mut strings, 1, b"/src/k.cu", new.as_bytes(), &used).ok()?;
        Some((at, strings))
    }

    #[test]
    fn strings_keep_the_end_that_others_share() {
        assert_eq!(put("/s/k.cu", &[5]), Some((3, b"\0\0\0/s/k.cu\0x\0".to_vec())));
        assert_eq!(put("/s/k.cu", &[3]), None, "`rc/k.cu` would go");
        let at_the_end = |head: &[u8], new: &str| [head, new.as_bytes(), b"\0"].concat();
        for (others, kept) in [
            (&[][..], b"\0\0\0\0\0\0\0\0\0\0\0x\0"),
            (&[5], b"\0\0\0\0\0/k.cu\0x\0"),
            (&[2], b"\0\0src/k.cu\0x\0"),
        ] {
            let moved = put("/b/src/k.cu", others);
            assert_eq!(moved, Some((13, at_the_end(kept, "/b/src/k.cu"))), "the old one is its end");
        }
        assert_eq!(put("/longer/k.cu", &[3]), None);
        assert_eq!(put("/longer/k.cu", &[5]).map(|(at, _)| at), Some(13));
    }
}
