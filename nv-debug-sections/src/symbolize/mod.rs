//! Code address to frames: function, source line, every inlined caller, PTX line and text.
//!
//! [`Symbolizer::new`] reads the line tables of a cubin once; [`Symbolizer::locate`] then answers each address with two
//! binary searches and no allocation. An address is a section and an offset, because in a cubin every function starts
//! at 0: offset 0x20 alone means as many places as there are functions.
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use nv_debug_sections::{cubin::Cubin, symbolize::Symbolizer};
//!
//! let cubin = Cubin::parse(bytes)?;
//! let symbolizer = Symbolizer::new(&cubin)?;
//! for function in symbolizer.functions() {
//!     let Some(place) = symbolizer.locate(function.section, function.offset + 0x20) else { continue };
//!     for frame in place.frames() {
//!         // innermost first
//!     }
//! }
//! # Ok(()) }
//! ```

mod code;
mod names;
mod rows;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::catalog::SectionKind;
use crate::cubin::{Cubin, SectionIndex};
use crate::line::{self, LineRow, LineTable};
use crate::ptx_txt::NumberedText;
use crate::relocated::Relocated;
use crate::{Error, Result};

pub use code::{Code, CodeSection, Function};
pub use names::{CalleeName, CalleeNames, Doubt};
pub use rows::{Rows, Sequences};

/// Most frames that one address is given. Real chains stay below a hundred; a made-up table could have one for each row.
pub const MAX_FRAMES: usize = 1024;

/// Why an address is at a place, and what is there.
#[derive(Debug, Clone, Copy)]
pub struct Place<'s> {
    /// The code section.
    pub section: &'s CodeSection<'s>,
    /// Byte offset in that section.
    pub offset: u64,
    /// The function whose code it is; `None` where no symbol covers it.
    pub function: Option<&'s Function<'s>>,
    source: Option<Found<'s>>,
    ptx: Option<Found<'s>>,
    owner: &'s Symbolizer<'s>,
}

/// A row of one of the tables.
#[derive(Debug, Clone, Copy)]
struct Found<'s> {
    rows: &'s Rows,
    /// Index into [`Rows::all`].
    row: usize,
}

impl Found<'_> {
    fn row(self) -> Option<LineRow> {
        self.rows.all().get(self.row).copied()
    }
}

/// One step of a call chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'s> {
    /// Whose code it is.
    pub function: FrameFunction<'s>,
    /// The source file.
    pub file: FileName<'s>,
    /// 1-based line; 0 for none.
    pub line: u32,
    /// 1-based column; 0 for none. ptxas never writes one.
    pub column: u64,
    /// A context number that names no earlier row of the table: the callers are then unknown, and this frame is the last.
    pub lost_context: Option<u64>,
}

/// The function of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFunction<'s> {
    /// The function that has the code: the chain's last frame.
    Physical(Option<&'s Function<'s>>),
    /// A function inlined into the next frame's.
    Inlined(CalleeName<'s>),
}

/// A file of a line table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileName<'s> {
    /// Its path: directory and name.
    Path(&'s str),
    /// An index that the file table does not have.
    Undeclared(u64),
}

/// A line of the PTX source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxLine<'s> {
    /// 1-based line number.
    pub line: u32,
    /// The section that has the text; `None` where the file has none or it is not clear which.
    pub section: Option<SectionIndex>,
    /// The line as `.nv_debug_ptx_txt` keeps it (no leading blanks, no debug directives); `None` where that has no such line.
    pub text: Option<&'s [u8]>,
}

/// Everything needed to answer addresses of one cubin.
#[derive(Debug, Clone)]
pub struct Symbolizer<'c> {
    code: Code<'c>,
    source: Sequences,
    ptx: Sequences,
    /// Paths of each `.debug_line` unit, by file number less 1.
    files: Vec<Vec<Option<String>>>,
    names: CalleeNames<'c>,
    texts: Vec<Text<'c>>,
    /// For each `.nv_debug_line_sass` unit, the index in `texts` for each file number (0 first).
    text_of: Vec<Vec<Option<usize>>>,
}

/// One `.nv_debug_ptx_txt` section.
#[derive(Debug, Clone)]
struct Text<'c> {
    section: SectionIndex,
    text: NumberedText<'c>,
}

