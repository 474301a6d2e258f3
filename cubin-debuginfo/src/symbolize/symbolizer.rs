//! The line tables and names of one cubin, for looking up code addresses.

use super::file_tables::Files;
use super::frames::ShapeLabel;
use super::{
    CalleeName, CalleeNames, IntermediateLine, LineTableIndex, PtxLine, ResolvedAddress, TableFileName,
    UnitNames,
};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::code::{Code, CodeSection, Function};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::intermediate_text::{self, NumberedLines};
use nv_debug_sections::line::{LineFile, LineRow, LineTable};
use nv_debug_sections::ptx_txt::NumberedText;
use nv_debug_sections::relocated::RelocatedCubin;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The line tables and names of one cubin, for resolving its code addresses.
#[derive(Debug, Clone)]
pub struct Symbolizer<'c> {
    code: Code<'c>,
    pub(super) source: LineTableIndex<'c>,
    pub(super) ptx: LineTableIndex<'c>,
    pub(super) files: Files,
    pub(super) names: CalleeNames<'c>,
    /// By shape of the packed rows of `source`.
    pub(super) labels: Vec<ShapeLabel>,
    pub(super) intermediate: LineTableIndex<'c>,
    /// For each `.nv.tileir.debug_line` unit its files (1 first).
    intermediate_files: Vec<Vec<IntermediateFile>>,
    intermediate_texts: Vec<(SectionIndex, NumberedLines<'c>)>,
    texts: Vec<Text<'c>>,
    /// For each `.nv_debug_line_sass` unit, the index in `texts` for each file number (0 first).
    text_of: Vec<Vec<Option<usize>>>,
}

/// A file of an intermediate language, as the table of its lines has it.
#[derive(Debug, Clone)]
struct IntermediateFile {
    /// The name of the file, without that of the section with its text.
    name: String,
    /// The index of its text; `None` where the file has no section of that name.
    text: Option<usize>,
}

/// One `.nv_debug_ptx_txt` section.
#[derive(Debug, Clone)]
struct Text<'c> {
    section: SectionIndex,
    text: NumberedText<'c>,
}

impl<'c> Symbolizer<'c> {
    /// Reads `.debug_line`, `.nv_debug_line_sass`, `.debug_str` and the PTX text of a cubin. Each
    /// may be missing.
    ///
    /// # Errors
    ///
    /// A table cannot be decoded or one of its relocations not be applied: the error names section
    /// and offset.
    pub fn new(cubin: &'c Cubin<'_>) -> Result<Self> {
        Self::in_space(cubin, Space::Native)
    }

    /// Reads the line tables for native or for Mercury code, as [`new`](Self::new) does for native
    /// code. The Mercury tables (`.nv.merc.debug_line` and so on, sm_100 and later) describe
    /// `.nv.capmerc.text.F`, whose addresses are not those of the code that runs. If they are
    /// missing, everything is empty.
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
        let mut intermediate_texts = Vec::new();
        let mut intermediate_names = HashMap::new();
        for (index, name) in tables.find(SectionKind::TileirDebugTxt) {
            let native = SectionName { space: Space::Native, ..SectionName::parse(name) };
            intermediate_names.entry(native.to_string()).or_insert(intermediate_texts.len());
            intermediate_texts.push((index, NumberedLines::new(cubin.bytes(index)?)));
        }
        let mut intermediate_files = Vec::new();
        let intermediate = tables.read(SectionKind::TileirDebugLine, |table, _, _| {
            let file = |file: &LineFile<'_>| {
                let name = String::from_utf8_lossy(&file.name).into_owned();
                let text = intermediate_names.get(&name).copied();
                let own = intermediate_text::file_name(&file.name).map(String::from_utf8_lossy);
                IntermediateFile { name: own.map_or(name, Cow::into_owned), text }
            };
            intermediate_files.push(table.files.iter().map(file).collect());
        })?;
        let names = CalleeNames::new(strings, units);
        let labels = source.shapes().iter().map(|shape| ShapeLabel::new(shape, &files, &names)).collect();
        Ok(Self {
            code: tables.code,
            source,
            ptx,
            files,
            names,
            labels,
            intermediate,
            intermediate_files,
            intermediate_texts,
            texts,
            text_of,
        })
    }

    /// The code sections and functions of the cubin, which need no line table.
    pub fn code(&self) -> &Code<'c> {
        &self.code
    }

    /// All functions of the cubin, sorted by section and offset.
    pub fn functions(&self) -> &[Function<'c>] {
        self.code.functions()
    }

    /// The functions of a code section, sorted by offset.
    pub fn functions_of(&self, section: SectionIndex) -> &[Function<'c>] {
        self.code.functions_of(section)
    }

    /// All code sections of the cubin, in file order.
    pub fn sections(&self) -> &[CodeSection<'c>] {
        self.code.sections()
    }

    /// The code section with this section index; `None` if the section is not one.
    pub fn section(&self, index: SectionIndex) -> Option<&CodeSection<'c>> {
        self.code.section(index)
    }

    /// Finds the code section at a virtual address and the byte offset in it, as
    /// [`Code::at_address`] does.
    pub fn at_address(&self, address: u64) -> Option<(SectionIndex, u64)> {
        self.code.at_address(address)
    }

    /// The index of the rows of `.debug_line`.
    pub fn source_rows(&self) -> &LineTableIndex<'c> {
        &self.source
    }

    /// The index of the rows of `.nv_debug_line_sass`.
    pub fn ptx_rows(&self) -> &LineTableIndex<'c> {
        &self.ptx
    }

    /// Finds function, source row and PTX row for byte `offset` of `section`; `None` if that is not
    /// a code section or the offset is past its end.
    #[inline]
    pub fn locate(&self, section: SectionIndex, offset: u64) -> Option<ResolvedAddress<'_>> {
        let place = self.code_at(section, offset)?;
        Some(ResolvedAddress { source: self.source.find(section, offset, place.range_number), ..place })
    }

    /// As [`locate`](Self::locate), without the row.
    #[inline]
    pub(super) fn code_at(&self, section: SectionIndex, offset: u64) -> Option<ResolvedAddress<'_>> {
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

    /// The name of the inlined function to which a row of unit `unit` of `.debug_line` refers by
    /// its name operand.
    #[inline]
    pub fn callee_name(&self, unit: usize, name: u64) -> CalleeName<'_> {
        self.names.get(unit, name)
    }

    pub(super) fn ptx_line(&self, unit: usize, row: LineRow) -> PtxLine<'_> {
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

impl<'c> Symbolizer<'c> {
    /// The rows of `.nv.tileir.debug_line`, which most cubins do not have.
    pub fn intermediate_rows(&self) -> &LineTableIndex<'c> {
        &self.intermediate
    }

    /// The place that a row of unit `unit` of `.nv.tileir.debug_line` gives.
    pub(super) fn intermediate_line(&self, unit: usize, row: LineRow) -> IntermediateLine<'_> {
        let number = usize::try_from(row.file).ok().and_then(|file| file.checked_sub(1));
        let file = number.and_then(|number| self.intermediate_files.get(unit)?.get(number));
        let text = file.and_then(|file| self.intermediate_texts.get(file.text?));
        IntermediateLine {
            file: file.map(|file| &*file.name),
            line: row.line,
            section: text.map(|(section, _)| *section),
            text: text.and_then(|(_, lines)| lines.line(row.line)),
        }
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
