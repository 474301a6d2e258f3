//! Constant values of variables, read according to their types.
//!
//! `DW_AT_const_value` is a value of the entry's type (DWARF 2.0.0 §4.1), but its form says nothing
//! of the type: LLVM writes every number as a signed one. So the bits are cut to the size of the
//! type and read by its `DW_AT_encoding` (§5.1).

use crate::entries::{Entries, Entry};
use crate::limits::{MAX_ARRAY_ELEMENTS, MAX_TYPE_WRAPPERS};
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants as dw;
use std::fmt;

/// A constant value of a variable, with the bits that it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// The constant as a value of the variable's type.
    pub value: ConstantValue,
    /// The bits of the value, the lowest byte first; as many bytes as the type has.
    pub bits: Vec<u8>,
}

/// The constant value of a variable, by the kind of the variable's type.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantValue {
    /// A signed number, or a number whose type is not known.
    Signed(i128),
    /// An unsigned number.
    Unsigned(u128),
    /// A value of type `bool`.
    Boolean(bool),
    /// A value of a character type: its number, which may not be that of a character.
    Character(i128),
    /// A floating-point number of at most 4 bytes.
    Single(f32),
    /// A floating-point number of 8 bytes.
    Double(f64),
    /// A complex number: its real and its imaginary part.
    Complex(Box<[ConstantValue; 2]>),
    /// The address that a pointer or reference holds.
    Pointer(u128),
    /// A value of an enumeration: the name of the enumerator, and its number.
    Enumerator(String, i128),
    /// An array of characters, as text up to the first NUL.
    Text(String),
    /// The values of the elements of an array.
    Array(Vec<ConstantValue>),
    /// A value of a type that is not decoded, such as a structure: only its bits are known.
    Bytes,
}

/// A constant as the entry holds it, before its type is applied.
#[derive(Debug, Clone, Copy)]
pub(super) enum RawConstant<'g> {
    /// The entry holds the constant as a number of at most 16 bytes, sign-extended.
    Number(i128),
    /// The entry holds the constant as bytes, in memory order.
    Bytes(&'g [u8]),
}

/// Reads a constant in the type at entry `number`; without a type a number stays what it is.
pub(super) fn read(
    entries: &Entries<'_>,
    number: Option<usize>,
    bit_size: Option<u64>,
    given: RawConstant<'_>,
    budget: &mut WorkBudget,
) -> Constant {
    let kind = number.and_then(|number| Type::of(entries, number, bit_size));
    match (kind, given) {
        (Some(kind), _) => {
            let bits = kind.bits(given);
            match bits {
                Some(bits) => Constant { value: kind.value(entries, &bits, budget), bits },
                None => untyped(given),
            }
        }
        (None, _) => untyped(given),
    }
}

fn untyped(given: RawConstant<'_>) -> Constant {
    match given {
        RawConstant::Number(number) => {
            let bits = match i64::try_from(number) {
                Ok(number) => number.to_le_bytes().to_vec(),
                Err(_) => number.to_le_bytes().to_vec(),
            };
            Constant { value: ConstantValue::Signed(number), bits }
        }
        RawConstant::Bytes(bytes) => Constant { value: ConstantValue::Bytes, bits: bytes.to_vec() },
    }
}

/// A type without its names and qualifiers.
#[derive(Debug, Clone, Copy)]
struct Type<'e> {
    number: usize,
    entry: Entry<'e>,
    /// The size in bits, if the type has one.
    bits: Option<u64>,
}

/// Types that only name or qualify another one.
const WRAPPERS: [u16; 5] = [
    dw::DW_TAG_typedef,
    dw::DW_TAG_const_type,
    dw::DW_TAG_volatile_type,
    dw::DW_TAG_restrict_type,
    dw::DW_TAG_atomic_type,
];
/// Types whose values are addresses.
const POINTERS: [u16; 3] =
    [dw::DW_TAG_pointer_type, dw::DW_TAG_reference_type, dw::DW_TAG_rvalue_reference_type];
