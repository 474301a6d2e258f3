//! The options of a compilation.

use super::file_stat::FileStat;
use super::line_table_style::LineTableStyle;
use cuda_releases::arch::{self, Arch};
use dwarf2_reader::PathMap;
use nv_debug_sections::level::DebugOptions;
use nv_debug_sections::release::{Release, Target};
use ptx_syntax::check::{CheckContext, Mode};

/// The options for compiling a module. Their names are those of the options of ptxas and of
/// `ptxas-driver compile`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each option without an argument")]
pub struct Options {
    /// The architecture to compile for (`-arch`), such as `"sm_90".parse()?`; `sm_75` by default.
    pub arch: Arch,
    /// The release of the CUDA toolkit whose ptxas is followed; 13.0 by default. If a cubin has the
    /// code, the release that made it counts instead.
    pub release: Release,
    /// Whether full debug information is asked for (`-g`).
    pub device_debug: bool,
    /// Whether line tables are asked for (`-lineinfo`). `-g` overrides it.
    pub line_info: bool,
    /// Whether no debug information beyond frames is to be written, whatever else asks for it
    /// (`--suppress-debug-info`).
    pub suppress_debug_info: bool,
    /// Whether the result is a relocatable cubin (`-c`). Without code it has no effect: there is
    /// nothing to link.
    pub relocatable: bool,
    /// The optimisation level (`-O`); `None` if it is not given. With `-g` or in PTX with `.target
    /// debug` only 0 and `None` are allowed.
    pub opt_level: Option<i32>,
    /// The times and sizes of source files. A later one for the same path replaces an earlier one.
    /// A file has 0 for both where neither the PTX nor this list has them.
    pub file_stats: Vec<FileStat>,
    /// The options for output that ptxas cannot make.
    pub extras: NvdwarfOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            arch: arch::DEFAULT,
            release: Release::default(),
            device_debug: false,
            line_info: false,
            suppress_debug_info: false,
            relocatable: false,
            opt_level: None,
            file_stats: Vec::new(),
            extras: NvdwarfOptions::default(),
        }
    }
}

/// Options for output that ptxas cannot make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvdwarfOptions {
    /// Whether code stays optimised with `-g` (`--debug-opt keep`).
    pub keep_optimised: bool,
    /// The style in which `.debug_line` is written (`--line-table`).
    pub line_table: LineTableStyle,
    /// The replacements of path prefixes (`--path-map`), in the order given. Of
    /// several that fit a path, the last one applies.
    pub path_maps: Vec<PathMap>,
    /// Whether the PTX text is written into the file; false after `--embed-ptx no`.
    pub embed_ptx: bool,
    /// The time that line tables have for every source file that [`Options::file_stats`] does not
    /// have, in seconds since 1970, whatever the PTX and the file system say (`--file-stat epoch`).
    pub time_of_files: Option<u64>,
}

impl Default for NvdwarfOptions {
    fn default() -> Self {
        Self {
            keep_optimised: false,
            line_table: LineTableStyle::Ptxas,
            path_maps: Vec::new(),
            embed_ptx: true,
            time_of_files: None,
        }
    }
}

impl Options {
    /// Returns what [`ptx_syntax::check`] must know of these options: the release, the
    /// architecture, and whether code is relocatable.
    pub fn check_context(&self) -> CheckContext<'static> {
        let (release, relocatable) = (self.release, self.relocatable);
        CheckContext { release, relocatable, arch: Some(self.arch.number), source_lines: None, path_map: &[] }
    }

    /// Returns which debug option ptxas gets for these options: none, `-lineinfo` or `-g`.
    pub fn mode(&self) -> Mode {
        let keeps = self.extras.keep_optimised;
        match (self.device_debug && !keeps, self.line_info || keeps) {
            (true, _) => Mode::G,
            (false, true) => Mode::Lineinfo,
            (false, false) => Mode::None,
        }
    }

    /// The SM that code is made for, with the release.
    pub(crate) fn target(&self) -> Target {
        self.release.target(self.arch.number)
    }

    /// How much debug information is asked for.
    pub(crate) fn request(&self) -> DebugOptions {
        DebugOptions {
            device_debug: self.device_debug,
            line_info: self.line_info,
            suppress: self.suppress_debug_info,
        }
    }
}
