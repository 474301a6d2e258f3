//! Says what a capsule would add to a cubin if it were compiled for sm_100 or later: which sections
//! get a clone, under which name, and which of the clones take bytes of their own.
//!
//! `cargo run -p merc-capsule --example capsule_size [CUBIN]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::fmt::Write;

use merc_capsule::{CloneAction, SectionView, plan};
use nv_debug_sections::cubin::Cubin;

fn report(path: &str) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let bytes = std::fs::read(path)?;
    let cubin = Cubin::parse(&bytes)?;
    let plan = plan(&SectionView::all(&cubin))?;
    let (mut shared, mut own) = (0, 0);
    for clone in &plan.clones {
        let original = clone.original_index();
        let size = cubin.size_of(cubin.section(original)?);
        match clone.action {
            CloneAction::Alias => shared += size,
            CloneAction::Copy | CloneAction::Rewrite => own += size,
        }
        let exception = clone.exception.map_or(String::new(), |exception| format!(" ({exception})"));
        writeln!(out, "{} -> {}: {}{exception}", cubin.section_name(original), clone.name, clone.action)?;
    }
    writeln!(out, "{} clones; {shared} bytes shared, about {own} of their own", plan.clones.len())?;
    Ok(out)
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.cubin");

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(std::env::args().nth(1).as_deref().unwrap_or(EXAMPLE))?);
    Ok(())
}

#[test]
fn clones_are_planned() {
    let out = report(EXAMPLE).unwrap();
    assert!(out.contains(".debug_line -> .nv.merc.debug_line: rewrite (alias if equal)\n"), "{out}");
    assert!(out.ends_with("14 clones; 2643 bytes shared, about 2760 of their own\n"), "{out}");
}