/// Bytes of the longest number: that of a `u128`.
const NUMBER_BYTES: usize = 16;
/// Bits of a pointer whose entry does not say.
const POINTER_BITS: u64 = 64;

impl<'e> Type<'e> {
    fn of(entries: &'e Entries<'_>, number: usize, bit_size: Option<u64>) -> Option<Self> {
        let mut number = number;
        let mut entry = entries.get(number)?;
        for _ in 0..MAX_TYPE_WRAPPERS {
            if !WRAPPERS.contains(&entry.tag()) {
                break;
            }
            number = entries.referenced_entry(entry, dw::DW_AT_type)?;
            entry = entries.get(number)?;
        }
        let own = entry.unsigned(dw::DW_AT_byte_size).and_then(|bytes| bytes.checked_mul(8));
        let own = entry.unsigned(dw::DW_AT_bit_size).or(own);
        let bits = bit_size.or(own).or_else(|| match entry.tag() {
            tag if POINTERS.contains(&tag) => Some(POINTER_BITS),
            dw::DW_TAG_enumeration_type => {
                let base = entries.referenced_entry(entry, dw::DW_AT_type)?;
                entries.get(base)?.unsigned(dw::DW_AT_byte_size)?.checked_mul(8)
            }
            _ => None,
        });
        Some(Self { number, entry, bits })
    }

    /// The bits of a value of this type; `None` where the size is not that of a number, or `given`
    /// is too short.
    fn bits(&self, given: RawConstant<'_>) -> Option<Vec<u8>> {
        match given {
            RawConstant::Number(number) => {
                let size = self.bits.filter(|bits| (1..=8 * NUMBER_BYTES as u64).contains(bits))?;
                let unused = 128 - u32::try_from(size).ok()?;
                let cut = number.cast_unsigned() << unused >> unused;
                let bytes = usize::try_from(size.div_ceil(8)).ok()?;
                Some(cut.to_le_bytes().get(..bytes)?.to_vec())
            }
            RawConstant::Bytes(bytes) => match self.bits {
                Some(bits) => Some(bytes.get(..usize::try_from(bits.div_ceil(8)).ok()?)?.to_vec()),
                None => Some(bytes.to_vec()),
            },
        }
    }

    fn value(&self, entries: &Entries<'_>, bits: &[u8], budget: &mut WorkBudget) -> ConstantValue {
        match self.entry.tag() {
            dw::DW_TAG_base_type => self.base(bits),
            dw::DW_TAG_enumeration_type => self.enumerator(entries, bits, budget),
            dw::DW_TAG_array_type => self.array(entries, bits, budget),
            tag if POINTERS.contains(&tag) => {
                unsigned(bits).map_or(ConstantValue::Bytes, ConstantValue::Pointer)
            }
            _ => ConstantValue::Bytes,
        }
    }

    /// A base type, by its encoding.
    fn base(&self, bits: &[u8]) -> ConstantValue {
        let encoding = self.entry.unsigned(dw::DW_AT_encoding).and_then(|code| u8::try_from(code).ok());
        let number = unsigned(bits).zip(self.signed(bits));
        let Some((plain, signed)) = number.filter(|_| bits.len() <= NUMBER_BYTES) else {
            return match encoding {
                Some(dw::DW_ATE_complex_float) => self.complex(bits),
                _ => ConstantValue::Bytes,
            };
        };
        match encoding {
            Some(dw::DW_ATE_address) => ConstantValue::Pointer(plain),
            Some(dw::DW_ATE_boolean) => ConstantValue::Boolean(plain != 0),
            Some(dw::DW_ATE_complex_float) => self.complex(bits),
            Some(dw::DW_ATE_float | dw::DW_ATE_imaginary_float) => self.float(bits),
            Some(dw::DW_ATE_signed) => ConstantValue::Signed(signed),
            Some(dw::DW_ATE_signed_char) => ConstantValue::Character(signed),
            Some(dw::DW_ATE_unsigned_char | dw::DW_ATE_UTF) => {
                i128::try_from(plain).map_or(ConstantValue::Unsigned(plain), ConstantValue::Character)
            }
            Some(dw::DW_ATE_unsigned) => ConstantValue::Unsigned(plain),
            _ => ConstantValue::Bytes,
        }
    }

