//! Segments and their program headers.

/// One program header, which describes a segment. `p_align` is always 8, and `p_paddr` equals
/// `p_vaddr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The type of the segment, `p_type`: `PT_PHDR` (6) or `PT_LOAD` (1).
    pub p_type: u32,
    /// The access flags of the segment, `p_flags`: `PF_R` 4, `PF_W` 2, `PF_X` 1.
    pub flags: u32,
    /// The file offset of the segment, `p_offset`.
    pub offset: u64,
    /// The address of the segment, `p_vaddr`: that of its first section, 0 in cubins.
    pub address: u64,
    /// The size of the segment in the file, `p_filesz`.
    pub file_size: u64,
    /// The size of the segment in memory, `p_memsz`. It includes sections without file bytes.
    pub memory_size: u64,
}
