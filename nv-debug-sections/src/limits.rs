//! Limits on what an input may demand, since files may be hostile.
//!
//! Limits of a format, such as the largest number that a field can hold, stand with the code that
//! reads or writes it.

// Text of errors.

/// The longest section or symbol name in an error or a finding, in characters. It limits the size
/// of messages, since a hostile file may give one long name to many faults. Nearly all mangled
/// names are shorter.
pub const MAX_NAME_CHARS: usize = 1024;

/// Characters of a name that is itself the fault, because it is too long to be shown.
pub(crate) const LONG_NAME_CHARS: usize = 40;

// Cubins.

/// How many times its own size a file may have once it is laid out again: alignments of sections
/// make gaps. The tools lay files out as they were; a linker with other rules may leave smaller
/// gaps.
pub(crate) const MAX_LAYOUT_GROWTH: u64 = 4;

/// Bytes that the layout may have beyond [`MAX_LAYOUT_GROWTH`]: a file of a few hundred bytes may
/// have a few large alignments.
pub(crate) const LAYOUT_MARGIN: u64 = 64 << 10;

/// Mercury clones that may share the bytes of one section. With more, a reader who asks for the
/// bytes of each section would work in quadratic time. Observed: 1 (679 cubins of a corpus).
pub(crate) const MAX_CLONES: u32 = 4;

/// Bytes of names that a list of all sections or symbols may have, for each byte of the table of
/// names: many may share a long name, or end as another does. Without that there is one.
pub(crate) const LISTED_NAME_BYTES: u64 = 4;

/// Bytes of a section's name that are compared to say which section differs: many may share a name
/// as long as the file. The tables are compared whole.
pub(crate) const MAX_COMPARED_NAME: usize = 1024;

/// Largest alignment of a variable in bytes that still counts in a file that is built: PTX may ask
/// for any, and each would make a gap. It is the size of a page.
pub(crate) const MAX_VARIABLE_ALIGN: u64 = 4096;

// Line tables and addresses.

/// Bytes of all paths of a file table, for each byte of its names and directories: many files may
/// be in a directory with a long name. Honest tables share a directory of a hundred bytes among
/// files with names of a few.
pub(crate) const PATH_BYTES: u64 = 64;

// Containers.

/// Longest stem of the name of a file for an image, in bytes; longer ones are cut. File systems
/// have 255 bytes for the whole name.
pub(crate) const MAX_FILE_STEM: usize = 180;

/// Most images of a file that a message lists: each takes a line.
pub(crate) const MAX_IMAGES_LISTED: usize = 12;

/// The largest size of a decompressed payload, as a multiple of its stored bytes. It limits memory
/// and time by the size of the file.
///
/// LZ4 cannot reach it (255 is the most its format allows). The 679 cubins of the corpus become 3
/// to 21 times their size under `zstd -19`; zeros, such as a large table that the program
/// initialises, up to 32 500 times: they need
/// [`Entry::payload_within`](crate::container::Entry::payload_within).
pub const MAX_EXPANSION: u64 = 256;

/// The largest size of a decompressed payload in bytes, whatever the file's size. Cubins are far
/// smaller.
pub const MAX_PAYLOAD: u64 = 512 << 20;

/// Most archives that are in each other. Each level is read once more; build systems make one or
/// two.
pub(crate) const MAX_ARCHIVE_DEPTH: usize = 8;

/// Most bytes of the name of an archive's member; the rest is cut. All images of the member have
/// it, and it is about as long as a path may be.
pub(crate) const MAX_MEMBER_NAME: usize = 1024;
