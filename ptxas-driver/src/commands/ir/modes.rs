//! `ir modes`: how much debug information a module asks for, and what becomes of it.

use crate::commands::read;
use crate::commands::read::IrFile;
use crate::printable_text::printable;
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, report};
use crate::text_table::{Column, Row, write_table};
use anyhow::Result;
use clap::Args;
use llvm_debug_metadata::Module;
use llvm_debug_metadata::modes::{
    CompilerOption, ContainerStatement, DebugTables, ModuleModes, PtxContents, PtxasRun, Stage,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
The emissionKind of the units decides. libNVVM takes -g and -generate-line-info too, and they change
nothing there. Where the documentation says something else than the tools of CUDA 13.0.88 do, both
are shown. Tables of a cubin: `lines` are .debug_line and what goes with it, `registers` also
.nv_debug_info_reg_sass and _type, `full` also .debug_info.

Examples:
  ptxas-driver ir modes k.ll
  clang -S -emit-llvm -g -x cuda --cuda-device-only k.cu -o - | ptxas-driver ir modes -

Exit status:
  0  answered
  2  the command line is wrong, or a file cannot be read";

/// The options of `ir modes`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// LLVM IR, as text or bitcode; `-` for standard input
    file: PathBuf,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// What `ir modes` says of a module: how much debug information it asks for, and what libNVVM and
/// ptxas 13.0.88 make of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileModes {
    #[serde(flatten)]
    modes: ModuleModes,
    #[serde(skip)]
    name: String,
}

/// The name of the JSON schema of `ir modes`.
pub(crate) const SCHEMA: DocumentSchema = DocumentSchema::of_files::<FileModes>();

/// Runs `ir modes`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let name = read::shown_name(&options.file);
    report(out, Form::json_if(options.json), FileModes::SCHEMA, &name, |answers| modes(options, answers))
}

fn modes(options: &Options, answers: &mut Answers<'_>) -> Result<()> {
    let file = IrFile::read(&options.file)?;
    let modes = ModuleModes::read(&Module::parse(&file.text)).map_err(|error| file.error(&error))?;
    let image = InputName { name: file.name.clone(), ..InputName::default() };
    Ok(answers.add(&image, &FileModes { modes, name: file.name })?)
}

impl Answer for FileModes {
    const SCHEMA: &'static str = "nvdwarf.ir_modes";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let modes = &self.modes;
        let plural = if modes.units.len() == 1 { "" } else { "s" };
        writeln!(out, "{}: {} unit{plural}", printable(&self.name), modes.units.len())?;
        for unit in &modes.units {
            let plural = if unit.functions == 1 { "" } else { "s" };
            writeln!(
                out,
                "  {}: {}, {} function{plural}, {} inlined instructions; container {}",
                printable(&unit.file),
                unit.emission_kind.row().name,
                unit.functions,
                unit.inlined_locations,
                container(unit.container)
            )?;
        }
        if modes.is_dropped {
            let version =
                modes.debug_info_version.map_or("missing".to_owned(), |version| version.to_string());
            writeln!(out, "  dropped: the module flag \"Debug Info Version\" is {version}, and must be 3")?;
        }
        writeln!(
            out,
            "\nPTX of libNVVM 13.0.88: {}; container {}",
            contents(modes.ptx),
            container(modes.container)
        )?;
        writeln!(out, "\nOptions of cicc; libNVVM ignores them")?;
        let rows: Vec<Row<'_, 4>> = modes.compiler_options.iter().map(option_row).collect();
        let columns = [
            Column::Left("options"),
            Column::Left("measured"),
            Column::Left("documented"),
            Column::Left("handed on"),
        ];
        write_table(out, columns, &rows)?;
        if modes.ptxas_below_compute_100 == modes.ptxas_from_compute_100 {
            return runs(out, "", &modes.ptxas_from_compute_100);
        }
        runs(out, ", below compute_100", &modes.ptxas_below_compute_100)?;
        runs(out, ", from compute_100 on", &modes.ptxas_from_compute_100)
    }
}

/// The container level as measured, and as documented where that is another one.
fn container(container: ContainerStatement) -> String {
    let measured = container.measured.name();
    match container.documented {
        Some(documented) if documented == container.measured => measured.to_owned(),
        Some(documented) => format!("{measured} (documented: {})", documented.name()),
        None => format!("{measured} (documented: nothing)"),
    }
}

/// The debug information of a PTX in words.
fn contents(ptx: PtxContents) -> String {
    let parts = [
        (ptx.target_debug, "`.target ..., debug`"),
        (ptx.loc, ".loc, .file"),
        (ptx.inlined_at, "inlined_at, .debug_str"),
        (ptx.dwarf_sections, ".debug_abbrev, .debug_info"),
    ];
    let parts: Vec<&str> =
        parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, part)| part).collect();
    if parts.is_empty() { "no debug information".to_owned() } else { parts.join(", ") }
}

fn option_row(option: &CompilerOption) -> Row<'_, 4> {
    let documented = option.documented.map(|effect| effect.emission_kind.row().name);
    let handed_on = option.documented.filter(|effect| !effect.stages.is_empty()).map(|effect| {
        let stages: Vec<&str> = effect.stages.iter().copied().map(Stage::name).collect();
        format!("{} to {}", effect.handed_on_as, stages.join(" and "))
    });
    let options = if option.options.is_empty() { "neither" } else { option.options };
    [
        options.into(),
        option.measured.row().name.into(),
        documented.unwrap_or("-").into(),
        handed_on.unwrap_or_else(|| "-".to_owned()).into(),
    ]
}

/// Writes what ptxas does: a row for its options at the levels at which it does the same.
fn runs(out: &mut dyn Write, of: &str, runs: &[PtxasRun]) -> io::Result<()> {
    let is_same = |a: &PtxasRun, b: &PtxasRun| {
        a.options == b.options && a.tables == b.tables && a.messages == b.messages
    };
    let mut rows: Vec<Row<'_, 4>> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        if runs.iter().take(index).any(|before| is_same(before, run)) {
            continue;
        }
        let level = |run: &PtxasRun| run.level.map_or("default".to_owned(), |level| format!("-O{level}"));
        let levels: Vec<String> = runs.iter().filter(|other| is_same(other, run)).map(level).collect();
        let options = if run.options.is_empty() { "neither" } else { run.options };
        let tables = run.tables.map_or("no cubin", DebugTables::name);
        rows.push([options.into(), levels.join(" ").into(), tables.into(), run.messages.join("; ").into()]);
    }
    writeln!(out, "\nptxas 13.0.88{of}")?;
    let columns =
        [Column::Left("options"), Column::Left("level"), Column::Left("tables"), Column::Left("messages")];
    write_table(out, columns, &rows)
}
