//! Evaluates location expressions: the forms that compilers write for GPUs, and anything else as
//! text.
#![allow(non_upper_case_globals, reason = "DWARF's own names, in patterns")]

use super::constant::Constant;
use super::frame_base::FrameOffset;
use super::registers::SassAllocation;
use super::unavailable::Unavailable;
use crate::entries::Address;
use crate::expression;
use dwarf2_reader::expression::{Operand, Operation};
use dwarf2_writer::constants::{
    DW_OP_addr, DW_OP_breg0, DW_OP_bregx, DW_OP_call_frame_cfa, DW_OP_const1s, DW_OP_const1u, DW_OP_const2s,
    DW_OP_const2u, DW_OP_const4s, DW_OP_const4u, DW_OP_const8s, DW_OP_const8u, DW_OP_consts, DW_OP_constu,
    DW_OP_fbreg, DW_OP_implicit_value, DW_OP_lit0, DW_OP_nop, DW_OP_plus_uconst, DW_OP_reg0, DW_OP_regx,
    DW_OP_stack_value,
};
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use nv_debug_sections::register::DwarfRegister;
use nv_debug_sections::relocated::RelocatedSection;

/// The location of a variable: the value of its location expression (DWARF: location description).
#[derive(Debug, Clone, PartialEq)]
pub enum VariableLocation {
    /// The variable is in registers.
    Register(SassAllocation),
    /// The variable is at an address in one of the GPU's memories.
    Memory(Memory),
    /// The variable is in the stack frame of its function, in the thread's local memory.
    Frame(FrameOffset),
    /// The variable is at the address that a register holds plus `offset`; with `value` this sum is
    /// itself the value of the variable.
    RegisterOffset {
        /// The register that holds the address or value.
        register: SassAllocation,
        /// The number of bytes that is added to the value of the register.
        offset: i64,
        /// `DW_OP_stack_value`: the sum is a value, not an address.
        value: bool,
    },
    /// The variable is in no register or memory, but its value is known. LLVM writes constants in
    /// DWARF 2 without the `DW_OP_stack_value` that DWARF 4 has for them.
    Constant(Constant),
    /// The location expression has another form. The value is its operations as text.
    Words(String),
    /// The variable has no location, for the reason in the value.
    Unavailable(Unavailable),
}

/// A location of a variable at an address in one of the GPU's memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The memory that has the variable: the one that its relocation or number tells, otherwise
    /// that of `DW_AT_address_class`; [`AddressClass::Global`] without one, as CUDA-GDB has it.
    pub space: AddressClass,
    /// Byte offset of the variable in `section`, or in the window of the memory if there is no
    /// section; for constants and parameters in the constant bank.
    pub offset: u64,
    /// The section that has the variable, as the relocation of its address says; `None` for a
    /// number, for an undefined symbol, and for a shared variable before linking.
    pub section: Option<SectionIndex>,
    /// The number of the constant bank, for constants and parameters; otherwise `None`.
    pub bank: Option<u32>,
    /// The symbol that the address belongs to, and the byte offset of the address from it.
    pub symbol: Option<(SymbolIndex, u64)>,
    /// Byte offset of a parameter among the kernel's parameters; `None` for other variables.
    pub parameter: Option<u64>,
}

/// The form of a location expression, before registers, sections and frames are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LocationForm {
    Empty,
    Register(DwarfRegister),
    Memory(Address, u64),
    Frame(i64),
    Based(DwarfRegister, i64, bool),
    Constant(i128),
    Bytes(Vec<u8>),
    CallFrame,
    Words(String),
}