impl<'c> Symbolizer<'c> {
    /// Reads `.debug_line`, `.nv_debug_line_sass`, `.debug_str` and the PTX text. Each may be missing.
    ///
    /// # Errors
    ///
    /// A table cannot be decoded or one of its relocations not be applied: the error names section and offset.
    pub fn new(cubin: &'c Cubin<'_>) -> Result<Self> {
        let relocated = Relocated::new(cubin);
        let code = Code::new(cubin);
        let mut files = Vec::new();
        let mut bases = Vec::new();
        let source = read_tables(&relocated, &code, SectionKind::DebugLine, |table, paths| {
            files.push(paths);
            bases.push(table.debug_str_base);
        })?;
        let strings = match find(cubin, SectionKind::DebugStr).next() {
            Some((index, _)) => relocated.section(index)?.bytes,
            None => Cow::default(),
        };
        let mut texts = Vec::new();
        let mut text_names = HashMap::new();
        for (index, name) in find(cubin, SectionKind::NvDebugPtxTxt) {
            text_names.entry(name.to_owned()).or_insert(texts.len());
            texts.push(read_text(cubin, index)?);
        }
        let only_text = (texts.len() == 1).then_some(0);
        let mut text_of = Vec::new();
        let ptx = read_tables(&relocated, &code, SectionKind::NvDebugLineSass, |_, paths| {
            // ptxas leaves the file table empty and sets file 0; nvlink, which may join several texts, declares the section's name.
            let declared = paths.iter().map(|path| text_names.get(path.as_ref()?).copied());
            text_of.push(std::iter::once(only_text).chain(declared).collect());
        })?;
        Ok(Self { code, source, ptx, files, names: CalleeNames::new(strings, bases), texts, text_of })
    }

    /// All functions, by section and offset.
    pub fn functions(&self) -> &[Function<'c>] {
        self.code.functions()
    }

    /// The functions of a code section, by offset.
    pub fn functions_of(&self, section: SectionIndex) -> &[Function<'c>] {
        self.code.functions_of(section)
    }

    /// All code sections in file order.
    pub fn sections(&self) -> &[CodeSection<'c>] {
        self.code.sections()
    }

    /// The code section at `index`.
    pub fn section(&self, index: SectionIndex) -> Option<&CodeSection<'c>> {
        self.code.section(index)
    }

    /// The code section at an address and the byte offset in it: see [`Code::at_address`].
    pub fn at_address(&self, address: u64) -> Option<(SectionIndex, u64)> {
        self.code.at_address(address)
    }

    /// Rows of `.debug_line`.
    pub fn source_rows(&self) -> &Sequences {
        &self.source
    }

    /// Rows of `.nv_debug_line_sass`.
    pub fn ptx_rows(&self) -> &Sequences {
        &self.ptx
    }

    /// What is at byte `offset` of `section`; `None` where that is no code section or the offset is behind its end.
    pub fn locate(&self, section: SectionIndex, offset: u64) -> Option<Place<'_>> {
        let code = self.code.section(section).filter(|code| offset < code.size)?;
        let find = |(rows, row)| Found { rows, row };
        Some(Place {
            section: code,
            offset,
            function: self.code.function_at(section, offset),
            source: self.source.find(section, offset).map(find),
            ptx: self.ptx.find(section, offset).map(find),
            owner: self,
        })
    }

    /// Path of file number `file` in unit `unit` of `.debug_line`.
    pub fn file(&self, unit: usize, file: u64) -> FileName<'_> {
        let path = usize::try_from(file)
            .ok()
            .and_then(|file| self.files.get(unit)?.get(file.checked_sub(1)?)?.as_deref());
        path.map_or(FileName::Undeclared(file), FileName::Path)
    }

    /// The callee that a row of unit `unit` of `.debug_line` names by offset.
    pub fn callee(&self, unit: usize, name: u64) -> CalleeName<'_> {
        self.names.get(unit, name)
    }

    fn ptx_line(&self, unit: usize, row: &LineRow) -> PtxLine<'_> {
        let file = usize::try_from(row.file).ok();
        let text =
            file.and_then(|file| *self.text_of.get(unit)?.get(file)?).and_then(|index| self.texts.get(index));
        PtxLine {
            line: row.line,
            section: text.map(|text| text.section),
            text: text.and_then(|text| text.text.line(row.line)),
        }
    }
}

