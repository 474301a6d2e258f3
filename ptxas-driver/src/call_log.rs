//! `$NVDWARF_LOG`: a file that gets one line for each `compile`, so that a build that calls this
//! program through others can tell that it did.

use crate::printable_text::json_line;
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Names the file.
pub const VARIABLE: &str = "NVDWARF_LOG";

/// A run of `compile` that is in progress, for which a line is written to the log file that
/// `$NVDWARF_LOG` names.
#[derive(Debug)]
pub struct Call<'a> {
    file: Option<PathBuf>,
    args: &'a [OsString],
    started: Instant,
}

/// One line of the log, as JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    /// The name that we were called by, and the arguments after it. What is not Unicode is U+FFFD.
    argv: Vec<String>,
    /// The folder that relative names start from.
    folder: String,
    /// In words where the code came from; empty where none was asked for.
    code: &'a str,
    /// Exit code.
    exit: u8,
    /// Wall time in milliseconds.
    ms: f64,
}

impl<'a> Call<'a> {
    /// Begins the log line of a run of this program, and notes the time. `args` does not include
    /// the program's name.
    pub fn begin(args: &'a [OsString]) -> Self {
        let file = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        Self { file, args, started: Instant::now() }
    }

    /// Appends the line of this run to the log file, in one write, since several runs may end at
    /// once. A log that cannot be written is reported, but is not a failure.
    pub fn end(self, code: &str, exit: u8) {
        let Some(path) = &self.file else { return };
        let name = std::env::args_os().next().unwrap_or_default();
        let argv = std::iter::once(&name).chain(self.args).map(|word| lossy(word)).collect();
        let folder = std::env::current_dir().unwrap_or_default();
        let line = Line {
            argv,
            folder: lossy(folder.as_os_str()),
            code,
            exit,
            ms: (self.started.elapsed().as_secs_f64() * 1e6).round() / 1e3,
        };
        let written = json_line(&line).and_then(|mut text| {
            text.push('\n');
            open(path)?.write_all(text.as_bytes())
        });
        if let Err(error) = written {
            crate::stderr::note(format_args!("${VARIABLE} = {}: {error}", path.display()));
        }
    }
}

/// Opens the log. A pipe without a reader is an error; waiting for a reader would stop the build.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.cast_signed());
    }
    options.open(path)
}

/// A word of a command line as text; bytes that are not Unicode become U+FFFD.
pub fn lossy(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}
