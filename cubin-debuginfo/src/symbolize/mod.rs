//! Resolves a code address to frames: function, source line, every inlined caller, PTX line and
//! text.
//!
//! [`Symbolizer::new`] reads the line tables of a cubin once; [`Symbolizer::locate`] then answers
//! each address with a binary search and without an allocation, [`Symbolizer::locate_all`] many. An
//! address is a section and an offset, because in a cubin every function starts at 0: offset 0x20
//! alone means as many places as there are functions.
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use cubin_debuginfo::symbolize::Symbolizer;
//! use nv_debug_sections::cubin::Cubin;
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

mod batch;
mod callee_names;
mod covered_ranges;
mod file_tables;
mod frames;
mod line_table_index;
mod packed;
mod row_walker;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::code::{Code, CodeSection, Function};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line::{LineRow, LineTable};
use nv_debug_sections::ptx_txt::NumberedText;
use nv_debug_sections::relocated::RelocatedCubin;

pub use crate::limits::MAX_FRAMES;
pub use callee_names::{CalleeName, CalleeNames, NameUncertainty, UnitNames};
pub use covered_ranges::CoveredRange;
pub use file_tables::TableFileName;
pub use frames::{Frame, FrameFunction, Frames, InlinedEntry};
pub use line_table_index::{LineTableIndex, SequenceRows};

use file_tables::Files;
use frames::ShapeLabel;
use line_table_index::RowRef;

/// The function, source row and PTX row found for one code address.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedAddress<'s> {
    /// The code section.
    pub section: &'s CodeSection<'s>,
    /// Byte offset in that section.
    pub offset: u64,
    /// The function whose code it is; `None` where no symbol covers it.
    pub function: Option<&'s Function<'s>>,
    /// Number of the function range that has the address.
    range_number: u32,
    source: Option<RowRef<'s>>,
    owner: &'s Symbolizer<'s>,
}

/// A line of the PTX source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxLine<'s> {
    /// 1-based line number.
    pub line: u32,
    /// The section that has the text; `None` where the file has none or it is not clear which.
    pub section: Option<SectionIndex>,
    /// The line as `.nv_debug_ptx_txt` keeps it (no leading blanks, no debug directives); `None`
    /// where that has no such line.
    pub text: Option<&'s [u8]>,
}

