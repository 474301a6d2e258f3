//! Made-up lines of PTX: line k for instruction k. By them one sees which instructions have no code
//! any more, and whether the line tables of a cubin agree.

use crate::fix::{Edit, apply};
use crate::lexer::{TokenKind, tokenize};
use crate::line_index::LineIndex;
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::statement::Statement;
use crate::text_range::TextRange;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

/// A module with a `.loc` before each instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugifiedPtx {
    /// The text.
    pub text: String,
    /// How many lines were given out.
    pub lines: u32,
}

/// Why a module is not debugified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebugifyFault {
    /// It has debug directives, here.
    HasDebugDirectives(TextRange),
    /// It has a line marker, which changes the numbers of PTX lines, here.
    HasLineMarker(TextRange),
    /// The text is not PTX, here.
    NotPtx(TextRange),
}

impl DebugifyFault {
    /// Where the text has what is in the way.
    pub fn range(self) -> TextRange {
        match self {
            Self::HasDebugDirectives(range) | Self::HasLineMarker(range) | Self::NotPtx(range) => range,
        }
    }
}

impl fmt::Display for DebugifyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HasDebugDirectives(_) => "the module has debug directives",
            Self::HasLineMarker(_) => "a line marker, after which PTX lines have other numbers",
            Self::NotPtx(_) => "this is not PTX",
        })
    }
}

impl std::error::Error for DebugifyFault {}

/// Writes `.loc N k 1` on a line of its own before instruction k of a module, and `.file N` before
/// the first function. Instructions that share a line get lines of their own.
///
/// # Errors
///
/// [`DebugifyFault`]: the module has `.loc`, sections or line markers, or has syntax errors.
pub fn debugify(parsed: &Parsed<'_>, file_name: &str) -> Result<DebugifiedPtx, DebugifyFault> {
    let module = &parsed.module;
    if let Some(error) = parsed.errors.first() {
        return Err(DebugifyFault::NotPtx(error.range));
    }
    if let Some(marker) = tokenize(module.text).find(|token| token.kind == TokenKind::LineMarker) {
        return Err(DebugifyFault::HasLineMarker(marker.range));
    }
    let is_debug = |item: &&Item<'_>| matches!(item, Item::Section(_) | Item::AtDwarf(_));
    if let Some(item) = module.items.iter().find(is_debug) {
        return Err(DebugifyFault::HasDebugDirectives(item.range()));
    }
    let file = module.files().map(|file| file.index).max().unwrap_or(0).wrapping_add(1);
    let mut edits = Vec::new();
    if let Some(first) = module.functions().next() {
        let name: String =
            file_name.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect();
        edits.push(own_line(module.text, first.range.start, &format!(".file {file} \"{name}\"")));
    }
    let mut lines = 0;
    for statement in statements(module) {
        match statement {
            Statement::Instruction(instruction) => {
                lines += 1;
                let mut loc = String::new();
                let _ = write!(loc, ".loc {file} {lines} 1");
                edits.push(own_line(module.text, instruction.range.start, &loc));
            }
            Statement::Loc(loc) => return Err(DebugifyFault::HasDebugDirectives(loc.range)),
            _ => {}
        }
    }
    Ok(DebugifiedPtx { text: apply(module.text, &edits), lines })
}

/// Writes a directive on a line of its own before what begins at `at`, with its indentation.
fn own_line(text: &str, at: u32, directive: &str) -> Edit {
    let before = text.get(..at as usize).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let indent = &before[line..];
    let replacement = if indent.trim_matches([' ', '\t']).is_empty() {
        format!("{directive}\n{indent}")
    } else {
        format!("\n{directive}\n")
    };
    Edit { range: TextRange::empty(at), replacement }
}

fn statements<'m, 'a>(module: &'m Module<'a>) -> impl Iterator<Item = &'m Statement<'a>> {
    module.functions().filter_map(|function| function.body.as_ref()).flat_map(|body| &body.statements)
}

