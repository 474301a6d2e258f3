//! Where the machine code comes from: `--code`.

use super::{Compile, STOPPED, Stopped, say_fatal, say_info, say_text};
use crate::commands::read;
use crate::options::{Answer, CodeChoice, Input};
use crate::provider::ptxas::{self, RunError};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Which code provider is asked.
pub(super) enum Choice {
    /// None, and in words why.
    None(String),
    /// An existing cubin.
    Cubin(PathBuf),
    /// A ptxas.
    Ptxas(ptxas::Found),
}

impl Choice {
    /// In words where the code comes from.
    pub(super) fn source(&self) -> String {
        match self {
            Self::None(why) => why.clone(),
            Self::Cubin(path) => format!("cubin {}", path.display()),
            Self::Ptxas(found) => found.source(),
        }
    }
}

/// What a code provider gave: a cubin's bytes, or none, and its name for messages.
pub(super) struct Code {
    pub(super) cubin: Option<Vec<u8>>,
    pub(super) name: String,
}

/// What the ptxas of this machine says of an option that we do not know; without one, nobody knows it.
pub(super) fn ask(option: &OsStr) -> Answer {
    ptxas::find().map_or(Answer::Unknown, |found| ptxas::ask(&found.path, option))
}

impl Compile<'_> {
    /// Decides where the code comes from, as `--code` says.
    pub(super) fn choose(&self) -> Result<Choice, Stopped> {
        let given = std::env::var_os("PTXAS").is_some_and(|path| !path.is_empty());
        let choice = match &self.options.code {
            CodeChoice::None => Choice::None("none, as --code none asks".to_owned()),
            CodeChoice::Cubin(path) => Choice::Cubin(path.clone()),
            CodeChoice::Ptxas | CodeChoice::Auto => match ptxas::find() {
                Ok(found) => return Ok(Choice::Ptxas(found)),
                // A $PTXAS that cannot be run is a mistake, not a machine without ptxas.
                Err(missing) if self.options.code == CodeChoice::Auto && !given => {
                    if !self.options.verbose {
                        say_info(
                            "no ptxas found: the result is a debug-only object, without code (-v says more)",
                        );
                    }
                    Choice::None(format!("none, since {missing}"))
                }
                Err(missing) => {
                    say_fatal(missing.to_string());
                    return Err(STOPPED);
                }
            },
        };
        if !self.options.passed.is_empty() {
            let passed: Vec<_> = self.options.passed.iter().map(|word| word.to_string_lossy()).collect();
            say_info(format!("ignored without a ptxas: {}", passed.join(" ")));
        }
        Ok(choice)
    }

    /// Has the code provider make its cubin, if it makes one.
    pub(super) fn provide(&mut self, choice: Choice, text: &str) -> Result<Code, Stopped> {
        match choice {
            Choice::None(_) => Ok(Code { cubin: None, name: String::new() }),
            Choice::Ptxas(found) => {
                let cubin = self.assemble(&found.path, text)?;
                Ok(Code { cubin: Some(cubin), name: found.path.display().to_string() })
            }
            Choice::Cubin(path) => {
                let name = path.display().to_string();
                let read = std::fs::read(&path).map_err(|error| error.to_string());
                let bytes = read.and_then(|bytes| read::other_kind(&bytes, &name).map_or(Ok(bytes), Err));
                let bytes = bytes.map_err(|why| {
                    say_fatal(format!("{name}: {why}"));
                    STOPPED
                })?;
                Ok(Code { cubin: Some(bytes), name })
            }
        }
    }

    /// `-arch compute_90`: a ptxas checks the PTX, as we did; nothing is written.
    pub(super) fn check_only(&mut self, choice: &Choice, text: &str) -> Result<(), Stopped> {
        match choice {
            Choice::Ptxas(found) => self.assemble(&found.path, text).map(|_| ()),
            Choice::None(_) | Choice::Cubin(_) => Ok(()),
        }
    }

    /// Runs a ptxas and forwards its messages. The cubin is empty for a virtual architecture.
    fn assemble(&mut self, path: &Path, text: &str) -> Result<Vec<u8>, Stopped> {
        let source = match &self.options.input {
            // With `.target debug` ptxas does not optimise: it gets another text.
            _ if self.options.extras.keep_optimised => ptxas::Source::Text(text.as_bytes()),
            // What is no ordinary file can be read only once, and we have done so.
            Input::Path(path) if path.is_file() => ptxas::Source::File(path),
            Input::Path(_) | Input::Stdin => ptxas::Source::Text(text.as_bytes()),
            Input::Text(text) => ptxas::Source::Argument(text),
        };
        self.assemble_source(path, source)
    }

    /// The ptxas for several inputs, which nobody else makes one module of.
    pub(super) fn choose_for_several(&self) -> Result<ptxas::Found, Stopped> {
        let why = match &self.options.code {
            CodeChoice::Ptxas | CodeChoice::Auto => match ptxas::find() {
                Ok(found) => return Ok(found),
                Err(missing) => missing.to_string(),
            },
            CodeChoice::None => "--code none asks for none".to_owned(),
            CodeChoice::Cubin(path) => format!("--code cubin:{} is none", path.display()),
        };
        say_fatal(format!("several inputs need a ptxas, which makes one module of them: {why}"));
        Err(STOPPED)
    }

    /// Has it make the cubin of all inputs.
    pub(super) fn assemble_several(&mut self, path: &Path) -> Result<Vec<u8>, Stopped> {
        self.assemble_source(path, ptxas::Source::Several)
    }

    fn assemble_source(&mut self, path: &Path, source: ptxas::Source<'_>) -> Result<Vec<u8>, Stopped> {
        let request = ptxas::Request { source, options: self.options };
        let made = self.stats.of_others(|| ptxas::run(path, &request));
        let made = made.map_err(|error| match error {
            // A ptxas that failed has said why.
            RunError::Failed { messages, status, .. } if !messages.is_empty() && status.code().is_some() => {
                say_text(messages.trim_end());
                Stopped(exit_code(status.code()))
            }
            RunError::Failed { ref messages, status, .. } => {
                if !messages.is_empty() {
                    say_text(messages.trim_end());
                }
                say_fatal(error.to_string());
                Stopped(exit_code(ptxas::code_of(status)))
            }
            error => {
                say_fatal(error.to_string());
                STOPPED
            }
        })?;
        if !made.messages.is_empty() {
            say_text(made.messages.trim_end());
        }
        Ok(made.cubin)
    }
}

/// The exit code of a ptxas that failed, as ours.
fn exit_code(code: Option<i32>) -> u8 {
    code.and_then(|code| u8::try_from(code).ok()).filter(|&code| code != 0).unwrap_or(super::FAILURE)
}
