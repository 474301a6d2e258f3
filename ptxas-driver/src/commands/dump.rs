//! `dump`: what is in a cubin's debug sections.

mod ptxas_style;
mod text;

use crate::commands::read::{
    self, Around, DebugFile, FunctionNames, Shown, Unanswered, no_debug_sections, stripped,
    write_cubin_document,
};
use crate::stderr::{USAGE, note};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use cubin_debuginfo::dump::ptxas_style::{Model, is_shown};
use cubin_debuginfo::dump::{Filter, Header, NoItem, Section, SectionOffset, Source, section_table};
use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{CodePlace, Cubin, SectionIndex};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use text::HEX_WIDTH;

const AFTER_HELP: &str = "\
Without --section: the table of sections and every debug section, decoded. With --section also
.nv.info and .nv.info.FUNCTION. A section that has no decoder, or that cannot be decoded, is shown as
hexadecimal bytes.

Exit status:
  0  done
  1  a section cannot be decoded, no cubin of the file has such a section or function, or the file is no readable cubin
  2  the command line is wrong";

/// What to show.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// A cubin, a file with cubins in it (see below), or an object of `compile --code none`; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    debug: DebugFile,
    /// Only this section, any of the file's; may be given several times
    #[arg(short, long, value_name = "NAME")]
    section: Vec<String>,
    /// Only the item that has this byte, such as .debug_info+0x2d: an entry, a row of a line table with its operations, a
    /// rule of a frame, a register range, a string, padding
    #[arg(long, value_name = "SECTION+0xN", value_parser = parse_place, conflicts_with_all = ["section", "function"])]
    offset: Option<SectionOffset>,
    /// Only what belongs to this function: its rows, registers, frame rules, entries and PTX lines
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,
    /// How it is shown
    #[arg(long, value_name = "STYLE", default_value = "words", conflicts_with_all = ["json", "function", "offset"])]
    style: Style,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    /// Everything in words, with addresses as places in sections
    Words,
    /// .debug_abbrev and .debug_info as ptxas is documented to dump them
    Ptxas,
    /// The same as `cuobjdump -elf` prints it: without null entries, fields as they lie in the file
    Cuobjdump,
}

impl Style {
    /// Of the styles that have only some sections.
    fn model(self) -> Option<Model> {
        match self {
            Self::Words => None,
            Self::Ptxas => Some(Model::Documented),
            Self::Cuobjdump => Some(Model::Observed),
        }
    }
}

fn parse_place(text: &str) -> Result<SectionOffset, String> {
    let expected = "expected a section and an offset, such as .debug_info+0x2d";
    SectionOffset::parse(text).ok_or_else(|| expected.to_owned())
}

/// What the document of `--json` has.
#[derive(Serialize)]
struct Answer<'a> {
    e_type: u16,
    code: CodePlace,
    #[serde(skip_serializing_if = "Option::is_none")]
    section_table: Option<Vec<Header>>,
    sections: Vec<Section<'a>>,
}

/// Of the document of `--json`.
const SCHEMA: &str = "nvdwarf.dump";

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin, has no such section or function, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    if read::asks_stdin_twice(out, [options.debug.is_stdin(), read::is_stdin(&options.file)])? {
        return Ok(ExitCode::from(USAGE));
    }
    let schema = options.json.then_some(SCHEMA);
    read::with_document(schema, &options.file, out, |out| {
        let debug = options.debug.read()?;
        read::each_cubin(&options.file, Around::json_if(options.json), out, |name, bytes, out| {
            debug.look(name, bytes, |cubin, shown| of_cubin(options, (name, shown), cubin, out))
        })
    })
}

