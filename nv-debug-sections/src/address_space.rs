//! Fixed places of NVIDIA's address spaces that debug information refers to.

use crate::generation::Generation;

/// First byte of kernel parameters in constant bank 0, by the first SM it holds for.
///
/// sm_75 and later observed: ptxas 13.0.88 (FORMATS 4); earlier ones: `EIATTR_PARAM_CBANK` of cubins of older toolkits.
const PARAMETER_BASES: [(u32, u64); 4] = [
    (50, 0x140),
    (70, 0x160),
    (Generation::FIRST_TRANSCODED_SM, 0x210),
    (Generation::FIRST_MERCURY_SM, 0x380),
];

/// Byte offset in constant bank 0 of a kernel's first parameter.
pub fn parameter_base(sm: u32) -> u64 {
    let known = PARAMETER_BASES.iter().rev().find(|(first, _)| sm >= *first);
    known.map_or(PARAMETER_BASES[0].1, |(_, base)| *base)
}

/// Bytes at the start of the shared window that the system keeps: the offset of the first shared variable.
///
/// Observed: ptxas 13.0.88, 0 on sm_75-sm_89, 0x400 on sm_90 and later (FORMATS 4).
pub fn shared_window_reserve(sm: u32) -> u64 {
    if Generation::of(sm) >= Generation::Transcoded { 0x400 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // FORMATS 4, the rows of `.param` and `.shared`; `tests/address_space.rs` asks cubins.
    #[test]
    fn windows_start_where_formats_says() {
        for (sms, parameters, reserve) in [
            (&[75, 80, 86, 87, 88, 89][..], 0x160, 0),
            (&[90], 0x210, 0x400),
            (&[100, 103, 110, 120, 121], 0x380, 0x400),
        ] {
            for &sm in sms {
                assert_eq!((parameter_base(sm), shared_window_reserve(sm)), (parameters, reserve), "sm_{sm}");
            }
        }
    }

    // SASS listings of the older toolkits: the first parameter is `c[0x0][0x140]` on Maxwell and Pascal, `c[0x0][0x160]` on Volta.
    #[test]
    fn older_sms_start_lower() {
        let bases = [50, 52, 53, 60, 61, 62, 70, 72].map(parameter_base);
        assert_eq!(bases, [0x140, 0x140, 0x140, 0x140, 0x140, 0x140, 0x160, 0x160]);
    }
}
