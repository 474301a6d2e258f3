//! One unit of a line table section, as a value.

use super::{LineFile, LineOp, LineRow, Sequence};
use crate::limits::PATH_BYTES;
use crate::{Error, ErrorKind, Result};
use dwarf2_reader::{WorkBudget, source_path};
use dwarf2_writer::line::Params;
use std::borrow::Cow;

/// One unit of a line table section: its file table and its sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTable<'d> {
    /// The header fields that decode the opcodes, such as `line_base`.
    pub params: Params,
    /// The directories, `include_directories`. The first has the number 1.
    pub directories: Vec<Cow<'d, [u8]>>,
    /// The files, `file_names`. The first has the number 1.
    pub files: Vec<LineFile<'d>>,
    /// The offset in `.debug_str` to which name offsets of this unit are relative; `None` if the
    /// header does not have these four bytes.
    pub debug_str_base: Option<u32>,
    /// Sequences in section order, one for each code section.
    pub sequences: Vec<Sequence>,
    /// Whether the program has no sequence but ends one, as ptxas 13.5 writes it for a file without
    /// code.
    pub has_lone_end: bool,
}

impl LineTable<'_> {
    /// Runs a sequence of this unit, and iterates over its rows in program order.
    pub fn rows<'s>(&self, sequence: &'s Sequence) -> impl Iterator<Item = LineRow> + use<'s> {
        let mut state = LineRow::start(self.params.default_is_stmt);
        sequence.ops.iter().filter_map(move |op| {
            if let LineOp::Row { address, line } = *op {
                (state.number, state.address, state.line) = (state.number + 1, address, line);
                return Some(state);
            }
            state.apply(op);
            None
        })
    }

    /// The path of a file in the file table (1-based): directory and name,
    /// [joined](source_path::join) as one path. `None` if the table has no such file.
    pub fn path(&self, file: u64) -> Option<String> {
        let index = usize::try_from(file).ok()?.checked_sub(1)?;
        let file = self.files.get(index)?;
        let name = String::from_utf8_lossy(&file.name);
        let directory = usize::try_from(file.directory).ok()?.checked_sub(1);
        match directory.map(|index| self.directories.get(index)) {
            None => Some(name.into_owned()),
            Some(directory) => Some(source_path::join(&String::from_utf8_lossy(directory?), &name)),
        }
    }

    /// The [`path`](Self::path) of every file in the file table, from number 1 on. `section` is the
    /// section's name, for errors.
    ///
    /// # Errors
    ///
    /// Too many files are in a directory with a long name: all paths together take more than 64
    /// times the bytes that the table has for names, and 1 MiB.
    pub fn paths(&self, section: &str) -> Result<Vec<Option<String>>> {
        self.path_sizes(section)?;
        Ok((1..=self.files.len() as u64).map(|file| self.path(file)).collect())
    }

    /// The size in bytes of each file's path, without the sign between directory and name.
    ///
    /// # Errors
    ///
    /// As [`paths`](Self::paths).
    pub fn path_sizes(&self, section: &str) -> Result<Vec<usize>> {
        let directory = |file: &LineFile<'_>| {
            let index = usize::try_from(file.directory).ok()?.checked_sub(1)?;
            self.directories.get(index).map(|name| name.len())
        };
        let sizes = self.files.iter().map(|file| file.name.len() + directory(file).unwrap_or(0));
        let sizes: Vec<usize> = sizes.collect();
        let whole: usize = sizes.iter().sum();
        let names = self.directories.iter().chain(self.files.iter().map(|file| &file.name));
        let own: usize = names.map(|name| name.len()).sum();
        if !WorkBudget::of_input(own as u64, PATH_BYTES).take(whole as u64) {
            let text = format!(
                "the paths of the {} files have {whole:#x} bytes, their names and directories only {own:#x}",
                self.files.len()
            );
            return Err(Error::in_section(section, ErrorKind::Limit(text.into())));
        }
        Ok(sizes)
    }
}
