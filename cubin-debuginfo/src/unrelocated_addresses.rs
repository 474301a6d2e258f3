//! Addresses that are plain numbers: offsets in the shared window and among a kernel's parameters
//! have no relocation in an executable.
//!
//! ptxas writes no other address of a variable as a number, unless it stands as one in the PTX or
//! is a name that the module does not define. Observed: all places of the 2,303 cubins that
//! docs/conformance.md counts.

use crate::entries::Entries;
use dwarf2_reader::constants as dw;
use nv_debug_sections::address_class::{AddressClass, memory_of_section};
use nv_debug_sections::address_space::{parameter_base, shared_window_reserve};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Contents, Cubin, SymbolIndex};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// Finds the memory of addresses without relocation, by a file's shared variables and its kernels'
/// parameters.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnrelocatedAddresses<'c> {
    /// Shared variables: name and offset in the window. None of relocatable files, which have no
    /// offsets yet.
    shared: HashSet<(&'c str, u64)>,
    /// The offsets that all shared variables of a name have together.
    named: HashMap<&'c str, RangeInclusive<u64>>,
    /// Sizes of the constant banks that kernels have for their parameters, by the kernel's name.
    banks: HashMap<&'c str, u64>,
    /// The largest shared window; none of relocatable files.
    shared_window: Option<RangeInclusive<u64>>,
    parameter_base: u64,
    /// Where the largest bank of parameters ends.
    parameters_end: u64,
}

impl<'c> UnrelocatedAddresses<'c> {
    pub(crate) fn of(cubin: &'c Cubin<'_>) -> Self {
        let target = cubin.target();
        let reserve = shared_window_reserve(target);
        let is_linked = !cubin.header.is_relocatable();
        let mut found = Self { parameter_base: parameter_base(target), ..Self::default() };
        let mut shared_end = reserve;
        for (index, name, section) in cubin.iter().filter(|(.., section)| !section.is_mercury()) {
            let memory = memory_of_section(name);
            if !matches!(memory, Some(AddressClass::Shared | AddressClass::Parameter)) {
                continue;
            }
            let size = match &section.contents {
                Contents::NoBits(size) => *size,
                _ => cubin.bytes(index).map_or(0, |bytes| bytes.len() as u64),
            };
            if memory == Some(AddressClass::Shared) {
                // Some sizes have the reserve of the window, others have not.
                shared_end = shared_end.max(size.saturating_add(reserve));
            } else if let Some(kernel) = name.strip_prefix(".nv.constant0.") {
                found.parameters_end = found.parameters_end.max(size);
                found.banks.insert(kernel, size);
            }
        }
        if is_linked {
            found.shared_window = Some(reserve..=shared_end);
            let symbols = (0..).map(SymbolIndex).zip(cubin.symbols());
            for (index, symbol) in symbols.filter(|(_, symbol)| !symbol.is_section()) {
                let section = symbol.section().filter(|section| {
                    memory_of_section(cubin.section_name(*section)) == Some(AddressClass::Shared)
                });
                let section = section.and_then(|section| cubin.sections.get(section.as_usize()));
                if let Some(section) = section {
                    let offset = symbol.value.wrapping_sub(section.address);
                    let name = cubin.symbol_name(index);
                    // A dynamic array has no size of its own.
                    let end = if symbol.size == 0 { shared_end } else { offset.saturating_add(symbol.size) };
                    let own = offset..=end;
                    let all = found.named.entry(name).or_insert_with(|| own.clone());
                    *all = *all.start().min(own.start())..=*all.end().max(own.end());
                    found.shared.insert((name, offset));
                }
            }
        }
        found
    }

    /// The memory that a number is an offset of, whatever the class of the variable is: that of a
    /// shared variable with the entry's name, or the bank of the kernel whose parameter the entry
    /// is. `None` where the file does not tell.
    pub(crate) fn memory(
        &self,
        cubin: &Cubin<'_>,
        entries: &Entries<'_>,
        entry: usize,
        number: u64,
    ) -> Option<AddressClass> {
        let is_shared = |name: Cow<'_, str>| self.shared.contains(&(&*name, number));
        if !self.shared.is_empty() && variable_name(entries, entry).is_some_and(is_shared) {
            return Some(AddressClass::Shared);
        }
        let end = self.own_bank(cubin, entries, entry)?;
        (self.parameter_base..end).contains(&number).then_some(AddressClass::Parameter)
    }

