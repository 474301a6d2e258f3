//! Comparison of a PTX with the cubin made from it: the names that the cubin lacks.

use super::lost_function::LostFunction;
use super::{Coverage, FileLines};
use crate::entries::{Entries, Entry};
use dwarf2_reader::{constants as dw, source_path};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, DebugSection, debug_only};
use nv_debug_sections::level::detected::DetectedLevel;
use nv_debug_sections::release::Release;
use ptx_syntax::check::{LocCode, loc_codes};
use ptx_syntax::section_data::FixupTarget;
use ptx_syntax::{MergedSection, MergedSections, Module};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The architecture of objects that are made to be read and nothing else.
const ANY_SM: u32 = 75;

/// Names of variables and parameters by function.
type Variables = BTreeMap<String, BTreeSet<String>>;

/// A line of a source file, by its [normalized](source_path::normalized) path; a file without
/// `.file` has none.
type Line = (Option<String>, u32);

/// The functions, source lines and variables that the debug information of a PTX file names.
#[derive(Debug)]
pub struct PtxNames {
    functions: Vec<PtxFunction>,
    variables: Variables,
    /// Paths as the PTX has them, by their normalized form.
    paths: HashMap<String, String>,
}

#[derive(Debug)]
struct PtxFunction {
    name: String,
    /// Lines of `.loc` directives.
    lines: BTreeSet<Line>,
    /// Those of `lines` that no instruction of the PTX has.
    without_code: BTreeSet<Line>,
    /// Lines of `inlined_at`.
    call_sites: BTreeSet<Line>,
}

impl PtxNames {
    /// Reads the `.loc` directives and the `.debug_info` of a PTX. `path` maps a path of the PTX to
    /// the path that the cubin has for it.
    ///
    /// # Errors
    ///
    /// `.debug_info` cannot be decoded.
    pub fn read(module: &Module<'_>, path: impl Fn(&str) -> String) -> Result<Self> {
        let mut paths = HashMap::new();
        let mut normalized: HashMap<u64, String> = HashMap::new();
        for file in module.files() {
            let path = path(file.path);
            let spelling = source_path::normalized(&path);
            normalized.insert(file.index, spelling.clone());
            paths.entry(spelling).or_insert(path);
        }
        let line =
            |file: u64, line: u64| (line as u32 != 0).then(|| (normalized.get(&file).cloned(), line as u32));
        let functions = module.functions().filter_map(|function| {
            function.body.as_ref()?;
            let (mut lines, mut with_code) = (BTreeSet::new(), BTreeSet::new());
            let mut call_sites = BTreeSet::new();
            for LocCode { loc, has_code } in loc_codes(function) {
                let place = line(loc.file, loc.line);
                with_code.extend(place.clone().filter(|_| has_code));
                lines.extend(place);
                let inlined = loc.inlined_at.as_deref();
                call_sites.extend(inlined.and_then(|at| line(at.file, at.line)));
            }
            let without_code = lines.difference(&with_code).cloned().collect();
            Some(PtxFunction { name: function.name.text.to_owned(), lines, without_code, call_sites })
        });
        Ok(Self { functions: functions.collect(), variables: variables_of_ptx(module)?, paths })
    }

    /// Returns the functions of the PTX of which the cubin lacks lines, call sites or variables.
    /// `None` if PTX and cubin have nothing in common: no function that has code or is inlined, no
    /// source file with a line, no variable. The cubin was then made from another PTX, unless it
    /// was linked: link-time optimisation may leave nothing of a source.
    ///
    /// # Errors
    ///
    /// `.debug_info` of the cubin cannot be decoded.
    pub fn lost(&self, cubin: &Cubin<'_>, coverage: &Coverage<'_>) -> Result<Option<Vec<LostFunction>>> {
        let mut there: HashSet<Line> = HashSet::new();
        for file in &coverage.files {
            let path = file.name.path().map(source_path::normalized);
            there.extend(file.lines.iter().chain(&file.call_lines).map(|line| (path.clone(), *line)));
        }
        // ptxas calls a function that it has folded into a kernel's section `$kernel$function`.
        let names = coverage.functions.iter();
        let code: HashSet<&str> =
            names.flat_map(|f| [f.name, f.name.rsplit('$').next().unwrap_or(f.name)]).collect();
        let inlined = &coverage.inlined_functions;
        let ours = variables(&Entries::read(cubin)?);
        let files: HashSet<&str> = there.iter().filter_map(|(file, _)| file.as_deref()).collect();
        let has_file = |(file, _): &Line| file.as_deref().is_some_and(|file| files.contains(file));
        let is_ours = |function: &PtxFunction| {
            let name = &function.name;
            code.contains(&**name) || inlined.contains(name) || function.all_lines().any(has_file)
        };
        let has_variable = |(function, names): (&String, &BTreeSet<String>)| {
            ours.get(function).is_some_and(|ours| !ours.is_disjoint(names))
        };
        let has_any = self.functions.iter().any(is_ours) || self.variables.iter().any(has_variable);
        let may_be_folded = || {
            self.functions.iter().any(|function| !function.lines.is_empty())
                && DetectedLevel::of(cubin).is_linked
        };
        if !has_any && !may_be_folded() {
            return Ok(None);
        }
        let mut lost: BTreeMap<&str, LostFunction> = BTreeMap::new();
        let blank = |name: &str| LostFunction {
            name: name.to_owned(),
            code: code.contains(name),
            inlined: inlined.contains(name),
            ..LostFunction::default()
        };
        let missing = |lines: &BTreeSet<Line>| {
            let missing = lines.iter().filter(|line| !there.contains(*line));
            let shown = |file: &Option<String>| self.paths.get(file.as_ref()?).cloned();
            FileLines::by_file(missing.map(|(file, line)| (file, *line)), shown)
        };
        for function in &self.functions {
            let (lines, call_sites) = (missing(&function.lines), missing(&function.call_sites));
            if !lines.is_empty() || !call_sites.is_empty() {
                let entry = lost.entry(&function.name).or_insert_with(|| blank(&function.name));
                let has_line = || function.all_lines().any(|line| there.contains(line));
                entry.absent = !entry.code && !entry.inlined && !has_line();
                entry.lines_without_code = missing(&function.without_code);
                (entry.lines, entry.call_sites) = (lines, call_sites);
            }
        }
        for (function, names) in &self.variables {
            let ours = ours.get(function);
            let is_lost = |name: &&String| ours.is_none_or(|ours| !ours.contains(*name));
            let variables: Vec<String> = names.iter().filter(is_lost).cloned().collect();
            if !variables.is_empty() {
                lost.entry(function).or_insert_with(|| blank(function)).variables = variables;
            }
        }
        Ok(Some(lost.into_values().collect()))
    }
}

