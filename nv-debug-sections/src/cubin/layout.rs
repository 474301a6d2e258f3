//! The file layout: the offset of every section and table (docs/formats/container.md, layout).

use super::segment::Segment;
use object::elf;

use super::{Contents, Cubin, Section, relocation_size};
use crate::catalog::CODE_PREFIX;
use crate::error::{Error, ErrorKind, Result};
use crate::generation::Generation;
use crate::tkinfo;

pub(super) const FILE_HEADER: u64 = 64;
pub(super) const PROGRAM_HEADER: u64 = 56;
pub(super) const SECTION_HEADER: u64 = 64;
pub(super) const SYMBOL: u64 = 24;

/// The file offsets of the sections, header tables and segments of an ELF file, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The file offset of each section (`sh_offset`), by section index.
    pub offsets: Vec<u64>,
    /// The file offset of the section headers (`e_shoff`).
    pub section_headers: u64,
    /// The file offset of the program headers (`e_phoff`); 0 without program headers.
    pub program_headers: u64,
    /// The size of a program header, `e_phentsize`: 56. It is 0 in files without program headers
    /// that ptxas writes from sm_90 on, and in all such files of CUDA 11.7.
    pub program_header_size: u16,
    /// The program headers in file order. `PT_PHDR` comes first and is also loaded by its own
    /// `PT_LOAD`.
    pub segments: Vec<Segment>,
    /// The size of the file in bytes.
    pub size: u64,
}

/// Running file position that refuses to wrap around.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position(pub(super) u64);

impl Position {
    pub(super) fn advance(&mut self, bytes: u64) -> Result<()> {
        let too_big = ErrorKind::DoesNotFit { what: "size", value: bytes, field: "a file of 63 bits" };
        let next = self.0.checked_add(bytes).filter(|n| i64::try_from(*n).is_ok());
        self.0 = next.ok_or_else(|| Error::new("", self.0, too_big))?;
        Ok(())
    }

    pub(super) fn align(&mut self, align: u64) -> Result<()> {
        match self.0 % align.max(1) {
            0 => Ok(()),
            over => self.advance(align - over),
        }
    }
}

/// Sections in index order, each at the next multiple of its alignment (sections without file bytes
/// align too, Mercury aliases do not move the position), then the section headers at a multiple of
/// 8 (from CUDA 13.5 on without a gap if the SM has Mercury), then the program headers.
pub(super) fn layout(cubin: &Cubin<'_>) -> Result<Layout> {
    let mut at = Position(FILE_HEADER);
    let mut offsets = Vec::with_capacity(cubin.sections.len());
    let mut first_slack = first_slack(cubin);
    for (index, section) in cubin.sections.iter().enumerate() {
        if index == 0 {
            offsets.push(0);
            continue;
        }
        if let Contents::Alias(target) = section.contents {
            offsets.push(alias_offset(cubin, &offsets, index, target.as_usize())?);
            continue;
        }
        at.align(section.align)?;
        offsets.push(at.0);
        at.advance(file_size(section))?;
        let rule =
            if index == cubin.header.shstrndx.as_usize() { std::mem::take(&mut first_slack) } else { 0 };
        at.advance(section.slack.unwrap_or(rule))?;
    }
    if has_gaps(cubin) {
        at.align(8)?;
    }
    let section_headers = at.0;
    at.advance(SECTION_HEADER * cubin.sections.len() as u64)?;
    let has_segments = cubin.release().has_segments();
    let executable = cubin.header.e_type == elf::ET_EXEC.0 && has_segments;
    let segments = if executable { segments(cubin, &offsets, at.0) } else { Vec::new() };
    let program_headers = if executable { at.0 } else { 0 };
    at.advance(PROGRAM_HEADER * segments.len() as u64)?;
    let has_size = executable || is_classic(cubin) && has_segments;
    let program_header_size = if has_size { PROGRAM_HEADER as u16 } else { 0 };
    Ok(Layout { offsets, section_headers, program_headers, program_header_size, segments, size: at.0 })
}

fn alias_offset(cubin: &Cubin<'_>, offsets: &[u64], index: usize, target: usize) -> Result<u64> {
    let owner = cubin.sections.get(target).filter(|s| !matches!(s.contents, Contents::Alias(_)));
    offsets.get(target).copied().filter(|_| target != 0 && owner.is_some()).ok_or_else(|| {
        let name = cubin.section_name(super::SectionIndex(index as u32));
        let expected = "an earlier section with bytes of its own";
        Error::new(name, 0, ErrorKind::Value { field: "alias", found: target as u64, expected })
    })
}

/// Bytes a section takes in the file.
pub(super) fn file_size(section: &Section<'_>) -> u64 {
    match &section.contents {
        Contents::Bytes(bytes) => bytes.len() as u64,
        Contents::Strings(table) => table.as_bytes().len() as u64,
        Contents::Symbols(symbols) => symbols.len() as u64 * SYMBOL,
        Contents::Relocations(all) => all.len() as u64 * relocation_size(section.sh_type).unwrap_or(24),
        Contents::NoBits(_) | Contents::Alias(_) => 0,
    }
}

/// `sh_size` of a section.
pub(super) fn section_size(cubin: &Cubin<'_>, section: &Section<'_>) -> u64 {
    match section.contents {
        Contents::NoBits(size) => size,
        Contents::Alias(target) => cubin.sections.get(target.as_usize()).map_or(0, file_size),
        _ => file_size(section),
    }
}

