//! Splits every cubin of a file into the cubin to ship and a side file with its debug sections, and
//! puts both together again: the same bytes.
//!
//! `cargo run -p nv-debug-sections --example split_debug [FILE]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::fmt::Write;

use nv_debug_sections::container::{Container, EntryKind};
use nv_debug_sections::cubin::{Cubin, Keep};

/// The stripped cubin and the side file.
fn split(bytes: &[u8]) -> nv_debug_sections::Result<(Vec<u8>, Vec<u8>)> {
    let (mut stripped, mut side) = (Cubin::parse(bytes)?, Cubin::parse(bytes)?);
    stripped.strip(Keep::None)?;
    side.keep_only_debug()?;
    Ok((stripped.write()?, side.write()?))
}

fn join(stripped: &[u8], side: &[u8]) -> nv_debug_sections::Result<Vec<u8>> {
    let mut whole = Cubin::parse(side)?;
    whole.fill_from(&Cubin::parse(stripped)?)?;
    whole.write()
}

fn report(path: &str) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let bytes = std::fs::read(path)?;
    for image in Container::parse(&bytes)?.numbered_entries() {
        let image = image?;
        if image.entry.kind != EntryKind::Elf {
            continue;
        }
        let cubin = image.entry.payload()?;
        let (stripped, side) = split(&cubin)?;
        let is_same = join(&stripped, &side)? == *cubin;
        let (before, after) = (cubin.len(), stripped.len());
        writeln!(
            out,
            "{}: {before} bytes, {after} stripped; joined again the same: {is_same}",
            image.selector_text()
        )?;
    }
    Ok(out)
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.fatbin");

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(std::env::args().nth(1).as_deref().unwrap_or(EXAMPLE))?);
    Ok(())
}

#[test]
fn both_cubins_are_the_same_again() {
    let one = "sm_90:1: 8832 bytes, 4992 stripped; joined again the same: true\n";
    let two = "sm_75:2: 19816 bytes, 6696 stripped; joined again the same: true\n";
    assert_eq!(report(EXAMPLE).unwrap(), format!("{one}{two}"));
}