impl PtxFunction {
    fn all_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().chain(&self.call_sites)
    }
}

/// The variables of each function's entry, by its linkage name, else its name. Those outside
/// functions have an empty name.
fn variables(entries: &Entries<'_>) -> Variables {
    let mut all = Variables::new();
    // The function around each entry: entries may be as deep as the file is long, so the way up is
    // not walked for each variable.
    let mut functions: Vec<Option<usize>> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let around = entry.parent().and_then(|parent| functions.get(parent).copied().flatten());
        functions.push(if entry.tag() == dw::DW_TAG_subprogram { Some(number) } else { around });
        if !matches!(entry.tag(), dw::DW_TAG_variable | dw::DW_TAG_formal_parameter) {
            continue;
        }
        let Some(name) = named(entries, entry, &[dw::DW_AT_name]) else { continue };
        let names = [dw::DW_AT_MIPS_linkage_name, dw::DW_AT_linkage_name, dw::DW_AT_name];
        let function = around.and_then(|function| named(entries, entries.get(function)?, &names));
        all.entry(function.unwrap_or_default()).or_default().insert(name);
    }
    all
}

/// The first of the names that the entry has, or the one it is an instance of.
fn named(entries: &Entries<'_>, entry: Entry<'_>, names: &[u16]) -> Option<String> {
    let origin = [dw::DW_AT_abstract_origin, dw::DW_AT_specification]
        .into_iter()
        .find_map(|attribute| entries.get(entries.referenced_entry(entry, attribute)?));
    [Some(entry), origin]
        .into_iter()
        .flatten()
        .find_map(|entry| names.iter().find_map(|name| Some(entry.string(*name)?.into_owned())))
}

/// As [`variables`], of the PTX's own `.debug_info`.
fn variables_of_ptx(module: &Module<'_>) -> Result<Variables> {
    let sections = MergedSections::of(module);
    let of_kind = |kind| sections.list.iter().filter(move |s| SectionKind::from_name(s.name) == Some(kind));
    let mut all = Variables::new();
    for info in of_kind(SectionKind::DebugInfo) {
        let beside = [SectionKind::DebugAbbrev, SectionKind::DebugStr];
        let beside = beside.into_iter().filter_map(|kind| of_kind(kind).next());
        let given = [info].into_iter().chain(beside).map(|section| DebugSection {
            name: section.name.to_owned(),
            bytes: resolved(section, &sections),
            rel: Vec::new(),
            rela: Vec::new(),
        });
        let mut object = debug_only(Release::default().target(ANY_SM), &[], &[])?.cubin;
        object.set_debug_sections(given.collect())?;
        for (function, names) in variables(&Entries::read(&object)?) {
            all.entry(function).or_default().extend(names);
        }
    }
    Ok(all)
}

/// The bytes of a section with references to debug sections in place; addresses of code stay 0.
fn resolved(section: &MergedSection<'_>, sections: &MergedSections<'_>) -> Vec<u8> {
    let mut bytes = section.assembled.bytes.clone();
    for fixup in &section.assembled.fixups {
        let value = match fixup.target {
            FixupTarget::Section { addend, .. } => Some(addend as u64),
            FixupTarget::Symbol { name, addend } => {
                sections.label_offset(name).map(|offset| offset.wrapping_add_signed(addend))
            }
            FixupTarget::Difference { .. } => None,
        };
        let start = usize::try_from(fixup.offset).ok();
        let field = start.and_then(|start| bytes.get_mut(start..start.checked_add(fixup.width.into())?));
        if let Some((value, field)) = value.zip(field) {
            for (to, from) in field.iter_mut().zip(value.to_le_bytes()) {
                *to = from;
            }
        }
    }
    bytes
}
