//! Picks the decoder of a section, and knows what its fields refer to.

use super::model::{Contents, FunctionFacts, Header, Rest, Section, ShownRest};
use super::stream::{Part, Visit};
use super::{attributes, frames, info, lists, rows};
use crate::commands::read::section_size;
use cubin_debuginfo::symbolize::Symbolizer;
use dwarf2_reader::WorkBudget;
use dwarf2_reader::info::Units;
use nv_debug_sections::catalog::{Origin, SectionKind, SectionName, Space};
use nv_debug_sections::code::{Code, Function};
use nv_debug_sections::cubin::{self, Cubin, SectionIndex, sht};
use nv_debug_sections::relocated::{Relocated, RelocatedSection, Target};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, RangeInclusive};
use std::rc::Rc;

/// Which section it is, or is the Mercury copy of.
pub(super) fn kind(name: &str) -> Option<SectionKind> {
    let name = SectionName::parse(name);
    name.kind().filter(|_| name.form.is_none())
}

/// Whether parts of the section belong to functions, so that `--function` can pick them.
pub(super) fn has_functions(name: &str) -> bool {
    use SectionKind as Kind;
    matches!(
        kind(name),
        Some(
            Kind::DebugFrame
                | Kind::DebugLine
                | Kind::NvDebugLineSass
                | Kind::NvDebugPtxTxt
                | Kind::NvDebugInfoRegSass
                | Kind::DebugInfo
        )
    )
}

/// `--function`: what belongs to the chosen functions.
#[derive(Debug)]
pub(in crate::commands) struct Filter {
    names: HashSet<String>,
    /// Code section, and range of byte offsets there.
    ranges: Vec<(String, u64, u64)>,
    /// PTX lines by text section.
    lines: Vec<(SectionIndex, RangeInclusive<u32>)>,
}

impl Filter {
    pub(super) fn new(symbolizer: &Symbolizer<'_>, functions: &[&Function<'_>]) -> Self {
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

/// The file to decode from.
#[derive(Debug)]
pub(in crate::commands) struct Source<'c, 'd> {
    pub(super) cubin: &'c Cubin<'d>,
    relocated: Relocated<'c, 'd>,
    /// The first section of each kind, Mercury and native apart.
    first: HashMap<(Space, SectionKind), SectionIndex>,
    /// Those of them that others refer to.
    siblings: RefCell<HashMap<SectionIndex, Rc<View<'c>>>>,
    code: Code<'c>,
    pub(super) filter: Option<Filter>,
    /// `--offset`: the byte that is asked for, around which more is shown.
    pub(super) at: Option<u64>,
}

/// What a section says.
pub(super) struct Decoded<'s> {
    pub(super) contents: Contents<'s>,
    pub(super) functions: Vec<FunctionFacts>,
}

impl<'s> From<Contents<'s>> for Decoded<'s> {
    fn from(contents: Contents<'s>) -> Self {
        Self { contents, functions: Vec::new() }
    }
}

/// A section beside another one; `None` if it is not there.
type Sibling<'c> = Result<Option<Rc<View<'c>>>>;

/// A section that is to be decoded, with those beside it that it refers to. What is decoded borrows from it.
#[derive(Debug)]
pub(in crate::commands) struct Opened<'c> {
    index: SectionIndex,
    name: &'c str,
    view: Result<View<'c>>,
    abbrev: Sibling<'c>,
    strings: Sibling<'c>,
    types: Sibling<'c>,
    pub(super) units: OnceCell<Units>,
}

/// The bytes of a section beside another one; none of one that is not there.
fn sibling_bytes<'o>(sibling: &'o Sibling<'_>) -> Result<&'o [u8]> {
    let view = sibling.as_ref().map_err(Clone::clone)?;
    Ok(view.as_ref().map_or(&[][..], |view| &view.data.bytes))
}

