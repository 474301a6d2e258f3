//! Reading a cubin, and saying what a file is that is none.

use anyhow::{Context, Result, bail};
use nv_debug_sections::cubin::{Contents, Cubin, Section};
use std::io::Read;
use std::path::Path;

/// Magic number of a fatbin (`fatbinary_section.h` of the CUDA toolkit, little-endian).
const FATBIN_MAGIC: [u8; 4] = [0x50, 0xed, 0x55, 0xba];

/// The bytes of the file at `path`, `-` for standard input, and the name to show for it. `expected` is for a message about
/// folders.
pub(super) fn read_any(path: &Path, expected: &str) -> Result<(String, Vec<u8>)> {
    let stdin = path == Path::new("-");
    let name = if stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    let bytes = if stdin {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else if path.is_dir() {
        bail!("{name}: a folder, expected {expected}");
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.with_context(|| name.clone())?;
    Ok((name, bytes))
}

/// The bytes of the file at `path`, `-` for standard input, and the name to show for it.
///
/// # Errors
///
/// It cannot be read, or is evidently something else: a folder, nothing, PTX, a fatbin.
pub(in crate::commands) fn read(path: &Path) -> Result<(String, Vec<u8>)> {
    let (name, bytes) = read_any(path, "a cubin")?;
    if bytes.is_empty() {
        bail!("{name}: the file is empty, expected a cubin");
    }
    if let Some(hint) = other_kind(&bytes, &name) {
        bail!("{name}: {hint}");
    }
    Ok((name, bytes))
}

/// What a file is that is evidently no cubin, and how to come by one.
pub(in crate::commands) fn other_kind(bytes: &[u8], name: &str) -> Option<String> {
    if is_ptx(bytes) {
        return Some(format!(
            "PTX text, expected a cubin; `ptxas-driver compile {name} -o out.cubin` makes one"
        ));
    }
    bytes
        .starts_with(&FATBIN_MAGIC)
        .then(|| format!("a fatbin, expected a cubin; `cuobjdump -xelf all {name}` takes its cubins out"))
}

/// `sh_size`; a Mercury clone that shares another section's bytes has that one's.
pub(in crate::commands) fn section_size(cubin: &Cubin<'_>, section: &Section<'_>) -> u64 {
    match &section.contents {
        Contents::NoBits(size) => *size,
        Contents::Bytes(bytes) => bytes.len() as u64,
        Contents::Strings(strings) => strings.as_bytes().len() as u64,
        Contents::Symbols(symbols) => symbols.len() as u64 * section.entsize,
        Contents::Relocations(all) => all.len() as u64 * section.entsize,
        Contents::Alias(target) => cubin.bytes(*target).map_or(0, |bytes| bytes.len() as u64),
    }
}

/// Whether the first line that is neither blank nor a comment is PTX's `.version`.
fn is_ptx(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        let skip = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
            _ => return rest.starts_with(b".version"),
        };
        match skip.and_then(|skip| rest.get(skip..)) {
            Some(tail) => rest = tail,
            None => return false,
        }
    }
}
