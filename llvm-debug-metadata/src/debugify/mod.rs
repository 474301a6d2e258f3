//! Made-up debug information, by which one sees what passes lose: a line for each instruction and a
//! variable for each value.

mod apply;
mod check;

pub use apply::{Debugified, DebugifyOptions, debugify};
pub use check::{CheckMessage, CheckedDebugify, check_debugify};

use crate::module::{FunctionItem, Module};

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
