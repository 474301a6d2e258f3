//! The common part of the targets that compile.

use nv_debug_sections::cubin::Cubin;
use nvdwarf_compile::arch::Arch;
use nvdwarf_compile::{
    CompileError, Compiled, Diagnostic, ErrorKind, LineTableStyle, NvdwarfOptions, Options, PathMap,
};

/// Two sets of options; the second depends on the data.
pub(crate) fn options(data: &[u8], arch: Arch) -> [Options; 2] {
    let chosen = data.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte));
    let bit = |number: u8| chosen >> number & 1 == 1;
    let usual = Options { arch, line_info: true, ..Options::default() };
    let style = match chosen >> 5 & 3 {
        0 => LineTableStyle::Compact,
        1 => LineTableStyle::Full,
        _ => LineTableStyle::Ptxas,
    };
    let map = PathMap { old: "/".into(), new: "/a/longer/beginning/".into() };
    let other = Options {
        device_debug: bit(0),
        line_info: bit(1),
        suppress_debug_info: chosen % 16 == 2,
        extras: NvdwarfOptions {
            keep_optimised: bit(0) && bit(2),
            line_table: style,
            path_maps: bit(3).then_some(map).into_iter().collect(),
            embed_ptx: bit(4),
            time_of_files: (chosen % 16 == 5).then_some(u64::from(u32::MAX)),
        },
        ..usual.clone()
    };
    [usual, other]
}

/// What was compiled of `size` bytes can be read, and is not much longer.
pub(crate) fn check(compiled: &Compiled, size: usize) -> Cubin<'_> {
    let Compiled { bytes, warnings, statistics } = compiled;
    assert!(bytes.len() <= size * 64 + 64 * 1024, "{} bytes of {size}", bytes.len());
    assert!(statistics.bytes <= bytes.len() && !warnings.iter().any(Diagnostic::is_error));
    Cubin::parse(bytes).expect("what was compiled can be read")
}

/// Asserts that diagnostics lie in the text, and that an error of the PTX, and no other, is one of
/// them.
pub(crate) fn check_error(text: &str, error: &CompileError) {
    let CompileError { kind, diagnostics } = error;
    assert_eq!(*kind == ErrorKind::Ptx, diagnostics.iter().any(Diagnostic::is_error));
    for diagnostic in diagnostics {
        let related = diagnostic.related.as_ref().map(|(range, _)| *range);
        for range in diagnostic.range.into_iter().chain(related) {
            assert!(text.get(range.start as usize..range.end as usize).is_some(), "{diagnostic:?}");
        }
    }
    assert!(!error.to_string().is_empty());
}
