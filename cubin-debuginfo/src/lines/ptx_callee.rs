//! The name of an inlined function in a PTX.

/// The name of an inlined function in a PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxCallee<'p> {
    /// The (mangled) name; `None` where `.debug_str` of the PTX has no string at the offset.
    pub name: Option<&'p [u8]>,
    /// Byte offset of the name in `.debug_str` of the PTX.
    pub offset: u64,
}
