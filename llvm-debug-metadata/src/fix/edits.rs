//! Changes of a text: parts replaced, and nodes added at its end.

use crate::TextRange;
use crate::module::Module;
use std::fmt::Write as _;

/// Changes of the text of a module.
pub(super) struct Edits<'a> {
    text: &'a str,
    /// What is put in the place of what.
    replaced: Vec<(TextRange, String)>,
    /// What is added at the end.
    added: String,
    /// The number of the next node; none once there is none left.
    next_number: Option<u32>,
    count: u32,
}

impl<'a> Edits<'a> {
    pub(super) fn new(module: &Module<'a>) -> Self {
        let last = module.nodes().iter().map(|node| node.number).max();
        Self {
            text: module.text,
            replaced: Vec::new(),
            added: String::new(),
            next_number: last.map_or(Some(0), |last| last.checked_add(1)),
            count: 0,
        }
    }

    /// Puts a text in the place of a part that no other change is in.
    pub(super) fn replace(&mut self, range: TextRange, text: String) {
        self.replaced.push((range, text));
        self.count += 1;
    }

    /// Puts a text at a place.
    pub(super) fn insert(&mut self, at: u32, text: String) {
        self.replace(TextRange { start: at, end: at }, text);
    }

    /// Adds a node, and returns its number; none where all numbers are taken.
    pub(super) fn add_node(&mut self, node: &str) -> Option<u32> {
        let number = self.next_number?;
        self.next_number = number.checked_add(1);
        self.add_line(&format!("!{number} = {node}"));
        Some(number)
    }

    /// Adds a node to named metadata, which is made where it is missing.
    pub(super) fn add_operand(&mut self, module: &Module<'_>, name: &str, number: u32) {
        self.add_operands(module, name, &[format!("!{number}")]);
    }

    /// Adds nodes to named metadata, which is made where it is missing.
    pub(super) fn add_operands(&mut self, module: &Module<'_>, name: &str, numbers: &[String]) {
        if numbers.is_empty() {
            return;
        }
        let numbers = numbers.join(", ");
        if let Some(named) = module.named_metadata(name) {
            let is_empty = named.operands.slice(self.text).trim().is_empty();
            let comma = if is_empty { "" } else { ", " };
            self.insert(named.operands.end, format!("{comma}{numbers}"));
        } else {
            self.add_line(&format!("!{name} = !{{{numbers}}}"));
            self.count += 1;
        }
    }

    fn add_line(&mut self, line: &str) {
        _ = writeln!(self.added, "{line}");
    }

    /// The changed text and the number of changed places; nothing where nothing changes.
    pub(super) fn applied(mut self) -> Option<(String, u32)> {
        if self.count == 0 {
            return None;
        }
        self.replaced.sort_by_key(|(range, _)| *range);
        let mut text = String::with_capacity(self.text.len() + self.added.len() + 64);
        let mut from = 0;
        for (range, new) in &self.replaced {
            text += TextRange { start: from, end: range.start }.slice(self.text);
            text += new;
            from = range.end;
        }
        text += self.text.get(from as usize..).unwrap_or_default();
        if !self.added.is_empty() && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text += &self.added;
        Some((text, self.count))
    }
}
