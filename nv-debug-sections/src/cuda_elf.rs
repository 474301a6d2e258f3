//! NVIDIA's values for fields of an ELF file.

/// `sh_type` values of NVIDIA's sections that the container's rules need. Observed: ptxas 13.0.88.
pub mod sht {
    /// `.nv.info`, `.nv.info.F`: attribute records.
    pub const CUDA_INFO: u32 = 0x7000_0000;
    /// `.nv.global` of a relocatable object: takes no file bytes.
    pub const CUDA_GLOBAL: u32 = 0x7000_0007;
    /// `.nv.global.init`, in relocatable objects and as Mercury clone.
    pub const CUDA_GLOBAL_INIT: u32 = 0x7000_0008;
    /// `.nv.shared.F` of a relocatable object: takes no file bytes.
    pub const CUDA_SHARED: u32 = 0x7000_000a;
    /// `.nv.shared.reserved.0` of a relocatable object, where it takes no file bytes, and its
    /// Mercury clone.
    pub const CUDA_SHARED_RESERVED: u32 = 0x7000_0015;
    /// `.nv.capmerc.text.F`: the Mercury form of a function.
    pub const MERC_CODE: u32 = 0x7000_0016;
    /// `.nv.merc.nv.constant.entry_image_header_indices.F`, the clone of `.nv.constant0.F` in
    /// kernels with `.texref` variables.
    pub const MERC_CONSTANT_IMAGE_HEADERS: u32 = 0x7000_0079;
    /// `.nv.merc.nv.constant.user`, the clone of `.nv.constant3`.
    pub const MERC_CONSTANT_USER: u32 = 0x7000_007c;
    /// `.nv.merc.nv.constant.pic`, the clone of `.nv.constant4`.
    pub const MERC_CONSTANT_PIC: u32 = 0x7000_007d;
    /// `.nv.merc.rela.X`: relocations with addend, 24 bytes each.
    pub const MERC_RELA: u32 = 0x7000_0082;
    /// `.nv.merc.nv.info`, `.nv.merc.nv.info.F`.
    pub const MERC_INFO: u32 = 0x7000_0083;
    /// `.nv.merc.nv.constant.optimizer.F`, the clone of `.nv.constant2.F`.
    pub const MERC_CONSTANT_OPTIMIZER: u32 = 0x7000_0084;
    /// `.nv.merc.symtab`: symbols, 24 bytes each.
    pub const MERC_SYMTAB: u32 = 0x7000_0085;
    /// `.nv.merc.nv.callgraph`. Observed: ptxas 13.4.
    pub const MERC_CALLGRAPH: u32 = 0x7000_008a;
}

/// `sh_flags` bit of every Mercury section (`.nv.merc.*`, `.nv.capmerc.*`). Observed: ptxas
/// 13.0.88, sm_100 and later.
pub const SHF_MERCURY: u64 = 0x1000_0000;

/// `e_type` of `ptxas -ewp` output, an extensible whole program. Observed: ptxas 13.0.88.
pub const ET_EWP: u16 = 0xff00;

/// `EI_OSABI` since CUDA 13 (with `EI_ABIVERSION` 8). Earlier toolkits write 0x33 and 7.
pub const ELFOSABI_CUDA_V2: u8 = 0x41;
