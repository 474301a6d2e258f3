//! Strips LLVM IR text as one of LLVM's passes does: `strip_ir PASS < in.ll > out.ll`.

use llvm_debug_metadata::Module;
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, StripPass, strip};
use std::error::Error;
use std::io::{Read, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let known = || STRIP_PASSES.map(StripPass::name).join(", ");
    let pass = StripPass::named(&name).ok_or_else(|| format!("'{name}' is none of {}", known()))?;
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let stripped = strip(&Module::parse(&text), pass, Declares::AsLlvm)?;
    stdout().write_all(stripped.text.as_bytes())?;
    Ok(())
}
