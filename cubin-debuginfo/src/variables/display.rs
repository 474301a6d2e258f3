//! The text of variable locations, and of the remarks on them.

use super::frame_base::{FrameBase, FrameOffset};
use super::unavailable::Unavailable;
use super::variable_location::{Memory, VariableLocation};
use super::{DebuggerMistake, MissingFacts, ScopeKind};
use nv_debug_sections::cubin::Cubin;
use std::fmt;

/// A location with the cubin whose sections it names.
struct LocationDisplay<'a, 'c>(&'a VariableLocation, &'a Cubin<'c>);

impl VariableLocation {
    /// Returns the location in words, with the names of the cubin's sections: `.nv.shared.k+0x10`,
    /// `local[R1+0x8]`, `= 7`. If the variable has no location, returns the reason.
    pub fn display<'a>(&'a self, cubin: &'a Cubin<'_>) -> impl fmt::Display {
        LocationDisplay(self, cubin)
    }
}

impl fmt::Display for LocationDisplay<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(place, cubin) = self;
        match place {
            VariableLocation::Register(held) => write!(f, "{held}"),
            VariableLocation::Memory(memory) => write!(f, "{}", memory.words(cubin)),
            VariableLocation::Frame(frame) => write!(f, "{frame}"),
            VariableLocation::RegisterOffset { register, offset, value: true } => {
                write!(f, "{register}{}", signed((*offset).into()))
            }
            VariableLocation::RegisterOffset { register, offset, value: false } => {
                write!(f, "[{register}{}]", signed((*offset).into()))
            }
            VariableLocation::Constant(constant) => write!(f, "= {constant}"),
            VariableLocation::Words(words) => f.write_str(words),
            VariableLocation::Unavailable(reason) => write!(f, "{reason}"),
        }
    }
}

impl Memory {
    /// The name of the memory that has the variable: its PTX state space (`shared`), or its address
    /// class if it has none.
    pub fn space_name(&self) -> &'static str {
        self.space.state_space().unwrap_or(self.space.name())
    }

    fn words(&self, cubin: &Cubin<'_>) -> String {
        let (space, offset) = (self.space_name(), self.offset);
        let text = match (self.bank, self.section) {
            (Some(bank), _) => format!("c[{bank:#x}][{offset:#x}]"),
            (None, Some(section)) => format!("{}+{offset:#x}", cubin.section_name(section)),
            (None, None) => format!("{space}[{offset:#x}]"),
        };
        match self.parameter {
            Some(parameter) => format!("{text}  param+{parameter:#x}"),
            None if self.symbol.is_some() && self.section.is_none() && self.bank.is_none() => {
                format!("{space}, not placed yet")
            }
            None if self.symbol.is_some() => format!("{space}, {text}"),
            None => text,
        }
    }
}

impl fmt::Display for FrameOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = signed(self.offset.into());
        match (&self.base, self.from_stack_pointer) {
            (FrameBase::CallFrame, Some(stack)) => {
                write!(f, "local[R1{}]  CFA{offset}", signed(stack.into()))
            }
            (FrameBase::CallFrame, None) => write!(f, "local[CFA{offset}]"),
            (FrameBase::Register(register), _) => write!(f, "local[{register}{offset}]"),
            (FrameBase::Missing, _) => {
                write!(f, "local[frame{offset}]  the function has no DW_AT_frame_base")
            }
            (FrameBase::Words(words), _) => write!(f, "local[{{ {words} }}{offset}]"),
        }
    }
}

/// `+0x10`, `-0x8`; nothing for 0.
fn signed(number: i128) -> String {
    match number {
        0 => String::new(),
        1.. => format!("+{number:#x}"),
        _ => format!("-{:#x}", number.unsigned_abs()),
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoLocation => "optimised out: the entry has no location",
            Self::Abstract => "of the source: its places are with the calls it was inlined into",
            Self::Declaration => "a declaration: the definition is elsewhere",
            Self::NoCode => "its code is not in the file",
            Self::Gap => "optimised out here: the location list leaves it out",
            Self::Empty => "optimised out: the expression is empty",
            Self::OpenRange => "a range of the list has a label that ptxas gave no address",
            Self::Unknown => "not known here: the list may have it in what cannot be read of it",
            Self::BadRange => "a range of the list that ends before it starts, or in other code",
            Self::BadList(error) => return write!(f, "the list cannot be read: {error}"),
            Self::NoAddress(0) => {
                "address 0 without relocation: no symbol, or the start of a memory that is not stated"
            }
            Self::NoAddress(number) => {
                return write!(f, "address {number:#x} without relocation: nothing says what is there");
            }
            Self::NoFrameOffset(number) => {
                return write!(
                    f,
                    "address {number:#x} in local memory, where places count from a frame: \
                 nothing says what is there"
                );
            }
            Self::OutsideMemory(number) => {
                return write!(
                    f,
                    "address {number:#x}: the memory that DW_AT_address_class names has no such variable \
                 there"
                );
            }
            Self::NoSymbol(name) => return write!(f, "the symbol {name} is defined nowhere"),
            Self::NoSharedAddress => {
                "address -1, which is none: no code uses it (ptxas), or it is dynamic, \
                 after its kernel's own (nvlink)"
            }
            Self::NotRelocated => {
                "not placed yet: nvlink -r took its relocation away, and the number is not an address"
            }
            Self::NotInRegister(ptx) => return write!(f, "{ptx} is in no register here"),
            Self::NoRegisterMap(ptx) => {
                return write!(
                    f,
                    "{ptx}: the file has no register map that can be read; without -G it has none"
                );
            }
            Self::UnknownRegister(number) => return write!(f, "{number} is not a register of the chip"),
        })
    }
}

impl ScopeKind {
    /// The kind of scope in one word, such as `function`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Function => "function",
            Self::Abstract => "abstract",
            Self::Inlined => "inlined",
            Self::Block => "block",
        }
    }
}

impl MissingFacts {
    /// Names in words the facts about variables that are missing, such as `SASS registers`.
    pub fn words(self) -> &'static str {
        match self {
            Self::SourceFiles => "source files",
            Self::FrameSizes => "offsets from R1",
            Self::Registers => "SASS registers",
        }
    }
}

impl DebuggerMistake {
    /// Describes in words the mistake that a debugger may make.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoClass => "no DW_AT_address_class: a debugger reads global memory there",
            Self::OtherClass => "DW_AT_address_class names another memory: a debugger reads that one",
            Self::Unplaced => {
                "the address has no relocation, which one of the memory that DW_AT_address_class names needs"
            }
            Self::MaybeUndefined => {
                "unsure: for a name that the module does not define, ptxas writes a number too, and the file has \
                 such a symbol"
            }
            Self::RegisterOfOtherClass => "in a register, but DW_AT_address_class is that of a memory",
        }
    }
}
