//! `$NVDWARF_SAVE_DIR`: a folder that gets all that a report of a fault needs of each `compile`.

use crate::call_log::lossy;
use crate::cleanup::{PrivateFolder, write_private};
use crate::options::Input;
use crate::printable_text::json_line;
use crate::provider::ptxas;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file with what was said of the command line.
pub(super) const MESSAGES: &str = "messages.txt";

/// The file with what went to standard output, other than a document.
pub(super) const STDOUT: &str = "stdout.txt";

/// Names the folder.
const VARIABLE: &str = "NVDWARF_SAVE_DIR";

/// The environment variables on which a compilation depends.
const ENVIRONMENT: [&str; 11] = [
    "CONDA_PREFIX",
    "CUDA_HOME",
    "CUDA_PATH",
    crate::call_log::VARIABLE,
    crate::options::ENVIRONMENT,
    VARIABLE,
    "PATH",
    "PTXAS",
    "SOURCE_DATE_EPOCH",
    "TMPDIR",
    "VIRTUAL_ENV",
];

/// What is kept of a `compile` that is in progress. Its folder has its name once it is complete.
#[derive(Debug)]
pub(super) struct SavedCall {
    parent: PathBuf,
    folder: PrivateFolder,
    /// The first failure to save. It is told at the end, and does not fail the compilation.
    failure: RefCell<Option<io::Error>>,
}

/// The file `call.json`.
#[derive(Debug, Serialize)]
struct Call<'a> {
    /// The name that we were called by, and the arguments after it. What is not Unicode is U+FFFD.
    argv: Vec<String>,
    /// The folder that relative names start from.
    folder: String,
    /// The environment variables that count, as far as they are set.
    environment: BTreeMap<&'a str, String>,
    /// In words where the code came from; empty where none was asked for.
    code: &'a str,
    /// Exit code.
    exit: u8,
    /// The version of this program.
    version: &'a str,
    /// In words which ptxas is found, and how, or why none is.
    ptxas: String,
    /// What the ptxas that is found prints for `--version`; empty without one.
    ptxas_version: String,
}

impl SavedCall {
    /// Begins to keep what a `compile` reads and makes, if `$NVDWARF_SAVE_DIR` names a folder. It
    /// is made if need be.
    pub(super) fn begin() -> Option<Self> {
        let parent = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from)?;
        let made = std::fs::create_dir_all(&parent).and_then(|()| PrivateFolder::new_in(&parent));
        let folder = made.map_err(|error| complain(&parent, &error)).ok()?;
        Some(Self { parent, folder, failure: RefCell::new(None) })
    }

    /// Keeps a file.
    pub(super) fn keep(&self, name: &str, bytes: &[u8]) {
        self.note(write_private(&self.folder.path().join(name), bytes));
    }

    /// Keeps copies of the inputs, but for the first `kept`, which were kept when they were read.
    /// What is not a file can be read once only, and its copy is empty.
    pub(super) fn keep_inputs<'a>(&self, inputs: impl Iterator<Item = &'a Input>, kept: usize) {
        for (number, input) in (1..).zip(inputs).skip(kept) {
            let bytes = match input {
                Input::Path(path) if path.is_file() => crate::input::read(path),
                Input::Text(text) => Ok(text.as_encoded_bytes().to_vec()),
                Input::Path(_) | Input::Stdin => Ok(Vec::new()),
            };
            self.keep_read(&format!("input-{number}.ptx"), bytes);
        }
    }

    /// Keeps copies of options files; those that cannot be read are left out.
    pub(super) fn keep_options_files(&self, paths: &[PathBuf]) {
        for (number, path) in (1..).zip(paths).filter(|(_, path)| path.is_file()) {
            self.keep_read(&format!("options-{number}"), crate::input::read_words(path));
        }
    }

    fn keep_read(&self, name: &str, bytes: io::Result<Vec<u8>>) {
        match bytes {
            Ok(bytes) => self.keep(name, &bytes),
            Err(error) => self.note(Err(error)),
        }
    }

    /// Ends the call: writes `call.json`, and gives the folder its name.
    pub(super) fn end(self, args: &[OsString], code: &str, exit: u8) {
        let name = std::env::args_os().next().unwrap_or_default();
        let found = ptxas::find(None);
        let source = found.as_ref().map_or_else(ToString::to_string, ptxas::FoundPtxas::source);
        let version = |found: ptxas::FoundPtxas| ptxas::printed(&found.path, "--version").ok();
        let environment =
            ENVIRONMENT.iter().filter_map(|name| Some((*name, lossy(&std::env::var_os(name)?))));
        let call = Call {
            argv: std::iter::once(&name).chain(args).map(|word| lossy(word)).collect(),
            folder: lossy(std::env::current_dir().unwrap_or_default().as_os_str()),
            environment: environment.collect(),
            code,
            exit,
            version: env!("CARGO_PKG_VERSION"),
            ptxas: source,
            ptxas_version: found.ok().and_then(version).unwrap_or_default(),
        };
        let Self { parent, folder, failure } = self;
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        // Process numbers are the same in several containers, but the folder's own name is not.
        let unique = folder.path().file_name().map(lossy).unwrap_or_default();
        let unique = unique.rsplit('-').next().unwrap_or_default();
        let path = parent.join(format!("{seconds}-{}-{unique}", std::process::id()));
        let kept = failure.into_inner().map_or(Ok(()), Err);
        let written = kept
            .and_then(|()| json_line(&call))
            .and_then(|text| write_private(&folder.path().join("call.json"), format!("{text}\n").as_bytes()))
            .and_then(|()| folder.rename(&path));
        if let Err(error) = written {
            complain(&parent, &error);
        }
    }

    fn note(&self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failure.borrow_mut().get_or_insert(error);
        }
    }
}

fn complain(parent: &Path, error: &io::Error) {
    crate::stderr::note(format_args!("${VARIABLE} = {}: {error}", parent.display()));
}
