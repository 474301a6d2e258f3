//! Prints what libNVVM makes of the debug metadata of modules, and what is found in them.
#![allow(clippy::print_stdout, reason = "an example")]

use llvm_debug_metadata::Module;
use llvm_debug_metadata::check::check;

fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let report = check(&Module::parse(&text));
        println!("{}: {:?}", path.to_string_lossy(), report.libnvvm);
        for finding in &report.findings {
            println!("  {} at {}: {}", finding.rule.code, finding.range.start, finding.message);
        }
    }
    Ok(())
}
