//! Every option of `compile` in one table: the parser, `--help` and the suggestions read nothing else.
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
    FileStat,
    Help,
    LineInfo,
    Machine,
    OptLevel,
    Output,
    SuppressDebugInfo,
    Verbose,
    Version,
    WarningsAsErrors,
}

/// Where an option's argument stands. The text is its name in `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arg {
    /// `-g`
    None,
    /// `-arch sm_90`, `-arch=sm_90`
    Value(&'static str),
    /// `-m 64`, `-m=64`, `-m64`
    Number(&'static str),
    /// `-O3`, `-O=3`, `-O`. Observed: `-O 3` is level 0 and an input file named `3` to ptxas; we read it as `-O3`.
    Level(&'static str),
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

const fn spec(id: Id, long: &'static str, short: &'static str, arg: Arg, what: &'static str) -> Spec {
    Spec { id, long, short, arg, what }
}

/// The options of ptxas that `compile` has.
#[rustfmt::skip]
pub(super) const PTXAS: &[Spec] = &[
    spec(Id::CompileOnly, "compile-only", "c", Arg::None, "Make a relocatable object."),
    spec(Id::DeviceDebug, "device-debug", "g", Arg::None,
        "Make all debug sections: lines, and the .debug_* sections of the PTX."),
    spec(Id::DisableWarnings, "disable-warnings", "w", Arg::None, "Print no warnings."),
    spec(Id::LineInfo, "generate-line-info", "lineinfo", Arg::None, "Make the line tables and the PTX text only."),
    spec(Id::Arch, "gpu-name", "arch", Arg::Value("<gpu name>"), "The GPU to compile for. Default: sm_75."),
    spec(Id::Help, "help", "h", Arg::None, "Print this text."),
    spec(Id::Machine, "machine", "m", Arg::Number("<bits>"), "Host pointer size: 64, the only value."),
    spec(Id::OptLevel, "opt-level", "O", Arg::Level("<N>"),
        "Optimization level, for the ptxas behind --code ptxas. Only 0 goes with -g."),
    spec(Id::Output, "output-file", "o", Arg::Value("<file>"), "Where to write. Default: elf.o."),
    spec(Id::SuppressDebugInfo, "suppress-debug-info", "suppress-debug-info", Arg::None,
        "Leave the debug sections out of the output."),
    spec(Id::Verbose, "verbose", "v", Arg::None, "Print one summary line: functions, rows, sections, bytes, time."),
    spec(Id::Version, "version", "V", Arg::None, "Print the version."),
    spec(Id::WarningsAsErrors, "warning-as-error", "Werror", Arg::None, "Turn warnings into errors."),
];

/// The options of ours.
#[rustfmt::skip]
pub(super) const OURS: &[Spec] = &[
    spec(Id::Code, "code", "", Arg::Value("<provider>"),
        "Where the machine code comes from. none: no code, a debug-only object. cubin:FILE: an existing cubin of \
         this PTX, compiled with -lineinfo or -g. ptxas: a ptxas found in $PTXAS, $CUDA_HOME/bin, $CUDA_PATH/bin, \
         PATH or a Python environment. auto (default): ptxas if there is one, else none."),
    spec(Id::FileStat, "file-stat", "", Arg::Value("<file>=<mtime>,<size>"),
        "Time (seconds since 1970) and size (bytes) of a source file named by .file, written to the line table in \
         place of what the file system says. May be given for each file."),
];

/// The rest of ptxas' options, known so that they are refused by name. Long, short.
#[rustfmt::skip]
pub(super) const NOT_YET: &[(&str, &str)] = &[
    ("Ofast-compile", "Ofc"),
    ("allow-expensive-optimizations", "allow-expensive-optimizations"),
    ("compile-as-tools-patch", "astoolspatch"),
    ("compiler-annotations", "annotate"),
    ("def-load-cache", "dlcm"),
    ("def-store-cache", "dscm"),
    ("device-function-maxrregcount", "func-maxrregcount"),
    ("device-stack-protector", "device-stack-protector"),
    ("disable-optimizer-constants", "disable-optimizer-consts"),
    ("dont-merge-basicblocks", "no-bb-merge"),
    ("entry", "e"),
    ("extensible-whole-program", "ewp"),
    ("fmad", "fmad"),
    ("force-load-cache", "flcm"),
    ("force-store-cache", "fscm"),
    ("g-tensor-memory-access-check", "g-tmem-access-check"),
    ("gno-tensor-memory-access-check", "gno-tmem-access-check"),
    ("input-as-string", "ias"),
    ("legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior"),
    ("list-version", "version-ls"),
    ("make-errors-visible-at-exit", "make-errors-visible-at-exit"),
    ("maxntid", "maxntid"),
    ("maxrregcount", "maxrregcount"),
    ("minnctapersm", "minnctapersm"),
    ("optimize-float-atomics", "opt-fp-atomics"),
    ("options-file", "optf"),
    ("override-directive-values", "override-directive-values"),
    ("position-independent-code", "pic"),
    ("preserve-relocs", "preserve-relocs"),
    ("register-usage-level", "regUsageLevel"),
    ("return-at-end", "ret-end"),
    ("sanitize", "sanitize"),
    ("sp-bounds-check", "sp-bounds-check"),
    ("split-compile", "split-compile"),
    ("suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning"),
    ("suppress-double-demote-warning", "suppress-double-demote-warning"),
    ("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info"),
    ("suppress-stack-size-warning", "suppress-stack-size-warning"),
    ("warn-on-double-precision-use", "warn-double-usage"),
    ("warn-on-local-memory-usage", "warn-lmem-usage"),
    ("warn-on-spills", "warn-spills"),
];

/// Every option that is parsed.
pub(super) fn all() -> impl Iterator<Item = &'static Spec> {
    PTXAS.iter().chain(OURS)
}

/// The proper spelling nearest to `typed` (dashes included): other dashes, other case, or a few letters off.
pub(super) fn nearest(typed: &str) -> Option<String> {
    let name = typed.trim_start_matches('-');
    let names = all().map(|spec| (spec.long, spec.short)).chain(NOT_YET.iter().copied());
    let spellings =
        names.flat_map(|(long, short)| [("--", long), ("-", short)]).filter(|(_, name)| !name.is_empty());
    // Two letters of three wrong is no typing error; nor is any input too long to be one.
    let allowed = (name.len() / 3).min(2);
    let distance = |candidate: &str| {
        if candidate.eq_ignore_ascii_case(name) { 0 } else { edit_distance(name, candidate) }
    };
    spellings
        .filter(|(_, candidate)| name.len().abs_diff(candidate.len()) <= 2)
        .map(|(dashes, candidate)| (distance(candidate), dashes, candidate))
        .filter(|&(distance, ..)| distance <= allowed)
        .min_by_key(|&(distance, ..)| distance)
        .map(|(_, dashes, candidate)| format!("{dashes}{candidate}"))
}

/// Levenshtein distance in bytes; `a` and `b` are of about the length of an option.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, to) in row.iter_mut().skip(1).zip(b.bytes()) {
            let up = *cell;
            left = (up.min(left) + 1).min(diagonal + usize::from(from != to));
            diagonal = up;
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_the_table_twice() {
        let rows = all().map(|spec| (spec.long, spec.short)).chain(NOT_YET.iter().copied());
        let mut names: Vec<String> = rows
            .flat_map(|(long, short)| [format!("--{long}"), format!("-{short}")])
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
