//! Whether the native sections of a cubin say what its capsule says.

use crate::finalise::{LineTableKind, NativeCode, sequences};
use crate::plan::{Action, CapsulePlan, SectionView, plan};
use crate::policy::{Content, rule};
use crate::recover::{CodeMap, code_maps};
use crate::symtab::{MercuryFunction, symbols};
use nv_debug_sections::catalog::{RelocForm, SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Contents, Cubin, Relocation, SectionIndex, SymbolIndex};
use nv_debug_sections::line::{self, LineOp, Sequence};
use nv_debug_sections::reloc::RelocKind;
use nv_debug_sections::relocated::Relocated;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::HashMap;

/// What a section is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Code, and the symbols of it.
    Text,
    /// Debug sections, and other data.
    Debug,
    /// Relocations.
    Relocation,
}

/// What came of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The capsule gives the native section.
    Same,
    /// It gives another; the first difference in words.
    Different(String),
    /// The capsule alone does not tell: registers, frame rules and code are made from it by the code generator.
    NotTold,
    /// The file has no such clone.
    Missing,
}

/// One native section and its clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Name of the native section.
    pub native: String,
    /// Name of the clone.
    pub clone: String,
    /// What it is part of.
    pub part: Part,
    /// What came of it.
    pub outcome: Outcome,
}

/// Reconstitutes the native sections of a cubin from its capsule and compares them with those present, in file order.
///
/// `maps` are where native instructions come from; `None`: as [`code_maps`] recovers them from this file.
///
/// # Errors
///
/// The file has no sound capsule, or a section that is compared cannot be read.
pub fn self_check(cubin: &Cubin<'_>, maps: Option<&[CodeMap]>) -> Result<Vec<Checked>> {
    let views = SectionView::all(cubin);
    let CapsulePlan { clones } =
        plan(&views).map_err(|error| Error::new("", 0, ErrorKind::Other(error.to_string())))?;
    let recovered;
    let maps = if let Some(maps) = maps {
        maps
    } else {
        recovered = code_maps(cubin)?;
        &recovered
    };
    let mut found: HashMap<&str, Vec<SectionIndex>> = HashMap::new();
    for (index, name, _) in cubin.iter().filter(|(_, _, section)| section.is_mercury()) {
        found.entry(name).or_default().push(index);
    }
    for all in found.values_mut() {
        all.reverse();
    }
    let check = Check { cubin, maps, view: Relocated::new(cubin) };
    let mut all = Vec::with_capacity(clones.len());
    for clone in clones {
        let native = SectionIndex(u32::try_from(clone.original + 1).unwrap_or(u32::MAX));
        let name = SectionName::parse(cubin.section_name(native));
        let outcome = match found.get_mut(&*clone.name).and_then(Vec::pop) {
            None => Outcome::Missing,
            Some(mercury) if clone.action != Action::Rewrite => check.bytes(native, mercury)?,
            Some(mercury) => match (name.form, name.kind()) {
                (Some(RelocForm::Rela), kind) if name.is_debug() => {
                    let target = rule(&name.base).map(|rule| rule.content);
                    check.relocations(native, mercury, kind, target == Some(Content::Same))
                }
                (None, Some(SectionKind::DebugLine)) => {
                    check.lines(native, mercury, LineTableKind::Source)?
                }
                (None, Some(SectionKind::NvDebugLineSass)) => {
                    check.lines(native, mercury, LineTableKind::Ptx)?
                }
                (None, None) if name.base == ".symtab" => check.symbols(mercury),
                _ => Outcome::NotTold,
            },
        };
        let part = match name.form {
            Some(_) => Part::Relocation,
            None if name.base == ".symtab" || name.base.starts_with(".text.") => Part::Text,
            None => Part::Debug,
        };
        all.push(Checked { native: name.to_string(), clone: clone.name, part, outcome });
    }
    Ok(all)
}

struct Check<'c, 'd> {
    cubin: &'c Cubin<'d>,
    maps: &'c [CodeMap],
    view: Relocated<'c, 'd>,
}

