//! Fuzz target: a cubin, or a file with cubins in it. Every query of the read commands ends in an
//! answer, or in an error that says where.
//!
//! That is lines of both spaces, entries, variables, coverage, findings of `verify`, the capsule's
//! comparison, levels, and decoders of sections. Ranges lie in their section, ascend, and look-ups
//! find the same. Entries are found by their offset. Nothing counts more than there is.

use crate::Target;
use crate::seeds::pairs;
use crate::support::SOURCE_LINES;
use cubin_debuginfo::coverage::Coverage;
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::expression;
use cubin_debuginfo::lines::LineLookup;
use cubin_debuginfo::symbolize::{FrameFunction, MAX_FRAMES, Symbolizer};
use cubin_debuginfo::variables::{InlinedCalls, Variables};
use cubin_debuginfo::verify::{self, verify_with};
use merc_capsule::self_check::self_check;
use merc_capsule::{SectionView, plan};
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::code::CodeSection;
use nv_debug_sections::container::Container;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex, sht};
use nv_debug_sections::level::compare::compare;
use nv_debug_sections::level::detected::DetectedLevel;
use nv_debug_sections::ptx_txt::{NumberedText, PtxText};
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{frame, line, nv_info, reg_sass, reg_type, shared_window, tkinfo};
use ptx_syntax::check::SourceState;
use std::fmt::Display;

/// How much the payload of a container may grow here.
const MAX_EXPANSION: u64 = 100;

/// Frames of one address that are looked at, as many as a listing shows.
const FRAMES: usize = 64;

/// Source lines of one file whose code is looked for: each takes a look at all code.
const LINES: usize = 4;

/// The names of the queries that the fuzz target makes of a file.
pub const QUESTIONS: [&str; 11] = [
    "container",
    "cubin",
    "lines",
    "Mercury lines",
    "entries",
    "variables",
    "coverage",
    "verify",
    "capsule",
    "sections",
    "decoders",
];

/// How many of each query, in the order of [`QUESTIONS`], ended in an answer, and how many in an
/// error.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Ended in an answer.
    pub answers: [u64; QUESTIONS.len()],
    /// Ended in an error.
    pub errors: [u64; QUESTIONS.len()],
}

impl Tally {
    /// Counts what came of a question.
    fn end<T, E: Display>(&mut self, question: &str, result: Result<T, E>) -> Option<T> {
        let number = QUESTIONS.iter().position(|known| *known == question).expect("a question of the table");
        match result {
            Ok(answer) => {
                self.answers[number] += 1;
                Some(answer)
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                self.errors[number] += 1;
                None
            }
        }
    }

    /// Whether every query had an answer.
    pub fn is_answered(&self) -> bool {
        self.errors.iter().all(|count| *count == 0)
    }

    /// Adds the counts of another file to these.
    pub fn add(&mut self, other: &Self) {
        let sum =
            |own: &mut [u64], more: &[u64]| own.iter_mut().zip(more).for_each(|(own, more)| *own += more);
        sum(&mut self.answers, &other.answers);
        sum(&mut self.errors, &other.errors);
    }
}

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    let pairs: Vec<_> = pairs().into_iter().map(|(_, file)| file).collect();
    target.run_on_damaged(1_000, &pairs);
}

/// Asks `data`, a cubin or a file with cubins in it, everything.
pub(crate) fn run(data: &[u8]) {
    ask(data);
}

/// Makes all queries of `data`, a cubin or a file with cubins in it. Returns how many had an
/// answer.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn ask(data: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let is_cubin = Cubin::parse(data);
    if (is_cubin.is_ok() || !has_images(data, &mut tally))
        && let Some(cubin) = tally.end("cubin", is_cubin)
    {
        of_cubin(&cubin, &mut tally);
    }
    tally
}

/// Asks every cubin of a container; whether it is one.
fn has_images(data: &[u8], tally: &mut Tally) -> bool {
    let Ok(container) = Container::parse(data) else { return false };
    for entry in container.entries() {
        let Some(entry) = tally.end("container", entry) else { continue };
        let Some(payload) = tally.end("container", entry.payload_within(MAX_EXPANSION)) else { continue };
        if let Ok(cubin) = Cubin::parse(&payload) {
            of_cubin(&cubin, tally);
        }
    }
    true
}

