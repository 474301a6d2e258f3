//! Whether the native sections of a cubin say what its capsule says.

use crate::address_map::AddressMap;
use crate::clone::{Cloner, Lines};
use crate::code_map::CodeMap;
use crate::finalise::Finaliser;
use crate::frame::Frames;
use crate::info::{self, FrameOwners, NativeSide};
use crate::plan::{Action, CapsulePlan, PlannedClone, SectionView, plan};
use crate::recover::maps_or_recovered;
use crate::registers::{self, RangeMaps};
use crate::spaces::Spaces;
use crate::symtab::symbols;
use crate::translation::Translation;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{RelocForm, SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Contents, Cubin, DebugSection, MercurySection, SectionIndex, SymbolIndex};
use nv_debug_sections::nv_info::{self, Record};
use nv_debug_sections::reloc::RelocAction::Add;
use nv_debug_sections::reloc::RelocType;
use nv_debug_sections::relocated::RelocatedCubin;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

mod answer;
mod difference;
mod rules;
mod table_form;
mod verify;

pub use answer::{Answer, SectionVerdict, Verdict};
pub use rules::{RULES, Rule, RuleId};
pub use verify::{Finding, Report, verify};

/// What a section is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CubinPart")]
pub enum Part {
    /// Code, and the symbols of it.
    Text,
    /// Debug sections, and other data.
    Debug,
    /// Relocations.
    Relocation,
}

impl Part {
    /// All parts, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Text, Self::Debug, Self::Relocation];
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Text => "text",
            Self::Debug => "debug",
            Self::Relocation => "relocation",
        })
    }
}

/// What came of one section. [`Display`](fmt::Display) leaves out the difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The capsule gives the native section.
    Same,
    /// It gives another, or none; the first difference in words, or why.
    Different(String),
    /// The capsule alone does not tell: code and what it needs are made from it by the code generator.
    NotTold,
    /// The file has no such clone.
    Missing,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Same => "same",
            Self::Different(_) => "different",
            Self::NotTold => "not told",
            Self::Missing => "no clone",
        })
    }
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

impl Checked {
    /// What is wrong, in words; `None` if nothing is wrong, or if the capsule does not tell.
    pub fn difference(&self) -> Option<Cow<'_, str>> {
        match &self.outcome {
            Outcome::Different(words) => Some(words.into()),
            Outcome::Missing => self.finding().map(|_| format!("expected {}", self.clone).into()),
            Outcome::Same | Outcome::NotTold => None,
        }
    }
}

/// Reconstitutes the native sections of a cubin from its capsule and compares them with those present, in file order. Of frame rules,
/// register maps and relocations also the clone is made again from the native section, which shows what does not come through.
///
/// `maps` are where native code is the same as Mercury code; `None`: as [`code_maps`](crate::code_maps) recovers them from this file, which then must
/// be in itself consistent only.
///
/// # Errors
///
/// The file has no sound capsule, or what maps are recovered from cannot be read.
pub fn self_check(cubin: &Cubin<'_>, maps: Option<&[CodeMap]>) -> Result<Vec<Checked>> {
    let views = SectionView::all(cubin);
    let CapsulePlan { clones } = plan(&views).map_err(|error| error.at_section())?;
    let maps = &*maps_or_recovered(cubin, maps)?;
    let spaces = Spaces::of(cubin)?;
    let translation = Translation::new(cubin, &spaces, maps);
    let (lines, view) = (Lines::default(), RelocatedCubin::new(cubin));
    let mut check = Check {
        cubin,
        view: &view,
        spaces: &spaces,
        maps,
        translation,
        is_linked: cubin.is_linked(),
        frame_owners: FrameOwners::of(cubin)?,
        finaliser: Finaliser::new(cubin, translation),
        cloner: Cloner::new(cubin, translation, &lines),
        tables: HashMap::new(),
        made: HashMap::new(),
    };
    for (index, _, section) in cubin.iter().filter(|(_, _, section)| section.relocations().is_some()) {
        check.tables.entry(SectionIndex(section.info)).or_insert(index);
    }
    Ok(clones.iter().map(|clone| check.section(clone)).collect())
}

/// Bytes of a relocated field in data.
const ADDRESS_BYTES: usize = 8;

/// What both ways give for one section.
struct Made {
    native: Result<DebugSection>,
    /// Not of line tables, of which the native ones say less, nor of what a linker has left out of the native section.
    clone: Option<Result<MercurySection>>,
}

struct Check<'c, 'd> {
    cubin: &'c Cubin<'d>,
    view: &'c RelocatedCubin<'c, 'd>,
    spaces: &'c Spaces,
    maps: &'c [CodeMap],
    translation: Translation<'c>,
    is_linked: bool,
    frame_owners: FrameOwners<'c>,
    finaliser: Finaliser<'c, 'd>,
    cloner: Cloner<'c, 'd>,
    /// The relocation section of each section that has one.
    tables: HashMap<SectionIndex, SectionIndex>,
    /// By native section.
    made: HashMap<SectionIndex, Made>,
}

