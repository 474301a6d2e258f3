//! Checks of `.debug_loc` and `.debug_ranges`, and the registers that locations use.

use super::entries::addresses;
use super::registers::Used;
use super::{RuleId, SectionView, Verifier, expression, short};
use crate::code_ranges::offset_in_section;
use crate::entries::{Address, Entries, Entry, Value};
use crate::loc_and_range_lists::{ExpressionBytes, Item as ListItem, Pair, items as read_items};
use dwarf2_reader::constants as dw;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::{Error, Result};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// One range of a list, counted from what its numbers count from.
#[derive(Debug, Clone)]
struct Item {
    offset: u64,
    pair: Pair,
}

/// The lists of a section by offset: their entries as they are written, without the last.
type Lists = HashMap<u64, Vec<(u64, ListItem)>>;

/// The code of a function.
#[derive(Debug)]
struct Owner {
    section: SectionIndex,
    code: Range<u64>,
    name: Rc<str>,
}

/// For each entry the function it belongs to.
type Owners = [Option<Rc<Owner>>];

/// Checks both, and collects the registers that lists and expressions of entries use.
pub(super) fn check(check: &mut Verifier<'_, '_>, entries: Option<&Entries<'_>>) -> Vec<Used> {
    let mut used = Vec::new();
    let owner_of = entries.map(|entries| functions(check, entries)).unwrap_or_default();
    for kind in [SectionKind::DebugLoc, SectionKind::DebugRanges] {
        let Some(view) = check.view(kind) else { continue };
        let lists = match read(&view, kind) {
            Ok(lists) => lists,
            Err(error) => {
                check.unreadable(RuleId::ListUnreadable, &error);
                continue;
            }
        };
        let users = entries.map(|entries| users(check, entries, kind, &lists)).unwrap_or_default();
        let mut offsets: Vec<_> = lists.keys().copied().collect();
        offsets.sort_unstable();
        for (offset, items) in offsets.iter().filter_map(|offset| Some((offset, lists.get(offset)?))) {
            let user = users.get(offset).copied();
            let owner = user.and_then(|user| owner_of.get(user)).and_then(Option::as_deref);
            let base =
                entries.zip(user).and_then(|(entries, user)| entries.base_address(entries.unit_of(user)?));
            for item in counted(items, base) {
                of_item(check, &view, &item, owner, &mut used);
                if let (Some(entries), Some(user)) = (entries, user) {
                    address(check, &view, &item, entries, user);
                }
            }
        }
    }
    if let Some(entries) = entries {
        used.extend(of_entries(check, entries, &owner_of));
    }
    used
}

/// All lists, which follow one another.
fn read(view: &SectionView<'_>, kind: SectionKind) -> Result<Lists> {
    let mut lists = Lists::new();
    let mut items = Vec::new();
    let mut first = None;
    for read in read_items(kind, &view.data, 0) {
        let (offset, item) = read?;
        let start = *first.get_or_insert(offset);
        match item {
            ListItem::End => {
                lists.insert(start, std::mem::take(&mut items));
                first = None;
            }
            ListItem::Base(_) | ListItem::Pair(_) => items.push((offset, item)),
        }
    }
    if first.is_none() {
        return Ok(lists);
    }
    let kind = nv_debug_sections::ErrorKind::Truncated("a list, which ends with two zeros");
    Err(Error::new(view.name, view.data.bytes.len() as u64, kind))
}

/// The ranges of a list, whose numbers count from `base` until an entry says from what else.
fn counted(items: &[(u64, ListItem)], mut base: Option<Address>) -> impl Iterator<Item = Item> {
    items.iter().filter_map(move |&(offset, item)| match item {
        ListItem::Base(address) => {
            base = Some(address);
            None
        }
        ListItem::Pair(pair) => Some(Item { offset, pair: pair.counted_from(base) }),
        ListItem::End => None,
    })
}

/// The first entry that each list is of; attributes that lead to none are findings.
fn users(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    kind: SectionKind,
    lists: &Lists,
) -> HashMap<u64, usize> {
    let mut users = HashMap::new();
    for (number, entry) in entries.iter().enumerate() {
        for attribute in entry.attributes() {
            let Value::Offset(section, offset) = attribute.value else { continue };
            if section != kind {
                continue;
            }
            if lists.contains_key(&offset) {
                users.entry(offset).or_insert(number);
            } else {
                let found = format!("{} of {}: offset {offset:#x}", attribute.name_text(), entry.tag_text());
                let (expected, name) =
                    (format!("the start of a list in {}", kind.name()), entries.section_name());
                check.find(RuleId::ListOffset, name, attribute.offset, found, expected);
            }
        }
    }
    users
}

