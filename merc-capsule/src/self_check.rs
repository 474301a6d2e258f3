//! Checks that the native debug sections of a cubin and its capsule agree.

use crate::address_map::AddressMap;
use crate::address_translator::AddressTranslator;
use crate::clone_section::Cloner;
use crate::code_map::CodeMap;
use crate::code_map_recovery::maps_or_recovered;
use crate::finalise::Finaliser;
use crate::frame::FrameSection;
use crate::info_records::{self, FrameOwners, NativeOnlyInfo};
use crate::loc_streams::LineTableInputs;
use crate::plan::{CapsulePlan, CloneAction, PlannedClone, plan};
use crate::register_maps::{self, RangeMaps};
use crate::section_pairs::SectionPairs;
use crate::section_view::SectionView;
use crate::symtab::build_mercury_symtab;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{RelocForm, SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Contents, Cubin, DebugSection, MercurySection, SectionIndex, SymbolIndex};
use nv_debug_sections::nv_info::{self, Record};
use nv_debug_sections::reloc::RelocAction::Add;
use nv_debug_sections::reloc::RelocType;
use nv_debug_sections::relocated::RelocatedCubin;
use std::borrow::Cow;
use std::fmt;

mod answer;
mod cubin_part;
mod difference;
mod rules;
mod table_form;
mod verify;

pub use answer::{PartVerdict, SectionVerdict, SelfCheckAnswer};
pub use cubin_part::CubinPart;
pub use rules::{RULES, Rule, RuleId};
pub use verify::{Finding, Report, verify};

/// The result of the self-check of one native section against its Mercury clone.
/// [`Display`](fmt::Display) leaves out the difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The section that is rebuilt from the clone equals the native section.
    Same,
    /// The section that is rebuilt from the clone differs from the native section, or cannot be
    /// rebuilt. The text is the first difference, or the error.
    Different(String),
    /// The section is not checked, since the clone alone does not determine it: only the code
    /// generator can make code and its data from it. Or the two differ, and it is not known how the
    /// release makes this section, or the PTX lines were stripped, which say most of where native
    /// code is the same as Mercury code.
    NotChecked,
    /// The file has no clone of the native section.
    Missing,
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Same => "same",
            Self::Different(_) => "different",
            Self::NotChecked => "not checked",
            Self::Missing => "no clone",
        })
    }
}

/// The self-check of one native section against its clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionCheck {
    /// The name of the native section.
    pub native: String,
    /// The name of the clone.
    pub clone: String,
    /// The part of the cubin that the section belongs to.
    pub part: CubinPart,
    /// The result of the check.
    pub outcome: CheckOutcome,
}

impl SectionCheck {
    /// Describes in words how the native section differs from the section that its clone gives;
    /// `None` if they do not differ, or if the section was not checked.
    pub fn difference(&self) -> Option<Cow<'_, str>> {
        match &self.outcome {
            CheckOutcome::Different(words) => Some(words.into()),
            CheckOutcome::Missing => self.finding().map(|_| format!("expected {}", self.clone).into()),
            CheckOutcome::Same | CheckOutcome::NotChecked => None,
        }
    }
}

/// Rebuilds the native sections of a cubin from their Mercury clones, and compares them with those
/// in the file, in file order. For frame rules, register maps and relocations the clone is rebuilt
/// from the native section too, which shows facts that the native section lacks.
///
/// `maps` are where native code is the same as Mercury code; `None`: as
/// [`code_maps`](crate::code_maps) recovers them from this file, which then must be in itself
/// consistent only.
///
/// # Errors
///
/// The file has no sound capsule, or what maps are recovered from cannot be read.
pub fn self_check(cubin: &Cubin<'_>, maps: Option<&[CodeMap]>) -> Result<Vec<SectionCheck>> {
    let views = SectionView::all(cubin);
    let CapsulePlan { clones } = plan(&views).map_err(|error| error.at_section())?;
    let has = |kind: SectionKind| cubin.section_by_name(kind.name()).is_some();
    let lacks_ptx_lines = maps.is_none() && has(SectionKind::DebugLine) && !has(SectionKind::NvDebugLineSass);
    let maps = &*maps_or_recovered(cubin, maps)?;
    let pairs = SectionPairs::of(cubin)?;
    let translator = AddressTranslator::new(cubin, &pairs, maps);
    let (lines, view) = (LineTableInputs::default(), RelocatedCubin::new(cubin));
    let mut check = SelfCheck {
        cubin,
        view: &view,
        pairs: &pairs,
        maps,
        translator,
        is_linked: cubin.is_linked(),
        lacks_ptx_lines,
        frame_owners: FrameOwners::of(cubin)?,
        finaliser: Finaliser::new(cubin, translator),
        cloner: Cloner::new(cubin, translator, &lines),
        tables: HashMap::new(),
        remade: HashMap::new(),
    };
    for (index, _, section) in cubin.iter().filter(|(_, _, section)| section.relocations().is_some()) {
        check.tables.entry(SectionIndex(section.info)).or_insert(index);
    }
    Ok(clones.iter().map(|clone| check.section(clone)).collect())
}