impl<'c> Opened<'c> {
    pub(super) fn view(&self) -> Result<&View<'c>> {
        self.view.as_ref().map_err(Clone::clone)
    }

    /// The bytes of `.debug_abbrev`.
    pub(super) fn abbrev(&self) -> Result<&[u8]> {
        sibling_bytes(&self.abbrev)
    }

    /// The bytes of `.debug_str`.
    pub(super) fn strings(&self) -> Result<&[u8]> {
        sibling_bytes(&self.strings)
    }

    /// The bytes of `.nv_debug_info_reg_type`.
    pub(super) fn types(&self) -> Result<&[u8]> {
        sibling_bytes(&self.types)
    }
}

/// A budget of text for the strings that the fields of a section refer to.
pub(super) fn string_budget(section: &[u8], strings: &[u8]) -> WorkBudget {
    WorkBudget::of_strings(section.len() as u64, strings.len() as u64)
}

/// Takes the length of a text for the field at `offset`.
///
/// # Errors
///
/// The budget is spent: so many fields refer to long strings.
pub(super) fn take(budget: &mut WorkBudget, len: usize, view: &View<'_>, offset: u64) -> Result<()> {
    if budget.take(len as u64) {
        return Ok(());
    }
    let text = "too many fields refer to long strings to show them all";
    Err(Error::new(&*view.name, offset, ErrorKind::Limit(text.into())))
}

/// Visits bytes that are no item, if there are any.
pub(super) fn rest_of<T>(
    visit: &mut Visit<'_, T>,
    span: dwarf2_reader::Span,
    what: impl Into<Cow<'static, str>>,
) -> ControlFlow<()> {
    if span.is_empty() {
        return ControlFlow::Continue(());
    }
    visit(Part::Rest(Rest::new(span.into(), what)))
}

/// One section with its relocations.
#[derive(Debug)]
pub(super) struct View<'c> {
    pub(super) index: SectionIndex,
    pub(super) name: String,
    pub(super) data: RelocatedSection<'c>,
}

impl View<'_> {
    /// The error of a reader that knows native sections only, with the name of the section at fault: this one, or one beside it.
    pub(super) fn fault(&self, error: dwarf2_reader::Error) -> Error {
        let native = SectionName::native(error.section);
        let name = match SectionName::parse(&self.name).space {
            Space::Native => native.to_string(),
            Space::Mercury => native.mercury().to_string(),
        };
        Error::from(error).moved(name, 0)
    }
}

impl<'c, 'd> Source<'c, 'd> {
    pub(in crate::commands) fn new(cubin: &'c Cubin<'d>, filter: Option<Filter>, at: Option<u64>) -> Self {
        let mut first = HashMap::new();
        for (index, name, _) in cubin.iter() {
            if let Some(kind) = kind(name) {
                first.entry((SectionName::parse(name).space, kind)).or_insert(index);
            }
        }
        Self {
            cubin,
            relocated: Relocated::new(cubin),
            first,
            siblings: RefCell::default(),
            code: Code::new(cubin),
            filter,
            at,
        }
    }

    /// Section and offset of an absolute code address, in files whose sections have addresses.
    pub(super) fn at_address(&self, address: u64) -> Option<(&'c str, u64)> {
        let (section, offset) = self.code.at_address(address)?;
        Some((self.cubin.section_name(section), offset))
    }