impl<'s> Place<'s> {
    /// Offset from the start of [`function`](Self::function), or of the section without one.
    pub fn function_offset(&self) -> u64 {
        self.offset - self.function.map_or(0, |function| function.offset)
    }

    /// The row of `.debug_line` that covers the address.
    pub fn source_row(&self) -> Option<LineRow> {
        self.source?.row()
    }

    /// How many frames the address has, those beyond [`MAX_FRAMES`] included; takes constant time.
    pub fn depth(&self) -> usize {
        self.source.map_or(0, |found| found.rows.depth(found.row) + 1)
    }

    /// Source places, innermost first, the function's own last, up to [`MAX_FRAMES`]. Empty where `.debug_line` does not
    /// cover the address.
    pub fn frames(&self) -> Frames<'s> {
        Frames { function: self.function, owner: self.owner, next: self.source, left: MAX_FRAMES }
    }

    /// The PTX line, where `.nv_debug_line_sass` covers the address.
    pub fn ptx(&self) -> Option<PtxLine<'s>> {
        let found = self.ptx?;
        Some(self.owner.ptx_line(found.rows.unit(), &found.row()?))
    }
}

/// See [`Place::frames`].
#[derive(Debug, Clone)]
pub struct Frames<'s> {
    function: Option<&'s Function<'s>>,
    owner: &'s Symbolizer<'s>,
    next: Option<Found<'s>>,
    left: usize,
}

impl<'s> Iterator for Frames<'s> {
    type Item = Frame<'s>;

    fn next(&mut self) -> Option<Frame<'s>> {
        let found = self.next.take()?;
        self.left = self.left.checked_sub(1)?;
        let row = found.row()?;
        let unit = found.rows.unit();
        let caller = found.rows.caller(found.row);
        self.next = caller.map(|row| Found { row, ..found });
        Some(Frame {
            function: match row.context {
                0 => FrameFunction::Physical(self.function),
                _ => FrameFunction::Inlined(self.owner.callee(unit, row.name)),
            },
            file: self.owner.file(unit, row.file),
            line: row.line,
            column: row.column,
            lost_context: (row.context != 0 && caller.is_none()).then_some(row.context),
        })
    }
}

/// Sections of a kind, in file order.
fn find<'c>(cubin: &'c Cubin<'_>, kind: SectionKind) -> impl Iterator<Item = (SectionIndex, &'c str)> {
    cubin
        .iter()
        .filter(move |(_, name, _)| SectionKind::from_name(name) == Some(kind))
        .map(|(index, name, _)| (index, name))
}

fn read_text<'c>(cubin: &'c Cubin<'_>, section: SectionIndex) -> Result<Text<'c>> {
    let text = NumberedText::decode(cubin.bytes(section)?);
    let name = cubin.section_name(section);
    Ok(Text { section, text: text.map_err(|error| Error::new(name, error.offset(), error.kind().clone()))? })
}

/// Decodes the first section of a kind and files its sequences by code section. `each` sees every unit's table.
fn read_tables(
    relocated: &Relocated<'_, '_>,
    code: &Code<'_>,
    kind: SectionKind,
    mut each: impl FnMut(&LineTable<'_>, Vec<Option<String>>),
) -> Result<Sequences> {
    let mut sequences = Sequences::default();
    let Some((index, name)) = find(relocated.cubin(), kind).next() else { return Ok(sequences) };
    let section = relocated.section(index)?;
    for (unit, table) in line::decode(name, &section.bytes)?.iter().enumerate() {
        for sequence in &table.sequences {
            let place = match section.target(sequence.base_offset) {
                Some(target) => target.section.map(|index| (index, target.offset)),
                None => code.at_address(sequence.base),
            };
            match place {
                Some((index, start)) => sequences.push(index, start, Rows::new(unit, table, sequence)),
                None => sequences.count_unplaced(),
            }
        }
        each(table, table.paths(name)?);
    }
    sequences.sort();
    Ok(sequences)
}