    /// The number in two's complement of as many bits as the type has.
    fn signed(&self, bits: &[u8]) -> Option<i128> {
        let size = self.bits.and_then(|size| u32::try_from(size).ok()).unwrap_or(8 * bits.len() as u32);
        let unused = 128_u32.checked_sub(size).filter(|unused| *unused < 128)?;
        Some(unsigned(bits)?.cast_signed() << unused >> unused)
    }

    fn float(&self, bits: &[u8]) -> ConstantValue {
        if let Ok(bits) = bits.try_into() {
            return ConstantValue::Double(f64::from_le_bytes(bits));
        }
        if let Ok(bits) = bits.try_into() {
            return ConstantValue::Single(f32::from_le_bytes(bits));
        }
        let Ok(half) = bits.try_into().map(u16::from_le_bytes) else { return ConstantValue::Bytes };
        let name = self.entry.name().unwrap_or_default();
        let is_brain = ["bf16", "bfloat"].iter().any(|word| name.contains(word));
        let single = if is_brain { f32::from_bits(u32::from(half) << 16) } else { of_half(half) };
        ConstantValue::Single(single)
    }

    fn complex(&self, bits: &[u8]) -> ConstantValue {
        let (real, imaginary) = bits.split_at(bits.len() / 2);
        let parts = [self.float(real), self.float(imaginary)];
        if parts.contains(&ConstantValue::Bytes) {
            return ConstantValue::Bytes;
        }
        ConstantValue::Complex(Box::new(parts))
    }

    fn enumerator(&self, entries: &Entries<'_>, bits: &[u8], budget: &mut WorkBudget) -> ConstantValue {
        let Some((plain, signed)) = unsigned(bits).zip(self.signed(bits)) else {
            return ConstantValue::Bytes;
        };
        let base = entries.referenced_entry(self.entry, dw::DW_AT_type);
        let base = base.and_then(|base| Type::of(entries, base, None));
        let encoding = base.and_then(|base| base.entry.unsigned(dw::DW_AT_encoding));
        let mut has_negative = false;
        let after = entries.range(self.number.saturating_add(1)..entries.count());
        let own = after.take_while(|entry| entry.depth() > self.entry.depth());
        for entry in own {
            if !budget.take(1) {
                break;
            }
            if entry.tag() != dw::DW_TAG_enumerator || entry.parent() != Some(self.number) {
                continue;
            }
            let value = match entry.value(dw::DW_AT_const_value) {
                Some(crate::entries::Value::Unsigned(value)) => i128::from(value),
                Some(crate::entries::Value::Signed(value)) => i128::from(value),
                _ => continue,
            };
            has_negative |= value < 0;
            if self.bits(RawConstant::Number(value)).as_deref() == Some(bits)
                && let Some(name) = entry.name().filter(|name| budget.take(name.len() as u64))
            {
                return ConstantValue::Enumerator(name.into_owned(), value);
            }
        }
        let has_sign = match encoding.and_then(|code| u8::try_from(code).ok()) {
            Some(dw::DW_ATE_signed | dw::DW_ATE_signed_char) => true,
            Some(_) => false,
            None => has_negative,
        };
        if has_sign { ConstantValue::Signed(signed) } else { ConstantValue::Unsigned(plain) }
    }

