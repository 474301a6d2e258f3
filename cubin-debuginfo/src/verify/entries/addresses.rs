//! Checks of entries' addresses: whether each is known, and whether it is in the memory that the
//! entry names.
#![allow(non_upper_case_globals, reason = "DWARF's own names, in patterns")]

use super::super::{RuleId, Verifier, short};
use super::words;
use crate::entries::{Address, Attribute, Entries, Entry, Value};
use crate::expression;
use crate::limits::{MAX_ANCESTORS, MAX_NAMED_SYMBOLS};
use crate::unrelocated_addresses::{OpenSymbols, UnrelocatedAddresses};
use dwarf2_reader::constants as dw;
use dwarf2_reader::expression::{Operand, Operation};
use dwarf2_writer::constants::{
    DW_OP_call_frame_cfa, DW_OP_deref, DW_OP_deref_size, DW_OP_fbreg, DW_OP_reg0, DW_OP_regx,
    DW_OP_stack_value, DW_OP_xderef, DW_OP_xderef_size,
};
use nv_debug_sections::address_class::{AddressClass, memory_of_section};
use nv_debug_sections::address_space::shared_window_reserve;
use nv_debug_sections::relocated::RelocatedSection;

/// An address of an entry: the attribute itself, or one in the expression that it is.
pub(super) fn check(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    entry: Entry<'_>,
    attribute: &Attribute<'_>,
) {
    match &attribute.value {
        Value::Address(address) if !is_base(entry, attribute) => {
            let class = AddressClass::Code;
            if let Some((rule, found, expected)) = unplaced(check, *address, class) {
                check.has_open_number |= rule == RuleId::EntriesUnplaced;
                let found = format!("{} of {}: {found}", attribute.name_text(), words(entry));
                check.find(rule, entries.section_name(), attribute.offset, found, expected);
            }
        }
        Value::Block(range) if attribute.name == dw::DW_AT_location => {
            let Some(section) = entries.section() else { return };
            let bytes = section.bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
            let place = Expression { section, start: range.start, bytes };
            location(check, entries, entry.number(), entries.section_name(), &place);
        }
        _ => {}
    }
}

/// Whether an address is that from which the ranges of a unit count, which may be any number.
fn is_base(entry: Entry<'_>, attribute: &Attribute<'_>) -> bool {
    entry.parent().is_none() && attribute.name == dw::DW_AT_low_pc && entry.value(dw::DW_AT_high_pc).is_none()
}

/// An expression, and where it stands.
pub(in super::super) struct Expression<'e> {
    pub(in super::super) section: &'e RelocatedSection<'e>,
    pub(in super::super) start: u64,
    pub(in super::super) bytes: &'e [u8],
}

/// A variable whose place is looked at.
struct Subject<'e> {
    entries: &'e Entries<'e>,
    /// Number of its entry.
    entry: usize,
    /// Its class; DWARF 2.0.0 §2.16 has 0 for none.
    stated: Option<u64>,
    /// Whether the expression's address is the variable's, not that of a pointer to it.
    is_direct: bool,
}

impl Subject<'_> {
    /// The memory that a debugger reads; `None` for a class that does not exist.
    fn class(&self) -> Option<AddressClass> {
        self.stated.map_or(Some(AddressClass::Global), AddressClass::of_value)
    }

    /// The class in words.
    fn words(&self) -> String {
        match (self.stated, self.class()) {
            (None, _) => "no DW_AT_address_class".to_owned(),
            (Some(stated), Some(class)) => format!("DW_AT_address_class {stated}, {class}"),
            (Some(stated), None) => format!("DW_AT_address_class {stated}"),
        }
    }

    /// Whether the frame counts from a known place: only that is sure to be in local memory.
    fn has_frame_address(&self) -> bool {
        let around = self.entries.ancestors(self.entry).take(MAX_ANCESTORS);
        let base = around.filter(|entry| entry.tag() == dw::DW_TAG_subprogram).find_map(|entry| {
            let Some(Value::Block(range)) = entry.value(dw::DW_AT_frame_base) else { return None };
            self.entries.bytes().get(range.start as usize..range.end as usize)
        });
        base == Some(&[DW_OP_call_frame_cfa])
    }
}

