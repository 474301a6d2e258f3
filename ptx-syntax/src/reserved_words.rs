//! Words with a dot that ptxas reserves.

/// Whether a word with a dot can be no section's name: it is a word of the language, or no letter
/// follows the dot.
///
/// Observed: ptxas 13.0.88. Every word of up to five small letters, and those of the PTX ISA, of
/// dictionaries and of much source text, was tried as the name of a section and as a reference to
/// one; the two have the same words. `.version`, `.sreg` and `.v8` are free.
pub(crate) fn is_reserved(word: &str) -> bool {
    let has_letter = word.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    !has_letter || RESERVED.binary_search(&word).is_ok() || is_wgmma_shape(word)
}

/// `.m64nNkK` of `wgmma`.
fn is_wgmma_shape(word: &str) -> bool {
    let Some((n, k)) = word.strip_prefix(".m64n").and_then(|rest| rest.split_once('k')) else { return false };
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|_| !digits.starts_with(['0', '+']));
    match (number(n), number(k)) {
        (Some(n), Some(k)) if n % 8 == 0 && n <= 256 => match k {
            8 | 16 | 32 | 64 => true,
            256 => n % 16 == 0 || n == 8 || n == 24,
            _ => false,
        },
        _ => false,
    }
}

/// All others, sorted by their bytes.
#[rustfmt::skip] // as many in a line as fit
static RESERVED: &[&str] = &[
    ".IF", ".L1", ".L1::evict_first", ".L1::evict_last", ".L1::evict_normal",
    ".L1::evict_unchanged", ".L1::no_allocate", ".L2", ".L2::128B", ".L2::256B", ".L2::64B",
    ".L2::cache_hint", ".L2::evict_first", ".L2::evict_last", ".L2::evict_normal",
    ".L2::evict_unchanged", ".L2::no_allocate", ".MACRO", ".NaN", ".a1d", ".a2d", ".a2dms",
    ".abi_preserve", ".abi_preserve_control", ".abs", ".acc::f16", ".acc::f32", ".acq_rel",
    ".acquire", ".acube", ".add", ".addr_mode_0", ".addr_mode_1", ".addr_mode_2", ".address_size",
    ".alias", ".align", ".aligned", ".all", ".and", ".any", ".approx", ".array_size",
    ".async::generic", ".attribute", ".b1024", ".b128", ".b16", ".b32", ".b4e", ".b64", ".b8",
    ".ballot", ".bf16", ".bf16x2", ".bfly", ".block16", ".block32", ".blocksareclusters",
    ".box_dim", ".branchtargets", ".bulk_group", ".byte", ".ca", ".callprototype", ".calltargets",
    ".cas", ".cc", ".cg", ".channel_data_type", ".channel_order", ".clamp", ".close", ".cluster",
    ".coarse", ".col", ".common", ".const", ".conv", ".cs", ".cta", ".cube", ".cv", ".dec",
    ".depth", ".dis", ".div", ".down", ".dual", ".e2m1x2", ".e2m1x4", ".e2m3x2", ".e2m3x4",
    ".e3m2x2", ".e3m2x4", ".e4m3", ".e4m3x2", ".e4m3x4", ".e5m2", ".e5m2x2", ".e5m2x4", ".ecl",
    ".ecr", ".element_stride", ".elemtype", ".en", ".entry", ".eq", ".equ", ".exch", ".exclusive",
    ".expand", ".explicitcluster", ".extern", ".f16", ".f16x2", ".f32", ".f32x2", ".f4e", ".f64",
    ".file", ".fill_mode", ".filter_mode", ".finite", ".footprint", ".force_unnormalized_coords",
    ".ftz", ".func", ".ge", ".geu", ".gl", ".global", ".global_address", ".global_dim",
    ".global_stride", ".gpu", ".gt", ".gtu", ".height", ".hi", ".hidden", ".hs", ".idx", ".inc",
    ".infinite", ".interleave_layout", ".inv", ".le", ".leu", ".lo", ".loc", ".local",
    ".local_maxnreg", ".ls", ".lt", ".ltu", ".lu", ".m16n16", ".m16n16k16", ".m16n16k8", ".m16n8",
    ".m16n8k128", ".m16n8k16", ".m16n8k256", ".m16n8k32", ".m16n8k4", ".m16n8k64", ".m16n8k8",
    ".m32n8k16", ".m8n16", ".m8n32", ".m8n32k16", ".m8n64", ".m8n8", ".m8n8k128", ".m8n8k16",
    ".m8n8k32", ".m8n8k4", ".m8n8k64", ".managed", ".max", ".maxabs", ".maxclusterrank",
    ".maxnctapersm", ".maxnreg", ".maxntid", ".mbarrier", ".mbarrier::arrive::one",
    ".mbarrier::complete_tx::bytes", ".mbarrier_init", ".memory_layout", ".metadata",
    ".metadata_index", ".metadata_section", ".min", ".minnctapersm", ".mmio", ".multicast::cluster",
    ".multicast::cluster::all", ".nan", ".nc", ".ne", ".negA", ".negB", ".neu", ".noComplete",
    ".noftz", ".noinc", ".noreturn", ".normal", ".normalized_coords", ".notanumber", ".num",
    ".num_mipmap_levels", ".num_samples", ".number", ".or", ".pair", ".param", ".param::entry",
    ".param::func", ".po", ".popc", ".pragma", ".pred", ".proto", ".ptr", ".quad", ".rand", ".rank",
    ".rc16", ".rc8", ".reg", ".relaxed", ".release", ".relu", ".reqnctapercluster", ".reqntid",
    ".reserved", ".rm", ".rmi", ".rn", ".rna", ".rni", ".row", ".rp", ".rpi", ".rs", ".rz", ".rzi",
    ".s16", ".s16x2", ".s2", ".s32", ".s4", ".s64", ".s8", ".samplerref", ".sat", ".satfinite",
    ".sc", ".scratch", ".section", ".seq", ".shared", ".shared::cluster", ".shared::cta",
    ".shiftamt", ".shr15", ".shr7", ".sp", ".sp::ordered_metadata", ".subnormal", ".surfref",
    ".swizzle_atomicity", ".swizzle_mode", ".sync", ".sync_restrict::shared::cluster",
    ".sync_restrict::shared::cta", ".sys", ".target", ".tensormap", ".tensormap::generic", ".tex",
    ".texref", ".thread", ".trans", ".transA", ".transB", ".trap", ".u16", ".u16x2", ".u2", ".u32",
    ".u4", ".u64", ".u8", ".ue8m0x2", ".ue8m0x4", ".unanimous", ".uni", ".unified", ".unique",
    ".up", ".v2", ".v4", ".visible", ".volatile", ".wb", ".weak", ".width", ".wrap", ".wt", ".x1",
    ".x128", ".x16", ".x2", ".x32", ".x4", ".x64", ".x8", ".xor", ".zero",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn words_of_the_language_are_reserved() {
        for word in [".weak", ".rn", ".shared::cta", ".byte", ".4byte", "._x", ".m64n24k256", ".m8n8k4"] {
            assert!(is_reserved(word), "{word}");
        }
        for word in [".debug_info", ".version", ".sreg", ".v8", ".weak::x", ".m64n40k256", ".m64n08k8", ".RN"]
        {
            assert!(!is_reserved(word), "{word}");
        }
    }
}
