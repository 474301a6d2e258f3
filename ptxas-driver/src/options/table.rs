//! Every option of `compile` in one table, which the parser, `--help` and the suggestions read.
//!
//! Names and meanings: `ptxas --help`, 13.0.88.

/// Which field an option sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Id {
    Arch,
    Code,
    CompileOnly,
    DeviceDebug,
    DisableWarnings,
    DebugOpt,
    EmbedPtx,
    FileStat,
    Help,
    InputAsString,
    Json,
    LineInfo,
    LineTable,
    ListVersion,
    Machine,
    Messages,
    OptLevel,
    OptionsFile,
    Output,
    /// Any option that this program passes on to ptxas without using it.
    Passed,
    PathMap,
    Stats,
    SuppressDebugInfo,
    Verbose,
    Version,
    WarningsAsErrors,
}

/// Where an option's argument stands. The text is its name in `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arg {
    /// The option has no argument, such as `-g`.
    None,
    /// The option has an argument, as in `-arch sm_90` or `-arch=sm_90`.
    Value(&'static str),
    /// The option has a number as its argument, as in `-m 64`, `-m=64` or `-m64`.
    Number(&'static str),
    /// The option has a level as its argument: `-O3`, `-O=3`, `-O`. Observed: `-O 3` is level 0 and
    /// an input file named `3` to ptxas; this program reads it as `-O3`.
    Level(&'static str),
    /// The option has a number as its argument, separate from its name: `-split-compile 2`,
    /// `-split-compile=2`.
    Count(&'static str),
    /// The option has the argument `true` or `false`, as in `-fmad false` or `-fmad=false`.
    Bool,
}

/// One option.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) id: Id,
    /// Without its two dashes.
    pub(super) long: &'static str,
    /// Without its one dash; empty where there is none.
    pub(super) short: &'static str,
    pub(super) arg: Arg,
    pub(super) what: &'static str,
}

impl Spec {
    /// Whether `typed` (dashes included) is its long name.
    pub(super) fn is_long(&self, typed: &str) -> bool {
        typed.strip_prefix("--") == Some(self.long)
    }

    /// Whether `typed` (dashes included) is its short name.
    pub(super) fn is_short(&self, typed: &str) -> bool {
        !self.short.is_empty() && typed.strip_prefix('-') == Some(self.short)
    }
}

impl Arg {
    /// Its argument in `--help`.
    pub(super) fn placeholder(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Value(name) | Self::Number(name) | Self::Level(name) | Self::Count(name) => name,
            Self::Bool => "<true|false>",
        }
    }
}

const fn spec(id: Id, long: &'static str, short: &'static str, arg: Arg, what: &'static str) -> Spec {
    Spec { id, long, short, arg, what }
}

const fn passed(long: &'static str, short: &'static str, arg: Arg) -> Spec {
    spec(Id::Passed, long, short, arg, "")
}

/// The options of ptxas that `compile` has itself.
#[rustfmt::skip]
pub(super) const PTXAS: &[Spec] = &[
    spec(Id::CompileOnly, "compile-only", "c", Arg::None, "Make a relocatable object."),
    spec(Id::DeviceDebug, "device-debug", "g", Arg::None,
        "Make all debug sections: lines, and the .debug_* sections of the PTX."),
    spec(Id::DisableWarnings, "disable-warnings", "w", Arg::None, "Print no warnings."),
    spec(Id::InputAsString, "input-as-string", "ias", Arg::Value("<ptx string>"), "The PTX itself, in place of a file."),
    spec(Id::LineInfo, "generate-line-info", "lineinfo", Arg::None, "Make the line tables and the PTX text only."),
    spec(Id::Arch, "gpu-name", "arch", Arg::Value("<gpu name>"), "The GPU to compile for. Default: sm_75."),
    spec(Id::Help, "help", "h", Arg::None, "Print this text."),
    spec(Id::ListVersion, "list-version", "version-ls", Arg::None,
        "Print the PTX versions that the ptxas of --code ptxas reads."),
    spec(Id::Machine, "machine", "m", Arg::Number("<bits>"), "Host pointer size: 64, the only value."),
    spec(Id::OptLevel, "opt-level", "O", Arg::Level("<N>"),
        "Optimization level, for the ptxas of --code ptxas. Only 0 goes with -g."),
    spec(Id::OptionsFile, "options-file", "optf", Arg::Value("<file>,..."), "Read options from these files."),
    spec(Id::Output, "output-file", "o", Arg::Value("<file>"), "Where to write. Default: elf.o."),
    spec(Id::SuppressDebugInfo, "suppress-debug-info", "suppress-debug-info", Arg::None,
        "Leave the debug sections out of the output."),
    spec(Id::Verbose, "verbose", "v", Arg::None, "Print what ptxas prints, then one summary line: functions, rows, sections, bytes, time."),
    spec(Id::Version, "version", "V", Arg::None, "Print the version of the ptxas that makes the code, and ours."),
    spec(Id::WarningsAsErrors, "warning-as-error", "Werror", Arg::None, "Turn warnings into errors."),
];

/// The options of ours.
#[rustfmt::skip]
pub(super) const OURS: &[Spec] = &[
    spec(Id::Code, "code", "", Arg::Value("<provider>"),
        "Where the machine code comes from. auto (default), ptxas: a ptxas found in $PTXAS, as ptxas.nvidia beside this program, in \
         $CUDA_HOME/bin, $CUDA_PATH/bin, PATH or a Python environment with NVIDIA's wheels or Triton; without one nothing is \
         written. cubin:FILE: an existing cubin of this PTX, compiled with -lineinfo or -g. none: no code, a debug-only object."),
    spec(Id::DebugOpt, "debug-opt", "", Arg::Value("keep"),
        "With -g: keep the code optimised. Entries, types, inlined calls and lines describe the optimised code; where a \
         variable lives is said only where the code still shows it. ptxas itself refuses this."),
    spec(Id::EmbedPtx, "embed-ptx", "", Arg::Value("<yes|no>"), "Whether the output carries the PTX text. Default: yes."),
    spec(Id::FileStat, "file-stat", "", Arg::Value("<file>=<mtime>,<size>|none|epoch"),
        "Time (seconds since 1970) and size (bytes) of a source file named by .file, written to the line table in \
         place of what the file system says. May be given for each file. none: never ask the file system. epoch: every other \
         file has the time of $SOURCE_DATE_EPOCH, for builds that can be repeated."),
    spec(Id::Json, "json", "", Arg::None,
        "Print one JSON document (docs/json.md): what was written, messages and statistics. Messages are on standard error too."),
    spec(Id::LineTable, "line-table", "", Arg::Value("<ptxas|compact|full>"),
        "How source lines are written. ptxas (default): as ptxas does. compact: the same rows in fewer bytes. full: \
         also columns, every change of file and call site, and which rows begin a statement."),
    spec(Id::Messages, "messages", "", Arg::Value("<ptxas|ours|both>"),
        "In whose words the faults of a PTX are told. ours: those of `ptxas-driver check`, with the line at fault. ptxas: only the lines that \
         ptxas prints. both: first the lines of ptxas, then ours. Default: both if this program was called as ptxas, otherwise ours."),
    spec(Id::PathMap, "file-prefix-map", "", Arg::Value("<old>=<new>"), "Another name of --path-map."),
    spec(Id::PathMap, "path-map", "", Arg::Value("<old>=<new>"),
        "Write paths that begin with <old> as if they began with <new>: source files, unit names and folders. May be \
         given several times; the last one that fits wins. Where <new> begins with <old>, paths inside <new> stay. <old> ends at the last equals sign. The PTX text in the output stays: see --embed-ptx."),
    spec(Id::Stats, "stats", "", Arg::None,
        "Print how long the debug information took, in ms and in percent of the whole run, and the memory it needed."),
];

/// The rest of ptxas' options, which go to the code provider as they are: only names and arguments
/// are known here.
#[rustfmt::skip]
pub(super) const PASSED: &[Spec] = &[
    passed("Ofast-compile", "Ofc", Arg::Value("<0|min|mid|max>")),
    passed("allow-expensive-optimizations", "allow-expensive-optimizations", Arg::Bool),
    passed("compile-as-tools-patch", "astoolspatch", Arg::None),
    passed("compiler-annotations", "annotate", Arg::None),
    passed("def-load-cache", "dlcm", Arg::Value("<modifier>")),
    passed("def-store-cache", "dscm", Arg::Value("<modifier>")),
    passed("device-function-maxrregcount", "func-maxrregcount", Arg::Value("<archmax/archmin/N>")),
    passed("device-stack-protector", "device-stack-protector", Arg::Bool),
    passed("disable-optimizer-constants", "disable-optimizer-consts", Arg::None),
    passed("dont-merge-basicblocks", "no-bb-merge", Arg::None),
    passed("entry", "e", Arg::Value("<function>,...")),
    passed("extensible-whole-program", "ewp", Arg::None),
    passed("fmad", "fmad", Arg::Bool),
    passed("force-load-cache", "flcm", Arg::Value("<modifier>")),
    passed("force-store-cache", "fscm", Arg::Value("<modifier>")),
    passed("g-tensor-memory-access-check", "g-tmem-access-check", Arg::None),
    passed("gno-tensor-memory-access-check", "gno-tmem-access-check", Arg::None),
    passed("legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", Arg::None),
    passed("make-errors-visible-at-exit", "make-errors-visible-at-exit", Arg::None),
    passed("maxntid", "maxntid", Arg::Value("<number>,...")),
    passed("maxrregcount", "maxrregcount", Arg::Value("<archmax/archmin/N>")),
    passed("minnctapersm", "minnctapersm", Arg::Count("<N>")),
    passed("optimize-float-atomics", "opt-fp-atomics", Arg::None),
    passed("override-directive-values", "override-directive-values", Arg::None),
    passed("position-independent-code", "pic", Arg::Bool),
    passed("preserve-relocs", "preserve-relocs", Arg::None),
    passed("register-usage-level", "regUsageLevel", Arg::Count("<0..10>")),
    passed("return-at-end", "ret-end", Arg::None),
    passed("sanitize", "sanitize", Arg::Value("<tool>")),
    passed("sp-bounds-check", "sp-bounds-check", Arg::None),
    passed("split-compile", "split-compile", Arg::Count("<N>")),
    passed("suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning", Arg::None),
    passed("suppress-double-demote-warning", "suppress-double-demote-warning", Arg::None),
    passed("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", Arg::None),
    passed("suppress-stack-size-warning", "suppress-stack-size-warning", Arg::None),
    passed("warn-on-double-precision-use", "warn-double-usage", Arg::None),
    passed("warn-on-local-memory-usage", "warn-lmem-usage", Arg::None),
    passed("warn-on-spills", "warn-spills", Arg::None),
    // Not in ptxas' --help. Triton always gives it.
    passed("regAllocOptLevel", "regAllocOptLevel", Arg::Count("<N>")),
];

/// Every option that is parsed.
pub(super) fn all() -> impl Iterator<Item = &'static Spec> {
    PTXAS.iter().chain(OURS).chain(PASSED)
}

