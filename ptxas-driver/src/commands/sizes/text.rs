//! `sizes` as text.

use super::By;
use crate::printable_text::printable;
use crate::text_table::{Column, write_table};
use cubin_debuginfo::coverage::percent;
use cubin_debuginfo::sizes::{ArchBytes, ByteCount, FunctionBytes, GroupBytes, Sizes};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes the lists of a file, or one of them, with at most `top` functions; 0 for all.
pub(super) fn file(
    out: &mut dyn Write,
    name: &str,
    sizes: &Sizes,
    by: Option<By>,
    top: usize,
) -> io::Result<()> {
    let Sizes { cubins, size, archs, groups, functions } = sizes;
    let grown = size.base_bytes.map(|_| format!(", {}", change(*size))).unwrap_or_default();
    let plural = if *cubins == 1 { "" } else { "s" };
    writeln!(out, "{}: {cubins} cubin{plural}, {} bytes{grown}", printable(name), size.bytes)?;
    let is_shown = |list| by.is_none_or(|by| by == list);
    let total = *size;
    if is_shown(By::Arch) {
        let row =
            |arch: &ArchBytes| Listed { name: arch.arch.clone(), count: Some(arch.cubins), size: arch.size };
        list(out, "architecture", total, &archs.iter().map(row).collect::<Vec<_>>())?;
    }
    if is_shown(By::Section) {
        let row =
            |group: &GroupBytes| Listed { name: group.group.to_string(), count: None, size: group.size };
        list(out, "sections", total, &groups.iter().map(row).collect::<Vec<_>>())?;
    }
    if is_shown(By::Function) {
        let shown = if top == 0 { functions.len() } else { functions.len().min(top) };
        let (rows, rest) = functions.split_at(shown);
        let row = |function: &FunctionBytes| {
            let name = function.demangled.as_deref().unwrap_or(&function.function);
            let name = format!("{} {name}", function.arch);
            Listed { name, count: Some(function.cubins), size: function.size }
        };
        list(out, "function", total, &rows.iter().map(row).collect::<Vec<_>>())?;
        if !rest.is_empty() {
            let sum = |bytes: fn(&ByteCount) -> u64| rest.iter().map(|function| bytes(&function.size)).sum();
            let base_bytes = total.base_bytes.map(|_| sum(|size| size.base_bytes.unwrap_or_default()));
            let size = ByteCount { bytes: sum(|size| size.bytes), base_bytes };
            let plural = if rest.len() == 1 { "" } else { "s" };
            let grown = base_bytes.map(|_| format!(", {}", change(size))).unwrap_or_default();
            writeln!(
                out,
                "  {} more function{plural}, {} bytes{grown} (-n 0 shows all)",
                rest.len(),
                size.bytes
            )?;
        }
    }
    Ok(())
}

/// A row of any list.
struct Listed {
    name: String,
    /// The number of cubins.
    count: Option<u64>,
    size: ByteCount,
}

/// Writes a list; with a base, its last column is the change.
fn list(out: &mut dyn Write, heading: &'static str, total: ByteCount, rows: &[Listed]) -> io::Result<()> {
    writeln!(out)?;
    let has_base = total.base_bytes.is_some();
    let last = |size: ByteCount| if has_base { change(size) } else { share(size.bytes, total.bytes) };
    let first = Column::Left(heading);
    let bytes = Column::Right("bytes");
    let change = Column::Right(if has_base { "change" } else { "share" });
    if rows.iter().all(|row| row.count.is_none()) {
        let cells =
            |row: &Listed| [row.name.clone(), row.size.bytes.to_string(), last(row.size)].map(Cow::Owned);
        return write_table(out, [first, bytes, change], &rows.iter().map(cells).collect::<Vec<_>>());
    }
    let cells = |row: &Listed| {
        let count = row.count.unwrap_or_default().to_string();
        [row.name.clone(), count, row.size.bytes.to_string(), last(row.size)].map(Cow::Owned)
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    write_table(out, [first, Column::Right("cubins"), bytes, change], &rows)
}

/// The change as a number with its sign, and in percent.
fn change(size: ByteCount) -> String {
    match size.base_bytes {
        Some(0) if size.bytes > 0 => format!("+{} (new)", size.bytes),
        Some(base) if base > 0 && size.bytes == 0 => format!("-{base} (gone)"),
        Some(base) if base > 0 => {
            let share = percent(size.bytes, base).unwrap_or_default() - 100.0;
            format!("{:+} ({share:+.1}%)", size.growth())
        }
        _ => "+0".to_owned(),
    }
}

fn share(bytes: u64, total: u64) -> String {
    percent(bytes, total).map_or_else(|| "-".to_owned(), |share| format!("{share:.1}%"))
}
