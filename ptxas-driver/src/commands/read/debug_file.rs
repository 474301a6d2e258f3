//! `--debug-file`: reads debug sections that are kept apart from the code.

use crate::commands::read;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::Cubin;
use std::borrow::Cow;
use std::path::PathBuf;

/// The option.
#[derive(Debug, Args)]
pub(in crate::commands) struct DebugFile {
    /// Debug sections are in this file: what `strip --split` wrote, or the cubin before it was
    /// stripped
    #[arg(long, value_name = "FILE")]
    debug_file: Option<PathBuf>,
}

/// What the option names, once read: name and bytes.
pub(in crate::commands) struct DebugBytes(Option<(String, Vec<u8>)>);

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
        let read = |path| read::OneCubin::read(path)?.into_parts();
        self.debug_file.as_deref().map(read).transpose().map(DebugBytes)
    }
}

impl DebugBytes {
    /// The name to show and the size in bytes of the debug file, if there is one.
    pub(in crate::commands) fn file(&self) -> Option<(&str, u64)> {
        self.0.as_ref().map(|(name, bytes)| (&**name, bytes.len() as u64))
    }

    /// Looks at the cubin `bytes` of the file called `name`, its debug sections from the debug file
    /// if there is one. `look` also gets the name for messages about debug sections.
    ///
    /// # Errors
    ///
    /// Those of [`cubin`](Self::cubin) and of `look`; of a fault in a debug section the message
    /// names the debug file too.
    pub(in crate::commands) fn look<T>(
        &self,
        name: &str,
        bytes: &[u8],
        look: impl FnOnce(&Cubin<'_>, &str) -> Result<T>,
    ) -> Result<T> {
        let cubin = self.cubin(name, bytes)?;
        look(&cubin, &self.name_of_sections(name)).map_err(|error| self.naming_sections(name, error))
    }

    /// An error about the file called `name` that names the debug file too where it is about a
    /// debug section.
    pub(in crate::commands) fn naming_sections(&self, name: &str, error: anyhow::Error) -> anyhow::Error {
        match error.downcast_ref::<nv_debug_sections::Error>() {
            Some(fault) if SectionName::parse(fault.section()).is_debug() => {
                anyhow!("{}: {fault}", self.name_of_sections(name))
            }
            _ => error,
        }
    }

    /// What messages about debug sections of the file called `name` call it: with the debug file,
    /// if there is one.
    pub(in crate::commands) fn name_of_sections<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.file().map_or(name.into(), |(debug_name, _)| format!("{name}: {debug_name}").into())
    }

    /// The cubin `bytes` of the file called `name`, its debug sections from the debug file if there
    /// is one.
    ///
    /// # Errors
    ///
    /// One of the two is not a readable cubin, the debug file has no debug sections, or is another
    /// cubin's.
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
