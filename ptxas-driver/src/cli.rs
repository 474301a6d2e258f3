//! The command line of all commands except `compile`, whose long options have a single dash, which
//! clap does not know.

use crate::commands::{
    check, compile, completions, coverage, debugify, diff, dump, extract, install_ptxas, ir, lines, man,
    merc, print, schema, sections, sizes, strip, unstrip, vars, verify,
};
use crate::help;
use crate::options;
use crate::output::{HalfWritten, is_closed_pipe};
use crate::printable_text::{Plain, printable_lines};
use crate::provider::ptxas;
use crate::quiet::be_quiet;
use crate::report::{Exit, NoAnswer, is_of_stdout};
use crate::stderr::{complain, complain_of_stdout};
use clap::error::{ContextKind, ContextValue};
use clap::{
    Arg, Args, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum as _,
};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  ptxas-driver -lineinfo -arch sm_90 in.ptx -o out.cubin    compile, as ptxas does
  ptxas-driver check in.ptx                                 what is wrong with its debug directives
  ptxas-driver lines out.cubin saxpy+0x160                  where one address comes from
  ptxas-driver lines out.cubin                              the same for all addresses
  ptxas-driver dump out.cubin --section .debug_line         one section, decoded
  ptxas-driver diff a.cubin b.cubin                         what the two say differently
  ptxas-driver sections out.cubin                           its debug sections, and what is missing
  ptxas-driver strip out.cubin --split out.debug            move its debug sections to a side file
  ptxas-driver merc plan out.cubin                          its capsule from sm_100 on
  ptxas-driver coverage out.cubin --min-lines 95            how much of the code has lines, variables locations
  ptxas-driver vars out.cubin --at saxpy+0x160              what is where at one address
  ptxas-driver extract a.out -o cubins                      the GPU code of a program, library or fatbin

Exit status:
  0  answered
  1  something was found, or a query has no answer
  2  the command line is wrong, or a file cannot be read or written
  compile has ptxas' own: 0 when the output was written, else 255 or that of the ptxas that failed";

/// NVIDIA GPU debug information, from PTX to cubin: compile PTX as ptxas does, and read what is in
/// a cubin.
#[derive(Debug, Parser)]
#[command(name = "ptxas-driver", version, propagate_version = true, after_help = EXAMPLES, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    speech: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

/// What all commands but `compile` have.
#[derive(Debug, Args)]
#[command(next_help_heading = "On all commands but compile")]
struct GlobalOptions {
    /// When to use colours. auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// No notes on standard error; errors and answers stay
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// PTX in, cubin with debug sections out, with ptxas' own options; the word `compile` may be
    /// left out
    #[command(override_usage = "ptxas-driver [compile] [options] <ptx file | ->")]
    Compile,
    /// What is wrong with the debug directives of PTX, and what ptxas would say
    Check(check::Options),
    /// Code address to function, source line, inlined callers and PTX line
    Lines(lines::Options),
    /// The debug sections of a cubin, decoded
    Dump(dump::Options),
    /// What two cubins say differently
    Diff(diff::Options),
    /// Which debug sections a cubin has, and which it should have
    Sections(sections::Options),
    /// How much of the code has source lines, and how much of the variables' scopes locations
    Coverage(coverage::Options),
    /// The cubins and PTX in fatbins, host programs, libraries and archives: listed, or written to
    /// files
    Extract(extract::Options),
    /// How the bytes of cubins are shared out: architectures, kinds of sections, functions
    Sizes(sizes::Options),
    /// Cubins without their debug sections, and these in side files
    Strip(strip::Options),
    /// The debug sections of side files, back in the cubins
    Unstrip(unstrip::Options),
    /// The Mercury capsule of a cubin for sm_100 and later
    Merc(merc::Options),
    /// The debug metadata of LLVM IR: stripped, or made up, as LLVM does it
    Ir(ir::Options),
    /// Made-up lines of PTX: line k for instruction k
    Debugify(debugify::Options),
    /// Whether the line tables of a cubin agree about the lines that `debugify` made up
    CheckDebugify(debugify::CheckOptions),
    /// PTX out again, as it came or in the canonical layout
    Print(print::Options),
    /// Variables: type, memory, and the registers or addresses they are in, over which code
    Vars(vars::Options),
    /// What is wrong with the debug information of cubins
    Verify(verify::Options),
    /// Links by which nvcc, clang and Triton call this program in the place of ptxas
    InstallPtxas(install_ptxas::Options),
    /// What makes a shell complete this command line
    Completions(completions::Options),
    /// Manual pages
    Man(man::Options),
    /// The JSON Schemas of what commands write with `--json`
    Schema(schema::Options),
}

