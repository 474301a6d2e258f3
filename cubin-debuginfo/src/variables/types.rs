//! Types as C spells them.

use crate::entries::{Entries, Entry, Value};
use crate::limits::{MAX_TYPE_LENGTH, MAX_TYPE_PARTS, MAX_TYPE_STEPS};
use dwarf2_reader::constants as dw;
use nv_debug_sections::address_class::AddressClass;
use std::fmt::Write as _;

/// What stands before the name of a tag that needs none of its own in C++.
const NAMELESS: [(u16, &str); 5] = [
    (dw::DW_TAG_structure_type, "struct"),
    (dw::DW_TAG_class_type, "class"),
    (dw::DW_TAG_union_type, "union"),
    (dw::DW_TAG_enumeration_type, "enum"),
    (dw::DW_TAG_base_type, "base type"),
];

/// The type that an entry's `DW_AT_type` names: `float const *`, `int[4][2]`, `void (*)(int)`, `int
/// S::*`, `float shared *` for a pointer whose address class is not generic. `void` without the
/// attribute, `?` for what is not a type, `...` after 256 steps or 1024 bytes.
pub(super) fn spell(entries: &Entries<'_>, entry: Entry<'_>) -> String {
    one(entries, entry, true)
}

fn one(entries: &Entries<'_>, from: Entry<'_>, with_parameters: bool) -> String {
    // The declarator, from the inside out, and what qualifies what comes next.
    let (mut declarator, mut qualifiers) = (String::new(), String::new());
    let mut entry = from;
    for _ in 0..MAX_TYPE_STEPS {
        if declarator.len() + qualifiers.len() > MAX_TYPE_LENGTH {
            break;
        }
        let number = match entry.value(dw::DW_AT_type) {
            None => return joined("void", &qualifiers, &declarator),
            Some(Value::Entry(offset)) => entries.at(offset),
            Some(_) => None,
        };
        let Some((number, next)) = number.and_then(|number| Some((number, entries.get(number)?))) else {
            return joined("?", &qualifiers, &declarator);
        };
        entry = next;
        match entry.tag() {
            dw::DW_TAG_const_type => qualify(&mut qualifiers, "const"),
            dw::DW_TAG_volatile_type => qualify(&mut qualifiers, "volatile"),
            dw::DW_TAG_restrict_type => qualify(&mut qualifiers, "restrict"),
            dw::DW_TAG_pointer_type => point(&mut declarator, &mut qualifiers, entry, "*"),
            dw::DW_TAG_reference_type => point(&mut declarator, &mut qualifiers, entry, "&"),
            dw::DW_TAG_rvalue_reference_type => point(&mut declarator, &mut qualifiers, entry, "&&"),
            dw::DW_TAG_ptr_to_member_type => {
                let mark = format!("{}::*", class_of(entries, entry));
                point(&mut declarator, &mut qualifiers, entry, &mark);
            }
            dw::DW_TAG_array_type => {
                enclose(&mut declarator);
                dimensions(entries, number, &mut declarator);
            }
            dw::DW_TAG_subroutine_type => {
                enclose(&mut declarator);
                parameters(entries, number, with_parameters, &mut declarator);
            }
            _ => return joined(&named(entries, number, entry), &qualifiers, &declarator),
        }
    }
    joined("...", &qualifiers, &declarator)
}

