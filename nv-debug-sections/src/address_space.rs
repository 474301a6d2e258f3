//! Fixed offsets in NVIDIA's address spaces that debug information refers to.

mod parameter_base;
mod shared_window_reserve;

pub use parameter_base::parameter_base;
pub use shared_window_reserve::shared_window_reserve;

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
