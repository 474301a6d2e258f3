//! Register numbers of debug information: SASS registers by class and number, PTX registers by
//! name.
//!
//! `.debug_frame` and `.nv_debug_info_reg_sass` number SASS registers. The operand of `DW_OP_regx`
//! in `.debug_info` and `.debug_loc` is a PTX register: the bytes of its name, read as one
//! big-endian number (`%f1` is 0x256631), which `.nv_debug_info_reg_sass` then leads to SASS
//! registers.
//!
//! Sources: docs/formats/register-maps.md, registers of the chip; classes by their names in
//! `CUDBGRegClass` of NVIDIA's cudadebugger.h (CUDA-GDB, open source); packed names by CUDA-GDB's
//! `cuda-tdep.c`, and by LLVM's `NVPTXRegisterInfo::encodeRegisterForDwarf`, which writes them.

use crate::ErrorKind;
use crate::generation::Generation;
use crate::release::Target;
use std::fmt;

#[cfg(test)]
mod tests;

/// The class of a register, or of the memory to which it is spilled: the high byte of a
/// [`SassRegister`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum RegisterClass {
    /// A condition code register. Observed: ptxas 13.0.88, in `.debug_frame`.
    ConditionCode = 1,
    /// A predicate register, P0 to P6. Observed: in `.debug_frame` and `.nv_debug_info_reg_sass`.
    Predicate = 2,
    /// An address register, which only old chips have.
    Address = 3,
    /// A 16-bit half of a general register. Its number is twice that of the register, plus 1 for
    /// the high half. Observed: in `.nv_debug_info_reg_sass`, for `.b16`.
    Half = 4,
    /// A 32-bit general register, R0 to R254, or 255 for RZ. Observed: in `.debug_frame` and
    /// `.nv_debug_info_reg_sass`.
    General = 5,
    /// A register that is spilled to local memory. The number is a byte offset there.
    LocalMemory = 6,
    /// A register that is spilled to the stack. Bits 16-23 are the number of the stack pointer
    /// register, and bits 0-15 are a byte offset from it.
    StackOffset = 7,
    /// A uniform predicate register. Observed: in `.debug_frame`.
    UniformPredicate = 9,
    /// A 16-bit half of a uniform register.
    UniformHalf = 10,
    /// A 32-bit uniform register. Observed: in `.debug_frame`.
    UniformGeneral = 11,
    /// A temporary register that is spilled: number 0 is RPC.LO, and 1 is RPC.HI.
    TemporarySpill = 12,
}

/// NVIDIA's name of each class, in ascending order of their numbers.
const CLASSES: [(RegisterClass, &str); 11] = [
    (RegisterClass::ConditionCode, "REG_CLASS_REG_CC"),
    (RegisterClass::Predicate, "REG_CLASS_REG_PRED"),
    (RegisterClass::Address, "REG_CLASS_REG_ADDR"),
    (RegisterClass::Half, "REG_CLASS_REG_HALF"),
    (RegisterClass::General, "REG_CLASS_REG_FULL"),
    (RegisterClass::LocalMemory, "REG_CLASS_MEM_LOCAL"),
    (RegisterClass::StackOffset, "REG_CLASS_LMEM_REG_OFFSET"),
    (RegisterClass::UniformPredicate, "REG_CLASS_UREG_PRED"),
    (RegisterClass::UniformHalf, "REG_CLASS_UREG_HALF"),
    (RegisterClass::UniformGeneral, "REG_CLASS_UREG_FULL"),
    (RegisterClass::TemporarySpill, "REG_CLASS_TEMP_REG_SPILL"),
];

impl RegisterClass {
    /// Returns the register class whose number is `number`. No class has 8, or a number from 13 on.
    pub fn of_number(number: u8) -> Option<Self> {
        CLASSES.iter().map(|(class, _)| *class).find(|class| *class as u8 == number)
    }

    /// NVIDIA's name of the register class, such as `REG_CLASS_REG_FULL`.
    pub fn name(self) -> &'static str {
        CLASSES.iter().find(|(class, _)| *class == self).map_or("", |(_, name)| name)
    }
}

