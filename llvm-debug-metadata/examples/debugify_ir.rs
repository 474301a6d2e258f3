//! Gives LLVM IR text made-up debug information: `debugify_ir NAME [locations] < in.ll > out.ll`.
//! What is missing of it is told by `debugify_ir --check < out.ll`.

use llvm_debug_metadata::Module;
use llvm_debug_metadata::debugify::{DebugifyOptions, FunctionScope, check_debugify, debugify};
use std::error::Error;
use std::io::{Read, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let module = Module::parse(&text);
    let mut out = stdout().lock();
    if words.first().is_some_and(|word| word == "--check") {
        for message in
            check_debugify(&module, FunctionScope::Module)?.into_iter().flat_map(|checked| checked.messages)
        {
            writeln!(out, "{message}")?;
        }
        return Ok(());
    }
    let module_name = words.first().map_or("<stdin>", |name| name);
    let has_variables = words.get(1).is_none_or(|word| word != "locations");
    let options = DebugifyOptions { has_variables, ..DebugifyOptions::new(module_name) };
    out.write_all(debugify(&module, options)?.text.as_bytes())?;
    Ok(())
}
