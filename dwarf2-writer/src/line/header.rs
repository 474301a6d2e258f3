//! What stands before the opcodes: parameters, tables of directories and files, a vendor's bytes.

use alloc::vec::Vec;

use leb128_nv::{Field, uleb128};

use super::{FileEntry, LineProgram, MAX_NUMBER, Params, Row};
use crate::error::check_leb128;
use crate::section::{check_length, put_string};
use crate::{Address, Error, Section};

/// Of line programs in DWARF 2.
const VERSION: u16 = 2;

/// Operand counts of the standard opcodes 1 to 12 (DWARF 3 §6.2.4).
const STANDARD_OPCODE_LENGTHS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// Second field of an entry of the file table.
const DIRECTORY_NUMBER: Field = Field::new("directory number");

impl LineProgram {
    /// Appends to the directory table; the result is the 1-based number for [`FileEntry::directory`].
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], [`Error::EmptyString`].
    pub fn directory(&mut self, path: &[u8]) -> Result<u64, Error> {
        put_entry_name(&mut self.directories, path, "directory")?;
        self.directory_count += 1;
        Ok(self.directory_count)
    }

    /// Appends to the file table; the result is the 1-based number for [`LineProgram::set_file`].
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], [`Error::EmptyString`], [`Error::Leb128`] for a directory from 2^32 on;
    /// [`Error::NotInTable`] for one that is not there, after [`LineProgram::known_files_only`].
    pub fn file(&mut self, file: FileEntry<'_>) -> Result<u64, Error> {
        let FileEntry { name, directory, mtime, size } = file;
        check_leb128(DIRECTORY_NUMBER, directory, MAX_NUMBER)?;
        if self.known_files_only && directory > self.directory_count {
            let count = self.directory_count;
            return Err(Error::NotInTable { table: "directory", number: directory, count });
        }
        put_entry_name(&mut self.files, name, "file name")?;
        for field in [directory, mtime, size] {
            self.files.extend_from_slice(&uleb128(field));
        }
        self.file_count += 1;
        Ok(self.file_count)
    }

    /// From here on, refuses directories and files that are not in their tables, and file 0: what rows name must have been
    /// added before them. By default numbers are taken as they come, since producers write such that name nothing.
    ///
    /// ```
    /// use dwarf2_writer::line::{FileEntry, LineProgram, Params};
    /// use dwarf2_writer::{Address, Error};
    ///
    /// let mut program = LineProgram::new(Params::default())?;
    /// program.known_files_only();
    /// program.file(FileEntry { name: b"saxpy.cu", directory: 0, mtime: 0, size: 0 })?;
    /// program.begin_sequence(Address::Constant(0))?;
    /// assert_eq!(program.set_file(2), Err(Error::NotInTable { table: "file", number: 2, count: 1 }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn known_files_only(&mut self) {
        self.known_files_only = true;
    }

    /// Appends vendor bytes to the header, behind the file table; `header_length` counts them, so readers skip them.
    pub fn header_tail(&mut self, bytes: &[u8]) {
        self.tail.bytes.extend_from_slice(bytes);
    }

    /// Appends a 4-byte section offset to the header tail.
    ///
    /// # Errors
    ///
    /// [`Error::Operand`] for an offset past 4 GiB.
    pub fn header_tail_offset(&mut self, offset: Address) -> Result<(), Error> {
        self.tail.offset4(offset, "offset in the header")
    }

    #[inline]
    pub(super) fn expect_file(&self, number: u64) -> Result<(), Error> {
        let count = self.file_count;
        if self.known_files_only && !(1..=count).contains(&number) {
            return Err(Error::NotInTable { table: "file", number, count });
        }
        Ok(())
    }

    #[inline]
    pub(super) fn expect_files(&self, rows: &[Row]) -> Result<(), Error> {
        if !self.known_files_only {
            return Ok(());
        }
        rows.iter().try_for_each(|row| self.expect_file(row.file.into()))
    }

    /// All up to the first opcode.
    pub(super) fn header(&self) -> Result<Section, Error> {
        let Params { minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base } =
            self.params;
        let lengths = STANDARD_OPCODE_LENGTHS.get(..usize::from(opcode_base) - 1).unwrap_or_default();
        // From behind the header_length field to the first opcode: five fields and both tables with their ends.
        let header_length =
            5 + lengths.len() + self.directories.len() + 1 + self.files.len() + 1 + self.tail.bytes.len();
        let unit_length = (2 + 4 + header_length + self.program.bytes.len()) as u64;
        let unit_length = check_length("line program", unit_length)?;
        let mut header = Section { bytes: Vec::with_capacity(10 + header_length), relocs: Vec::new() };
        let out = &mut header.bytes;
        out.extend_from_slice(&unit_length.to_le_bytes());
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(header_length as u32).to_le_bytes()); // less than the unit's
        let [line_base] = line_base.to_le_bytes();
        out.extend_from_slice(&[
            minimum_instruction_length,
            default_is_stmt.into(),
            line_base,
            line_range,
            opcode_base,
        ]);
        out.extend_from_slice(lengths);
        for table in [&self.directories, &self.files] {
            out.extend_from_slice(table);
            out.push(0);
        }
        header.append(&self.tail);
        Ok(header)
    }
}

/// Appends a table entry's string, which must not read as the end of the table.
fn put_entry_name(table: &mut Vec<u8>, name: &[u8], field: &'static str) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::EmptyString { field });
    }
    put_string(table, name, field)
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::super::{Header, Policy};
    use super::*;
    use crate::section::tests::{LONG, too_long, untouched};

    #[test]
    fn programs_end_before_4_gib() {
        for policy in [Policy::Plain, Policy::Compact(Header::default())] {
            let mut program = LineProgram::with_policy(Params::default(), policy).expect("usable");
            program.file(FileEntry { name: b"a", directory: 0, mtime: 0, size: 0 }).expect("a name");
            let before = program.header().expect("short").bytes.len() - 4;
            program.program.bytes = untouched(LONG - 1 - before);
            let header = program.header().expect("short enough").bytes;
            assert_eq!(header.first_chunk(), Some(&[0xef, 0xff, 0xff, 0xff]));
            program.program.bytes.push(0);
            assert_eq!(program.finish(), Err(too_long("line program", LONG)));
        }
    }
}
