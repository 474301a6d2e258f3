//! `extract`: the GPU code in fatbins, host programs and libraries, listed or written to files.

mod model;
mod names;
mod text;

use crate::cli::{FAILURE, complain, note};
use crate::commands::read::{self, JSON_VERSION};
use crate::output;
use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use model::{Document, File, Image, kind_name};
use names::FileNames;
use nv_debug_sections::container::nvvm::{Compatibility, debug_compatibility};
use nv_debug_sections::container::{Container, Entry, EntryKind, FileKind, MAX_EXPANSION};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver extract a.out                             what is in a program, library or fatbin
  ptxas-driver extract a.out -o cubins                   write all of it into the folder `cubins`
  ptxas-driver extract a.out -o . --arch sm_90 --kind cubin
  ptxas-driver extract liba.a -o . --index 3             the third image of the list

A file may be a fatbin, a host ELF file or an archive of such objects, and also a cubin, PTX text or
an .ltoir file, which is one image. Images are numbered from 1 through the whole file. Options that
select narrow the list as well; an image must pass each of --arch, --kind and --index that is given.

Files are named as by cuobjdump: SOURCE.sm_90.cubin by the name of the source file where the image
has one, else FILE.NUMBER.sm_90.cubin. Where two images would have the same name the later one has
its index in it. Compressed LTO IR is obfuscated by fatbinary and cannot be written.

Exit status:
  0  done
  1  a file cannot be read, an image is damaged or cannot be written, or none is selected
  2  the command line is wrong";

/// What to list or write.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// Fatbins, host ELF files, archives, cubins; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the images into this folder, which is made if need be
    #[arg(short, long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Only images for this architecture, such as sm_90 or sm_90a; may be given again
    #[arg(long, value_name = "ARCH", value_parser = parse_arch)]
    arch: Vec<String>,
    /// Only images of this kind; may be given again
    #[arg(long, value_name = "KIND")]
    kind: Vec<Kind>,
    /// Only the image with this number in the list; may be given again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    index: Vec<u64>,
    /// Refuse images that grow by more than this factor when decompressed
    #[arg(long, value_name = "N", default_value_t = MAX_EXPANSION)]
    max_expansion: u64,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// GPU ELF files
    Cubin,
    /// PTX text
    Ptx,
    /// NVVM IR for link-time optimisation
    Ltoir,
}

impl Kind {
    fn is(self, kind: EntryKind) -> bool {
        match self {
            Self::Cubin => kind == EntryKind::Elf,
            Self::Ptx => kind.is_text(),
            Self::Ltoir => kind == EntryKind::Nvvm,
        }
    }
}

fn parse_arch(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("sm_").map(|rest| rest.strip_suffix(['a', 'f']).unwrap_or(rest));
    match number {
        Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(text.to_owned())
        }
        _ => Err("expected sm_ and a number, such as sm_90 or sm_90a (also for PTX and LTO IR)".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
///
/// The output folder cannot be made, or `out` cannot be written. What is wrong with a file is said, and the others follow.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    if let Some(folder) = &options.output_dir {
        fs::create_dir_all(folder)
            .with_context(|| format!("Output folder '{}' could not be made", folder.display()))?;
    }
    let mut extract = Extract { options, names: FileNames::default(), is_sound: true };
    let mut files = Vec::new();
    let mut is_first = true;
    for path in &options.files {
        let file = extract.file(path);
        if options.output_dir.is_some() && !options.json {
            text::paths(out, &file)?;
        } else if !file.images.is_empty() && !options.json {
            if !std::mem::take(&mut is_first) {
                writeln!(out)?;
            }
            text::list(out, &file)?;
        }
        out.flush()?;
        extract.complain(&file);
        // Only a document needs them together.
        files.extend(options.json.then_some(file));
    }
    if options.json {
        let document = Document { schema: "nvdwarf.extract", schema_version: JSON_VERSION, files };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    }
    Ok(if extract.is_sound { ExitCode::SUCCESS } else { ExitCode::from(FAILURE) })
}

/// Most messages about one file and its images; `--json` has all.
const MAX_MESSAGES: usize = 20;

/// One run.
struct Extract<'o> {
    options: &'o Options,
    names: FileNames,
    /// Whether nothing was wrong so far.
    is_sound: bool,
}

