//! `completions`: prints a script that makes a shell complete the command line.

use crate::options::table_completions;
use crate::report::Exit;
use anyhow::Result;
use clap::{Args, Command};
use clap_complete::Shell;
use std::io::Write;

const AFTER_HELP: &str = "\
Examples:
  source <(ptxas-driver completions bash)                          for this shell
  ptxas-driver completions bash > ~/.local/share/bash-completion/completions/ptxas-driver
  ptxas-driver completions zsh > ~/.zfunc/_ptxas-driver            a folder of $fpath
  ptxas-driver completions fish > ~/.config/fish/completions/ptxas-driver.fish";

/// The options of `completions`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// The shell
    shell: Shell,
}

/// Runs `completions` for the command line of the complete program, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, mut program: Command, out: &mut dyn Write) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut program, "ptxas-driver", &mut script);
    // clap_complete 4.6.12 writes a program's name that has a dash in two ways, and bash then
    // completes nothing.
    let script = String::from_utf8_lossy(&script).replace("ptxas__subcmd__driver", "ptxas__driver");
    out.write_all(table_completions(&script).as_bytes())?;
    Ok(Exit::Answered)
}
