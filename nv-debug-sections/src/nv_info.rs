//! `.nv.info` and `.nv.info.F`: records about functions for the driver, the linker and debug tools.
//!
//! A record is a format, an attribute and a value: `04 2f 08 00 | symbol, count` is the register
//! count of a function. `.nv.info` holds what the linker adds up (registers, frames, stacks, by
//! symbol), `.nv.info.F` what holds for function F alone (parameters, places of `EXIT` and other
//! instructions); `.nv.merc.nv.info` and `.nv.merc.nv.info.F` are the same with Mercury addresses,
//! and symbols of `.nv.merc.symtab`.
//!
//! No public specification. Names and meanings as cuobjdump 13.2.86 prints them;
//! docs/formats/nv-info.md, where records stand; observed: ptxas 13.0.88, sm_75-sm_121. Every
//! record is kept, its attribute known or not, so that what is written is what was read.
//!
//! ```
//! use nv_debug_sections::cubin::SymbolIndex;
//! use nv_debug_sections::nv_info;
//! // EIATTR_REGCOUNT of symbol 12: 24; EIATTR_MIN_STACK_SIZE: 0; EIATTR_EXIT_INSTR_OFFSETS of a function: 0x90, 0x360.
//! let file = [4, 0x2f, 8, 0, 12, 0, 0, 0, 24, 0, 0, 0, 4, 0x12, 8, 0, 12, 0, 0, 0, 0, 0, 0, 0];
//! let records = nv_info::decode(nv_info::NAME, &file)?;
//! let needs = nv_info::functions(&records)[&SymbolIndex(12)];
//! assert_eq!((needs.registers, needs.min_stack_size, needs.frame_size), (Some(24), Some(0), None));
//! let function = [4, 0x1c, 8, 0, 0x90, 0, 0, 0, 0x60, 3, 0, 0];
//! let records = nv_info::decode(".nv.info.saxpy", &function)?;
//! assert!(nv_info::exit_offsets(&records).eq([0x90, 0x360]));
//! # Ok::<(), nv_debug_sections::Error>(())
//! ```

pub(crate) mod attribute;
mod parameter;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::cubin::{Cubin, Section, SectionIndex, SymbolIndex, sht};
use crate::cursor::Cursor;
use crate::{Error, ErrorKind, Result};

pub use attribute::Attribute;
pub use parameter::{KernelParameter, parameters};

/// The name of the section `.nv.info`, which is about the whole file. The section for a function F
/// has this name, a dot, and F.
pub const NAME: &str = ".nv.info";

/// One record of `.nv.info`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Record<'d> {
    /// The attribute of the record, a number that gives its meaning.
    pub attribute: Attribute,
    /// The value of the record. Its variant determines the format byte.
    pub value: Value<'d>,
}

/// The value of an `.nv.info` record. Unused bytes are 0 in every file seen, and are kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value<'d> {
    /// `EIFMT_NVAL`, format 1: no value. Only the presence of the record counts.
    None {
        /// The two bytes after the attribute.
        padding: u16,
    },
    /// `EIFMT_BVAL`, format 2: a value of one byte.
    Byte {
        /// The byte after the attribute.
        value: u8,
        /// The byte after the value.
        padding: u8,
    },
    /// `EIFMT_HVAL`, format 3: a value of two bytes.
    Half(u16),
    /// `EIFMT_SVAL`, format 4: a size of two bytes, and a value of that many bytes.
    Sized(Cow<'d, [u8]>),
}

impl Value<'_> {
    /// The format byte of a record with this value in `.nv.info`.
    pub fn format(&self) -> u8 {
        match self {
            Self::None { .. } => 1,
            Self::Byte { .. } => 2,
            Self::Half(_) => 3,
            Self::Sized(_) => 4,
        }
    }

    /// NVIDIA's name of the format of a record with this value, such as `EIFMT_SVAL`.
    pub fn format_name(&self) -> &'static str {
        match self {
            Self::None { .. } => "EIFMT_NVAL",
            Self::Byte { .. } => "EIFMT_BVAL",
            Self::Half(_) => "EIFMT_HVAL",
            Self::Sized(_) => "EIFMT_SVAL",
        }
    }
}

/// Which 32-bit words of a sized value are symbol indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbols {
    First,
    All,
}