impl Check<'_, '_> {
    fn bytes(&self, native: SectionIndex, mercury: SectionIndex) -> Result<Outcome> {
        let is_alias =
            |index| Ok::<_, Error>(matches!(self.cubin.section(index)?.contents, Contents::Alias(_)));
        if is_alias(mercury)? {
            return Ok(Outcome::Same);
        }
        let (here, there) = (self.cubin.bytes(native)?, self.cubin.bytes(mercury)?);
        if here == there {
            return Ok(Outcome::Same);
        }
        let at = here.iter().zip(&*there).position(|(a, b)| a != b).unwrap_or(here.len().min(there.len()));
        let byte =
            |bytes: &[u8]| bytes.get(at).map_or_else(|| "no byte".to_owned(), |byte| format!("{byte:#04x}"));
        Ok(Outcome::Different(format!("{at:#x}: the capsule has {}, the file {}", byte(&there), byte(&here))))
    }

    fn lines(&self, native: SectionIndex, mercury: SectionIndex, kind: LineTableKind) -> Result<Outcome> {
        let (here, there) = (self.view.section(native)?, self.view.section(mercury)?);
        let (name, clone) = (self.cubin.section_name(native), self.cubin.section_name(mercury));
        let (tables, clones) = (line::decode(name, &here.bytes)?, line::decode(clone, &there.bytes)?);
        let ([table], [other]) = (&*tables, &*clones) else {
            return Ok(Outcome::Different(format!(
                "the capsule has {} units, the file {}",
                clones.len(),
                tables.len()
            )));
        };
        if (table.params, &table.directories) != (other.params, &other.directories) {
            return Ok(Outcome::Different("the headers differ".to_owned()));
        }
        if !other.files.starts_with(&table.files) {
            return Ok(Outcome::Different("the files differ".to_owned()));
        }
        let by_mercury: HashMap<SectionIndex, &CodeMap> =
            self.maps.iter().map(|map| (map.mercury, map)).collect();
        let code_of = |sequence: &Sequence| {
            let section = there.target(sequence.base_offset)?.section?;
            by_mercury.get(&section).copied()
        };
        let codes: Vec<Option<&CodeMap>> = other.sequences.iter().map(code_of).collect();
        let native_codes: Vec<Option<NativeCode<'_>>> = codes
            .iter()
            .map(|code| code.map(|CodeMap { map, starts, size, .. }| NativeCode { map, starts, size: *size }))
            .collect();
        let made = sequences(other, kind, &native_codes);
        let made = codes.into_iter().zip(made).filter_map(|(code, made)| Some((code?.native, made?)));
        let mut made: HashMap<SectionIndex, Sequence> = made.collect();
        for sequence in &table.sequences {
            let section = here.target(sequence.base_offset).and_then(|target| target.section);
            let code = section.map_or("", |section| self.cubin.section_name(section));
            let Some(made) = section.and_then(|section| made.remove(&section)) else {
                return Ok(Outcome::Different(format!("{code} has no sequence in the capsule")));
            };
            if let Some(words) = difference(&made, sequence) {
                return Ok(Outcome::Different(format!("{code}{words}")));
            }
        }
        Ok(match made.keys().next() {
            Some(section) => {
                Outcome::Different(format!("{} has no sequence", self.cubin.section_name(*section)))
            }
            None => Outcome::Same,
        })
    }

    fn symbols(&self, mercury: SectionIndex) -> Outcome {
        let there = self.cubin.symbols_of(mercury);
        let places: HashMap<&str, MercuryFunction> = (0..)
            .zip(there)
            .filter(|(_, symbol)| symbol.is_function())
            .map(|(number, symbol)| {
                let place = MercuryFunction { value: symbol.value, size: symbol.size };
                (self.cubin.symbol_name_in(mercury, SymbolIndex(number)), place)
            })
            .collect();
        let symtab = self.cubin.symtab();
        let name = |number| symtab.map_or("", |symtab| self.cubin.symbol_name_in(symtab, number));
        let made = match symbols(self.cubin, |number| places.get(name(number)).copied()) {
            Ok(made) => made,
            Err(error) => return Outcome::Different(error.to_string()),
        };
        if made.len() != there.len() {
            let (count, expected) = (there.len(), made.len());
            return Outcome::Different(format!("the capsule has {count} symbols, expected {expected}"));
        }
        let other = (0..).zip(made.iter().zip(there)).find(|(_, (made, there))| made != there);
        other.map_or(Outcome::Same, |(number, _)| {
            let name = self.cubin.symbol_name_in(mercury, SymbolIndex(number));
            Outcome::Different(format!("symbol {number}, {name}, is not what the native one gives"))
        })
    }

