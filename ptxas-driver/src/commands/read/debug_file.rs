//! `--debug-file` and `--debug-dir`: read debug sections that are kept apart from the code.

use crate::commands::read;
use crate::limits::MAX_MESSAGES;
use crate::stderr::note;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{BuildId, Cubin};
use nv_debug_sections::level::detected::{is_bare, is_stripped};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The options that say where debug sections are that a cubin lacks.
#[derive(Debug, Args)]
pub(in crate::commands) struct DebugFileOptions {
    /// Debug sections are in this file: what `strip --split` wrote, or the cubin before it was
    /// stripped
    #[arg(long, value_name = "FILE")]
    debug_file: Option<PathBuf>,
    /// Look for the side files of stripped cubins in this folder, by their build IDs, as `strip
    /// --debug-dir` writes them. May be given again. The folder of FILE is always looked into, and
    /// that of the file to which a link leads
    #[arg(long, value_name = "DIR", conflicts_with = "debug_file")]
    debug_dir: Vec<PathBuf>,
}

/// Where debug sections are that cubins lack.
pub(in crate::commands) struct DebugFiles {
    /// The file that an option names: its name to show, and its bytes.
    named: Option<(String, Vec<u8>)>,
    folders: Vec<PathBuf>,
    /// How many side files were not found.
    missing: AtomicU64,
    /// Whether a folder that was looked into has files with names of side files.
    known: Mutex<HashMap<PathBuf, bool>>,
}

/// The file that has the debug sections of a cubin.
pub(in crate::commands) struct SideFile<'b> {
    name: Cow<'b, str>,
    bytes: Cow<'b, [u8]>,
    /// The build ID by which it was found.
    build_id: Option<BuildId>,
}

impl DebugFileOptions {
    /// Whether the file is to come from standard input.
    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.debug_file.as_deref().is_some_and(read::is_stdin)
    }

    /// Whether a file is named, and not a folder.
    pub(in crate::commands) fn is_file(&self) -> bool {
        self.debug_file.is_some()
    }

    /// Reads the file, if there is one.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is evidently no cubin; or a folder is not there.
    pub(in crate::commands) fn read(&self) -> Result<DebugFiles> {
        let read = |path| read::OneCubin::read(path)?.into_parts();
        for folder in &self.debug_dir {
            fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        }
        Ok(DebugFiles {
            named: self.debug_file.as_deref().map(read).transpose()?,
            folders: self.debug_dir.clone(),
            missing: AtomicU64::new(0),
            known: Mutex::default(),
        })
    }
}

impl DebugFiles {
    /// Looks at the cubin `bytes` of the file called `name`, its debug sections from its side file
    /// if there is one. `look` also gets that file.
    ///
    /// # Errors
    ///
    /// Those of [`side_file`](Self::side_file), [`SideFile::join`] and of `look`; of a fault in a
    /// debug section the message names the side file too.
    pub(in crate::commands) fn look<T>(
        &self,
        name: &str,
        bytes: &[u8],
        look: impl FnOnce(&Cubin<'_>, Option<&SideFile<'_>>) -> Result<T>,
    ) -> Result<T> {
        let code = read::cubin(name, bytes)?;
        let Some(side) = self.side_file(name, &code)? else {
            self.note_missing(name, &code);
            return look(&code, None);
        };
        let cubin = side.join(name, &code)?;
        look(&cubin, Some(&side)).map_err(|error| side.naming_sections(name, error))
    }

