//! `sections`: lists the debug sections that a cubin has, and those that it should have.

mod text;

use crate::commands::read::{self, DebugFileOptions, PtxFile, SideFile};
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, Status, report, write_document};
use crate::stderr::note;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::cubin::{CodeLocation, CubinOrigin};
use nv_debug_sections::level::detected::DetectedLevel;
use nv_debug_sections::level::documented::Tool;
use nv_debug_sections::level::observed::Compilation;
use nv_debug_sections::level::report::{Expectation, ExpectedList, Report, RulesModel};
use nv_debug_sections::level::{
    DebugLevel, DebugOptions, LevelDirectives, OutputKind, PtxFeatures, ReferenceKinds, StatedFact,
    typical_references,
};
use nv_debug_sections::ptx_txt;
use nv_debug_sections::release::{Release, Target};
use nvdwarf_compile::arch::{self, Arch};
use nvdwarf_compile::ptx;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver sections a.cubin                          what it has, and what is missing or extra
  ptxas-driver sections --check a.cubin                  the same for a script: exit status 1 if so
  ptxas-driver sections -g --check a.cubin               whether it is what -g makes
  ptxas-driver sections --check --ptx in.ptx a.cubin     whether it is what this PTX makes
  ptxas-driver sections k.cubin --debug-file k.debug     a stripped cubin and its side file
  ptxas-driver sections --expect -g --arch sm_100        what -g makes, where the options tell
  ptxas-driver sections --expect -lineinfo --ptx in.ptx  what -lineinfo makes of this PTX
  ptxas-driver sections --expect -g --has code,loc,.debug_abbrev,.debug_info
  ptxas-driver sections --expect -g --model documented   what the documentation says that -g makes

Without -g, -lineinfo, --suppress-debug-info, --ptx and --has a file is compared with the sections
that belong to its own level: the lowest level that has all its sections. The features of the PTX are
then read from the file too. Below sm_100 a lost section that the PTX defined, or its relocations,
are therefore reported only with --ptx. Sections that depend on something unknown are neither missing
nor extra, nor are those that were stripped. A side file, which `strip --split` wrote, is compared as
the whole cubin; with --debug-file it is read together with the stripped one.

Facts for --has: code, loc (with code), inlined (functions with names), shared (variables), debug
(`.target debug`), and names of sections that the PTX has. What is not named is taken as missing.
Options may also be written as ptxas has them: -lineinfo, -arch=sm_90, --generate-line-info.

Exit status:
  0  done
  1  with --check, something is missing, extra or odd
  2  the command line is wrong, or a file cannot be read";

/// The options of `sections`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Options {
    /// A cubin, a file with cubins in it (see below), a side file of `strip`, or an object of
    /// `compile --code none`; `-` for standard input
    #[arg(required_unless_present = "expect", conflicts_with = "expect")]
    file: Option<PathBuf>,
    #[command(flatten)]
    debug: DebugFileOptions,
    /// Say which sections a file compiled with these options has; no cubin is read
    #[arg(long, conflicts_with = "debug_file")]
    expect: bool,
    /// As compiled with -g
    #[arg(short = 'g', long)]
    device_debug: bool,
    /// As compiled with -lineinfo
    #[arg(long = "lineinfo", alias = "generate-line-info")]
    line_info: bool,
    /// As compiled with --suppress-debug-info
    #[arg(long)]
    suppress_debug_info: bool,
    /// As compiled with -c, to be linked
    #[arg(short = 'c', long)]
    compile_only: bool,
    /// As linked by nvlink from files that were compiled in this way
    #[arg(long, conflicts_with = "compile_only")]
    linked: bool,
    /// The GPU that the file is compiled for [default: that of the file or of the PTX, else sm_75]
    #[arg(long, alias = "gpu-name", value_name = "SM", value_parser = parse_arch)]
    arch: Option<Arch>,
    /// The PTX that was compiled; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "has")]
    ptx: Option<PathBuf>,
    /// The features of the PTX, in place of --ptx (see below)
    #[arg(long, value_name = "FACT,...", value_delimiter = ',', value_parser = parse_fact)]
    has: Vec<StatedFact>,
    /// Whose rules say which sections are expected
    #[arg(long, value_name = "MODEL", default_value = "observed")]
    model: ModelName,
    /// Exit with 1 if anything is missing, extra or odd
    #[arg(long, conflicts_with = "expect")]
    check: bool,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Where the expectation comes from.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModelName {
    /// What ptxas and nvlink 13.0.88 write
    Observed,
    /// What their documentation says that they write (docs/conformance.md has the differences)
    Documented,
}