/// The lines that [`debugify`] gave out, by the PTX lines of their instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugifiedLines {
    by_ptx_line: BTreeMap<u32, u32>,
    /// The PTX lines of the brackets that open functions.
    entries: BTreeSet<u32>,
    count: u32,
}

impl DebugifiedLines {
    /// Reads them from a debugified module. None if its lines are not those of [`debugify`].
    pub fn read(module: &Module<'_>) -> Option<Self> {
        let index = LineIndex::new(module.text);
        let (mut by_ptx_line, mut count, mut loc) = (BTreeMap::new(), 0, None);
        for statement in statements(module) {
            match statement {
                Statement::Loc(directive) => loc = Some(directive.line),
                Statement::Instruction(instruction) => {
                    count += 1;
                    if loc.take() != Some(u64::from(count)) {
                        return None;
                    }
                    by_ptx_line.insert(index.line(instruction.line_anchor()), count);
                }
                _ => {}
            }
        }
        let bodies = module.functions().filter_map(|function| function.body.as_ref());
        let entries = bodies.map(|body| index.line(body.open.start)).collect();
        Some(Self { by_ptx_line, entries, count })
    }

    /// The line of the instruction on a PTX line.
    pub fn of_ptx_line(&self, ptx_line: u32) -> Option<u32> {
        self.by_ptx_line.get(&ptx_line).copied()
    }

    /// Whether the body of a function begins on a PTX line, which then has the code that ptxas puts
    /// before the first instruction.
    pub fn is_entry(&self, ptx_line: u32) -> bool {
        self.entries.contains(&ptx_line)
    }

    /// How many lines were given out.
    pub fn count(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const PTX: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<3>;\n\
                       L: mov.u32 %r1, 1; add.u32 %r2, %r1,\n\t\t%r1;\n\tret;\n}\n";

    #[test]
    fn each_instruction_has_a_loc_on_a_line_of_its_own() {
        let made = debugify(&parse(PTX), "k \"1\".ptx").unwrap();
        let expected = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k _1_.ptx\"\n.visible .entry k()\n{\n\
                        \t.reg .b32 %r<3>;\nL: \n.loc 1 1 1\nmov.u32 %r1, 1; \n.loc 1 2 1\nadd.u32 %r2, %r1,\n\t\t%r1;\n\
                        \t.loc 1 3 1\n\tret;\n}\n";
        assert_eq!((made.text.as_str(), made.lines), (expected, 3));
        let parsed = parse(&made.text);
        let lines = DebugifiedLines::read(&parsed.module).expect("debugified");
        let found: Vec<Option<u32>> = [10, 12, 15].map(|line| lines.of_ptx_line(line)).to_vec();
        assert_eq!((found, lines.count()), (vec![Some(1), Some(2), Some(3)], 3));
        assert!(lines.is_entry(6) && !lines.is_entry(5));
        assert!(matches!(debugify(&parsed, "k"), Err(DebugifyFault::HasDebugDirectives(_))));
        assert_eq!(DebugifiedLines::read(&parse(PTX).module), None);
    }

    #[test]
    fn what_is_in_the_way_is_said_with_its_place() {
        let marked = PTX.replace("\tret", "# 7 \"a.cu\"\n\tret");
        let fault = debugify(&parse(&marked), "k").unwrap_err();
        assert!(
            matches!(fault, DebugifyFault::HasLineMarker(_))
                && fault.range().slice(&marked).starts_with("# 7")
        );
        let fault = debugify(&parse("%r1;"), "k").unwrap_err();
        assert!(matches!(fault, DebugifyFault::NotPtx(_)));
        let section = format!("{PTX}.section .debug_str {{ .b8 0 }}\n");
        assert!(matches!(debugify(&parse(&section), "k"), Err(DebugifyFault::HasDebugDirectives(_))));
    }
}
