//! NVIDIA's values for fields of an ELF file.

/// Numbers of those section types (`sh_type`) of NVIDIA that the rules for cubins need. Observed:
/// ptxas 13.0.88.
pub mod sht {
    /// Section type of `.nv.info` and `.nv.info.F`: attribute records.
    pub const CUDA_INFO: u32 = 0x7000_0000;
    /// Section type of `.nv.callgraph`: pairs of symbol indices.
    pub const CUDA_CALLGRAPH: u32 = 0x7000_0001;
    /// Section type of `.nv.global` in a relocatable object: takes no file bytes.
    pub const CUDA_GLOBAL: u32 = 0x7000_0007;
    /// Section type of `.nv.global.init` in relocatable objects, and of its Mercury clone.
    pub const CUDA_GLOBAL_INIT: u32 = 0x7000_0008;
    /// Section type of `.nv.shared.F` in a relocatable object: takes no file bytes.
    pub const CUDA_SHARED: u32 = 0x7000_000a;
    /// Section type of `.nv.shared.reserved.0` in a relocatable object, where it takes no file
    /// bytes, and of its Mercury clone.
    pub const CUDA_SHARED_RESERVED: u32 = 0x7000_0015;
    /// Section type of `.nv.capmerc.text.F`: the Mercury form of a function.
    pub const MERC_CODE: u32 = 0x7000_0016;
    /// Section type of `.nv.merc.nv.constant.entry_image_header_indices.F`. The Mercury clone of
    /// `.nv.constant0.F` has this name and type in kernels with `.texref` variables.
    pub const MERC_CONSTANT_IMAGE_HEADERS: u32 = 0x7000_0079;
    /// Section type of `.nv.merc.nv.constant.user`, the clone of `.nv.constant3`.
    pub const MERC_CONSTANT_USER: u32 = 0x7000_007c;
    /// Section type of `.nv.merc.nv.constant.pic`, the clone of `.nv.constant4`.
    pub const MERC_CONSTANT_PIC: u32 = 0x7000_007d;
    /// Section type of `.nv.merc.rela.X`: relocations with addend, 24 bytes each.
    pub const MERC_RELA: u32 = 0x7000_0082;
    /// Section type of `.nv.merc.nv.info` and `.nv.merc.nv.info.F`, the clones of `.nv.info`.
    pub const MERC_INFO: u32 = 0x7000_0083;
    /// Section type of `.nv.merc.nv.constant.optimizer.F`, the clone of `.nv.constant2.F`.
    pub const MERC_CONSTANT_OPTIMIZER: u32 = 0x7000_0084;
    /// Section type of `.nv.merc.symtab`: symbols, 24 bytes each.
    pub const MERC_SYMTAB: u32 = 0x7000_0085;
    /// Section type of `.nv.merc.nv.callgraph`. Observed: ptxas 13.4.
    pub const MERC_CALLGRAPH: u32 = 0x7000_008a;
}

/// The bit of `sh_flags` that every Mercury section has (`.nv.merc.*`, `.nv.capmerc.*`). Observed:
/// ptxas 13.0.88, sm_100 and later.
pub const SHF_MERCURY: u64 = 0x1000_0000;

/// The value of `e_type` in `ptxas -ewp` output, an extensible whole program. Observed: ptxas
/// 13.0.88.
pub const ET_EWP: u16 = 0xff00;

/// The value of `EI_OSABI` since CUDA 13 (with `EI_ABIVERSION` 8). Earlier toolkits write 0x33 and
/// 7.
pub const ELFOSABI_CUDA_V2: u8 = 0x41;