/// The line tables and names of one cubin, for resolving its code addresses.
#[derive(Debug, Clone)]
pub struct Symbolizer<'c> {
    code: Code<'c>,
    source: LineTableIndex<'c>,
    ptx: LineTableIndex<'c>,
    files: Files,
    names: CalleeNames<'c>,
    /// By shape of the packed rows of `source`.
    labels: Vec<ShapeLabel>,
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
    /// Reads `.debug_line`, `.nv_debug_line_sass`, `.debug_str` and the PTX text. Each may be
    /// missing.
    ///
    /// # Errors
    ///
    /// A table cannot be decoded or one of its relocations not be applied: the error names section
    /// and offset.
    pub fn new(cubin: &'c Cubin<'_>) -> Result<Self> {
        Self::in_space(cubin, Space::Native)
    }

    /// Reads the tables of one space, as [`new`](Self::new) does for the native one. The Mercury
    /// tables (`.nv.merc.debug_line` and so on, sm_100 and later) describe `.nv.capmerc.text.F`,
    /// whose addresses are not those of the code that runs. If they are missing, everything is
    /// empty.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn in_space(cubin: &'c Cubin<'_>, space: Space) -> Result<Self> {
        let tables =
            Tables { relocated: RelocatedCubin::new(cubin), code: Code::in_space(cubin, space), space };
        let mut files = Files::default();
        let mut units = Vec::new();
        let source = tables.read(SectionKind::DebugLine, |table, paths, used| {
            files.add(paths);
            units.push(UnitNames { base: table.debug_str_base, used });
        })?;
        let strings = match tables.find(SectionKind::DebugStr).next() {
            Some((index, _)) => tables.relocated.section(index)?.bytes,
            None => Cow::default(),
        };
        let mut texts = Vec::new();
        let mut text_names = HashMap::new();
        for (index, name) in tables.find(SectionKind::NvDebugPtxTxt) {
            // The file table of a Mercury unit has the native name.
            let native = SectionName { space: Space::Native, ..SectionName::parse(name) };
            text_names.entry(native.to_string()).or_insert(texts.len());
            texts.push(read_text(cubin, index)?);
        }
        let only_text = (texts.len() == 1).then_some(0);
        let mut text_of = Vec::new();
        let ptx = tables.read(SectionKind::NvDebugLineSass, |_, paths, _| {
            // ptxas leaves the file table empty and sets file 0; nvlink, which may join several
            // texts, declares the section's name.
            let declared = paths.iter().map(|path| text_names.get(path.as_ref()?).copied());
            text_of.push(std::iter::once(only_text).chain(declared).collect());
        })?;
        let names = CalleeNames::new(strings, units);
        let labels = source.shapes().iter().map(|shape| ShapeLabel::new(shape, &files, &names)).collect();
        Ok(Self { code: tables.code, source, ptx, files, names, labels, texts, text_of })
    }

    /// The code sections and functions of the cubin, which need no line table.
    pub fn code(&self) -> &Code<'c> {
        &self.code
    }

    /// All functions, sorted by section and offset.
    pub fn functions(&self) -> &[Function<'c>] {
        self.code.functions()
    }

    /// The functions of a code section, sorted by offset.
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

    /// Finds the code section at an address and the byte offset in it, as [`Code::at_address`].
    pub fn at_address(&self, address: u64) -> Option<(SectionIndex, u64)> {
        self.code.at_address(address)
    }

    /// The rows of `.debug_line`.
    pub fn source_rows(&self) -> &LineTableIndex<'c> {
        &self.source
    }

    /// The rows of `.nv_debug_line_sass`.
    pub fn ptx_rows(&self) -> &LineTableIndex<'c> {
        &self.ptx
    }

    /// Resolves byte `offset` of `section`; `None` if that is not a code section or the offset is
    /// after its end.
    #[inline]
    pub fn locate(&self, section: SectionIndex, offset: u64) -> Option<ResolvedAddress<'_>> {
        let place = self.code_at(section, offset)?;
        Some(ResolvedAddress { source: self.source.find(section, offset, place.range_number), ..place })
    }

    /// As [`locate`](Self::locate), without the row.
    #[inline]
    fn code_at(&self, section: SectionIndex, offset: u64) -> Option<ResolvedAddress<'_>> {
        let (code, stretch) = self.code.range_at(section, offset)?;
        (offset < code.size).then(|| {
            let function = self.code.function_of_range(stretch);
            ResolvedAddress {
                section: code,
                offset,
                function,
                range_number: stretch,
                source: None,
                owner: self,
            }
        })
    }

    /// Iterates over the non-empty ranges of a code section that rows of `.debug_line` cover, by
    /// ascending start, each with its resolved address.
    ///
    /// One pass over the table: what [`locate`](Self::locate) answers for the start of each range.
    pub fn source_ranges(
        &self,
        section: SectionIndex,
    ) -> impl Iterator<Item = (Range<u64>, ResolvedAddress<'_>)> {
        self.source.found_ranges(&self.code, section).filter_map(move |mut covered| {
            let place = self.code_at(section, covered.range.start)?;
            // A sequence may run past its section.
            covered.range.end = covered.range.end.min(place.section.size);
            Some((covered.range, ResolvedAddress { source: Some(covered.found), ..place }))
        })
    }

    /// Iterates over the paths of all files that the units of `.debug_line` declare, unit by unit.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.paths()
    }

    /// The path of file number `file` in unit `unit` of `.debug_line`.
    #[inline]
    pub fn file(&self, unit: usize, file: u64) -> TableFileName<'_> {
        self.files.name(self.files.find(unit, file), file)
    }

    /// The callee whose name a row of unit `unit` of `.debug_line` gives by offset.
    #[inline]
    pub fn callee_name(&self, unit: usize, name: u64) -> CalleeName<'_> {
        self.names.get(unit, name)
    }

    fn ptx_line(&self, unit: usize, row: LineRow) -> PtxLine<'_> {
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

