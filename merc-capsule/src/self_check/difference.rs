//! The first difference of two sections, in words.

use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Relocation;
use nv_debug_sections::line::{self, LineOp, LineTable};
use nv_debug_sections::reg_sass::{self, FunctionRegisters};
use nv_debug_sections::register::SassRegister;

/// Of a debug section: what the capsule gives for it, and what the file has. `code` is the name of
/// the code section that an address at a byte offset in the file's one leads to.
pub(super) fn of_section(
    kind: Option<SectionKind>,
    made: &[u8],
    found: &[u8],
    code: impl Fn(u64) -> String,
) -> String {
    let words = match kind {
        Some(kind) if kind.is_line_table() => of_tables(made, found, code),
        Some(SectionKind::NvDebugInfoRegSass) => of_ranges(made, found),
        _ => None,
    };
    words.unwrap_or_else(|| of_bytes(made, found))
}

/// Of sections that are not taken apart.
pub(super) fn of_bytes(made: &[u8], found: &[u8]) -> String {
    let at = made.iter().zip(found).position(|(a, b)| a != b).unwrap_or(made.len().min(found.len()));
    let byte =
        |bytes: &[u8]| bytes.get(at).map_or_else(|| "no byte".to_owned(), |byte| format!("{byte:#04x}"));
    format!("{at:#x}: the capsule has {}, the file {}", byte(made), byte(found))
}

/// Of relocation sections.
pub(super) fn of_relocations(made: &[Relocation], found: &[Relocation]) -> String {
    let at = made.iter().zip(found).position(|(a, b)| a != b).unwrap_or(made.len().min(found.len()));
    let words = |entry: Option<&Relocation>| match entry {
        None => "no entry".to_owned(),
        Some(Relocation { offset, r_type, symbol, addend }) => {
            let addend = addend.unwrap_or(0);
            format!("{offset:#x} of type {r_type:#x} with symbol {} and {addend:#x}", symbol.0)
        }
    };
    format!("entry {at}: the capsule has {}, the file {}", words(made.get(at)), words(found.get(at)))
}

fn of_tables(made: &[u8], found: &[u8], code: impl Fn(u64) -> String) -> Option<String> {
    let (made, found) = (line::decode("", made).ok()?, line::decode("", found).ok()?);
    let mut units = made.iter().zip(&found).enumerate();
    let words = units.find_map(|(number, (made, found))| Some((number, of_units(made, found, &code)?)));
    match words {
        Some((0, words)) if found.len() == 1 => Some(words),
        Some((number, words)) => Some(format!("unit {number}, {words}")),
        None if made.len() != found.len() => {
            Some(format!("the capsule has {} units, the file {}", made.len(), found.len()))
        }
        None => None,
    }
}

fn of_units(made: &LineTable<'_>, found: &LineTable<'_>, code: impl Fn(u64) -> String) -> Option<String> {
    let header = |table: &LineTable<'_>| (table.params, table.debug_str_base);
    if header(made) != header(found) || made.directories != found.directories || made.files != found.files {
        return Some("the headers differ".to_owned());
    }
    for (made, found) in made.sequences.iter().zip(&found.sequences) {
        let code = code(found.base_offset);
        let words = |op: Option<&LineOp>| match op {
            None => "ends".to_owned(),
            Some(LineOp::Row { address, line }) => format!("has line {line} at {address:#x}"),
            Some(op) => format!("has {op:?}"),
        };
        let at = made.ops.iter().zip(&found.ops).position(|(a, b)| a != b);
        let at = at.or((made.ops.len() != found.ops.len()).then(|| made.ops.len().min(found.ops.len())));
        if let Some(at) = at {
            let (ours, theirs) = (words(made.ops.get(at)), words(found.ops.get(at)));
            return Some(format!("{code}, step {at}: the capsule {ours}, the file {theirs}"));
        }
        if made.end != found.end {
            let (made, found) = (made.end, found.end);
            return Some(format!("{code}: the capsule ends at {made:#x}, the file at {found:#x}"));
        }
    }
    let (made, found) = (made.sequences.len(), found.sequences.len());
    (made != found).then(|| format!("the capsule has {made} sequences, the file {found}"))
}

fn of_ranges(made: &[u8], found: &[u8]) -> Option<String> {
    let (made, found) = (reg_sass::decode(made).ok()?, reg_sass::decode(found).ok()?);
    let (made, found) = made.iter().zip(&found).find(|(made, found)| made != found)?;
    let at = made.ranges.iter().zip(&found.ranges).position(|(a, b)| a != b);
    let at = at.unwrap_or(made.ranges.len().min(found.ranges.len()));
    let words = |function: &FunctionRegisters<'_>| {
        function.ranges.get(at).map_or_else(
            || "no range".to_owned(),
            |range| {
                let SassRegister(register) = range.register;
                let name = String::from_utf8_lossy(range.ptx_name);
                format!(
                    "word {} of {name} in {register:#x}, {:#x}..{:#x}",
                    range.part, range.start, range.end
                )
            },
        )
    };
    let function = String::from_utf8_lossy(made.function);
    Some(format!("{function}, range {at}: the capsule has {}, the file {}", words(made), words(found)))
}