/// The memories that an expression names, which says where the variable of entry `number` is.
pub(in super::super) fn location(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    number: usize,
    name: &str,
    place: &Expression<'_>,
) {
    let operations = || expression::operations(place.bytes);
    let has = |wanted: &[u8]| operations().any(|operation| wanted.contains(&operation.opcode));
    // There the expression itself says which memory it is.
    if has(&[DW_OP_xderef, DW_OP_xderef_size]) {
        return;
    }
    let class = entries.inherited(number, dw::DW_AT_address_class);
    let stated = class.and_then(|(_, class)| class.unsigned());
    let is_direct = !has(&[DW_OP_deref, DW_OP_deref_size, DW_OP_stack_value]);
    let subject = Subject { entries, entry: number, stated: stated.filter(|stated| *stated != 0), is_direct };
    let label = || label(entries, number);
    let mut has_address = false;
    for operation in operations() {
        let [Some(Operand::Address(value)), _] = operation.operands else { continue };
        has_address = true;
        let at = place.start.saturating_add(expression::address_field(&operation));
        let address = Address::at(place.section, at, value);
        let is_number = matches!(address, Address::Constant(_));
        if let Some((rule, found, expected)) = fault(check, address, &subject) {
            check.has_open_number |= is_number;
            let found = || format!("DW_AT_location of {}: {found}", label());
            check.find_with(rule.at(name, at), || (found(), expected));
        } else if let Address::Constant(number) = address
            && is_in_doubt(check, number, &subject)
        {
            let is_known = known_memory(check, address, &subject).is_some();
            let (entry, section) = (subject.entry, name.to_owned());
            check.doubts.push(PossibleName { entry, section, offset: at, number, is_known });
        }
    }
    let fault = || operations().find_map(|operation| wrong_class(&operation, &subject));
    if !has_address && let Some((rule, found, expected)) = fault() {
        let found = || format!("DW_AT_location of {}: {found}", label());
        check.find_with(rule.at(name, place.start), || (found(), expected));
    }
}

/// Tag and name of an entry, or of its origin.
fn label(entries: &Entries<'_>, number: usize) -> String {
    let tag = entries.get(number).map(Entry::tag_text).unwrap_or_default();
    match entries.inherited(number, dw::DW_AT_name).map(|(_, name)| name.text()) {
        Some(Some(own)) => format!("{tag} {}", short(&own)),
        _ => tag.into_owned(),
    }
}

/// What is wrong with the class of a variable that an operation finds without an address.
fn wrong_class(operation: &Operation<'_>, subject: &Subject<'_>) -> Option<Fault> {
    let stated = subject.stated?;
    let class = AddressClass::of_value(stated);
    let (memory, words) = match operation.opcode {
        _ if class.is_none() => return Some(unknown_class(subject, "a place")),
        _ if !subject.is_direct => return None,
        DW_OP_fbreg => (AddressClass::Local, "an offset from the frame"),
        DW_OP_regx => (AddressClass::Register, "a register"),
        number if (DW_OP_reg0..=DW_OP_reg0 + 31).contains(&number) => (AddressClass::Register, "a register"),
        _ => return None,
    };
    // A frame that counts from a generic address, as that in `%SP`, may be one.
    let is_generic = || class == Some(AddressClass::Generic) && !subject.has_frame_address();
    if class.is_some_and(|class| class.fits(memory)) || memory == AddressClass::Local && is_generic() {
        return None;
    }
    let expected = format!("DW_AT_address_class {}, {memory}", memory.value());
    Some((RuleId::EntriesClass, format!("{words}, and {}", subject.words()), expected))
}

fn unknown_class(subject: &Subject<'_>, place: &str) -> Fault {
    let expected = "one of the 16 classes that have a name".to_owned();
    (RuleId::EntriesClass, format!("{place}, and {}", subject.words()), expected)
}

/// The rule that is broken, what was found, what was expected.
type Fault = (RuleId, String, String);

/// A fault, in words that are left out where a finding of the rule would only be counted.
fn worded(check: &Verifier<'_, '_>, rule: RuleId, words: impl FnOnce() -> (String, String)) -> Fault {
    let (found, expected) = if check.report.is_full(rule) { Default::default() } else { words() };
    (rule, found, expected)
}

