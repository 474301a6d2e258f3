//! Reads a cubin, and names the kind of a file that is not one.

use super::operand::expect_file;
use crate::foreign_files;
use crate::input;
use crate::limits::MAX_HEADER;
use crate::stderr::{complain, note};
use anyhow::{Context, Result, bail};
use nv_debug_sections::container::{Container, FileKind};
use nv_debug_sections::cubin::Cubin;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is said where `-` stands for several files.
pub(in crate::commands) const STDIN_ONCE: &str =
    "standard input can be read once only: `-` can stand for one file";

/// Says that more than one of the inputs is standard input, if it is so.
///
/// # Errors
///
/// `out` cannot be written.
pub(in crate::commands) fn asks_stdin_twice(
    out: &mut dyn Write,
    is_stdin: impl IntoIterator<Item = bool>,
) -> Result<bool> {
    let is_twice = is_stdin.into_iter().filter(|is_stdin| *is_stdin).count() > 1;
    if is_twice {
        out.flush()?;
        complain(format_args!("{STDIN_ONCE}"));
    }
    Ok(is_twice)
}

/// Whether standard input was read, so that nothing is left of it.
static IS_STDIN_READ: AtomicBool = AtomicBool::new(false);

/// The bytes of the file at `path`, `-` for standard input, and the name to show for it. `expected`
/// is for a message about folders.
///
/// # Errors
///
/// It cannot be read; standard input can be only once.
pub(in crate::commands) fn read_any(path: &Path, expected: &str) -> Result<(String, Vec<u8>)> {
    let stdin = path == Path::new("-");
    let name = if stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    let bytes = if stdin {
        if IS_STDIN_READ.swap(true, Ordering::Relaxed) {
            bail!(STDIN_ONCE);
        }
        input::read_stdin()
    } else if path.is_dir() {
        bail!("{name}: a folder, expected {expected}");
    } else {
        input::read(path)
    };
    let bytes = bytes.with_context(|| name.clone())?;
    Ok((name, bytes))
}

/// The bytes of the cubin at `path`, `-` for standard input, and the name to show for it: for a
/// command that changes it.
///
/// # Errors
///
/// It cannot be read, or is evidently something else: a folder, nothing, PTX, a fatbin.
pub(in crate::commands) fn read_plain(path: &Path) -> Result<(String, Vec<u8>)> {
    expect_file(path)?;
    let (name, bytes) = read_any(path, "a cubin")?;
    if bytes.is_empty() {
        bail!("{name}: the file is empty, expected a cubin");
    }
    if let Some(hint) = other_kind(&bytes, &name) {
        bail!("{name}: {hint}");
    }
    Ok((name, bytes))
}

/// The cubin `bytes` of the file called `name`, for a command that lists names in it.
///
/// # Errors
///
/// It is not a readable cubin, or that of [`Cubin::check_name_expansion`].
pub(in crate::commands) fn cubin<'d>(name: &str, bytes: &'d [u8]) -> Result<Cubin<'d>> {
    let cubin = Cubin::parse(bytes).with_context(|| name.to_owned())?;
    cubin.check_name_expansion().with_context(|| name.to_owned())?;
    warn_of_newer_release(name, &cubin);
    Ok(cubin)
}

/// Whether a file of a release that is not known was met.
static IS_NEWER_SEEN: AtomicBool = AtomicBool::new(false);

/// Warns, once in a run, of a cubin whose tool is newer than the releases that are known.
pub(in crate::commands) fn warn_of_newer_release(name: &str, cubin: &Cubin<'_>) {
    if let Some(text) = cubin.newer_release_text()
        && !IS_NEWER_SEEN.swap(true, Ordering::Relaxed)
    {
        note(format_args!("{name}: {text}"));
    }
}

/// What a file is that is evidently no cubin, and how to come by one.
pub(in crate::commands) fn other_kind(bytes: &[u8], name: &str) -> Option<String> {
    if let Some((what, how)) = foreign_files::not_gpu_code(bytes) {
        return Some(format!("{what}, expected a cubin; {how}"));
    }
    let what = match FileKind::of(bytes)? {
        FileKind::Ptx => {
            let text = "PTX text, expected a cubin";
            let arch = target_of(bytes).map_or(String::new(), |arch| format!(" -arch {arch}"));
            let command = format!("ptxas-driver compile -lineinfo{arch} {name} -o out.cubin");
            return Some(format!("{text}; `{command}` makes one"));
        }
        FileKind::Fatbin => "a fatbin",
        FileKind::Host if has_images(bytes) => "a host file with GPU code in it",
        FileKind::Archive => "an archive",
        FileKind::Cubin | FileKind::Nvvm | FileKind::Host => return None,
    };
    Some(format!("{what}, expected a cubin; `ptxas-driver extract {name} -o DIR` takes its cubins out"))
}

fn has_images(bytes: &[u8]) -> bool {
    Container::parse(bytes).is_ok_and(|container| container.entries().flatten().next().is_some())
}

/// The first word of `.target` in PTX text, such as `sm_90`.
fn target_of(ptx: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(ptx.get(..ptx.len().min(MAX_HEADER))?);
    let (_, after) = text.split_once(".target")?;
    let word = after.trim_start().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    word.starts_with("sm_").then(|| word.to_owned())
}
