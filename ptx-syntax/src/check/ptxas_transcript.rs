//! The transcript of ptxas 13.0.88 for a module: its messages in its order, and whether it accepts.

use super::mode::Mode;
use super::verdict::Verdict;
use std::fmt::Write as _;

use super::ptxas_lines::PtxasLines;
use super::rules::RuleId;
use findings::RuleTable as _;

/// A set of [`Mode`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modes(u8);

impl Modes {
    pub(super) const NEVER: Self = Self(0);
    pub(super) const ALL: Self = Self(7);
    /// `-lineinfo` and `-g`.
    pub(super) const ASKED: Self = Self(6);
    pub(super) const G: Self = Self(4);

    pub(super) const fn has(self, mode: Mode) -> bool {
        self.0 & (1 << mode as u8) != 0
    }
}

/// The steps of ptxas, in their order. After the parser it stops at errors, and so it does before
/// it labels; after that it goes on to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// ptxas reads the file, and stops at the first byte that it does not accept.
    Read,
    /// ptxas parses the text. Errors are collected; a fatal error ends the step.
    Parse,
    /// ptxas checks the module as a whole. Its errors come together with those of the parser.
    Module,
    /// ptxas looks for names that are not defined: first those that kernels reach, then variables,
    /// then the rest.
    Symbols,
    /// ptxas prints the warnings that come before the generation of code.
    Warn,
    /// ptxas reads `.debug_info`.
    Dwarf,
    /// ptxas writes the line tables.
    Lines,
    /// ptxas lays out the sections of the module, each with its labels.
    Sections,
}

/// How a message ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Info,
    Warning,
    Error,
    Fatal,
    /// The message is a line without the prefix `ptxas`, and the module is refused.
    Bare,
    /// ptxas ends by a signal, without a message.
    Crash,
    /// The ptxas of the release may refuse the module here, or not.
    NotKnown,
}

impl Level {
    pub(super) const fn refuses(self) -> bool {
        !matches!(self, Self::Info | Self::Warning | Self::NotKnown)
    }
}

/// One message.
#[derive(Debug, Clone)]
pub(super) struct PtxasMessage {
    pub(super) rule: RuleId,
    pub(super) phase: Phase,
    /// Byte offset whose line it names; also its order among those of the parser.
    pub(super) at: u32,
    /// Whether it names the line.
    pub(super) with_line: bool,
    pub(super) level: Level,
    pub(super) modes: Modes,
    pub(super) text: String,
}

/// All messages, in ptxas' order.
#[derive(Debug, Clone, Default)]
pub(super) struct Transcript {
    said: Vec<PtxasMessage>,
    /// The module has `.target ..., debug`, which makes every mode [`Mode::G`].
    debug_target: bool,
    /// The end of the first item after the header, if the item is complete.
    first_item_end: Option<u32>,
}

impl Transcript {
    pub(super) fn new(mut said: Vec<PtxasMessage>, debug_target: bool, first_item_end: Option<u32>) -> Self {
        // A reduction ends with the token at which a fatal error may stand: errors first.
        said.sort_by_key(|said| (said.phase, said.at, said.level == Level::Fatal));
        Self { said, debug_target, first_item_end }
    }

    /// The messages of one mode, up to the one that ends the run.
    fn printed(&self, mode: Mode) -> impl Iterator<Item = &PtxasMessage> {
        let mode = if self.debug_target { Mode::G } else { mode };
        let mut ended_by: Option<&PtxasMessage> = None;
        let mut refused_in = None;
        self.said.iter().filter(move |said| said.modes.has(mode)).filter(move |said| {
            // The errors of these are collected.
            let step = match said.phase {
                Phase::Module => Phase::Parse,
                Phase::Sections => Phase::Lines,
                phase => phase,
            };
            let heard = match ended_by {
                // ptxas compares `.version` and `.target` when it has read an item, whatever comes
                // after it.
                Some(end) => {
                    let read = self.first_item_end.is_some_and(|item| item <= end.at);
                    said.rule == RuleId::TargetNeedsVersion && end.phase == Phase::Parse && read
                }
                None => refused_in.is_none_or(|refused| refused == step),
            };
            if heard && said.level.refuses() {
                refused_in = Some(step);
            }
            if heard && matches!(said.level, Level::Fatal | Level::Bare | Level::Crash) {
                ended_by = Some(said);
            }
            heard
        })
    }

    /// Whether a message of the rule refuses the module; a crash is none.
    pub(super) fn refuses(&self, mode: Mode, rule: RuleId) -> bool {
        let mode = if self.debug_target { Mode::G } else { mode };
        let refusing = |said: &&PtxasMessage| said.level.refuses() && said.level != Level::Crash;
        self.said.iter().filter(refusing).any(|said| said.rule == rule && said.modes.has(mode))
    }

    /// What is said and refuses nothing.
    pub(super) fn remarks(&self, mode: Mode) -> impl Iterator<Item = &str> {
        let remarks = |said: &&PtxasMessage| !said.level.refuses() && said.level != Level::NotKnown;
        self.printed(mode).filter(remarks).map(|said| said.text.trim_start())
    }

    pub(super) fn verdict(&self, mode: Mode) -> Verdict {
        let mut not_known = None;
        for said in self.printed(mode) {
            if said.level.refuses() {
                return Verdict::Reject(said.rule.rule());
            }
            if said.level == Level::NotKnown && said.phase == Phase::Read {
                // Nor is it known which text it goes on with.
                return Verdict::NotKnown(said.rule.rule());
            }
            if said.level == Level::NotKnown {
                not_known.get_or_insert(said.rule);
            }
        }
        not_known.map_or(Verdict::Accept, |rule| Verdict::NotKnown(rule.rule()))
    }

    /// The lines of ptxas' standard error; `file` is the name it was given.
    pub(super) fn print(&self, mode: Mode, file: &str, lines: &PtxasLines<'_>) -> String {
        let mut out = String::new();
        let mut aborted = false;
        for said in self.printed(mode) {
            let level = match said.level {
                Level::Info => "info    : ",
                Level::Warning => "warning : ",
                Level::Error => "error   : ",
                Level::Fatal => "fatal   : ",
                Level::Bare => {
                    out.push_str(&said.text);
                    out.push('\n');
                    continue;
                }
                Level::Crash | Level::NotKnown => continue,
            };
            out.push_str("ptxas ");
            if said.with_line {
                let (marked, line) = lines.line(said.at);
                // A late message names the file where ptxas has got to.
                let marked = if said.phase == Phase::Parse { marked } else { lines.last_file() };
                let _ = write!(out, "{}, line {line}; ", marked.unwrap_or(file));
            }
            out.push_str(level);
            out.push_str(&said.text.replace(FILE, file));
            out.push('\n');
            aborted |= said.level.refuses() && said.phase <= Phase::Module && said.rule != RuleId::Address32;
        }
        if aborted {
            out.push_str("ptxas fatal   : Ptx assembly aborted due to errors\n");
        }
        out
    }
}

/// What ptxas 13.0.88 -c ends with where a relocation leads to a section that it has left out.
pub(super) const DELETED_SYMBOL: &str = "Internal error: reference to deleted symbol";

/// Stands for the file's name in a message's text. No message can hold it: modules with NUL bytes
/// are not parsed.
pub(super) const FILE: &str = "\0file\0";
