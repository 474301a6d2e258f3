//! `compile --version`: the version of the ptxas that makes the code, and of this program.
//!
//! Programs that call a ptxas read this text, and pass over one in which they find nothing. Triton
//! 3.9 searches for `release (\d+\.\d+)` and takes its own ptxas silently where there is none;
//! LLVM's tests and Julia search for `release 13.0` too, XLA for `V13.0.88`; others take the fourth
//! line. Triton has all of it in the keys of its cache, so it must not be the text of ptxas alone.

use super::say_info;
use crate::provider::ptxas::{self, NoPtxasFound};
use nv_debug_sections::release::Release;

/// In words where code would come from, and the text.
pub(super) fn text(as_ptxas: bool) -> (String, String) {
    let (source, theirs) = match ptxas::find(None) {
        Ok(found) => (found.source(), version_line(&found)),
        Err(missing) => (format!("none: {missing}"), without_ptxas(&missing)),
    };
    let (theirs, ours) = (theirs.trim_end(), crate::version());
    let text = if as_ptxas { format!("{theirs}\n{ours}\n") } else { format!("{ours}\n{theirs}\n") };
    (source, text)
}

/// What a ptxas prints, with a release in any case. Without one the compile would not come to us,
/// and the user would not see what is wrong.
fn version_line(found: &ptxas::FoundPtxas) -> String {
    match ptxas::printed(&found.path, "--version") {
        Ok(text) if names_release(&text) => text,
        Ok(text) => format!("{}\n{}\n", text.trim_end(), release_line()),
        Err(error) => {
            say_info(error.to_string());
            in_place_of_ptxas("The ptxas that was found cannot tell its version")
        }
    }
}

fn without_ptxas(missing: &NoPtxasFound) -> String {
    say_info(missing.to_string());
    in_place_of_ptxas("No ptxas was found: nothing can be compiled")
}

/// The line by which programs know a release, as the release has it whose debug sections we write.
fn release_line() -> String {
    Release::default().banner()
}

/// Five lines, as ptxas prints them, with the release in the fourth.
fn in_place_of_ptxas(why: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "ptxas: nvdwarf, in the place of NVIDIA's Ptx optimizing assembler\n\
         {why}\n\
         Debug information as of this release:\n\
         {}\n\
         Build nvdwarf_{version}\n",
        release_line()
    )
}

/// Whether there is a `release 13.0, V13.0.88` in the text.
fn names_release(text: &str) -> bool {
    text.lines().filter_map(|line| line.split_once("release ")).any(|(_, rest)| {
        rest.split_once(", V").is_some_and(|(release, version)| {
            let is_number = |text: &str, parts| {
                let numbers: Vec<&str> = text.trim_end().split('.').collect();
                numbers.len() == parts && numbers.iter().all(|part| part.parse::<u32>().is_ok())
            };
            is_number(release, 2) && is_number(version, 3)
        })
    })
}
