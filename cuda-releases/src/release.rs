//! The table of CUDA toolkit releases, whose tools have different habits.

mod debug_info_bounds;
mod imnmx_lines;
mod non_ascii;
mod target;

use std::cmp::Ordering;
use std::fmt;
use std::ops::RangeInclusive;

use crate::arch::Arch;
use crate::generation::Generation;

pub use debug_info_bounds::DebugInfoBounds;
pub use imnmx_lines::ImnmxLines;
pub use non_ascii::NonAscii;
pub use target::Target;

/// A release of NVIDIA's CUDA toolkit, whose rules a file follows. An older release is less than a
/// newer one.
///
/// It is a row of a table. To add a release is to add its row; a fact that differs between two
/// releases is a column of the table and a method here, and what asks for the fact has a release
/// already.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Release(&'static Row);

/// What is so in one release, and need not be in another. Each field has a method of [`Release`]
/// with the same name, which says what it is.
#[derive(Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
struct Row {
    name: &'static str,
    version: &'static str,
    newest_ptx: (u32, u32),
    /// The first SM with ABI version 8; `None` if all have 7.
    first_sm_of_abi_8: Option<u32>,
    has_segments: bool,
    has_right_symbol_links: bool,
    flags_debug_relocations: bool,
    covers_functions_in_frames: bool,
    asks_file_times: bool,
    non_ascii: NonAscii,
    debug_info_bounds: DebugInfoBounds,
    has_32_bit_addresses: bool,
    line_version: u16,
    leaves_gaps: bool,
    puts_mercury_into_frames: bool,
    takes_empty_source_texts: bool,
    stores_reserved_shared: bool,
    has_rows_on_entry_lines: bool,
    carries_lines_into_blocks: bool,
    counts_rows_left_out: bool,
    imnmx_lines: ImnmxLines,
    /// See [`Release::knows_rules_of`].
    unknown_rules: &'static [RangeInclusive<u32>],
    /// See [`Release::knows_capsules_of`].
    unknown_capsules: &'static [RangeInclusive<u32>],
}

// Each row names what differs from the release before. Observed: the ptxas of each release from
// PyPI, for all its SMs (docs/releases.md).
const V11_7: Row = Row {
    name: "11.7",
    version: "11.7.99",
    newest_ptx: (7, 7),
    first_sm_of_abi_8: None,
    has_segments: false,
    has_right_symbol_links: true,
    flags_debug_relocations: false,
    covers_functions_in_frames: false,
    asks_file_times: true,
    non_ascii: NonAscii::Taken,
    debug_info_bounds: DebugInfoBounds::Unchecked,
    has_32_bit_addresses: true,
    line_version: 2,
    leaves_gaps: true,
    puts_mercury_into_frames: false,
    takes_empty_source_texts: false,
    stores_reserved_shared: true,
    has_rows_on_entry_lines: true,
    carries_lines_into_blocks: true,
    counts_rows_left_out: true,
    imnmx_lines: ImnmxLines::OfMatrices,
    unknown_rules: &[0..=u32::MAX],
    unknown_capsules: &[],
};
const V11_8: Row = Row {
    name: "11.8",
    version: "11.8.89",
    newest_ptx: (7, 8),
    has_segments: true,
    covers_functions_in_frames: true,
    unknown_rules: &[],
    ..V11_7
};
const V12_0: Row =
    Row { name: "12.0", version: "12.0.140", newest_ptx: (8, 0), has_right_symbol_links: false, ..V11_8 };
const V12_1: Row =
    Row { name: "12.1", version: "12.1.105", newest_ptx: (8, 1), has_32_bit_addresses: false, ..V12_0 };
const V12_2: Row =
    Row { name: "12.2", version: "12.2.140", newest_ptx: (8, 2), has_rows_on_entry_lines: false, ..V12_1 };
const V12_3: Row = Row {
    name: "12.3",
    version: "12.3.107",
    newest_ptx: (8, 3),
    has_right_symbol_links: true,
    non_ascii: NonAscii::TakenInComments,
    ..V12_2
};
const V12_4: Row =
    Row { name: "12.4", version: "12.4.131", newest_ptx: (8, 4), flags_debug_relocations: true, ..V12_3 };
