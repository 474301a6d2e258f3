//! `extract`: lists the GPU code in fatbins, host programs and libraries, or writes it to files.

mod listed;
mod messages;
mod text;

use crate::commands::read;
use crate::foreign_files;
use crate::limits::MAX_LIST_DECOMPRESSED;
use crate::output;
use crate::progress::Progress;
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, Stream, report};
use crate::stderr::complain;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use listed::Listed;
use messages::{DeferredErrors, Messages};
use nv_debug_sections::container::{
    Container, Entry, EntryKind, FileKind, FileNames, Image, MAX_EXPANSION, NumberedEntry,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::Serializer;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver extract a.out                             what is in a program, library or fatbin
  ptxas-driver extract a.out -o cubins                   write all of it into the folder `cubins`
  ptxas-driver extract a.out -o . --arch sm_90 --kind cubin
  ptxas-driver extract liba.a -o . --index 3             the third image of the list

A file may be a fatbin, a host file (ELF, or a program or object of Windows) or an archive of such objects, and also a cubin, PTX text or
an .ltoir file, which is one image. Images are numbered from 1 through the whole file. --arch,
--kind and --index also narrow the list; an image must match each of them that is given.

Files are named as by cuobjdump: SOURCE.sm_90.cubin by the name of the source file where the image
has one, else FILE.NUMBER.sm_90.cubin with its number among the images of its kind. Two names differ
from cuobjdump's: a cubin for sm_103f is .sm_103f.cubin (cuobjdump: .sm_103.cubin), and where two
images would have the same name the later one has its index in it (cuobjdump writes it over the
first). Files that are there already are replaced. Compressed LTO IR is obfuscated by fatbinary and
cannot be written.

A list decompresses up to 64 MiB of a file to see what debug information its cubins have. `?` stands
for an image after that, which you can select or write, and for PTX and LTO IR, which do not tell.

Exit status:
  0  done
  1  a file has no images, or none is selected
  2  the command line is wrong, or a file or an image cannot be read or written";

/// The options of `extract`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// Fatbins, host files, archives, cubins; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the images into this folder, which is made if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Only images for this architecture, such as sm_90 or sm_90a; may be given again
    #[arg(long, value_name = "ARCH", value_parser = read::parse_arch)]
    arch: Vec<String>,
    /// Only images of this kind; may be given again
    #[arg(long, value_name = "KIND")]
    kind: Vec<Kind>,
    /// Only the image with this number in the list; may be given again
    #[arg(long, value_name = "N", value_parser = parse_index)]
    index: Vec<u64>,
    /// Refuse images that grow by more than this factor when decompressed
    #[arg(long, value_name = "N", default_value_t = MAX_EXPANSION, value_parser = clap::value_parser!(u64).range(1..))]
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

fn parse_index(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("images are numbered from 1, as in the list".to_owned()),
        Ok(index) => Ok(index),
        Err(_) => Err("expected the number of an image in the list, from 1".to_owned()),
    }
}

/// The name of the JSON schema of `extract`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_files::<Extracted<'_>>();

/// Runs `extract`, and returns the exit status.
///
/// # Errors
///
/// The output folder cannot be made, or `out` cannot be written. What is wrong with a file is said,
/// and the others follow.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if options.output_dir.as_deref() == Some(Path::new("-")) {
        complain(format_args!("images go to a folder: -o DIR"));
        return Ok(Exit::Unreadable);
    }
    if let Some(folder) = &options.output_dir {
        fs::create_dir_all(folder)
            .with_context(|| format!("Output folder '{}' could not be made", folder.display()))?;
    }
    let extract =
        Extract { options, names: RefCell::default(), look_left: Cell::new(0), has_list: Cell::new(false) };
    let mut out = DeferredErrors::new(out, options.output_dir.is_some());
    let form = if options.json { Form::Json } else { Form::NoHeadings };
    let exit = report(&mut out, form, Extracted::SCHEMA, "", |answers| {
        options.files.iter().try_for_each(|path| {
            let name = read::shown_name(path);
            if let Err(error) = extract.file(path, answers) {
                answers.alone(&name, error)?;
            }
            answers.end_of_file(&name)
        })
    })?;
    out.finish()?;
    Ok(exit)
}

/// What is known of a file before its images are shown one by one. Nothing was decompressed for it.
#[derive(Default)]
struct Survey {
    count: u64,
    selected: u64,
    faults: u64,
    list: text::List,
}