/// The memory that an address leads to, where the file says it in another way than by the entry's
/// class.
fn known_memory(check: &Verifier<'_, '_>, address: Address, subject: &Subject<'_>) -> Option<AddressClass> {
    match address {
        Address::InSection { section, .. } => memory_of_section(check.cubin.section_name(section)),
        Address::Undefined(symbol) => {
            AddressClass::of_undefined(check.cubin.symbols().get(symbol.as_usize())?)
        }
        Address::Constant(_) if !subject.is_direct => None,
        Address::Constant(number) => {
            numbers(check).memory(check.cubin, subject.entries, subject.entry, number)
        }
    }
}

/// What is wrong with the address of a variable.
fn fault(check: &Verifier<'_, '_>, address: Address, subject: &Subject<'_>) -> Option<Fault> {
    let is_number = matches!(address, Address::Constant(_));
    // In debug-only objects all addresses are numbers.
    if check.code.has_addresses() && !matches!(address, Address::InSection { .. }) {
        return None;
    }
    let place = || match address {
        Address::InSection { section, offset, .. } => check.place(section, offset),
        Address::Undefined(symbol) => {
            format!("the undefined symbol {}", short(check.cubin.symbol_name(symbol)))
        }
        Address::Constant(number) => format!("address {number:#x}"),
    };
    let class = subject.class();
    match known_memory(check, address, subject) {
        // A variable in code is something else, such as a pointer's target.
        Some(AddressClass::Code) => return None,
        Some(memory) => {
            let is_right = |class: AddressClass| class.fits(memory) && (!is_number || class.is_number());
            if class.is_some_and(is_right) {
                return None;
            }
            let rule = if subject.stated.is_none() { RuleId::EntriesNoClass } else { RuleId::EntriesClass };
            return Some(worded(check, rule, || {
                let expected = format!("DW_AT_address_class {}, {memory}", memory.value());
                (format!("{}, and {}", place(), subject.words()), expected)
            }));
        }
        None => {}
    }
    let Some(class) = class else { return Some(unknown_class(subject, &place())) };
    if is_number && class.is_register() {
        let found = format!("{}, and {}", place(), subject.words());
        return Some((RuleId::EntriesClass, found, "the class of a memory".to_owned()));
    }
    unplaced(check, address, class).or_else(|| outside(check, address, class, subject))
}

/// What is wrong with a number that is in no kernel's window of the memory that the class names, or
/// not in the variable of its name.
fn outside(
    check: &Verifier<'_, '_>,
    address: Address,
    class: AddressClass,
    subject: &Subject<'_>,
) -> Option<Fault> {
    let Address::Constant(number) = address else { return None };
    if class == AddressClass::Shared && is_no_shared_address(check, number) {
        return None;
    }
    let window = numbers(check).window(check.cubin, subject.entries, subject.entry, class);
    let window = window.filter(|window| !window.contains(&number))?;
    Some(worded(check, RuleId::EntriesClass, || {
        let open = open_words(open_symbols(check));
        let found = format!("address {number:#x}, and DW_AT_address_class {}, {class}{open}", class.value());
        (found, format!("an address from {:#x} to {:#x} in that memory", window.start(), window.end()))
    }))
}

/// Whether a number is the -1 that ptxas and nvlink write for a shared variable that no code uses,
/// to which the reserve is added.
fn is_no_shared_address(check: &Verifier<'_, '_>, number: u64) -> bool {
    number == shared_window_reserve(check.cubin.target()).wrapping_sub(1)
}