/// The proper spelling nearest to `typed` (dashes included): other dashes, other case, or a few
/// letters off.
pub(super) fn nearest(typed: &str) -> Option<String> {
    let name = typed.trim_start_matches('-');
    let spellings =
        all().flat_map(|spec| [("--", spec.long), ("-", spec.short)]).filter(|(_, name)| !name.is_empty());
    // Two wrong letters of three are not a typing error. An input that is too long is not one
    // either.
    let allowed = (name.len() / 3).min(2);
    let distance = |candidate: &str| {
        if candidate.eq_ignore_ascii_case(name) { 0 } else { strsim::levenshtein(name, candidate) }
    };
    spellings
        .filter(|(_, candidate)| name.len().abs_diff(candidate.len()) <= 2)
        .map(|(dashes, candidate)| (distance(candidate), dashes, candidate))
        .filter(|&(distance, ..)| distance <= allowed)
        .min_by_key(|&(distance, ..)| distance)
        .map(|(_, dashes, candidate)| format!("{dashes}{candidate}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_the_table_twice() {
        let mut names: Vec<String> = all()
            .flat_map(|spec| [format!("--{}", spec.long), format!("-{}", spec.short)])
            .filter(|name| name != "-")
            .collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn suggestions() {
        for (typed, meant) in [
            ("-gpu-name", Some("--gpu-name")),
            ("--arch", Some("-arch")),
            ("--lineinfo", Some("-lineinfo")),
            ("-G", Some("-g")),
            ("--device-debgu", Some("--device-debug")),
            ("--maxregcount", Some("--maxrregcount")),
            ("-werror", Some("-Werror")),
            ("-x", None),
            ("--completely-different", None),
            ("-", None),
        ] {
            assert_eq!(nearest(typed).as_deref(), meant, "{typed}");
        }
        assert_eq!(nearest(&"a".repeat(1 << 20)), None);
    }
}
