//! The location of a variable as an answer for people and programs.

use super::{ConstantValue, FrameOffset, Memory, SassAllocation, Unavailable, VariableLocation};
use nv_debug_sections::cubin::Cubin;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::Write as _;

/// `kind` where the variable is nowhere.
const NOWHERE: &str = "unavailable";

/// The location of a variable, as a serializable value. Members that do not apply to the kind of
/// location are left out.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct LocationAnswer<'a> {
    /// What kind of place it is: in a register; in memory at the value of a register plus `offset`
    /// (`based`); the value of a register plus `offset` itself (`computed`); in memory; in the
    /// frame of the function; a constant; a constant whose type is not taken apart, as a structure
    /// (`bytes`); an expression, whose operations are in `text`; nowhere.
    #[schemars(extend("enum" = [
        "register", "based", "computed", "memory", "frame", "constant", "bytes", "expression", "unavailable"
    ]))]
    pub kind: &'static str,
    /// The location in words. For `bytes`, the bytes in memory order; for `unavailable`, why the
    /// variable has no location.
    pub text: String,
    /// Whether the location gives the complete variable.
    pub whole: bool,
    /// Whether the variable has no location because its function is abstract (`DW_AT_inline`).
    #[serde(skip)]
    pub is_abstract: bool,
    /// The PTX register of a `register`, `based` or `computed` location, such as `%rd1`. Absent
    /// where it is not known, and for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ptx: Option<String>,
    /// The value of a `constant` in its type: a number (text where JSON has none for it), `true` or
    /// `false`, the number of a character, the name of an enumerator, a pointer as `0x10`, the text
    /// of an array of characters, an array. Absent for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ConstantValue>,
    /// The bits of a `constant` or `bytes` as one hexadecimal number of as many bytes as the type
    /// has. Absent for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<String>,
    /// The SASS registers that hold the PTX register of a `register`, `based` or `computed`
    /// location. Absent where none is known, and for other kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub registers: Vec<RegisterPartAnswer>,
    /// The memory that a `memory` or `frame` location is in, by its PTX state space: `shared`, for
    /// example; for `frame` it is `local`. Absent for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<&'static str>,
    /// The section from which `offset` of a `memory` location counts. Absent where it counts from
    /// the start of the window, and for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'a str>,
    /// The symbol whose memory a `memory` location is in. Absent where there is none, and for other
    /// kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<&'a str>,
    /// Byte offset of the location from `symbol`. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_offset: Option<u64>,
    /// Number of the constant bank that has a constant or parameter. Absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank: Option<u32>,
    /// Byte offset of the location: for `memory` in `section`, or in the window if there is no
    /// section; for `frame` from the frame base; for `based` and `computed` from the value of the
    /// register. Absent for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i128>,
    /// Byte offset of a parameter among the parameters of the kernel. Absent for what is not a
    /// parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_offset: Option<u64>,
    /// Byte offset of a `frame` location from the stack pointer R1, once the function has set up
    /// its frame. Absent where that is not known, and for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_offset: Option<i64>,
}

/// A SASS register that holds a 32-bit word of a value.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PartRegister")]
pub struct RegisterPartAnswer {
    /// Which 32-bit word of the value the register holds: 0 is the lowest; of `.b128` 0, 1, 1, 2. A
    /// word that is listed twice is in both registers.
    pub part: u32,
    /// The name of the SASS register, such as `R5`, `R2.H1`, `P0` or `UR4`.
    pub register: String,
}

impl<'a> LocationAnswer<'a> {
    /// Describes a location of a variable of `cubin` as a serializable value.
    pub fn new(cubin: &'a Cubin<'_>, place: &VariableLocation) -> Self {
        let (text, whole) = (place.display(cubin).to_string(), place.is_available());
        let words = match place {
            VariableLocation::Register(held) => Self::held("register", held),
            VariableLocation::Memory(memory) => Self::memory(cubin, memory),
            VariableLocation::Frame(frame) => Self::frame(frame),
            VariableLocation::RegisterOffset { register, offset, value } => {
                let kind = if *value { "computed" } else { "based" };
                Self { offset: Some((*offset).into()), ..Self::held(kind, register) }
            }
            VariableLocation::Constant(constant) => {
                let is_bytes = constant.value == ConstantValue::Bytes;
                Self {
                    kind: if is_bytes { "bytes" } else { "constant" },
                    value: (!is_bytes).then(|| constant.value.clone()),
                    bits: Some(hexadecimal(&constant.bits)),
                    ..Self::default()
                }
            }
            VariableLocation::Words(_) => Self { kind: "expression", ..Self::default() },
            VariableLocation::Unavailable(reason) => {
                Self { kind: NOWHERE, is_abstract: *reason == Unavailable::Abstract, ..Self::default() }
            }
        };
        Self { text, whole, ..words }
    }

