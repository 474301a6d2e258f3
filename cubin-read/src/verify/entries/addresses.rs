//! Addresses of entries: whether a relocation says what each one is in, and whether that is the memory that the entry names.

use super::super::{Check, RuleId, short};
use super::words;
use crate::entries::{Address, Attribute, Entries, Entry, Value};
use crate::expression::{self, OperandValue};
use dwarf2_writer::constants::{DW_OP_xderef, DW_OP_xderef_size};
use nv_debug_sections::address_class::{AddressClass, memory_of_section};
use nv_debug_sections::address_space::{parameter_base, shared_window_reserve};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Contents, SymbolIndex};
use nv_debug_sections::relocated::RelocatedSection;
use std::collections::HashSet;

/// The addresses of entry `number`: those that are attributes, and those in the expressions of its attributes.
pub(super) fn check(check: &mut Check<'_, '_>, entries: &Entries<'_>, number: usize) {
    let Some(entry) = entries.get(number) else { return };
    for attribute in entry.attributes() {
        match &attribute.value {
            Value::Address(address) if !is_base(entry, &attribute) => {
                let class = AddressClass::Code;
                if let Some((rule, found, expected)) = unplaced(check, *address, class) {
                    let found = format!("{} of {}: {found}", attribute.name, words(entry));
                    check.find(rule, entries.section_name(), attribute.offset, found, expected);
                }
            }
            Value::Block(range) if attribute.name == gimli::DW_AT_location => {
                let Some(section) = entries.section() else { continue };
                let bytes = section.bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
                let place = Expression { section, start: range.start, bytes };
                location(check, entries, number, entries.section_name(), &place);
            }
            _ => {}
        }
    }
}

/// Whether an address is that from which the ranges of a unit count, which may be any number.
fn is_base(entry: Entry<'_>, attribute: &Attribute<'_>) -> bool {
    entry.parent().is_none()
        && attribute.name == gimli::DW_AT_low_pc
        && entry.value(gimli::DW_AT_high_pc).is_none()
}

/// An expression, and where it stands.
pub(in super::super) struct Expression<'e> {
    pub(in super::super) section: &'e RelocatedSection<'e>,
    pub(in super::super) start: u64,
    pub(in super::super) bytes: &'e [u8],
}

/// The addresses in an expression that says where the variable of entry `number` is.
pub(in super::super) fn location(
    check: &mut Check<'_, '_>,
    entries: &Entries<'_>,
    number: usize,
    name: &str,
    place: &Expression<'_>,
) {
    let (operations, _) = expression::operations(place.bytes);
    // There the expression itself says which memory it is.
    if operations.iter().any(|operation| [DW_OP_xderef, DW_OP_xderef_size].contains(&operation.opcode)) {
        return;
    }
    let Some(entry) = entries.get(number) else { return };
    let class = entries.inherited(number, gimli::DW_AT_address_class);
    let stated = class.and_then(|(entry, _)| entry.unsigned(gimli::DW_AT_address_class));
    let operands = operations.iter().flat_map(|operation| &operation.operands);
    for operand in operands {
        let OperandValue::Address(field, value) = *operand else { continue };
        let at = place.start.saturating_add(field);
        let address = Address::at(place.section, at, value);
        if let Some((rule, found, expected)) = fault(check, address, stated) {
            let label = match entries.inherited(number, gimli::DW_AT_name).map(|(entry, _)| entry.name()) {
                Some(Some(own)) => format!("{} {}", entry.tag(), short(&own)),
                _ => entry.tag().to_string(),
            };
            let found = format!("DW_AT_location of {label}: {found}");
            check.find(rule, name, at, found, expected);
        }
    }
}

type Fault = (RuleId, String, String);

/// What is wrong with the address of a variable whose entry states this class.
fn fault(check: &Check<'_, '_>, address: Address, stated: Option<u64>) -> Option<Fault> {
    // DWARF 2.0.0 §2.16: 0 is none.
    let stated = stated.filter(|stated| *stated != 0);
    let class = stated.map_or(Some(AddressClass::Global), AddressClass::of_value);
    let Address::Place { section, offset, .. } = address else {
        let class = class.unwrap_or(AddressClass::Global);
        return unplaced(check, address, class).or_else(|| outside(check, address, class));
    };
    // A variable in code is something else, such as a pointer's target.
    let memory = memory_of_section(check.cubin.section_name(section));
    let memory = memory.filter(|memory| *memory != AddressClass::Code)?;
    if class.is_some_and(|class| class.fits(memory)) {
        return None;
    }
    let expected = format!("DW_AT_address_class {}, {memory}", memory.value());
    let found = check.place((section, offset));
    Some(match (stated, class) {
        (None, _) => (RuleId::EntriesNoClass, format!("{found}, and no DW_AT_address_class"), expected),
        (Some(_), Some(class)) => (
            RuleId::EntriesClass,
            format!("{found}, and DW_AT_address_class {}, {class}", class.value()),
            expected,
        ),
        (Some(other), None) => {
            (RuleId::EntriesClass, format!("{found}, and DW_AT_address_class {other}"), expected)
        }
    })
}

