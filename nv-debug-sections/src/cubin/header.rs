//! The fields of the ELF file header.

use super::SectionIndex;
use super::{ELFOSABI_CUDA_V2, ET_EWP};
use object::elf;

/// The fields of the ELF file header that do not follow from the sections and segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The file type, `e_type`: `ET_EXEC` (2), `ET_REL` (1, `ptxas -c`) or [`ET_EWP`].
    pub e_type: u16,
    /// The OS ABI, `EI_OSABI`: [`ELFOSABI_CUDA_V2`], or 0x33 before CUDA 13.
    pub os_abi: u8,
    /// The ABI version, `EI_ABIVERSION`: 8, or 7 before CUDA 13.
    pub abi_version: u8,
    /// The file version, `e_version`: 1, or before CUDA 13 the toolkit version (129 for 12.9).
    pub e_version: u32,
    /// The entry point, `e_entry`: 0 in all files of NVIDIA's tools.
    pub e_entry: u64,
    /// The processor flags, `e_flags`, see [`Header::sm`]. Since CUDA 13 bits 24-31 hold the
    /// section index of `.note.nv.cuinfo`.
    pub e_flags: u32,
    /// `e_shstrndx`: the section that holds the section names.
    pub shstrndx: SectionIndex,
}

impl Header {
    /// Whether the file is relocatable output of `ptxas -c`, which has yet to be linked (`ET_REL`).
    pub fn is_relocatable(&self) -> bool {
        self.e_type == elf::ET_REL.0
    }

    /// The kind of file in words, by `e_type`: `relocatable`, `executable`, ...
    pub fn type_words(&self) -> &'static str {
        match self.e_type {
            e_type if e_type == elf::ET_REL.0 => "relocatable",
            e_type if e_type == elf::ET_EXEC.0 => "executable",
            ET_EWP => "extensible whole program",
            _ => "unknown type",
        }
    }

    /// The number of the SM that the code is for (75 for sm_75).
    ///
    /// `e_flags` bits 8-15 since CUDA 13 (`EI_OSABI` 0x41), bits 0-7 before. Observed: ptxas 12.9,
    /// 13.0 and 13.4.
    pub fn sm(&self) -> u32 {
        if self.os_abi == ELFOSABI_CUDA_V2 { self.e_flags >> 8 & 0xff } else { self.e_flags & 0xff }
    }
}
