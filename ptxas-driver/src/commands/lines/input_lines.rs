//! Queries from standard input, each as soon as its line came.

use crate::input;
use crate::limits::{MAX_QUERY, MAX_STREAM};
use memchr::memchr;
use std::io::{self, ErrorKind, Read};

/// The lines of a stream. What was read is handed out before more is waited for.
pub(super) struct InputLines<R> {
    input: R,
    buffer: Vec<u8>,
    /// What was read and not yet handed out is from here ..
    start: usize,
    /// .. to here. The rest of the buffer is room for what will be read.
    end: usize,
    is_at_end: bool,
}

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine<'b> {
    /// The line.
    Whole(&'b [u8]),
    /// The beginning of a line that has more than [`MAX_QUERY`] bytes. The rest was skipped.
    TooLong(&'b [u8]),
}

/// The number of bytes that are asked for at once: what a pipe of Linux holds.
const READ: usize = 64 << 10;

impl<R: Read> InputLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0, end: 0, is_at_end: false }
    }

    /// Returns the next line; `None` at the end. `before_wait` is called before each read that may
    /// have to wait for input.
    pub(super) fn next(
        &mut self,
        mut before_wait: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Option<InputLine<'_>>> {
        let mut searched = self.start;
        let end = loop {
            if let Some(length) = memchr(b'\n', self.bytes(searched, self.end)) {
                break searched + length;
            }
            if self.is_at_end {
                if self.start == self.end {
                    return Ok(None);
                }
                break self.end;
            }
            if self.end - self.start > MAX_QUERY {
                return self.skip(before_wait).map(Some);
            }
            before_wait()?;
            self.move_to_front();
            searched = self.end;
            self.fill()?;
        };
        let start = std::mem::replace(&mut self.start, (end + 1).min(self.end));
        Ok(Some(match end - start {
            0..=MAX_QUERY => InputLine::Whole(self.bytes(start, end)),
            _ => InputLine::TooLong(self.bytes(start, start + MAX_QUERY)),
        }))
    }

    /// Skips the rest of a line that is too long. It must end at some time, as that of a device
    /// such as `/dev/zero` does not.
    fn skip(&mut self, mut before_wait: impl FnMut() -> io::Result<()>) -> io::Result<InputLine<'_>> {
        self.move_to_front();
        let mut length = 0;
        loop {
            length += (self.end - MAX_QUERY) as u64;
            if length > MAX_STREAM {
                return Err(input::too_large(MAX_STREAM));
            }
            self.end = MAX_QUERY;
            before_wait()?;
            self.fill()?;
            let line_end = memchr(b'\n', self.bytes(MAX_QUERY, self.end));
            if line_end.is_some() || self.is_at_end {
                self.start = line_end.map_or(self.end, |length| MAX_QUERY + length + 1);
                return Ok(InputLine::TooLong(self.bytes(0, MAX_QUERY)));
            }
        }
    }

    fn bytes(&self, start: usize, end: usize) -> &[u8] {
        self.buffer.get(start..end).unwrap_or_default()
    }

    fn move_to_front(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
    }

    /// Reads once, as much as there is.
    fn fill(&mut self) -> io::Result<()> {
        if self.buffer.len() < self.end + READ {
            self.buffer.resize(self.end + READ, 0);
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = loop {
            match self.input.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.end += read;
        self.is_at_end = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one piece at each read.
    struct Pieces<'p>(Vec<&'p [u8]>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    /// The lines, with the number of reads before each.
    fn lines(pieces: &[&[u8]]) -> Vec<(usize, String)> {
        let mut input = InputLines::new(Pieces(pieces.to_vec()));
        let (mut lines, mut waits) = (Vec::new(), 0);
        while let Some(line) = input
            .next(|| {
                waits += 1;
                Ok(())
            })
            .unwrap()
        {
            let line = match line {
                InputLine::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                InputLine::TooLong(line) => format!("too long: {}", line.len()),
            };
            lines.push((waits, line));
        }
        lines
    }

    #[test]
    fn a_line_is_handed_out_before_more_is_waited_for() {
        let line = |waits, line: &str| (waits, line.to_owned());
        assert_eq!(
            lines(&[b"a\nb\n", b"c", b"d\n\n", b"e"]),
            [line(1, "a"), line(1, "b"), line(3, "cd"), line(3, ""), line(5, "e")]
        );
        assert_eq!(lines(&[]), []);
        assert_eq!(lines(&[b"\n"]), [line(1, "")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_one_line() {
        let long = vec![b'x'; READ];
        let mut pieces: Vec<&[u8]> = vec![b"a\n"];
        pieces.extend(std::iter::repeat_n(&long[..], MAX_QUERY / READ + 3));
        pieces.extend([&b"x\nb\n"[..], b"c\n"]);
        let texts = |pieces: &[&[u8]]| lines(pieces).into_iter().map(|(_, line)| line).collect::<Vec<_>>();
        let too_long = format!("too long: {MAX_QUERY}");
        assert_eq!(texts(&pieces), ["a", &too_long, "b", "c"]);
        pieces.truncate(pieces.len() - 2);
        assert_eq!(texts(&pieces), ["a", &too_long]);
        let endless = InputLines::new(io::repeat(b'x')).next(|| Ok(())).map(|_| ());
        assert_eq!(endless.unwrap_err().kind(), ErrorKind::FileTooLarge);
        // The longest that is taken.
        let longest = [&vec![b'y'; MAX_QUERY][..], b"\n"].concat();
        let all = texts(&longest.chunks(READ).collect::<Vec<_>>());
        assert_eq!(all.iter().map(String::len).collect::<Vec<_>>(), [MAX_QUERY]);
    }
}