/// What is wrong with an address that leads to no section; `class` is the memory that it should be
/// in.
fn unplaced(check: &Verifier<'_, '_>, address: Address, class: AddressClass) -> Option<Fault> {
    // In debug-only objects all addresses are numbers.
    if check.code.has_addresses() {
        return None;
    }
    let expected = || match class {
        AddressClass::Local | AddressClass::Frame => {
            format!("an offset from the frame, as every place of {class} has")
        }
        _ => format!("a relocation that says what it is in, as every address of {class} has"),
    };
    let is_relocatable = check.cubin.header.is_relocatable();
    match address {
        Address::InSection { .. } => None,
        // What another file defines. No file can define a local symbol.
        Address::Undefined(_) if is_relocatable && !address.is_local_undefined(check.cubin) => None,
        Address::Undefined(symbol) => {
            let name = check.cubin.symbol_name(symbol);
            let is_label = class == AddressClass::Code && open_symbols(check).is_label(name);
            let rule = if is_label { RuleId::EntriesUnresolved } else { RuleId::EntriesUnplaced };
            Some(worded(check, rule, || (format!("the undefined symbol {}", short(name)), expected())))
        }
        // Shared variables have no addresses before they are linked. nvlink -r takes the
        // relocations away.
        Address::Constant(_) if class.is_number() => {
            let is_linked = !is_relocatable || check.is_linked || class != AddressClass::Shared;
            (!is_linked).then(|| unplaced_number(check, address, class, expected)).flatten()
        }
        Address::Constant(_) => unplaced_number(check, address, class, expected),
    }
}

fn unplaced_number(
    check: &Verifier<'_, '_>,
    address: Address,
    class: AddressClass,
    expected: impl FnOnce() -> String,
) -> Option<Fault> {
    let Address::Constant(number) = address else { return None };
    let open = open_symbols(check);
    let is_code = class == AddressClass::Code;
    let is_in_section = !matches!(class, AddressClass::Local | AddressClass::Frame);
    let rule = if check.is_linked && is_in_section && (number == 0 || is_code) {
        // Of variables nvlink leaves 0, of functions the size too.
        RuleId::EntriesDropped
    } else if number == 0 && is_code && open.are_labels() {
        RuleId::EntriesUnresolved
    } else {
        RuleId::EntriesUnplaced
    };
    Some(worded(check, rule, || {
        (format!("address {number:#x} without relocation{}", open_words(open)), expected())
    }))
}

/// A number that is in order, but may also be a name that the module does not define.
#[derive(Debug)]
pub(in super::super) struct PossibleName {
    /// Number of the variable's entry.
    entry: usize,
    section: String,
    offset: u64,
    number: u64,
    /// Whether the file has a variable of the entry's name there.
    is_known: bool,
}

fn is_in_doubt(check: &Verifier<'_, '_>, number: u64, subject: &Subject<'_>) -> bool {
    if check.code.has_addresses() || is_no_shared_address(check, number) {
        return false;
    }
    let is_known = || known_memory(check, Address::Constant(number), subject).is_some();
    open_symbols(check).may_be(number, is_known())
}

/// The numbers that may be undefined symbols. Where another finding is about such a number, those
/// with a variable of their name are in order.
pub(in super::super) fn doubts(check: &mut Verifier<'_, '_>, entries: &Entries<'_>) {
    for PossibleName { entry, section, offset, number, is_known } in std::mem::take(&mut check.doubts) {
        if is_known && check.has_open_number {
            continue;
        }
        let names = names_in_words(open_symbols(check).unknown());
        let found =
            format!("DW_AT_location of {}: address {number:#x}, which may be {names}", label(entries, entry));
        check.find(RuleId::EntriesDoubt, &section, offset, found, "a name that the module defines");
    }
}

fn numbers<'k>(check: &'k Verifier<'_, '_>) -> &'k UnrelocatedAddresses<'k> {
    check.numbers.get_or_init(|| UnrelocatedAddresses::of(check.cubin))
}

fn open_symbols<'k>(check: &'k Verifier<'_, '_>) -> &'k OpenSymbols {
    check.open_symbols.get_or_init(|| OpenSymbols::of(check.cubin))
}

/// Lists the undefined symbols of the symbol table: an address without relocation may be one of
/// them.
fn open_words(open: &OpenSymbols) -> String {
    let names: Vec<&str> = open.names().take(MAX_NAMED_SYMBOLS).map(short).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!(" (the undefined symbol of the file is {name})"),
        names => format!(" (undefined symbols of the file are {})", names.join(", ")),
    }
}

fn names_in_words<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.take(MAX_NAMED_SYMBOLS).map(short).collect();
    let noun = if names.len() == 1 { "the undefined symbol" } else { "one of the undefined symbols" };
    format!("{noun} {}", names.join(", "))
}
