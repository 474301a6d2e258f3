//! The records of `.nv.info` in words.

use super::model::{Contents, NvInfoRecord};
use super::section::{Source, View};
use nv_debug_sections::Result;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use nv_debug_sections::nv_info::{self, KernelParameter, Record, Value};

pub(super) fn attributes(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let table = SectionIndex(source.cubin.section(view.index)?.link);
    let name = |symbol| source.cubin.symbol_name_in(table, symbol).to_owned();
    let records = nv_info::decode(&view.name, &view.data.bytes)?;
    let records = records.iter().map(|record| NvInfoRecord {
        attribute: record.attribute.to_string(),
        format: record.value.format_name(),
        value: words(record, &name),
    });
    Ok(Contents::Attributes(records.collect()))
}

fn words(record: &Record<'_>, name: &dyn Fn(SymbolIndex) -> String) -> String {
    if let Some((symbol, number)) = record.symbol_and_number() {
        return format!("{} {number:#x}", name(symbol));
    }
    if let Some(KernelParameter { ordinal, offset, size, .. }) = record.parameter() {
        return format!("parameter {ordinal}: offset {offset:#x}, {size} bytes");
    }
    match &record.value {
        Value::None { .. } => String::new(),
        Value::Byte { value, .. } => format!("{value:#x}"),
        Value::Half(value) => format!("{value:#x}"),
        Value::Sized(_) => {
            let symbols = record.symbols().count();
            let names = record.symbols().map(name);
            let numbers = record.words().skip(symbols).map(|word| format!("{word:#x}"));
            names.chain(numbers).collect::<Vec<_>>().join(" ")
        }
    }
}
