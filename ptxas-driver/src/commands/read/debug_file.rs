//! `--debug-file`: debug sections that are kept apart from the code.

use super::mapped::FileBytes;
use crate::commands::read;
use anyhow::{Context, Result, bail};
use clap::Args;
use nv_debug_sections::cubin::Cubin;
use std::path::PathBuf;

/// The option.
#[derive(Debug, Args)]
pub(in crate::commands) struct DebugFile {
    /// Debug sections are in this file: what `strip --split` wrote, or the cubin before it was stripped
    #[arg(long, value_name = "FILE")]
    debug_file: Option<PathBuf>,
}

/// What the option names, once read: name and bytes.
pub(in crate::commands) struct DebugBytes(Option<(String, FileBytes)>);

impl DebugFile {
    /// Whether the file is to come from standard input.
    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.debug_file.as_deref().is_some_and(read::is_stdin)
    }

    /// Reads the file, if there is one.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is evidently no cubin.
    pub(in crate::commands) fn read(&self) -> Result<DebugBytes> {
        self.debug_file.as_deref().map(read::read).transpose().map(DebugBytes)
    }
}

impl DebugBytes {
    /// The name to show and the size in bytes of the debug file, if there is one.
    pub(in crate::commands) fn file(&self) -> Option<(&str, u64)> {
        self.0.as_ref().map(|(name, bytes)| (&**name, bytes.len() as u64))
    }

    /// The cubin `bytes` of the file called `name`, its debug sections from the debug file if there is one.
    ///
    /// # Errors
    ///
    /// One of the two is no readable cubin, the debug file has no debug sections, or is another cubin's.
    pub(in crate::commands) fn cubin<'d>(&'d self, name: &str, bytes: &'d [u8]) -> Result<Cubin<'d>> {
        let code = read::cubin(name, bytes)?;
        let Some((debug_name, debug_bytes)) = &self.0 else { return Ok(code) };
        let mut cubin = read::cubin(debug_name, debug_bytes)?;
        if code.is_side_file() {
            bail!("{name}: a side file of `strip`, without code; the cubin itself comes first");
        }
        if !cubin.has_debug_sections() {
            bail!("{debug_name}: no debug sections");
        }
        cubin.fill_from(&code).with_context(|| format!("{debug_name} is not the debug file of {name}"))?;
        Ok(cubin)
    }
}