impl<'s> ResolvedAddress<'s> {
    /// The byte offset from the start of [`function`](Self::function), or of the section if there
    /// is no function.
    pub fn function_offset(&self) -> u64 {
        self.offset - self.function.map_or(0, |function| function.offset)
    }

    /// The row of `.debug_line` that covers the address.
    pub fn source_row(&self) -> Option<LineRow> {
        self.source.map(|found| found.row())
    }

    /// The number of frames of the address, including those beyond [`MAX_FRAMES`]; takes constant
    /// time.
    pub fn depth(&self) -> usize {
        self.source.map_or(0, |found| found.depth() + 1)
    }

    /// Whether the line unit of the row has any inlined code. If so, an address with one frame
    /// belongs to the function itself. `false` if there is no row.
    pub fn has_contexts(&self) -> bool {
        self.source.is_some_and(|found| self.owner.source.has_contexts(found.unit()))
    }

    /// Iterates over the frames of the address, innermost first and the function's own last, up to
    /// [`MAX_FRAMES`]. Empty if `.debug_line` does not cover the address.
    #[inline]
    pub fn frames(&self) -> Frames<'s> {
        Frames::of(*self)
    }

    /// The PTX line; `None` if `.nv_debug_line_sass` does not cover the address.
    pub fn ptx(&self) -> Option<PtxLine<'s>> {
        let found = self.owner.ptx.find(self.section.index, self.offset, self.range_number)?;
        Some(self.owner.ptx_line(found.unit(), found.row()))
    }
}

fn read_text<'c>(cubin: &'c Cubin<'_>, section: SectionIndex) -> Result<Text<'c>> {
    let text = NumberedText::decode(cubin.bytes(section)?);
    let name = cubin.section_name(section);
    Ok(Text { section, text: text.map_err(|error| error.rebased(name, 0))? })
}

/// Where the tables of one space are.
struct Tables<'c, 'd> {
    relocated: RelocatedCubin<'c, 'd>,
    code: Code<'c>,
    space: Space,
}

impl<'c> Tables<'c, '_> {
    /// Sections of a kind, in file order.
    fn find(&self, kind: SectionKind) -> impl Iterator<Item = (SectionIndex, &'c str)> {
        let space = self.space;
        let is = move |name: &str| match space {
            Space::Native => SectionKind::from_name(name) == Some(kind),
            Space::Mercury => {
                let name = SectionName::parse(name);
                name.space == Space::Mercury && name.form.is_none() && name.kind() == Some(kind)
            }
        };
        let cubin: &'c Cubin<'_> = self.relocated.cubin();
        cubin.iter().filter(move |(_, name, _)| is(name)).map(|(index, name, _)| (index, name))
    }

    /// Indexes the first section of a kind. `each` sees every unit's table without sequences, its
    /// paths, and the names that its rows use.
    fn read(
        &self,
        kind: SectionKind,
        mut each: impl FnMut(&LineTable<'_>, Vec<Option<String>>, Vec<u64>),
    ) -> Result<LineTableIndex<'c>> {
        let Some((index, name)) = self.find(kind).next() else { return Ok(LineTableIndex::default()) };
        let section = self.relocated.section(index)?;
        let place = |base: u64, base_offset: u64| match section.target(base_offset) {
            Some(target) => target.section.map(|index| (index, target.offset)),
            None => self.code.at_address(base),
        };
        let bytes = self.relocated.cubin().bytes(index)?;
        let section_count = self.relocated.cubin().sections.len();
        let mut index =
            LineTableIndex::new(name, bytes, &section.bytes, section_count, place, |table, used| {
                each(table, table.paths(name)?, used);
                Ok(())
            })?;
        index.bound_by(&self.code);
        Ok(index)
    }
}
