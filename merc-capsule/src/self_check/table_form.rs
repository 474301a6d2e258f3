//! Checks of the form that ptxas gives every Mercury line table, where native tables do not show
//! it.

use crate::address_translator::AddressTranslator;
use crate::code_map::CodeMap;
use nv_debug_sections::Result;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::line::{self, LineOp, Sequence};
use nv_debug_sections::relocated::RelocatedCubin;

/// What is wrong with the form of the line table at `mercury`, a clone.
pub(super) fn form_fault(
    view: &RelocatedCubin<'_, '_>,
    mercury: SectionIndex,
    translator: AddressTranslator<'_>,
) -> Result<Option<String>> {
    let cubin = view.cubin();
    let section = view.section(mercury)?;
    let bytes = cubin.bytes(mercury)?;
    for table in line::decode(cubin.section_name(mercury), &bytes)? {
        if table.params != line::params(cubin.release()) {
            return Ok(Some("the header has other parameters than those of ptxas".to_owned()));
        }
        for (number, sequence) in table.sequences.iter().enumerate() {
            let code = section.target(sequence.base_offset).and_then(|target| target.section);
            let native = code.and_then(|code| translator.section_pairs().native_section(code));
            let Some(code) = native.and_then(|native| CodeMap::of(translator.maps(), native)) else {
                continue;
            };
            if let Some(words) = of_sequence(sequence, code) {
                return Ok(Some(format!("sequence {number}: {words}")));
            }
        }
    }
    Ok(None)
}

fn of_sequence(sequence: &Sequence, code: &CodeMap) -> Option<String> {
    if sequence.base != 0 {
        return Some(format!("the address is {:#x} before relocation, expected 0", sequence.base));
    }
    if sequence.end != code.mercury_size {
        return Some(format!("the end is {:#x}, that of the code {:#x}", sequence.end, code.mercury_size));
    }
    let mut is_entry = false;
    let mut address = 0;
    let mut rows = 0;
    for op in &sequence.ops {
        match *op {
            LineOp::EntryRow(flag @ 0..=1) if is_entry != (flag == 1) => is_entry = flag == 1,
            LineOp::InlinedCall { context, .. } if context <= rows => {}
            LineOp::SetFile(_) => {}
            LineOp::Row { address: new, .. } | LineOp::Advance(new)
                if new % 16 == 0 && (address..=sequence.end).contains(&new) =>
            {
                address = new;
                rows += u64::from(matches!(op, LineOp::Row { .. }));
                if is_entry && code.function_at_mercury(new).is_none() {
                    return Some(format!(
                        "a row at {new:#x} is flagged as that of a function, and none starts there"
                    ));
                }
            }
            ref op => return Some(format!("{op:x?} is not what ptxas writes there")),
        }
    }
    None
}
