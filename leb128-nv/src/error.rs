//! Why a LEB128 value could not be read or written.

/// Why a LEB128 value could not be read or written. It does not say where: only the caller knows
/// the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Error {
    /// The bytes end before the byte that has its high bit clear.
    Truncated,
    /// The value needs more bits than the type asked for, or its encoding more bytes than
    /// [`MAX_LEN`](crate::MAX_LEN) or the buffer has.
    Overflow,
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Truncated => "LEB128 value is cut short",
            Self::Overflow => "LEB128 value does not fit",
        })
    }
}

impl core::error::Error for Error {}
