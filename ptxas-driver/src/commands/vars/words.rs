//! Places as members of the JSON document.

use cubin_debuginfo::variables::{ConstantValue, Frame, Held, Memory, Place, Unavailable};
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;
use std::fmt::Write as _;

/// `kind` of a place that is none.
pub(super) const NOWHERE: &str = "unavailable";

/// A place.
#[derive(Debug, Default, Serialize)]
pub(super) struct Words<'a> {
    pub(super) kind: &'static str,
    /// The place as text; why there is none.
    pub(super) text: String,
    /// Whether all of the variable is there.
    pub(super) whole: bool,
    /// Nowhere, as of a function's source.
    #[serde(skip)]
    pub(super) is_abstract: bool,
    /// The PTX register.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ptx: Option<String>,
    /// A constant in its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    /// Its bits as one hexadecimal number.
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registers: Vec<Register>,
    /// The memory, by its PTX state space.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bank: Option<u32>,
    /// Byte offset in the section, window, bank or frame, or from a register.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i128>,
    /// Byte offset among the kernel's parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter_offset: Option<u64>,
    /// Byte offset from R1.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_offset: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Register {
    part: u32,
    register: String,
}

impl<'a> Words<'a> {
    pub(super) fn new(cubin: &'a Cubin<'_>, place: &Place) -> Self {
        let (text, whole) = (place.display(cubin).to_string(), place.is_available());
        let words = match place {
            Place::Register(held) => Self::held("register", held),
            Place::Memory(memory) => Self::memory(cubin, memory),
            Place::Frame(frame) => Self::frame(frame),
            Place::Based { register, offset, value } => {
                let kind = if *value { "computed" } else { "based" };
                Self { offset: Some((*offset).into()), ..Self::held(kind, register) }
            }
            Place::Constant(constant) => {
                let is_bytes = constant.value == ConstantValue::Bytes;
                Self {
                    kind: if is_bytes { "bytes" } else { "constant" },
                    value: json_value(&constant.value),
                    bits: Some(hexadecimal(&constant.bits)),
                    ..Self::default()
                }
            }
            Place::Words(_) => Self { kind: "expression", ..Self::default() },
            Place::Unavailable(reason) => {
                Self { kind: NOWHERE, is_abstract: *reason == Unavailable::Abstract, ..Self::default() }
            }
        };
        Self { text, whole, ..words }
    }

    fn held(kind: &'static str, held: &Held) -> Self {
        let registers = held.words.iter();
        let registers =
            registers.map(|word| Register { part: word.part, register: word.register.to_string() }).collect();
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

    fn frame(frame: &Frame) -> Self {
        Self {
            kind: "frame",
            space: Some("local"),
            offset: Some(frame.offset.into()),
            stack_offset: frame.from_stack_pointer,
            ..Self::default()
        }
    }
}

/// A constant as a number, text, list, or `true` and `false`; text for a number that JSON does not have.
fn json_value(value: &ConstantValue) -> Option<serde_json::Value> {
    use serde_json::Value as Json;
    Some(match value {
        ConstantValue::Signed(number) | ConstantValue::Character(number) => of_number(*number),
        ConstantValue::Unsigned(number) => {
            u64::try_from(*number).map_or_else(|_| Json::from(number.to_string()), Json::from)
        }
        ConstantValue::Boolean(value) => Json::from(*value),
        ConstantValue::Single(number) => of_text(&number.to_string()),
        ConstantValue::Double(number) => of_text(&number.to_string()),
        ConstantValue::Complex(parts) => Json::from(parts.iter().filter_map(json_value).collect::<Vec<_>>()),
        ConstantValue::Pointer(number) => Json::from(format!("{number:#x}")),
        ConstantValue::Enumerator(name, _) => Json::from(name.as_str()),
        ConstantValue::Text(text) => Json::from(text.as_str()),
        ConstantValue::Array(values) => Json::from(values.iter().filter_map(json_value).collect::<Vec<_>>()),
        ConstantValue::Bytes => return None,
    })
}

fn of_number(number: i128) -> serde_json::Value {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => number.into(),
        (_, Ok(number)) => number.into(),
        _ => number.to_string().into(),
    }
}

/// A floating-point number as its shortest digits have it; text for infinity and NaN.
fn of_text(digits: &str) -> serde_json::Value {
    let number = digits.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    number.map_or_else(|| digits.into(), serde_json::Value::from)
}

/// Bytes, the lowest first, as one number: `0xfde8`.
fn hexadecimal(bits: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bits.iter().rev() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
