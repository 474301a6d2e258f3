//! Fuzz target: any text as PTX, compiled without code. The result is an object, or errors that lie
//! in the text.
//!
//! The object can be read, has all of its relocations applied, and is not much longer than the
//! text.

use crate::Target;
use crate::compiled;
use crate::seeds::{Random, files, mutate_lines, pair_texts, ptx_constructs};
use nv_debug_sections::relocated::RelocatedCubin;
use nvdwarf_compile::arch::{Arch, Suffix};
use nvdwarf_compile::{CodeImage, compile};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(2_000, 200);
    target.run_on_damaged(4_000, &ptx_constructs());
    let texts = [pair_texts(), files("ptx")].concat();
    target.run_on_damaged(4_000, &texts);
    let mut random = Random::from_environment();
    for _ in 0..12_000 {
        target.run_on(&mutate_lines(&texts[random.below(texts.len())], &mut random));
    }
}

/// Compiles `data` (bytes that are not UTF-8 are replaced), with options that depend on it.
pub(crate) fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let arch = Arch { number: 121, suffix: Suffix::None };
    for options in compiled::options(data, arch) {
        let compiled = match compile(text, &CodeImage::None, &options) {
            Ok(compiled) => compiled,
            Err(error) => {
                compiled::check_error(text, &error);
                continue;
            }
        };
        let cubin = compiled::check(&compiled, text.len());
        let view = RelocatedCubin::new(&cubin);
        for (index, name, _) in cubin.iter() {
            assert!(view.section(index).is_ok_and(|section| section.fields().is_empty()), "{name}");
        }
    }
}
