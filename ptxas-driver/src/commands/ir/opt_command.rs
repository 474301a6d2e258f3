//! The command line of an `opt` that a user gives, and runs of that `opt`.

use crate::cleanup::child;
use anyhow::{Context, Result, anyhow, bail};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Words of the message of an `opt` that failed: the first lines say what is wrong.
const SHOWN_LINES: usize = 4;

/// An `opt`, its options, and the passes that it is to run.
#[derive(Debug)]
pub(super) struct OptCommand {
    program: OsString,
    /// All options but those that name passes and the output.
    options: Vec<OsString>,
    /// The options that name passes.
    passes: Vec<OsString>,
}

impl OptCommand {
    /// Takes a command line apart.
    ///
    /// # Errors
    ///
    /// It names no passes, or it debugifies itself.
    pub(super) fn new(words: &[OsString]) -> Result<Self> {
        let Some((program, words)) = words.split_first() else {
            bail!("after `--` comes an opt with its passes: -- opt -passes='function(sroa)'");
        };
        let (mut options, mut passes) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or_default();
            let (option, value) = name.split_once('=').map_or((name, None), |(option, _)| (option, Some(())));
            match option {
                "passes" | "p" => {
                    passes.push(word.clone());
                    if value.is_none() {
                        passes.extend(words.next().cloned());
                    }
                }
                "O0" | "O1" | "O2" | "O3" | "Os" | "Oz" => passes.push(word.clone()),
                "o" => {
                    if value.is_none() {
                        words.next();
                    }
                }
                "S" | "f" | "disable-output" => {}
                _ if option.contains("debugify") => {
                    bail!(
                        "`{text}` is for `ir debugify` itself: its --help has the option that says the same"
                    );
                }
                _ => options.push(word.clone()),
            }
        }
        if passes.is_empty() {
            bail!("{} is given no passes: -passes=..., or -O2", program.display());
        }
        Ok(Self { program: program.clone(), options, passes })
    }

    fn command(&self) -> Command {
        let mut command = child::command(&self.program);
        command.args(&self.options).stdin(Stdio::null());
        command
    }

    fn started<T>(&self, result: io::Result<T>) -> Result<T> {
        result.with_context(|| self.program.display().to_string())
    }

    fn failure(&self, words: &[u8]) -> anyhow::Error {
        let words = String::from_utf8_lossy(words);
        let shown: Vec<&str> = words.lines().filter(|line| !line.is_empty()).take(SHOWN_LINES).collect();
        anyhow!("{} failed: {}", self.program.display(), shown.join("\n"))
    }

    /// The version of its LLVM; none where it does not tell.
    pub(super) fn llvm_version(&self) -> Result<Option<u32>> {
        let ended = self.started(child::capture(child::command(&self.program).arg("--version")))?;
        let words = String::from_utf8_lossy(&ended.stdout).into_owned();
        let (_, version) = words.split_once("LLVM version ").unwrap_or_default();
        Ok(version.split('.').next().and_then(|major| major.parse().ok()))
    }

    /// The passes as a pipeline that has each of them in its adaptors.
    pub(super) fn pipeline(&self, module: &Path) -> Result<String> {
        let mut command = self.command();
        command.args(&self.passes).args(["-print-pipeline-passes", "-disable-output"]).arg(module);
        let ended = self.started(child::capture(&mut command))?;
        if !ended.status.success() {
            return Err(self.failure(&ended.stderr));
        }
        Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned())
    }

    /// Runs a pipeline on `from`, and writes the module to `to`. Returns what the pass manager
    /// tells of it.
    pub(super) fn run(&self, pipeline: &str, from: &Path, to: &Path) -> Result<String> {
        let mut command = self.command();
        command.arg(format!("-passes={pipeline}")).args(["-debug-pass-manager", "-S"]);
        command.arg(from).arg("-o").arg(to);
        let ended = self.started(child::capture(&mut command))?;
        if !ended.status.success() {
            return Err(self.failure(&ended.stderr));
        }
        Ok(String::from_utf8_lossy(&ended.stderr).into_owned())
    }

    /// Runs the passes, and calls `tell` with each line of their trace: the module before each
    /// pass, and what the pass manager says.
    pub(super) fn trace(
        &self,
        from: &Path,
        to: &Path,
        tell: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut command = self.command();
        command.args(&self.passes);
        command.args(["-print-before-all", "-print-module-scope", "-debug-pass-manager=verbose", "-S"]);
        command.arg(from).arg("-o").arg(to).stdout(Stdio::null());
        let (mut told, mut last) = (Ok(()), Vec::new());
        let status = self.started(child::run(&mut command, false, &mut |line| {
            if told.is_ok() {
                told = tell(line);
            }
            last = line.to_vec();
        }))?;
        told?;
        if status.success() { Ok(()) } else { Err(self.failure(&last)) }
    }
}