/// Whether the tools lay this file out the way they did before Mercury: below sm_90, and for sm_90
/// what nvlink writes. Before CUDA 13 only the program headers of such a file tell that nvlink
/// wrote it. Observed: ptxas 12.9, 13.0.88 and 13.4, nvlink 11.8, 12.1 and 13.0.88; 679 corpus
/// cubins, no exception.
fn is_classic(cubin: &Cubin<'_>) -> bool {
    match cubin.target().generation() {
        Generation::PreMercury => true,
        Generation::HiddenMercury => cubin.has_classic_segments.unwrap_or_else(|| cubin.is_linked()),
        Generation::Mercury => false,
    }
}

impl Cubin<'_> {
    /// The size of a section of this cubin in bytes, `sh_size`. A Mercury clone that shares another
    /// section's bytes has that section's size.
    pub fn size_of(&self, section: &Section<'_>) -> u64 {
        section_size(self, section)
    }

    /// Whether nvlink wrote the file, alone or together with ptxas, according to the note
    /// `.note.nv.tkinfo`.
    pub fn is_linked(&self) -> bool {
        const TOOL: &[u8] = b"\0nvlink\0";
        let note = self.section_by_name(tkinfo::NAME).and_then(|index| self.bytes(index).ok());
        note.is_some_and(|bytes| bytes.windows(TOOL.len()).any(|window| window == TOOL))
    }
}

/// See [`Release::leaves_gaps`](crate::release::Release::leaves_gaps).
fn has_gaps(cubin: &Cubin<'_>) -> bool {
    let target = cubin.target();
    target.release.leaves_gaps() || target.generation() == Generation::PreMercury
}

/// Zero bytes after `.shstrtab` (docs/formats/container.md, layout): room for Mercury names that
/// the file does not have.
pub(super) fn first_slack(cubin: &Cubin<'_>) -> u64 {
    const CAPMERC: &str = ".nv.capmerc";
    if !has_gaps(cubin) {
        return 0;
    }
    match cubin.target().generation() {
        Generation::Mercury => 36,
        Generation::HiddenMercury if !is_classic(cubin) => {
            let text = cubin.iter().filter(|(_, name, _)| name.starts_with(CODE_PREFIX));
            14 + text.map(|(_, name, _)| (CAPMERC.len() + name.len() + 1) as u64).sum::<u64>()
        }
        Generation::PreMercury | Generation::HiddenMercury => 0,
    }
}

/// Runs of neighbouring `SHF_ALLOC` sections with the same rights become one `PT_LOAD` each;
/// Mercury sections are not loaded. The table itself is described by a `PT_PHDR` (first) and a
/// `PT_LOAD` (last in classic files, else second). Classic files give read-only data the right to
/// execute, so that constants and code share a segment.
///
/// A segment's file part reaches to the last `sh_offset` or byte of its sections. In memory the
/// sections without file bytes follow all of that part, in index order. Observed: ptxas 13.0.88,
/// sm_75-sm_120 (docs/conformance.md).
fn segments(cubin: &Cubin<'_>, offsets: &[u64], table: u64) -> Vec<Segment> {
    let read = elf::PF_R.0 | if is_classic(cubin) { elf::PF_X.0 } else { 0 };
    let mut loads: Vec<Segment> = Vec::new();
    // Those without file bytes, each with the number of segments up to its own.
    let mut without_bytes: Vec<(usize, &Section<'_>)> = Vec::new();
    let alloc = elf::SHF_ALLOC.0;
    for (section, &offset) in cubin.sections.iter().zip(offsets).skip(1) {
        if section.flags & alloc == 0 || section.is_mercury() {
            continue;
        }
        let flags = match section.flags {
            f if f & elf::SHF_WRITE.0 != 0 => elf::PF_R.0 | elf::PF_W.0,
            f if f & elf::SHF_EXECINSTR.0 != 0 => elf::PF_R.0 | elf::PF_X.0,
            _ => read,
        };
        if loads.last().is_none_or(|last| last.flags != flags) {
            let (p_type, address) = (elf::PT_LOAD.0, section.address);
            loads.push(Segment { p_type, flags, offset, address, file_size: 0, memory_size: 0 });
        }
        if let Some(last) = loads.last_mut() {
            let file_end = offset.saturating_add(file_size(section)).saturating_sub(last.offset);
            last.file_size = last.file_size.max(file_end);
            last.memory_size = last.file_size;
        }
        if let Contents::NoBits(_) = section.contents {
            without_bytes.push((loads.len(), section));
        }
    }
    for (number, section) in without_bytes {
        if let Some(segment) = number.checked_sub(1).and_then(|index| loads.get_mut(index)) {
            add_memory(segment, section);
        }
    }
    let size = PROGRAM_HEADER * (loads.len() as u64 + 2);
    let load = Segment {
        p_type: elf::PT_LOAD.0,
        flags: read,
        offset: table,
        address: 0,
        file_size: size,
        memory_size: size,
    };
    loads.insert(if is_classic(cubin) { loads.len() } else { 0 }, load);
    loads.insert(0, Segment { p_type: elf::PT_PHDR.0, ..load });
    loads
}

/// Adds a section that has no file bytes. Its alignment counts from the start of the file, as that
/// of an offset does.
fn add_memory(segment: &mut Segment, section: &Section<'_>) {
    let Contents::NoBits(size) = section.contents else { return };
    let end = segment.offset.saturating_add(segment.memory_size);
    let aligned = end.checked_next_multiple_of(section.align.max(1)).unwrap_or(end);
    segment.memory_size = aligned.saturating_sub(segment.offset).saturating_add(size);
}
