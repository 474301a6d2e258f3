//! `man`: writes manual pages, made from the text of `--help`.

use crate::help;
use crate::output::Together;
use crate::report::Exit;
use crate::stderr::note;
use anyhow::{Context as _, Result, bail};
use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver man | man -l -                     read the page of the program
  ptxas-driver man lines | man -l -               read the page of a command
  ptxas-driver man -o ~/.local/share/man/man1     write one page a command, for `man ptxas-driver-lines`";

/// How wide notes are: with the indentation of a page they fit a terminal of 80 columns.
const NOTE_COLUMNS: usize = 72;

/// The options of `man`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// Print the page of this command, such as lines or merc-plan; without it that of the program
    command: Option<String>,
    /// Write all pages to this folder, which is made if need be
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output_dir: Option<PathBuf>,
}

/// Runs `man` for the command line of the complete program, and returns the exit status.
///
/// # Errors
///
/// There is no such command, or a page cannot be written.
pub fn run(options: &Options, program: Command, out: &mut dyn Write) -> Result<Exit> {
    // Pages for `help lines` and the like would say nothing new.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let Some(folder) = &options.output_dir else {
        let name = options.command.as_deref();
        let Some(command) = name.map_or(Some(&program), |name| find(&program, name)) else {
            let name = name.unwrap_or_default();
            bail!(
                "'{name}' is not a command; `ptxas-driver --help` lists them (-o DIR names a folder for all pages)"
            );
        };
        out.write_all(&page(command)?)?;
        return Ok(Exit::Answered);
    };
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut pages = Vec::new();
    add(&program, &mut pages)?;
    let mut files = Together::default();
    for (name, page) in &pages {
        files.add(&folder.join(name), page)?;
    }
    files.commit()?;
    note(format_args!("{}: {} pages written", folder.display(), pages.len()));
    Ok(Exit::Answered)
}

/// The command of this name below `command`; `merc-plan` is `merc plan`.
fn find<'c>(command: &'c Command, name: &str) -> Option<&'c Command> {
    command.get_subcommands().find_map(|sub| {
        let rest = name.strip_prefix(sub.get_name())?;
        if rest.is_empty() { Some(sub) } else { find(sub, rest.strip_prefix('-')?) }
    })
}

/// Adds the page of a command and those of its subcommands, as file names and contents.
fn add(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    pages.push((Man::new(command.clone()).get_filename(), page(command)?));
    command.get_subcommands().filter(|sub| !sub.is_hide_set()).try_for_each(|sub| add(sub, pages))
}

/// The page of a command. What `--help` says after the options keeps its columns.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    Man::new(command.clone().after_help(None::<&str>)).manual("nvdwarf").render(&mut page)?;
    if !notes.is_empty() {
        let mut roff = Roff::new();
        roff.control("SH", ["NOTES"]).control("nf", []);
        for line in help::laid_out(&notes, NOTE_COLUMNS).lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
        roff.to_writer(&mut page)?;
    }
    Ok(page)
}