impl Check<'_, '_> {
    fn section(&mut self, clone: &PlannedClone) -> Checked {
        let native = clone.original_index();
        let name = SectionName::parse(self.cubin.section_name(native));
        let outcome = match self.spaces.mercury(native) {
            None => Outcome::Missing,
            Some(mercury) => {
                let found = match (name.form, &*name.base) {
                    (Some(RelocForm::Rela), _) if name.is_debug() => self.relocations(native, mercury),
                    (None, ".symtab") => self.symbols(mercury),
                    (None, _) if name.is_debug() => self.debug(native, mercury, name.kind()),
                    (None, base) if base == nv_info::NAME || base.starts_with(".nv.info.") => {
                        self.info(native, mercury)
                    }
                    _ if clone.action == Action::Rewrite => Ok(Outcome::NotTold),
                    _ => self.bytes(native, mercury),
                };
                found.unwrap_or_else(|error| Outcome::Different(error.to_string()))
            }
        };
        let part = match name.form {
            Some(_) => Part::Relocation,
            None if name.base == ".symtab" || name.base.starts_with(".text.") => Part::Text,
            None => Part::Debug,
        };
        Checked { native: name.to_string(), clone: clone.name.clone(), part, outcome }
    }

    fn made(&mut self, native: SectionIndex, mercury: SectionIndex) -> &Made {
        let kind = SectionName::parse(self.cubin.section_name(native)).kind();
        let is_table = matches!(kind, Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass));
        let says_less = || {
            let frames = (kind == Some(SectionKind::DebugFrame)).then(|| Frames::read(self.view, mercury));
            frames.is_some_and(|frames| frames.is_ok_and(|frames| frames.says_more()))
        };
        self.made.entry(native).or_insert_with(|| Made {
            native: self.finaliser.section(mercury),
            clone: (!is_table && !self.is_linked && !says_less()).then(|| self.cloner.section(native)),
        })
    }

    fn debug(
        &mut self,
        native: SectionIndex,
        mercury: SectionIndex,
        kind: Option<SectionKind>,
    ) -> Result<Outcome> {
        let (cubin, view) = (self.cubin, self.view);
        if self.finaliser.says_the_same(mercury, |section| self.tables.contains_key(&section)) {
            return Ok(Outcome::Same);
        }
        let (mut here, there) = (cubin.bytes(native)?, cubin.bytes(mercury)?);
        if kind == Some(SectionKind::NvDebugInfoRegSass) && self.is_linked {
            // What nvlink leaves there of dropped code is of no use, and not compared.
            here = registers::without_copies(&here, &mut RangeMaps::of(cubin, self.maps))?.into();
        }
        let is_table = matches!(kind, Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass));
        let is_alias = matches!(cubin.section(mercury)?.contents, Contents::Alias(_));
        let Made { native: made, clone } = self.made(native, mercury);
        let made = made.as_ref().map_err(Clone::clone)?;
        let bytes = with_values(view, native, &here, &made.bytes)?;
        let relocated = view.section(native)?;
        let section = |offset| relocated.target(offset).and_then(|target| target.section);
        if bytes != here {
            let code = |offset| section(offset).map_or("", |section| cubin.section_name(section)).to_owned();
            return Ok(Outcome::Different(difference::of_section(kind, &bytes, &here, code)));
        }
        if is_table {
            let fault = table_form::fault(view, mercury, self.translation)?;
            return Ok(fault.map_or(Outcome::Same, Outcome::Different));
        }
        if let Some(clone) = clone.as_ref().filter(|_| !is_alias) {
            let clone = clone.as_ref().map_err(Clone::clone)?;
            let clone = with_values(view, mercury, &there, clone.bytes.as_deref().unwrap_or(&here))?;
            if clone != there {
                let words = difference::of_bytes(&there, &clone);
                return Ok(Outcome::Different(format!(
                    "the clone is not what the file's section gives: {words}"
                )));
            }
        }
        Ok(Outcome::Same)
    }

    /// Both are relocation sections.
    fn relocations(&mut self, native: SectionIndex, mercury: SectionIndex) -> Result<Outcome> {
        let cubin = self.cubin;
        let entries = |index| cubin.section(index).map(|section| section.relocations().unwrap_or_default());
        let (here, there) = (entries(native)?, entries(mercury)?);
        let target = SectionIndex(cubin.section(native)?.info);
        let Some(clone) = self.spaces.mercury(target) else { return Ok(Outcome::Missing) };
        let Made { native: made, clone } = self.made(target, clone);
        let made = made.as_ref().map_err(Clone::clone)?;
        if made.rela != here {
            return Ok(Outcome::Different(difference::of_relocations(&made.rela, here)));
        }
        if let Some(clone) = clone {
            let clone = clone.as_ref().map_err(Clone::clone)?;
            if clone.rela != there {
                let words = difference::of_relocations(there, &clone.rela);
                return Ok(Outcome::Different(format!(
                    "the clone is not what the file's section gives: {words}"
                )));
            }
        }
        Ok(Outcome::Same)
    }

    /// Both are sections of records. Those that only native code has are taken from there.
    fn info(&self, native: SectionIndex, mercury: SectionIndex) -> Result<Outcome> {
        let (here, there) = (self.cubin.bytes(native)?, self.cubin.bytes(mercury)?);
        let (name, clone) = (self.cubin.section_name(native), self.cubin.section_name(mercury));
        let (records, others) = (nv_info::decode(name, &here)?, nv_info::decode(clone, &there)?);
        let code = SectionIndex(self.cubin.section(native)?.info);
        let (none, frame_sizes) = (AddressMap::default(), self.frame_owners.sizes(&others));
        let map = CodeMap::of(self.maps, code).map_or(&none, |code| &code.map);
        let is_only = |record: &&Record<'_>| {
            info::difference(record.attribute) == Some(info::Difference::OnlyIn(Space::Native))
        };
        let only: Vec<Record<'_>> = records.iter().filter(is_only).cloned().collect();
        let side = NativeSide { map, frame_sizes: &frame_sizes, only: &only };
        let made = info::to_native(clone, &others, &side, |symbol| self.spaces.native_symbol(symbol))?;
        let made = nv_info::encode(name, &made)?;
        Ok(if made == *here { Outcome::Same } else { Outcome::Different(difference::of_bytes(&made, &here)) })
    }

    /// Fields under relocations hold what each space has there, and are not compared.
    fn bytes(&self, native: SectionIndex, mercury: SectionIndex) -> Result<Outcome> {
        let mut here = self.cubin.bytes(native)?;
        let mut there = self.cubin.bytes(mercury)?;
        for index in [native, mercury] {
            for (_, entry) in self.view.relocations_of(index) {
                for bytes in [&mut here, &mut there] {
                    let at = usize::try_from(entry.offset).unwrap_or(usize::MAX);
                    let field = bytes.to_mut().get_mut(at..).into_iter().flatten().take(ADDRESS_BYTES);
                    field.for_each(|byte| *byte = 0);
                }
            }
        }
        Ok(if here == there {
            Outcome::Same
        } else {
            Outcome::Different(difference::of_bytes(&there, &here))
        })
    }

    fn symbols(&self, mercury: SectionIndex) -> Result<Outcome> {
        let there = self.cubin.symbols_of(mercury);
        let made = symbols(self.cubin, self.spaces, self.maps)?;
        if made.len() != there.len() {
            let (count, expected) = (there.len(), made.len());
            return Ok(Outcome::Different(format!(
                "the capsule has {count} symbols, the file gives {expected}"
            )));
        }
        let other = (0..).zip(made.iter().zip(there)).find(|(_, (made, there))| made != there);
        Ok(other.map_or(Outcome::Same, |(number, _)| {
            let name = self.cubin.symbol_name_in(mercury, SymbolIndex(number));
            Outcome::Different(format!("symbol {number}, {name}, is not what the native one gives"))
        }))
    }
}

/// `made`, a section at `index` as it is made, with what the file's own `bytes` have in fields under RELA entries, if that is the entry's
/// value: a side file has the values there in place of stale bytes ([`Cubin::keep_only_debug`]). The entries are compared apart.
fn with_values<'m>(
    view: &RelocatedCubin<'_, '_>,
    index: SectionIndex,
    bytes: &[u8],
    made: &'m [u8],
) -> Result<Cow<'m, [u8]>> {
    if made == bytes {
        return Ok(Cow::Borrowed(made));
    }
    let (relocated, mut made) = (view.section(index)?, Cow::Borrowed(made));
    for (_, entry) in view.relocations_of(index).filter(|(_, entry)| entry.addend.is_some()) {
        let known = RelocType::from_number(entry.r_type).filter(|known| known.action == Add);
        let Some((known, start)) = known.zip(usize::try_from(entry.offset).ok()) else { continue };
        let range = start..start.saturating_add(known.width.into());
        let value = bytes.get(range.clone()).filter(|own| relocated.bytes.get(range.clone()) == Some(*own));
        if let (Some(value), Some(field)) = (value, made.to_mut().get_mut(range)) {
            field.copy_from_slice(value);
        }
    }
    Ok(made)
}
