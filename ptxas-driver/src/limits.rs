//! Bounds on what the commands read, do and show: files, names and options come from strangers.
//!
//! JSON has everything that the libraries give; bounds on what is shown are for text that a person reads.

use std::time::Duration;

// Input.

/// Largest ordinary file that is read, in bytes. Offsets of 32 bits reach no further, and it is held in memory whole.
pub const MAX_FILE: u64 = 4 << 30;

/// Most bytes that are read of a pipe or a device. It may never end, as `/dev/zero`.
pub const MAX_STREAM: u64 = 1 << 30;

/// Most inputs that are looked at before the result of the first is told, on all cores together.
pub const MAX_PARALLEL_ITEMS: usize = 16;

/// Most bytes of inputs that are looked at on all cores together; a larger input is looked at alone.
pub const MAX_PARALLEL_BYTES: u64 = 64 << 20;

/// Stack of each further thread, in bytes: what the first one has on Linux.
pub const STACK_BYTES: usize = 8 << 20;

/// Most bytes of an options file, or of queries on standard input: all that a person or a script writes.
pub const MAX_WORDS: u64 = 16 << 20;

/// How deep options files may name one another with `--options-file`: a file may name itself.
pub const MAX_OPTION_FILE_DEPTH: usize = 15;

/// Most options files of one command line. ptxas has no such limit; without one, files that name each other several
/// times would be opened 2^15 times.
pub const MAX_OPTION_FILES: usize = 1000;

/// Largest source whose lines are counted, in bytes. A debug file may name any file as a source, and none that a person wrote is as
/// large.
pub const MAX_SOURCE: u64 = 64 << 20;

/// Most bytes of sources that are read for one file: it may name many.
pub const MAX_SOURCES: u64 = 1 << 30;

/// Most bytes that `extract` decompresses of one file to list its images. Only a look inside tells what debug information most cubins have;
/// images past this bound are listed without it.
pub const MAX_LIST_DECOMPRESSED: u64 = 64 << 20;

// Output files.

/// Most links from an output's name to the file that are followed, as many as Linux follows.
pub const MAX_LINKS: usize = 40;

/// Most times that a temporary folder is tried to be removed: a thread of ours may be making files in it.
pub const MAX_REMOVALS: u32 = 100;

// Programs that are run.

/// Longest piece of a line that is taken at once from what a program prints, in bytes.
pub const MAX_CHILD_LINE: u64 = 1 << 16;

/// Most bytes that are kept of what a program prints.
pub const MAX_CHILD_OUTPUT: u64 = 1 << 20;

// Time.

/// Longest time that is spent to find a small difference between a text and its repair; after it a larger one will do.
pub const MAX_DIFF_TIME: Duration = Duration::from_secs(1);

/// Bytes of text up to which repairs are tried for the summary of `check`: that takes several times as long as to check it.
pub const MAX_TRIED_REPAIR: usize = 4 << 20;

// Text that is shown.

/// Most of our own warnings that one `compile` prints.
pub const MAX_WARNINGS: usize = 20;

/// Most errors that one `compile` prints: more than warnings, as each has to go.
pub const MAX_ERRORS: usize = 100;

/// Most syntax errors that `print` shows.
pub const MAX_SYNTAX_ERRORS: usize = 20;

/// Most messages about one file: what could not be read of it. `--json` has all.
pub const MAX_MESSAGES: u64 = 20;

/// Most findings of one rule that `check` and `verify` show of a file.
pub const MAX_FINDINGS_SHOWN: usize = 20;

/// Most names, or ranges of lines, that one message or one line of text lists.
pub const MAX_NAMES_SHOWN: usize = 20;

/// Most source files that `diff` names of one side: a hint only.
pub const MAX_SOURCES_NAMED: usize = 5;

/// Longest value that `diff` shows whole, in characters: two lines of a terminal.
pub const MAX_VALUE_CHARS: usize = 160;

/// Deepest entry of `.debug_info` that is indented further than the one around it: else deep nesting would take quadratic space.
pub const MAX_INDENTED_DEPTH: usize = 40;

/// Most ranges of a scope's code that its head line shows.
pub const MAX_SCOPE_RANGES: usize = 4;

/// Widest column of a table, in columns of a terminal: no cell, however long, moves those of other rows further.
pub const MAX_COLUMN: usize = 60;

/// Longest piece of a source line that a message shows, in bytes on either side of the place. A line may be as long as the file.
pub const MAX_SOURCE_CONTEXT: u32 = 200;

/// Bytes before the place that are shown of a source line that is too long to be shown whole.
pub const SOURCE_MARGIN: u32 = 60;

/// Lines of ptxas that the document of `compile --json` has.
pub const MAX_PTXAS_LINES: usize = 1000;

/// Syntax errors that the document of `print --json` has.
pub const MAX_DOCUMENT_ERRORS: usize = 1000;

/// Bytes of a PTX text in which its `.target` is looked for, to name it in a hint.
pub const MAX_HEADER: usize = 4096;
