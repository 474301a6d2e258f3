//! Fuzz target: the bytes of `.nv_debug_ptx_txt`, or a PTX. Lines are written again to the same
//! bytes.
//!
//! Lines by number are the lines in order. What the filter leaves of a PTX it leaves as it is.

use crate::Target;
use crate::seeds::{files, sections_of};
use crate::support::exact;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::ptx_txt::{self, NumberedText, PtxText};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    let mut texts = sections_of(&[SectionKind::NvDebugPtxTxt]);
    texts.extend(files("ptx"));
    target.run_on_damaged(10_000, &texts);
}

/// Takes `data` for a section, and for PTX.
pub(crate) fn run(data: &[u8]) {
    exact(data, PtxText::decode(data), |text| ptx_txt::encode(text.lines()));
    numbered(data);
    filtered(data);
}

/// Lines by number are the lines in order.
fn numbered(data: &[u8]) {
    if let (Ok(text), Ok(numbered)) = (PtxText::decode(data), NumberedText::decode(data)) {
        assert!((1..).map_while(|line| numbered.line(line)).eq(text.lines()));
        assert_eq!(numbered.line_count(), text.lines().count());
    }
}

/// What the filter leaves of a text it leaves as it is.
fn filtered(data: &[u8]) {
    // Blanks after a leading carriage return stay, and go the next time.
    if !data.contains(&b'\r')
        && let Ok(filtered) = ptx_txt::from_ptx(data)
    {
        let text = PtxText::decode(&filtered).expect("encoded");
        assert_eq!(ptx_txt::from_ptx(&text.to_ptx()).expect("filtered before"), filtered);
    }
}
