//! The files that queries are asked of: opened once, and kept.

use super::line_tables::{LineTables, NamedCubin, TableOptions, note_oddities};
use super::reply::AnsweringCubin;
use super::{Operands, Options};
use crate::commands::read::{self, DebugFiles, KeptCubin, KeptFile, PtxFile};
use crate::limits::MAX_MESSAGES;
use crate::report::{CubinKind, NoAnswer};
use crate::stderr::complain;
use anyhow::{Result, anyhow};
use cubin_debuginfo::images::{FileNumber, ImageFacts, ImageNumber, ImageSet, LoadedFunctions};
use cubin_debuginfo::lines::LineLookup;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that were opened, and the line tables of those images that were asked.
pub(super) struct OpenFiles<'r> {
    options: &'r Options,
    tables: TableOptions<'static>,
    debug: &'static DebugFiles,
    set: ImageSet,
    images: Vec<OpenImage>,
    /// Each file by its name as it was asked for, and by its path without links; why it could not
    /// be read where it could not.
    files: HashMap<PathBuf, Result<FileNumber, String>>,
    count: u32,
    /// The bytes of each file by its path without links.
    bytes: HashMap<PathBuf, &'static [u8]>,
    /// How many files and images could not be read.
    faults: Cell<u64>,
}

/// An image, and its line tables once they are read.
struct OpenImage {
    cubin: KeptCubin,
    tables: OnceCell<Result<OpenTables, String>>,
}

/// The line tables of an image.
struct OpenTables {
    lookup: LineLookup<'static>,
    kind: CubinKind,
}

