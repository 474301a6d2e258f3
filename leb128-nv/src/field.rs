//! Named fields of line tables, so that the error for a number that is too large names its field.

use crate::{Leb128, sleb128, uleb128};

/// The name of a field that holds a LEB128 number. The error for a number that does not fit
/// contains it.
///
/// The constants are ptxas' own (13.0.88 holds the sentences "when generating LEB128 number for
/// file number" and so on); callers add theirs with [`Field::new`].
///
/// ```
/// use leb128_nv::Field;
/// // ptxas keeps file numbers in 16 bits.
/// let number = Field::FILE_NUMBER.uleb128::<u16>(3)?;
/// assert_eq!(number.as_slice(), [3]);
/// let error = Field::FILE_NUMBER.uleb128::<u16>(0x1_0000).unwrap_err();
/// assert_eq!(error.to_string(), "overflow when generating LEB128 number for file number");
/// # Ok::<(), leb128_nv::FieldOverflow>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field(&'static str);

impl Field {
    /// The operand of `DW_LNS_set_file`.
    pub const FILE_NUMBER: Self = Self("file number");
    /// The operand of NVIDIA's extended opcode 0x92, which says whether the rows after it open a
    /// function.
    pub const PROLOGUE_END: Self = Self("setting prologue");
    /// The operand of `DW_LNS_advance_pc`.
    pub const ADDRESS_ADVANCE: Self = Self("address advance");
    /// The operand of `DW_LNS_advance_line`.
    pub const LINE_ADVANCE: Self = Self("line advance");
    /// The first operand of NVIDIA's inlined call opcode: the number of the caller's row.
    pub const INLINED_CALLER_ROW: Self = Self("setting context");
    /// The second operand of NVIDIA's inlined call opcode: the offset in `.debug_str` of the
    /// inlined function's name.
    pub const INLINED_NAME_OFFSET: Self = Self("setting function Offset");
    /// The modification time of a file in a file table, in seconds since 1970.
    pub const TIMESTAMP: Self = Self("timestamp");
    /// The size of a file in a file table, in bytes.
    pub const FILE_SIZE: Self = Self("file size");

    /// All fields that this type has a constant for.
    pub const KNOWN: [Self; 8] = [
        Self::FILE_NUMBER,
        Self::PROLOGUE_END,
        Self::ADDRESS_ADVANCE,
        Self::LINE_ADVANCE,
        Self::INLINED_CALLER_ROW,
        Self::INLINED_NAME_OFFSET,
        Self::TIMESTAMP,
        Self::FILE_SIZE,
    ];

    /// Creates the name of a LEB128 operand, such as "file number". The error for a number that
    /// does not fit ends in this name.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The text after "when generating LEB128 number for" in the field's error.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Encodes `value` as ULEB128 if it fits in `T` (`u8` to `u64`), the width of the field.
    ///
    /// # Errors
    ///
    /// [`FieldOverflow`] if it does not fit, or is negative.
    #[inline]
    pub fn uleb128<T: Into<u64>>(self, value: impl TryInto<T>) -> Result<Leb128, FieldOverflow> {
        value.try_into().map(|value| uleb128(value.into())).map_err(|_| self.overflow())
    }

    /// Encodes `value` as SLEB128 if it fits in `T` (`i8` to `i64`, `u8` to `u32`), the width of
    /// the field.
    ///
    /// # Errors
    ///
    /// [`FieldOverflow`] if it does not fit.
    ///
    /// ```
    /// use leb128_nv::Field;
    /// assert_eq!(Field::LINE_ADVANCE.sleb128::<i32>(-2_i64)?.as_slice(), [0x7e]);
    /// assert!(Field::LINE_ADVANCE.sleb128::<i32>(1_i64 << 31).is_err());
    /// # Ok::<(), leb128_nv::FieldOverflow>(())
    /// ```
    #[inline]
    pub fn sleb128<T: Into<i64>>(self, value: impl TryInto<T>) -> Result<Leb128, FieldOverflow> {
        value.try_into().map(|value| sleb128(value.into())).map_err(|_| self.overflow())
    }

    /// Copies an encoded number to the start of `out`, as [`Leb128::write`] does. The error for a
    /// buffer that is too short names this field.
    ///
    /// # Errors
    ///
    /// [`FieldOverflow`] if `out` is too short; it is left as it was.
    #[inline]
    pub fn write(self, value: Leb128, out: &mut [u8]) -> Result<usize, FieldOverflow> {
        value.write(out).map_err(|_| self.overflow())
    }

    /// Returns the error for a number that does not fit in this field.
    pub const fn overflow(self) -> FieldOverflow {
        FieldOverflow { field: self }
    }
}

/// The error for a number that does not fit in its field, or whose encoding does not fit in the
/// buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FieldOverflow {
    /// The field that the number does not fit.
    pub field: Field,
}

impl core::fmt::Display for FieldOverflow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "overflow when generating LEB128 number for {}", self.field.0)
    }
}

impl core::error::Error for FieldOverflow {}