/// Shows one cubin.
fn of_cubin(
    options: &Options,
    (name, shown): (&str, &str),
    cubin: &Cubin<'_>,
    out: &mut dyn Write,
) -> Result<Shown> {
    let filter = match &options.function {
        Some(function) => Some(filter(cubin, function).with_context(|| name.to_owned())?),
        None => None,
    };
    let of_offset = options.offset.as_ref().map(|place| std::slice::from_ref(&place.section));
    let names = of_offset.unwrap_or(&options.section);
    let chosen = choose(cubin, names, filter.is_some()).with_context(|| name.to_owned())?;
    if let Some(why) = no_debug_sections(cubin, None).filter(|_| chosen.is_empty()) {
        note(format_args!("{name}: {why}"));
    }
    let source = Source::new(cubin, filter, options.offset.as_ref().map(|place| place.offset));
    if let Some(model) = options.style.model() {
        return in_ptxas_style((name, shown), &source, &chosen, model, out);
    }
    let table = (names.is_empty() && options.function.is_none()).then(|| section_table(cubin));

    let mut sound = true;
    if options.json {
        let opened: Vec<_> = chosen.iter().map(|index| source.open(*index)).collect();
        let mut sections = Vec::new();
        for opened in &opened {
            sections.push(picked(source.decode(opened), options, name)?);
        }
        sound = sections.iter().all(|section| section.error.is_none());
        let answer =
            Answer { e_type: cubin.header.e_type, code: cubin.code_place(), section_table: table, sections };
        write_cubin_document(out, SCHEMA, (name, cubin), &answer)?;
    } else {
        if let Some(table) = &table {
            text::table(out, name, cubin, table)?;
        }
        for (number, index) in chosen.iter().enumerate() {
            if number > 0 || table.is_some() {
                writeln!(out)?;
            }
            let opened = source.open(*index);
            let section = picked(source.decode(&opened), options, name)?;
            sound &= section.error.is_none();
            text::section(out, &section)?;
        }
    }
    Ok(Shown::all(sound))
}

/// Of a section what `--offset` picks.
fn picked<'s>(section: Section<'s>, options: &Options, name: &str) -> Result<Section<'s>> {
    let Some(place) = &options.offset else { return Ok(section) };
    let kept = section.keep(place.offset, HEX_WIDTH).map_err(|why| {
        let hint = match &why {
            NoItem::NoBytes { section } => format!("; --section {section} shows its variables"),
            NoItem::PastEnd { .. } => String::new(),
        };
        Unanswered(format!("{name}: {why}{hint}"))
    });
    Ok(kept?)
}

/// Shows the chosen sections that such a text is defined of.
fn in_ptxas_style(
    (name, file): (&str, &str),
    source: &Source<'_, '_>,
    chosen: &[SectionIndex],
    model: Model,
    out: &mut dyn Write,
) -> Result<Shown> {
    let shown = chosen.iter().filter(|index| is_shown(source.cubin().section_name(**index)));
    let (mut is_first, mut is_sound) = (true, true);
    for index in shown {
        if !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        let view = source.view(*index).with_context(|| name.to_owned())?;
        is_sound &=
            ptxas_style::section(out, file, source, &view, model).with_context(|| name.to_owned())??;
    }
    if is_first {
        let why = format!("{name}: no .debug_abbrev and .debug_info to show in this style");
        return Err(Unanswered(why).into());
    }
    Ok(Shown::all(is_sound))
}

fn filter(cubin: &Cubin<'_>, function: &str) -> Result<Filter> {
    let symbolizer = Symbolizer::new(cubin)?;
    let found = FunctionNames::new(symbolizer.functions()).find(function);
    let found = found.map_err(|error| Unanswered(error.to_string()))?;
    Ok(Filter::new(&symbolizer, &found))
}

/// The sections to decode, in file order.
fn choose(cubin: &Cubin<'_>, names: &[String], by_function: bool) -> Result<Vec<SectionIndex>> {
    if names.is_empty() {
        let debug = cubin.iter().filter(|(_, name, _)| {
            SectionName::parse(name).is_debug_contents() && (!by_function || Filter::applies_to(name))
        });
        return Ok(debug.map(|(index, ..)| index).collect());
    }
    for wanted in names {
        if !cubin.iter().any(|(_, name, _)| name == wanted) {
            let all: Vec<&str> = cubin
                .iter()
                .map(|(_, name, _)| name)
                .filter(|name| SectionName::parse(name).is_debug_contents())
                .collect();
            let kind = SectionName::parse(wanted).kind();
            let why = match kind.and_then(|kind| stripped(cubin, Some(kind))) {
                Some(why) => why.to_owned(),
                None if all.is_empty() => "there are no debug sections".to_owned(),
                None => format!("the debug sections are {}", all.join(", ")),
            };
            return Err(Unanswered(format!("no section '{wanted}'; {why}")).into());
        }
    }
    Ok(cubin
        .iter()
        .filter(|(_, name, _)| names.iter().any(|wanted| wanted == name))
        .map(|(index, ..)| index)
        .collect())
}
