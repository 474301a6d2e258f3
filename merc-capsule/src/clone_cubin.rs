//! Builds all Mercury debug clones of a cubin from its native sections.

use crate::address_map::AddressMap;
use crate::address_translator::AddressTranslator;
use crate::clone_section::Cloner;
use crate::code_map::CodeMap;
use crate::code_map_recovery::{code_maps, identity_maps};
use crate::info_records::{self as info, MercuryOnlyInfo};
use crate::loc_streams::LineTableInputs;
use crate::plan::{CapsulePlan, CloneAction, PlannedClone, plan};
use crate::section_pairs::SectionPairs;
use crate::section_view::SectionView;
use crate::symtab::{self, build_mercury_symtab};
use foldhash::HashMap;
use nv_debug_sections::catalog::{MERCURY_PREFIX, SectionName};
use nv_debug_sections::cubin::{
    Contents, Cubin, NewSection, SHF_MERCURY, SectionIndex, SectionInfo, SectionLink, Symbol, SymbolIndex,
    sht,
};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::{Error, ErrorKind, Result, nv_info};
use std::collections::BTreeMap;

/// The facts that building Mercury debug clones needs beside the native sections: address maps, and
/// the `.loc` data of the line tables.
#[derive(Debug, Clone)]
pub struct CloneInputs<'l> {
    /// The address map of each code section.
    pub maps: Vec<CodeMap>,
    /// The `.loc` directives and Mercury instructions for the line tables.
    pub lines: LineTableInputs<'l>,
}

impl CloneInputs<'static> {
    /// Recovers address maps and `.loc` data from the capsule in the file. Without a capsule,
    /// Mercury addresses equal native addresses.
    ///
    /// # Errors
    ///
    /// Those of [`code_maps`] or [`identity_maps`], and [`LineTableInputs::of_tables`].
    pub fn of(cubin: &Cubin<'_>) -> Result<Self> {
        let maps = if cubin.has_capsule() { code_maps(cubin)? } else { identity_maps(cubin)? };
        let pairs = SectionPairs::of(cubin)?;
        let lines = LineTableInputs::of_tables(cubin, AddressTranslator::new(cubin, &pairs, &maps))?;
        Ok(Self { maps, lines })
    }
}

/// Rebuilds the Mercury clones of all debug sections of a cubin, and its Mercury symbols. Mercury
/// code and the other sections of the capsule stay as they are. A cubin without a capsule gets one,
/// with code capsules that have no instructions, since only the code generator can make these.
///
/// # Errors
///
/// The cubin is for a chip before sm_100; those of [`plan`], [`SectionPairs::of`],
/// [`Cloner::section`] and [`build_mercury_symtab`]; a clone in the file that cannot be placed.
/// Nothing is changed then.
pub fn clone_cubin(cubin: &mut Cubin<'_>, origin: &CloneInputs<'_>) -> Result<()> {
    let target = cubin.target();
    if target.generation() < Generation::Mercury {
        let (sm, first) = (target.sm, *target.release.sms(Generation::Mercury).start());
        let text = format!("code for sm_{sm} has no capsule, expected sm_{first} or later");
        return Err(Error::in_section("", ErrorKind::Capsule(text)));
    }
    let planned = plan(&SectionView::all(cubin)).map_err(|error| error.at_section())?;
    let CloneInputs { maps, lines } = origin;
    let mut result = cubin.clone();
    if !cubin.has_capsule() {
        append_capsule(&mut result, &planned, maps)?;
    }
    let pairs = SectionPairs::of(&result)?;
    let sections = Cloner::new(&result, AddressTranslator::new(&result, &pairs, maps), lines).sections()?;
    result.set_mercury_sections(sections)?;
    set_symbols(&mut result, maps)?;
    *cubin = result;
    Ok(())
}

/// Makes the Mercury symbols anew.
fn set_symbols(cubin: &mut Cubin<'_>, maps: &[CodeMap]) -> Result<()> {
    let Some(table) = cubin.mercury_symtab() else { return Ok(()) };
    let pairs = SectionPairs::of_sections(cubin)?;
    let made = build_mercury_symtab(cubin, &pairs, maps)?;
    cubin.set_symbols(table, made)
}

/// Whether a synthesised capsule gets this clone. Excluded: the call graph (ptxas 13.0 has no clone
/// of it), relocations, and `.nv.merc.symtab`.
fn is_appended(clone: &PlannedClone) -> bool {
    let name = SectionName::parse(&clone.name);
    let is_left_out = [sht::MERC_SYMTAB, sht::MERC_CALLGRAPH].contains(&clone.sh_type);
    !name.is_debug() && name.form.is_none() && !is_left_out
}

