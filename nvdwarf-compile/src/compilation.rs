//! One compilation, step by step.

use super::statistics::Statistics;
use crate::checked_tables;
use crate::code_facts::CodeFacts;
use crate::diagnostic::Diagnostic;
use crate::error::{CompileError, ErrorKind, Result};
use crate::file_stat::FileStat;
use crate::line_table_style::LineTableStyle;
use crate::lower::{self, LoweredModule, ptx_facts::PtxFacts, ptx_sections::PtxSections, shared_lines};
use crate::options::Options;
use crate::provider::{Provided, cubin, none};
use crate::source_stats::SourceStats;
use crate::{parallel, refused_ptx};
use dwarf2_reader::PathMap;
use nv_debug_sections::cubin::{Cubin, DebugSection};
use nv_debug_sections::file_table::SourceFile;
use nv_debug_sections::level::{DebugLevel, DebugOptions};
use nv_debug_sections::release::{Release, Target};
use nv_debug_sections::relocated::RelocatedCubin;
use ptx_syntax::check::{PtxVersion, Report};
use ptx_syntax::{CodeBlock, LineIndex, Module};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// ptxas' warning for `--suppress-debug-info` where neither an option nor the PTX asks for debug
/// information.
const NOTHING_TO_SUPPRESS: &str = "Option suppress-debug-info requires option device-debug or lineinfo; \
                                   ignoring since latter is not specified";

/// The code for which debug sections are written: a cubin that was made from the PTX, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodeImage<'d> {
    /// No code. The result is a debug-only object, with a slot of 16 bytes for each PTX
    /// instruction.
    None,
    /// A cubin that was made from the same PTX. If lines are to be written, it must say the PTX
    /// lines of its instructions (`ptxas -lineinfo` or `-g`). Its code stays as it is. Its debug
    /// sections are read for facts about the code and replaced.
    Cubin(&'d [u8]),
}

/// The result of a compilation: a cubin with its debug sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The bytes of the cubin.
    pub bytes: Vec<u8>,
    /// The warnings and notes about the PTX; none is an error.
    pub warnings: Vec<Diagnostic>,
    /// The numbers of items of debug information that were written.
    pub statistics: Statistics,
}

/// Compiles PTX: writes every debug section for the code that was made from the PTX.
///
/// # Errors
///
/// Faults of the PTX, code that is not that of this PTX, values that no section can hold.
pub fn compile(ptx: &str, code: &CodeImage<'_>, options: &Options) -> Result<Compiled, CompileError> {
    let lines = LineIndex::new(ptx);
    let (checked, mut said) = CheckedPtx::new(ptx, &lines, options)?;
    let (prepared, more) = checked.prepare(false).map_err(|error| error.after(&mut said))?;
    said.extend(more);
    let mut compiled = prepared.compile(code).map_err(|error| error.after(&mut said))?;
    said.append(&mut compiled.warnings);
    compiled.warnings = said;
    Ok(compiled)
}

/// A PTX text in which the checks of ptxas find no error. It is the first step of [`compile`], for
/// callers that run a code generator in between.
#[derive(Debug)]
pub struct CheckedPtx<'p> {
    text: &'p str,
    lines: &'p LineIndex,
    options: &'p Options,
    module: Module<'p>,
    index: Index<'p>,
    report: Report,
}

/// The facts about the PTX from which debug sections are built, and the faults found on the way.
#[derive(Debug)]
struct Index<'p> {
    sections: PtxSections<'p>,
    facts: PtxFacts<'p>,
    diagnostics: Vec<Diagnostic>,
}

impl<'p> CheckedPtx<'p> {
    /// Parses and checks a PTX text. `lines` is the index of its lines. Warnings are returned with
    /// the result.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Ptx`]: the text has faults that ptxas would not take, or is for another
    /// architecture.
    pub fn new(
        text: &'p str,
        lines: &'p LineIndex,
        options: &'p Options,
    ) -> Result<(Self, Vec<Diagnostic>), CompileError> {
        let parsed = ptx_syntax::parse(text);
        let check = || {
            let mut diagnostics = Vec::new();
            let report = refused_ptx::refused(&parsed, options, &mut diagnostics);
            refused_ptx::target(&parsed.module, options, &mut diagnostics);
            (report, diagnostics)
        };
        let index = || Index::new(&parsed.module, lines, options);
        let ((report, diagnostics), index) = parallel::both(text.len() >= parallel::LARGE, check, index);
        let diagnostics = without_errors(diagnostics)?;
        Ok((Self { text, lines, options, module: parsed.module, index, report }, diagnostics))
    }