    pub(super) fn view(&self, index: SectionIndex) -> Result<View<'c>> {
        Ok(View {
            index,
            name: self.cubin.section_name(index).to_owned(),
            data: self.relocated.section(index)?,
        })
    }

    /// The first section of that kind beside `near`: native beside native, Mercury beside Mercury.
    ///
    /// # Errors
    ///
    /// It is there, but cannot be read. What refers to it cannot be shown then.
    pub(super) fn sibling(&self, near: &str, wanted: SectionKind) -> Sibling<'c> {
        let Some(index) = self.first.get(&(SectionName::parse(near).space, wanted)) else { return Ok(None) };
        let mut siblings = self.siblings.borrow_mut();
        if !siblings.contains_key(index) {
            siblings.insert(*index, Rc::new(self.view(*index)?));
        }
        Ok(siblings.get(index).map(Rc::clone))
    }

    /// A place in words: `.text.F+0x10`, or the symbol where it has no section.
    pub(super) fn place(&self, target: &Target) -> String {
        match target.section {
            Some(section) => format!("{}+{:#x}", self.cubin.section_name(section), target.offset),
            None => format!(
                "{}+{:#x} (undefined)",
                self.cubin.symbol_name_in(target.table, target.symbol),
                target.addend
            ),
        }
    }

    /// The field at `offset` of a section, whose bytes say `value`, in words.
    pub(super) fn field(&self, view: &View<'_>, offset: u64, value: u64) -> String {
        view.data.target(offset).map_or_else(|| format!("{value:#x}"), |target| self.place(target))
    }

    /// The same for a code address, which in debug-only objects needs no relocation.
    pub(super) fn code_address(&self, view: &View<'_>, offset: u64, value: u64) -> String {
        self.code_place(view, offset, value).unwrap_or_else(|| format!("{value:#x}"))
    }

    /// The same for an end: the address behind a range may be another section's first.
    pub(super) fn end_address(&self, view: &View<'_>, offset: u64, value: u64) -> String {
        self.end_place(view, offset, value).unwrap_or_else(|| format!("{value:#x}"))
    }

    /// The place that a field for a code address says in words; `None` if it is a number that is no address in this file.
    pub(super) fn code_place(&self, view: &View<'_>, offset: u64, value: u64) -> Option<String> {
        match view.data.target(offset) {
            Some(target) => Some(self.place(target)),
            None => self.at_address(value).map(|(section, offset)| format!("{section}+{offset:#x}")),
        }
    }

    /// The same for an end.
    pub(super) fn end_place(&self, view: &View<'_>, offset: u64, value: u64) -> Option<String> {
        if let Some(target) = view.data.target(offset) {
            return Some(self.place(target));
        }
        let (section, last) = self.at_address(value.checked_sub(1)?)?;
        Some(format!("{section}+{:#x}", last + 1))
    }

    /// The cubin underneath.
    pub(in crate::commands) fn cubin(&self) -> &'c Cubin<'d> {
        self.cubin
    }

    /// The first native section of a kind.
    pub(in crate::commands) fn first(&self, kind: SectionKind) -> Option<SectionIndex> {
        self.first.get(&(Space::Native, kind)).copied()
    }

    /// A section, with the sections beside it that its decoder reads: abbreviations, strings.
    pub(in crate::commands) fn open(&self, index: SectionIndex) -> Opened<'c> {
        let name = self.cubin.section_name(index);
        let needed = |by: &[SectionKind], wanted| match kind(name) {
            Some(kind) if by.contains(&kind) => self.sibling(name, wanted),
            _ => Ok(None),
        };
        let lines = [SectionKind::DebugLine, SectionKind::NvDebugLineSass];
        let info = [SectionKind::DebugInfo];
        Opened {
            index,
            name,
            view: self.view(index),
            abbrev: needed(&info, SectionKind::DebugAbbrev),
            strings: needed(&[&lines[..], &info].concat(), SectionKind::DebugStr),
            types: needed(&[SectionKind::NvDebugInfoRegSass], SectionKind::NvDebugInfoRegType),
            units: OnceCell::new(),
        }
    }

    /// A section, decoded as far as it can be.
    pub(in crate::commands) fn decode<'s>(&'s self, opened: &'s Opened<'c>) -> Section<'s> {
        let (index, name) = (opened.index, opened.name.to_owned());
        let size = self.cubin.section(index).map_or(0, |section| section_size(self.cubin, section));
        let (decoded, error) = match self.contents(opened) {
            Ok(decoded) => (decoded, None),
            Err(error) => (self.bytes(index).into(), Some(error.to_string())),
        };
        let Decoded { contents, functions } = decoded;
        let rest = if self.filter.is_some() { ShownRest::None } else { ShownRest::All };
        Section { index: index.0, name, size, error, contents, rest, functions }
    }

    fn bytes(&self, index: SectionIndex) -> Contents<'_> {
        Contents::Bytes(self.cubin.bytes(index).unwrap_or_default())
    }

    fn contents<'s>(&'s self, opened: &'s Opened<'c>) -> Result<Decoded<'s>> {
        let (index, name) = (opened.index, opened.name);
        if matches!(self.cubin.section(index)?.sh_type, sht::CUDA_INFO | sht::MERC_INFO) {
            return attributes::attributes(self, opened.view()?);
        }
        if !SectionName::parse(name).is_debug_contents() {
            return Ok(self.bytes(index).into());
        }
        let view = opened.view()?;
        let contents = match kind(name) {
            Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass) => rows::lines(self, opened)?,
            Some(SectionKind::NvDebugPtxTxt) => lists::ptx_text(self, view)?,
            Some(SectionKind::DebugStr) => lists::strings(view)?,
            Some(SectionKind::NvDebugInfoRegSass) => lists::registers(self, opened)?,
            Some(SectionKind::NvDebugInfoRegType) => lists::register_types(view)?,
            Some(SectionKind::DebugFrame) => frames::frames(self, view)?,
            Some(SectionKind::DebugAbbrev) => info::abbreviations(view)?,
            Some(SectionKind::DebugInfo) => info::info(self, opened)?,
            Some(SectionKind::DebugLoc) => lists::locations(self, view)?,
            Some(SectionKind::DebugRanges) => lists::ranges(self, view)?,
            Some(SectionKind::DebugAranges) => lists::addresses(self, view)?,
            Some(kind @ (SectionKind::DebugPubnames | SectionKind::DebugPubtypes)) => {
                lists::lookup(view, kind)?
            }
            Some(SectionKind::DebugMacinfo) => lists::macros(view)?,
            Some(SectionKind::NvDebugShared) => lists::shared(self.cubin, index)?,
            _ => Contents::Bytes(Cow::Borrowed(&view.data.bytes)),
        };
        Ok(contents.into())
    }
}