impl<'r> OpenFiles<'r> {
    /// Opens the files of the command line. What is read is kept until the program ends: a client
    /// may ask for it at any time.
    ///
    /// # Errors
    ///
    /// One of them cannot be read, or has no cubin.
    pub(super) fn open(options: &'r Options, operands: &Operands) -> Result<Self> {
        let debug = &*Box::leak(Box::new(options.debug.read()?));
        let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
        let ptx = ptx.map(|ptx| &*Box::leak(Box::new(ptx)));
        let ptx = ptx.map(|ptx| (ptx, &*Box::leak(Box::new(ptx_syntax::parse(&ptx.text).module))));
        let mut files = Self {
            options,
            tables: TableOptions::of(options, ptx),
            debug,
            set: ImageSet::default(),
            images: Vec::new(),
            files: HashMap::new(),
            count: 0,
            bytes: HashMap::new(),
            faults: Cell::new(0),
        };
        let mut passed = None;
        for path in &operands.files {
            match files.read(path) {
                Ok(number) => {
                    files.files.insert(path.clone(), Ok(number));
                }
                // Another file may have cubins for the architecture.
                Err(error) if options.arch.is_some() && error.is::<read::OtherCubins>() => {
                    passed.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(error) = passed.filter(|_| files.count == 0) {
            return Err(error);
        }
        if files.count > 0 {
            files.set.set_common_files(files.count);
        }
        Ok(files)
    }

    /// The number of a file that a query names. It is opened if it is not yet.
    ///
    /// # Errors
    ///
    /// It cannot be read, or has no cubin. It is not tried again.
    pub(super) fn number_of(&mut self, name: &str) -> Result<FileNumber, String> {
        if let Some(known) = self.files.get(Path::new(name)) {
            return known.clone();
        }
        let opened = self.known_path(Path::new(name)).map_or_else(
            || {
                if read::is_stdin(Path::new(name)) {
                    return Err("queries come from standard input, not files".to_owned());
                }
                self.read(Path::new(name)).map_err(|error| {
                    let error = format!("{error:#}");
                    error.strip_prefix(&format!("{name}: ")).map_or(error.clone(), str::to_owned)
                })
            },
            Ok,
        );
        if opened.is_err() {
            self.add_faults(1);
        }
        self.files.insert(name.into(), opened.clone());
        opened
    }

    /// The images of the files.
    pub(super) fn images(&self) -> &ImageSet {
        &self.set
    }

    /// Takes numbers in queries for addresses at run time, at which these functions are loaded.
    pub(super) fn set_loaded(&mut self, loaded: LoadedFunctions) {
        self.set.set_loaded(loaded);
    }

    /// How many files and images could not be read.
    pub(super) fn faults(&self) -> u64 {
        self.faults.get()
    }

    fn add_faults(&self, count: u64) {
        self.faults.set(self.faults.get() + count);
    }

    /// The line tables of an image, which are read when they are first asked for.
    ///
    /// # Errors
    ///
    /// Why they cannot be read.
    pub(super) fn lookup(&self, image: ImageNumber) -> Result<&LineLookup<'static>, String> {
        self.tables(image).map(|tables| &tables.lookup)
    }

    /// The cubin that an image is; `None` if its tables cannot be read.
    pub(super) fn cubin(&self, image: ImageNumber) -> Option<AnsweringCubin<'_>> {
        let kind = self.tables(image).ok()?.kind;
        let is_named_by_file = self.images.get(image.0 as usize)?.cubin.is_named();
        let (name, is_only) = (self.set.name(image), self.set.len() == 1);
        Some(AnsweringCubin { name, is_only, is_named_by_file, kind })
    }

    fn tables(&self, image: ImageNumber) -> Result<&OpenTables, String> {
        let Some(open) = self.images.get(image.0 as usize) else { return Err("no such image".to_owned()) };
        let tables = open.tables.get_or_init(|| {
            self.read_tables(&open.cubin).map_err(|error| {
                self.add_faults(u64::from(!error.is::<NoAnswer>()));
                format!("{error:#}")
            })
        });
        tables.as_ref().map_err(String::clone)
    }

    fn read_tables(&self, kept: &KeptCubin) -> Result<OpenTables> {
        let name = kept.name();
        let bytes = match kept.bytes()? {
            Cow::Borrowed(bytes) => bytes,
            Cow::Owned(bytes) => bytes.leak(),
        };
        let code = read::cubin(name, bytes)?;
        let side = self.debug.side_file(name, &code)?.map(|side| &*Box::leak(Box::new(side)));
        if side.is_none() {
            self.debug.note_missing(name, &code);
        }
        let cubin = side.map_or(Ok(code.clone()), |side| side.join(name, &code))?;
        let cubin = &*Box::leak(Box::new(cubin));
        let sections_name = &*read::name_of_sections(name, side);
        let tables = &*Box::leak(Box::<LineTables<'static>>::default());
        let lookup = tables.lookup(NamedCubin { name, sections_name, cubin }, self.tables);
        let lookup = lookup.map_err(|error| match side {
            Some(side) => side.naming_sections(name, error),
            None => error,
        })?;
        if self.options.style.is_none() && self.options.json.is_none() {
            note_oddities(name, cubin, lookup.symbolizer(), self.tables.space);
        }
        Ok(OpenTables { lookup, kind: cubin.into() })
    }

    /// The number of a file that was opened under another name.
    fn known_path(&self, path: &Path) -> Option<FileNumber> {
        let real = fs::canonicalize(path).ok()?;
        self.files.get(&real)?.clone().ok()
    }

    /// Reads a file and the names of its functions.
    fn read(&mut self, path: &Path) -> Result<FileNumber> {
        if let Some(known) = self.known_path(path) {
            return Ok(known);
        }
        let file = KeptFile::read(path, self.options.arch.as_deref(), &mut self.bytes)?;
        let number = FileNumber(self.count);
        let space = self.tables.space;
        let facts = |kept: &KeptCubin| {
            let bytes = kept.bytes()?;
            let cubin = read::cubin(kept.name(), &bytes)?;
            Ok(ImageFacts::of(number, kept.name(), &cubin, space))
        };
        let (mut faults, mut found) = (Vec::new(), 0);
        file.each_cubin(facts, |cubin| {
            match cubin {
                Ok((cubin, facts)) => {
                    found += 1;
                    // nvlink puts an image without code into each program.
                    if facts.has_code() || cubin.is_only() {
                        self.set.add(facts);
                        self.images.push(OpenImage { cubin, tables: OnceCell::new() });
                    }
                }
                Err(error) => faults.push(error),
            }
            Ok(())
        })?;
        if found == 0 {
            let error = faults.into_iter().next();
            return Err(error.unwrap_or_else(|| anyhow!("{}: no cubin", file.name())));
        }
        self.count += 1;
        self.add_faults(faults.len() as u64);
        for error in faults.iter().take(MAX_MESSAGES as usize) {
            complain(format_args!("{error:#}"));
        }
        if faults.len() as u64 > MAX_MESSAGES {
            complain(format_args!("{}: and {} more", file.name(), faults.len() as u64 - MAX_MESSAGES));
        }
        if let Ok(real) = fs::canonicalize(path) {
            self.files.insert(real, Ok(number));
        }
        Ok(number)
    }
}