    /// Whether the ptxas of the release in the options knows the `.version` of the text.
    pub fn is_version_known(&self) -> bool {
        let version = self.module.version().and_then(PtxVersion::as_ptxas_reads);
        version.is_none_or(|version| version.is_known_to(self.options.release))
    }

    /// Decides how much debug information to write. Warnings are returned with the result. If
    /// `by_ptxas` is true, ptxas generates the code, so the warnings that it prints itself are left
    /// out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Ptx`]: the debug directives of the text do not fit together.
    /// [`ErrorKind::OptimizedDebug`].
    pub fn prepare(self, by_ptxas: bool) -> Result<(PreparedPtx<'p>, Vec<Diagnostic>), CompileError> {
        let Self { text, lines, options, module, index, report } = self;
        let Index { sections, facts, diagnostics: of_index } = index;
        let mut diagnostics = Vec::new();
        let level = level(&module, options, by_ptxas, &mut diagnostics)
            .map_err(|kind| CompileError { kind, diagnostics: Vec::new() })?;
        diagnostics.extend(of_index);
        if level >= DebugLevel::Lines && facts.has_line_markers() && !facts.locs.is_empty() {
            diagnostics.extend(shared_lines::warning(&module, lines));
        }
        if !by_ptxas {
            diagnostics.extend(report.ptxas_remarks(options.mode()).map(Diagnostic::ptxas_warning));
        }
        let diagnostics = without_errors(diagnostics)?;
        let prepared = PreparedPtx { text, options, module, sections, facts, level, found: Vec::new() };
        Ok((prepared, diagnostics))
    }
}

impl<'p> Index<'p> {
    fn new(module: &Module<'p>, lines: &LineIndex, options: &Options) -> Self {
        let mut diagnostics = Vec::new();
        let sections = PtxSections::assemble(module, &mut diagnostics);
        let name_offset = |label: &str| sections.label_offset(label);
        let facts = PtxFacts::collect(module, options.target(), lines, &name_offset, &mut diagnostics);
        Self { sections, facts, diagnostics }
    }
}

/// How much debug information is due.
fn level(
    module: &Module<'_>,
    options: &Options,
    by_ptxas: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<DebugLevel> {
    let keeps = options.extras.keep_optimised;
    let request = options.request();
    let ptx = refused_ptx::ptx_kind(module);
    let optimises =
        |level: i32| if options.device_debug { level != 0 } else { ptx.target_debug && level > 0 };
    if !keeps && options.opt_level.is_some_and(optimises) {
        return Err(ErrorKind::OptimizedDebug);
    }
    let without = DebugLevel::ptxas_level(DebugOptions { suppress: false, ..request }, ptx);
    if request.suppress && without == DebugLevel::None && !by_ptxas {
        diagnostics.push(Diagnostic::ptxas_warning(NOTHING_TO_SUPPRESS));
    }
    Ok(DebugLevel::ptxas_level(request, ptx))
}

/// A PTX text for which the code can now be generated: the second step of [`compile`].
#[derive(Debug)]
pub struct PreparedPtx<'p> {
    text: &'p str,
    options: &'p Options,
    module: Module<'p>,
    sections: PtxSections<'p>,
    facts: PtxFacts<'p>,
    level: DebugLevel,
    /// Time and size of source files, beside those of the options.
    found: Vec<FileStat>,
}

