//! Does one thing once with a large cubin and its capsule, prints time and peak memory: `cargo run
//! --release -p nvdwarf-benches --example merc_once -- WHAT [FUNCTIONS [MB OF ALIASES]]`. WHAT is
//! `code-maps`, `clone`, `finalise`, `self-check` or `write`, the last to standard output; `none`
//! only makes the file. For instruction counts `valgrind --tool=callgrind
//! --toggle-collect='*merc_once*once*'`.
#![allow(clippy::print_stderr, clippy::cast_precision_loss, reason = "an example reports rounded rates")]

use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::code_maps;
use merc_capsule::finalise::finalise_cubin;
use merc_capsule::self_check::self_check;
use nv_debug_sections::cubin::Cubin;
use nvdwarf_benches::merc::{self, LARGE, Size};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

/// Peak resident memory so far in bytes, where the system says (Linux).
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()).unwrap_or(0.0)
        * 1024.0
}

/// How many there are of what it makes.
#[inline(never)]
fn once(
    what: &str,
    cubin: &mut Cubin<'_>,
    origin: Option<&CloneInputs<'_>>,
) -> Result<usize, Box<dyn Error>> {
    match (what, origin) {
        ("code-maps", _) => Ok(code_maps(cubin)?.len()),
        ("clone", Some(origin)) => {
            clone_cubin::clone_cubin(cubin, origin)?;
            Ok(cubin.sections.len())
        }
        ("finalise", _) => {
            finalise_cubin(cubin, None)?;
            Ok(cubin.sections.len())
        }
        ("self-check", _) => Ok(self_check(cubin, None)?.len()),
        ("none", _) => Ok(cubin.sections.len()),
        _ => Err("code-maps, clone, finalise, self-check, write or none".into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).map(|text| text.parse::<u32>()).transpose();
    let functions = number(1)?.unwrap_or(LARGE.functions);
    let aliased = number(2)?.unwrap_or(0) as usize * 1_000_000;
    let what = arguments.first().map_or("none", |what| what);
    let mut cubin = merc::with_capsule(Size { functions, aliased, ..LARGE })?;
    let file = cubin.write()?;
    if what == "write" {
        std::io::stdout().write_all(&file)?;
        return Ok(());
    }
    cubin = Cubin::parse(&file)?;
    let origin = if what == "clone" { Some(CloneInputs::of(&cubin)?) } else { None };
    // A peak never falls, but where the system lets it start again.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (before, start) = (peak(), Instant::now());
    let count = once(what, &mut cubin, origin.as_ref())?;
    let time = start.elapsed().as_secs_f64();
    let size = file.len() as f64;
    eprintln!(
        "{what}: {count} of a file of {:.1} MB, {:.1} ms, +{:.1} MB",
        size / 1e6,
        time * 1e3,
        (peak() - before) / 1e6
    );
    Ok(())
}
