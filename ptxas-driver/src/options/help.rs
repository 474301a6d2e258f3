//! The text of `compile --help`.

use super::table;
use nv_debug_sections::release::Release;
use std::fmt::Write as _;

/// What `--help` says after the options.
pub(super) const AFTER_OPTIONS: &str = "\
An option's argument follows it or an equals sign: -arch sm_90, -arch=sm_90,
--gpu-name=sm_90. -O3 and -m64 may be written together.

Examples

        ptxas-driver -g -arch sm_90 in.ptx -o out.cubin
        ptxas-driver -lineinfo -arch sm_90 --code none in.ptx -o out.debug
        ptxas-driver -lineinfo -arch sm_90 --code cubin:old.cubin - < in.ptx

Exit status

        0 when the output was written whole; 255 when it was not, and then
        nothing was.
";

/// Returns the text of `compile --help`, made from the table of options, in lines of at most
/// `columns`.
pub fn help(columns: usize) -> String {
    let mut text = String::from(
        "Compiles PTX to a cubin with debug sections, with ptxas' own options.\n\n\
         Usage: ptxas-driver [compile] [options] <ptx file | ->...\n",
    );
    for (title, specs) in [("Options of ptxas", table::PTXAS), ("Options of this program", table::OURS)] {
        let _ = write!(text, "\n{title}\n\n");
        for spec in specs {
            let short = if spec.short.is_empty() { String::new() } else { format!("(-{})", spec.short) };
            let left = format!("--{} {}", spec.long, spec.arg.placeholder());
            let _ = writeln!(text, "{}", format!("{left:<40}{short}").trim_end());
            wrap(&mut text, spec.what, columns);
            if spec.id == table::Id::Arch {
                wrap(&mut text, &format!("Values: {}.", arch_names()), columns);
            }
        }
    }
    text.push_str(
        "\nOptions of ptxas that go to the ptxas of --code ptxas as they are\n\n        \
         Ignored with --code none and cubin:FILE.\n",
    );
    wrap(&mut text, &format!("{}.", passed_names()), columns);
    text.push('\n');
    text.push_str(AFTER_OPTIONS);
    text
}

/// Every name that `-arch` takes. Programs look for `'sm_90'` in the help of ptxas.
pub(super) fn arch_names() -> String {
    let names: Vec<String> = Release::default().archs().map(|arch| format!("'{arch}'")).collect();
    names.join(", ")
}

fn passed_names() -> String {
    let name = |spec: &table::Spec| {
        let text = format!("--{} {}", spec.long, spec.arg.placeholder());
        text.trim_end().replace(' ', "\u{a0}")
    };
    table::PASSED.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Appends `what` in lines of at most `columns`, indented by 8.
fn wrap(text: &mut String, what: &str, columns: usize) {
    let mut column = usize::MAX;
    for word in what.split([' ', '\n']).filter(|word| !word.is_empty()) {
        if column.saturating_add(word.chars().count() + 1) > columns {
            text.push_str(if column == usize::MAX { "       " } else { "\n       " });
            column = 7;
        }
        text.push(' ');
        text.push_str(&word.replace('\u{a0}', " "));
        column += word.chars().count() + 1;
    }
    text.push('\n');
}
