//! `dump`: prints the contents of a cubin's debug sections.

mod ptxas_style;
mod text;

use crate::commands::read::{self, DebugFileOptions, FunctionNames, no_debug_sections, stripped};
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, NoAnswer, Status, report};
use crate::stderr::{complain, note};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use cubin_debuginfo::dump::ptxas_style::{Model, is_shown};
use cubin_debuginfo::dump::{DumpSource, Filter, Header, ItemOffset, NoItem, Section, section_table};
use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{Cubin, CubinOrigin, SectionIndex};
use schemars::JsonSchema;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use std::cell::Cell;
use std::io::{self, Write};
use std::path::PathBuf;
use text::HEX_WIDTH;

const AFTER_HELP: &str = "\
Without --section: the table of sections and every debug section, decoded. With --section also
.nv.info and .nv.info.FUNCTION. A section that has no decoder, or that cannot be decoded, is shown as
hexadecimal bytes.

Exit status:
  0  done
  1  a section cannot be decoded, or no cubin of the file has such a section or function
  2  the command line is wrong, or a file cannot be read";

/// The options of `dump`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// A cubin, a file with cubins in it (see below), or an object of `compile --code none`; `-`
    /// for standard input
    file: PathBuf,
    #[command(flatten)]
    debug: DebugFileOptions,
    /// Only this section, any of the file's; may be given several times
    #[arg(short, long, value_name = "NAME")]
    section: Vec<String>,
    /// Only the item that has this byte, such as .debug_info+0x2d: an entry, a row of a line table
    /// with its operations, a rule of a frame, a register range, a string, padding
    #[arg(long, value_name = "SECTION+0xN", value_parser = parse_place, conflicts_with_all = ["section", "function"])]
    offset: Option<ItemOffset>,
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

fn parse_place(text: &str) -> Result<ItemOffset, String> {
    let expected = "expected a section and an offset, such as .debug_info+0x2d";
    ItemOffset::parse(text).ok_or_else(|| expected.to_owned())
}

/// What `dump` says of a cubin: its sections, decoded. The exit status is 1 where a section cannot
/// be decoded.
#[derive(Serialize, JsonSchema)]
struct Dump<'a, 'c> {
    #[serde(flatten)]
    origin: CubinOrigin,
    /// `e_type` of the ELF header.
    e_type: u16,
    /// The section table of the file. Absent with `--section` and `--function`.
    #[serde(skip_serializing_if = "Option::is_none")]
    section_table: Option<Vec<Header>>,
    /// The sections that were chosen, decoded.
    #[schemars(with = "Vec<Section<'_>>")]
    sections: Sections<'a, 'c>,
    #[serde(skip)]
    model: Option<Model>,
    #[serde(skip)]
    cubin: &'a Cubin<'c>,
}

/// The chosen sections, decoded one at a time while they are written.
struct Sections<'a, 'c> {
    options: &'a Options,
    name: &'a str,
    /// The name for messages about debug sections.
    shown: &'a str,
    source: DumpSource<'c, 'a>,
    chosen: Vec<SectionIndex>,
    /// Whether all that were written could be decoded.
    is_sound: Cell<bool>,
}

/// The name of the JSON schema of `dump`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Dump<'_, '_>>();

/// Runs `dump`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if read::asks_stdin_twice(out, [options.debug.is_stdin(), read::is_stdin(&options.file)])? {
        return Ok(Exit::Unreadable);
    }
    let name = read::shown_name(&options.file);
    report(out, Form::json_if(options.json), Dump::SCHEMA, &name, |answers| {
        let debug = options.debug.read()?;
        read::each_cubin(&options.file, None, answers, |image, bytes, answers| {
            debug.look(&image.name, bytes, |cubin, side| {
                let shown = read::name_of_sections(&image.name, side);
                of_cubin(options, image, &shown, cubin, answers)
            })
        })
    })
}

