//! `merc`: the capsule of a cubin for sm_100 and later, its `.nv.merc.*` sections and Mercury code.

mod clone;
mod finalise;
mod one_space;
mod plan;
mod self_check;

use crate::commands::read;
use crate::output;
use crate::printable_text::Plain;
use crate::report::{Answers, DocumentSchema, Exit, Form, InputName, NoAnswer, report};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use merc_capsule::code_difference;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::generation::Generation;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the JSON schema of `merc plan`.
pub const PLAN_SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<plan::Clones<'_>>();

/// The name of the JSON schema of `merc self-check`.
pub const SELF_CHECK_SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<self_check::Checked<'_>>();

/// The options of `merc`: its subcommand.
#[derive(Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Which clones the sections of a cubin have, and how each is made
    Plan(plan::Options),
    /// Rebuild the clones of the debug sections from the native sections
    Clone(clone::Options),
    /// Rebuild the native debug sections from the capsule, and remove the capsule
    #[command(visible_alias = "finalize")]
    Finalise(finalise::Options),
    /// Check whether the native sections agree with the capsule
    SelfCheck(self_check::Options),
    /// Remove the capsule; native code and its sections stay as they are
    StripCapsule(one_space::Options),
    /// Keep only the capsule, with the strings and notes that it needs
    KeepCapsuleOnly(one_space::Options),
}

/// Which file is looked at, and how what is found is shown.
#[derive(Debug, Args)]
struct View {
    /// A cubin, or a file with cubins in it (see below); `-` for standard input
    file: PathBuf,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

impl View {
    /// Shows each cubin of the file that can have a capsule. A cubin for an SM whose cubins have
    /// none is not a fault beside others.
    fn each(
        &self,
        schema: &'static str,
        out: &mut dyn Write,
        mut show: impl FnMut(&InputName, &Cubin<'_>, &mut Answers<'_>) -> Result<()>,
    ) -> Result<Exit> {
        let name = read::shown_name(&self.file);
        report(out, Form::json_if(self.json), schema, &name, |answers| {
            read::each_cubin(&self.file, None, answers, |image, bytes, answers| {
                let cubin = read::cubin(&image.name, bytes)?;
                expect_mercury(&image.name, &cubin)?;
                show(image, &cubin, answers)
            })
        })
    }
}

/// The input file, the source of its addresses, and the output file.
#[derive(Debug, Args)]
struct Source {
    /// A cubin; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    intact: Intact,
    /// Write to this file, `-` for standard output; else FILE is replaced, or standard input
    /// follows to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Source {
    /// Writes what was made of the file called `name`.
    fn write(&self, cubin: &Cubin<'_>, name: &str, out: &mut dyn Write) -> Result<()> {
        write(cubin, name, self.output.as_deref().unwrap_or(&self.file), out)
    }
}

/// The file that says where code is in both spaces.
#[derive(Debug, Args)]
struct Intact {
    /// Where code is in both spaces, from this cubin of the same code
    #[arg(long, value_name = "CUBIN")]
    maps_from: Option<PathBuf>,
}

impl Intact {
    /// What `look` says of that file, if one is given; it must have the code of `cubin`.
    fn look<T>(
        &self,
        cubin: &Cubin<'_>,
        look: impl FnOnce(&Cubin<'_>) -> nv_debug_sections::Result<T>,
    ) -> Result<Option<T>> {
        let Some(path) = &self.maps_from else { return Ok(None) };
        let file = read::OneCubin::read(path)?;
        let (name, bytes) = (file.name(), file.bytes()?);
        let intact = read::cubin(name, &bytes)?;
        expect_capsule(name, &intact)?;
        if let Some(section) = code_difference(cubin, &intact) {
            bail!("{name}: not the code of the file: {section} is another section in it");
        }
        look(&intact).with_context(|| name.to_owned()).map(Some)
    }
}

/// Writes what was made of the file called `name`; `-` is standard output.
fn write(cubin: &Cubin<'_>, name: &str, target: &Path, out: &mut dyn Write) -> Result<()> {
    let bytes = cubin.write().with_context(|| name.to_owned())?;
    if target == Path::new("-") {
        return Ok(output::write_stdout(out, &bytes)?);
    }
    output::write_lasting(target, &bytes)
}

/// Refuses a cubin without a capsule, of the file called `name`.
fn expect_capsule(name: &str, cubin: &Cubin<'_>) -> Result<()> {
    if !cubin.has_capsule() {
        let why = format!("{name}: a cubin for {} without a capsule", cubin.arch());
        return Err(NoAnswer(why).into());
    }
    Ok(())
}

/// Refuses a cubin for an SM whose cubins have no capsule, which is not a fault beside others that
/// do.
fn expect_mercury(name: &str, cubin: &Cubin<'_>) -> Result<(), NoAnswer> {
    let target = cubin.target();
    if target.generation() < Generation::Mercury {
        let (sm, first) = (target.sm, *target.release.sms(Generation::Mercury).start());
        let why = format!("{name}: a cubin for sm_{sm}, which has no capsule: expected sm_{first} or later");
        return Err(NoAnswer(why));
    }
    Ok(())
}

/// Runs `merc`, and returns the exit status.
///
/// # Errors
///
/// The file is not a readable cubin, or has no sound capsule.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    match &options.command {
        Command::Plan(options) => plan::run(options, &mut Plain(out)),
        Command::Clone(options) => clone::run(options, out),
        Command::Finalise(options) => finalise::run(options, out),
        Command::SelfCheck(options) => self_check::run(options, &mut Plain(out)),
        Command::StripCapsule(options) => one_space::run(options, one_space::Removed::Capsule, out),
        Command::KeepCapsuleOnly(options) => one_space::run(options, one_space::Removed::Native, out),
    }
}
