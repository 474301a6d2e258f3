//! Fuzz target: `.debug_frame` of any bytes. Entries fill the section, and instructions fill their
//! entry.
//!
//! gimli accepts the same bytes with the same values, but for the reasons that `frames::compare`
//! lists. What `dwarf2-writer` can express is written again: to the same bytes where no number was
//! padded, and to bytes that stay the same in any case.

use crate::Target;
use crate::oracle::{frames, written};
use crate::seeds::sections_of;
use crate::support::{assert_filled, assert_written};
use dwarf2_reader::frame::{self, Entry};
use nv_debug_sections::catalog::SectionKind;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(20_000, &sections_of(&[SectionKind::DebugFrame]));
}

pub(crate) fn run(data: &[u8]) {
    assert_filled(0..data.len() as u64, frame::entries(data));
    for (span, entry) in frame::entries(data).map_while(Result::ok) {
        let instructions = match entry {
            Entry::Cie(cie) => cie.instructions,
            Entry::Fde(fde) => fde.instructions,
        };
        assert!(span.start < instructions.start && instructions.end == span.end);
        let all = frame::instructions(data, instructions.clone());
        assert_filled(instructions, all);
    }
    frames::compare(data);
    assert_written(data, written::frames);
}
