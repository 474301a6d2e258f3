//! Whether an expression is one that LLVM's verifier takes.

use crate::value::{Fields, Value};
use crate::{IrDialect, NodeKind, TextRange};

/// An operation of expressions.
struct Operation {
    /// Its name without `DW_OP_`.
    name: &'static str,
    /// Its number in DWARF or LLVM.
    code: u64,
    /// How many operands it has.
    operands: usize,
    /// Whether the dialect with typed pointers has it.
    in_typed: bool,
}

const fn both(name: &'static str, code: u64, operands: usize) -> Operation {
    Operation { name, code, operands, in_typed: true }
}

const fn modern(name: &'static str, code: u64, operands: usize) -> Operation {
    Operation { name, code, operands, in_typed: false }
}

/// The operations that are taken. Registers (`reg0` to `breg31`) are apart. Observed: libNVVM
/// 13.0.88, each operation with 0 to 2 operands.
static OPERATIONS: [Operation; 42] = [
    both("deref", 0x06, 0),
    both("constu", 0x10, 1),
    modern("consts", 0x11, 1),
    both("dup", 0x12, 0),
    modern("over", 0x14, 0),
    both("swap", 0x16, 0),
    both("xderef", 0x18, 0),
    both("and", 0x1a, 0),
    both("div", 0x1b, 0),
    both("minus", 0x1c, 0),
    both("mod", 0x1d, 0),
    both("mul", 0x1e, 0),
    both("not", 0x20, 0),
    both("or", 0x21, 0),
    both("plus", 0x22, 0),
    both("plus_uconst", 0x23, 1),
    both("shl", 0x24, 0),
    both("shr", 0x25, 0),
    both("shra", 0x26, 0),
    both("xor", 0x27, 0),
    modern("eq", 0x29, 0),
    modern("ge", 0x2a, 0),
    modern("gt", 0x2b, 0),
    modern("le", 0x2c, 0),
    modern("lt", 0x2d, 0),
    modern("ne", 0x2e, 0),
    both("lit0", 0x30, 0),
    modern("regx", 0x90, 1),
    modern("bregx", 0x92, 2),
    both("piece", 0x93, 1),
    both("deref_size", 0x94, 1),
    both("xderef_size", 0x95, 1),
    modern("push_object_address", 0x97, 0),
    both("stack_value", 0x9f, 0),
    both("LLVM_fragment", 0x1000, 2),
    modern("LLVM_convert", 0x1001, 2),
    modern("LLVM_tag_offset", 0x1002, 1),
    modern("LLVM_entry_value", 0x1003, 1),
    modern("LLVM_implicit_pointer", 0x1004, 0),
    modern("LLVM_arg", 0x1005, 1),
    modern("LLVM_extract_bits_sext", 0x1006, 2),
    modern("LLVM_extract_bits_zext", 0x1007, 2),
];

/// `reg0` to `reg31`.
const REGISTERS: std::ops::RangeInclusive<u64> = 0x50..=0x6f;
/// `breg0` to `breg31`.
const BASE_REGISTERS: std::ops::RangeInclusive<u64> = 0x70..=0x8f;

/// The part of a variable that a value is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BitFragment {
    /// Its first bit.
    pub(super) offset: u64,
    /// How many bits it has.
    pub(super) size: u64,
}

/// An expression that LLVM takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ReadExpression {
    /// The fragment at its end.
    pub(super) fragment: Option<BitFragment>,
    /// The address class of `DW_OP_constu N, DW_OP_swap, DW_OP_xderef`.
    pub(super) address_class: Option<u64>,
}