fn of_cubin(cubin: &Cubin<'_>, tally: &mut Tally) {
    for (space, question) in [(Space::Native, "lines"), (Space::Mercury, "Mercury lines")] {
        if let Some(symbolizer) = tally.end(question, Symbolizer::in_space(cubin, space)) {
            lines(&symbolizer);
            listing(cubin, &symbolizer);
        }
    }
    if let Some(entries) = tally.end("entries", Entries::read(cubin)) {
        tree(&entries);
        if let Some(variables) = tally.end("variables", Variables::read(cubin, &entries)) {
            inlined(cubin, &variables);
            places(&variables);
        }
    }
    coverage(cubin, tally);
    let context = verify::VerifyContext {
        source_lines: Some(&|_| SourceState::Lines(SOURCE_LINES)),
        lost_calls: &[],
        lost_files: &[],
    };
    for finding in verify_with(cubin, context).findings() {
        assert!(!finding.found.is_empty() && !finding.expected.is_empty(), "{finding:?}");
    }
    tally.end("verify", Ok::<_, String>(()));
    if cubin.has_capsule() {
        tally.end("capsule", plan(&SectionView::all(cubin)));
        tally.end("capsule", self_check(cubin, None));
    }
    let found = DetectedLevel::of(cubin);
    let comparison = compare(cubin, &found.expected());
    assert!(comparison.extra.iter().all(|index| index.as_usize() < cubin.sections.len()));
    tally.end("sections", Ok::<_, String>(()));
    let relocated = RelocatedCubin::new(cubin);
    for (index, name, section) in cubin.iter() {
        let is_decoded = SectionName::parse(name).is_debug_contents()
            || matches!(section.sh_type, sht::CUDA_INFO | sht::MERC_INFO)
            || name == tkinfo::NAME;
        if is_decoded {
            tally.end("decoders", decode(cubin, &relocated, index));
        }
    }
}

/// Ranges lie in their section and look-ups find them.
fn lines(symbolizer: &Symbolizer<'_>) {
    for section in symbolizer.sections() {
        let mut end = 0;
        for (range, place) in symbolizer.source_ranges(section.index) {
            assert!(end <= range.start && range.start < range.end && range.end <= section.size);
            end = range.end;
            let found = symbolizer.locate(section.index, range.start).expect("in the section");
            assert!(found.frames().take(FRAMES).eq(place.frames().take(FRAMES)));
            assert_eq!(found.ptx(), place.ptx());
        }
        bounds(symbolizer, section);
    }
}

/// Ranges of a listing ascend in their section, and the first source line of each leads back to
/// code that has it.
fn listing(cubin: &Cubin<'_>, symbolizer: &Symbolizer<'_>) {
    let lookup = LineLookup::new(cubin, symbolizer);
    let listings = lookup.listings(None).expect("all can be listed");
    let mut asked = 0;
    for listing in listings {
        let mut end = 0;
        for range in listing.ranges.iter() {
            assert!(end <= range.start && range.start < range.end && range.end <= listing.size);
            end = range.end;
            assert!(range.lines.frames.iter().count() <= FRAMES);
            let Some(own) = range.lines.frames.iter().next().filter(|_| asked < LINES) else { continue };
            let Some(file) = own.frame.file.path().filter(|file| !file.is_empty()) else { continue };
            asked += 1;
            let code = lookup.code_of(&format!("{file}:{}", own.frame.line)).ranges;
            let has = code.iter().any(|code| {
                code.section_index == listing.section_index && (code.start..code.end).contains(&range.start)
            });
            assert!(has, "{file}:{} has no code at {:#x}", own.frame.line, range.start);
        }
    }
}

/// Asserts that offsets in a function have a bounded number of frames, and that the offset after
/// the section resolves to nothing.
fn bounds(symbolizer: &Symbolizer<'_>, section: &CodeSection<'_>) {
    for function in symbolizer.functions_of(section.index) {
        for offset in [0, function.size / 2, function.size.saturating_sub(1)] {
            if let Some(place) = symbolizer.locate(section.index, function.offset.saturating_add(offset)) {
                assert!(place.frames().take(FRAMES).count() <= FRAMES);
            }
        }
    }
    assert!(symbolizer.locate(section.index, section.size).is_none());
}