impl Extract<'_> {
    /// Lists and writes one file.
    fn file(&mut self, path: &Path) -> File {
        let mut file = File { name: path.display().to_string(), ..File::default() };
        match read::read_bytes(path, "a fatbin, a host file or a cubin") {
            Err(error) => file.errors.push(format!("{error:#}")),
            Ok((name, bytes)) => {
                file.name = name;
                if let Err(error) = self.images(&mut file, path, &bytes) {
                    file.errors.push(format!("{}: {error:#}", file.name));
                }
            }
        }
        file
    }

    fn images(&mut self, file: &mut File, path: &Path, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Err(anyhow!("the file is empty"));
        }
        let container = Container::parse(bytes)?;
        file.kind = Some(kind_name(container.kind()));
        // Number of each image among those of its kind, which names have.
        let mut of_kind: HashMap<EntryKind, usize> = HashMap::new();
        for entry in container.entries() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    file.errors.push(format!("{}: {error}", file.name));
                    continue;
                }
            };
            file.count += 1;
            let number = of_kind.entry(entry.kind).or_default();
            *number += 1;
            if self.selects(file.count, &entry) {
                let image = self.image(path, file.count, *number, &entry);
                file.images.push(image);
            }
        }
        if file.count == 0 && file.errors.is_empty() {
            return Err(anyhow!("no GPU code: {}", why_none(container.kind())));
        }
        if file.images.is_empty() && file.errors.is_empty() {
            return Err(anyhow!("none of its {} images is selected", file.count));
        }
        Ok(())
    }

    fn selects(&self, index: u64, entry: &Entry<'_>) -> bool {
        let options = self.options;
        let arch = entry.arch.map(|arch| arch.to_string());
        (options.index.is_empty() || options.index.contains(&index))
            && (options.kind.is_empty() || options.kind.iter().any(|kind| kind.is(entry.kind)))
            && (options.arch.is_empty() || options.arch.iter().any(|wanted| Some(wanted) == arch.as_ref()))
    }

    /// One image as it is shown, and written where that is asked for.
    fn image(&mut self, path: &Path, index: u64, number: usize, entry: &Entry<'_>) -> Image {
        let mut image = Image::new(index, entry);
        let Some(folder) = &self.options.output_dir else {
            // What images have inside tells what their entries do not. Obfuscation is no fault of a list.
            if Image::has_inside(entry) && !image.obfuscated {
                match self.payload(entry) {
                    Ok(payload) => image.look_into(&payload),
                    Err(error) => image.error = Some(error.to_string()),
                }
            }
            return image;
        };
        let input = path;
        let path = folder.join(self.names.name(input, index, number, entry));
        if output::is_same(&path, input) {
            image.error = Some(format!("it would replace '{}', the file it is in", path.display()));
            return image;
        }
        let written = self.payload(entry).map_err(anyhow::Error::from).and_then(|payload| {
            image.look_into(&payload);
            output::write(&path, &payload)
        });
        match written {
            Ok(()) => image.path = Some(path.display().to_string()),
            Err(error) => image.error = Some(format!("{error:#}")),
        }
        image
    }

    fn payload<'d>(&self, entry: &Entry<'d>) -> nv_debug_sections::Result<Cow<'d, [u8]>> {
        entry.payload_within(self.options.max_expansion)
    }

    /// Says what is wrong with a file and its images.
    fn complain(&mut self, file: &File) {
        let images = file.images.iter().filter_map(|image| {
            let error = image.error.as_ref()?;
            Some(format!("{}: image {}: {error}", file.name, image.index))
        });
        let mut errors = file.errors.iter().cloned().chain(images);
        for error in errors.by_ref().take(MAX_MESSAGES) {
            self.is_sound = false;
            complain(format_args!("{}", read::printable(&error)));
        }
        match errors.count() {
            0 => {}
            more => complain(format_args!("{}: and {more} more", file.name)),
        }
        for image in &file.images {
            let Some(versions) = &image.ir else { continue };
            let odd = match debug_compatibility(Some(versions.debug)) {
                Compatibility::Compatible => continue,
                Compatibility::NewerMinor => "newer than",
                Compatibility::Incompatible => "not compatible with",
            };
            let text = format!("{}: image {}", file.name, image.index);
            note(format_args!("{}: debug metadata {} is {odd} 3.2", read::printable(&text), versions.debug));
        }
    }
}

fn why_none(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Host => "the ELF file has no section .nv_fatbin or __nv_relfatbin with a fatbin in it",
        FileKind::Archive => "no object of the archive has a section .nv_fatbin or __nv_relfatbin",
        _ => "the fatbin has no entries",
    }
}
