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
    /// In registers.
    Register(SassAllocation),
    /// At an address of a memory.
    Memory(Memory),
    /// In the function's frame, which is in a thread's local memory.
    Frame(FrameOffset),
    /// At `offset` bytes from what a register holds; with `value` the sum itself is the variable.
    RegisterOffset {
        /// The register.
        register: SassAllocation,
        /// Added to it.
        offset: i64,
        /// `DW_OP_stack_value`: the sum is a value, not an address.
        value: bool,
    },
    /// In no place, but known. LLVM writes constants in DWARF 2 without the `DW_OP_stack_value`
    /// that DWARF 4 has for them.
    Constant(Constant),
    /// Something else, as operations in words.
    Words(String),
    /// Nowhere.
    Unavailable(Unavailable),
}

/// A location at an address in one of the GPU's memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Which memory: the entry's `DW_AT_address_class`, and [`AddressClass::Global`] without one,
    /// as CUDA-GDB has it.
    pub space: AddressClass,
    /// Byte offset in the section, or where there is none in the window of the memory; in a
    /// constant bank for constants and parameters.
    pub offset: u64,
    /// The section a relocation names.
    pub section: Option<SectionIndex>,
    /// The constant bank, of constants and parameters.
    pub bank: Option<u32>,
    /// The variable's symbol and the byte offset in it.
    pub symbol: Option<(SymbolIndex, u64)>,
    /// Byte offset among the kernel's parameters.
    pub parameter: Option<u64>,
}

/// A location at an offset in the stack frame of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameOffset {
    /// Byte offset from the function's `DW_AT_frame_base`.
    pub offset: i64,
    /// The base of the frame.
    pub base: FrameBase,
    /// Byte offset from the stack pointer R1 once the function has its frame: `offset` and the size
    /// that `.debug_frame` gives the frame.
    pub from_stack_pointer: Option<i64>,
}

/// The base of a function's stack frame: the value of `DW_AT_frame_base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameBase {
    /// The call frame address (`DW_OP_call_frame_cfa`): all that ptxas' frames need.
    CallFrame,
    /// A register: `%Depot`, which CUDA-GDB cannot read, or `%SP`.
    Register(DwarfRegister),
    /// The function has no such attribute, or is not known.
    Missing,
    /// Something else, in words.
    Words(String),
}

/// Why a variable has no location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The entry has no location: the compiler has removed the variable, or never had it in a
    /// place.
    NoLocation,
    /// The entry is that of a function's source; the places are with its instances.
    Abstract,
    /// A declaration: the definition is elsewhere.
    Declaration,
    /// The entry's code is not in the file.
    NoCode,
    /// The location list has no entry for this range.
    Gap,
    /// The expression is empty, which is to say optimised out (DWARF 3 §2.6.1.1).
    Empty,
    /// A range of the list has a label that ptxas gave no address, which stands as 0
    /// (docs/formats/relocations.md, what a name in PTX becomes).
    OpenRange,
    /// A range of the list ends before it starts, or in another section.
    BadRange,
    /// The range is in no entry of the list for certain, but one of those that are open or cannot
    /// be read may contain it.
    Unknown,
    /// The list, or a part of it, cannot be read: the error in words.
    BadList(String),
    /// An address without relocation, of a memory whose addresses have one: ptxas knew no such
    /// symbol, or the PTX has a number there.
    NoAddress(u64),
    /// A number for a variable in local memory, whose places are offsets from the frame: ptxas knew
    /// no such symbol, the entry is in no function's, or the PTX has a number there.
    NoFrameOffset(u64),
    /// A number that is in no kernel's shared window, not in the shared variable of that name, or
    /// among no parameters.
    OutsideMemory(u64),
    /// An address whose symbol is local and not defined: no file can.
    NoSymbol(String),
    /// A shared variable's address is -1, on SMs with a [reserve](shared_window_reserve) that much
    /// after it. ptxas writes it if the code does not use the variable, nvlink for a dynamic one
    /// (`extern __shared__`), which in each kernel is after the kernel's own.
    NoSharedAddress,
    /// A shared variable of a relocatable file, without the relocation that `ptxas -c` gives it:
    /// what `nvlink -r` makes of that is the variable's alignment.
    NotRelocated,
    /// The PTX register is in no SASS register here.
    NotInRegister(String),
    /// The file has no register map that can be read: it was not compiled with `-G`, is stripped,
    /// or damaged ([`Variables::faults`](super::Variables::faults)).
    NoRegisterMap(String),
    /// A number that is not a register's, or a register that the chip does not have.
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
