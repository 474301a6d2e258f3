//! Fuzz target: a window of `.nv_debug.shared`, or a header and its symbols. Each comes back from
//! the other.
//!
//! What is refused is what the documentation says.

use crate::Target;
use nv_debug_sections::cubin::{Contents, Section, SectionIndex, Symbol};
use nv_debug_sections::shared_window::{self, LinkStage, SharedVariable, SharedWindow};

/// The section's index.
const INDEX: SectionIndex = SectionIndex(7);

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(100_000, 60);
    // A header that can be read, with two variables: all fields are small numbers.
    let window = [0, 0, 16, 0, 64, 0x11, 0, 4, 8, 0x11, 0, 0, 0].to_vec();
    target.run_on_damaged(10_000, &[window]);
}

/// Takes `data` for a window, and for a header and symbols.
pub(crate) fn run(data: &[u8]) {
    window(data);
    header(data);
}

/// What can be written comes back.
fn window(data: &[u8]) {
    let [stage, align, size, rest @ ..] = data else { return };
    let stage = if stage % 2 == 0 { LinkStage::Linked } else { LinkStage::Unlinked };
    let variables = rest.chunks_exact(3).map(|chunk| SharedVariable {
        name: "v",
        binding: chunk[0],
        value: chunk[1].into(),
        size: chunk[2].into(),
    });
    let window = SharedWindow {
        stage,
        size: u64::from(*size) << 2,
        align: u64::from(*align),
        variables: variables.collect(),
    };
    let narrow = window.variables.iter().all(|variable| variable.binding < 16);
    let encoded = shared_window::encode(&window, INDEX);
    assert_eq!(encoded.is_ok(), narrow && window.align.is_power_of_two());
    if let Ok((section, symbols)) = encoded {
        let again = shared_window::decode(&section, INDEX, symbols.iter().map(|symbol| ("v", symbol)));
        assert_eq!(again.expect("encoded"), window);
    }
}

/// What is read can be written, and is the same header with the same symbols.
fn header(data: &[u8]) {
    let [sh_type, flags, align, fields, size, rest @ ..] = data else { return };
    let section = Section {
        sh_type: [8, 0x7000_000a, u32::from(*sh_type)][usize::from(*sh_type) % 3],
        flags: [3, u64::from(*flags)][usize::from(*flags) % 2],
        align: u64::from(*align),
        link: u32::from(*fields == 1),
        info: u32::from(*fields == 2),
        entsize: u64::from(*fields == 3),
        address: u64::from(*fields == 4),
        contents: Contents::NoBits(u64::from(*size)),
        ..Section::default()
    };
    let symbols = rest.chunks_exact(4).map(|chunk| Symbol {
        name: 0,
        info: chunk[0],
        other: chunk[1] & Symbol::CUDA_SHARED,
        shndx: if chunk[1] & 1 == 0 { INDEX.0 } else { 8 },
        value: chunk[2].into(),
        size: chunk[3].into(),
    });
    let symbols: Vec<Symbol> = symbols.collect();
    let Ok(window) = shared_window::decode(&section, INDEX, symbols.iter().map(|symbol| ("v", symbol)))
    else {
        return;
    };
    let (written, variables) =
        shared_window::encode(&window, INDEX).expect("what was decoded can be encoded");
    assert_eq!(written, section);
    // Symbols of other sections and the section's own are not variables.
    let own = symbols.iter().filter(|symbol| symbol.shndx == INDEX.0 && symbol.info & 15 != 3);
    assert!(own.eq(&variables));
}
