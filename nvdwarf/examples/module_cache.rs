//! A cache of modules by path, which threads may share: each file is read and opened once, and what
//! is asked of it is decoded once.
//!
//! `cargo run -p nvdwarf --example module_cache`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nvdwarf::Module;

#[derive(Default)]
struct ModuleCache {
    modules: Mutex<HashMap<PathBuf, Module>>,
}

impl ModuleCache {
    fn open(&self, path: &Path) -> Result<Module, Box<dyn Error>> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.get(path) {
            return Ok(module.clone());
        }
        let module = Module::new(std::fs::read(path)?)?;
        modules.insert(path.to_owned(), module.clone());
        Ok(module)
    }

    fn len(&self) -> usize {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// What samples of two files are of; the samples of the two are mixed, as those of a profiler are.
fn report() -> Result<Vec<String>, Box<dyn Error>> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let cache = ModuleCache::default();
    let samples = [("saxpy/saxpy.cubin", "saxpy", 0x300), ("block_sum/block_sum.cubin", "block_sum", 0x10)];
    let mut lines = Vec::new();
    for (file, function, offset) in samples.into_iter().cycle().take(6) {
        let module = cache.open(&examples.join(file))?;
        let image = module.images().first().ok_or("no cubin")?;
        let function = image.function(function)?;
        lines.push(format!("{file}: {function}+{offset:#x}: {}", image.locate(&function, offset)?));
    }
    lines.push(format!("{} files opened", cache.len()));
    Ok(lines)
}

fn main() -> Result<(), Box<dyn Error>> {
    report()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}

#[test]
fn six_samples_open_two_files() {
    let lines = report().unwrap();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[1], lines[5]);
    assert_eq!(lines[6], "2 files opened");
    let (file, place) = ("block_sum/block_sum.cubin", "block_sum at /tmp/nvdwarf/block_sum/block_sum.cu:27");
    assert_eq!(lines[1], format!("{file}: block_sum+0x10: {place}"));
}