/// A SASS register as debug sections number it: the class in the high byte, the number in the low
/// 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SassRegister(pub u32);

/// Number of the registers that read as zero, RZ and URZ.
const ZERO: u32 = 255;
/// The highest numbers of general registers, of predicates, uniform ones or not, and of uniform
/// registers, the latter before sm_100, by nvdisasm 13.2's names of what instructions have. Only
/// RZ, URZ, PT and UPT come after them.
const LAST_GENERAL: u32 = 254;
const LAST_PREDICATE: u32 = 6;
const LAST_UNIFORM: u32 = 62;

impl SassRegister {
    /// Creates register `number` of a class. Bits from 2^24 on are dropped.
    pub fn new(class: RegisterClass, number: u32) -> Self {
        Self(u32::from(class as u8) << 24 | number & 0x00ff_ffff)
    }

    /// The class number of the register, even if no class has this number.
    pub fn class_number(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The class of the register; `None` if no class has its number.
    pub fn class(self) -> Option<RegisterClass> {
        RegisterClass::of_number(self.class_number())
    }

    /// Whether chips with this SM number have the SASS register; also true for the registers that
    /// always read as zero. True if the class is unknown, or is not a class of registers.
    pub fn exists_on(self, target: Target) -> bool {
        use RegisterClass as Class;
        let last_uniform =
            if target.generation() >= Generation::Mercury { LAST_GENERAL } else { LAST_UNIFORM };
        let (number, last) = match self.class() {
            Some(Class::General) => (self.number(), LAST_GENERAL),
            Some(Class::Half) => (self.number() / 2, LAST_GENERAL),
            Some(Class::UniformGeneral) => (self.number(), last_uniform),
            Some(Class::UniformHalf) => (self.number() / 2, last_uniform),
            Some(Class::Predicate | Class::UniformPredicate) => return self.number() <= LAST_PREDICATE,
            _ => return true,
        };
        number <= last || number == ZERO
    }

    /// The number of the register inside its class, 24 bits. For half registers it is `2 * R +
    /// half`.
    pub fn number(self) -> u32 {
        self.0 & 0x00ff_ffff
    }
}

impl fmt::Display for SassRegister {
    /// As nvdisasm names registers: `R5`, `R5.H1`, `P1`, `UR4`, `RZ`; places in memory as
    /// addresses, `local[0x10]`, `[R1+0x10]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use RegisterClass as Class;
        let number = self.number();
        let Some(class) = self.class() else { return write!(f, "class{}:{number}", self.class_number()) };
        match class {
            Class::ConditionCode => f.write_str("CC"),
            Class::Predicate => write!(f, "P{number}"),
            Class::Address => write!(f, "A{number}"),
            Class::Half => write!(f, "R{}.H{}", number / 2, number % 2),
            Class::General if number == ZERO => f.write_str("RZ"),
            Class::General => write!(f, "R{number}"),
            Class::LocalMemory => write!(f, "local[{number:#x}]"),
            Class::StackOffset => write!(f, "[R{}+{:#x}]", number >> 16, number & 0xffff),
            Class::UniformPredicate => write!(f, "UP{number}"),
            Class::UniformHalf => write!(f, "UR{}.H{}", number / 2, number % 2),
            Class::UniformGeneral if number == ZERO => f.write_str("URZ"),
            Class::UniformGeneral => write!(f, "UR{number}"),
            Class::TemporarySpill if number < 2 => f.write_str(if number == 0 { "RPC.LO" } else { "RPC.HI" }),
            Class::TemporarySpill => write!(f, "spill{number}"),
        }
    }
}

/// The meaning of a DWARF register number (`DW_OP_regx`, `DW_OP_bregx`): a PTX register, a SASS
/// register or neither.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DwarfRegister {
    /// A PTX register, whose name is packed into the number.
    Ptx(String),
    /// A SASS register, given by class and number.
    Sass(SassRegister),
    /// A number that is neither a PTX name nor a SASS register.
    Number(u64),
    /// A number of more than 64 bits that is not a name, as its bytes, the highest first.
    Wide(Vec<u8>),
}