fn parse_fact(word: &str) -> Result<StatedFact, String> {
    let expected = "expected code, loc, inlined, shared, debug, or the name of a debug section";
    StatedFact::parse(word).ok_or_else(|| expected.to_owned())
}

fn parse_arch(word: &str) -> Result<Arch, String> {
    let known = || Arch::all().map(|arch| arch.to_string()).collect::<Vec<_>>().join(", ");
    Arch::parse(word).map_err(|_| format!("expected one of {}", known()))
}

/// What a PTX file holds.
struct Module<'a> {
    /// The `.target` of the PTX.
    target: Option<Arch>,
    kind: LevelDirectives,
    program: PtxFeatures<'a>,
}

/// What `sections FILE` says of a cubin: which debug sections it has, and which it should have.
#[derive(Serialize, JsonSchema)]
struct OfFile<'a> {
    #[serde(skip)]
    name: &'a str,
    #[serde(flatten)]
    origin: CubinOrigin,
    #[serde(skip)]
    origin_text: String,
    /// The file type in words.
    #[serde(skip)]
    type_words: &'a str,
    #[serde(skip)]
    has_code: bool,
    #[serde(skip)]
    is_checked: bool,
    /// The file of `--debug-file`, which has the debug sections. Absent where the file itself has
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    debug_file: Option<&'a str>,
    #[serde(flatten)]
    report: Report<'a>,
}

impl Answer for OfFile<'_> {
    const SCHEMA: &'static str = "nvdwarf.sections";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        text::file(out, self)
    }

    fn status(&self) -> Status {
        Status { has_findings: self.is_checked && !self.report.is_clean(), ..Status::default() }
    }
}

/// The name of the JSON schema of `sections`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<OfFile<'_>>();

/// The name of the JSON schema of `sections --expect`.
pub const EXPECTED_SCHEMA: DocumentSchema = DocumentSchema::of::<ExpectedList>("nvdwarf.sections.expected");

/// Runs `sections`, and returns the exit status.
///
/// # Errors
///
/// A PTX file is not readable, the options contradict it, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let is_stdin = options.file.iter().chain(&options.ptx).map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(Exit::Unreadable);
    }
    let Some(path) = &options.file else {
        let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
        let ptx = ptx.as_ref().map(|file| options.read_module(file)).transpose()?;
        return of_options(options, ptx.as_ref(), out).map(|()| Exit::Answered);
    };
    report(out, Form::json_if(options.json), OfFile::SCHEMA, &read::shown_name(path), |answers| {
        let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
        let ptx = ptx.as_ref().map(|file| options.read_module(file)).transpose()?;
        let debug = options.debug.read()?;
        read::each_cubin(path, None, answers, |image, bytes, answers| {
            let size = bytes.len() as u64;
            debug.look(&image.name, bytes, |cubin, side| {
                of_cubin(options, ptx.as_ref(), side, image, cubin, size, answers)
            })
        })
    })
}

fn of_options(options: &Options, ptx: Option<&Module<'_>>, out: &mut dyn Write) -> Result<()> {
    let of_ptx = ptx.and_then(|ptx| ptx.target);
    let arch = options.arch.or(of_ptx.filter(|target| *target > arch::DEFAULT)).unwrap_or(arch::DEFAULT);
    if let Some(Err(cannot)) = of_ptx.map(|target| arch::can_run(target, arch)) {
        bail!("{cannot} ({})", cannot.hint(Release::default().archs()));
    }
    let (kind, program) = options.asked_program(ptx, None);
    let expectation = options.expectation(
        Release::default().target(arch.number),
        options.output(OutputKind::Program),
        kind,
        &program,
    );
    if ptx.is_none()
        && options.has.is_empty()
        && expectation.level == DebugLevel::None
        && !options.suppress_debug_info
    {
        note(format_args!(
            "without options the level is the PTX's to say: give --ptx or --has, or -g or -lineinfo"
        ));
    }
    let list = expectation.list();
    if options.json {
        return Ok(write_document(out, EXPECTED_SCHEMA.name, &list)?);
    }
    Ok(text::expectation(out, &list, &options.spelled())?)
}