    /// Both have entries against the same symbols, of types that belong together, by offset. Sequences of line tables are in another
    /// order in the two, so that their entries are taken by symbol; only that of the clone has the `.debug_str` base relocated.
    /// `same_places`: the section they apply to has the same bytes in both.
    fn relocations(
        &self,
        native: SectionIndex,
        mercury: SectionIndex,
        kind: Option<SectionKind>,
        same_places: bool,
    ) -> Outcome {
        let is_by_symbol = matches!(kind, Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass));
        let entries = |index: SectionIndex| -> Vec<(Relocation, &str)> {
            let Ok(section) = self.cubin.section(index) else { return Vec::new() };
            let table = SectionIndex(section.link);
            let mut all: Vec<_> = section
                .relocations()
                .into_iter()
                .flatten()
                .map(|entry| (*entry, self.cubin.symbol_name_in(table, entry.symbol)))
                .collect();
            if is_by_symbol {
                all.retain(|(_, symbol)| *symbol != SectionKind::DebugStr.name());
                all.sort_by_key(|(_, symbol)| *symbol);
            } else {
                all.sort_by_key(|(entry, _)| entry.offset);
            }
            all
        };
        let (here, there) = (entries(native), entries(mercury));
        if here.len() != there.len() {
            return Outcome::Different(format!(
                "the capsule has {} entries, the file {}",
                there.len(),
                here.len()
            ));
        }
        for ((own, symbol), (other, other_symbol)) in here.iter().zip(&there) {
            if same_places && own.offset != other.offset {
                let (here, there) = (own.offset, other.offset);
                return Outcome::Different(format!("{here:#x}: the capsule has it at {there:#x}"));
            }
            if symbol != other_symbol {
                return Outcome::Different(format!(
                    "{:#x}: the capsule names {other_symbol}, the file {symbol}",
                    own.offset
                ));
            }
            let kind = RelocKind::from_mercury(other.r_type);
            let Some(kind) = kind.filter(|kind| kind.number(Space::Native) == own.r_type) else {
                return Outcome::Different(format!(
                    "{:#x}: type {:#x} of the capsule does not become {:#x}",
                    own.offset, other.r_type, own.r_type
                ));
            };
            let is_code = matches!(kind, RelocKind::Code64 | RelocKind::Code32);
            if !is_code && own.addend != other.addend {
                return Outcome::Different(format!("{:#x}: the addends differ", own.offset));
            }
        }
        Outcome::Same
    }
}

/// The first difference of two programs.
fn difference(made: &Sequence, found: &Sequence) -> Option<String> {
    let at = made.ops.iter().zip(&found.ops).position(|(a, b)| a != b);
    let at = at.or((made.ops.len() != found.ops.len()).then(|| made.ops.len().min(found.ops.len())));
    let words = |op: Option<&LineOp>| match op {
        None => "ends".to_owned(),
        Some(LineOp::Row { address, line }) => format!("has line {line} at {address:#x}"),
        Some(op) => format!("has {op:?}"),
    };
    match at {
        Some(at) => {
            let (ours, theirs) = (words(made.ops.get(at)), words(found.ops.get(at)));
            Some(format!(", step {at}: the capsule {ours}, the file {theirs}"))
        }
        None if made.end != found.end => {
            Some(format!(": the capsule ends at {:#x}, the file at {:#x}", made.end, found.end))
        }
        None => None,
    }
}