    /// Size of the bank with the parameters of the kernel whose parameter an entry is.
    fn own_bank(&self, cubin: &Cubin<'_>, entries: &Entries<'_>, entry: usize) -> Option<u64> {
        if self.banks.is_empty() {
            return None;
        }
        let entry = entries.get(entry).filter(|entry| entry.tag() == dw::DW_TAG_formal_parameter)?;
        let (code, _) = entries.get(entry.parent()?)?.code()?;
        self.banks.get(cubin.section_name(code).strip_prefix(".text.")?).copied()
    }

    /// The numbers that a variable of this class can have; `None` where any is possible.
    pub(crate) fn window(
        &self,
        cubin: &Cubin<'_>,
        entries: &Entries<'_>,
        entry: usize,
        class: AddressClass,
    ) -> Option<RangeInclusive<u64>> {
        match class {
            AddressClass::Shared => {
                let window = self.shared_window.clone()?;
                let own = variable_name(entries, entry).and_then(|name| self.named.get(&*name));
                Some(own.cloned().unwrap_or(window))
            }
            AddressClass::Parameter => {
                let end = self.own_bank(cubin, entries, entry).unwrap_or(self.parameters_end);
                Some(self.parameter_base..=end.max(self.parameter_base))
            }
            _ => None,
        }
    }
}

/// The name that a variable's symbol has.
fn variable_name<'e>(entries: &'e Entries<'_>, entry: usize) -> Option<Cow<'e, str>> {
    let names = [dw::DW_AT_linkage_name, dw::DW_AT_MIPS_linkage_name, dw::DW_AT_name];
    names.into_iter().find_map(|name| entries.inherited(entry, name)?.1.text())
}

/// The symbols that ptxas could not place: names that the module does not define, and its labels.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenSymbols {
    names: Vec<String>,
    /// The names that are labels in the PTX.
    labels: HashSet<String>,
    /// Whether the file has a PTX text, without which labels are not known.
    has_text: bool,
}

impl OpenSymbols {
    pub(crate) fn of(cubin: &Cubin<'_>) -> Self {
        let open =
            (0..).map(SymbolIndex).zip(cubin.symbols()).filter(|(_, symbol)| symbol.is_local_undefined());
        let names: Vec<String> = open.map(|(index, _)| cubin.symbol_name(index).to_owned()).collect();
        let mut found = Self { names, ..Self::default() };
        if found.names.is_empty() {
            return found;
        }
        let known: HashSet<&[u8]> = found.names.iter().map(String::as_bytes).collect();
        let is_text = |name: &str| SectionKind::from_name(name) == Some(SectionKind::NvDebugPtxTxt);
        for (index, ..) in cubin.iter().filter(|(_, name, _)| is_text(name)) {
            found.has_text = true;
            let text = cubin.bytes(index).unwrap_or_default();
            for at in memchr::memchr_iter(b':', &text) {
                let before = text.get(..at).unwrap_or_default().trim_ascii_end();
                let start = before.iter().rposition(|byte| !is_of_name(*byte)).map_or(0, |at| at + 1);
                let name = before.get(start..).unwrap_or_default();
                if known.contains(name) {
                    found.labels.insert(String::from_utf8_lossy(name).into_owned());
                }
            }
        }
        found
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether a name is a label of the PTX.
    pub(crate) fn is_label(&self, name: &str) -> bool {
        self.labels.contains(name)
    }

    /// Whether there are some, and all are labels.
    pub(crate) fn are_labels(&self) -> bool {
        !self.names.is_empty() && self.names.len() == self.labels.len()
    }

    /// The names that the module does not define: no labels, and no sections that were removed.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| self.has_text && !self.is_label(name) && !name.starts_with('.'))
    }

    /// Whether a valid number may still be such a name, for which ptxas writes 0 or the number
    /// after the name. A number that `is_known` to be the variable's own is in doubt only if it is
    /// 0.
    pub(crate) fn may_be(&self, number: u64, is_known: bool) -> bool {
        (number == 0 || !is_known) && self.unknown().next().is_some()
    }
}

/// Whether a byte may be in a name of PTX (PTX ISA, Identifiers).
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$%.".contains(&byte)
}