/// Shows one cubin.
fn of_cubin(
    options: &Options,
    ptx: Option<&Module<'_>>,
    side: Option<&SideFile<'_>>,
    image: &InputName,
    cubin: &Cubin<'_>,
    size: u64,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let name = &*image.name;
    let mut found = DetectedLevel::of(cubin);
    found.output = options.output(found.output);
    if let Some(arch) = options.arch.filter(|arch| arch.number != found.target.sm) {
        bail!("{name}: the file is for sm_{}, and --arch is {arch}", found.target.sm);
    }
    let expectation = if options.asks() {
        let (kind, program) = options.asked_program(ptx, Some(&found.ptx));
        options.expectation(found.target, found.output, kind, &program)
    } else {
        Expectation::of_file(options.model(), &found)
    };
    let (debug_file, file_bytes) = side.map_or((None, size), |side| (Some(side.name()), side.size()));
    let report = Report::new(cubin, file_bytes, &found, &expectation);
    let answer = OfFile {
        name,
        origin: cubin.origin(),
        origin_text: cubin.origin_text(),
        type_words: cubin.header.type_words(),
        has_code: cubin.code_location() != CodeLocation::None,
        is_checked: options.check,
        debug_file,
        report,
    };
    Ok(answers.add_cubin(image, cubin, &answer)?)
}

impl Options {
    /// Whether options say what to expect of a file.
    fn asks(&self) -> bool {
        let Self { device_debug, line_info, suppress_debug_info, ptx, has, .. } = self;
        *device_debug || *line_info || *suppress_debug_info || ptx.is_some() || !has.is_empty()
    }

    fn request(&self) -> DebugOptions {
        DebugOptions {
            device_debug: self.device_debug,
            line_info: self.line_info,
            suppress: self.suppress_debug_info,
        }
    }

    /// The options that decide, for people.
    fn spelled(&self) -> String {
        let options = [
            (self.device_debug, "-g"),
            (self.line_info, "-lineinfo"),
            (self.suppress_debug_info, "--suppress-debug-info"),
            (self.compile_only, "-c"),
        ];
        let given: Vec<&str> = options.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect();
        if given.is_empty() { "no option".to_owned() } else { given.join(" ") }
    }

    fn output(&self, otherwise: OutputKind) -> OutputKind {
        match (self.compile_only, self.linked) {
            (true, _) => OutputKind::Relocatable,
            (_, true) => OutputKind::Linked,
            _ => otherwise,
        }
    }

    /// What the PTX is like: that of `--ptx`, of `--has`, of the file, or not known.
    fn asked_program<'a>(
        &self,
        ptx: Option<&Module<'a>>,
        found: Option<&PtxFeatures<'a>>,
    ) -> (LevelDirectives, PtxFeatures<'a>) {
        match (ptx, found) {
            (Some(ptx), _) => (ptx.kind, ptx.program.clone()),
            (None, Some(found)) if self.has.is_empty() => (LevelDirectives::default(), found.clone()),
            // Words name sections, not what is in them: what compilers' mostly refer to is for a
            // list without a file.
            (None, Some(_)) => StatedFact::ptx_features(&self.has, |_| ReferenceKinds::default()),
            (None, None) => StatedFact::ptx_features(&self.has, typical_references),
        }
    }

    fn expectation<'a>(
        &self,
        target: Target,
        output: OutputKind,
        ptx: LevelDirectives,
        program: &PtxFeatures<'a>,
    ) -> Expectation<'a> {
        let tool = if self.linked { Tool::Nvlink } else { Tool::Ptxas };
        let level = self.model().level(self.request(), ptx, tool);
        Expectation::of_compilation(self.model(), &Compilation { level, target, output, program })
    }

    fn model(&self) -> RulesModel {
        match self.model {
            ModelName::Observed => RulesModel::Observed,
            ModelName::Documented => RulesModel::Documented,
        }
    }

    /// Reads a PTX for the kind of file that is asked for.
    fn read_module<'a>(&self, file: &'a PtxFile) -> Result<Module<'a>> {
        let parsed = ptx_syntax::parse(&file.text);
        if let Some(error) = parsed.errors.first() {
            bail!("{}: {error}; `ptxas-driver check` says where", file.name);
        }
        let output = self.output(OutputKind::Program);
        let (kind, mut program) = ptx::ptx_features(&parsed.module, self.request(), output);
        let text = ptx_txt::section_name(&file.bytes_of(&file.text), output != OutputKind::Program);
        program.ptx_text_names = Some(vec![text.into()]);
        let target = parsed.module.arch().and_then(|word| Arch::parse_target(word.text).ok());
        Ok(Module { target, kind, program })
    }
}
