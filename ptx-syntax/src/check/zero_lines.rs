//! Checks of `.loc` with line 0: code without a line of its own. ptxas writes no row for it, so it
//! belongs to the row before.

use super::files::Files;
use super::loc_equality::same_call;
use super::reachable_code::{PURE, leaves};
use super::rules::RuleId;
use super::sink::Sink;
use crate::instruction::Instruction;
use crate::lexer::{TokenKind, tokenize};
use crate::loc::LocDirective;
use dwarf2_reader::source_path;
use findings::Severity;

/// What labels begin with that LLVM sets for its debug sections. No code jumps there, so they begin
/// no block.
const LABEL_OF_LLVM: &str = "$L__tmp";

/// The `.loc` with line 0 of one function, told statement by statement.
pub(super) struct ZeroLines<'f, 'l> {
    files: &'f Files<'f, 'f>,
    /// The last `.loc` with a line.
    placed: Option<&'l LocDirective<'l>>,
    /// The one whose row the code before has.
    row: Option<&'l LocDirective<'l>>,
    /// The instruction before, unless a label stands between.
    last: Option<&'l Instruction<'l>>,
    has_locs: bool,
    pending: Option<Pending<'l>>,
}

/// A `.loc` with line 0, up to the next `.loc`.
struct Pending<'l> {
    loc: &'l LocDirective<'l>,
    /// See [`ZeroLines::row`], at its place.
    row: Option<&'l LocDirective<'l>>,
    /// The code before runs on into this, in the text and so in most layouts.
    is_next: bool,
    /// It has the form in which LLVM marks instructions without any place.
    is_unplaced: bool,
    has_code: bool,
    /// The opcode of its first instruction that does more than compute.
    acts: Option<&'l str>,
}

impl<'f, 'l> ZeroLines<'f, 'l> {
    pub(super) fn new(files: &'f Files<'f, 'f>) -> Self {
        Self { files, placed: None, row: None, last: None, has_locs: false, pending: None }
    }

    pub(super) fn loc(&mut self, loc: &'l LocDirective<'l>, sink: &mut Sink<'_>) {
        self.end(sink);
        if loc.line != 0 {
            // The function's entry has the first one, even if no code follows.
            if !self.has_locs {
                self.row = Some(loc);
            }
            self.placed = Some(loc);
        } else {
            // LLVM keeps file and column of the place before, "to save space", and drops the
            // inlined call.
            let is_like = |before: &LocDirective<'_>| (before.file, before.column) == (loc.file, loc.column);
            let is_unplaced = loc.inlined_at.is_none() && self.placed.is_some_and(is_like);
            let is_next = self.last.is_some_and(|instruction| !leaves(instruction));
            let row = self.row;
            self.pending = Some(Pending { loc, row, is_next, is_unplaced, has_code: false, acts: None });
        }
        self.has_locs = true;
    }

    pub(super) fn label(&mut self, name: &str) {
        if name.starts_with(LABEL_OF_LLVM) {
            return;
        }
        self.last = None;
        if let Some(pending) = self.pending.as_mut().filter(|pending| !pending.has_code) {
            pending.is_next = false;
        }
    }

    pub(super) fn instruction(&mut self, instruction: &'l Instruction<'l>) {
        if let Some(pending) = &mut self.pending {
            pending.has_code = true;
            if pending.acts.is_none() && acts(instruction) {
                pending.acts =
                    Some(instruction.opcode.text).filter(|text| !text.contains(char::is_whitespace));
                pending.acts = pending.acts.or(Some(instruction.mnemonic()));
            }
        } else if self.placed.is_some() {
            self.row = self.placed;
        }
        self.last = Some(instruction);
    }

    /// At the next `.loc`, or the end of the function.
    pub(super) fn end(&mut self, sink: &mut Sink<'_>) {
        let Some(pending) = self.pending.take() else { return };
        let range = pending.loc.range;
        let overflowed = overflowed(pending.loc, sink.text);
        let what = overflowed.map_or("line 0".to_owned(), |line| format!("line {line} overflows to 0"));
        let (severity, why) = pending.severity(overflowed.is_some());
        let counts = self.counts(&pending);
        let acts = match pending.acts {
            Some(opcode) if severity == Severity::Note => format!(", its `{opcode}` too"),
            _ => String::new(),
        };
        let message = format_args!("{what}: ptxas writes no row{counts}{acts}{why}");
        if let Some(finding) = sink.find_as(severity, RuleId::LineZero, range, message)
            && severity > Severity::Note
        {
            finding.help = Some(
                "write the line of the statement that the code belongs to; `compile --line-table full` keeps line 0"
                    .into(),
            );
        }
    }

    /// What the code is shown as.
    fn counts(&self, pending: &Pending<'_>) -> String {
        if !pending.has_code {
            return ", and no instruction follows".to_owned();
        }
        let Some(row) = pending.row else {
            return ", and none stands before it in the function: the code has no line".to_owned();
        };
        let line = row.line;
        let name = match self.files.get(&row.file) {
            Some(file) => source_path::file_name(file.path).to_owned(),
            None => format!("file {}", row.file),
        };
        if pending.is_next {
            format!(", and the code counts to the row before, line {line} of {name}")
        } else {
            format!(
                ", and the order of the blocks decides what the code counts to: in the text line {line} of {name}"
            )
        }
    }
}

impl Pending<'_> {
    /// How bad it is, and why it is more than a note.
    fn severity(&self, is_overflow: bool) -> (Severity, String) {
        let note = (Severity::Note, String::new());
        let warning = |why: &str| (Severity::Warning, why.to_owned());
        if is_overflow {
            return warning("");
        }
        if !self.has_code {
            return note;
        }
        let Some(row) = self.row else { return warning("") };
        if self.is_unplaced {
            return note;
        }
        if row.file != self.loc.file {
            return warning("; this `.loc` names another file");
        }
        if !same_call(row, self.loc) {
            return warning("; this `.loc` names another inlined call");
        }
        match self.acts {
            Some(opcode) => warning(&format!("; a tool that stops at its `{opcode}` names that line")),
            None => note,
        }
    }
}

/// Whether tools stop at an instruction or report it: it reads or writes memory that others see,
/// calls, waits or traps. An instruction that only computes or jumps comes from the compiler as
/// often as from the source.
fn acts(instruction: &Instruction<'_>) -> bool {
    let is_own = |space: &str| matches!(space, ".param" | ".local" | ".const");
    match instruction.mnemonic() {
        // `%SP` and `%SPL` are LLVM's names of the pointer to the function's own stack.
        "ld" | "ldu" | "st" => {
            let mut spaces =
                instruction.modifiers().map(|word| word.text.split("::").next().unwrap_or(word.text));
            !spaces.any(is_own) && !instruction.text().contains("[%SP")
        }
        "bra" | "brx" | "ret" | "exit" => false,
        other => !PURE.contains(&other),
    }
}

/// A line that ptxas takes for 0, as written, if it is another.
fn overflowed<'t>(loc: &LocDirective<'_>, text: &'t str) -> Option<&'t str> {
    let text = loc.range.slice(text);
    let token = tokenize(text).filter(|token| !token.kind.is_trivia()).nth(2)?;
    let written = token.range.slice(text);
    let digits = written.trim_start_matches("0x").trim_start_matches("0X");
    let is_other = digits.bytes().any(|digit| digit.is_ascii_hexdigit() && digit != b'0');
    (token.kind == TokenKind::Integer && is_other && digits.len() > "0b0".len()).then_some(written)
}
