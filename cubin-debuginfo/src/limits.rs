//! Limits on the work, memory and text that a cubin may demand, since files may be hostile.
//!
//! Those named as steps are factors of a [`WorkBudget`](dwarf2_reader::WorkBudget): they count for
//! each byte of the input, and any input has 2^20.

use std::time::Duration;

// Entries.

/// Most steps from an entry to the one that has an attribute: an inlined variable's name is with
/// the abstract one, whose class may be with a declaration. Compilers need three; a damaged file
/// may refer in a circle.
pub(crate) const MAX_ORIGINS: usize = 8;

// Variables.

/// The steps allowed for the locations of all variables, or the code of all scopes. Many entries
/// may share a long location list, a scope of many pieces, or a register that is in many places,
/// and the sum would be more than anyone can read. No file of the corpus reaches the limit.
pub(crate) const LOCATION_STEPS: u64 = 8;

/// The steps allowed to divide code among inlined calls, for each byte of `.debug_info` and each
/// row of a line table. A row takes one for each call that it is in, up to four times, and so does
/// each call for those that are active where it begins and ends.
pub(crate) const INLINED_STEPS: u64 = 32;

/// Most types around another one (`typedef`, `const`) that are looked through to read a constant: a
/// damaged file may have a circle.
pub(crate) const MAX_TYPE_WRAPPERS: usize = 64;

/// Most elements of a constant array that are shown each by its value. Larger ones are shown as
/// bytes.
pub(crate) const MAX_ARRAY_ELEMENTS: u64 = 1024;

/// Most entries that are followed to spell a type, and most that are looked at to find the members
/// of one type: a damaged file may have a circle, or a type with as many members as it has bytes.
pub(crate) const MAX_TYPE_STEPS: usize = 256;

/// Most dimensions of one array, parameters of one function, and scopes around one name, that the
/// spelling of a type has.
pub(crate) const MAX_TYPE_PARTS: usize = 16;

/// Bytes at which the spelling of a type is cut off: types made of each other double with each
/// step.
pub(crate) const MAX_TYPE_LENGTH: usize = 1024;

/// Bytes that an entry has on average where there are very many: a number, a name, and a type, a
/// line or a place.
pub(crate) const LEAST_ENTRY: u64 = 8;

/// Most operations of an expression that are kept; tools write a handful.
pub(crate) const MAX_OPERATIONS: usize = 1 << 18;

/// Most scopes of a chain that a listing of variables has.
pub(crate) const MAX_SCOPE_CHAIN: usize = 64;

// Coverage.

/// Steps along lists of ranges and locations, and from rows to the lines around: many entries may
/// share one long list.
pub(crate) const COVERAGE_STEPS: u64 = 64;

// Findings of `verify`.

/// Most characters of a name in a finding: as in errors of nv-debug-sections.
pub(crate) const MAX_NAME_CHARS: usize = nv_debug_sections::error::MAX_NAME_CHARS;

/// The most undefined symbols that a finding names. A file may have thousands, and one is enough to
/// look for.
pub(crate) const MAX_NAMED_SYMBOLS: usize = 4;

/// Most entries around another one that are looked at, to find the calls or scopes that it is in:
/// each variable may be as deep as the file is long. Compilers stay far below it.
pub(crate) const MAX_ANCESTORS: usize = 64;

// Addresses.

/// The most frames that one address can have in its call chain. Real chains stay below a hundred; a
/// hostile table could have one for each row.
pub const MAX_FRAMES: usize = 1024;

/// The most frames for one range of a listing, which may have a range for each instruction. The
/// answer to a query has up to [`MAX_FRAMES`].
pub(crate) const MAX_LISTED_FRAMES: usize = 64;

/// Most files that a message names: their paths are long.
pub(crate) const MAX_NAMED_FILES: usize = 10;

/// Most rows of a profile without an answer that are told one by one.
pub(crate) const MAX_BAD_SAMPLES: usize = 100;

/// Bytes of packed rows that a sequence may have beside its marks, while it is not known yet which
/// of both is kept. A sequence of rows without inlined code has far smaller marks, and those with
/// inlined code seldom have as many rows before the first such one.
pub(crate) const MAX_ROWS_BESIDE_MARKS: usize = 1 << 20;

/// Tries to place a name, for each byte of `.debug_str`, while lost bases of names are looked for.
/// Of a linked file nearly all first tries fit.
pub(crate) const NAME_TRIES: u64 = 4;

// Names of functions.

/// Most bytes of spelled names that are kept for the next address. Names that a compiler makes stay
/// far below it.
pub(crate) const MAX_NAME_CACHE: usize = 16 << 20;

/// A demangled name is cut off as hopeless beyond this many bytes: back references let a short one
/// grow without limit.
pub(crate) const MAX_DEMANGLED: usize = 1 << 16;

/// Brackets inside each other up to this many are followed in a name that a query asks for: the
/// reader calls itself for them.
pub(crate) const MAX_NAME_NESTING: usize = 64;

/// Most functions that an error about a name lists: a file may have thousands, and one of the first
/// is often the one that was meant.
pub(crate) const MAX_LISTED_NAMES: usize = 20;

/// Most names that were asked for whose images are remembered, for each file: a client of a
/// symbolizer may ask for ever.
pub(crate) const MAX_FOUND_NAMES: usize = 1 << 16;

/// Longest name, in bytes, that is compared with a name that no function has: the time is the
/// product of both lengths.
pub(crate) const MAX_COMPARED_NAME: usize = 256;

/// Least Jaro-Winkler similarity (0 to 1) of a function's name that an error suggests.
pub(crate) const MIN_SIMILARITY: f64 = 0.85;

// Sections as items, and variables.

/// Bytes of paths that the rows or entries of a section may have in words, for each of its bytes:
/// many may be of one file with a long path. Real ones take ten bytes or so for each.
pub(crate) const SHARED_PATHS: u64 = 1024;

// Differences of two cubins.

/// Bytes of memory that the facts of a cubin may take in any case.
pub(crate) const LEAST_FACTS: usize = 48 << 20;

/// Beyond [`LEAST_FACTS`], how many times the bytes of the file: a small file may say a long thing
/// at many places.
pub(crate) const MAX_FACTS_GROWTH: usize = 8;

/// Bytes of words that are made and forgotten, for each byte of the file: many entries may share a
/// long list.
pub(crate) const WORDS_GROWTH: u64 = 512;

/// Deepest entry of `.debug_info` that is indented further than the one around it: else deep
/// nesting would take quadratic space.
pub(crate) const MAX_INDENTED_DEPTH: usize = 40;

/// Longest time that is spent to align two lists at best; after it what is left counts as replaced.
pub(crate) const MAX_ALIGNMENT_TIME: Duration = Duration::from_secs(2);