const V12_5: Row = Row { name: "12.5", version: "12.5.82", newest_ptx: (8, 5), ..V12_4 };
const V12_6: Row = Row { name: "12.6", version: "12.6.85", ..V12_5 };
const V12_8: Row = Row {
    name: "12.8",
    version: "12.8.93",
    newest_ptx: (8, 7),
    first_sm_of_abi_8: Some(100),
    non_ascii: NonAscii::Refused,
    debug_info_bounds: DebugInfoBounds::OfValues,
    carries_lines_into_blocks: false,
    counts_rows_left_out: false,
    ..V12_6
};
const V12_9: Row = Row { name: "12.9", version: "12.9.86", newest_ptx: (8, 8), ..V12_8 };
const V13_0: Row = Row {
    name: "13.0",
    version: "13.0.88",
    newest_ptx: (9, 0),
    first_sm_of_abi_8: Some(0),
    debug_info_bounds: DebugInfoBounds::OfUnits,
    ..V12_9
};
const V13_1: Row = Row {
    name: "13.1",
    version: "13.1.115",
    newest_ptx: (9, 1),
    non_ascii: NonAscii::RefusedOutsideComments,
    ..V13_0
};
const V13_2: Row = Row {
    name: "13.2",
    version: "13.2.86",
    newest_ptx: (9, 2),
    debug_info_bounds: DebugInfoBounds::OfUnitsAlone,
    imnmx_lines: ImnmxLines::OfNeither,
    ..V13_1
};
const V13_3: Row =
    Row { name: "13.3", version: "13.3.73", newest_ptx: (9, 3), imnmx_lines: ImnmxLines::OfWaits, ..V13_2 };
const V13_4: Row = Row {
    name: "13.4",
    version: "13.4.92",
    newest_ptx: (9, 4),
    asks_file_times: false,
    imnmx_lines: ImnmxLines::OfWaitsAndExchanges,
    unknown_capsules: &[100..=u32::MAX],
    ..V13_3
};
const V13_5: Row = Row {
    name: "13.5",
    version: "13.5.37",
    newest_ptx: (9, 5),
    line_version: 3,
    leaves_gaps: false,
    puts_mercury_into_frames: true,
    takes_empty_source_texts: true,
    stores_reserved_shared: false,
    ..V13_4
};

/// All releases, from the oldest to the newest. There were none of the numbers 12.7 and 11.9.
const RELEASES: &[Row] = &[
    V11_7, V11_8, V12_0, V12_1, V12_2, V12_3, V12_4, V12_5, V12_6, V12_8, V12_9, V13_0, V13_1, V13_2, V13_3,
    V13_4, V13_5,
];

/// The major versions of PTX, each with its last minor version; the newest goes on (PTX ISA,
/// Release Notes).
const PTX_VERSIONS: [(u32, u32); 9] =
    [(1, 5), (2, 3), (3, 2), (4, 3), (5, 1), (6, 5), (7, 8), (8, 8), (9, u32::MAX)];

impl Release {
    /// CUDA 13.0, whose ptxas is the one that this project knows best.
    pub const V13_0: Self = Self(&V13_0);

    /// The oldest release that this crate knows.
    pub const OLDEST: Self = Self(&V11_7);

    /// The newest release that this crate knows. It also stands for later releases.
    pub const NEWEST: Self = Self(&V13_5);

