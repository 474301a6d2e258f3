//! The options of a compilation.

use cuda_releases::arch::{self, Arch};
use nv_debug_sections::level::DebugOptions;
use nv_debug_sections::release::{Release, Target};
use ptx_syntax::check::Mode;

/// The options for compiling a module. Their names are those of the options of ptxas and of
/// `ptxas-driver compile`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each option without an argument")]
pub struct Options {
    /// `-arch`, as `"sm_90".parse()?`; `sm_75` by default.
    pub arch: Arch,
    /// The release of the toolkit whose ptxas writes such sections; 13.0 by default.
    pub release: Release,
    /// `-g`
    pub device_debug: bool,
    /// `-lineinfo`; `-g` overrides it.
    pub line_info: bool,
    /// `--suppress-debug-info`
    pub suppress_debug_info: bool,
    /// `-c`. Without code it has no effect: there is nothing to link.
    pub relocatable: bool,
    /// `-O`. With `-g` or in PTX with `.target debug` only 0 and `None` are allowed.
    pub opt_level: Option<i32>,
    /// Time and size of source files; a later one for the same path replaces an earlier one. Where
    /// the PTX does not tell and nothing is given here, both are 0.
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

/// The time and size of a source file, which ptxas puts into line tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStat {
    /// The path exactly as in the PTX's `.file`.
    pub path: String,
    /// Seconds since 1970.
    pub mtime: u64,
    /// Bytes.
    pub size: u64,
}

/// `--line-table`: the style in which `.debug_line` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineTableStyle {
    /// The rows and bytes of ptxas.
    #[default]
    Ptxas,
    /// The rows of ptxas in fewer bytes.
    Compact,
    /// Rows with everything that the PTX says: columns, every change of file or call site,
    /// beginnings of statements.
    Full,
}

/// `--path-map OLD=NEW`: replaces the prefix OLD of paths by NEW.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMap {
    /// The beginning of paths to be replaced; not empty.
    pub old: String,
    /// The prefix that replaces it.
    pub new: String,
}

impl PathMap {
    /// Replaces the prefix of a path by the last map that fits; `None` if none does.
    pub fn apply(maps: &[Self], path: &[u8]) -> Option<Vec<u8>> {
        maps.iter().rev().find_map(|Self { old, new }| {
            let rest = path.strip_prefix(old.as_bytes())?;
            Some([new.as_bytes(), rest].concat())
        })
    }
}

/// Options beyond those of ptxas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvdwarfOptions {
    /// `--debug-opt keep`, with `-g` only.
    pub keep_optimised: bool,
    /// `--line-table`
    pub line_table: LineTableStyle,
    /// Each `--path-map`, in order; the last one that fits wins.
    pub path_maps: Vec<PathMap>,
    /// False after `--embed-ptx no`.
    pub embed_ptx: bool,
}

impl Default for NvdwarfOptions {
    fn default() -> Self {
        Self {
            keep_optimised: false,
            line_table: LineTableStyle::Ptxas,
            path_maps: Vec::new(),
            embed_ptx: true,
        }
    }
}

impl Options {
    /// How ptxas would be called.
    pub(crate) fn mode(&self) -> Mode {
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
