//! The source of the machine code: `--code`.

use super::document::ReportedMessage;
use super::messages::forward;
use super::{Compile, FAILURE, Stopped, say_info, stop};
use crate::commands::read;
use crate::input;
use crate::limits::MAX_PTXAS_LINES;
use crate::options::{CodeChoice, Input, MessageStyle, OptionAnswer};
use crate::output;
use crate::provider::ptxas::{self, RunError};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Which code provider is asked.
pub(super) enum Choice {
    /// No machine code is made, as `--code none` asks.
    None,
    /// The machine code comes from an existing cubin.
    Cubin(PathBuf),
    /// The machine code comes from a ptxas that was found.
    Ptxas(ptxas::FoundPtxas),
}

impl Choice {
    /// In words where the code comes from.
    pub(super) fn source(&self) -> String {
        match self {
            Self::None => "none, as --code none asks".to_owned(),
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

/// What the ptxas of this machine says of an option that we do not know; without one, the option is
/// unknown.
///
/// The chip may not be read yet, and which of Triton's two ptxas it is for: it is enough that one
/// knows the option.
pub(super) fn ask(option: &OsStr) -> OptionAnswer {
    let mut found: Vec<_> =
        [None, Some(u32::MAX)].into_iter().filter_map(|sm| ptxas::find(sm).ok()).collect();
    found.dedup_by(|a, b| a.path == b.path);
    let answers = found.iter().map(|found| ptxas::ask(&found.path, option));
    answers.into_iter().find(|answer| *answer != OptionAnswer::Unknown).unwrap_or(OptionAnswer::Unknown)
}

/// Reports that no ptxas was found, and how to get one.
pub(super) fn say_missing(why: impl Into<String>) -> Stopped {
    let stopped = stop(why);
    say_info(ptxas::HOW_TO_GET_ONE);
    stopped
}

impl Compile<'_> {
    /// Decides where the code comes from, as `--code` says.
    pub(super) fn choose(&mut self) -> Result<Choice, Stopped> {
        let choice = match &self.options.code {
            CodeChoice::None => Choice::None,
            CodeChoice::Cubin(path) => Choice::Cubin(path.clone()),
            CodeChoice::Ptxas => {
                let found = ptxas::find(Some(self.options.compile.arch.number)).map_err(|missing| {
                    self.code = format!("none: {missing}");
                    say_missing(missing.to_string())
                })?;
                return Ok(Choice::Ptxas(found));
            }
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
            Choice::None => Ok(Code { cubin: None, name: String::new() }),
            Choice::Ptxas(found) => {
                let cubin = self.assemble(&found.path, text.as_bytes())?;
                Ok(Code { cubin: Some(cubin), name: found.path.display().to_string() })
            }
            Choice::Cubin(path) => {
                let name = path.display().to_string();
                let read = input::read(&path).map_err(|error| error.to_string());
                let bytes = read.and_then(|bytes| read::other_kind(&bytes, &name).map_or(Ok(bytes), Err));
                let bytes = bytes.map_err(|why| stop(format!("{name}: {why}")))?;
                Ok(Code { cubin: Some(bytes), name })
            }
        }
    }

    /// `-arch compute_90`: a ptxas checks the PTX, as we did; nothing is written.
    pub(super) fn check_only(&mut self, choice: &Choice, text: &str) -> Result<(), Stopped> {
        match choice {
            Choice::Ptxas(found) => self.assemble(&found.path, text.as_bytes()).map(|_| ()),
            Choice::None | Choice::Cubin(_) => Ok(()),
        }
    }

    /// Runs a ptxas and forwards its messages. The cubin is empty for a virtual architecture.
    pub(super) fn assemble(&mut self, path: &Path, text: &[u8]) -> Result<Vec<u8>, Stopped> {
        let source = match &self.options.input {
            // With `.target debug` ptxas does not optimise: it gets another text.
            _ if self.options.compile.extras.keep_optimised => ptxas::Source::Text(text),
            // What is not an ordinary file can be read only once, and we have done so.
            Input::Path(path) if path.is_file() && !is_open_file(path) => ptxas::Source::File(path),
            Input::Path(_) | Input::Stdin => ptxas::Source::Text(text),
            Input::Text(text) => ptxas::Source::Argument(text),
        };
        self.assemble_source(path, source)
    }

    /// Chooses the ptxas for several inputs, since only ptxas makes one module of them.
    pub(super) fn choose_for_several(&self) -> Result<ptxas::FoundPtxas, Stopped> {
        let need = "several inputs need a ptxas, which makes one module of them";
        match &self.options.code {
            CodeChoice::Ptxas => ptxas::find(Some(self.options.compile.arch.number))
                .map_err(|missing| say_missing(format!("{need}: {missing}"))),
            CodeChoice::None => Err(stop(format!("{need}: --code none asks for none"))),
            CodeChoice::Cubin(path) => {
                Err(stop(format!("{need}: --code cubin:{} is not one", path.display())))
            }
        }
    }

    /// Has it make the cubin of all inputs.
    pub(super) fn assemble_several(&mut self, path: &Path) -> Result<Vec<u8>, Stopped> {
        self.assemble_source(path, ptxas::Source::Several)
    }

    fn assemble_source(&mut self, path: &Path, source: ptxas::Source<'_>) -> Result<Vec<u8>, Stopped> {
        let names_output =
            self.message_style != MessageStyle::Ours && output::has_no_place(&self.options.output);
        let request = ptxas::Request { source, options: self.options, names_output };
        let (style, is_kept, messages) = (self.message_style, self.keeps_messages(), &mut self.messages);
        let tell = &mut |line: &[u8]| {
            forward(line, style);
            if is_kept && messages.len() < MAX_PTXAS_LINES {
                messages.push(ReportedMessage::of_ptxas(&String::from_utf8_lossy(line)));
            }
        };
        let made = self.stats.of_others(|| ptxas::run(path, &request, tell));
        let is_silent = self.leaves_words_to_ptxas();
        made.map(Option::unwrap_or_default).map_err(|error| match error {
            // A ptxas that failed has said why.
            RunError::Failed { has_spoken, status, .. }
                if is_silent || (has_spoken && status.code().is_some()) =>
            {
                Stopped { exit: exit_code(ptxas::code_of(status)), error: error.to_string() }
            }
            RunError::Failed { status, .. } => {
                Stopped { exit: exit_code(ptxas::code_of(status)), ..stop(error.to_string()) }
            }
            error => stop(error.to_string()),
        })
    }
}

/// Whether a path is that of a file that is open already, such as `/dev/stdin`. Whoever opens it
/// again may go on where we have stopped, at its end.
fn is_open_file(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"].map(Path::new);
    path == Path::new("/dev/stdin") || folders.iter().any(|folder| path.starts_with(folder))
}

/// The exit code of a ptxas that failed, as ours.
pub(super) fn exit_code(code: Option<i32>) -> u8 {
    code.and_then(|code| u8::try_from(code).ok()).filter(|&code| code != 0).unwrap_or(FAILURE)
}
