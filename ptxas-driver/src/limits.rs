//! Limits on what the commands read, do and show, since files, names and options may be hostile.
//!
//! JSON has everything that the libraries give; bounds on what is shown are for text that a person
//! reads.

use std::time::Duration;

// Input.

/// The largest ordinary file that is read, in bytes. Offsets of 32 bits reach no further, and the
/// file is held in memory.
pub const MAX_FILE: u64 = 4 << 30;

/// The most bytes that are read from a pipe or a device, which may never end, as `/dev/zero`.
pub const MAX_STREAM: u64 = 1 << 30;

/// The most inputs that are processed before the result of the first is printed, on all cores
/// together.
pub const MAX_PARALLEL_ITEMS: usize = 16;

/// The most bytes of inputs that are processed at the same time. A larger input is processed alone.
pub const MAX_PARALLEL_BYTES: u64 = 64 << 20;

/// The stack size in bytes of each additional thread: that of the main thread on Linux.
pub const STACK_BYTES: usize = 8 << 20;

/// The most bytes of an options file, or of queries on standard input: all that a person or a
/// script writes.
pub const MAX_WORDS: u64 = 16 << 20;

/// The deepest nesting of options files by `--options-file`: a file may name itself.
pub const MAX_OPTION_FILE_DEPTH: usize = 15;

/// The most options files of one command line. ptxas has no such limit; without one, files that
/// name each other several times would be opened 2^15 times.
pub const MAX_OPTION_FILES: usize = 1000;

/// The largest source whose lines are counted, in bytes. A debug file may name any file as a
/// source, and no source that a person wrote is as large.
pub const MAX_SOURCE: u64 = 64 << 20;

/// The most bytes of sources that are read for one file, which may name many.
pub const MAX_SOURCES: u64 = 1 << 30;

/// The most bytes that `extract` decompresses of one file to list its images. Most cubins must be
/// decompressed to tell what debug information they have; images past this limit are listed without
/// it.
pub const MAX_LIST_DECOMPRESSED: u64 = 64 << 20;

// Output files.

/// The most links that are followed from an output's name to the file, as many as Linux follows.
pub const MAX_LINKS: usize = 40;

/// The most attempts to remove a temporary folder, in which a thread of this program may be
/// creating files.
pub const MAX_REMOVALS: u32 = 100;

// Programs that are run.

/// The longest piece of a line that is taken at once from what a program prints, in bytes.
pub const MAX_CHILD_LINE: u64 = 1 << 16;

/// The most bytes that are kept of what a program prints.
pub const MAX_CHILD_OUTPUT: u64 = 1 << 20;

// Time.

/// The longest time that is spent to find a small difference between a text and its repair; after
/// it a larger one will do.
pub const MAX_DIFF_TIME: Duration = Duration::from_secs(1);

/// The most bytes of a text for which `check` tries repairs for its summary. That takes several
/// times as long as the check.
pub const MAX_TRIED_REPAIR: usize = 4 << 20;

// Text that is shown.

/// The most warnings of this program that one `compile` prints.
pub const MAX_WARNINGS: usize = 20;

/// The most errors that one `compile` prints. There are more than warnings, since each must be
/// fixed.
pub const MAX_ERRORS: usize = 100;

/// The most syntax errors that `print` shows.
pub const MAX_SYNTAX_ERRORS: usize = 20;

/// The most messages about one file on standard error, on what could not be read of it. `--json`
/// has all.
pub const MAX_MESSAGES: u64 = 20;

/// The most findings of one rule in a file that `check` and `verify` show.
pub const MAX_FINDINGS_SHOWN: usize = 20;

/// The most names, or ranges of lines, in one message or one line of text.
pub const MAX_NAMES_SHOWN: usize = 20;

/// The most source files of one side that `diff` names, as a hint.
pub const MAX_SOURCES_NAMED: usize = 5;

/// The longest value that `diff` shows uncut, in characters: two lines of a terminal.
pub const MAX_VALUE_CHARS: usize = 160;

/// The deepest entry of `.debug_info` that is indented further than the one around it. Without the
/// limit deep nesting would take quadratic space.
pub const MAX_INDENTED_DEPTH: usize = 40;

/// The most ranges of a scope's code in the line that names the scope.
pub const MAX_SCOPE_RANGES: usize = 4;

/// The widest column of a table, in columns of a terminal. A longer cell does not move those of
/// other rows further.
pub const MAX_COLUMN: usize = 60;

/// The longest piece of a source line that a message shows, in bytes on either side of the place. A
/// line may be as long as the file.
pub const MAX_SOURCE_CONTEXT: u32 = 200;

/// The bytes before the place that are shown of a source line that is too long to be shown uncut.
pub const SOURCE_MARGIN: u32 = 60;

/// The most lines of ptxas in the document of `compile --json`.
pub const MAX_PTXAS_LINES: usize = 1000;

/// The most syntax errors in the document of `print --json`.
pub const MAX_DOCUMENT_ERRORS: usize = 1000;

/// The bytes at the start of a PTX text in which its `.target` is searched, to name it in a hint.
pub const MAX_HEADER: usize = 4096;