/// Attributes whose values name symbols, of the symbol table that the section links to.
///
/// cuobjdump prints their names, but for `MAX_STACK_SIZE` and `PARAM_CBANK`: there every value of
/// the corpus is a function's, or the section symbol of `.nv.constant0.F`.
const SYMBOLS: [(Attribute, Symbols); 9] = [
    (Attribute::PARAM_CBANK, Symbols::First),
    (Attribute::EXTERNS, Symbols::All),
    (Attribute::FRAME_SIZE, Symbols::First),
    (Attribute::MIN_STACK_SIZE, Symbols::First),
    (Attribute::MAX_STACK_SIZE, Symbols::First),
    (Attribute::LOAD_CACHE_REQUEST, Symbols::First),
    (Attribute::REGCOUNT, Symbols::First),
    (Attribute::SAM_REGION_STACK_SIZE, Symbols::First),
    (Attribute::SYSCALLS_FALLBACK, Symbols::All),
];

/// Decodes an `.nv.info` section to its records. `section` is its name, for errors.
///
/// # Errors
///
/// [`ErrorKind::Truncated`] where the data ends inside a record, [`ErrorKind::Value`] for a format
/// that is none of the four: the length of such a record is not known.
pub fn decode<'d>(section: &'d str, data: &'d [u8]) -> Result<Vec<Record<'d>>> {
    let mut cursor = Cursor::new(section, data);
    let mut records = Vec::new();
    while !cursor.is_empty() {
        let start = cursor.offset();
        let format = cursor.u8("a record's format")?;
        let attribute = Attribute(cursor.u8("a record's attribute")?);
        let half = cursor.u16("a record's value")?;
        let [low, high] = half.to_le_bytes();
        let value = match format {
            1 => Value::None { padding: half },
            2 => Value::Byte { value: low, padding: high },
            3 => Value::Half(half),
            4 => Value::Sized(Cow::Borrowed(cursor.take(half.into(), "a record's sized value")?)),
            found => {
                let expected = "1 to 4, EIFMT_NVAL to EIFMT_SVAL";
                let kind = ErrorKind::Value { field: "a record's format", found: found.into(), expected };
                return Err(cursor.error_at(start, kind));
            }
        };
        records.push(Record { attribute, value });
    }
    Ok(records)
}

/// Encodes records as the contents of an `.nv.info` section. `section` is its name, for errors.
///
/// # Errors
///
/// [`ErrorKind::DoesNotFit`], at the offset of the record, for a sized value of 64 KiB or more.
pub fn encode(section: &str, records: &[Record<'_>]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for record in records {
        let half = match &record.value {
            Value::None { padding } => *padding,
            Value::Byte { value, padding } => u16::from_le_bytes([*value, *padding]),
            Value::Half(value) => *value,
            Value::Sized(bytes) => u16::try_from(bytes.len()).map_err(|_| {
                let (value, field) = (bytes.len() as u64, "a 16-bit size");
                let kind = ErrorKind::DoesNotFit { what: "the length of a record's value", value, field };
                Error::new(section, out.len() as u64, kind)
            })?,
        };
        out.extend_from_slice(&[record.value.format(), record.attribute.0]);
        out.extend_from_slice(&half.to_le_bytes());
        if let Value::Sized(bytes) = &record.value {
            out.extend_from_slice(bytes);
        }
    }
    Ok(out)
}

