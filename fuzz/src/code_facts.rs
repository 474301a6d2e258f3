//! Fuzz target: a PTX text, after its length in 4 bytes, and a cubin from which its code is taken.
//! The result is a cubin, or an error that says what is wrong with which of the two.
//!
//! What is written can be read and is not much longer than both. Code sections stay as they are.

use crate::Target;
use crate::compiled;
use crate::seeds::{Random, mutate, mutate_lines, texts_with_cubins};
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::Cubin;
use nvdwarf_compile::arch::{Arch, Suffix};
use nvdwarf_compile::{CodeImage, Options, compile};
use std::slice;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(1_000, 200);
    let pairs = texts_with_cubins();
    for (text, cubin) in &pairs {
        target.run_on(&joined(text, cubin));
    }
    let mut random = Random::from_environment();
    for _ in 0..12_000 {
        let (text, cubin) = &pairs[random.below(pairs.len())];
        let data = match random.below(4) {
            0 => joined(&mutate_lines(text, &mut random), cubin),
            1 => mutate(&[joined(text, cubin)], &mut random),
            _ => joined(text, &mutate(slice::from_ref(cubin), &mut random)),
        };
        target.run_on(&data);
    }
}

fn joined(text: &[u8], cubin: &[u8]) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text, cubin].concat()
}

/// Compiles the text for the architecture and the kind of file that the cubin is of.
pub(crate) fn run(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk() else { return };
    let length = u32::from_le_bytes(*length) as usize;
    let (text, file) = rest.split_at(length.min(rest.len()));
    let text = &*String::from_utf8_lossy(text);
    let parsed = Cubin::parse(file);
    let number = parsed.as_ref().map_or(75, |cubin| cubin.header.sm());
    let relocatable = parsed.as_ref().is_ok_and(|cubin| cubin.header.is_relocatable());
    for options in compiled::options(data, Arch { number, suffix: Suffix::None }) {
        let options = Options { relocatable, ..options };
        let compiled = match compile(text, &CodeImage::Cubin(file), &options) {
            Ok(compiled) => compiled,
            Err(error) => {
                compiled::check_error(text, &error);
                continue;
            }
        };
        let made = compiled::check(&compiled, data.len());
        let given = parsed.as_ref().expect("what was compiled can be parsed");
        let code = |cubin: &Cubin<'_>| {
            let sections = cubin.iter().filter(|(_, name, _)| name.starts_with(CODE_PREFIX));
            let sections = sections.map(|(index, name, _)| {
                (name.to_owned(), cubin.bytes(index).expect("it was parsed").into_owned())
            });
            sections.collect::<Vec<_>>()
        };
        assert!(code(&made) == code(given), "code has changed");
    }
}
