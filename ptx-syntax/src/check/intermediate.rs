//! Checks of `.loc_intermediate` and `.nv_intermediate_source_section`.

use foldhash::HashMap;

use super::files::Files;
use super::gates::Gates;
use super::rules::RuleId;
use super::sink::Sink;
use crate::intermediate::{CodeBlock, IntermediateLoc};
use crate::module::{Item, Module};
use crate::statement::Statement;

/// The texts of the module by the file that they are of.
type Texts<'m, 'a> = HashMap<u64, &'m CodeBlock<'a>>;

/// Checks both directives.
pub(super) fn check<'a>(module: &Module<'a>, files: &Files<'_, 'a>, gates: &mut Gates, sink: &mut Sink<'_>) {
    for item in &module.items {
        let Item::IntermediateSources(sources) = item else { continue };
        let rule = RuleId::GateIntermediateSources;
        let word = super::grammar::next_token(module.text, sources.range.start).range;
        gates.check_directive(rule, word, word.start, sink);
        for block in &sources.blocks {
            has_file(block, files, sink);
            has_end(block, sink);
        }
    }
    let texts: Texts<'_, 'a> = module.code_blocks().map(|block| (block.file, block)).collect();
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    for statement in bodies.flat_map(|body| &body.statements) {
        let Statement::IntermediateLoc(loc) = statement else { continue };
        let release = sink.release;
        if loc.is_complete || !release.has_intermediate_lines() {
            gates.check_directive(RuleId::GateIntermediateLoc, loc.range, loc.range.end - 1, sink);
        }
        if loc.is_complete {
            has_line(loc, files, &texts, sink);
        }
    }
}

/// Whether the file of a text is declared before it, as ptxas asks for.
fn has_file(block: &CodeBlock<'_>, files: &Files<'_, '_>, sink: &mut Sink<'_>) {
    let file = block.file;
    let declared = files.get(&file);
    if declared.is_some_and(|declared| declared.range.start < block.range.start) {
        return;
    }
    let what = if declared.is_some() { "is declared after its text" } else { "is not declared" };
    let message = format_args!("file {file} {what}: ptxas asks for its `.file` before");
    if let Some(finding) = sink.find(RuleId::SourceTextFile, block.file_range, message) {
        finding.related = declared.map(|declared| (declared.range, "declared here".into()));
    }
    let said = format_args!("Undefined file index #{file}");
    sink.ptxas_error(RuleId::SourceTextFile, block.range.start, said);
}

/// Whether ptxas sees the end of a text that has not even an empty line.
fn has_end(block: &CodeBlock<'_>, sink: &mut Sink<'_>) {
    let lines = block.source.slice(sink.text).matches('\n').count();
    let release = sink.release;
    if lines > 1 || release.takes_empty_source_texts() || !release.has_intermediate_lines() {
        return;
    }
    let rule = RuleId::UnterminatedSource;
    let message = format_args!("the text has no line: ptxas {release} does not find its end");
    sink.error(rule, block.source, message);
    let said = format_args!("Parsing error near '': unterminated .source_begin, expected .source_end");
    sink.ptxas_fatal(rule, sink.text.len() as u32, said);
}

/// Whether the module has the line of a directive. One of line 0 takes the place away.
fn has_line(loc: &IntermediateLoc, files: &Files<'_, '_>, texts: &Texts<'_, '_>, sink: &mut Sink<'_>) {
    let IntermediateLoc { file, line, range, .. } = *loc;
    if line == 0 {
        return;
    }
    let rule = RuleId::IntermediateLine;
    let Some(block) = texts.get(&file) else {
        let what = if files.contains_key(&file) { "has no text in the module" } else { "is not declared" };
        let message = format_args!("file {file} {what}: no reader will find line {line}");
        return sink.error(rule, range, message);
    };
    let count = block.text.split('\n').count();
    if line > count as u64 {
        let message =
            format_args!("line {line} is past the end of the text of file {file}, which has {count} lines");
        if let Some(finding) = sink.find(rule, range, message) {
            finding.related = Some((block.range, "the text".into()));
        }
    }
}
