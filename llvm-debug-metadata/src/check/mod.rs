//! Checks the debug metadata of a module: what libNVVM refuses or drops, and what gets lost
//! without a word.
//!
//! LLVM's verifier knows most of these rules, and libNVVM 13.0.88 has two of them: that of LLVM 7
//! for typed pointers (architectures below compute_100) and a modern one. Where they differ, the
//! dialect of the module says which one is followed. Observed: libNVVM 13.0.88
//! (`tests/data/check/measured.txt`).

mod answer;
pub(crate) mod debug_attachment;
mod emission;
mod expected_node;
mod explanations;
mod expression;
mod fault;
mod field_rows;
mod finding;
mod fragments;
mod functions;
pub(crate) mod inlinable;
pub(crate) mod inlined;
mod instruction_attachment;
mod libnvvm;
mod nodes;
mod records;
mod reference_rows;
mod rule_table;
mod rules;
mod scopes;
mod sink;
pub(crate) mod subprogram;
mod syntax;
mod unverified;
mod variables;
mod verifier;
pub(crate) mod versions;
mod visit;
mod walk;
mod words;

pub use answer::{LibNvvmAnswer, LibNvvmOutcome};
pub use finding::{Finding, MoreFindings, Report};
pub use rules::{Details, RULES, Rule, RuleId};

use crate::{IrDialect, Module};

/// Checks a module. It takes time and memory that grow with the text.
pub fn check(module: &Module<'_>) -> Report {
    let dialect = IrDialect::of(module);
    let mut sink = sink::Sink::new();
    let syntax = syntax::check(module, dialect, &mut sink);
    _ = sink.take_sentences();
    versions::check(module, &mut sink);
    let versions = sink.take_sentences();
    let verified = walk::check(module, dialect, &mut sink);
    emission::check(module, dialect, &mut sink);
    variables::check(module, dialect, &mut sink);
    let variables = sink.take_sentences();
    let sentences = libnvvm::Sentences { syntax, versions, verified, variables };
    let answer = libnvvm::answer(module, dialect, sentences, &sink);
    sink.into_report(dialect, answer)
}
