//! Answers image by image: listings, queries on the command line, `--at` and `--samples`, as text
//! with a heading for each image or as one JSON document.

use super::asked_images::AskedImages;
use super::line_tables::{LineTables, NamedCubin, TableOptions, note_oddities};
use super::{Operands, Options, text};
use crate::commands::read::{self, CubinFile, PtxFile};
use crate::input;
use crate::report::{Answer, Answers, DocumentSchema, InputName, NoAnswer, Status, Stream};
use crate::stderr::note;
use anyhow::{Context, Result};
use cubin_debuginfo::images::{FileNumber, ImageFacts};
use cubin_debuginfo::lines::{
    self, LineCode, LineListing, LineLookup, QueryAnswer, Sample, Samples, UnplacedSequences,
};
use nv_debug_sections::cubin::{CodeLocation, Cubin};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// What `lines` says of a cubin: source and PTX lines of its code. It has one of `sections`,
/// `queries`, `at` and `samples`. The exit status is 1 where a query has no answer in any cubin of
/// the file.
#[derive(Serialize, JsonSchema)]
struct Answered<'a, 's> {
    /// With `--mercury`: sections and offsets are those of the code of the capsule. Absent without
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["mercury"]))]
    space: Option<&'static str>,
    /// The numbers of line table sequences that belong to no code section, as nvlink leaves those
    /// of functions that it has dropped. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    unplaced_sequences: Option<UnplacedSequences>,
    #[serde(flatten)]
    kind: Kind<'a, 's>,
    #[serde(skip)]
    run: &'a Run<'a, 's>,
    /// Whether each query was answered.
    #[serde(skip)]
    of_queries: &'a RefCell<Vec<bool>>,
}

/// One kind of answers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind<'a, 's> {
    /// Without queries, or with `--all`: all addresses of the code sections. Absent with other
    /// answers.
    Sections(Stream<'a, LineListing<'a, 's>>),
    /// With queries: one for each of these. Absent with other answers.
    Queries(Stream<'a, QueryAnswer<'a, 's>>),
    /// With `--at`: one for each line that was asked for. Absent with other answers.
    At(Vec<LineCode<'a, 's>>),
    /// With `--samples`: the samples of a profiler, by line and by chain of calls. Absent with
    /// other answers.
    Samples(Samples<'s>),
}

impl Kind<'_, '_> {
    /// Whether the cubin has none of the lines or samples that were asked for.
    fn is_empty(&self) -> bool {
        match self {
            Self::Sections(_) | Self::Queries(_) => false,
            Self::At(all) => all.iter().all(|code| code.error.is_some()),
            Self::Samples(Samples { is_sample, .. }) => {
                !is_sample.is_empty() && is_sample.iter().all(|is_sample| !is_sample)
            }
        }
    }
}

/// What was asked, read once for all cubins.
struct Query<'r> {
    options: &'r Options,
    queries: Vec<String>,
    /// Name and text of the CSV file of samples.
    samples: Option<(String, String)>,
    tables: TableOptions<'r>,
    /// Whether no query was given, so that all addresses are listed.
    is_listing: bool,
    of_file: OfFile,
}

/// What is known of the images of the file that is read, where it has several.
#[derive(Default)]
struct OfFile {
    /// Those that have what is asked; `None` where all are looked at one by one.
    asked: RefCell<Option<AskedImages>>,
    /// Which rows of samples are samples of an image so far.
    is_sample: RefCell<Vec<bool>>,
    /// Whether an image was shown.
    is_shown: Cell<bool>,
}

impl OfFile {
    /// Adds which rows of samples are samples of an image.
    fn add(&self, is_sample: &[bool]) {
        let mut all = self.is_sample.borrow_mut();
        let count = all.len().max(is_sample.len());
        all.resize(count, false);
        all.iter_mut().zip(is_sample).for_each(|(any, this)| *any |= this);
    }
}

impl Query<'_> {
    /// Begins a file: finds out which of its cubins have what is asked, where it has several.
    ///
    /// # Errors
    ///
    /// It has no cubin, or it is not known for which architecture they should be.
    fn survey(&self, name: &str, file: &CubinFile) -> Result<()> {
        let function = self.options.function.as_deref();
        let is_for_some = self.samples.is_some() || !self.is_listing || function.is_some();
        if !is_for_some || !self.options.at.is_empty() || !file.has_several()? {
            return Ok(());
        }
        let space = self.tables.space;
        let asked = if let Some((_, csv)) = &self.samples {
            AskedImages::of_samples(file, space, &sampled_names(csv), name)?
        } else {
            AskedImages::of_queries(file, space, &self.asked(), function)?
        };
        *self.of_file.asked.borrow_mut() = Some(asked);
        Ok(())
    }

    /// The queries; for a listing of one function its name.
    fn asked(&self) -> Cow<'_, [String]> {
        match &self.options.function {
            Some(function) if self.is_listing => vec![function.clone()].into(),
            _ => (&*self.queries).into(),
        }
    }

    /// Whether a cubin may have something of what is asked. If not, it is passed over.
    fn is_about(&self, image: &InputName, answers: &mut Answers<'_>) -> bool {
        let asked = self.of_file.asked.borrow();
        let is_about = asked.as_ref().is_none_or(|asked| asked.queries(&image.name).is_some());
        if !is_about {
            answers.pass_over(Status { queries: vec![false; self.queries.len()], ..Status::default() });
        }
        is_about
    }

    /// The numbers of the queries that a cubin is to answer.
    fn queries_of(&self, name: &str) -> Vec<usize> {
        match &*self.of_file.asked.borrow() {
            Some(asked) => asked.queries(name).unwrap_or_default().to_vec(),
            None => (0..self.queries.len()).collect(),
        }
    }

    /// Ends a file: answers the queries that none of its images has code for, with the reason.
    fn end_of_file(&self, name: &str, answers: &mut Answers<'_>) -> Result<()> {
        let OfFile { asked, is_sample, is_shown } = &self.of_file;
        let (images, is_sample, is_shown) = (asked.take(), is_sample.take(), is_shown.take());
        if let Some((csv_name, _)) = &self.samples {
            let rows = is_sample.iter().filter(|is_sample| !**is_sample).count();
            if rows > 0 {
                note(format_args!("{csv_name}: {rows} of the rows have no sample in any cubin of {name}"));
            }
            return Ok(());
        }
        let (Some(images), asked) = (images, self.asked()) else { return Ok(()) };
        let function = self.options.function.as_deref();
        let unasked = asked.iter().enumerate().filter(|(number, _)| !images.has_query(*number));
        let mut all = unasked.filter_map(|(_, asked)| images.no_answer(asked, function)).peekable();
        if self.options.json.is_none() {
            if is_shown && all.peek().is_some() {
                writeln!(answers.out)?;
            }
            return Ok(text::queries(answers.out, all)?);
        }
        for answer in all {
            let why = answer.error.map(|error| error.to_string()).unwrap_or_default();
            answers.add_words(name, &format!("{}: {why}", answer.asked))?;
        }
        Ok(())
    }
}