impl<'p> PreparedPtx<'p> {
    /// Returns the PTX text for the code generator. Where the code is to be optimised and have
    /// debug information, the text lacks `debug` in `.target`.
    pub fn generator_text(&self) -> Cow<'p, str> {
        if self.options.extras.keep_optimised {
            without_target_debug(self.text, &self.module).into()
        } else {
            self.text.into()
        }
    }

    /// Returns the paths of the source files for which neither the PTX nor the options give a
    /// modification time and size, in the order in which the PTX names them.
    pub fn sources_without_stat(&self) -> Vec<&'p str> {
        SourceStats::new(&self.options.file_stats, &self.found).paths_without_stat(&self.module)
    }

    /// Adds the times and sizes of source files that the options lack. Files that stay unknown have
    /// time and size 0.
    pub fn add_sources(&mut self, stats: impl IntoIterator<Item = FileStat>) {
        self.found.extend(stats);
    }

    /// Writes the debug sections for the code that was made from the PTX text, and returns the
    /// cubin with them.
    ///
    /// # Errors
    ///
    /// Code that is not that of this PTX, and values that no section can hold.
    pub fn compile(self, code: &CodeImage<'_>) -> Result<Compiled, CompileError> {
        let mut diagnostics = Vec::new();
        match self.make(code, &mut diagnostics) {
            Ok((bytes, statistics)) => {
                let warnings = without_errors(diagnostics)?;
                Ok(Compiled { bytes, warnings, statistics })
            }
            Err(kind) => {
                // What is wrong with the PTX may be the reason.
                let diagnostics = without_errors(diagnostics)?;
                Err(CompileError { kind, diagnostics })
            }
        }
    }

    fn make(self, code: &CodeImage<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<(Vec<u8>, Statistics)> {
        let PreparedPtx { text, options, module, sections, facts, level, found } = self;
        let cubin = match code {
            CodeImage::None => None,
            CodeImage::Cubin(data) => Some((Cubin::parse(data)?, *data)),
        };
        let has_code = cubin.is_some();
        // The tool that made the code decides, whatever its release.
        let release = cubin.as_ref().map_or(options.release, |(cubin, _)| cubin.release());
        let target = release.target(options.arch.number);
        let relocatable = options.relocatable && has_code;
        if let Some((cubin, _)) = &cubin {
            cubin::check_kind(cubin, target, relocatable)?;
        }
        let extras = &options.extras;
        // Where we write bytes of our own, or read the table again, a nameless file must not end
        // it.
        let has_tables_of_ptxas =
            has_code && extras.line_table == LineTableStyle::Ptxas && !extras.keep_optimised;
        let as_ptxas = has_tables_of_ptxas && extras.path_maps.is_empty();
        let unknown = unknown_rules(cubin.as_ref().map(|(cubin, _)| cubin), target, as_ptxas);
        if let Some(unknown) = unknown.filter(|_| level >= DebugLevel::Lines) {
            diagnostics.push(unknown);
            if let Some((cubin, data)) = cubin.as_ref().filter(|_| as_ptxas) {
                return Ok((data.to_vec(), Statistics::of_cubin(cubin)));
            }
        }
        let found: &[FileStat] = if release.asks_file_times() { &found } else { &[] };
        let stats = SourceStats::new(&options.file_stats, found).with_time(extras.time_of_files);
        let mut files = stats.settle_all(&module, as_ptxas, diagnostics);
        let mapped: Vec<_> = files.iter().map(|file| PathMap::apply(&extras.path_maps, file.path)).collect();
        for (file, mapped) in files.iter_mut().zip(&mapped) {
            file.path = mapped.as_deref().unwrap_or(file.path);
        }
        let intermediate_texts = intermediate_texts(&module, &files);
        if !has_code && (!intermediate_texts.is_empty() || facts.has_intermediate_locs()) {
            diagnostics.push(no_intermediate_lines());
        }
        // What is read no more makes room for what is made, here and below.
        let provided = match cubin {
            None => {
                let provided = none::provide(&module, &facts, target)?;
                drop(module);
                provided
            }
            Some((cubin, _)) => {
                drop(module);
                // Optimised code has no more to say than lines.
                let level = if extras.keep_optimised { level.min(DebugLevel::Lines) } else { level };
                let request = cubin::CubinRequest { facts: &facts, sections: &sections, target, level };
                cubin::provide(cubin, request)?
            }
        };
        let Provided { image, mercury, mut container, debug_only: placed } = provided;
        let input = lower::LoweringInput {
            source: text,
            facts: &facts,
            sections: &sections,
            files: &files,
            intermediate_texts: &intermediate_texts,
            image: &image,
            mercury: mercury.as_ref(),
            target,
            relocatable,
            level,
            extras,
            debug_only: placed,
        };
        let lowered = lower::lower(&input, diagnostics)?;
        let statistics = statistics(&image, &lowered);
        let names: Vec<String> = lowered.sections.iter().map(|section| section.name.clone()).collect();
        container.set_debug_sections(lowered.sections)?;
        if mercury.is_some() {
            container.set_mercury_sections(lowered.mercury)?;
        }
        drop((image, mercury, facts, sections));
        if placed {
            apply_relocations(&mut container, &names)?;
        }
        let bytes = container.write()?;
        if let CodeImage::Cubin(data) = *code
            && has_tables_of_ptxas
            && level >= DebugLevel::Lines
            && let Some(exception) = exception(target, &bytes, data, as_ptxas)?
        {
            diagnostics.push(exception);
            if as_ptxas {
                return Ok((data.to_vec(), Statistics::of_cubin(&Cubin::parse(data)?)));
            }
        }
        Ok((bytes, statistics))
    }
}

/// Counts what is written.
fn statistics(image: &CodeFacts, lowered: &LoweredModule) -> Statistics {
    Statistics {
        functions: image.sections.iter().map(|section| section.parts.len()).sum(),
        sections: lowered.sections.len(),
        bytes: lowered.sections.iter().map(|section| section.bytes.len()).sum(),
        rows: lowered.rows,
    }
}

