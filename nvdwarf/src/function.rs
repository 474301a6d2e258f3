//! A function of a cubin.

use cubin_debuginfo::names::demangle;
use nv_debug_sections::code;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use std::collections::HashMap;
use std::fmt;

/// A function of a cubin: a kernel, a device function, or one that ptxas has folded into a kernel's
/// section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    /// The name of the function's symbol, mangled as the compiler did.
    pub linkage_name: String,
    /// The name of the function as its programmer wrote it. If the function is folded into a
    /// kernel's section, `$kernel$` stands before it.
    pub name: String,
    /// The index of the function's symbol in `.symtab`.
    pub symbol: SymbolIndex,
    /// The section that has the function's code.
    pub section: SectionIndex,
    /// The byte offset of the function's code in its section.
    pub offset: u64,
    /// The size of the function's code in bytes, without the section's padding.
    pub size: u64,
    /// Whether the function is a kernel.
    pub is_kernel: bool,
}

/// Its name, as its programmer wrote it.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Function {
    pub(crate) fn of(function: &code::Function<'_>) -> Self {
        let code::Function { name, symbol, section, offset, size, kernel } = *function;
        let linkage_name = name.to_owned();
        Self { name: plain(name), linkage_name, symbol, section, offset, size, is_kernel: kernel }
    }
}

/// Names that were demangled before, by what they were: most addresses of a function have the same
/// few.
#[derive(Default)]
pub(crate) struct PlainNames(HashMap<String, String>);

impl PlainNames {
    pub(crate) fn of(&mut self, name: &str) -> String {
        if let Some(known) = self.0.get(name) {
            return known.clone();
        }
        let found = plain(name);
        self.0.insert(name.to_owned(), found.clone());
        found
    }
}

/// A demangled name, or the name itself.
fn plain(name: &str) -> String {
    demangle(name).unwrap_or_else(|| name.to_owned())
}
