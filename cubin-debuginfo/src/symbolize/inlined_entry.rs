//! An inlined call in `.debug_info`.

/// An inlined call in `.debug_info` (`DW_TAG_inlined_subroutine`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlinedEntry<'s> {
    /// The (mangled) name of the function that is called; `None` where its entry has none.
    pub name: Option<&'s [u8]>,
    /// Byte offset of the call's entry in `.debug_info`.
    pub offset: u64,
}