/// Every entry is found again by its offset, and expressions are put into words, the bytes that are
/// left too.
fn tree(entries: &Entries<'_>) {
    for (number, entry) in entries.iter().enumerate() {
        assert_eq!(entries.at(entry.offset()), Some(number));
        assert!(entries.unit_of(number).is_some());
        let _ = (entry.name(), entry.code());
        for attribute in entry.attributes() {
            assert!(
                entries.referenced_entry(entry, attribute.name).is_none_or(|other| other < entries.count())
            );
        }
    }
    for at in (0..entries.bytes().len()).step_by(7) {
        let bytes = &entries.bytes()[at..];
        let bytes = &bytes[..bytes.len().min(16)];
        let words = expression::operations_text(bytes, 0, &|at, _| {
            assert!(at + 8 <= bytes.len() as u64);
            String::new()
        });
        assert_eq!(words.is_empty(), bytes.is_empty());
    }
}

/// Chains of inlined calls are as long as they are said to be, and end with the function.
fn inlined(cubin: &Cubin<'_>, variables: &Variables<'_>) {
    let Ok(symbolizer) = Symbolizer::new(cubin) else { return };
    let calls = InlinedCalls::of(variables, &symbolizer);
    for section in symbolizer.sections() {
        for bound in calls.bounds(section.index).take(FRAMES) {
            let Some(place) = symbolizer.locate(section.index, bound) else { continue };
            let frames: Vec<_> = calls.frames(place).collect();
            assert_eq!(frames.len(), calls.depth(&place).min(MAX_FRAMES));
            let has_own = frames.iter().any(|frame| matches!(frame.function, FrameFunction::InlinedEntry(_)));
            let last = frames.last().map(|frame| frame.function);
            assert!(!has_own || last == Some(FrameFunction::Physical(place.function)));
        }
    }
}

/// Every variable has a type, and is available at no more than its scope.
fn places(variables: &Variables<'_>) {
    for variable in variables.all() {
        let _ = (variables.name(variable), variables.declared(variable), variables.class(variable));
        assert!(!variables.type_name(variable).is_empty());
        let location = variables.location(variable);
        assert!(location.available_bytes <= location.scope_bytes, "{variable:?}: {location:?}");
    }
    for scope in variables.scopes() {
        let _ = (variables.scope_name(scope), variables.call_site(scope), variables.function(scope));
    }
}

/// No more instructions are counted than there are.
fn coverage(cubin: &Cubin<'_>, tally: &mut Tally) {
    let Ok(symbolizer) = Symbolizer::new(cubin) else { return };
    let Some(coverage) = tally.end("coverage", Coverage::of(cubin, &symbolizer)) else { return };
    let counts = coverage.instructions();
    assert!(counts.with_line.saturating_add(counts.line_0) <= counts.all);
    assert!(counts.inlined.max(counts.with_ptx_line).max(counts.inherited) <= counts.all);
    for function in &coverage.functions {
        let variables = function.variables();
        assert!(variables.located <= variables.all && variables.covered_bytes <= variables.scope_bytes);
    }
}

/// Decodes one section, as `dump` does.
fn decode(
    cubin: &Cubin<'_>,
    relocated: &RelocatedCubin<'_, '_>,
    index: SectionIndex,
) -> nv_debug_sections::Result<()> {
    let (name, section) = (cubin.section_name(index), cubin.section(index)?);
    let view = relocated.section(index)?;
    let bytes = &view.bytes;
    if matches!(section.sh_type, sht::CUDA_INFO | sht::MERC_INFO) {
        let records = nv_info::decode(name, bytes)?;
        assert!(nv_info::functions(&records).len() <= records.len());
        return Ok(());
    }
    if name == tkinfo::NAME {
        return tkinfo::decode(bytes).map(|_| ());
    }
    match SectionName::parse(name).kind() {
        Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass) => {
            for table in line::decode(name, bytes)? {
                assert_eq!(table.paths(name)?.len(), table.files.len());
            }
        }
        Some(SectionKind::DebugFrame) => {
            frame::decode(bytes, &frame::field_symbols(&view))?;
        }
        Some(SectionKind::NvDebugPtxTxt) => {
            let lines = PtxText::decode(bytes)?.lines().count();
            assert_eq!(NumberedText::decode(bytes.clone())?.line_count(), lines);
        }
        Some(SectionKind::NvDebugInfoRegSass) => {
            reg_sass::decode(bytes)?;
        }
        Some(SectionKind::NvDebugInfoRegType) => {
            reg_type::decode(bytes)?;
        }
        Some(SectionKind::NvDebugShared) => {
            let symbols = (0..).map(SymbolIndex).zip(cubin.symbols());
            let named = symbols.map(|(at, symbol)| (cubin.symbol_name(at), symbol));
            shared_window::decode(section, index, named)?;
        }
        _ => {}
    }
    Ok(())
}
