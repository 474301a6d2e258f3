//! The passes of LLVM that take debug information out of a module, by their names.

mod all;
mod dead;
mod declares;
mod loops;
mod names;
mod non_line_table;
mod symbols;
mod types;
mod units;

use crate::lexer::{Lexer, TokenKind};
use crate::module::Module;
use crate::rewrite::{Changes, write};
use crate::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::fmt::{self, Display};

/// A pass that strips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StripPass {
    /// Takes global variables that are gone out of their units, and units that nothing uses out of
    /// `!llvm.dbg.cu`.
    DeadDebugInfo,
    /// Takes declares of variables out. LLVM 19 leaves them all, since its modules have records and
    /// the pass looks for calls.
    DebugDeclare,
    /// Takes names of values, blocks, types, internal functions and variables out.
    NonDebug,
    /// Leaves what line tables need: locations, functions, files, and units with `LineTablesOnly`.
    NonLineTable,
    /// Takes all debug information out, as the option `--strip-debug` of LLVM's `opt`.
    All,
}

/// All passes.
pub const STRIP_PASSES: [StripPass; 5] = [
    StripPass::DeadDebugInfo,
    StripPass::DebugDeclare,
    StripPass::NonDebug,
    StripPass::NonLineTable,
    StripPass::All,
];

impl StripPass {
    /// LLVM's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeadDebugInfo => "strip-dead-debug-info",
            Self::DebugDeclare => "strip-debug-declare",
            Self::NonDebug => "strip-nondebug",
            Self::NonLineTable => "strip-nonlinetable-debuginfo",
            Self::All => "strip-debug",
        }
    }

    /// The pass with this name.
    pub fn named(name: &str) -> Option<Self> {
        STRIP_PASSES.into_iter().find(|pass| pass.name() == name)
    }
}

/// Which declares go where LLVM 19 leaves all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Declares {
    /// None, as with LLVM 19.
    #[default]
    AsLlvm,
    /// All: `#dbg_declare` records and calls of `llvm.dbg.declare`.
    Remove,
}

/// What was done otherwise than the name of the pass, or LLVM, would have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// As LLVM 19 does, the pass left this number of declares.
    DeclaresStay(usize),
    /// Units had a `dwoId`, for which LLVM 19 aborts: they became plain units.
    SplitUnits(usize),
}

impl Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeclaresStay(1) => f.write_str("1 declare of a variable stays, as with LLVM 19"),
            Self::DeclaresStay(count) => write!(f, "{count} declares of variables stay, as with LLVM 19"),
            Self::SplitUnits(1) => {
                f.write_str("1 unit has a dwoId, with which LLVM 19 aborts; it is left out")
            }
            Self::SplitUnits(count) => {
                write!(f, "{count} units have a dwoId, with which LLVM 19 aborts; it is left out")
            }
        }
    }
}

/// The text of a stripped module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped<'a> {
    /// The text; borrowed, to the byte, where the pass changes nothing.
    pub text: Cow<'a, str>,
    /// What a user ought to know.
    pub notes: Vec<Note>,
}

/// Strips a module as LLVM 19 does. The result has nodes and groups of attributes in the order and
/// with the numbers with which LLVM would print it.
///
/// # Errors
///
/// The first one of [`Module::errors`]; numbers of nodes that are not defined, where they stand.
pub fn strip<'a>(module: &Module<'a>, pass: StripPass, declares: Declares) -> Result<Stripped<'a>> {
    if let Some(error) = module.errors().first() {
        return Err(error.clone());
    }
    strip_sound(module, pass, declares).map_err(|error| located(module, error))
}

/// An error with the place of the number that it is about, if it has none.
fn located(module: &Module<'_>, error: Error) -> Error {
    let wanted = match error.kind {
        ErrorKind::UndefinedNode(number) => Some(number),
        ErrorKind::NumberTooLarge => None,
        _ => return error,
    };
    if !error.range.is_empty() {
        return error;
    }
    let mut numbers = Lexer::new(module.text).filter(|token| token.kind == TokenKind::MetadataNumber);
    let found = numbers.find(|token| token.number(module.text) == wanted);
    Error { range: found.map_or(error.range, |token| token.range), ..error }
}

fn strip_sound<'a>(module: &Module<'a>, pass: StripPass, declares: Declares) -> Result<Stripped<'a>> {
    let mut notes = Vec::new();
    let mut changes = Changes::new(module);
    match pass {
        StripPass::DeadDebugInfo => dead::strip(&mut changes)?,
        StripPass::DebugDeclare => declares::strip(&mut changes, declares, &mut notes),
        StripPass::NonDebug => symbols::strip(&mut changes),
        StripPass::NonLineTable => non_line_table::strip(&mut changes, &mut notes)?,
        StripPass::All => all::strip(&mut changes)?,
    }
    let text = if changes.is_empty() { module.text.into() } else { write(changes)?.into() };
    Ok(Stripped { text, notes })
}