/// What is said of the lines of an intermediate language where there is no code.
fn no_intermediate_lines() -> Diagnostic {
    let message = "`.loc_intermediate` and `.nv_intermediate_source_section` are left out: without code there are no sections `.nv.tileir.*`";
    Diagnostic::warning(None, message.to_owned())
}

/// Says that the rules of the tool that made the code are not known for its SM, and what follows:
/// with `as_ptxas` its sections stay, which is not worth a warning. `None`: they are known.
fn unknown_rules(cubin: Option<&Cubin<'_>>, target: Target, as_ptxas: bool) -> Option<Diagnostic> {
    let Target { release, sm } = target;
    let is_known = cubin.map_or_else(|| release.knows_rules_of(sm), Cubin::has_known_rules);
    if is_known {
        return None;
    }
    let writer = cubin.and_then(Cubin::writer);
    let tool = writer.map_or_else(|| format!("ptxas {release}"), |writer| writer.to_string());
    let rules = format!("the rules by which {tool} makes debug sections for sm_{sm} are not known");
    Some(if as_ptxas {
        Diagnostic::note(format!("{rules}: its own debug sections stay as they are"))
    } else {
        let message = format!("{rules}: those of ptxas {} are used", Release::default());
        Diagnostic::warning(None, message)
    })
}

/// Says which line table of ptxas does not follow the rules that are known, and what follows: with
/// `as_ptxas` its sections stay. `None`: those that were written are the same.
fn exception(target: Target, written: &[u8], of_ptxas: &[u8], as_ptxas: bool) -> Result<Option<Diagnostic>> {
    let Target { release, sm } = target;
    if !release.line_tables_have_exceptions(sm) {
        return Ok(None);
    }
    let Some(table) = checked_tables::first_that_differs(written, of_ptxas)? else { return Ok(None) };
    let table = table.name();
    let rules =
        format!("the rules by which ptxas {release} made the {table} of this code for sm_{sm} are not known");
    Ok(Some(if as_ptxas {
        Diagnostic::note(format!("{rules}: its own debug sections stay as they are"))
    } else {
        Diagnostic::warning(None, format!("{rules}: the one that is written has other rows than its own"))
    }))
}

/// The texts of intermediate languages in a module, each with the path of its file.
fn intermediate_texts<'a>(module: &Module<'a>, files: &[SourceFile<'a>]) -> Vec<lower::IntermediateText<'a>> {
    let mut blocks = module.code_blocks().peekable();
    if blocks.peek().is_none() {
        return Vec::new();
    }
    let paths: HashMap<u64, &'a [u8]> = files.iter().rev().map(|file| (file.index, file.path)).collect();
    let text = |block: &CodeBlock<'a>| {
        Some(lower::IntermediateText { path: paths.get(&block.file).copied()?, text: block.text })
    };
    blocks.filter_map(text).collect()
}

/// Returns all diagnostics, if none is an error.
fn without_errors(diagnostics: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, CompileError> {
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(CompileError { kind: ErrorKind::Ptx, diagnostics });
    }
    Ok(diagnostics)
}

/// The text with blanks for `debug` in `.target`, so that a ptxas optimises; all else stays where
/// it is.
fn without_target_debug(text: &str, module: &Module<'_>) -> String {
    let mut bytes = text.to_owned().into_bytes();
    for target in module.targets() {
        let words = &target.specifiers;
        let pairs = words.windows(2).filter(|pair| pair[1].text == "debug");
        let mut blank: Vec<_> = pairs.map(|pair| pair[0].range.end..pair[1].range.end).collect();
        match words.as_slice() {
            [first] if first.text == "debug" => blank.push(target.range.start..target.range.end),
            [first, next, ..] if first.text == "debug" => blank.push(first.range.start..next.range.start),
            _ => {}
        }
        for range in blank {
            if let Some(bytes) = bytes.get_mut(range.start as usize..range.end as usize) {
                // Comments in between may hold line breaks.
                bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Replaces the relocations of the debug sections `names` by their values.
fn apply_relocations(container: &mut Cubin<'_>, names: &[String]) -> Result<()> {
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    let view = RelocatedCubin::new(container);
    let mut sections = Vec::new();
    for (index, name, _) in container.iter() {
        if names.contains(name) {
            let bytes = view.section(index)?.bytes.into_owned();
            sections.push(DebugSection { name: name.to_owned(), bytes, rel: Vec::new(), rela: Vec::new() });
        }
    }
    container.set_debug_sections(sections)?;
    Ok(())
}
