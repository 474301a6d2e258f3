//! Made-up debug information, by which one sees what passes lose: a line for each instruction and a
//! variable for each value.

mod apply;
mod check;
mod message_fields;

mod statistics;

pub use apply::{Debugified, DebugifyOptions, VariableForm, debugify};
pub use check::{CheckMessage, CheckedDebugify, check_debugify};
pub use statistics::{DebugifyStatistics, PassStatistics};

use crate::module::{FunctionItem, Module};
use std::borrow::Cow;

/// The functions that get debug information, or are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionScope<'a> {
    /// All of a module.
    Module,
    /// The one with this name, without `@`, quotes and escapes.
    Function(&'a str),
}

impl FunctionScope<'_> {
    fn has(self, module: &Module<'_>, function: &FunctionItem) -> bool {
        match self {
            Self::Module => true,
            Self::Function(name) => unescaped(function_name(module, function)) == name,
        }
    }
}

/// A name as LLVM prints it in messages: `\22` is a quote. Bytes that are not UTF-8 become U+FFFD.
pub(crate) fn unescaped(name: &str) -> Cow<'_, str> {
    if !name.contains('\\') {
        return Cow::Borrowed(name);
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|digits| first == b'\\' && digits[0] != b'+');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether LLVM passes over a function: it is declared only, or a linker may take another one in
/// its place.
fn is_passed_over(module: &Module<'_>, function: &FunctionItem) -> bool {
    let before = crate::TextRange { end: function.global.name.start, ..function.header };
    let mut words = before.slice(module.text).split_ascii_whitespace();
    function.body.is_none()
        || words.any(|word| {
            matches!(word, "linkonce" | "linkonce_odr" | "weak" | "weak_odr" | "available_externally")
        })
}

/// The name of a function without `@` and quotes.
fn function_name<'a>(module: &Module<'a>, function: &FunctionItem) -> &'a str {
    function.global.name.slice(module.text).trim_start_matches('@').trim_matches('"')
}
