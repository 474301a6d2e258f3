use leb128_nv::Field;

use crate::Address;
use crate::info::entry_id::EntryId;
use crate::line::params::{OPCODE_BASE, Params, VERSION};

/// Why a section could not be written. The rejected item is then not in the section, not even in
/// part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A NUL-terminated string has a NUL inside.
    #[error("{field} has a NUL byte at offset {offset}: its end is marked by one")]
    NulInString {
        /// Which string: `directory`, `file name`, `augmentation`.
        field: &'static str,
        /// 0-based byte offset in the string.
        offset: usize,
    },
    /// The name of a directory or file is empty, which readers take for the end of its table.
    #[error("{field} is empty: that would end its table")]
    EmptyString {
        /// Which string: `directory`, `file name`.
        field: &'static str,
    },
    /// Header parameters that no program can be written with.
    #[error(
        "line program header: version {} ({}..={}), minimum_instruction_length {}, line_range {} (both at least 1), \
         opcode_base {} ({}..={})",
        .0.version, VERSION.start(), VERSION.end(), .0.minimum_instruction_length, .0.line_range,
        .0.opcode_base, OPCODE_BASE.start(), OPCODE_BASE.end()
    )]
    LineParams(Params),
    /// A standard opcode is not below the header's `opcode_base`, so readers would take it for a
    /// special opcode.
    #[error("standard opcode {opcode} needs an opcode_base above it, this program has {opcode_base}")]
    StandardOpcode {
        /// The `DW_LNS_*` opcode.
        opcode: u8,
        /// The `opcode_base` of the program's header.
        opcode_base: u8,
    },
    /// An address is below the one before it in the same sequence.
    #[error("address {to:#x} is below {from:#x}, the one before it in the sequence")]
    AddressBackwards {
        /// The address that the line program has reached.
        from: u64,
        /// The address to which the line program was to advance.
        to: u64,
    },
    /// An address advance is not a multiple of the header's `minimum_instruction_length`.
    #[error("advance from {from:#x} to {to:#x} is not a multiple of the minimum instruction length {unit}")]
    Misaligned {
        /// The address that the line program has reached.
        from: u64,
        /// The address to which the line program was to advance.
        to: u64,
        /// The minimum instruction length of the program's header.
        unit: u8,
    },
    /// An extended opcode that begins or ends a sequence (`DW_LNE_set_address`,
    /// `DW_LNE_end_sequence`) was to be written raw.
    #[error("extended opcode {opcode} begins or ends a sequence: not to be written raw")]
    ExtendedOpcode {
        /// The `DW_LNE_*` opcode.
        opcode: u8,
    },
    /// A file or directory number has no entry in the program's tables, although
    /// [`known_files_only`](crate::line::LineProgram::known_files_only) demands one.
    #[error("{table} {number} does not exist, the table has {count}")]
    NotInTable {
        /// The kind of table: `file` or `directory`.
        table: &'static str,
        /// The 1-based number that was asked for.
        number: u64,
        /// The number of entries that the table has.
        count: u64,
    },
    /// A row, a state change or the end of a sequence was to be written while no sequence was open.
    #[error("no sequence is open: begin one before its rows and state changes")]
    NoSequence,
    /// A sequence was still open when a second one was begun, or when the program was finished.
    #[error("the sequence at {reached:#x} is still open: end it first")]
    SequenceOpen {
        /// The address that the open sequence has reached.
        reached: u64,
    },
    /// A unit, entry, block or section is longer than the field for its length, or for an offset in
    /// it, allows.
    #[error("{field} would be {len:#x} bytes long, at most {max:#x} fit")]
    TooLong {
        /// The name of the part that is too long: `line program`, `unit`, `frame entry`, `CIE
        /// pointer`, ...
        field: &'static str,
        /// The length in bytes that the part would have.
        len: u64,
        /// The largest length.
        max: u64,
    },
    /// An FDE names a CIE that was not written before it.
    #[error("CIE {index} does not exist, {count} were written")]
    UnknownCie {
        /// 0-based.
        index: u32,
        /// CIEs written so far.
        count: usize,
    },
    /// The version of a CIE is not 1, 3 or 4, whose layouts are known.
    #[error("CIE version {version}: 1, 3 and 4 are known")]
    CieVersion {
        /// The alignment that was asked for.
        version: u8,
    },
    /// A LEB128 number is greater than its field allows. The message is that of
    /// [`leb128_nv::FieldOverflow`]: "overflow when generating LEB128 number for file number".
    #[error("{}: it is {value:#x}, at most {max:#x} fits", .field.overflow())]
    Leb128 {
        /// Which number.
        field: Field,
        /// The alignment that was asked for.
        value: u64,
        /// The largest value.
        max: u64,
    },
    /// An operand or header value does not fit its field, which has a fixed size.
    #[error("{field} is {value:#x}, at most {max:#x} fits")]
    Operand {
        /// `DW_CFA_*`, `DW_OP_*`, `DW_FORM_*` or a header's field.
        field: &'static str,
        /// The alignment that was asked for.
        value: u64,
        /// The largest value.
        max: u64,
    },
    /// The alignment for the entries of `.debug_frame` is not a power of two.
    #[error("alignment {alignment} is not a power of two")]
    Alignment {
        /// The alignment that was asked for.
        alignment: u8,
    },
    /// A relocation of an expression or block that is not a 4- or 8-byte field inside it, or not
    /// after the relocation before it.
    #[error(
        "relocation of {width} bytes at {offset:#x} is not a 4- or 8-byte field that lies in the {len}-byte expression, after the previous one"
    )]
    ExpressionReloc {
        /// The byte offset in the expression at which the relocation applies.
        offset: u64,
        /// The size in bytes of the field that the relocation changes.
        width: u8,
        /// The expression's size in bytes.
        len: usize,
    },
    /// The opcode of an [`Operation::Plain`](crate::Operation::Plain) is unknown, or has operands.
    #[error("{opcode:#04x} is not known as an operation without operands")]
    PlainOperation {
        /// The alignment that was asked for.
        opcode: u8,
    },
    /// A `DW_OP_skip` or `DW_OP_bra` goes to an operation that the expression does not have.
    #[error("branch to operation {target} of an expression with {count}")]
    BranchTarget {
        /// 0-based.
        target: usize,
        /// Operations in the expression.
        count: usize,
    },
    /// A `DW_OP_skip` or `DW_OP_bra` goes further than its 2-byte operand can say.
    #[error("branch over {distance} bytes: from {} to {} fit", i16::MIN, i16::MAX)]
    BranchDistance {
        /// From the end of the branch, in bytes.
        distance: i64,
    },
    /// A tag, attribute or form is 0, which readers take for the end of the abbreviation or of its
    /// table.
    #[error("{field} 0 in an abbreviation of tag {tag:#x}: readers take it for an end")]
    ZeroCode {
        /// `DW_TAG_*`.
        tag: u16,
        /// The name of the number that is 0: `tag`, `attribute`, `form`.
        field: &'static str,
    },
    /// An entry was to have the same attribute twice.
    #[error("attribute {name:#x} is there twice, in an entry of tag {tag:#x}")]
    DuplicateAttribute {
        /// `DW_TAG_*`.
        tag: u16,
        /// `DW_AT_*`.
        name: u16,
    },
    /// The id of an entry does not come from this [`DebugInfo`](crate::info::DebugInfo).
    #[error("{0} does not exist")]
    UnknownEntry(EntryId),
    /// An entry was reserved and never filled, although it is referred to, has children or is the
    /// root of a unit.
    #[error("{0} was reserved, but not filled")]
    EmptyEntry(EntryId),
    /// An entry that has been filled already was to be filled again.
    #[error("{0} is filled already")]
    FilledEntry(EntryId),
    /// The root entry of a unit was to be put below another entry.
    #[error("{0} is the root of its unit: it has no parent")]
    RootWithParent(EntryId),
    /// A reference or a parent is an entry of another unit, where only the same unit is allowed.
    #[error("{form}: {id} is not of unit {unit}")]
    ForeignEntry {
        /// `DW_FORM_ref*`, or `parent`.
        form: &'static str,
        /// The entry.
        id: EntryId,
        /// 0-based number of the unit that it should be of.
        unit: u32,
    },
    /// A reference does not fit its form: the offset of the entry needs more bytes.
    #[error("{from} refers to {to} at {offset:#x}, beyond what {width} bytes say")]
    FarReference {
        /// The entry with the reference.
        from: EntryId,
        /// The entry that is referred to.
        to: EntryId,
        /// The byte offset in the unit of the entry that is referred to.
        offset: u64,
        /// The width of the form in bytes.
        width: u8,
    },
    /// An address range ends before it begins, or goes beyond the largest address.
    #[error("range from {begin} to {end}: ends before it begins, or beyond the largest address")]
    BackwardRange {
        /// First address.
        begin: Address,
        /// The first address after it.
        end: Address,
    },
    /// An address range is empty and lies at 0, before or after relocation: readers take it for the
    /// end of the list.
    #[error("{field}: an empty range at 0 would end its list")]
    EmptyRange {
        /// Which: `location`, `range`.
        field: &'static str,
    },
    /// A location begins at the largest address: readers take it for a new base address.
    #[error("a location at the largest address would read as a base address")]
    LocationAtMax,
    /// A name in `.debug_pubnames` or `.debug_pubtypes` is that of an entry at offset 0: readers
    /// take it for the end of the set.
    #[error("name of an entry at offset 0: that would end the names of the unit")]
    NameAtZero,
    /// A list of macros has `DW_MACINFO_end_file` where no file is open, or ends with a file open.
    #[error("macro entry {index}: {depth} files are open there")]
    MacroNesting {
        /// 0-based; the count of entries for the end of the list.
        index: usize,
        /// Files begun and not ended.
        depth: usize,
    },
}

/// Refuses a LEB128 number beyond what its field takes.
#[inline]
pub(crate) const fn check_leb128(field: Field, value: u64, max: u64) -> Result<(), Error> {
    if value > max { Err(Error::Leb128 { field, value, max }) } else { Ok(()) }
}