/// The functions and code sections that a CSV file of samples names, each once. What is wrong with
/// a row is told with the counts.
fn sampled_names(csv: &str) -> Vec<String> {
    let rows = lines::samples(csv).into_iter().flatten();
    let samples = rows.filter_map(|(_, sample)| sample.ok());
    let names =
        samples.map(|Sample { function, section, .. }| if function.is_empty() { section } else { function });
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// One run: the file, and how to answer.
struct Run<'r, 's> {
    asked: &'r Query<'r>,
    name: &'r str,
    cubin: &'s Cubin<'s>,
    lookup: LineLookup<'s>,
    /// The numbers of the queries that the cubin is to answer.
    queries: Vec<usize>,
    /// Whether it is one of several of the file.
    is_of_several: bool,
}

/// The name of the JSON schema of `lines`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Answered<'_, '_>>();

/// Answers for each cubin of the files.
///
/// # Errors
///
/// A file that is needed for all cubins cannot be read, or standard output cannot be written.
pub(super) fn answer(options: &Options, operands: &Operands, answers: &mut Answers<'_>) -> Result<()> {
    let debug = options.debug.read()?;
    // What can be read once only is read before the first cubin.
    let queries = all_queries(&operands.queries)?;
    let samples = options.samples.as_deref().map(|path| read::read_bytes(path, "a CSV file of samples"));
    let samples = samples.transpose()?.map(|(name, bytes)| (name, read::text(&bytes)));
    let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
    let parsed = ptx.as_ref().map(|ptx| (ptx, ptx_syntax::parse(&ptx.text).module));
    let ptx = parsed.as_ref().map(|(ptx, module)| (*ptx, module));
    let asked = Query {
        options,
        queries,
        samples,
        tables: TableOptions::of(options, ptx),
        is_listing: operands.queries.is_empty(),
        of_file: OfFile::default(),
    };
    let arch = options.arch.as_deref();
    operands.files.iter().try_for_each(|file| {
        let name = read::shown_name(file);
        read::each_chosen_cubin(
            file,
            arch,
            answers,
            |file| asked.survey(&name, file),
            |(), image, answers| asked.is_about(image, answers),
            |image, bytes, answers| {
                debug.look(&image.name, bytes, |cubin, side| {
                    let shown = read::name_of_sections(&image.name, side);
                    of_cubin(&asked, image, &shown, cubin, answers)
                })
            },
        )?;
        asked.end_of_file(&name, answers)
    })
}

/// Answers what is asked of one cubin, or lists it.
fn of_cubin(
    asked: &Query<'_>,
    image: &InputName,
    sections_name: &str,
    cubin: &Cubin<'_>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let (options, name) = (asked.options, &*image.name);
    let is_of_several = image.origin.is_some();
    // nvlink puts an image without code into each program. One that has code elsewhere says so
    // itself.
    let is_empty = || {
        let facts = ImageFacts::of(FileNumber(0), name, cubin, asked.tables.space);
        !facts.has_code() && cubin.code_location() != CodeLocation::OtherFile
    };
    if is_of_several && is_empty() {
        answers.pass_over(Status { queries: vec![false; asked.queries.len()], ..Status::default() });
        return Ok(());
    }
    let queries = asked.queries_of(name);
    let tables = LineTables::default();
    let lookup = tables.lookup(NamedCubin { name, sections_name, cubin }, asked.tables)?;
    let run = Run { asked, name, cubin, lookup, queries, is_of_several };
    let is_answered = RefCell::new(vec![false; asked.queries.len()]);
    let kind = run.kind(&is_answered)?;
    if is_of_several && kind.is_empty() {
        answers.pass_over(Status { queries: is_answered.take(), ..Status::default() });
        return Ok(());
    }
    asked.of_file.is_shown.set(true);
    let answered = Answered {
        space: options.mercury.then_some("mercury"),
        unplaced_sequences: UnplacedSequences::of(run.lookup.symbolizer()),
        kind,
        run: &run,
        of_queries: &is_answered,
    };
    Ok(answers.add_cubin(image, cubin, &answered)?)
}

impl Answer for Answered<'_, '_> {
    const SCHEMA: &'static str = "nvdwarf.lines";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Run { asked, name, .. } = *self.run;
        note_oddities(name, self.run.cubin, self.run.lookup.symbolizer(), asked.tables.space);
        match &self.kind {
            Kind::Sections(listings) => text::listings(out, listings.take()),
            Kind::Queries(queries) => text::queries(out, queries.take()),
            Kind::At(all) => {
                for ambiguity in all.iter().filter_map(LineCode::ambiguity) {
                    note(format_args!("{name}: {ambiguity}"));
                }
                text::code(out, all)
            }
            Kind::Samples(samples) => {
                let csv_name = asked.samples.as_ref().map_or("", |(name, _)| name);
                // What one image does not have, another one may.
                let errors = if self.run.is_of_several { &[][..] } else { &samples.errors };
                for row in errors {
                    note(format_args!("{csv_name}: {row}"));
                }
                let more = samples.bad_rows - samples.errors.len() as u64;
                if more > 0 && !self.run.is_of_several {
                    note(format_args!("{csv_name}: {more} more rows without an answer"));
                }
                text::samples(out, samples)
            }
        }
    }

    fn status(&self) -> Status {
        Status { has_findings: false, queries: self.of_queries.take() }
    }
}

