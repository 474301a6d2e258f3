//! The options of `compile` as a clap command, for completions and the manual page. clap does not
//! parse this command line.

use super::help::{AFTER_OPTIONS, arch_names};
use super::table::{self, Arg as Argument, Spec};
use clap::{Arg, ArgAction, Command, ValueHint};
use nv_debug_sections::release::Release;

/// What stands for one dash before a long name, which clap does not have.
const ONE_DASH: &str = "one-dash-";

/// Returns the command line of `compile` as a clap command.
pub fn command() -> Command {
    let mut command = Command::new("compile")
        .about("PTX in, cubin with debug sections out, with ptxas' own options; the word `compile` may be left out")
        .override_usage("ptxas-driver [compile] [options] <ptx file | ->...")
        .after_help(AFTER_OPTIONS)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(Arg::new("input").value_name("ptx file").num_args(0..).value_hint(ValueHint::FilePath));
    for (heading, specs) in [
        ("Options of ptxas", table::PTXAS),
        ("Options of this program", table::OURS),
        ("Options that go to the ptxas of --code ptxas", table::PASSED),
    ] {
        for spec in specs {
            let [full, short] = args(spec);
            command = command.args([full, short].into_iter().flatten().map(|arg| arg.help_heading(heading)));
        }
    }
    command
}

/// Corrects the shell completion script that clap made for [`command`]: names of several letters
/// can also have one dash.
pub fn table_completions(script: &str) -> String {
    // In fish options with one dash and a long name are of a kind of their own.
    let script = script.replace(&format!("-l {ONE_DASH}"), "-o ");
    script.replace(&format!("--{ONE_DASH}"), "-").replace(ONE_DASH, "")
}

/// An option by its long name, and by one of several letters with one dash, which the manual page
/// has in its text.
fn args(spec: &'static Spec) -> [Option<Arg>; 2] {
    let mut what = spec.what.to_owned();
    if spec.id == table::Id::Arch {
        what = format!("{what} Values: {}.", arch_names());
    }
    let with = |arg: Arg| {
        let name = spec.arg.placeholder().trim_matches(['<', '>']);
        let arg = if spec.id == table::Id::Arch {
            arg.value_parser(Release::default().archs().map(|arch| arch.to_string()).collect::<Vec<_>>())
                .hide_possible_values(true)
        } else {
            arg
        };
        match spec.arg {
            Argument::None => arg.action(ArgAction::SetTrue),
            Argument::Level(_) => arg.value_name(name).num_args(0..=1),
            _ => arg.value_name(name),
        }
    };
    let full = with(Arg::new(spec.long).long(spec.long));
    let mut letters = spec.short.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => [Some(full.short(letter).help(what)), None],
        (None, _) => [Some(full.help(what)), None],
        _ => {
            let name = format!("{ONE_DASH}{}", spec.short);
            let short = with(Arg::new(name.clone()).long(name)).help(what.clone()).hide(true);
            let full = full.help(format!("(-{}) {what}", spec.short).trim_end().to_owned());
            [Some(full), Some(short)]
        }
    }
}