/// Reads an expression, whose first byte is at `base` of `section`. `address` puts addresses into
/// words.
pub(super) fn form(
    bytes: &[u8],
    base: u64,
    section: Option<&RelocatedSection<'_>>,
    address: &dyn Fn(Address) -> String,
) -> LocationForm {
    let at = |field: u64, value: u64| match section {
        Some(section) => Address::at(section, base.saturating_add(field), value),
        None => Address::Constant(value),
    };
    let mut end = 0;
    let operations = expression::operations(bytes).inspect(|operation| end = operation.span.end);
    let simple = simple(operations.filter(|operation| operation.opcode != DW_OP_nop), &at);
    // The rest cannot be read.
    let simple = simple.filter(|_| end == bytes.len() as u64);
    simple.unwrap_or_else(|| {
        LocationForm::Words(expression::operations_text(bytes, base, &|field, value| {
            address(at(field.saturating_sub(base), value))
        }))
    })
}

const DW_OP_REG31: u8 = DW_OP_reg0 + 31;
const DW_OP_BREG31: u8 = DW_OP_breg0 + 31;
const DW_OP_LIT31: u8 = DW_OP_lit0 + 31;

/// One operation that makes a place, and what is added to the place after it.
fn simple<'d>(
    mut operations: impl Iterator<Item = Operation<'d>>,
    at: &dyn Fn(u64, u64) -> Address,
) -> Option<LocationForm> {
    use Operand::{Address as Target, Block, Register, Signed, Unsigned};
    let Some(first) = operations.next() else { return Some(LocationForm::Empty) };
    let (mut offset, mut none_added, mut value) = (0_u64, true, false);
    for operation in operations {
        match (operation.opcode, operation.operands) {
            // Nothing may follow it.
            _ if value => return None,
            (DW_OP_plus_uconst, [Some(Unsigned(number)), None]) => {
                (offset, none_added) = (offset.wrapping_add(number), false);
            }
            (DW_OP_stack_value, _) => value = true,
            _ => return None,
        }
    }
    Some(match (first.opcode, first.operands) {
        (DW_OP_regx, [Some(Register(number)), None]) if none_added && !value => {
            LocationForm::Register(DwarfRegister::from_uleb(number))
        }
        (number @ DW_OP_reg0..=DW_OP_REG31, [None, None]) if none_added && !value => {
            LocationForm::Register(DwarfRegister::from_number((number - DW_OP_reg0).into()))
        }
        (DW_OP_addr, [Some(Target(number)), None]) if !value => {
            LocationForm::Memory(at(expression::address_field(&first), number), offset)
        }
        (DW_OP_fbreg, [Some(Signed(number)), None]) if !value => {
            LocationForm::Frame(number.wrapping_add_unsigned(offset))
        }
        (DW_OP_bregx, [Some(Register(register)), Some(Signed(number))]) => {
            let register = DwarfRegister::from_uleb(register);
            LocationForm::Based(register, number.wrapping_add_unsigned(offset), value)
        }
        (breg @ DW_OP_breg0..=DW_OP_BREG31, [Some(Signed(number)), None]) => {
            let register = DwarfRegister::from_number((breg - DW_OP_breg0).into());
            LocationForm::Based(register, number.wrapping_add_unsigned(offset), value)
        }
        (literal @ DW_OP_lit0..=DW_OP_LIT31, [None, None]) if none_added => {
            LocationForm::Constant((literal - DW_OP_lit0).into())
        }
        (
            DW_OP_const1u | DW_OP_const2u | DW_OP_const4u | DW_OP_const8u | DW_OP_constu,
            [Some(Unsigned(number)), None],
        ) if none_added => LocationForm::Constant(number.into()),
        (
            DW_OP_const1s | DW_OP_const2s | DW_OP_const4s | DW_OP_const8s | DW_OP_consts,
            [Some(Signed(number)), None],
        ) if none_added => LocationForm::Constant(number.into()),
        (DW_OP_implicit_value, [Some(Block(bytes)), None]) if none_added => {
            LocationForm::Bytes(bytes.to_vec())
        }
        (DW_OP_call_frame_cfa, [None, None]) if none_added && !value => LocationForm::CallFrame,
        _ => return None,
    })
}