impl<'s> Run<'_, 's> {
    /// The answers. Queries are answered while they are written. `is_answered` is told whether each
    /// query has one.
    fn kind<'a>(&'a self, is_answered: &'a RefCell<Vec<bool>>) -> Result<Kind<'a, 's>> {
        let Query { options, queries, samples, .. } = self.asked;
        let function = options.function.as_deref();
        if let Some((csv_name, csv)) = samples {
            let rows = lines::samples(csv).with_context(|| csv_name.clone())?;
            let samples = self.lookup.samples(rows).with_context(|| csv_name.clone())?;
            is_answered.borrow_mut().clone_from(&samples.is_sample);
            if self.is_of_several {
                self.asked.of_file.add(&samples.is_sample);
            }
            Ok(Kind::Samples(samples))
        } else if !options.at.is_empty() {
            let all: Vec<_> = options.at.iter().map(|asked| self.lookup.code_of(asked)).collect();
            *is_answered.borrow_mut() = all.iter().map(|code| code.error.is_none()).collect();
            Ok(Kind::At(all))
        } else if self.asked.is_listing {
            let listings = self.lookup.listings(function);
            let listings = listings.map_err(|why| NoAnswer(format!("{}: {why}", self.name)))?;
            Ok(Kind::Sections(Stream::new(listings)))
        } else {
            let mine = self.queries.iter().filter_map(|number| Some((*number, queries.get(*number)?)));
            let answers = mine.map(move |(number, asked)| {
                let answer = self.lookup.query(asked, function);
                if let Some(is_answered) = is_answered.borrow_mut().get_mut(number) {
                    *is_answered = answer.is_answered();
                }
                answer
            });
            Ok(Kind::Queries(Stream::new(answers)))
        }
    }
}

/// The queries, those of standard input in place of each `-`.
fn all_queries(given: &[String]) -> Result<Vec<String>> {
    let mut queries = Vec::new();
    for query in given {
        if query == "-" {
            let text = input::read_stdin_words().context("reading queries from standard input")?;
            queries.extend(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()));
        } else {
            queries.push(query.clone());
        }
    }
    Ok(queries)
}