/// Shows one cubin.
fn of_cubin(
    options: &Options,
    image: &InputName,
    shown: &str,
    cubin: &Cubin<'_>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let is_query = options.offset.is_some() || options.function.is_some() || !options.section.is_empty();
    // nvlink puts an image without code into each program.
    if is_query && image.origin.is_some() && read::is_without_code(cubin) {
        answers.pass_over(Status::default());
        return Ok(());
    }
    let name = &*image.name;
    let filter = match &options.function {
        Some(function) => Some(filter(cubin, function).with_context(|| name.to_owned())?),
        None => None,
    };
    let of_offset = options.offset.as_ref().map(|place| std::slice::from_ref(&place.section));
    let names = of_offset.unwrap_or(&options.section);
    let mut chosen = choose(cubin, names, filter.is_some()).with_context(|| name.to_owned())?;
    if let Some(why) = no_debug_sections(cubin, None).filter(|_| chosen.is_empty()) {
        note(format_args!("{name}: {why}"));
    }
    let source = DumpSource::new(cubin, filter, options.offset.as_ref().map(|place| place.offset));
    let model = options.style.model();
    if model.is_some() {
        chosen.retain(|index| is_shown(cubin.section_name(*index)));
        if chosen.is_empty() {
            let why = format!("{name}: no .debug_abbrev and .debug_info to show in this style");
            return Err(NoAnswer(why).into());
        }
    }
    if options.offset.is_some() {
        for index in &chosen {
            picked(source.decode(&source.open(*index)), options, name)?;
        }
    }
    let section_table =
        (model.is_none() && names.is_empty() && options.function.is_none()).then(|| section_table(cubin));
    let sections = Sections { options, name, shown, source, chosen, is_sound: Cell::new(true) };
    let dump =
        Dump { origin: cubin.origin(), e_type: cubin.header.e_type, section_table, sections, model, cubin };
    Ok(answers.add_cubin(image, cubin, &dump)?)
}

impl Answer for Dump<'_, '_> {
    const SCHEMA: &'static str = "nvdwarf.dump";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(model) = self.model {
            return self.sections.in_ptxas_style(model, out);
        }
        if let Some(table) = &self.section_table {
            text::table(out, self.sections.name, self.cubin, table)?;
        }
        let mut is_first = self.section_table.is_none();
        self.sections.each(|section| {
            if !std::mem::take(&mut is_first) {
                writeln!(out)?;
            }
            text::section(out, section)
        })
    }

    fn status(&self) -> Status {
        Status { has_findings: !self.sections.is_sound.get(), ..Status::default() }
    }
}

impl Sections<'_, '_> {
    /// Decodes one after the other.
    fn each<E>(&self, mut take: impl FnMut(&Section<'_>) -> Result<(), E>) -> Result<(), E> {
        for index in &self.chosen {
            let opened = self.source.open(*index);
            // That there is something to pick was looked at before.
            let Ok(section) = picked(self.source.decode(&opened), self.options, self.name) else { continue };
            self.is_sound.set(self.is_sound.get() && section.error.is_none());
            take(&section)?;
        }
        Ok(())
    }

    /// Shows those that such a text is defined of.
    fn in_ptxas_style(&self, model: Model, out: &mut dyn Write) -> io::Result<()> {
        for (number, index) in self.chosen.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            let view = self.source.view(*index);
            let written =
                view.and_then(|view| ptxas_style::section(out, self.shown, &self.source, &view, model));
            match written {
                Ok(is_sound) => self.is_sound.set(is_sound? && self.is_sound.get()),
                Err(error) => {
                    self.is_sound.set(false);
                    out.flush()?;
                    complain(format_args!("{}: {error}", self.shown));
                }
            }
        }
        Ok(())
    }
}

impl Serialize for Sections<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sections = serializer.serialize_seq(None)?;
        self.each(|section| sections.serialize_element(section))?;
        sections.end()
    }
}

/// Of a section what `--offset` picks.
fn picked<'s>(section: Section<'s>, options: &Options, name: &str) -> Result<Section<'s>, NoAnswer> {
    let Some(place) = &options.offset else { return Ok(section) };
    section.keep(place.offset, HEX_WIDTH).map_err(|why| {
        let hint = match &why {
            NoItem::NoBytes { section } => format!("; --section {section} shows its variables"),
            NoItem::PastEnd { .. } => String::new(),
        };
        NoAnswer(format!("{name}: {why}{hint}"))
    })
}

fn filter(cubin: &Cubin<'_>, function: &str) -> Result<Filter> {
    let symbolizer = Symbolizer::new(cubin)?;
    let found = FunctionNames::new(symbolizer.functions()).find(function);
    let found = found.map_err(|error| NoAnswer(error.to_string()))?;
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
            return Err(NoAnswer(format!("no section '{wanted}'; {why}")).into());
        }
    }
    Ok(cubin
        .iter()
        .filter(|(_, name, _)| names.iter().any(|wanted| wanted == name))
        .map(|(index, ..)| index)
        .collect())
}
