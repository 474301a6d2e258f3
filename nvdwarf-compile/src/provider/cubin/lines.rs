//! The PTX line of each instruction, from `.nv_debug_line_sass`.

use super::{CubinRequest, Reader};
use crate::code_facts::{CodeFacts, CodeSection};
use crate::error::{self, Result};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::generation::Generation;
use nv_debug_sections::line;
use nv_debug_sections::{Error, ErrorKind};
use std::collections::{HashMap, HashSet};

/// PTX lines by instruction, from `.nv_debug_line_sass`.
pub(super) fn read(
    reader: &Reader<'_, '_>,
    code: &HashMap<SectionIndex, usize>,
    image: &mut CodeFacts,
) -> Result<()> {
    let name = &*reader.name(SectionKind::NvDebugLineSass);
    let Some(index) = reader.section(SectionKind::NvDebugLineSass) else {
        return Err(error::ErrorKind::NoPtxLines { section: name.to_owned() });
    };
    let section = reader.view.section(index)?;
    let mut seen = HashSet::new();
    for table in line::decode(name, &section.bytes)? {
        for sequence in &table.sequences {
            let offset = sequence.base_offset;
            let fault = |kind| Error::new(name, offset, kind);
            let relocation = |text| fault(ErrorKind::Relocation(text));
            let target = section
                .target(offset)
                .ok_or_else(|| relocation("the sequence's address has no relocation"))?;
            let code = target.section.and_then(|section| Some((section, *code.get(&section)?)));
            let (code_index, code) = code.ok_or_else(|| {
                relocation("the sequence is for no code section with a function of its name")
            })?;
            if !seen.insert(code) {
                Err(fault(ErrorKind::Second("sequence for the same code section")))?;
            }
            let code = &mut image.sections[code];
            let lines = without_opening_rows(
                name,
                offset,
                sequence.line_changes().collect(),
                code_index,
                code,
                reader,
            )?;
            code.ptx_lines = Some(lines);
        }
    }
    Ok(())
}

/// Drops the row that opens each function, after checking that it is at the `{` of that function:
/// what tells a cubin of another PTX.
fn without_opening_rows(
    name: &str,
    offset: u64,
    rows: Vec<(u64, u32)>,
    code_index: SectionIndex,
    code: &CodeSection,
    reader: &Reader<'_, '_>,
) -> Result<Vec<(u64, u32)>> {
    let CubinRequest { facts, target, .. } = reader.request;
    // From sm_90 on the opening row of native code is that of the first instruction, if that has a
    // line of its own.
    let opens_at_brace = target.generation() == Generation::PreMercury || reader.space == Space::Mercury;
    let mismatch = |message: String| {
        let text = format!("{message}: the cubin was made from another PTX");
        Error::new(name, offset, ErrorKind::Disagreement(text))
    };
    let mut lines = Vec::with_capacity(rows.len());
    let mut parts = code.parts.iter().peekable();
    let mut rows = rows.into_iter().peekable();
    while let Some((address, line)) = rows.next() {
        if !facts.has_code_at(line) {
            let found = format!("{}+{address:#x} is from PTX line {line}", code.function);
            Err(mismatch(format!(
                "{found}, where this PTX ({} lines) has no instruction",
                facts.line_count
            )))?;
        }
        // Helpers that ptxas adds have no PTX and no rows.
        while parts
            .next_if(|part| part.address < address || !facts.functions.contains_key(part.name.as_str()))
            .is_some()
        {}
        let Some(part) = parts.next_if(|part| part.address == address) else {
            lines.push((address, line));
            continue;
        };
        let open_line = facts.functions.get(part.name.as_str()).map_or(0, |function| function.open_line);
        if line == open_line {
            // Code of that line has no other row: it is here unless code of another line is, or its
            // own begins later.
            let is_code = rows.peek().is_none_or(|next| next.0 != address && next.1 != line);
            if is_code {
                let counts =
                    target.generation() != Generation::PreMercury || reader.yields_at(code_index, address)?;
                if facts.opens_with_code(&part.name, line, counts) {
                    lines.push((address, line));
                }
            }
            continue;
        }
        if opens_at_brace {
            let found = format!("function {} opens at PTX line {line}", part.name);
            Err(mismatch(format!("{found}, in this PTX at line {open_line}")))?;
        }
        lines.push((address, line));
    }
    lines.dedup();
    if !facts.functions.contains_key(code.function.as_str()) {
        Err(mismatch(format!("function {} has PTX lines but is not in this PTX", code.function)))?;
    }
    Ok(lines)
}