/// What is wrong with a number that is in no kernel's window of the memory that the class names.
fn outside(check: &Check<'_, '_>, address: Address, class: AddressClass) -> Option<Fault> {
    let Address::Constant(number) = address else { return None };
    // A debug-only object has no sections that would tell how large these memories are.
    if check.code.has_addresses() {
        return None;
    }
    let sm = check.cubin.header.sm();
    let window = match class {
        // ptxas and nvlink write -1 for a variable that no code uses, to which the reserve is added.
        AddressClass::Shared if number == shared_window_reserve(sm).wrapping_sub(1) => return None,
        AddressClass::Shared if !check.cubin.header.is_relocatable() => shared_window_reserve(sm),
        AddressClass::Parameter => parameter_base(sm),
        _ => return None,
    };
    let limits = check.windows.get_or_init(|| Windows::of(check));
    let end = if class == AddressClass::Shared { limits.shared } else { limits.parameters };
    let end = end.max(window);
    if (window..=end).contains(&number) {
        return None;
    }
    let found = format!("address {number:#x}, and DW_AT_address_class {}, {class}", class.value());
    Some((RuleId::EntriesClass, found, format!("an address from {window:#x} to {end:#x} in that memory")))
}

/// Where the largest windows of a file's kernels end.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Windows {
    shared: u64,
    parameters: u64,
}

impl Windows {
    fn of(check: &Check<'_, '_>) -> Self {
        let reserve = shared_window_reserve(check.cubin.header.sm());
        let mut windows = Self::default();
        for (index, name, section) in check.cubin.iter().filter(|(.., section)| !section.is_mercury()) {
            let size = match &section.contents {
                Contents::NoBits(size) => *size,
                _ => check.cubin.bytes(index).map_or(0, |bytes| bytes.len() as u64),
            };
            match memory_of_section(name) {
                // Some sizes have the reserve of the window, others have not.
                Some(AddressClass::Shared) => {
                    windows.shared = windows.shared.max(size.saturating_add(reserve));
                }
                Some(AddressClass::Parameter) => windows.parameters = windows.parameters.max(size),
                _ => {}
            }
        }
        windows
    }
}

/// What is wrong with an address that leads to no section; `class` is the memory that it should be in.
fn unplaced(check: &Check<'_, '_>, address: Address, class: AddressClass) -> Option<Fault> {
    // In debug-only objects all addresses are numbers.
    if check.code.has_addresses() {
        return None;
    }
    let expected = format!("a relocation that says what it is in, as every address of {class} has");
    let is_relocatable = check.cubin.header.is_relocatable();
    match address {
        Address::Place { .. } => None,
        // What another file defines; a local symbol is nobody's.
        Address::Undefined(_) if is_relocatable && !address.is_local_undefined(check.cubin) => None,
        Address::Undefined(symbol) => {
            let name = check.cubin.symbol_name(symbol);
            let is_label = class == AddressClass::Code && open_symbols(check).labels.contains(name);
            let rule = if is_label { RuleId::EntriesUnresolved } else { RuleId::EntriesUnplaced };
            Some((rule, format!("the undefined symbol {}", short(name)), expected))
        }
        Address::Constant(_) if class.is_number() => None,
        Address::Constant(number) => {
            let open = open_symbols(check);
            let is_code = class == AddressClass::Code;
            let rule = if check.is_linked && (number == 0 || is_code) {
                // Of variables nvlink leaves 0, of functions the size too.
                RuleId::EntriesDropped
            } else if number == 0 && is_code && open.are_labels() {
                RuleId::EntriesUnresolved
            } else {
                RuleId::EntriesUnplaced
            };
            Some((rule, format!("address {number:#x} without relocation{}", open.words()), expected))
        }
    }
}

/// The symbols that ptxas could not place: names that the module does not define, and labels of it.
#[derive(Debug, Default)]
pub(in super::super) struct OpenSymbols {
    names: Vec<String>,
    /// The names that are labels in the PTX.
    labels: HashSet<String>,
}

fn open_symbols<'c>(check: &'c Check<'_, '_>) -> &'c OpenSymbols {
    check.open_symbols.get_or_init(|| OpenSymbols::of(check))
}

impl OpenSymbols {
    fn of(check: &Check<'_, '_>) -> Self {
        let cubin = check.cubin;
        let open =
            (0..).map(SymbolIndex).zip(cubin.symbols()).filter(|(_, symbol)| symbol.is_local_undefined());
        let names: Vec<String> = open.map(|(index, _)| cubin.symbol_name(index).to_owned()).collect();
        let mut labels = HashSet::new();
        let is_text = |name: &str| SectionKind::from_name(name) == Some(SectionKind::NvDebugPtxTxt);
        for (index, ..) in cubin.iter().filter(|(_, name, _)| is_text(name) && !names.is_empty()) {
            let known: HashSet<&[u8]> = names.iter().map(String::as_bytes).collect();
            let text = cubin.bytes(index).unwrap_or_default();
            for at in memchr::memchr_iter(b':', &text) {
                let before = text.get(..at).unwrap_or_default().trim_ascii_end();
                let start = before.iter().rposition(|byte| !is_of_name(*byte)).map_or(0, |at| at + 1);
                let name = before.get(start..).unwrap_or_default();
                if known.contains(name) {
                    labels.insert(String::from_utf8_lossy(name).into_owned());
                }
            }
        }
        Self { names, labels }
    }

    /// Whether there are some, and all are labels.
    fn are_labels(&self) -> bool {
        !self.names.is_empty() && self.names.len() == self.labels.len()
    }

    /// The undefined symbols of the symbol table: an address without relocation may be one of them.
    fn words(&self) -> String {
        let names: Vec<&str> = self.names.iter().take(MAX_CANDIDATES).map(|name| short(name)).collect();
        match names.as_slice() {
            [] => String::new(),
            [name] => format!(" (the undefined symbol of the file is {name})"),
            names => format!(" (undefined symbols of the file are {})", names.join(", ")),
        }
    }
}

/// Whether a byte may be in a name of PTX (PTX ISA, Identifiers).
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$%.".contains(&byte)
}

/// Most undefined symbols that a finding names.
const MAX_CANDIDATES: usize = 4;