    /// Iterates over all releases that this crate knows, from the oldest to the newest.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        RELEASES.iter().map(Self)
    }

    /// Returns the release by the version of its tools: `13.0.88`, another build such as `13.0.48`,
    /// or only `13.0`. `None` if this crate does not know the release.
    pub fn of_version(version: &str) -> Option<Self> {
        Self::all().find(|release| {
            let rest = version.strip_prefix(release.name());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Whether a version, such as `13.6.5` or `14.0`, is of a release after those of the table.
    pub fn is_newer_version(version: &str) -> bool {
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let number = parts.next().zip(parts.next());
        number.is_some_and(|number| number > Self::NEWEST.number())
    }

    /// Returns the release by the `e_version` of a cubin with ABI version 7, which is ten times the
    /// major number, plus the minor one: 129 for CUDA 12.9. `None` if this crate does not know the
    /// release.
    pub fn of_e_version(e_version: u32) -> Option<Self> {
        Self::all().find(|release| release.e_version() == e_version)
    }

    /// Whether ptxas knows `.loc_intermediate` and `.nv_intermediate_source_section`, which came
    /// with PTX 9.4.
    pub fn has_intermediate_lines(self) -> bool {
        self.newest_ptx() >= (9, 4)
    }

    /// Whether ptxas finds the `.source_end` right after the line of `.source_begin`.
    pub const fn takes_empty_source_texts(self) -> bool {
        self.0.takes_empty_source_texts
    }

    /// NVIDIA's name of the release: `13.0`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The version of the release's tools, the last that PyPI has: `13.0.88`.
    pub const fn version(self) -> &'static str {
        self.0.version
    }

    /// The major and minor number of the release: (13, 0) for CUDA 13.0.
    pub fn number(self) -> (u32, u32) {
        let (major, minor) = self.name().split_once('.').unwrap_or_default();
        (major.parse().unwrap_or_default(), minor.parse().unwrap_or_default())
    }

    /// The `e_version` of cubins with ABI version 7: 129 for CUDA 12.9.
    pub fn e_version(self) -> u32 {
        let (major, minor) = self.number();
        10 * major + minor
    }

    /// The line of `ptxas --version` by which programs recognise a release: `Cuda compilation
    /// tools, release 13.0, V13.0.88`.
    pub fn banner(self) -> String {
        format!("Cuda compilation tools, release {}, V{}", self.name(), self.version())
    }

    /// The newest version of PTX, major and minor, that the release's ptxas accepts.
    pub const fn newest_ptx(self) -> (u32, u32) {
        self.0.newest_ptx
    }

    /// Whether this version of PTX exists, and the release's ptxas accepts it in `.version`.
    pub fn takes_ptx(self, (major, minor): (u32, u32)) -> bool {
        let exists = PTX_VERSIONS.iter().any(|&(known, last)| known == major && minor <= last);
        exists && (major, minor) <= self.newest_ptx()
    }

    /// The ABI version of cubins (`EI_ABIVERSION`) for an SM (75 for sm_75): 7, or 8 with another
    /// layout of `e_flags` and a note that names the tool.
    pub fn abi_version(self, sm: u32) -> u8 {
        if self.0.first_sm_of_abi_8.is_some_and(|first| sm >= first) { 8 } else { 7 }
    }

    /// Whether executables have program headers, as from CUDA 11.8 on.
    pub const fn has_segments(self) -> bool {
        self.0.has_segments
    }

    /// Whether sections that use the symbol table have its index in `sh_link`. In executables of
    /// CUDA 12.0 to 12.2 they have 5, whatever section 5 is.
    pub const fn has_right_symbol_links(self) -> bool {
        self.0.has_right_symbol_links
    }

    /// Whether relocation sections of debug sections have the flag `SHF_INFO_LINK`, as they do from
    /// CUDA 12.4 on.
    pub const fn flags_debug_relocations(self) -> bool {
        self.0.flags_debug_relocations
    }

    /// Whether an FDE covers its whole function. In files of CUDA 11.7 it may end one instruction
    /// before the function does.
    pub const fn covers_functions_in_frames(self) -> bool {
        self.0.covers_functions_in_frames
    }

    /// Whether ptxas takes the time and the size of a source file from the file system where
    /// `.file` gives none, as it does before CUDA 13.4.
    pub const fn asks_file_times(self) -> bool {
        self.0.asks_file_times
    }

    /// What the release's ptxas does with PTX text that is not ASCII.
    pub const fn non_ascii(self) -> NonAscii {
        self.0.non_ascii
    }

    /// The bounds that ptxas checks when it reads `.debug_info` with `-g`.
    pub const fn debug_info_bounds(self) -> DebugInfoBounds {
        self.0.debug_info_bounds
    }

    /// Whether ptxas compiles modules with 32-bit addresses. Releases before CUDA 12.1 do, without
    /// `-g` and for chips before sm_90.
    pub const fn has_32_bit_addresses(self) -> bool {
        self.0.has_32_bit_addresses
    }

    /// The DWARF version of line tables: 3 from CUDA 13.5 on, 2 before.
    pub const fn line_version(self) -> u16 {
        self.0.line_version
    }

    /// Whether files for sm_90 and later have room after `.shstrtab` for names that they do not
    /// have, and section headers at a multiple of 8, as before CUDA 13.5.
    pub const fn leaves_gaps(self) -> bool {
        self.0.leaves_gaps
    }

    /// Whether the `initial_location` of a native FDE has, under its relocation, the Mercury offset
    /// of the function, as from CUDA 13.5 on; before, it has the native one.
    pub const fn puts_mercury_into_frames(self) -> bool {
        self.0.puts_mercury_into_frames
    }

    /// Whether the Mercury clone of `.nv.shared.reserved.0` has its size in bytes of the file, as
    /// before CUDA 13.5. Only on sm_110 that size is not 0.
    pub const fn stores_reserved_shared(self) -> bool {
        self.0.stores_reserved_shared
    }

    /// Whether `DW_LNS_set_prologue_end` follows the row of a line table that opens a function, as
    /// from CUDA 13.5 on.
    pub const fn marks_prologue_ends(self) -> bool {
        self.line_version() >= 3
    }

    /// Whether ptxas writes a row for the first code of a function also where it has the line of
    /// the row that opens the function, on sm_90. Releases before CUDA 12.2 do.
    pub const fn has_rows_on_entry_lines(self) -> bool {
        self.0.has_rows_on_entry_lines
    }

    /// Whether code of line 0 at the start of a basic block gets the source line that precedes the
    /// block in the PTX, on sm_90. Releases before CUDA 12.8 do this; later ones take the line of
    /// the machine code before it.
    pub const fn carries_lines_into_blocks(self) -> bool {
        self.0.carries_lines_into_blocks
    }

    /// Whether ptxas numbers the rows of native line tables of sm_90 as if rows that repeat the row
    /// before were written too. Releases before CUDA 12.8 do.
    pub const fn counts_rows_left_out(self) -> bool {
        self.0.counts_rows_left_out
    }

    /// Which native instructions give their lines to the `IMNMX` instructions after them, besides
    /// those that do so in every release. It matters on sm_110 only.
    pub const fn imnmx_lines(self) -> ImnmxLines {
        self.0.imnmx_lines
    }

    /// Whether this project knows how the release's ptxas makes debug sections for an SM. It does
    /// not for CUDA 11.7, which pads frames in another way.
    pub fn knows_rules_of(self, sm: u32) -> bool {
        !self.0.unknown_rules.iter().any(|sms| sms.contains(&sm))
    }

    /// Whether some line tables for an SM, about 1 in 100, follow a rule of the release's ptxas
    /// that this project does not know. This is so on sm_90 in the releases that
    /// [carry lines into blocks](Self::carries_lines_into_blocks): where a basic block is placed
    /// elsewhere than in the PTX, its first code may have or lack a row.
    pub const fn line_tables_have_exceptions(self, sm: u32) -> bool {
        self.carries_lines_into_blocks() && matches!(self.generation(sm), Generation::HiddenMercury)
    }

    /// Whether this project knows, for an SM, how the sections of a Mercury capsule follow from the
    /// other sections of the file, and the other way round. From CUDA 13.4 on frames and `.nv.info`
    /// have rules that are not known.
    pub fn knows_capsules_of(self, sm: u32) -> bool {
        !self.0.unknown_capsules.iter().any(|sms| sms.contains(&sm))
    }

    /// Returns the generation whose rules the files for an SM follow, given the SM's number: 75 for
    /// sm_75.
    pub const fn generation(self, sm: u32) -> Generation {
        Generation::of_sm(sm)
    }

    /// Whether the release's ptxas compiles for an architecture.
    pub fn compiles_for(self, arch: Arch) -> bool {
        arch.has_code_in(self.number())
    }

    /// Iterates over the architectures that the release's ptxas compiles for, from the lowest
    /// number to the highest.
    pub fn archs(self) -> impl Iterator<Item = Arch> {
        Arch::all().filter(move |arch| self.compiles_for(*arch))
    }

    /// The SM numbers of a generation, from the first to the last that the release compiles for.
    /// Not every number between is a chip. The range is empty if the release has none.
    pub fn sms(self, generation: Generation) -> RangeInclusive<u32> {
        let borders = generation.sms();
        let first = self.archs().map(|arch| arch.number).min().unwrap_or_default();
        let last = self.archs().map(|arch| arch.number).max().unwrap_or_default();
        first.max(*borders.start())..=last.min(*borders.end())
    }

    /// Returns the target of this release and an SM, given by its number: 75 for sm_75.
    pub const fn target(self, sm: u32) -> Target {
        Target { release: self, sm }
    }
}

impl Default for Release {
    /// The one whose bytes are written where nothing else is asked for.
    fn default() -> Self {
        Self::V13_0
    }
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number().cmp(&other.number())
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Release").field(&self.name()).finish()
    }
}

impl fmt::Display for Release {
    /// `13.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests;
