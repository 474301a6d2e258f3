//! Reading of input files: completely, up to a limit, and never mapped.
//!
//! A mapped file that another process cuts short ends its reader with SIGBUS. A file that was read
//! cannot change any more, and what it lost while it was read is an error with words.

use crate::limits::{MAX_FILE, MAX_STREAM, MAX_WORDS};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads the bytes of the file at `path`.
///
/// # Errors
///
/// It cannot be opened or read, has more than [`MAX_FILE`] bytes ([`MAX_STREAM`] where it is not
/// an ordinary file), or became shorter in between.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MAX_FILE, MAX_STREAM)
}

/// Reads the bytes of a short text file, such as an options file.
///
/// # Errors
///
/// Those of [`read`], with the limit [`MAX_WORDS`].
pub fn read_words(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MAX_WORDS, MAX_WORDS)
}

/// Reads the bytes of standard input.
///
/// # Errors
///
/// It cannot be read, or has more than [`MAX_STREAM`] bytes.
pub fn read_stdin() -> io::Result<Vec<u8>> {
    read_stream(io::stdin().lock(), MAX_STREAM)
}

/// Reads the text of standard input, of at most [`MAX_WORDS`] bytes.
///
/// # Errors
///
/// It cannot be read, is not UTF-8, or has more bytes.
pub fn read_stdin_words() -> io::Result<String> {
    let bytes = read_stream(io::stdin().lock(), MAX_WORDS)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn read_within(path: &Path, max_file: u64, max_stream: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // Files of no length are also those of procfs.
    if !metadata.is_file() || metadata.len() == 0 {
        return read_stream(file, max_stream);
    }
    if metadata.len() > max_file {
        return Err(too_large(max_file));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(metadata.len()).unwrap_or(usize::MAX))?;
    // What is appended meanwhile belongs to the next reader.
    let read = file.take(metadata.len()).read_to_end(&mut bytes)?;
    if (read as u64) < metadata.len() {
        let lost = metadata.len() - read as u64;
        return Err(io::Error::new(
            ErrorKind::UnexpectedEof,
            format!("the file became {lost} bytes shorter while it was read"),
        ));
    }
    Ok(bytes)
}

fn read_stream(stream: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = stream.take(max + 1).read_to_end(&mut bytes)?;
    if read as u64 > max { Err(too_large(max)) } else { Ok(bytes) }
}

/// The error for input of more than `max` bytes.
pub fn too_large(max: u64) -> io::Error {
    let words = format!("more than {} MiB, the most that is read", max >> 20);
    io::Error::new(ErrorKind::FileTooLarge, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for size in [0, 1, 100] {
            let content = vec![7; size];
            std::fs::write(&path, &content).unwrap();
            assert_eq!(read_within(&path, 100, 100).unwrap(), content);
        }
        std::fs::write(&path, [7; 101]).unwrap();
        let error = read_within(&path, 100, 1000).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_stream_is_read_up_to_its_limit() {
        assert_eq!(read_stream(io::repeat(0).take(100), 100).unwrap().len(), 100);
        assert_eq!(read_stream(io::repeat(0), 100).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_file_of_holes_takes_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holes");
        File::create(&path).unwrap().set_len(MAX_FILE + 1).unwrap();
        assert_eq!(read(&path).unwrap_err().to_string(), "more than 4096 MiB, the most that is read");
    }
}
