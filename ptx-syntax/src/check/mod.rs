//! Checks of a module's debug directives: what the PTX ISA requires, what ptxas does (13.0.88,
//! unless a release has a row of its own), and what information gets lost.
//!
//! [`check`] gives [`Report::findings`] for people and machines, [`Report::verdict`] and
//! [`Report::ptxas_messages`] for what ptxas would say, and [`Report::min_version`]. The rules are
//! the rows of [`RULES`].

mod answer;
mod bounded_text;
mod calls;
mod data;
mod debug_entries;
mod debug_info;
mod declarations;
mod dwarf;
mod examples;
mod explanations;
mod files;
mod gates;
mod grammar;
mod header;
mod layout;
mod loc_equality;
mod loc_lines;
mod located_findings;
mod locs;
mod markers;
mod parameters;
mod ptx_version;
mod ptxas_lines;
mod ptxas_transcript;
mod reachable_code;
mod rules;
mod sections;
mod sink;
mod symbols;
mod table;
mod zero_lines;

pub use crate::limits::MAX_FINDINGS_PER_RULE;
pub use answer::{CheckAnswer, RuleRow};
pub use findings::{RuleTable, Severity};
pub use gates::{GATES, GatedUse, MinVersion, VersionGate};
pub use ptx_version::PtxVersion;
pub use ptxas_lines::PtxasLines;
pub use ptxas_transcript::{Mode, Verdict};
pub use rules::{Details, RULES, Rule, RuleId};
pub use sink::{Finding, UnlistedFindings};

// For `crate::fix`.
pub(crate) use examples::example;
pub(crate) use loc_equality::is_same_loc as same_loc;

use gates::Gates;
use ptxas_transcript::{Level, Modes, Phase, Transcript};
use sink::Sink;

use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::ptxas::Ptxas;
use crate::statement::Statement;

/// A function that returns the number of lines of a source file, by its path in `.file`; `None` if
/// the file is not available.
pub type SourceLines<'c> = dyn Fn(&str) -> Option<u32> + 'c;

/// Facts outside the text that the caller supplies to [`check`].
#[derive(Default)]
pub struct CheckContext<'c> {
    /// Asked for each file once, to find lines past its end.
    pub source_lines: Option<&'c SourceLines<'c>>,
    /// The ptxas that is asked about; that of CUDA 13.0 by default.
    pub ptxas: Ptxas,
    /// ptxas is called with -c: other modules may define this one's `.extern` variables and
    /// functions.
    pub relocatable: bool,
}

impl std::fmt::Debug for CheckContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("source_lines", &self.source_lines.is_some())
            .field("ptxas", &self.ptxas)
            .field("relocatable", &self.relocatable)
            .finish()
    }
}

/// The result of [`check`]: the findings, and the messages of ptxas.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// In text order; at most [`MAX_FINDINGS_PER_RULE`] of each rule and severity.
    pub findings: Vec<Finding>,
    /// The findings that are not listed, in the order of [`RULES`].
    pub more: Vec<UnlistedFindings>,
    /// The number of findings that were left out because a baseline has them; none without a
    /// baseline.
    pub in_baseline: Option<usize>,
    /// The least `.version` for the directives used.
    pub min_version: MinVersion,
    transcript: Transcript,
}

impl Report {
    /// Returns whether ptxas 13.0.88 accepts the module.
    ///
    /// It is judged by its debug directives, its grammar, and its declarations and their linkage:
    /// opcodes, operand types, registers and initial values are not looked at.
    pub fn verdict(&self, mode: Mode) -> Verdict {
        self.transcript.verdict(mode)
    }

    /// Returns the lines that ptxas 13.0.88 writes to standard error, each ended by `\n`. `file` is
    /// the name that it is given.
    pub fn ptxas_messages(&self, mode: Mode, file: &str, lines: &PtxasLines<'_>) -> String {
        self.transcript.print(mode, file, lines)
    }

    /// Whether ptxas 13.0.88 rejects the module because of a finding of this rule, even if it would
    /// report another finding first. A module at which ptxas crashes is not rejected.
    pub fn is_rejected_for(&self, mode: Mode, rule: RuleId) -> bool {
        self.transcript.refuses(mode, rule)
    }

    /// Iterates over the warnings and remarks of ptxas 13.0.88, without its prefix.
    pub fn ptxas_remarks(&self, mode: Mode) -> impl Iterator<Item = &str> {
        self.transcript.remarks(mode)
    }

