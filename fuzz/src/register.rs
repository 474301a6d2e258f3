//! Fuzz target: the operand of `DW_OP_regx`. The number is the one that gimli reads, and comes
//! back.
//!
//! Names of registers pack to it.

use crate::Target;
use crate::support::uleb;
use nv_debug_sections::register::{DwarfRegister, pack_name};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(100_000, 12);
    let operands = [&[5][..], b"\xa5\x8c\x95\xb1\x03", b"\xb1\xe4\xc9\xa9\x07"].map(<[u8]>::to_vec);
    target.run_on_damaged(10_000, &operands);
}

/// Reads the number at the front of `data` as a register.
pub(crate) fn run(data: &[u8]) {
    let (operand, number) = uleb(data);
    let register = DwarfRegister::from_uleb(operand);
    if let Some(number) = number {
        assert_eq!(register, DwarfRegister::from_number(number));
        assert_eq!(register.number().expect("at most 64 bits"), number);
    }
    if let (DwarfRegister::Ptx(name), Ok(number)) = (&register, register.number()) {
        assert_eq!(pack_name(name).expect("packed before"), number);
    }
}
