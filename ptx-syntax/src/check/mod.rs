//! Checks of a module's debug directives: what the PTX ISA requires, what ptxas does (13.0.88,
//! unless a release has a row of its own), and what information gets lost.
//!
//! [`check`] gives [`Report::findings`] for people and machines, [`Report::verdict`] and
//! [`Report::ptxas_messages`] for what ptxas would say, and [`Report::min_version`]. The rules are
//! the rows of [`RULES`].

mod answer;
mod bounded_text;
mod calls;
mod check_context;
mod data;
mod debug_entries;
mod debug_info;
mod debug_info_releases;
mod declarations;
mod dropped_calls;
mod dwarf;
mod examples;
mod explanations;
mod files;
mod finding;
mod function_heads;
mod gates;
mod grammar;
mod header;
mod inline_asm;
mod intermediate;
mod layout;
mod loc_code;
mod loc_equality;
mod loc_lines;
mod located_findings;
mod locs;
mod locs_without_code;
mod mapped_paths;
mod markers;
mod missing_sources;
mod mode;
mod module_facts;
mod parameters;
mod ptx_version;
mod ptxas_lines;
mod ptxas_transcript;
mod reachable_code;
mod release_behaviour;
mod report;
mod rule_details;
mod rule_row;
mod rule_table;
mod rules;
mod sections;
mod sink;
mod source_lines;
mod symbols;
mod target_debug;
mod unlisted_findings;
mod verdict;
mod zero_lines;

pub use crate::limits::MAX_FINDINGS_PER_RULE;
pub use answer::CheckAnswer;
pub use check_context::CheckContext;
pub use finding::Finding;
pub use findings::{RuleTable, Severity};
pub use gates::{GATES, GatedUse, MinVersion, VersionGate};
pub use loc_code::{LocCode, loc_codes};
pub use mode::Mode;
pub use ptx_version::PtxVersion;
pub use ptxas_lines::PtxasLines;
pub use release_behaviour::{ReleaseBehaviour, ReleaseDifference};
pub use report::Report;
pub use rule_details::Details;
pub use rule_row::RuleRow;
pub use rules::{RULES, Rule, RuleId};
pub use source_lines::{SourceLines, SourceState};
pub use unlisted_findings::UnlistedFindings;
pub use verdict::Verdict;

// For `crate::fix`.
pub(crate) use examples::example;
pub(crate) use gates::gate_of;
pub(crate) use loc_equality::is_same_loc as same_loc;
pub(crate) use module_facts::ModuleFacts;

use gates::Gates;
use module_facts::{first_item, is_complete};
use ptxas_transcript::Transcript;
use sink::Sink;

use crate::parser::Parsed;

/// Checks the debug directives of a parsed module.
pub fn check(parsed: &Parsed<'_>, context: &CheckContext<'_>) -> Report {
    let module = &parsed.module;
    let version = module.version().and_then(PtxVersion::as_ptxas_reads);
    let known = ModuleFacts::new(module, version, context.relocatable);
    let mut gates = Gates::new(version);
    let mut sink = Sink::new(module.text, context.release);

    grammar::check(parsed, &mut sink);
    header::check(module, context, &mut gates, &mut sink);
    function_heads::check(module, &mut gates, &mut sink);
    declarations::check(module, &mut sink);
    parameters::check(module, &mut sink);
    symbols::check(module, context.relocatable, &mut sink);
    let files = files::check(module, &known, &mut gates, &mut sink);
    let sections = data::check(module, &known, &mut gates, &mut sink);
    let describes = debug_info::check(module, &sections, &files, &mut sink);
    mapped_paths::check(module, &sections, context.path_map, &mut sink);
    locs::check(
        module,
        &known,
        &locs::LocContext { files: &files, sections: &sections, options: context },
        &mut gates,
        &mut sink,
    );
    loc_lines::check(module, &mut sink);
    dropped_calls::check(module, &files, &sections, &mut sink);
    locs_without_code::check(module, &files, &mut sink);
    inline_asm::check(module, &mut sink);
    if let Some(source_lines) = context.source_lines {
        missing_sources::check(&files, source_lines, &mut sink);
    }
    intermediate::check(module, &files, &mut gates, &mut sink);
    if memchr::memchr(b'#', module.text.as_bytes()).is_some() {
        markers::check(module, &known, &mut sink);
    }
    target_debug::check(module, &known, describes, &mut sink);

    let (findings, more, said) = sink.finish();
    let first = first_item(module).filter(|item| is_complete(item, module.text));
    let transcript = Transcript::new(said, known.debug, first.map(|item| item.range().end));
    Report {
        findings,
        more,
        in_baseline: None,
        release: context.release,
        min_version: gates.min_version,
        transcript,
    }
}
