//! `vars` as text: a block for each scope, in it a line for each variable, and below it a line for
//! each location.

use crate::commands::read::{both, printable, shown};
use crate::limits::MAX_SCOPE_RANGES;
use cubin_debuginfo::variables::listing::{CodeRow, ScopeRow, VariableListing, VariableRow};
use cubin_debuginfo::variables::{ScopeKind, SourcePosition};
use std::io::{self, Write};

type Out<'o> = &'o mut dyn Write;

/// Writes everything, a blank line between two scopes.
pub(super) fn write(out: Out<'_>, listing: &VariableListing<'_>) -> io::Result<()> {
    let asks = !listing.addresses().is_empty();
    for address in listing.addresses() {
        let function = address.function.as_ref().map_or_else(|| "??".to_owned(), both);
        let place = printable(address.section);
        writeln!(out, "{function}+{:#x}, {place}+{:#x}", address.function_offset, address.offset)?;
    }
    let mut any = false;
    for (chain, rows) in listing.groups() {
        if (any || asks) && !chain.is_empty() {
            writeln!(out)?;
        }
        any = true;
        write_chain(out, &chain)?;
        for row in rows {
            write_row(out, &row, chain.first(), asks)?;
        }
    }
    if any { Ok(()) } else { writeln!(out, "no variables") }
}

/// `block 0x40-0x90 < inlined f at k.cu:3 < function k`.
fn write_chain(out: Out<'_>, chain: &[ScopeRow<'_>]) -> io::Result<()> {
    for (depth, scope) in chain.iter().enumerate() {
        if depth > 0 && scope.kind == ScopeKind::Unit {
            break;
        }
        if depth > 0 {
            write!(out, " < ")?;
        }
        let name = match (&scope.name, scope.kind) {
            (Some(name), _) if depth > 0 => shown(name).into_owned(),
            (Some(name), _) => both(name),
            (None, ScopeKind::Block) => String::new(),
            (None, _) => "??".to_owned(),
        };
        let blank = if name.is_empty() { "" } else { " " };
        write!(out, "{}{blank}{name}", scope.kind.word())?;
        if let Some(site) = &scope.call_site {
            write!(out, " at ")?;
            write_line(out, site)?;
        }
        if depth == 0 || scope.kind == ScopeKind::Function {
            write_code(out, &scope.code)?;
        }
    }
    writeln!(out)
}

fn write_code(out: Out<'_>, code: &[CodeRow<'_>]) -> io::Result<()> {
    for (number, stretch) in code.iter().take(MAX_SCOPE_RANGES).enumerate() {
        let before = if number == 0 { " " } else { "," };
        write!(out, "{before}{:#06x}-{:#06x}", stretch.start, stretch.end)?;
    }
    match code.len().checked_sub(MAX_SCOPE_RANGES) {
        None | Some(0) => Ok(()),
        Some(more) => write!(out, " and {more} more"),
    }
}

fn write_line(out: Out<'_>, line: &SourcePosition<'_>) -> io::Result<()> {
    write!(out, "{}:{}", printable(line.file.unwrap_or("??")), line.line)
}

/// The part of a stretch that is in a scope of one stretch: lists go beyond it.
fn clipped<'a>(code: CodeRow<'a>, own: &[CodeRow<'a>]) -> Option<CodeRow<'a>> {
    let [scope] = own else { return Some(code) };
    let (start, end) = (code.start.max(scope.start), code.end.min(scope.end));
    let is_in = code.section_index == scope.section_index && start < end;
    // What is wrong with a range is to be seen.
    (is_in || code.start >= code.end).then_some(if is_in { CodeRow { start, end, ..code } } else { code })
}

/// `own` is the code of the scope: a location that holds in all of it needs no addresses.
fn write_row(
    out: Out<'_>,
    row: &VariableRow<'_>,
    scope: Option<&ScopeRow<'_>>,
    asks: bool,
) -> io::Result<()> {
    let own = scope.map_or(&[][..], |scope| &scope.code);
    let name = row.demangled.as_deref().or(row.name.as_deref()).map_or("(no name)".into(), printable);
    let type_name = row.demangled_type.as_ref().unwrap_or(&row.type_name);
    write!(out, "  {name}: {}", printable(type_name))?;
    if row.kind == "parameter" {
        write!(out, "  parameter")?;
    }
    if let Some(line) = &row.declared {
        write!(out, "  ")?;
        write_line(out, line)?;
    }
    if !asks && row.scope_bytes > 0 && !row.is_nowhere() {
        let share = u128::from(row.available_bytes) * 100 / u128::from(row.scope_bytes);
        write!(out, "  {share}% of {:#x} bytes", row.scope_bytes)?;
    }
    writeln!(out)?;
    if row.is_abstract() {
        return Ok(());
    }
    for remark in &row.remarks {
        writeln!(out, "    warning: {remark}")?;
    }
    for place in &row.places {
        let Some(code) = place.code.map_or(Some(None), |code| clipped(code, own).map(Some)) else { continue };
        write!(out, "    ")?;
        if let Some(code) = code.filter(|code| own != [*code] && !asks) {
            write!(out, "{:#06x}-{:#06x}  ", code.start, code.end)?;
        }
        if place.place.is_nowhere() {
            write!(out, "--  ")?;
        }
        match (place.place.symbol, place.place.symbol_offset) {
            // The place after it says it all, if it is the variable's own symbol.
            (Some(symbol), offset)
                if offset != Some(0)
                    || row.name.as_deref() != Some(symbol)
                    || place.place.section.is_none() =>
            {
                let offset = offset
                    .filter(|offset| *offset > 0)
                    .map_or_else(String::new, |offset| format!("+{offset:#x}"));
                write!(out, "{}{offset}  ", printable(symbol))?;
            }
            _ => {}
        }
        write!(out, "{}", printable(&place.place.text))?;
        if let Some(ptx) = &place.place.ptx {
            write!(out, "  {}", printable(ptx))?;
        }
        writeln!(out)?;
    }
    if row.cut {
        writeln!(out, "    ...")?;
    }
    Ok(())
}
