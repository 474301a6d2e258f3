//! Selection of the parts of a cubin's sections that belong to some functions.

use crate::symbolize::Symbolizer;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::SectionIndex;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// Selects the items of debug sections that belong to chosen functions: rows, registers, frame
/// rules, entries and lines of PTX.
#[derive(Debug)]
pub struct Filter {
    names: HashSet<String>,
    /// Code section, and range of byte offsets there.
    ranges: Vec<(String, u64, u64)>,
    /// PTX lines by text section.
    lines: Vec<(SectionIndex, RangeInclusive<u32>)>,
}

impl Filter {
    /// Selects the items that belong to these functions, which must come from
    /// [`Symbolizer::functions`].
    pub fn new(symbolizer: &Symbolizer<'_>, functions: &[&Function<'_>]) -> Self {
        let mut lines = Vec::new();
        let mut ranges = Vec::new();
        for function in functions {
            let section = symbolizer.section(function.section).map_or("", |section| section.name);
            let end = function.offset.saturating_add(function.size);
            ranges.push((section.to_owned(), function.offset, end));
            let mut span: Option<(SectionIndex, u32, u32)> = None;
            for (base, rows) in symbolizer.ptx_rows().of(function.section) {
                for (start, ..) in rows.ranges() {
                    let at = start.saturating_add(base);
                    let place =
                        (function.offset..end).contains(&at).then(|| symbolizer.locate(function.section, at));
                    let ptx = place.flatten().and_then(|place| place.ptx());
                    let Some((text, line)) = ptx.and_then(|ptx| Some((ptx.section?, ptx.line))) else {
                        continue;
                    };
                    let (_, first, last) = span.unwrap_or((text, line, line));
                    span = Some((text, first.min(line), last.max(line)));
                }
            }
            lines.extend(span.map(|(text, first, last)| (text, first..=last)));
        }
        Self { names: functions.iter().map(|function| function.name.to_owned()).collect(), ranges, lines }
    }

    /// Whether the items of a section with this name belong to functions, so that a filter can
    /// select among them.
    pub fn applies_to(section: &str) -> bool {
        use SectionKind as Kind;
        matches!(
            SectionName::parse(section).contents_kind(),
            Some(
                Kind::DebugFrame
                    | Kind::DebugLine
                    | Kind::NvDebugLineSass
                    | Kind::TileirDebugLine
                    | Kind::NvDebugPtxTxt
                    | Kind::NvDebugInfoRegSass
                    | Kind::DebugInfo
            )
        )
    }

    /// By a function's name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// By an offset in a code section.
    pub(super) fn has_offset(&self, section: &str, offset: u64) -> bool {
        self.ranges.iter().any(|(name, start, end)| name == section && (*start..*end).contains(&offset))
    }

    /// By the code section as a whole, whose rows folded functions share.
    pub(super) fn ranges_in(&self, section: &str) -> impl Iterator<Item = (u64, u64)> {
        self.ranges.iter().filter(move |(name, ..)| name == section).map(|(_, start, end)| (*start, *end))
    }

    /// By a line of a PTX text.
    pub(super) fn has_line(&self, text: SectionIndex, line: usize) -> bool {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.lines.iter().any(|(section, lines)| *section == text && lines.contains(&line))
    }
}
