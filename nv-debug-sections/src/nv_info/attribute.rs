//! `EIATTR_*`: the attributes of `.nv.info` records, by number and by name.

use std::fmt;

/// The attribute of an `.nv.info` record, which is the number in the record's second byte.
///
/// Names as cuobjdump 13.2.86 prints them. Observed: a real cubin with the number of one of its
/// records replaced by each of 0x00-0xff in turn; the numbers left out here are "unknown Attribute"
/// to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute(pub u8);

macro_rules! attributes {
    ($($number:literal $name:ident),* $(,)?) => {
        impl Attribute {
            $(
                #[doc = concat!("The attribute that cuobjdump calls `EIATTR_", stringify!($name), "`. NVIDIA documents the names only.")]
                pub const $name: Self = Self($number);
            )*

            /// All attributes that have a name, by ascending number.
            pub const NAMED: &'static [(Self, &'static str)] =
                &[$((Self::$name, concat!("EIATTR_", stringify!($name)))),*];
        }
    };
}

attributes! {
    0x00 ERROR,
    0x01 PAD,
    0x02 IMAGE_SLOT,
    0x03 JUMPTABLE_RELOCS,
    0x04 CTAIDZ_USED,
    0x05 MAX_THREADS,
    0x06 IMAGE_OFFSET,
    0x07 IMAGE_SIZE,
    0x08 TEXTURE_NORMALIZED,
    0x09 SAMPLER_INIT,
    0x0a PARAM_CBANK,
    0x0b SMEM_PARAM_OFFSETS,
    0x0c CBANK_PARAM_OFFSETS,
    0x0d SYNC_STACK,
    0x0e TEXID_SAMPID_MAP,
    0x0f EXTERNS,
    0x10 REQNTID,
    0x11 FRAME_SIZE,
    0x12 MIN_STACK_SIZE,
    0x13 SAMPLER_FORCE_UNNORMALIZED,
    0x14 BINDLESS_IMAGE_OFFSETS,
    0x15 BINDLESS_TEXTURE_BANK,
    0x16 BINDLESS_SURFACE_BANK,
    0x17 KPARAM_INFO,
    0x18 SMEM_PARAM_SIZE,
    0x19 CBANK_PARAM_SIZE,
    0x1a QUERY_NUMATTRIB,
    0x1b MAXREG_COUNT,
    0x1c EXIT_INSTR_OFFSETS,
    0x1d S2RCTAID_INSTR_OFFSETS,
    0x1e CRS_STACK_SIZE,
    0x1f NEED_CNP_WRAPPER,
    0x20 NEED_CNP_PATCH,
    0x21 EXPLICIT_CACHING,
    0x22 ISTYPEP_USED,
    0x23 MAX_STACK_SIZE,
    0x24 SUQ_USED,
    0x25 LD_CACHEMOD_INSTR_OFFSETS,
    0x26 LOAD_CACHE_REQUEST,
    0x27 ATOM_SYS_INSTR_OFFSETS,
    0x28 COOP_GROUP_INSTR_OFFSETS,
    0x29 COOP_GROUP_MASK_REGIDS,
    0x2a SW1850030_WAR,
    0x2b WMMA_USED,
    0x2c HAS_PRE_V10_OBJECT,
    0x2d ATOMF16_EMUL_INSTR_OFFSETS,
    0x2e ATOM16_EMUL_INSTR_REG_MAP,
    0x2f REGCOUNT,
    0x30 SW2393858_WAR,
    0x31 INT_WARP_WIDE_INSTR_OFFSETS,
    0x32 SHARED_SCRATCH,
    0x33 STATISTICS,
    0x34 INDIRECT_BRANCH_TARGETS,
    0x35 SW2861232_WAR,
    0x36 SW_WAR,
    0x37 CUDA_API_VERSION,
    0x38 NUM_MBARRIERS,
    0x39 MBARRIER_INSTR_OFFSETS,
    0x3a COROUTINE_RESUME_ID_OFFSETS,
    0x3b SAM_REGION_STACK_SIZE,
    0x3c PER_REG_TARGET_PERF_STATS,
    0x3d CTA_PER_CLUSTER,
    0x3e EXPLICIT_CLUSTER,
    0x3f MAX_CLUSTER_RANK,
    0x40 INSTR_REG_MAP,
    0x41 RESERVED_SMEM_USED,
    0x42 RESERVED_SMEM_0_SIZE,
    0x43 UCODE_SECTION_DATA,
    0x44 UNUSED_LOAD_BYTE_OFFSET,
    0x45 KPARAM_INFO_V2,
    0x46 SYSCALL_OFFSETS,
    0x47 SW_WAR_MEMBAR_SYS_INSTR_OFFSETS,
    0x48 GRAPHICS_GLOBAL_CBANK,
    0x49 SHADER_TYPE,
    0x4a VRC_CTA_INIT_COUNT,
    0x4b TOOLS_PATCH_FUNC,
    0x4c NUM_BARRIERS,
    0x4d TEXMODE_INDEPENDENT,
    0x4e PERF_STATISTICS,
    0x4f AT_ENTRY_FRAGMENTS,
    0x50 SPARSE_MMA_MASK,
    0x51 TCGEN05_1CTA_USED,
    0x52 TCGEN05_2CTA_USED,
    0x53 GEN_ERRBAR_AT_EXIT,
    0x54 REG_RECONFIG,
    0x55 ANNOTATIONS,
    0x57 STACK_CANARY_TRAP_OFFSETS,
    0x58 STUB_FUNCTION_KIND,
    0x59 LOCAL_CTA_ASYNC_STORE_OFFSETS,
    0x5a MERCURY_FINALIZER_OPTIONS,
    0x5b BLOCKS_ARE_CLUSTERS,
    0x5c SANITIZE,
    0x5d SYSCALLS_FALLBACK,
    0x5e CUDA_REQ,
    0x5f MERCURY_ISA_VERSION,
    0x61 RTCORE_ENTRY,
    0x62 CLUSTER_LAUNCH_CONTROL_USED,
    0x64 MIN_PER_CTA_MEMORY_SIZE,
    0x65 IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS,
    0x66 LANGUAGE,
    0x6b NVSAL_SW_WAR,
}

impl Attribute {
    /// NVIDIA's name of the attribute, such as `EIATTR_REGCOUNT`; `None` for a number without one.
    pub fn name(self) -> Option<&'static str> {
        let place = Self::NAMED.binary_search_by_key(&self, |(attribute, _)| *attribute).ok()?;
        Self::NAMED.get(place).map(|(_, name)| *name)
    }
}

impl fmt::Display for Attribute {
    /// The name, or `EIATTR_0x6d`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "EIATTR_{:#04x}", self.0),
        }
    }
}

impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_finds_its_name() {
        assert!(Attribute::NAMED.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(Attribute::NAMED.len(), 101);
        for (attribute, name) in Attribute::NAMED {
            assert_eq!(attribute.name(), Some(*name));
        }
        assert_eq!(Attribute::REGCOUNT.to_string(), "EIATTR_REGCOUNT");
        assert_eq!(Attribute(0x6d).to_string(), "EIATTR_0x6d");
    }
}