    /// The highest severity among the findings; `None` if there are none.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Facts of the whole module that several rules ask for.
#[derive(Debug)]
pub(crate) struct ModuleFacts {
    /// `.target ..., debug`
    debug: bool,
    /// Whether anything follows the header, so that ptxas does more than parse.
    code: bool,
    /// ptxas is called with -c.
    relocatable: bool,
    /// Modes in which line information is made.
    lines: Modes,
    /// Modes in which a line table is written.
    line_table: Modes,
    /// Modes in which it has rows.
    rows: Modes,
    /// Modes in which `.debug_str` is kept.
    names: Modes,
}

impl ModuleFacts {
    fn new(module: &Module<'_>, version: Option<PtxVersion>, relocatable: bool) -> Self {
        let debug = module.is_debug();
        let bodies = module.functions().filter_map(|function| function.body.as_ref());
        let code = first_item(module).is_some();
        let has_loc = bodies.flat_map(|body| &body.statements).any(|s| matches!(s, Statement::Loc(_)));
        // From PTX 4.0 on `.loc` asks for line information by itself.
        let unasked = version.is_some_and(|version| version >= PtxVersion::new(4, 0));
        let lines = if unasked || debug { Modes::ALL } else { Modes::ASKED };
        let line_table = if has_loc { lines } else { Modes::ASKED };
        let rows = if has_loc { lines } else { Modes::NEVER };
        let names = if has_loc { lines } else { Modes::ASKED };
        Self { debug, code, relocatable, lines, line_table, rows, names }
    }
}

/// Checks the debug directives of a parsed module.
pub fn check(parsed: &Parsed<'_>, context: &CheckContext<'_>) -> Report {
    let module = &parsed.module;
    let version = module.version().and_then(PtxVersion::as_ptxas_reads);
    let known = ModuleFacts::new(module, version, context.relocatable);
    let mut gates = Gates::new(version);
    let mut sink = Sink::new(module.text, context.ptxas);

    grammar::check(parsed, &mut sink);
    header::check(module, context.relocatable, &mut gates, &mut sink);
    declarations::check(module, &mut sink);
    parameters::check(module, &mut sink);
    symbols::check(module, context.relocatable, &mut sink);
    let files = files::check(module, &known, &mut gates, &mut sink);
    let sections = data::check(module, &known, &mut gates, &mut sink);
    let describes = debug_info::check(module, &sections, &files, &mut sink);
    locs::check(
        module,
        &known,
        &locs::LocContext { files: &files, sections: &sections, options: context },
        &mut gates,
        &mut sink,
    );
    loc_lines::check(module, &mut sink);
    if memchr::memchr(b'#', module.text.as_bytes()).is_some() {
        markers::check(module, &known, &mut sink);
    }
    check_module(module, &known, describes, &mut sink);

    let (findings, more, said) = sink.finish();
    let first = first_item(module).filter(|item| is_complete(item, module.text));
    let transcript = Transcript::new(said, known.debug, first.map(|item| item.range().end));
    Report { findings, more, in_baseline: None, min_version: gates.min_version, transcript }
}

/// The first item after `.version`, `.target` and `.address_size`.
fn first_item<'m, 'a>(module: &'m Module<'a>) -> Option<&'m Item<'a>> {
    let is_header = |item: &&Item<'_>| {
        matches!(item, Item::Version(_) | Item::Target(_) | Item::AddressSize(_) | Item::Unknown(_))
    };
    module.items.iter().find(|item| !is_header(item))
}

/// Whether no error cut an item short.
fn is_complete(item: &Item<'_>, text: &str) -> bool {
    match item {
        Item::File(file) => file.is_complete,
        Item::AtDwarf(line) => line.is_complete,
        item => item.range().slice(text).ends_with([';', '}']),
    }
}

/// Checks what concerns the module as a whole. `describes` says whether `.debug_info` has entries
/// other than those of units.
fn check_module(module: &Module<'_>, known: &ModuleFacts, describes: bool, sink: &mut Sink<'_>) {
    let words = module.targets().flat_map(|target| &target.specifiers);
    let Some(debug) = words.into_iter().find(|word| word.text == "debug") else { return };
    let mut blocks = module.items.iter().filter(|item| matches!(item, Item::Section(_) | Item::AtDwarf(_)));
    if blocks.next().is_none() {
        let rule = RuleId::DebugWithoutSection;
        if let Some(finding) = sink.find(
            rule,
            debug.range,
            format_args!("`debug` asks for a debug section, and the module has none"),
        ) {
            finding.help = Some("drop `, debug`, or add an empty section: `.section .debug_loc { }`".into());
        }
        let said = format_args!("Debug information not found in presence of .target debug");
        sink.ptxas_message(rule, Phase::Module, 0, Level::Error, Modes::ALL, said);
    } else if known.code && describes {
        let message = format_args!("`debug` here turns optimisation off (-O0), as -g does");
        sink.find_as(Severity::Note, RuleId::DebugMeansO0, debug.range, message);
    } else if known.code {
        let message = format_args!(
            "`debug` here turns optimisation off (-O0), and no entry describes a function or variable"
        );
        if let Some(finding) = sink.find(RuleId::DebugMeansO0, debug.range, message) {
            finding.help = Some("drop `, debug` and use -lineinfo for lines of optimised code".into());
        }
    }
}