fn joined(base: &str, qualifiers: &str, declarator: &str) -> String {
    let mut text = base.to_owned();
    for part in [qualifiers.trim_end(), declarator] {
        if !part.is_empty() && !part.starts_with('[') {
            text.push(' ');
        }
        text.push_str(part);
    }
    if text.len() > MAX_TYPE_LENGTH {
        let end = (0..=MAX_TYPE_LENGTH).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}

fn qualify(qualifiers: &mut String, word: &str) {
    if !qualifiers.contains(word) {
        qualifiers.push_str(word);
        qualifiers.push(' ');
    }
}

/// Writes `*`, with the memory pointed to before it and the pointer's own qualifiers after it.
fn point(declarator: &mut String, qualifiers: &mut String, entry: Entry<'_>, mark: &str) {
    let class = entry.unsigned(dw::DW_AT_address_class).and_then(AddressClass::of_value);
    let class = class.filter(|class| *class != AddressClass::Generic);
    let space = class.map_or("", |class| class.state_space().unwrap_or(class.name()));
    let blank = if space.is_empty() { "" } else { " " };
    let own = std::mem::take(qualifiers);
    let is_close = declarator.is_empty() || declarator.starts_with(['[', '(']);
    let gap = if own.is_empty() || is_close { "" } else { " " };
    *declarator = format!("{space}{blank}{mark}{}{gap}{declarator}", own.trim_end());
}

/// The class that a pointer to a member has in front.
fn class_of(entries: &Entries<'_>, entry: Entry<'_>) -> String {
    let class = entries.referenced_entry(entry, dw::DW_AT_containing_type);
    let class = class.and_then(|number| Some((number, entries.get(number)?)));
    class.map_or_else(|| "?".to_owned(), |(number, class)| named(entries, number, class))
}

/// Parentheses around a pointer's declarator, as arrays and functions bind closer.
fn enclose(declarator: &mut String) {
    if !declarator.is_empty() && !declarator.starts_with('[') {
        *declarator = format!("({declarator})");
    }
}

/// The children of an entry that have a tag, up to a limit.
fn children<'e>(entries: &'e Entries<'_>, number: usize, tag: u16) -> impl Iterator<Item = Entry<'e>> {
    let after = entries.range(number.saturating_add(1)..entries.count());
    let own = after.take_while(move |entry| entry.parent().is_some_and(|parent| parent >= number));
    let own =
        own.take(MAX_TYPE_STEPS).filter(move |entry| entry.parent() == Some(number) && entry.tag() == tag);
    own.take(MAX_TYPE_PARTS)
}

fn dimensions(entries: &Entries<'_>, number: usize, declarator: &mut String) {
    let before = declarator.len();
    for range in children(entries, number, dw::DW_TAG_subrange_type) {
        let lower = range.unsigned(dw::DW_AT_lower_bound).unwrap_or(0);
        let upper = range.unsigned(dw::DW_AT_upper_bound);
        let count = upper.and_then(|upper| upper.checked_sub(lower)?.checked_add(1));
        let _ = match range.unsigned(dw::DW_AT_count).or(count) {
            Some(count) => write!(declarator, "[{count}]"),
            None => write!(declarator, "[]"),
        };
    }
    if declarator.len() == before {
        declarator.push_str("[]");
    }
}

fn parameters(entries: &Entries<'_>, number: usize, spelled: bool, declarator: &mut String) {
    let all = || children(entries, number, dw::DW_TAG_formal_parameter);
    let is_this = |entry: &Entry<'_>| entry.unsigned(dw::DW_AT_artificial).is_some_and(|flag| flag != 0);
    let text = if spelled {
        let written = all().filter(|entry| !is_this(entry));
        written.map(|entry| one(entries, entry, false)).collect::<Vec<_>>().join(", ")
    } else {
        "...".to_owned()
    };
    let _ = write!(declarator, "({text})");
    // What qualifies the object that `this` points to stands after the parameters.
    let mut object = all().find(is_this).and_then(|entry| entries.referenced_entry(entry, dw::DW_AT_type));
    for _ in 0..MAX_TYPE_PARTS {
        let Some(entry) = object.and_then(|number| entries.get(number)) else { break };
        match entry.tag() {
            dw::DW_TAG_pointer_type => {}
            dw::DW_TAG_const_type => declarator.push_str(" const"),
            dw::DW_TAG_volatile_type => declarator.push_str(" volatile"),
            _ => break,
        }
        object = entries.referenced_entry(entry, dw::DW_AT_type);
    }
}

/// The name of a type with those of the scopes around it.
fn named(entries: &Entries<'_>, number: usize, entry: Entry<'_>) -> String {
    // An empty name, as of a damaged string, is none.
    let Some(name) = entry.name().filter(|name| !name.is_empty()) else {
        let tag = NAMELESS.iter().find(|(tag, _)| *tag == entry.tag()).map(|(_, name)| *name);
        return tag.map_or_else(|| "?".to_owned(), |tag| format!("{tag} {{...}}"));
    };
    let is_scope = |tag: u16| {
        tag == dw::DW_TAG_namespace
            || tag == dw::DW_TAG_structure_type
            || tag == dw::DW_TAG_class_type
            || tag == dw::DW_TAG_union_type
    };
    let around = entries.ancestors(number).take(MAX_TYPE_PARTS).take_while(|entry| is_scope(entry.tag()));
    let around: Vec<_> = around.filter_map(Entry::name).take_while(|name| !name.is_empty()).collect();
    let mut text = String::new();
    for part in around.iter().rev().chain([&name]) {
        let separator = if text.is_empty() { "" } else { "::" };
        // A name may be as long as the file.
        let part: String = part.chars().take(MAX_TYPE_LENGTH + 1).collect();
        text.push_str(separator);
        text.push_str(&part);
    }
    text
}