    /// An array of one dimension; characters are text.
    fn array(&self, entries: &Entries<'_>, bits: &[u8], budget: &mut WorkBudget) -> ConstantValue {
        let element = entries.referenced_entry(self.entry, dw::DW_AT_type);
        let element = element.and_then(|element| Type::of(entries, element, None));
        let size = element.and_then(|element| usize::try_from(element.bits?.checked_div(8)?).ok());
        let (Some(element), Some(size)) = (element, size.filter(|size| *size > 0)) else {
            return ConstantValue::Bytes;
        };
        let count = bits.len() / size;
        if element.entry.tag() == dw::DW_TAG_array_type
            || count as u64 > MAX_ARRAY_ELEMENTS
            || !bits.len().is_multiple_of(size)
            || !budget.take(bits.len() as u64)
        {
            return ConstantValue::Bytes;
        }
        let values: Vec<_> = bits.chunks(size).map(|bits| element.value(entries, bits, budget)).collect();
        let is_text = size == 1 && values.iter().all(|value| matches!(value, ConstantValue::Character(_)));
        if is_text {
            let text = bits.split(|byte| *byte == 0).next().unwrap_or_default();
            return ConstantValue::Text(String::from_utf8_lossy(text).into_owned());
        }
        ConstantValue::Array(values)
    }
}

fn unsigned(bits: &[u8]) -> Option<u128> {
    let mut bytes = [0; NUMBER_BYTES];
    bytes.get_mut(..bits.len())?.copy_from_slice(bits);
    Some(u128::from_le_bytes(bytes))
}

/// An IEEE 754 number of 2 bytes.
fn of_half(half: u16) -> f32 {
    let (sign, exponent, fraction) = (half >> 15, half >> 10 & 0x1f, half & 0x3ff);
    let magnitude = match exponent {
        0 => f32::from(fraction) * 2_f32.powi(-24),
        0x1f if fraction == 0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => f32::from(fraction | 0x400) * 2_f32.powi(i32::from(exponent) - 25),
    };
    if sign == 0 { magnitude } else { -magnitude }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            ConstantValue::Bytes => write!(f, "{:02x?}", self.bits),
            value => value.fmt(f),
        }
    }
}

impl fmt::Display for ConstantValue {
    /// As C spells it; a character with its number, an enumerator too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signed(number) => write!(f, "{number}"),
            Self::Unsigned(number) => write!(f, "{number}"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Character(number) => match self.character() {
                Some(character) => write!(f, "'{character}' ({number})"),
                None => write!(f, "{number}"),
            },
            Self::Single(number) => write!(f, "{number}"),
            Self::Double(number) => write!(f, "{number}"),
            Self::Complex(parts) => {
                let (real, imaginary) = (&parts[0], parts[1].to_string());
                match imaginary.strip_prefix('-') {
                    Some(magnitude) => write!(f, "{real} - {magnitude}i"),
                    None => write!(f, "{real} + {imaginary}i"),
                }
            }
            Self::Pointer(number) => write!(f, "{number:#x}"),
            Self::Enumerator(name, number) => write!(f, "{name} ({number})"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Array(values) => {
                f.write_str("{")?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
            Self::Bytes => f.write_str("bytes"),
        }
    }
}

impl ConstantValue {
    /// The character that a character type's number stands for, if it can be printed.
    fn character(&self) -> Option<char> {
        let Self::Character(number) = self else { return None };
        let character = u32::try_from(*number).ok().and_then(char::from_u32)?;
        (character == ' ' || character.is_ascii_graphic()).then_some(character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // IEEE 754-2019, binary16: 0x3c00 is 1, 0x0001 the least number, 2^-24.
    #[test]
    fn halves() {
        for (half, single) in [
            (0x3c00, 1.0),
            (0xc100, -2.5),
            (0x7bff, 65504.0),
            (0x0001, 2_f32.powi(-24)),
            (0x03ff, 1023.0 * 2_f32.powi(-24)),
            (0x0400, 2_f32.powi(-14)),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(of_half(half).to_bits(), f32::to_bits(single), "{half:#x}");
        }
        assert!(of_half(0x7e00).is_nan());
    }
}