/// One run.
struct Extract<'o> {
    options: &'o Options,
    names: RefCell<FileNames>,
    /// What is left of [`MAX_LIST_DECOMPRESSED`] for the file at hand.
    look_left: Cell<u64>,
    /// Whether a list was written.
    has_list: Cell<bool>,
}

/// A file and its images, which are looked at or written when they are shown.
struct Extracted<'a> {
    extract: &'a Extract<'a>,
    path: &'a Path,
    name: &'a str,
    container: &'a Container<'a>,
    survey: Survey,
    messages: RefCell<Messages>,
    progress: RefCell<Progress>,
}

/// What `extract` says of a file: the images in it.
#[derive(Serialize, JsonSchema)]
struct Members<'a> {
    /// What the file is; `host` is a program, library or object of the host.
    #[schemars(extend("enum" = ["fatbin", "host", "archive", "cubin", "ltoir", "ptx"]))]
    kind: &'static str,
    /// What is wrong with the file outside its images. Absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Stream<'a, String>>,
    /// How many images the file has, selected or not.
    count: u64,
    /// The selected images, in file order. They are read (with `--output-dir`: written) one at a
    /// time, as the document is.
    images: Stream<'a, Listed<'a>>,
}

impl Answer for Extracted<'_> {
    const SCHEMA: &'static str = "nvdwarf.extract";

    /// Lists a file, or writes its images and lists where they are.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { extract, survey, container, .. } = self;
        let is_list = extract.options.output_dir.is_none();
        if is_list && survey.selected != 0 {
            if extract.has_list.replace(true) {
                writeln!(out)?;
            }
            text::title(out, self.name, container.kind(), survey.count, survey.selected)?;
            survey.list.headings(out)?;
        }
        for found in container.numbered_entries() {
            match found {
                Err(error) => self.error(&error.to_string()),
                Ok(found) if extract.selects(&found) => {
                    let image = self.image(&found);
                    if is_list { survey.list.image(out, &image.image) } else { text::path(out, &image) }?;
                }
                Ok(_) => {}
            }
        }
        survey.nothing(container.kind()).into_iter().for_each(|error| self.error(&error));
        Ok(())
    }
}

impl Serialize for Extracted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { extract, survey, container, .. } = self;
        let faults = container.numbered_entries().filter_map(|found| Some(found.err()?.to_string()));
        let errors = faults.chain(survey.nothing(container.kind()));
        let errors = errors.inspect(|error| self.error(error));
        let selected = container.numbered_entries().flatten().filter(|found| extract.selects(found));
        let has_errors = survey.faults != 0 || survey.selected == 0;
        let members = Members {
            kind: container.kind().as_str(),
            errors: has_errors.then(|| Stream::new(errors)),
            count: survey.count,
            images: Stream::new(selected.map(|found| self.image(&found))),
        };
        members.serialize(serializer)
    }
}

impl JsonSchema for Extracted<'_> {
    fn schema_name() -> Cow<'static, str> {
        Members::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Members::json_schema(generator)
    }
}

impl Extracted<'_> {
    /// Notes what is wrong with the file.
    fn error(&self, error: &str) {
        self.messages.borrow_mut().error(|| format!("{}: {error}", self.name));
    }

    fn image<'d>(&self, found: &NumberedEntry<'d>) -> Listed<'d> {
        let image = self.extract.image(self.path, found);
        self.messages.borrow_mut().image(self.name, &image);
        self.progress.borrow_mut().step(self.name);
        image
    }
}