/// Runs the command line program. `name` is the name that it was called by: under a name of ptxas
/// it accepts only the command line of ptxas. `args` are the arguments after the name.
pub fn run(name: &OsStr, args: &[OsString]) -> ExitCode {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    if ptxas::NAMES.iter().any(|name| stem == *name) {
        return compile::run(args, true);
    }
    let words: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap_or_default()).collect();
    match words.as_slice() {
        ["compile", ..] => compile::run(&args[1..], false),
        ["help", "compile", ..] => compile::run(&["--help".into()], false),
        ["help", rest @ ..] => run_clap(rest.iter().chain(&["--help"]).map(OsString::from)),
        [] => run_clap(["--help".into()]),
        ["--help" | "-h", rest @ ..] if rest.first().is_none_or(|word| is_ours(word)) => {
            run_clap(args.to_vec())
        }
        [first, ..] if is_for_compile(first, &args[0]) => compile::run(args, false),
        ["sections", ..] => run_clap(args.iter().map(|arg| two_dashes(arg))),
        _ => run_clap(args.iter().cloned()),
    }
}

/// Whether the first word starts a `compile` without its name: an option, or a file rather than a
/// mistyped command.
fn is_for_compile(word: &str, raw: &OsStr) -> bool {
    let path = Path::new(raw);
    word.starts_with('-') && !is_ours(word)
        || !is_ours(word)
            && !Command::has_name(word)
            && (path.extension().is_some() || path.components().count() > 1 || path.is_file())
}

/// Whether a word is an option of all commands but `compile`.
fn is_ours(word: &str) -> bool {
    ["-q", "--quiet", "--color"].contains(&word) || word.starts_with("--color=")
}

/// Options of ptxas with one dash and a long name, which clap does not know, as clap knows them.
const TWO_DASHES: [(&str, &str); 3] =
    [("-lineinfo", "--lineinfo"), ("-arch", "--arch"), ("-suppress-debug-info", "--suppress-debug-info")];

fn two_dashes(arg: &OsStr) -> OsString {
    let Some(text) = arg.to_str() else { return arg.to_owned() };
    let spelled = TWO_DASHES.iter().find_map(|(one, two)| {
        let rest = text.strip_prefix(one).filter(|rest| rest.is_empty() || rest.starts_with('='))?;
        Some(format!("{two}{rest}"))
    });
    spelled.map_or_else(|| arg.to_owned(), OsString::from)
}

impl Command {
    fn has_name(word: &str) -> bool {
        Self::has_subcommand(word)
    }
}

/// The command line of the whole program, `compile` with the options of its table.
fn program() -> clap::Command {
    fn with(command: clap::Command, shared: &[Arg]) -> clap::Command {
        match command.get_name() {
            "compile" => options::command(),
            _ => command.args(shared).mut_subcommands(|sub| with(sub, shared)),
        }
    }
    let program = Cli::command();
    // `compile` has none of them.
    let shared = program.get_arguments().map(|arg| arg.clone().global(false)).collect::<Vec<_>>();
    program.mut_args(|arg| arg.global(false)).mut_subcommands(|sub| with(sub, &shared))
}

/// Obeys `--color` before the command line is read: what is wrong with that has colours too.
fn choose_colors(args: &[OsString]) {
    let words = args.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str());
    let words: Vec<&str> = words.collect();
    let choice =
        words.iter().enumerate().rev().find_map(|(number, word)| match word.strip_prefix("--color")? {
            "" => words.get(number + 1).copied(),
            value => value.strip_prefix('='),
        });
    match choice.and_then(|choice| ColorChoice::from_str(choice, false).ok()) {
        Some(ColorChoice::Always) => anstream::ColorChoice::Always.write_global(),
        Some(ColorChoice::Never) => anstream::ColorChoice::Never.write_global(),
        Some(ColorChoice::Auto) | None => {}
    }
}

