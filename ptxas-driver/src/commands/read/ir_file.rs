//! Reads LLVM IR: text, or bitcode by way of `llvm-dis`.

use super::cubin_file::read_any;
use crate::cleanup::{PrivateFolder, child, write_private};
use crate::foreign_files;
use crate::input;
use anyhow::{Context, Result, anyhow, bail};
use llvm_debug_metadata::Error;
use ptx_syntax::LineIndex;
use std::env;
use std::path::{Path, PathBuf};

/// The first bytes of bitcode: as such, and in a wrapper.
const BITCODE: [&[u8]; 2] = [b"BC\xC0\xDE", b"\xDE\xC0\x17\x0B"];

/// What some editors write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The versions of `llvm-dis` that are looked for after the one without a version.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=24;

/// A module of LLVM IR.
pub(in crate::commands) struct IrFile {
    /// Where it is; `-` for standard input.
    pub(in crate::commands) path: PathBuf,
    /// The name to show.
    pub(in crate::commands) name: String,
    /// Its text.
    pub(in crate::commands) text: String,
    /// Whether the text was made from bitcode.
    pub(in crate::commands) is_bitcode: bool,
}

impl IrFile {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// It cannot be read, is evidently something else, is not UTF-8, or is bitcode that no
    /// `llvm-dis` makes text of.
    pub(in crate::commands) fn read(path: &Path) -> Result<Self> {
        let (name, bytes) = read_any(path, "LLVM IR")?;
        Self::of(path, name, bytes)
    }

    /// Whether a file with these first bytes, or with this name, is LLVM IR.
    pub(in crate::commands) fn is_one(path: &Path, bytes: &[u8]) -> bool {
        let has_name = path.extension().is_some_and(|extension| extension == "ll" || extension == "bc");
        is_bitcode(bytes) || foreign_files::is_llvm_ir(bytes) || has_name
    }

    /// The module in the bytes of the file at `path`, which is shown as `name`.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], but for reading the file.
    pub(in crate::commands) fn of(path: &Path, name: String, bytes: Vec<u8>) -> Result<Self> {
        let is_bitcode = is_bitcode(&bytes);
        let bytes = if is_bitcode { disassembled(&bytes).with_context(|| name.clone())? } else { bytes };
        if let Some(what) = foreign_files::not_llvm_ir(&bytes) {
            bail!("{name}: {what}, expected LLVM IR");
        }
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bail!("{name}: the text begins with a byte order mark (U+FEFF), which LLVM does not read");
        }
        // LLVM takes them for blanks, and so such a file for an empty module.
        if !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0) {
            bail!("{name}: {} NUL bytes and nothing else, expected LLVM IR", bytes.len());
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path: path.to_owned(), name, text, is_bitcode }),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                bail!("{name}: not LLVM IR: byte {at} is not UTF-8")
            }
        }
    }

    /// An error of the text as a message with its place.
    pub(in crate::commands) fn error(&self, error: &Error) -> anyhow::Error {
        let (line, column) = LineIndex::new(&self.text).line_col(error.range.start);
        anyhow!("{}:{line}:{column}: {error}", self.name)
    }
}

fn is_bitcode(bytes: &[u8]) -> bool {
    BITCODE.iter().any(|magic| bytes.starts_with(magic))
}

/// The text of bitcode, from the first `llvm-dis` that reads it: an old one reads no new bitcode.
fn disassembled(bitcode: &[u8]) -> Result<Vec<u8>> {
    let folder = PrivateFolder::new().context("no folder for temporary files")?;
    let to = folder.path().join("module.ll");
    write_private(&folder.path().join("module.bc"), bitcode)?;
    let mut refusal = None;
    for program in disassemblers() {
        let shown = program.display();
        let mut command = child::command(program.as_os_str());
        // The text names the file that it was made of.
        command.current_dir(folder.path()).args(["module.bc", "-o", "module.ll"]);
        let ended = child::capture(&mut command).with_context(|| shown.to_string())?;
        if ended.status.success() {
            return input::read(&to).with_context(|| shown.to_string());
        }
        let words = String::from_utf8_lossy(&ended.stderr);
        let words = words.trim();
        refusal.get_or_insert_with(|| format!("LLVM bitcode, of which {shown} makes no text: {words}"));
    }
    bail!(refusal.unwrap_or_else(|| {
        "LLVM bitcode, of which only llvm-dis makes text; no llvm-dis is on PATH (Debian: apt-get install llvm-19)"
            .to_owned()
    }))
}

/// The `llvm-dis` on `PATH`, then those with a version in their names, the newest first.
fn disassemblers() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let versions = VERSIONS.rev().map(|version| format!("llvm-dis-{version}"));
    let names = std::iter::once("llvm-dis".to_owned()).chain(versions);
    let place =
        |name: String| env::split_paths(&path).map(|folder| folder.join(&name)).find(|place| place.is_file());
    names.filter_map(place).collect()
}