/// Bytes of a relocated field in data.
const ADDRESS_BYTES: usize = 8;

/// One section made again from the other space, in both directions.
struct TranslatedSection {
    native: Result<DebugSection>,
    /// Not of line tables, since the native ones have less, nor of what a linker has left out of
    /// the native section.
    clone: Option<Result<MercurySection>>,
}

struct SelfCheck<'c, 'd> {
    cubin: &'c Cubin<'d>,
    view: &'c RelocatedCubin<'c, 'd>,
    pairs: &'c SectionPairs,
    maps: &'c [CodeMap],
    translator: AddressTranslator<'c>,
    is_linked: bool,
    /// The maps are recovered, and the file has no PTX lines for that any more.
    lacks_ptx_lines: bool,
    frame_owners: FrameOwners<'c>,
    finaliser: Finaliser<'c, 'd>,
    cloner: Cloner<'c, 'd>,
    /// The relocation section of each section that has one.
    tables: HashMap<SectionIndex, SectionIndex>,
    /// By native section.
    remade: HashMap<SectionIndex, TranslatedSection>,
}

impl SelfCheck<'_, '_> {
    fn section(&mut self, clone: &PlannedClone) -> SectionCheck {
        let native = clone.original_index();
        let name = SectionName::parse(self.cubin.section_name(native));
        let outcome = match self.pairs.mercury_section(native) {
            None => CheckOutcome::Missing,
            Some(mercury) => {
                let found = match (name.form, &*name.base) {
                    (Some(RelocForm::Rela), _) if name.is_debug() => self.relocations(native, mercury),
                    (None, ".symtab") => self.symbols(mercury),
                    (None, _) if name.is_debug() => self.debug(native, mercury, name.kind()),
                    (None, base) if base == nv_info::NAME || base.starts_with(".nv.info.") => {
                        self.info(native, mercury)
                    }
                    _ if clone.action == CloneAction::Rewrite => Ok(CheckOutcome::NotChecked),
                    _ => self.bytes(native, mercury),
                };
                let found = found.unwrap_or_else(|error| CheckOutcome::Different(error.to_string()));
                let target = self.cubin.target();
                let is_sure = target.release.knows_capsules_of(target.sm) && !self.lacks_ptx_lines;
                if is_sure || found == CheckOutcome::Same { found } else { CheckOutcome::NotChecked }
            }
        };
        let part = match name.form {
            Some(_) => CubinPart::Relocation,
            None if name.base == ".symtab" || name.base.starts_with(".text.") => CubinPart::Text,
            None => CubinPart::Debug,
        };
        SectionCheck { native: name.to_string(), clone: clone.name.clone(), part, outcome }
    }

    fn remade(&mut self, native: SectionIndex, mercury: SectionIndex) -> &TranslatedSection {
        let kind = SectionName::parse(self.cubin.section_name(native)).kind();
        let is_table = kind.is_some_and(SectionKind::is_line_table);
        let says_less = || {
            let frames =
                (kind == Some(SectionKind::DebugFrame)).then(|| FrameSection::read(self.view, mercury));
            frames.is_some_and(|frames| frames.is_ok_and(|frames| frames.has_more_entries()))
        };
        self.remade.entry(native).or_insert_with(|| TranslatedSection {
            native: self.finaliser.section(mercury),
            clone: (!is_table && !self.is_linked && !says_less()).then(|| self.cloner.section(native)),
        })
    }

    fn debug(
        &mut self,
        native: SectionIndex,
        mercury: SectionIndex,
        kind: Option<SectionKind>,
    ) -> Result<CheckOutcome> {
        let (cubin, view) = (self.cubin, self.view);
        if self.finaliser.is_identical(mercury, |section| self.tables.contains_key(&section)) {
            return Ok(CheckOutcome::Same);
        }
        let (mut native_data, mercury_data) = (cubin.bytes(native)?, cubin.bytes(mercury)?);
        if kind == Some(SectionKind::NvDebugInfoRegSass) && self.is_linked {
            // What nvlink leaves there of dropped code is of no use, and not compared.
            native_data =
                register_maps::without_copies(&native_data, &mut RangeMaps::of(cubin, self.maps))?.into();
        }
        let is_table = kind.is_some_and(SectionKind::is_line_table);
        let is_alias = matches!(cubin.section(mercury)?.contents, Contents::Alias(_));
        let TranslatedSection { native: made, clone } = self.remade(native, mercury);
        let made = made.as_ref().map_err(Clone::clone)?;
        let bytes = with_values(view, native, &native_data, &made.bytes)?;
        let relocated = view.section(native)?;
        let section = |offset| relocated.target(offset).and_then(|target| target.section);
        if bytes != native_data {
            let code = |offset| section(offset).map_or("", |section| cubin.section_name(section)).to_owned();
            return Ok(CheckOutcome::Different(difference::of_section(kind, &bytes, &native_data, code)));
        }
        if is_table {
            let fault = table_form::form_fault(view, mercury, self.translator)?;
            return Ok(fault.map_or(CheckOutcome::Same, CheckOutcome::Different));
        }
        if let Some(clone) = clone.as_ref().filter(|_| !is_alias) {
            let clone = clone.as_ref().map_err(Clone::clone)?;
            let clone =
                with_values(view, mercury, &mercury_data, clone.bytes.as_deref().unwrap_or(&native_data))?;
            if clone != mercury_data {
                let words = difference::of_bytes(&mercury_data, &clone);
                return Ok(CheckOutcome::Different(format!(
                    "the clone is not what the file's section gives: {words}"
                )));
            }
        }
        Ok(CheckOutcome::Same)
    }