impl Record<'_> {
    /// The number of bytes that the record takes in `.nv.info`.
    pub fn size(&self) -> u64 {
        let sized = match &self.value {
            Value::Sized(bytes) => bytes.len() as u64,
            _ => 0,
        };
        4 + sized
    }

    /// Iterates over the 32-bit words of the record's value. Bytes after the last complete word are
    /// left out. Only values of the format `EIFMT_SVAL` have words.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        let bytes = match &self.value {
            Value::Sized(bytes) => &**bytes,
            _ => &[],
        };
        bytes
            .chunks_exact(4)
            .map(|word| word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    /// Returns how many of the words, from the first on, are symbol indices.
    fn symbol_words(&self) -> usize {
        match SYMBOLS.iter().find(|(attribute, _)| *attribute == self.attribute) {
            None => 0,
            Some((_, Symbols::First)) => 1,
            Some((_, Symbols::All)) => usize::MAX,
        }
    }

    /// Iterates over the symbols that the `.nv.info` record names, as indices in the symbol table
    /// to which the section links.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolIndex> {
        self.words().take(self.symbol_words()).map(SymbolIndex)
    }

    /// Replaces every symbol index of the `.nv.info` record by what `map` returns for it, for a
    /// file whose symbols get new indices.
    pub fn map_symbols(&mut self, mut map: impl FnMut(SymbolIndex) -> SymbolIndex) {
        let count = self.symbol_words();
        let new: Vec<[u8; 4]> = self.symbols().map(|symbol| map(symbol).0.to_le_bytes()).collect();
        if let Value::Sized(bytes) = &mut self.value
            && count != 0
        {
            let fields = bytes.to_mut().chunks_exact_mut(4);
            fields.zip(&new).for_each(|(field, symbol)| field.copy_from_slice(symbol));
        }
    }

    /// The symbol and the number of an `.nv.info` record that consists of exactly these two, such
    /// as `REGCOUNT` or `FRAME_SIZE`; `None` for other records.
    pub fn symbol_and_number(&self) -> Option<(SymbolIndex, u32)> {
        let mut words = self.words();
        match (self.symbol_words(), words.next(), words.next(), words.next()) {
            (1, Some(symbol), Some(number), None) => Some((SymbolIndex(symbol), number)),
            _ => None,
        }
    }

    /// The parameter that a `KPARAM_INFO` record describes; `None` for other records.
    pub fn parameter(&self) -> Option<KernelParameter> {
        match &self.value {
            Value::Sized(bytes) if self.attribute == Attribute::KPARAM_INFO => {
                bytes.as_ref().try_into().ok().map(KernelParameter::from_bytes)
            }
            _ => None,
        }
    }
}

/// The registers and the stack that one function needs, from its `.nv.info` records. Sizes are in
/// bytes. `None` means that there is no such record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct FunctionResources {
    /// `REGCOUNT`: the number of 32-bit registers that a thread needs.
    pub registers: Option<u32>,
    /// `FRAME_SIZE`: the size of the function's own stack frame.
    pub frame_size: Option<u32>,
    /// `MIN_STACK_SIZE`: the stack size of a thread that runs the function, including its callees;
    /// [`UNKNOWN_STACK`] with recursion.
    pub min_stack_size: Option<u32>,
    /// `MAX_STACK_SIZE`: the largest stack size, which only relocatable objects have.
    pub max_stack_size: Option<u32>,
}

/// The value of [`FunctionResources::min_stack_size`] for a kernel whose call graph has a cycle.
/// Observed: ptxas 13.0.88.
pub const UNKNOWN_STACK: u32 = u32::MAX;

/// Collects the registers and stack that each function needs, by its symbol, from the records of
/// `.nv.info`. If a record occurs twice, the last one counts.
pub fn functions(records: &[Record<'_>]) -> BTreeMap<SymbolIndex, FunctionResources> {
    let mut functions: BTreeMap<_, FunctionResources> = BTreeMap::new();
    for record in records {
        let Some((symbol, number)) = record.symbol_and_number() else { continue };
        let mut set = |field: fn(&mut FunctionResources) -> &mut Option<u32>| {
            *field(functions.entry(symbol).or_default()) = Some(number);
        };
        match record.attribute {
            Attribute::REGCOUNT => set(|needs| &mut needs.registers),
            Attribute::FRAME_SIZE => set(|needs| &mut needs.frame_size),
            Attribute::MIN_STACK_SIZE => set(|needs| &mut needs.min_stack_size),
            Attribute::MAX_STACK_SIZE => set(|needs| &mut needs.max_stack_size),
            _ => {}
        }
    }
    functions
}

/// Finds the section `.nv.info.F` of the code section `.text.F` with the index `code`, or the
/// Mercury copy of `.nv.info.F` for `.nv.capmerc.text.F`. The section is found by its `sh_info`.
/// Each call searches the section table.
pub fn section_of(cubin: &Cubin<'_>, code: SectionIndex) -> Option<SectionIndex> {
    let is_info = |section: &Section<'_>| matches!(section.sh_type, sht::CUDA_INFO | sht::MERC_INFO);
    let of_code = |section: &Section<'_>| section.info_is_section() && section.info == code.0;
    cubin.iter().find(|(_, _, section)| is_info(section) && of_code(section)).map(|(index, ..)| index)
}

/// Iterates over the byte offsets in `.text.F` of its `EXIT` instructions, from the records of
/// `.nv.info.F`.
pub fn exit_offsets(records: &[Record<'_>]) -> impl Iterator<Item = u32> {
    records.iter().filter(|record| record.attribute == Attribute::EXIT_INSTR_OFFSETS).flat_map(Record::words)
}