impl Extract<'_> {
    /// Lists or writes the images of a file.
    fn file(&self, path: &Path, answers: &mut Answers<'_>) -> Result<()> {
        let (name, bytes) = read::read_bytes(path, "a fatbin, a host file or a cubin")?;
        if bytes.is_empty() {
            bail!("{name}: the file is empty");
        }
        if let Some((what, how)) = foreign_files::not_gpu_code(&bytes) {
            bail!("{name}: {what}, expected a fatbin, a host file or a cubin; {how}");
        }
        let container = Container::parse(&bytes).with_context(|| name.clone())?;
        let survey = self.survey(&container);
        let (faults, selected) = (survey.faults, survey.selected);
        // On a terminal the list itself is the progress.
        let steps = if io::stdout().is_terminal() { 0 } else { selected };
        let extracted = Extracted {
            extract: self,
            path,
            name: &name,
            container: &container,
            survey,
            messages: RefCell::default(),
            progress: RefCell::new(Progress::new(steps)),
        };
        answers.add(&InputName { name: name.clone(), ..InputName::default() }, &extracted)?;
        answers.flush()?;
        let is_sound = extracted.messages.borrow().say(&name);
        answers.worsen_exit(match (is_sound, faults == 0 && selected == 0) {
            (true, _) => Exit::Answered,
            (false, true) => Exit::Findings,
            (false, false) => Exit::Unreadable,
        });
        Ok(())
    }

    fn survey(&self, container: &Container<'_>) -> Survey {
        self.look_left.set(MAX_LIST_DECOMPRESSED);
        let mut survey = Survey::default();
        let is_list = self.options.output_dir.is_none() && !self.options.json;
        for found in container.numbered_entries() {
            let Ok(found) = found else {
                survey.faults += 1;
                continue;
            };
            survey.count += 1;
            if self.selects(&found) {
                survey.selected += 1;
                if is_list {
                    survey.list.add(&Image::new(found.index, &found.entry));
                }
            }
        }
        survey
    }

    fn selects(&self, found: &NumberedEntry<'_>) -> bool {
        let Options { index, kind, arch, .. } = self.options;
        let is_arch = |wanted: &String| found.entry.arch.is_some_and(|arch| arch.to_string() == *wanted);
        (index.is_empty() || index.contains(&found.index))
            && (kind.is_empty() || kind.iter().any(|kind| kind.is(found.entry.kind)))
            && (arch.is_empty() || arch.iter().any(is_arch))
    }

    /// One image as it is shown, and written where that is asked for.
    fn image<'d>(&self, input: &Path, found: &NumberedEntry<'d>) -> Listed<'d> {
        let entry = &found.entry;
        let mut image = Listed { image: Image::new(found.index, entry), path: None, error: None };
        match &self.options.output_dir {
            Some(folder) => self.write(&mut image, folder, input, found),
            None => self.look(&mut image, entry),
        }
        image
    }

    /// Looks inside, which tells what the entry does not.
    fn look(&self, listed: &mut Listed<'_>, entry: &Entry<'_>) {
        if !Image::needs_payload(entry) {
            return;
        }
        if let Err(error) = entry.check_size(self.options.max_expansion) {
            listed.error = Some(error.to_string());
            return;
        }
        if entry.flags.compression().is_some() {
            let Some(left) = self.look_left.get().checked_sub(entry.size()) else {
                listed.image.debug = listed.image.debug.filter(|_| Image::claims_debug(entry));
                return;
            };
            self.look_left.set(left);
        }
        match self.payload(entry) {
            Ok(payload) => listed.look_into(&payload),
            Err(error) => listed.error = Some(error.to_string()),
        }
    }

    fn write(&self, image: &mut Listed<'_>, folder: &Path, input: &Path, found: &NumberedEntry<'_>) {
        let stem = match input.file_stem() {
            Some(stem) if input != Path::new("-") => stem.to_string_lossy(),
            Some(_) => "stdin".into(),
            None => "image".into(),
        };
        let path = folder.join(self.names.borrow_mut().name(&stem, found));
        if output::is_same(&path, input) {
            image.error = Some(format!("it would replace '{}', the file it is in", path.display()));
            return;
        }
        let written = self.payload(&found.entry).map_err(anyhow::Error::from).and_then(|payload| {
            image.look_into(&payload);
            output::write(&path, &payload)
        });
        match written {
            Ok(()) => image.path = Some(path.display().to_string()),
            Err(error) => image.error = Some(format!("{error:#}")),
        }
    }

    fn payload<'d>(&self, entry: &Entry<'d>) -> nv_debug_sections::Result<Cow<'d, [u8]>> {
        entry.payload_within(self.options.max_expansion)
    }
}

impl Survey {
    /// Why there is nothing to show, unless faults tell.
    fn nothing(&self, kind: FileKind) -> Option<String> {
        match self {
            Self { faults: 0, count: 0, .. } => Some(format!("no GPU code: {}", kind.why_empty())),
            Self { faults: 0, selected: 0, count, .. } => {
                Some(format!("none of its {count} images is selected"))
            }
            _ => None,
        }
    }
}
