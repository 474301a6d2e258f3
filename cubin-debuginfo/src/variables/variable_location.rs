//! Evaluates location expressions: the forms that compilers write for GPUs, and anything else as
//! text.
#![allow(non_upper_case_globals, reason = "DWARF's own names, in patterns")]

use super::constant::Constant;
use super::registers::SassAllocation;
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
#[cfg(doc)]
use nv_debug_sections::address_space::shared_window_reserve;
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

/// A location of a variable at an offset in the stack frame of its function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameOffset {
    /// Byte offset of the variable from the function's `DW_AT_frame_base`.
    pub offset: i64,
    /// The frame base from which `offset` counts.
    pub base: FrameBase,
    /// Byte offset of the variable from the stack pointer R1 once the function has set up its
    /// frame: `offset` plus the frame size in `.debug_frame`. `None` if that is not known.
    pub from_stack_pointer: Option<i64>,
}

/// The base of a function's stack frame: the value of `DW_AT_frame_base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameBase {
    /// The frame base is the canonical frame address (`DW_OP_call_frame_cfa`), which `.debug_frame`
    /// defines.
    CallFrame,
    /// The frame base is a register: `%Depot`, which CUDA-GDB cannot read, or `%SP`.
    Register(DwarfRegister),
    /// The function has no `DW_AT_frame_base`, or the function is not known.
    Missing,
    /// The frame base is another expression. The value is its operations as text.
    Words(String),
}

/// Why a variable has no location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The variable's entry has no location: the compiler has removed the variable, or never gave
    /// it a register or memory.
    NoLocation,
    /// The entry is that of a function's source (`DW_AT_inline`); only its inlined calls have
    /// locations.
    Abstract,
    /// The entry is a declaration; the definition of the variable is elsewhere.
    Declaration,
    /// The code of the variable's scope is not in the file.
    NoCode,
    /// The variable's location list has no entry for this range of code.
    Gap,
    /// The location expression is empty, which means that the variable is optimised out (DWARF 3
    /// §2.6.1.1).
    Empty,
    /// A range of the location list starts or ends at a label to which ptxas gave no address; the
    /// list has 0 there (docs/formats/relocations.md, what a name in PTX becomes).
    OpenRange,
    /// A range of the location list ends before it starts, or ends in another section.
    BadRange,
    /// No entry of the location list certainly contains this range of code, but one whose start or
    /// end is not known, or that cannot be read, may contain it.
    Unknown,
    /// The location list, or a part of it, cannot be read. The value is the error in words.
    BadList(String),
    /// The variable's address is this number without relocation, but addresses in its memory need
    /// one: ptxas did not know the symbol, or the PTX has a number there.
    NoAddress(u64),
    /// The variable is in local memory and its address is this number, but locations in local
    /// memory are offsets in a stack frame. ptxas did not know the symbol, the entry belongs to no
    /// function, or the PTX has a number there.
    NoFrameOffset(u64),
    /// The variable's address is this number, which is outside every kernel's shared window, the
    /// shared variable of that name, or all parameters.
    OutsideMemory(u64),
    /// The symbol of the variable's address is local and undefined, so no file can define it. The
    /// value is its name.
    NoSymbol(String),
    /// The address of the shared variable is -1, which stands for none; on SMs with a
    /// [reserve](shared_window_reserve) it is that much higher. ptxas writes it if the code does
    /// not use the variable, nvlink for a dynamic one (`extern __shared__`), which in each kernel
    /// is after the kernel's own.
    NoSharedAddress,
    /// The number at the address of a shared variable in a relocatable file is not an address:
    /// `nvlink -r` has replaced the relocation of `ptxas -c` by the variable's alignment.
    NotRelocated,
    /// No SASS register holds the variable's PTX register in this range of code. The value is the
    /// PTX register.
    NotInRegister(String),
    /// The variable is in the PTX register in the value, and the file has no register map that can
    /// be read: it was not compiled with `-G`, is stripped, or damaged
    /// ([`Variables::faults`](super::Variables::faults)).
    NoRegisterMap(String),
    /// The location names a register that the chip does not have, or a number that is not that of a
    /// register. The value is that register or number.
    UnknownRegister(String),
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