/// The addresses in the expression of an item, which says where the variable of entry `user` is.
fn address(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    item: &Item,
    entries: &Entries<'_>,
    user: usize,
) {
    let Some(ExpressionBytes { start, length }) = item.pair.expression else { return };
    let range = start as usize..start.saturating_add(length) as usize;
    let Some(bytes) = view.data.bytes.get(range) else { return };
    let place = addresses::Expression { section: &view.data, start, bytes };
    addresses::location(check, entries, user, view.name, &place);
}

/// For each entry the function it belongs to: the code of the nearest entry above that has some.
fn functions(check: &Verifier<'_, '_>, entries: &Entries<'_>) -> Vec<Option<Rc<Owner>>> {
    let mut owners: Vec<Option<Rc<Owner>>> = Vec::with_capacity(entries.count());
    for entry in entries.iter() {
        let own = (entry.tag() == dw::DW_TAG_subprogram).then(|| entry.code()).flatten();
        let owner = match own {
            Some((section, code)) => {
                let name = check.function_name(section, code.start);
                name.map(|name| Rc::new(Owner { section, code, name: name.into() }))
            }
            None => entry.parent().and_then(|parent| owners.get(parent)?.clone()),
        };
        owners.push(owner);
    }
    owners
}

fn of_item(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    item: &Item,
    owner: Option<&Owner>,
    used: &mut Vec<Used>,
) {
    for field in [item.offset, item.offset.saturating_add(8)] {
        check.width(view.name, &view.data, field);
    }
    let name = owner.map(|owner| owner.name.to_string());
    let [start, end] =
        [item.pair.start, item.pair.end].map(|address| offset_in_section(&check.code, address));
    if let (Some((section, start)), Some((other, end))) = (start, end) {
        let size = check.code_size(section);
        let is_inside = section == other && start <= end && size.is_some_and(|size| end <= size);
        let is_owned = owner.is_none_or(|owner| {
            section == owner.section && owner.code.start <= start && end <= owner.code.end
        });
        if !(check.is_instruction(start) && check.is_instruction(end)) {
            let found = format!("{} to {end:#x}", check.place(section, start));
            let place = RuleId::ListInside.at(view.name, item.offset);
            check.find_in(name.clone(), place, found, "the starts of instructions");
        }
        if !is_inside || !is_owned {
            let found = format!("{} to {}", check.place(section, start), check.place(other, end));
            let expected = match owner {
                Some(Owner { section, code, .. }) => {
                    format!("a range in {} to {:#x}", check.place(*section, code.start), code.end)
                }
                None => "a range in one code section".to_owned(),
            };
            check.find_in(name, RuleId::ListRange.at(view.name, item.offset), found, expected);
        }
    } else {
        let found = "an address that is nowhere";
        check.find_in(name, RuleId::ListUnresolved.at(view.name, item.offset), found, "a place in code");
    }
    let range = item
        .pair
        .expression
        .map(|bytes| bytes.start as usize..bytes.start.saturating_add(bytes.length) as usize);
    let Some(bytes) = range.and_then(|range| view.data.bytes.get(range)) else { return };
    match expression::registers(bytes) {
        Ok(registers) => {
            let used_here = |register| {
                let (section, offset) = (SectionKind::DebugLoc.name(), item.offset);
                Some(Used { function: Rc::clone(&owner?.name), register, section, offset })
            };
            used.extend(registers.into_iter().filter_map(used_here));
        }
        Err(error) => {
            let (found, expected) = (error.kind().to_string(), "an expression of DWARF operations");
            check.find(RuleId::ListExpression, view.name, item.offset, found, expected);
        }
    }
}

/// Registers in expressions of attributes; those that cannot be decoded are findings.
fn of_entries(check: &mut Verifier<'_, '_>, entries: &Entries<'_>, owner_of: &Owners) -> Vec<Used> {
    let mut used = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        for attribute in entry.blocks() {
            let Value::Block(range) = &attribute.value else { continue };
            if !attribute.is_expression {
                continue;
            }
            let bytes = entries.bytes().get(range.start as usize..range.end as usize).unwrap_or_default();
            match expression::registers(bytes) {
                Ok(registers) => {
                    let function = owner_of.get(number).and_then(Option::as_ref).map(|owner| &owner.name);
                    let (section, offset) = (SectionKind::DebugInfo.name(), attribute.offset);
                    let used_here =
                        |register| Some(Used { function: Rc::clone(function?), register, section, offset });
                    used.extend(registers.into_iter().filter_map(used_here));
                }
                Err(error) => fault(check, entries, entry, attribute.offset, &error.kind().to_string()),
            }
        }
    }
    used
}

fn fault(check: &mut Verifier<'_, '_>, entries: &Entries<'_>, entry: Entry<'_>, offset: u64, found: &str) {
    let name = entry.name().unwrap_or_default();
    let found = format!("{} {}: {found}", entry.tag_text(), short(&name));
    check.find(RuleId::EntriesExpression, entries.section_name(), offset, found, "DWARF operations");
}