/// Appends what a capsule has besides debug sections.
fn append_capsule(cubin: &mut Cubin<'_>, plan: &CapsulePlan, maps: &[CodeMap]) -> Result<()> {
    let planned: Vec<&PlannedClone> = plan.clones.iter().filter(|clone| is_appended(clone)).collect();
    // Section symbols of clones with names of their own have these.
    let own_names: Vec<&str> =
        planned.iter().filter_map(|clone| clone.name.strip_prefix(MERCURY_PREFIX)).collect();
    cubin.intern_symbol_names(&own_names)?;
    let numbers = symtab::mercury_symbol_numbers(cubin);
    let by_original = planned
        .iter()
        .enumerate()
        .map(|(number, clone)| (clone.original_index(), SectionLink::New(number)))
        .collect();
    let clones = CapsuleBuilder { symtab: SectionLink::New(planned.len()), by_original, numbers, maps };
    let mut new = planned
        .iter()
        .map(|clone| clones.section(cubin, clone))
        .collect::<Result<Vec<NewSection<'static>>>>()?;
    let native = cubin.symtab().map(|symtab| cubin.section(symtab)).transpose()?;
    let strings = native.map_or(SectionLink::None, |symtab| SectionLink::Old(SectionIndex(symtab.link)));
    let placeholders = clones.numbers.iter().flatten().count();
    new.push(NewSection {
        name: ".nv.merc.symtab".to_owned(),
        sh_type: sht::MERC_SYMTAB,
        flags: SHF_MERCURY,
        align: 8,
        entsize: 24,
        link: strings,
        info: SectionInfo::default(),
        contents: Contents::Symbols(vec![Symbol::default(); placeholders]),
    });
    cubin.append_sections(new)?;
    set_symbols(cubin, maps)
}

/// The sections of a capsule that is made, by what they refer to.
struct CapsuleBuilder<'m> {
    symtab: SectionLink,
    by_original: HashMap<SectionIndex, SectionLink>,
    /// By number of a native symbol that of the Mercury one.
    numbers: Vec<Option<SymbolIndex>>,
    maps: &'m [CodeMap],
}

impl CapsuleBuilder<'_> {
    fn section(&self, cubin: &Cubin<'_>, clone: &PlannedClone) -> Result<NewSection<'static>> {
        let index = clone.original_index();
        let native = cubin.section(index)?;
        let is_code = clone.sh_type == sht::MERC_CODE;
        let info = SectionIndex(native.info);
        let info = if is_code {
            self.symbol(SymbolIndex(native.info)).map_or(SectionInfo::default(), SectionInfo::Symbol)
        } else if native.info_is_section() && native.info != 0 {
            SectionInfo::Section(self.by_original.get(&info).copied().unwrap_or(SectionLink::Old(info)))
        } else {
            SectionInfo::Number(native.info)
        };
        let contents = match clone.action {
            CloneAction::Alias if matches!(native.contents, Contents::Bytes(_)) => Contents::Alias(index),
            // A capsule without instructions: it begins with the index of the code it is of.
            _ if is_code => Contents::Bytes(index.0.to_le_bytes().to_vec().into()),
            _ if clone.sh_type == sht::MERC_INFO => Contents::Bytes(self.info(cubin, index)?.into()),
            _ => Contents::Bytes(cubin.bytes(index)?.into_owned().into()),
        };
        Ok(NewSection {
            name: clone.name.clone(),
            sh_type: clone.sh_type,
            flags: clone.flags,
            align: if is_code { CAPSULE_ALIGN } else { native.align },
            entsize: native.entsize,
            link: if clone.link.is_some() { self.symtab } else { SectionLink::None },
            info,
            contents,
        })
    }

    fn symbol(&self, native: SymbolIndex) -> Option<SymbolIndex> {
        self.numbers.get(native.as_usize()).copied().flatten()
    }

    /// The records of `.nv.merc.nv.info[.F]`, without those that only the code generator knows.
    fn info(&self, cubin: &Cubin<'_>, native: SectionIndex) -> Result<Vec<u8>> {
        let name = cubin.section_name(native);
        let bytes = cubin.bytes(native)?;
        let records = nv_info::decode(name, &bytes)?;
        let code = SectionIndex(cubin.section(native)?.info);
        let none = AddressMap::default();
        let map = CodeMap::of(self.maps, code).map_or(&none, |code| &code.map);
        let side = MercuryOnlyInfo { map, frame_sizes: &BTreeMap::new(), finalizer_options: None };
        let made = info::to_mercury(name, &records, &side, |symbol| self.symbol(symbol))?;
        nv_info::encode(name, &made)
    }
}

/// Alignment of `.nv.capmerc.text.F` (docs/formats/capsule.md, sections).
const CAPSULE_ALIGN: u64 = 16;
