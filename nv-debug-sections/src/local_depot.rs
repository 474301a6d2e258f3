//! Locations of local variables: PTX has `DW_OP_addr DEPOT`, a cubin `DW_OP_fbreg`
//! (docs/formats/entries.md, local variables).
//!
//! Observed: ptxas 13.0.88, sm_75-sm_121.

use dwarf2_writer::constants::{DW_OP_addr, DW_OP_fbreg, DW_OP_nop};

/// Replaces an address of the local depot (`__local_depot`, the stack frame of PTX) in a location
/// expression: `DW_OP_addr`, whose 8-byte operand is at byte `operand` of `section`, becomes
/// `DW_OP_fbreg` with the offset from the frame base, padded with `DW_OP_nop`. The depot begins
/// `below_base` bytes below the frame base, which is the end of the frame; [`crate::stack_frame`]
/// gives that distance.
///
/// `false`, and nothing changed, if no `DW_OP_addr` stands before 8 bytes there, or if the offset
/// needs more than 8 bytes.
#[must_use]
pub fn depot_to_fbreg(section: &mut [u8], operand: usize, below_base: u64) -> bool {
    let Ok(below_base) = i64::try_from(below_base) else { return false };
    let offset = leb128_nv::sleb128(-below_base);
    let operation = operand.checked_sub(1).and_then(|start| section.get_mut(start..)?.first_chunk_mut::<9>());
    let Some([operator, field @ ..]) = operation else { return false };
    if *operator != DW_OP_addr || offset.as_slice().len() > field.len() {
        return false;
    }
    *operator = DW_OP_fbreg;
    field.fill(DW_OP_nop);
    field.iter_mut().zip(offset.as_slice()).for_each(|(to, from)| *to = *from);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    // From a cubin of ptxas 13.0.88 (sm_80, frame of 16 bytes): `03 <depot>` became `91 70 96 ..`.
    #[test]
    fn a_depot_becomes_an_offset_from_the_frame_base() {
        let mut section = [0xaa, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0x23, 4];
        assert!(depot_to_fbreg(&mut section, 2, 16));
        assert_eq!(section, [0xaa, 0x91, 0x70, 0x96, 0x96, 0x96, 0x96, 0x96, 0x96, 0x96, 0x23, 4]);
    }

    #[test]
    fn other_places_and_huge_frames_are_left_alone() {
        let original = [0x04, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut section = original;
        assert!(
            !depot_to_fbreg(&mut section, 1, 16)
                && !depot_to_fbreg(&mut section, 0, 16)
                && !depot_to_fbreg(&mut section, 5, 16)
        );
        assert_eq!(section, original);
        let mut section = [0x03, 0, 0, 0, 0, 0, 0, 0, 0];
        assert!(!depot_to_fbreg(&mut section, 1, 1 << 56) && !depot_to_fbreg(&mut section, 1, u64::MAX));
        assert!(depot_to_fbreg(&mut section, 1, 1 << 55));
    }
}