/// The longest register name, in bytes, that CUDA-GDB reads and LLVM writes: eight characters fill
/// a 64-bit register number.
pub const MAX_PACKED_NAME: usize = 8;

/// Returns the DWARF register number of a PTX register in `DW_OP_regx`: the characters of its name
/// as bytes.
///
/// # Errors
///
/// [`ErrorKind::DoesNotFit`] for a name longer than [`MAX_PACKED_NAME`],
/// [`ErrorKind::NotARegister`] for one that is not a PTX identifier or has one character only,
/// which CUDA-GDB takes for a number.
pub fn pack_name(name: &str) -> Result<u64, ErrorKind> {
    if !is_name(name.as_bytes()) {
        return Err(ErrorKind::NotARegister(name.to_owned()));
    }
    if name.len() > MAX_PACKED_NAME {
        let (value, field) = (name.len() as u64, "the 8 bytes of a DWARF register number");
        return Err(ErrorKind::DoesNotFit { what: "the length of a register name", value, field });
    }
    Ok(name.bytes().fold(0, |number, byte| number << 8 | u64::from(byte)))
}

/// Whether bytes are a PTX identifier (PTX ISA, Identifiers) of two characters or more.
fn is_name(bytes: &[u8]) -> bool {
    let follows = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    match bytes {
        [first, rest @ ..] => {
            !rest.is_empty()
                && (follows(first) || *first == b'%')
                && !first.is_ascii_digit()
                && rest.iter().all(follows)
        }
        [] => false,
    }
}

impl DwarfRegister {
    /// Returns the register for a DWARF register number of at most 64 bits.
    pub fn from_number(number: u64) -> Self {
        Self::from_bytes(&number.to_be_bytes())
    }

    /// Returns the register whose name is encoded in a DWARF register number, given as the bytes of
    /// a ULEB128 operand. The operand may be of any length, so names of more than eight characters
    /// are read too.
    pub fn from_uleb(leb: &[u8]) -> Self {
        let mut bytes: Vec<u8> = Vec::with_capacity(leb.len());
        // Bits that do not make a byte yet, the lowest first.
        let (mut bits, mut count) = (0_u16, 0);
        for group in leb {
            bits |= u16::from(group & 0x7f) << count;
            count += 7;
            if count >= 8 {
                bytes.push(bits as u8);
                (bits, count) = (bits >> 8, count - 8);
            }
        }
        bytes.push(bits as u8);
        bytes.reverse();
        Self::from_bytes(&bytes)
    }

    /// By the bytes of the number, the highest first.
    fn from_bytes(bytes: &[u8]) -> Self {
        let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
        let bytes = bytes.get(start..).unwrap_or_default();
        if is_name(bytes) {
            return Self::Ptx(String::from_utf8_lossy(bytes).into_owned());
        }
        if bytes.len() > size_of::<u64>() {
            return Self::Wide(bytes.to_vec());
        }
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match u32::try_from(number).map(SassRegister) {
            Ok(register) if register.class().is_some() => Self::Sass(register),
            _ => Self::Number(number),
        }
    }

    /// The DWARF register number of this register. [`from_number`](Self::from_number) converts it
    /// back, if the register came from there.
    ///
    /// # Errors
    ///
    /// As [`pack_name`]; [`ErrorKind::DoesNotFit`] for [`Wide`](Self::Wide).
    pub fn number(&self) -> Result<u64, ErrorKind> {
        match self {
            Self::Ptx(name) => pack_name(name),
            Self::Sass(register) => Ok(register.0.into()),
            Self::Number(number) => Ok(*number),
            Self::Wide(bytes) => Err(ErrorKind::DoesNotFit {
                what: "the length of a register number",
                value: bytes.len() as u64,
                field: "8 bytes",
            }),
        }
    }
}

impl fmt::Display for DwarfRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ptx(name) => f.write_str(name),
            Self::Sass(register) => register.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Wide(bytes) => write!(f, "{bytes:02x?}"),
        }
    }
}
