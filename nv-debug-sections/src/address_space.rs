//! Fixed offsets in NVIDIA's address spaces that debug information refers to.

use crate::generation::Generation;
use crate::release::Target;

/// First SM whose kernel parameters begin at 0x160.
const VOLTA: u32 = 70;

/// Returns the byte offset of a kernel's first parameter in constant bank 0.
///
/// sm_75 and later observed: ptxas 13.0.88
/// (docs/formats/relocations.md, what a name in PTX becomes); earlier ones: `EIATTR_PARAM_CBANK` of
/// cubins of older toolkits.
pub fn parameter_base(target: Target) -> u64 {
    match target.generation() {
        Generation::Mercury => 0x380,
        Generation::HiddenMercury => 0x210,
        Generation::PreMercury if target.sm >= VOLTA => 0x160,
        Generation::PreMercury => 0x140,
    }
}

/// Returns how many bytes at the start of the shared window the system keeps. The first shared
/// variable has this offset.
///
/// Observed: ptxas 13.0.88, 0 on sm_75-sm_89, 0x400 on sm_90 and later
/// (docs/formats/relocations.md, what a name in PTX becomes).
pub fn shared_window_reserve(target: Target) -> u64 {
    if target.generation() >= Generation::HiddenMercury { 0x400 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;

    // docs/formats/relocations.md, what a name in PTX becomes: the rows of `.param` and `.shared`;
    // `tests/address_space.rs` asks cubins.
    #[test]
    fn windows_start_where_formats_says() {
        for (sms, parameters, reserve) in [
            (&[75, 80, 86, 87, 88, 89][..], 0x160, 0),
            (&[90], 0x210, 0x400),
            (&[100, 103, 110, 120, 121], 0x380, 0x400),
        ] {
            for &sm in sms {
                let target = Release::V13_0.target(sm);
                let found = (parameter_base(target), shared_window_reserve(target));
                assert_eq!(found, (parameters, reserve), "sm_{sm}");
            }
        }
    }

    // SASS listings of the older toolkits: the first parameter is `c[0x0][0x140]` on Maxwell and
    // Pascal, `c[0x0][0x160]` on Volta.
    #[test]
    fn older_sms_start_lower() {
        let bases = [50, 52, 53, 60, 61, 62, 70, 72].map(|sm| parameter_base(Release::V13_0.target(sm)));
        assert_eq!(bases, [0x140, 0x140, 0x140, 0x140, 0x140, 0x140, 0x160, 0x160]);
    }
}
