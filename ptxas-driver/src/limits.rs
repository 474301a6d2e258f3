//! Limits on what the commands read, do and show, since files, names and options may be hostile.
//!
//! JSON has everything that the libraries give; bounds on what is shown are for text that a person
//! reads.

use std::time::Duration;

// Input.

/// The size in bytes of the largest ordinary file that is read. Offsets of 32 bits reach no
/// further, and the file is held in memory.
pub const MAX_FILE: u64 = 4 << 30;

/// The most bytes that are read from a pipe or a device, since one such as `/dev/zero` never ends;
/// of queries on standard input the most bytes of one line.
pub const MAX_STREAM: u64 = 1 << 30;

/// The most inputs that are processed, on all cores together, before the result of the first is
/// printed.
pub const MAX_PARALLEL_ITEMS: usize = 16;

/// The most bytes of inputs that are processed at the same time. A larger input is processed alone.
pub const MAX_PARALLEL_BYTES: u64 = 64 << 20;

/// The size in bytes of the stack of each additional thread. The main thread has as much on Linux.
pub const STACK_BYTES: usize = 8 << 20;

/// The most bytes of an options file, or of all queries on standard input for one JSON document:
/// all that a person or a script writes.
pub const MAX_WORDS: u64 = 16 << 20;

/// The most bytes of one query on standard input that is looked up. Names that compilers make stay
/// far below it.
pub const MAX_QUERY: usize = 1 << 20;

/// The deepest nesting of options files (`--options-file`), since a file may name itself.
pub const MAX_OPTION_FILE_DEPTH: usize = 15;

/// The most options files of one command line. ptxas has no such limit; without one, files that
/// name each other several times would be opened 2^15 times.
pub const MAX_OPTION_FILES: usize = 1000;

/// The size in bytes of the largest source file whose lines are counted. A debug file may name any
/// file as a source, and no source that a person wrote is as large.
pub const MAX_SOURCE: u64 = 64 << 20;

/// The most bytes of source files that are read to check one cubin, since it may name many.
pub const MAX_SOURCES: u64 = 1 << 30;

/// The most bytes that `extract` decompresses of one file to list its images. Most cubins must be
/// decompressed to tell what debug information they have; images past this limit are listed without
/// it.
pub const MAX_LIST_DECOMPRESSED: u64 = 64 << 20;

// Output files.

/// The most symbolic links that are followed from the name of an output to the file. Linux follows
/// as many.
pub const MAX_LINKS: usize = 40;

/// The most attempts to remove a temporary folder, in which a thread of this program may still
/// create files.
pub const MAX_REMOVALS: u32 = 100;

// Programs that are run.

/// The longest piece of a line, in bytes, that is read at once from the output of a child program.
pub const MAX_CHILD_LINE: u64 = 1 << 16;

/// The most bytes that are kept of the output of a child program.
pub const MAX_CHILD_OUTPUT: u64 = 1 << 20;

// Time.

/// The longest time that is spent to find the smallest difference between a text and its repair;
/// after that a larger difference is shown.
pub const MAX_DIFF_TIME: Duration = Duration::from_secs(1);

/// The size in bytes of the largest text for which `check` tries repairs to name them in its
/// summary. That takes several times as long as the check.
pub const MAX_TRIED_REPAIR: usize = 4 << 20;

// Text that is shown.

/// The most warnings of this program, not of ptxas, that one `compile` prints.
pub const MAX_WARNINGS: usize = 20;

/// The most errors that one `compile` prints. The limit is higher than that for warnings, since
/// each error must be fixed.
pub const MAX_ERRORS: usize = 100;

/// The most syntax errors that `print` shows.
pub const MAX_SYNTAX_ERRORS: usize = 20;

/// The most messages that standard error shows about one file that cannot be read completely.
/// `--json` has all messages.
pub const MAX_MESSAGES: u64 = 20;

/// The most findings of one rule in a file that `check` and `verify` show.
pub const MAX_FINDINGS_SHOWN: usize = 20;

/// The most bytes that an answer repeats of a query that is too long to be looked up.
pub const MAX_QUERY_SHOWN: usize = 200;

/// The most characters of a message about a query without an answer. A client may not read standard
/// error, and all [`MAX_MESSAGES`] must fit into a pipe, of 64 KiB on Linux.
pub const MAX_QUERY_MESSAGE: usize = 600;

/// The most names, or ranges of lines, that one message or one line of text lists.
pub const MAX_NAMES_SHOWN: usize = 20;

/// The most source files of one of the two compared files that `diff` names in a hint.
pub const MAX_SOURCES_NAMED: usize = 5;

/// The longest value that `diff` shows uncut, in characters: two lines of a terminal.
pub const MAX_VALUE_CHARS: usize = 160;

/// The depth up to which an entry of `.debug_info` is indented further than its parent. Without
/// this limit, deep nesting would take quadratic space.
pub const MAX_INDENTED_DEPTH: usize = 40;

/// The most code ranges that are shown in the line that names a scope of variables.
pub const MAX_SCOPE_RANGES: usize = 4;

/// The greatest width of a column of a text table, in columns of the terminal. A longer cell moves
/// only the rest of its own row.
pub const MAX_COLUMN: usize = 60;

/// The longest piece of a source line that a message shows, in bytes on either side of the error. A
/// line may be as long as the file.
pub const MAX_SOURCE_CONTEXT: u32 = 200;

/// The number of bytes before the error that a message shows of a source line that is too long to
/// be shown completely.
pub const SOURCE_MARGIN: u32 = 60;

/// The most lines of ptxas' output that the document of `compile --json` has.
pub const MAX_PTXAS_LINES: usize = 1000;

/// The most syntax errors that the document of `print --json` has.
pub const MAX_DOCUMENT_ERRORS: usize = 1000;

/// The number of bytes at the start of a PTX text in which `.target` is searched, to name the
/// target in a hint.
pub const MAX_HEADER: usize = 4096;
