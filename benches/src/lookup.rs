//! Address look-up in a cubin.

use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::cubin::SectionIndex;

/// Returns `count` addresses of the cubin's functions in random order, the same in each run.
pub fn addresses(symbolizer: &Symbolizer<'_>, count: usize) -> Vec<(SectionIndex, u64)> {
    let functions = symbolizer.functions();
    // Knuth's MMIX generator; its high bits are good enough here.
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below.max(1)
    };
    let one = |_| {
        let function = functions.get(random(functions.len() as u64) as usize)?;
        Some((function.section, function.offset + random(function.size) / 16 * 16))
    };
    (0..count).filter_map(one).collect()
}

/// Looks up all addresses one by one, with their call chains. Returns the number of frames and the
/// sum of their lines, so that no work is optimised away.
pub fn look_up(symbolizer: &Symbolizer<'_>, addresses: &[(SectionIndex, u64)]) -> (u64, u64) {
    let places = addresses.iter().filter_map(|(section, offset)| symbolizer.locate(*section, *offset));
    places
        .flat_map(|place| place.frames())
        .fold((0, 0), |(frames, lines), frame| (frames + 1, lines + u64::from(frame.line)))
}

/// Looks up all addresses as [`look_up`] does, with one call of [`Symbolizer::locate_all`].
pub fn look_up_all(symbolizer: &Symbolizer<'_>, addresses: &[(SectionIndex, u64)]) -> (u64, u64) {
    let places = symbolizer.locate_all(addresses.iter().copied()).flatten();
    places
        .flat_map(|place| place.frames())
        .fold((0, 0), |(frames, lines), frame| (frames + 1, lines + u64::from(frame.line)))
}