/// Reads an expression; nothing if LLVM's verifier does not take it.
pub(super) fn read(text: &str, content: TextRange, dialect: IrDialect) -> Option<ReadExpression> {
    let elements: Vec<&str> = Fields::new(text, content).map(|field| field.range.slice(text)).collect();
    let (mut at, mut read) = (0, ReadExpression::default());
    let mut codes = Vec::new();
    while at < elements.len() {
        let code = code(elements[at])?;
        if dialect == IrDialect::OpaquePointers
            && (REGISTERS.contains(&code) || BASE_REGISTERS.contains(&code) && elements.len() - at > 1)
        {
            // LLVM looks no further.
            return Some(read);
        }
        let operation = OPERATIONS.iter().find(|operation| operation.code == code)?;
        if dialect == IrDialect::TypedPointers && !operation.in_typed {
            return None;
        }
        let operands = elements.get(at + 1..at + 1 + operation.operands)?;
        let number = |index: usize| operands.get(index).and_then(|word| word.parse::<u64>().ok());
        let end = at + 1 + operation.operands;
        match operation.name {
            "LLVM_fragment" => {
                if end != elements.len() {
                    return None;
                }
                read.fragment = Some(BitFragment { offset: number(0)?, size: number(1)? });
            }
            "stack_value" if end != elements.len() && self::code(elements[end]) != Some(0x1000) => {
                return None;
            }
            "swap" if elements.len() == 1 => return None,
            "LLVM_entry_value" => {
                let is_first = at == 0 || at == 2 && codes == [(0x1005, Some(0))];
                return (is_first && number(0) == Some(1)).then_some(read);
            }
            _ => {}
        }
        codes.push((code, number(0)));
        at = end;
    }
    let class =
        codes.windows(3).find(|window| window[0].0 == 0x10 && window[1].0 == 0x16 && window[2].0 == 0x18);
    read.address_class = class.and_then(|window| window[0].1);
    Some(read)
}

/// Whether the last operation of an expression lacks operands. Some parts of LLVM read past its
/// end.
pub(super) fn lacks_operands(text: &str, content: TextRange) -> bool {
    let mut elements = Fields::new(text, content).map(|field| field.range.slice(text));
    while let Some(word) = elements.next() {
        let operation = OPERATIONS.iter().find(|operation| code(word) == Some(operation.code));
        for _ in 0..operation.map_or(0, |operation| operation.operands) {
            if elements.next().is_none() {
                return true;
            }
        }
    }
    false
}

/// The content of an expression; nothing for another node.
pub(super) fn content(text: &str, value: Value, module: &crate::Module<'_>) -> Option<TextRange> {
    let body = match value {
        Value::Inline(body) => body,
        Value::Number(number) => module.node(module.node_id(number)?)?.body,
        _ => return None,
    };
    (body.kind == NodeKind::Expression && body.range.slice(text).len() >= 2).then_some(body.content)
}

/// The number of an operation by its name or as written.
fn code(word: &str) -> Option<u64> {
    let Some(name) = word.strip_prefix("DW_OP_") else { return word.parse().ok() };
    let register = |prefix: &str, first: u64| {
        let number: u64 = name.strip_prefix(prefix)?.parse().ok()?;
        (number < 32).then_some(first + number)
    };
    let named = OPERATIONS.iter().find(|operation| operation.name == name);
    named.map(|operation| operation.code).or_else(|| register("reg", 0x50)).or_else(|| register("breg", 0x70))
}

/// The names of DWARF's operations, without `DW_OP_`, that LLVM knows and takes in no expression.
static OTHER_NAMES: [&str; 38] = [
    "addr",
    "const1u",
    "const1s",
    "const2u",
    "const2s",
    "const4u",
    "const4s",
    "const8u",
    "const8s",
    "drop",
    "pick",
    "rot",
    "abs",
    "neg",
    "bra",
    "skip",
    "fbreg",
    "nop",
    "call2",
    "call4",
    "call_ref",
    "form_tls_address",
    "call_frame_cfa",
    "bit_piece",
    "implicit_value",
    "implicit_pointer",
    "addrx",
    "constx",
    "entry_value",
    "const_type",
    "regval_type",
    "deref_type",
    "xderef_type",
    "convert",
    "reinterpret",
    "GNU_push_tls_address",
    "GNU_addr_index",
    "GNU_const_index",
];

/// Whether LLVM's parser knows the name of an operation, with `DW_OP_`.
pub(super) fn is_known(word: &str, dialect: IrDialect) -> bool {
    let Some(name) = word.strip_prefix("DW_OP_") else { return false };
    let is_llvm = name.starts_with("LLVM_") && name != "LLVM_fragment";
    if is_llvm && dialect == IrDialect::TypedPointers {
        return false;
    }
    let is_literal =
        name.strip_prefix("lit").and_then(|rest| rest.parse::<u64>().ok()).is_some_and(|n| n < 32);
    is_literal
        || code(word).is_some()
        || OTHER_NAMES.contains(&name)
        || name == "GNU_entry_value" && dialect == IrDialect::OpaquePointers
}