    /// Whether the variable has no location.
    pub fn is_nowhere(&self) -> bool {
        self.kind == NOWHERE
    }

    fn held(kind: &'static str, held: &SassAllocation) -> Self {
        let registers = held.words.iter();
        let registers = registers
            .map(|word| RegisterPartAnswer { part: word.part, register: word.register.to_string() })
            .collect();
        let ptx = Some(held.ptx.clone()).filter(|ptx| !ptx.is_empty());
        Self { kind, ptx, registers, ..Self::default() }
    }

    fn memory(cubin: &'a Cubin<'_>, memory: &Memory) -> Self {
        let section = memory.section.map(|section| cubin.section_name(section));
        let symbol = memory.symbol.map(|(symbol, offset)| (cubin.symbol_name(symbol), offset));
        Self {
            kind: "memory",
            space: Some(memory.space_name()),
            section,
            symbol: symbol.map(|(symbol, _)| symbol),
            symbol_offset: symbol.map(|(_, offset)| offset),
            bank: memory.bank,
            offset: Some(memory.offset.into()),
            parameter_offset: memory.parameter,
            ..Self::default()
        }
    }

    fn frame(frame: &FrameOffset) -> Self {
        Self {
            kind: "frame",
            space: Some("local"),
            offset: Some(frame.offset.into()),
            stack_offset: frame.from_stack_pointer,
            ..Self::default()
        }
    }
}

/// As a number, text, list, or `true` and `false`; text for a number that JSON does not have.
/// [`ConstantValue::Bytes`] is left out of lists, and nothing alone.
impl Serialize for ConstantValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Signed(number) | Self::Character(number) => integer(*number, serializer),
            Self::Unsigned(number) => match i128::try_from(*number) {
                Ok(number) => integer(number, serializer),
                Err(_) => serializer.collect_str(number),
            },
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Single(number) => floating(&number.to_string(), serializer),
            Self::Double(number) => floating(&number.to_string(), serializer),
            Self::Complex(parts) => list(&parts[..], serializer),
            Self::Pointer(number) => serializer.collect_str(&format_args!("{number:#x}")),
            Self::Enumerator(text, _) | Self::Text(text) => serializer.serialize_str(text),
            Self::Array(values) => list(values, serializer),
            Self::Bytes => serializer.serialize_unit(),
        }
    }
}

impl JsonSchema for ConstantValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ConstantValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string", "boolean", "array"] })
    }
}

fn list<S: Serializer>(values: &[ConstantValue], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(None)?;
    for value in values.iter().filter(|value| **value != ConstantValue::Bytes) {
        list.serialize_element(value)?;
    }
    list.end()
}

fn integer<S: Serializer>(number: i128, serializer: S) -> Result<S::Ok, S::Error> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => serializer.serialize_i64(number),
        (_, Ok(number)) => serializer.serialize_u64(number),
        _ => serializer.collect_str(&number),
    }
}

/// A floating-point number as its shortest digits have it; text for infinity and NaN.
fn floating<S: Serializer>(digits: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match digits.parse::<f64>() {
        Ok(number) if number.is_finite() => serializer.serialize_f64(number),
        _ => serializer.serialize_str(digits),
    }
}

/// Bytes, the lowest first, as one number: `0xfde8`.
fn hexadecimal(bits: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bits.iter().rev() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_json_values() {
        use ConstantValue::*;
        for (value, json) in [
            (Signed(-3), "-3"),
            (Unsigned(u128::from(u64::MAX)), "18446744073709551615"),
            (Unsigned(1 << 64), "\"18446744073709551616\""),
            (Unsigned(u128::MAX), "\"340282366920938463463374607431768211455\""),
            (Boolean(true), "true"),
            (Single(0.1), "0.1"),
            (Double(f64::INFINITY), "\"inf\""),
            (Complex(Box::new([Double(1.0), Double(-2.5)])), "[1.0,-2.5]"),
            (Pointer(16), "\"0x10\""),
            (Enumerator("RED".to_owned(), 1), "\"RED\""),
            (Array(vec![Signed(1), Bytes, Text("a".to_owned())]), "[1,\"a\"]"),
        ] {
            assert_eq!(serde_json::to_string(&value).unwrap_or_default(), json, "{value:?}");
        }
    }
}
