//! Places in words and as members of the JSON document.

use cubin_debuginfo::variables::{
    ConstantValue, Frame, FrameBase, Held, Memory, Missing, Place, Remark, Unavailable,
};
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
        let whole = place.is_available();
        let words = match place {
            Place::Register(held) => Self { text: held.to_string(), ..Self::held("register", held) },
            Place::Memory(memory) => Self::memory(cubin, memory),
            Place::Frame(frame) => Self::frame(frame),
            Place::Based { register, offset, value } => {
                let kind = if *value { "computed" } else { "based" };
                let sum = format!("{register}{}", signed((*offset).into()));
                let text = if *value { sum } else { format!("[{sum}]") };
                Self { text, offset: Some((*offset).into()), ..Self::held(kind, register) }
            }
            Place::Constant(constant) => {
                let is_bytes = constant.value == ConstantValue::Bytes;
                Self {
                    kind: if is_bytes { "bytes" } else { "constant" },
                    text: format!("= {constant}"),
                    value: json_value(&constant.value),
                    bits: Some(hexadecimal(&constant.bits)),
                    ..Self::default()
                }
            }
            Place::Words(words) => Self { kind: "expression", text: words.clone(), ..Self::default() },
            Place::Unavailable(reason) => Self {
                kind: NOWHERE,
                text: unavailable(reason),
                is_abstract: *reason == Unavailable::Abstract,
                ..Self::default()
            },
        };
        Self { whole, ..words }
    }

    fn held(kind: &'static str, held: &Held) -> Self {
        let registers = held.words.iter();
        let registers =
            registers.map(|word| Register { part: word.part, register: word.register.to_string() }).collect();
        let ptx = Some(held.ptx.clone()).filter(|ptx| !ptx.is_empty());
        Self { kind, ptx, registers, ..Self::default() }
    }

    fn memory(cubin: &'a Cubin<'_>, memory: &Memory) -> Self {
        let space = memory.space.state_space().unwrap_or(memory.space.name());
        let section = memory.section.map(|section| cubin.section_name(section));
        let symbol = memory.symbol.map(|(symbol, offset)| (cubin.symbol_name(symbol), offset));
        let offset = memory.offset;
        let text = match memory.bank {
            Some(bank) => format!("c[{bank:#x}][{offset:#x}]"),
            None => match section {
                Some(section) => format!("{section}+{offset:#x}"),
                None => format!("{space}[{offset:#x}]"),
            },
        };
        let text = match memory.parameter {
            Some(parameter) => format!("{text}  param+{parameter:#x}"),
            None if symbol.is_some() && section.is_none() && memory.bank.is_none() => {
                format!("{space}, not placed yet")
            }
            None if symbol.is_some() => format!("{space}, {text}"),
            None => text,
        };
        Self {
            kind: "memory",
            text,
            space: Some(space),
            section,
            symbol: symbol.map(|(symbol, _)| symbol),
            symbol_offset: symbol.map(|(_, offset)| offset),
            bank: memory.bank,
            offset: Some(offset.into()),
            parameter_offset: memory.parameter,
            ..Self::default()
        }
    }

    fn frame(frame: &Frame) -> Self {
        let offset = frame.offset;
        let text = match (&frame.base, frame.from_stack_pointer) {
            (FrameBase::CallFrame, Some(stack)) => {
                format!("local[R1{}]  CFA{}", signed(stack.into()), signed(offset.into()))
            }
            (FrameBase::CallFrame, None) => format!("local[CFA{}]", signed(offset.into())),
            (FrameBase::Register(register), _) => format!("local[{register}{}]", signed(offset.into())),
            (FrameBase::Missing, _) => {
                format!("local[frame{}]  the function has no DW_AT_frame_base", signed(offset.into()))
            }
            (FrameBase::Words(words), _) => format!("local[{{ {words} }}{}]", signed(offset.into())),
        };
        Self {
            kind: "frame",
            text,
            space: Some("local"),
            offset: Some(offset.into()),
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

/// `+0x10`, `-0x8`; nothing for 0.
fn signed(number: i128) -> String {
    match number {
        0 => String::new(),
        1.. => format!("+{number:#x}"),
        _ => format!("-{:#x}", number.unsigned_abs()),
    }
}

/// Why a variable is nowhere.
fn unavailable(reason: &Unavailable) -> String {
    match reason {
        Unavailable::NoLocation => "optimised out: the entry has no location".to_owned(),
        Unavailable::Abstract => {
            "of the source: its places are with the calls it was inlined into".to_owned()
        }
        Unavailable::Declaration => "a declaration: the definition is elsewhere".to_owned(),
        Unavailable::NoCode => "its code is not in the file".to_owned(),
        Unavailable::Gap => "optimised out here: the location list leaves it out".to_owned(),
        Unavailable::Empty => "optimised out: the expression is empty".to_owned(),
        Unavailable::OpenRange => "a range of the list has a label that ptxas gave no address".to_owned(),
        Unavailable::Unknown => {
            "not known here: the list may have it in what cannot be read of it".to_owned()
        }
        Unavailable::BadRange => {
            "a range of the list that ends before it starts, or in other code".to_owned()
        }
        Unavailable::BadList(error) => format!("the list cannot be read: {error}"),
        Unavailable::NoAddress(0) => {
            "address 0 without relocation: no symbol, or the start of a memory that is not stated".to_owned()
        }
        Unavailable::NoAddress(number) => {
            format!("address {number:#x} without relocation: nothing says what is there")
        }
        Unavailable::NoFrameOffset(number) => {
            format!("address {number:#x} in local memory, where places count from a frame: nothing says what is there")
        }
        Unavailable::OutsideMemory(number) => {
            format!("address {number:#x}: the memory that DW_AT_address_class names has no such variable there")
        }
        Unavailable::NoSymbol(name) => format!("the symbol {name} is defined nowhere"),
        Unavailable::NoSharedAddress => {
            "address -1, which is none: no code uses it (ptxas), or it is dynamic, behind its kernel's own (nvlink)".to_owned()
        }
        Unavailable::NotRelocated => {
            "not placed yet: nvlink -r took its relocation away, and the number is no address".to_owned()
        }
        Unavailable::NotInRegister(ptx) => format!("{ptx} is in no register here"),
        Unavailable::NoRegisterMap(ptx) => {
            format!("{ptx}: the file has no register map that can be read; without -G it has none")
        }
        Unavailable::UnknownRegister(number) => format!("{number} is no register of the chip"),
    }
}

/// What answers lack.
pub(super) fn missing(missing: Missing) -> &'static str {
    match missing {
        Missing::SourceFiles => "source files",
        Missing::FrameSizes => "offsets from R1",
        Missing::Registers => "SASS registers",
    }
}

/// What a debugger may get wrong.
pub(super) fn remark(remark: Remark) -> &'static str {
    match remark {
        Remark::NoClass => "no DW_AT_address_class: a debugger reads global memory there",
        Remark::OtherClass => "DW_AT_address_class names another memory: a debugger reads that one",
        Remark::Unplaced => {
            "the address has no relocation, which one of the memory that DW_AT_address_class names needs"
        }
        Remark::MaybeUndefined => {
            "unsure: for a name that the module does not define, ptxas writes a number too, and the file has such a symbol"
        }
        Remark::RegisterOfOtherClass => "in a register, but DW_AT_address_class is that of a memory",
    }
}
