//! The messages of `extract` about a file, and output that goes on when its reader has gone.

use super::listed::Listed;
use crate::commands::read::printable;
use crate::limits::MAX_MESSAGES;
use crate::stderr::{complain, note};
use nv_debug_sections::container::IrVersions;
use nv_debug_sections::container::nvvm::Compatibility;
use std::fmt;
use std::io::{self, Write};

/// The messages about one file, kept until its list is out.
#[derive(Debug, Default)]
pub(super) struct Messages {
    errors: Kept,
    notes: Kept,
}

/// The first messages of a kind, and how many there are.
#[derive(Debug, Default)]
struct Kept {
    texts: Vec<String>,
    count: u64,
}

impl Kept {
    fn push(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= MAX_MESSAGES {
            self.texts.push(text());
        }
    }

    fn say(&self, name: &str, say: fn(fmt::Arguments<'_>)) {
        for text in &self.texts {
            say(format_args!("{}", printable(text)));
        }
        match self.count - self.texts.len() as u64 {
            0 => {}
            more => say(format_args!("{}: and {more} more", printable(name))),
        }
    }
}

impl Messages {
    /// Something is wrong.
    pub(super) fn error(&mut self, text: impl FnOnce() -> String) {
        self.errors.push(text);
    }

    /// What is wrong or odd with an image of the file `name`.
    pub(super) fn image(&mut self, name: &str, listed: &Listed<'_>) {
        let Listed { image, error, .. } = listed;
        let says = |text: &str| format!("{name}: image {}: {text}", image.index);
        if let Some(error) = error {
            self.error(|| says(error));
        }
        let Some((version, compatibility)) = image.ir.as_ref().map(IrVersions::debug) else { return };
        let odd = match compatibility {
            Compatibility::Compatible => return,
            Compatibility::NewerMinor => "newer than",
            Compatibility::Incompatible => "not compatible with",
        };
        self.notes.push(|| says(&format!("debug metadata {version} is {odd} 3.2")));
    }

    /// Says them; whether nothing is wrong.
    pub(super) fn say(&self, name: &str) -> bool {
        self.errors.say(name, complain);
        self.notes.say(name, note);
        self.errors.count == 0
    }
}

/// The output of a run that writes files. They are written even if standard output has lost its
/// reader, as in `... | head -1`.
pub(super) struct DeferredErrors<'o> {
    out: &'o mut dyn Write,
    keeps_on: bool,
    error: Option<io::Error>,
}

impl<'o> DeferredErrors<'o> {
    /// `keeps_on`: whether files are written.
    pub(super) fn new(out: &'o mut dyn Write, keeps_on: bool) -> Self {
        Self { out, keeps_on, error: None }
    }

    /// The first error that was put off.
    pub(super) fn finish(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    fn or_later<T>(&mut self, done: io::Result<T>, instead: T) -> io::Result<T> {
        match done {
            Err(error) if self.keeps_on && error.kind() != io::ErrorKind::Interrupted => {
                self.error = Some(error);
                Ok(instead)
            }
            done => done,
        }
    }
}

impl Write for DeferredErrors<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_some() {
            return Ok(bytes.len());
        }
        let done = self.out.write(bytes);
        self.or_later(done, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.error.is_some() {
            return Ok(());
        }
        let done = self.out.flush();
        self.or_later(done, ())
    }
}
