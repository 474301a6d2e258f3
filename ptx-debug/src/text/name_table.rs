//! `.debug_str` of a module without entries: the names of inlined functions.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::Dialect;
use super::data_lines::put_bytes;

/// The names that `function_name` attributes refer to, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct NameTable {
    numbers: BTreeMap<Vec<u8>, u32>,
    names: Vec<Vec<u8>>,
}

impl NameTable {
    /// Returns the number in the label of a name, from 0 on in the order of first use.
    pub(super) fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32; // a model has fewer functions than that
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Appends the section, unless nothing was inlined.
    pub(super) fn write(&self, dialect: Dialect, out: &mut String) {
        if self.names.is_empty() {
            return;
        }
        out.push_str("\t.section\t.debug_str\n\t{\n");
        let mut bytes = Vec::new();
        for (number, name) in self.names.iter().enumerate() {
            let _ = writeln!(out, "$L__info_string{number}:");
            bytes.clear();
            bytes.extend_from_slice(name);
            bytes.push(0);
            put_bytes(out, dialect, &bytes);
        }
        out.push_str(dialect.end_of_module());
        out.push_str("\t}\n");
    }
}