fn run_clap(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    choose_colors(&args);
    let words = std::iter::once("ptxas-driver".into()).chain(args.clone());
    let parsed = with_layout(Cli::command(), help::columns()).try_get_matches_from(words);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(mut error) => {
            add_hint(&mut error, &args);
            return ExitCode::from(print_help_or_usage(&error));
        }
    };
    if cli.speech.quiet {
        be_quiet();
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    // What is not text, or is text for other programs: `check --fix` and `--diff`, `print`, and the
    // files of `merc`, `strip` and `unstrip`. These commands say themselves what is not.
    let done = match cli.command {
        Command::Compile => return compile::run(&[], false),
        Command::Check(options) => check::run(&options, &mut out),
        Command::Lines(options) => plainly(&mut out, |out| lines::run(&options, out)),
        Command::Diff(options) => plainly(&mut out, |out| diff::run(&options, out)),
        Command::Dump(options) => plainly(&mut out, |out| dump::run(&options, out)),
        Command::Sections(options) => plainly(&mut out, |out| sections::run(&options, out)),
        Command::Coverage(options) => plainly(&mut out, |out| coverage::run(&options, out)),
        Command::Extract(options) => plainly(&mut out, |out| extract::run(&options, out)),
        Command::Sizes(options) => plainly(&mut out, |out| sizes::run(&options, out)),
        Command::Strip(options) => strip::run(&options, &mut out),
        Command::Unstrip(options) => unstrip::run(&options, &mut out),
        Command::Merc(options) => merc::run(&options, &mut out),
        Command::Ir(options) => ir::run(&options, &mut out),
        Command::Debugify(options) => debugify::run(&options, &mut out),
        Command::CheckDebugify(options) => debugify::check(&options, &mut out),
        Command::Print(options) => print::run(&options, &mut out),
        Command::Vars(options) => plainly(&mut out, |out| vars::run(&options, out)),
        Command::Verify(options) => plainly(&mut out, |out| verify::run(&options, out)),
        Command::InstallPtxas(options) => plainly(&mut out, |out| install_ptxas::run(&options, out)),
        Command::Completions(options) => completions::run(&options, program(), &mut out),
        Command::Man(options) => man::run(&options, program(), &mut out),
        Command::Schema(options) => plainly(&mut out, |out| schema::run(&options, out)),
    };
    match done.and_then(|code| Ok(out.flush().map(|()| code)?)) {
        Ok(exit) => exit.into(),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What was found before the fault is worth showing.
            let _ = out.flush();
            if is_of_stdout(&error) && !error.is::<HalfWritten>() {
                complain_of_stdout(&error);
            } else {
                complain(format_args!("{error:#}"));
            }
            let exit = if error.is::<NoAnswer>() { Exit::Findings } else { Exit::Unreadable };
            exit.into()
        }
    }
}

/// Runs a command whose output is text, or JSON. It is written in few large pieces, as commands put
/// lines together from small ones.
fn plainly(
    out: &mut dyn Write,
    run: impl FnOnce(&mut dyn Write) -> anyhow::Result<Exit>,
) -> anyhow::Result<Exit> {
    let mut text = io::BufWriter::new(Plain(out));
    let done = run(&mut text);
    let written = text.into_inner().map(drop).map_err(io::IntoInnerError::into_error);
    done.and_then(|code| Ok(written.map(|()| code)?))
}

/// The command and its subcommands with help for a width.
fn with_layout(command: clap::Command, columns: usize) -> clap::Command {
    let after = command.get_after_help().map(|text| help::laid_out(&text.to_string(), columns));
    let command = if let Some(after) = after { command.after_help(after) } else { command };
    command.mut_subcommands(|sub| with_layout(sub, columns))
}

/// Adds what was probably meant.
fn add_hint(error: &mut clap::Error, args: &[OsString]) {
    let writes = args.first().is_some_and(|word| {
        ["strip", "unstrip", "merc", "print", "debugify"].iter().any(|name| word == *name)
    });
    let is_file = |word: &ContextValue| matches!(word, ContextValue::String(word) if !word.starts_with('-'));
    let is_compiled = |word: &ContextValue| matches!(word, ContextValue::String(word) if is_for_compile(word, OsStr::new(word)));
    let hint = if writes && error.get(ContextKind::InvalidArg).is_some_and(is_file) {
        "the file to write is named with -o"
    } else if error.get(ContextKind::InvalidSubcommand).is_some_and(is_compiled) {
        "to compile a file, leave out -q and --color, which `compile` does not have"
    } else {
        return;
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
}

/// Prints what clap has in place of a command line: help and the version on standard output, or
/// what is wrong on standard error. Returns the exit code.
fn print_help_or_usage(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    let escaped = printable_lines(&text);
    let printed = if *escaped == *text {
        error.print().and_then(|()| io::stdout().flush())
    } else {
        // Words of the command line are in it. Colours are not worth the risk.
        io::stderr().write_all(escaped.as_bytes())
    };
    match printed {
        // A closed pipe is not a failure, and without standard error nobody can be told.
        Err(fault) if !error.use_stderr() && fault.kind() != io::ErrorKind::BrokenPipe => {
            complain_of_stdout(&fault);
            Exit::Unreadable as u8
        }
        _ => u8::try_from(error.exit_code()).unwrap_or(Exit::Unreadable as u8),
    }
}