    /// The side file of the cubin `code`, which is in the file called `name`: that of
    /// `--debug-file`; else, of a cubin that lacks debug sections, the one that has its build ID
    /// for a name.
    ///
    /// # Errors
    ///
    /// A file of that name cannot be read.
    pub(in crate::commands) fn side_file(
        &self,
        name: &str,
        code: &Cubin<'_>,
    ) -> Result<Option<SideFile<'_>>> {
        if let Some((name, bytes)) = &self.named {
            return Ok(Some(SideFile { name: name.into(), bytes: bytes.into(), build_id: None }));
        }
        let beside = folders_of(name);
        let folders = self.folders.iter().chain(&beside);
        // The build ID takes a look at all of the code.
        let mut folders = folders.filter(|folder| self.has_side_files(folder)).peekable();
        let lacks_sections = || is_stripped(code, None) || is_bare(code);
        let is_asked = folders.peek().is_some() || !self.folders.is_empty();
        if !is_asked || code.is_side_file() || !lacks_sections() {
            return Ok(None);
        }
        let build_id = code.build_id().with_context(|| name.to_owned())?;
        let file_name = build_id.side_file_name();
        // Of several, one that is not damaged.
        let mut found = None;
        for path in folders.map(|folder| folder.join(&file_name)).filter(|path| path.exists()) {
            let (shown, bytes) = read::read_bytes(&path, "a side file")?;
            let side = SideFile { name: shown.into(), bytes: bytes.into(), build_id: Some(build_id) };
            if side.join(name, code).is_ok() {
                return Ok(Some(side));
            }
            found.get_or_insert(side);
        }
        Ok(found)
    }

    /// Says of the cubin `code`, if it is stripped, that its side file is in none of the folders
    /// that options name. That is said of the first cubins only.
    pub(in crate::commands) fn note_missing(&self, name: &str, code: &Cubin<'_>) {
        if self.folders.is_empty() || !is_stripped(code, None) {
            return;
        }
        if self.missing.fetch_add(1, Ordering::Relaxed) < MAX_MESSAGES
            && let Ok(id) = code.build_id()
        {
            note(format_args!("{name}: no side file {}", id.side_file_name()));
        }
    }

    /// Whether a folder has files with names of side files.
    fn has_side_files(&self, folder: &Path) -> bool {
        let Ok(mut known) = self.known.lock() else { return true };
        *known.entry(folder.to_path_buf()).or_insert_with(|| {
            let files = fs::read_dir(folder).into_iter().flatten().flatten();
            files.into_iter().any(|file| is_side_file_name(&file.file_name().to_string_lossy()))
        })
    }
}

/// The folder of a file by the name that is shown for it, and that of the file which a link leads
/// to; none for standard input.
fn folders_of(name: &str) -> Vec<PathBuf> {
    let parent = |path: &Path| match path.parent()? {
        folder if folder == Path::new("") => Some(PathBuf::from(".")),
        folder => Some(folder.to_path_buf()),
    };
    if name.starts_with("<stdin>") {
        return Vec::new();
    }
    let real = read::real_path(Path::new(name)).and_then(|real| parent(&real));
    let own = parent(Path::new(name));
    let is_other =
        |real: &PathBuf| own.as_ref().and_then(|own| fs::canonicalize(own).ok()).as_ref() != Some(real);
    own.iter().cloned().chain(real.filter(is_other)).collect()
}

/// Whether a file has the name of a side file: 40 hexadecimal digits, and `.debug`.
fn is_side_file_name(name: &str) -> bool {
    let digits = name.strip_suffix(".debug").unwrap_or_default();
    digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl SideFile<'_> {
    /// The name of the file to show.
    pub(in crate::commands) fn name(&self) -> &str {
        &self.name
    }

    /// The build ID by which the file was found; `None` for one that an option names.
    pub(in crate::commands) fn build_id(&self) -> Option<BuildId> {
        self.build_id
    }

    /// The size of the file in bytes.
    pub(in crate::commands) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// What messages about debug sections of the file called `name` call it.
    pub(in crate::commands) fn name_of_sections(&self, name: &str) -> String {
        format!("{name}: {}", self.name)
    }

    /// An error about the file called `name` that names the side file too where it is about a debug
    /// section.
    pub(in crate::commands) fn naming_sections(&self, name: &str, error: anyhow::Error) -> anyhow::Error {
        match error.downcast_ref::<nv_debug_sections::Error>() {
            Some(fault) if SectionName::parse(fault.section()).is_debug() => {
                anyhow!("{}: {fault}", self.name_of_sections(name))
            }
            _ => error,
        }
    }

    /// The cubin `code` of the file called `name` with the debug sections of this file.
    ///
    /// # Errors
    ///
    /// This file is not a readable cubin, has no debug sections, or is another cubin's.
    pub(in crate::commands) fn join<'d>(&'d self, name: &str, code: &Cubin<'d>) -> Result<Cubin<'d>> {
        let own = &*self.name;
        let mut cubin = read::cubin(own, &self.bytes)?;
        if code.is_side_file() {
            bail!("{name}: a side file of `strip`, without code; the cubin itself comes first");
        }
        if !cubin.has_debug_sections() {
            bail!("{own}: no debug sections");
        }
        cubin.fill_from(code).with_context(|| format!("{own} is not the debug file of {name}"))?;
        Ok(cubin)
    }
}

/// What messages about debug sections of the file called `name` call it: with its side file, if
/// there is one.
pub(in crate::commands) fn name_of_sections<'n>(name: &'n str, side: Option<&SideFile<'_>>) -> Cow<'n, str> {
    side.map_or(name.into(), |side| side.name_of_sections(name).into())
}
