//! Fuzz target: `.debug_line` of any bytes. Units fill the section, and instructions fill their
//! program.
//!
//! gimli accepts the same bytes with the same tables and instructions, but for the reasons that
//! `lines::compare` lists. Target `line_decode` writes such sections again.

use crate::Target;
use crate::oracle::lines;
use crate::seeds::sections_of;
use crate::support::assert_filled;
use dwarf2_reader::line;
use nv_debug_sections::catalog::SectionKind;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(20_000, &sections_of(&[SectionKind::DebugLine, SectionKind::NvDebugLineSass]));
}

pub(crate) fn run(data: &[u8]) {
    assert_filled(0..data.len() as u64, line::units(data));
    for (span, unit) in line::units(data).map_while(Result::ok) {
        let (tables, mut program) = (unit.tables.offset(), unit.program.clone());
        assert!(span.start < tables && tables <= program.offset());
        assert_eq!(program.offset() + program.rest().len() as u64, span.end);
        // Each instruction has a byte at least.
        let mut at = program.offset();
        while !program.is_empty() && line::instruction(&mut program, unit.params.opcode_base).is_ok() {
            assert!(at < program.offset() && program.offset() <= span.end);
            at = program.offset();
        }
    }
    lines::compare(data);
}
