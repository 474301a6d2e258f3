//! The operand of `DW_OP_regx`: as gimli reads the number, and back.

use crate::support::uleb;
use nv_debug_sections::register::{DwarfRegister, pack_name};

/// Reads the number at the front of `data` as a register.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
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
