//! Limits on the work and memory that an input may demand, since sections may be hostile.
//!
//! All but the last two are factors of a [`WorkBudget`](crate::WorkBudget), which grows with the
//! size of the input.

/// Units of work that any input may ask for, however small it is. Small sections repeat themselves
/// more than large ones, and this many steps take a few milliseconds, this many bytes no memory to
/// speak of.
pub(crate) const LEAST_WORK: u64 = 1 << 20;

/// Bytes of `.debug_abbrev` that may be read for each byte of `.debug_info` and `.debug_abbrev`:
/// the tables of units may overlap. Tables that do not overlap take one; those of known producers
/// do not.
pub(crate) const ABBREV_TABLE_BYTES: u64 = 8;

/// Attributes without bytes (`DW_FORM_flag_present` and the like) that a unit may have for each of
/// its bytes: a short entry may refer to an abbreviation of many. An entry takes one byte at least,
/// and compilers give it a few such flags.
pub(crate) const EMPTY_ATTRIBUTES: u64 = 16;

/// Bytes of strings that the fields of a section may refer to, for each byte of the section and of
/// its strings: many fields may share one long string. A field of four bytes with names of a
/// thousand characters throughout stays below it.
pub(crate) const SHARED_STRING_BYTES: u64 = 256;

/// How many maps of paths, one after the other, lead back to the first where any do.
pub(crate) const MAX_PATH_MAPS: usize = 64;

/// How much longer a path is in another spelling, with each separator doubled and a folder `.`
/// between them. What is longer is not looked for in the bytes of a section.
pub(crate) const SPELLING_GROWTH: usize = 4;
