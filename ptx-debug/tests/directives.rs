//! Directives are those of libNVVM 13.0.88, in both of its dialects: of modules with random
//! locations, the text is the same to the byte.
//!
//! libNVVM compiles each module without debug information. Our writer gets these lines with the
//! locations of the IR, and must write what libNVVM writes with `DebugDirectivesOnly`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken set-up is a failed test")]

mod generator;
mod support;

use fastrand::Rng;
use generator::{GeneratedBlock, GeneratedFunction, GeneratedLocation, GeneratedModule, IrVersion};
use ptx_debug::model::EmissionKind;
use ptx_debug::{Dialect, PtxWriter};
use support::Libnvvm;

/// Modules for each dialect; `PTX_DEBUG_MODULES=500` takes more, and two minutes.
const MODULES: u64 = 12;

#[test]
fn generated_modules_for_compute_90() {
    compare(IrVersion::Typed);
}

#[test]
fn generated_modules_for_compute_100() {
    compare(IrVersion::Modern);
}

fn compare(version: IrVersion) {
    let Some(libnvvm) = Libnvvm::find() else { return };
    let count = std::env::var("PTX_DEBUG_MODULES").map_or(MODULES, |count| count.parse().unwrap());
    let mut differences = Vec::new();
    for seed in 0..count {
        let module = GeneratedModule::new(&mut Rng::with_seed(seed));
        let code = libnvvm.ptx(&module.ir(version, "NoDebug"), version, &[]);
        let ir = module.ir(version, "DebugDirectivesOnly");
        for (has_inlined_at, options) in [(true, &[][..]), (false, &["-no-lineinfo-inlined-at"])] {
            let expected = libnvvm.ptx(&ir, version, options);
            let written = with_directives(&module, version, has_inlined_at, &code);
            differences.extend(
                difference(&written, &expected).map(|lines| format!("seed {seed}, {options:?}: {lines}")),
            );
        }
    }
    let summary = format!("{} of {} differ", differences.len(), 2 * count);
    assert!(differences.is_empty(), "{version:?}: {summary}\n{}", differences.join("\n"));
}

/// The first lines that differ.
fn difference(written: &str, expected: &str) -> Option<String> {
    if written == expected {
        return None;
    }
    let at =
        written.lines().zip(expected.lines()).take_while(|(written, expected)| written == expected).count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("the end").to_owned();
    Some(format!("line {} is {:?}, expected {:?}", at + 1, line(written), line(expected)))
}

/// The PTX with what our writer adds to the lines of `code`.
fn with_directives(module: &GeneratedModule, version: IrVersion, has_inlined_at: bool, code: &str) -> String {
    let (dialect, end) = match version {
        IrVersion::Typed => (Dialect::Compute90, "\n"),
        IrVersion::Modern => (Dialect::Compute100, ""),
    };
    let generated = module.model(EmissionKind::Directives);
    let mut writer = PtxWriter::new(&generated.model, dialect);
    if !has_inlined_at {
        writer = writer.without_inlined_at();
    }
    let mut functions = module.functions.iter();
    let mut open: Option<(&GeneratedFunction, Option<&GeneratedBlock>)> = None;
    let mut lines = code.strip_suffix(end).unwrap().split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some((function, block)) = &mut open else {
            writer.text(line);
            if line == "{\n" {
                while let Some(register) = lines.next_if(|line| line.starts_with("\t.reg")) {
                    writer.text(register);
                }
                let function = functions.next().unwrap();
                writer.begin_function(generated.subprograms[function.subprogram]).unwrap();
                open = Some((function, None));
            }
            continue;
        };
        let location =
            |location: Option<GeneratedLocation>| location.map(|location| generated.location(&location));
        match line.split_whitespace().next() {
            None => writer.text(line),
            Some("}") => {
                writer.end_function().unwrap();
                writer.text(line);
                open = None;
            }
            Some(word) if word.ends_with(':') => writer.label(line).unwrap(),
            Some("//") => {
                let assembly = lines.next().unwrap();
                let number = assembly.rsplit(' ').next().unwrap().trim_end_matches(";\n").parse().unwrap();
                let (of, at) = instruction(function, number);
                *block = Some(of);
                let lines = [line, assembly, lines.next().unwrap()].concat();
                writer.instruction(&lines, location(at)).unwrap();
            }
            Some(word) if word.starts_with("ld.param") => writer.instruction(line, None).unwrap(),
            Some(word) if word.starts_with("setp") => {
                writer.instruction(line, location(block.unwrap().comparison)).unwrap();
            }
            Some(word) => {
                writer.instruction(line, location(block.unwrap().terminator)).unwrap();
                // A conditional branch with a `bra.uni` after it does not end its block.
                let next = lines.peek().unwrap_or(&"");
                if word == "bra.uni" || word.starts_with('@') && !next.starts_with("\tbra.uni") {
                    writer.block().unwrap();
                }
            }
        }
    }
    writer.finish().unwrap()
}

/// The block and the location of the inline assembly with a number.
fn instruction(function: &GeneratedFunction, number: u32) -> (&GeneratedBlock, Option<GeneratedLocation>) {
    let of = |block: &GeneratedBlock| {
        let at = number.checked_sub(block.first_number)?;
        block.instructions.get(at as usize).copied()
    };
    function.blocks.iter().find_map(|block| Some((block, of(block)?))).unwrap()
}