/// The section table.
pub(super) fn table(cubin: &Cubin<'_>) -> Vec<Header> {
    let mut counts = vec![0; cubin.sections.len()];
    for (_, _, section) in cubin.iter() {
        if let Some((all, count)) = section.relocations().zip(counts.get_mut(section.info as usize)) {
            *count += all.len();
        }
    }
    let row = |(index, name, section): (SectionIndex, &str, &cubin::Section<'_>)| Header {
        index: index.0,
        name: name.to_owned(),
        r#type: type_name(section.sh_type),
        flags: section.flags,
        address: section.address,
        size: section_size(cubin, section),
        relocations: counts.get(index.as_usize()).copied().unwrap_or(0),
        content: kind(name).map(|kind| kind.entry().content),
        origin: kind(name).map(|kind| match kind.entry().origin {
            Origin::Assembler => "assembler",
            Origin::Ptx => "ptx",
        }),
    };
    cubin.iter().map(row).collect()
}

/// Names of section types: ELF's, and NVIDIA's as far as they matter (see [`sht`]).
const TYPES: &[(u32, &str)] = &[
    (0, "NULL"),
    (1, "PROGBITS"),
    (2, "SYMTAB"),
    (3, "STRTAB"),
    (4, "RELA"),
    (7, "NOTE"),
    (8, "NOBITS"),
    (9, "REL"),
    (sht::CUDA_INFO, "CUDA_INFO"),
    (sht::CUDA_GLOBAL, "CUDA_GLOBAL"),
    (sht::CUDA_GLOBAL_INIT, "CUDA_GLOBAL_INIT"),
    (sht::CUDA_SHARED, "CUDA_SHARED"),
    (sht::MERC_CODE, "MERC_CODE"),
    (sht::MERC_RELA, "MERC_RELA"),
    (sht::MERC_INFO, "MERC_INFO"),
    (sht::MERC_SYMTAB, "MERC_SYMTAB"),
];

fn type_name(sh_type: u32) -> String {
    let name = TYPES.iter().find(|(value, _)| *value == sh_type).map(|(_, name)| *name);
    name.map_or_else(|| format!("{sh_type:#x}"), str::to_owned)
}
