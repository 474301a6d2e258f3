//! The records of `.nv.info` in words.

use super::contents::{Contents, Decoded};
use super::dump_source::DumpSource;
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use nv_debug_sections::nv_info::{self, KernelParameter, Record, Value};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn records<'s>(
    source: &'s DumpSource<'_, '_>,
    view: &'s RelocatedView<'_>,
) -> Result<Decoded<'s>> {
    let section = source.cubin.section(view.index)?;
    let link = section.link;
    let name = move |symbol| source.cubin.symbol_name_in(SectionIndex(link), symbol).to_owned();
    let records = nv_info::decode(&view.name, &view.data.bytes)?;
    let mut functions: Vec<_> = nv_info::functions(&records)
        .into_iter()
        .map(|(symbol, needs)| FunctionFacts {
            function: name(symbol),
            registers: needs.registers,
            frame_size: needs.frame_size,
            min_stack_size: needs.min_stack_size,
            max_stack_size: needs.max_stack_size,
            exits: Vec::new(),
        })
        .collect();
    let exits: Vec<u32> = nv_info::exit_offsets(&records).collect();
    if !exits.is_empty() {
        let code = source.cubin.section_name(SectionIndex(section.info));
        let function = code.rsplit_once(CODE_PREFIX).map_or(code, |(_, function)| function).to_owned();
        functions.push(FunctionFacts { function, exits, ..FunctionFacts::default() });
    }
    let records = ItemStream::new(move |visit| {
        let mut end = 0;
        records.iter().try_for_each(|record| {
            visit(StreamPart::Item(NvInfoRecord {
                at: Span::next(&mut end, record.size()),
                attribute: record.attribute.to_string(),
                format: record.value.format_name(),
                value: words(record, &name),
            }))
        })
    });
    Ok(Decoded { contents: Contents::Attributes(records), functions })
}

fn words(record: &Record<'_>, name: &dyn Fn(SymbolIndex) -> String) -> String {
    if let Some((symbol, number)) = record.symbol_and_number() {
        return format!("{} {number:#x}", name(symbol));
    }
    if let Some(KernelParameter { ordinal, offset, size, .. }) = record.parameter() {
        return format!("parameter {ordinal}: offset {offset:#x}, {size} bytes");
    }
    let unused = |bytes: &[u8]| {
        let is_zero = bytes.iter().all(|byte| *byte == 0);
        if is_zero { String::new() } else { format!(" unused bytes {bytes:02x?}") }
    };
    match &record.value {
        Value::None { padding } => unused(&padding.to_le_bytes()).trim_start().to_owned(),
        Value::Byte { value, padding } => format!("{value:#x}{}", unused(&[*padding])),
        Value::Half(value) => format!("{value:#x}"),
        Value::Sized(bytes) => {
            let symbols = record.symbols().count();
            let names = record.symbols().map(name);
            let numbers = record.words().skip(symbols).map(|word| format!("{word:#x}"));
            let rest = bytes.chunks_exact(4).remainder();
            let rest = (!rest.is_empty()).then(|| format!("bytes {rest:02x?}"));
            names.chain(numbers).chain(rest).collect::<Vec<_>>().join(" ")
        }
    }
}

/// A record of `.nv.info` or `.nv.info.FUNCTION`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NvInfoRecord {
    /// The byte range of the record in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Name of the record's attribute, such as `EIATTR_REGCOUNT`; `EIATTR_0x6d` for a number
    /// without a name.
    pub attribute: String,
    /// Name of the format of the record's value, such as `EIFMT_SVAL`.
    pub format: &'static str,
    /// The value of the record, in words.
    pub value: String,
}

/// The resources of a function, from the records of `.nv.info` or of `.nv.info.F`. Sizes are in
/// bytes.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FunctionFacts {
    /// The name of the function's symbol.
    pub function: String,
    /// The number of SASS registers that the function uses. Absent where no record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// The size of the function's stack frame. Absent where no record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_size: Option<u32>,
    /// The stack that the function needs together with its callees; 4294967295 with recursion.
    /// Absent where no record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_stack_size: Option<u32>,
    /// The largest stack that the function may need together with its callees. Absent where no
    /// record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_stack_size: Option<u32>,
    /// The byte offsets of the function's `EXIT` instructions in its code section. Absent where no
    /// record says them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exits: Vec<u32>,
}
