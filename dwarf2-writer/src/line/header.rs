//! The part of the unit before the opcodes: parameters, directory and file tables, a vendor's
//! bytes.

use alloc::vec::Vec;

use leb128_nv::{Field, uleb128};

use super::{FileEntry, LineProgram, MAX_NUMBER, Params};
use crate::error::check_leb128;
use crate::section::{check_length, put_string};
use crate::{Address, Error, Reloc, Section};

/// Operand counts of the standard opcodes 1 to 12 (DWARF 3 §6.2.4).
const STANDARD_OPCODE_LENGTHS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// Second field of an entry of the file table.
const DIRECTORY_NUMBER: Field = Field::new("directory number");

impl LineProgram {
    /// Appends a directory to the directory table, and returns its 1-based number for
    /// [`FileEntry::directory`].
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], [`Error::EmptyString`].
    pub fn directory(&mut self, path: &[u8]) -> Result<u64, Error> {
        put_entry_name(&mut self.directories, path, "directory")?;
        self.directory_count += 1;
        Ok(self.directory_count)
    }

    /// Appends a file to the file table, and returns its 1-based number for
    /// [`LineProgram::set_file`].
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], [`Error::EmptyString`], [`Error::Leb128`] for a directory from 2^32
    /// on; [`Error::NotInTable`] for one that is not there, after
    /// [`LineProgram::known_files_only`].
    pub fn file(&mut self, file: FileEntry<'_>) -> Result<u64, Error> {
        let FileEntry { name, directory, .. } = file;
        check_leb128(DIRECTORY_NUMBER, directory, MAX_NUMBER)?;
        if self.known_files_only && directory > self.directory_count {
            let count = self.directory_count;
            return Err(Error::NotInTable { table: "directory", number: directory, count });
        }
        put_entry_name(&mut self.files, name, "file name")?;
        Ok(self.end_file(file))
    }

    /// Adds a file entry without a name, at which every reader takes the table to end. This is only
    /// for reproducing another producer's bytes: ptxas 13.0.88 writes such entries for `.file N
    /// "folder/"`. The entry's `name` is ignored.
    ///
    /// # Errors
    ///
    /// That of [`LineProgram::file`] for a directory number past 2^32.
    pub fn nameless_file(&mut self, file: FileEntry<'_>) -> Result<u64, Error> {
        check_leb128(DIRECTORY_NUMBER, file.directory, MAX_NUMBER)?;
        self.files.push(0);
        Ok(self.end_file(file))
    }

    /// Writes what follows the name of a file entry. Returns the entry's number.
    fn end_file(&mut self, file: FileEntry<'_>) -> u64 {
        for field in [file.directory, file.mtime, file.size] {
            self.files.extend_from_slice(&uleb128(field));
        }
        self.file_count += 1;
        self.file_count
    }

    /// Makes later calls reject file 0, and directories and files that are not in the program's
    /// tables. By default all numbers are accepted, since some producers write numbers without an
    /// entry.
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

    /// Appends vendor bytes to the header, after the file table. `header_length` counts them, so
    /// readers skip them.
    pub fn header_tail(&mut self, bytes: &[u8]) {
        self.tail.bytes.extend_from_slice(bytes);
    }

    /// Appends a 4-byte section offset to the header, after the file table.
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

    /// `unit_length` and `header_length`.
    fn lengths(&self) -> Result<(u32, usize), Error> {
        // From after the header_length field to the first opcode: five fields and both tables with
        // their ends.
        let opcodes = self.opcode_lengths().len();
        let header_length =
            5 + opcodes + self.directories.len() + 1 + self.files.len() + 1 + self.tail.bytes.len();
        let unit_length = check_length("line program", (2 + 4 + header_length + self.program.len()) as u64)?;
        Ok((unit_length, header_length))
    }

    fn opcode_lengths(&self) -> &'static [u8] {
        STANDARD_OPCODE_LENGTHS.get(..usize::from(self.params.opcode_base) - 1).unwrap_or_default()
    }

    /// The unit: the header, and the opcodes after it.
    pub(super) fn unit(self) -> Result<Section, Error> {
        let (unit_length, header_length) = self.lengths()?;
        let lengths = self.opcode_lengths();
        let Params {
            version,
            minimum_instruction_length,
            default_is_stmt,
            line_base,
            line_range,
            opcode_base,
        } = self.params;
        let mut section = self.program.after_header(10 + header_length);
        let [line_base] = line_base.to_le_bytes();
        let parts: [&[u8]; 10] = [
            &unit_length.to_le_bytes(),
            &version.to_le_bytes(),
            &(header_length as u32).to_le_bytes(), // less than the unit's
            &[minimum_instruction_length, default_is_stmt.into(), line_base, line_range, opcode_base],
            lengths,
            &self.directories,
            &[0],
            &self.files,
            &[0],
            &self.tail.bytes,
        ];
        let mut room = &mut *section.bytes;
        for part in parts {
            let Some((place, rest)) = room.split_at_mut_checked(part.len()) else { break };
            place.copy_from_slice(part);
            room = rest;
        }
        let tail = (10 + header_length - self.tail.bytes.len()) as u64;
        let relocs = self.tail.relocs.iter().map(|reloc| Reloc { offset: tail + reloc.offset, ..*reloc });
        section.relocs.splice(..0, relocs);
        Ok(section)
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
    use crate::line::program_bytes::ProgramBytes;
    use crate::section::tests::{LONG, too_long};

    /// For readers the table ends there; the number counts all the same.
    #[test]
    fn an_entry_may_lack_its_name_on_purpose() {
        let mut program = LineProgram::new(Params::default()).expect("usable");
        let entry = |name| FileEntry { name, directory: 1, mtime: 2, size: 0x80 };
        assert_eq!(program.file(entry(b"")), Err(Error::EmptyString { field: "file name" }));
        assert_eq!(program.nameless_file(entry(b"not looked at")), Ok(1));
        assert_eq!(program.file(entry(b"a")), Ok(2));
        assert_eq!(program.files, [0, 1, 2, 0x80, 1, b'a', 0, 1, 2, 0x80, 1]);
    }

    #[test]
    fn programs_end_before_4_gib() {
        for policy in [Policy::Plain, Policy::Compact(Header::default())] {
            let mut program = LineProgram::with_policy(Params::default(), policy).expect("usable");
            program.file(FileEntry { name: b"a", directory: 0, mtime: 0, size: 0 }).expect("a name");
            let (before, _) = program.lengths().expect("short");
            program.program = ProgramBytes::untouched(LONG - 1 - before as usize);
            assert_eq!(program.lengths().map(|lengths| lengths.0), Ok(0xffff_ffef));
            program.program = ProgramBytes::untouched(LONG - before as usize);
            assert_eq!(program.finish(), Err(too_long("line program", LONG)));
        }
    }
}
