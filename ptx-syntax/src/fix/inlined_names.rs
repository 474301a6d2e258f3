//! The names of inlined functions in a module: what `function_name` refers to, and where it is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Edit;
use super::edit::line_end;
use crate::lexer::Lexer;
use crate::loc::InlinedAt;
use crate::module::Module;
use crate::section::{DataItem, SectionBlock};
use crate::section_data::assemble;
use crate::statement::Statement;
use crate::text_range::TextRange;
use crate::value::ValueKind;

/// What `function_name` refers to: labels, or `.debug_str`.
pub(super) fn function_names<'a>(module: &Module<'a>) -> HashSet<&'a str> {
    inlined_ats(module).map(|at| at.function_name.text).collect()
}

fn inlined_ats<'m, 'a>(module: &'m Module<'a>) -> impl Iterator<Item = &'m InlinedAt<'a>> {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Loc(loc) => loc.inlined_at.as_deref(),
        _ => None,
    })
}

/// Whether a section is one of the names, or defines one.
pub(super) fn holds_any(section: &SectionBlock<'_>, names: &HashSet<&str>) -> bool {
    let defines = |item: DataItem<'_>| matches!(item, DataItem::Label(label) if names.contains(label.text));
    !names.is_empty() && (names.contains(section.name.text) || section.items().any(defines))
}

/// Whether a section is the one that holds the names: ptxas takes the offset of a label in another
/// section for one in this.
pub(super) fn is_strings(section: &SectionBlock<'_>) -> bool {
    section.name.text == ".debug_str"
}

/// Takes all strings but the names of inlined functions out of `.debug_str`, when the sections
/// `kept` are all that stay. The paths and names that only entries refer to would stay for nothing.
pub(super) fn drop_other_strings(module: &Module<'_>, kept: &[&SectionBlock<'_>]) -> Vec<Edit> {
    // Another section may refer to any label or define one, and blocks of one name lie over each
    // other.
    let [section] = kept else { return Vec::new() };
    let strings = if is_strings(section) { Strings::of(section) } else { None };
    strings.and_then(|strings| strings.without_others(module)).unwrap_or_default()
}

/// A section of bytes, which are strings with NUL at their ends.
struct Strings<'s> {
    section: &'s SectionBlock<'s>,
    bytes: Vec<u8>,
    /// The labels by their offsets, ascending.
    labels: BTreeMap<u64, Vec<&'s str>>,
    offsets: HashMap<&'s str, u64>,
}

/// A `function_name` that leads into a section.
struct Reference<'m> {
    at: &'m InlinedAt<'m>,
    /// Where the label of the name is in the section.
    label: u64,
    target: u64,
}

impl<'s> Strings<'s> {
    /// `None` if a value is not a byte: it may refer to any label.
    fn of(section: &'s SectionBlock<'s>) -> Option<Self> {
        let is_byte = |item: DataItem<'_>| match item {
            DataItem::Value(value) => value.width == 1 && matches!(value.kind, ValueKind::Integer(_)),
            _ => true,
        };
        let assembled = assemble(section);
        if section.close.is_empty() || !assembled.errors.is_empty() || !section.items().all(is_byte) {
            return None;
        }
        let mut labels: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        let mut offsets = HashMap::from([(section.name.text, 0)]);
        for (label, offset) in &assembled.labels {
            labels.entry(*offset).or_default().push(label.text);
            offsets.entry(label.text).or_insert(*offset);
        }
        Some(Self { section, bytes: assembled.bytes, labels, offsets })
    }

    /// The edits that leave the names only; `None` if nothing else is there, or a name is in
    /// another section.
    fn without_others(&self, module: &Module<'_>) -> Option<Vec<Edit>> {
        let mut references = Vec::new();
        for at in inlined_ats(module) {
            let label = *self.offsets.get(at.function_name.text)?;
            let target = label.checked_add(at.name_offset)?;
            self.bytes.get(usize::try_from(target).ok()?)?;
            references.push(Reference { at, label, target });
        }
        let targets: BTreeSet<u64> = references.iter().map(|reference| reference.target).collect();
        let mut is_kept: Vec<bool> = Vec::new();
        for string in self.bytes.split_inclusive(|byte| *byte == 0) {
            let start = is_kept.len() as u64;
            let is_name = targets.range(start..start + string.len() as u64).next().is_some();
            is_kept.extend(string.iter().map(|_| is_name));
        }
        if is_kept.iter().all(|is_kept| *is_kept) {
            return None;
        }
        let used = references.iter().map(|reference| reference.at.function_name.text).collect();
        let content = TextRange::new(self.section.open.end, self.section.close.start);
        let mut edits = vec![Edit::new(content, self.text(module.text, &is_kept, &used))];
        // How many bytes stay before each offset.
        let mut kept_before = vec![0_u64];
        kept_before.extend(is_kept.iter().scan(0, |count, is_kept| {
            *count += u64::from(*is_kept);
            Some(*count)
        }));
        let moved = |offset: u64| kept_before.get(offset as usize).copied();
        for Reference { at, label, target } in references {
            let number = moved(target)? - moved(label)?;
            if number != at.name_offset {
                edits.push(Edit::new(offset_range(module.text, at), number.to_string()));
            }
        }
        Some(edits)
    }

    /// The text between the braces, with some of the bytes and the labels that are used.
    fn text(&self, module: &str, is_kept: &[bool], used: &HashSet<&str>) -> String {
        let end = line_end(module);
        let mut text = end.to_owned();
        let mut at = 0;
        let ends = self.labels.keys().copied().chain([self.bytes.len() as u64]);
        for next in ends {
            let piece = (at..next as usize).filter(|at| is_kept.get(*at) == Some(&true));
            let numbers: Vec<String> = piece.filter_map(|at| self.bytes.get(at)).map(u8::to_string).collect();
            if !numbers.is_empty() {
                text.extend([".b8 ", &numbers.join(","), end]);
            }
            for label in self.labels.get(&next).into_iter().flatten().filter(|label| used.contains(**label)) {
                text.extend([label, ":", end]);
            }
            at = next as usize;
        }
        let before = module.get(..self.section.close.start as usize).unwrap_or_default();
        let indent = before.rsplit('\n').next().filter(|indent| indent.trim().is_empty());
        text + indent.unwrap_or_default()
    }
}

/// The number of `function_name LABEL+NUMBER`.
pub(super) fn offset_range(text: &str, at: &InlinedAt<'_>) -> TextRange {
    let plus = Lexer::new(text, at.function_name.range.end).next_significant();
    Lexer::new(text, plus.range.end).next_significant().range
}
