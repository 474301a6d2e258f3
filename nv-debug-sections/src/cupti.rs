//! The number by which CUPTI names a cubin (`docs/formats/cupti-crc.md`).

/// Offset basis and prime of FNV-1a with 32 bits.
const BASIS: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// Returns the `cubinCrc` of CUPTI's samples, as `cuptiGetCubinCrc` computes it for the same bytes.
///
/// It is not a checksum of the file. It depends on the size and on 2 * ceil(log2 size) bytes at
/// even distances, which are 34 of a cubin of 100 kB. So cubins that differ elsewhere share a
/// number. Empty bytes, which CUPTI refuses, have one as well.
///
/// Observed: CUPTI 11.8.87, 12.0.146, 12.9.79 and 13.0.85.
///
/// ```
/// assert_eq!(nv_debug_sections::cupti::cubin_crc(b"cubin"), 0x3f13_befa);
/// ```
pub fn cubin_crc(cubin: &[u8]) -> u32 {
    let size = cubin.len() as u64;
    let samples = 2 * u64::from(u64::BITS - size.saturating_sub(1).leading_zeros());
    let offset = |index: u64| (u128::from(index) * u128::from(size) / u128::from(samples)) as usize;
    let sampled = (0..samples).filter_map(|index| cubin.get(offset(index)));
    let bytes = size.to_le_bytes();
    bytes.iter().chain(sampled).fold(BASIS, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that are all different nearby.
    fn bytes(size: usize) -> Vec<u8> {
        (0..size).map(|index| (index * 7 + index / 256) as u8).collect()
    }

    /// As libcupti 13.0.85 answers, which `nvdwarf/tests/cupti.rs` asks again where it is
    /// installed.
    #[test]
    fn numbers_are_those_of_cupti() {
        for (size, number) in [
            (1, 0x3e80_1244),
            (2, 0xee5b_1cc6),
            (3, 0x01bc_7e97),
            (7, 0x3720_7727),
            (19, 0xec27_f10f),
            (64, 0x291e_2251),
            (100, 0xa124_bdd9),
            (4095, 0x9d06_b296),
            (4096, 0xb317_94f5),
            (4097, 0x9182_aa64),
            (70001, 0x9a85_6e74),
        ] {
            assert_eq!(cubin_crc(&bytes(size)), number, "{size} bytes");
        }
    }

    #[test]
    fn bytes_between_the_samples_do_not_count() {
        let mut cubin = bytes(1000);
        let number = cubin_crc(&cubin);
        let mut counts = |index: usize| {
            cubin[index] ^= 1;
            let changed = cubin_crc(&cubin) != number;
            cubin[index] ^= 1;
            changed
        };
        let counted: Vec<usize> = (0..1000).filter(|&index| counts(index)).collect();
        assert_eq!(counted, (0..20).map(|sample| sample * 50).collect::<Vec<_>>());
    }
}