    /// Both are relocation sections.
    fn relocations(&mut self, native: SectionIndex, mercury: SectionIndex) -> Result<CheckOutcome> {
        let cubin = self.cubin;
        let entries = |index| cubin.section(index).map(|section| section.relocations().unwrap_or_default());
        let (native_data, mercury_data) = (entries(native)?, entries(mercury)?);
        let target = SectionIndex(cubin.section(native)?.info);
        let Some(clone) = self.pairs.mercury_section(target) else { return Ok(CheckOutcome::Missing) };
        let TranslatedSection { native: made, clone } = self.remade(target, clone);
        let made = made.as_ref().map_err(Clone::clone)?;
        if made.rela != native_data {
            return Ok(CheckOutcome::Different(difference::of_relocations(&made.rela, native_data)));
        }
        if let Some(clone) = clone {
            let clone = clone.as_ref().map_err(Clone::clone)?;
            if clone.rela != mercury_data {
                let words = difference::of_relocations(mercury_data, &clone.rela);
                return Ok(CheckOutcome::Different(format!(
                    "the clone is not what the file's section gives: {words}"
                )));
            }
        }
        Ok(CheckOutcome::Same)
    }

    /// Both are sections of records. Those that only native code has are taken from there.
    fn info(&self, native: SectionIndex, mercury: SectionIndex) -> Result<CheckOutcome> {
        let (native_data, mercury_data) = (self.cubin.bytes(native)?, self.cubin.bytes(mercury)?);
        let (name, clone) = (self.cubin.section_name(native), self.cubin.section_name(mercury));
        let (records, others) =
            (nv_info::decode(name, &native_data)?, nv_info::decode(clone, &mercury_data)?);
        let code = SectionIndex(self.cubin.section(native)?.info);
        let (none, frame_sizes) = (AddressMap::default(), self.frame_owners.sizes(&others));
        let map = CodeMap::of(self.maps, code).map_or(&none, |code| &code.map);
        let is_only = |record: &&Record<'_>| {
            info_records::difference(record.attribute)
                == Some(info_records::RecordDifference::OnlyIn(Space::Native))
        };
        let only: Vec<Record<'_>> = records.iter().filter(is_only).cloned().collect();
        let side = NativeOnlyInfo { map, frame_sizes: &frame_sizes, only: &only };
        let made =
            info_records::to_native(clone, &others, &side, |symbol| self.pairs.native_symbol_of(symbol))?;
        let made = nv_info::encode(name, &made)?;
        Ok(if made == *native_data {
            CheckOutcome::Same
        } else {
            CheckOutcome::Different(difference::of_bytes(&made, &native_data))
        })
    }

    /// Fields under relocations hold what each space has there, and are not compared.
    fn bytes(&self, native: SectionIndex, mercury: SectionIndex) -> Result<CheckOutcome> {
        let mut native_data = self.cubin.bytes(native)?;
        let mut mercury_data = self.cubin.bytes(mercury)?;
        for index in [native, mercury] {
            for (_, entry) in self.view.relocations_of(index) {
                for bytes in [&mut native_data, &mut mercury_data] {
                    let at = usize::try_from(entry.offset).unwrap_or(usize::MAX);
                    let field = bytes.to_mut().get_mut(at..).into_iter().flatten().take(ADDRESS_BYTES);
                    field.for_each(|byte| *byte = 0);
                }
            }
        }
        Ok(if native_data == mercury_data {
            CheckOutcome::Same
        } else {
            CheckOutcome::Different(difference::of_bytes(&mercury_data, &native_data))
        })
    }

    fn symbols(&self, mercury: SectionIndex) -> Result<CheckOutcome> {
        let mercury_data = self.cubin.symbols_of(mercury);
        let made = build_mercury_symtab(self.cubin, self.pairs, self.maps)?;
        if made.len() != mercury_data.len() {
            let (count, expected) = (mercury_data.len(), made.len());
            return Ok(CheckOutcome::Different(format!(
                "the capsule has {count} symbols, the file gives {expected}"
            )));
        }
        let other =
            (0..).zip(made.iter().zip(mercury_data)).find(|(_, (made, mercury_data))| made != mercury_data);
        Ok(other.map_or(CheckOutcome::Same, |(number, _)| {
            let name = self.cubin.symbol_name_in(mercury, SymbolIndex(number));
            CheckOutcome::Different(format!("symbol {number}, {name}, is not what the native one gives"))
        }))
    }
}

/// `made`, a section at `index` as it is made, with what the file's own `bytes` have in fields
/// under RELA entries, if that is the entry's value: a side file has the values there in place of
/// stale bytes ([`Cubin::keep_only_debug`]). The entries are compared apart.
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
