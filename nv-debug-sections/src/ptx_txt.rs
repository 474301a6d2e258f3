//! `.nv_debug_ptx_txt`: the PTX source, without comments and debug text.
//!
//! The section is a filter of the input *text*, line by line, without regard to tokens: it works
//! inside `/* */` too. No public specification; docs/formats/ptx-text.md; observed: ptxas 13.0.88,
//! sm_75-sm_121.

use crate::catalog::SectionKind;
use crate::{Error, ErrorKind, Result};
use std::borrow::Cow;

/// The name of the section `.nv_debug_ptx_txt` in a whole program. In a relocatable file a dot and
/// a checksum follow.
pub const NAME: &str = SectionKind::NvDebugPtxTxt.name();

/// A line that starts with one of these is replaced by an empty one. They are prefixes, not tokens,
/// so `.b80` and `.files` go too.
const DROPPED_PREFIXES: [&[u8]; 7] = [b"//", b"#", b"@@DWARF", b".file", b".b8", b".b32", b".b64"];

/// The PTX text that a cubin has in `.nv_debug_ptx_txt`, borrowed from the section.
///
/// Each line is ended by one NUL byte; there is no count and no newline. Line `n` of the section
/// (1-based) is line `n` of the PTX input, so that the rows of `.nv_debug_line_sass` index both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxText<'d> {
    data: &'d [u8],
}

impl<'d> PtxText<'d> {
    /// Creates a view of the bytes of `.nv_debug_ptx_txt` without copying them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] at the offset where the last line starts, if that line has no
    /// terminator.
    pub fn decode(data: &'d [u8]) -> Result<Self> {
        match data.last() {
            None | Some(0) => Ok(Self { data }),
            Some(_) => {
                let start = memchr::memrchr(0, data).map_or(0, |nul| nul + 1);
                Err(Error::new(NAME, start as u64, ErrorKind::Truncated("a PTX line")))
            }
        }
    }

    /// Iterates over the lines of the PTX text in file order, without terminators.
    pub fn lines(&self) -> impl Iterator<Item = &'d [u8]> + use<'d> {
        let mut rest = self.data;
        std::iter::from_fn(move || {
            let end = memchr::memchr(0, rest)?;
            let line = &rest[..end];
            rest = &rest[end + 1..];
            Some(line)
        })
    }

    /// Returns the text as a PTX file, in which a newline ends each line. The comments and blanks
    /// that ptxas leaves out of the section are missing. [`from_ptx`] gives the section again,
    /// except for a line that had blanks after a leading carriage return.
    pub fn to_ptx(&self) -> Vec<u8> {
        self.data.iter().map(|&byte| if byte == 0 { b'\n' } else { byte }).collect()
    }
}

/// A PTX text with an index of its lines, so that a line is found by number in constant time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedText<'d> {
    data: Cow<'d, [u8]>,
    /// Start of each line, and the end of the last.
    starts: Vec<usize>,
}

impl<'d> NumberedText<'d> {
    /// Reads the bytes of `.nv_debug_ptx_txt`, and indexes them by line number.
    ///
    /// # Errors
    ///
    /// As [`PtxText::decode`].
    pub fn decode(data: impl Into<Cow<'d, [u8]>>) -> Result<Self> {
        let data = data.into();
        PtxText::decode(&data)?;
        let starts = std::iter::once(0).chain(memchr::memchr_iter(0, &data).map(|nul| nul + 1)).collect();
        Ok(Self { data, starts })
    }

    /// The number of lines of the PTX text.
    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns line `number`, 1-based as in `.nv_debug_line_sass`, without its terminator; `None`
    /// if the text has no such line.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let index = (number as usize).checked_sub(1)?;
        let (start, end) = (*self.starts.get(index)?, *self.starts.get(index + 1)?);
        self.data.get(start..end.checked_sub(1)?)
    }
}

/// Encodes PTX lines, given without terminators, as the contents of `.nv_debug_ptx_txt`.
///
/// # Errors
///
/// [`ErrorKind::NulByte`] at the output offset of a NUL inside a line.
pub fn encode<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for line in lines {
        if let Some(nul) = memchr::memchr(0, line) {
            let kind = ErrorKind::NulByte("a PTX line".to_owned());
            return Err(Error::new(NAME, (out.len() + nul) as u64, kind));
        }
        out.extend_from_slice(line);
        out.push(0);
    }
    Ok(out)
}

/// Filters a PTX source as ptxas 13.0.88 does, and returns the text as the contents of
/// `.nv_debug_ptx_txt`.
///
/// Leading blanks go, a line ends at its first carriage return, debug directives and comment lines
/// become empty, and empty lines at the end are dropped.
///
/// # Errors
///
/// As [`encode`]: a NUL byte in the source.
pub fn from_ptx(source: &[u8]) -> Result<Vec<u8>> {
    // Both are looked for once, not in each line.
    let has_return = memchr::memchr(b'\r', source).is_some();
    let has_nul = memchr::memchr(0, source).is_some();
    let mut rest = Some(source);
    let lines = std::iter::from_fn(|| {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.and_then(|end| text.get(end + 1..));
        let line = end.and_then(|end| text.get(..end)).unwrap_or(text);
        let line = trim_start(line, b" \t");
        Some(kept_part(if has_return { without_return(line) } else { line }))
    });
    let mut text = if has_nul { encode(lines)? } else { joined(lines, source.len()) };
    // No line holds a NUL, so what stands before the last one is the end of another line or of an
    // empty text.
    while let [0] | [.., 0, 0] = *text {
        text.pop();
    }
    text.shrink_to_fit();
    Ok(text)
}

/// Lines without NULs, each ended by one.
fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>, most: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(most + 1);
    for line in lines {
        out.extend_from_slice(line);
        out.push(0);
    }
    out
}

/// A line up to its first carriage return; those at its start do not count.
fn without_return(line: &[u8]) -> &[u8] {
    let line = trim_start(line, b"\r");
    memchr::memchr(b'\r', line).map_or(line, |cr| &line[..cr])
}

/// What ptxas keeps of one input line, blanks before it, its carriage returns and its newline
/// aside.
fn kept_part(line: &[u8]) -> &[u8] {
    // Nearly all others are instructions.
    if !matches!(line.first(), Some(b'/' | b'#' | b'@' | b'.')) {
        return line;
    }
    let is_loc = line.starts_with(b".loc") && !line.starts_with(b".local");
    if is_loc || DROPPED_PREFIXES.iter().any(|prefix| line.starts_with(prefix)) { b"" } else { line }
}

fn trim_start<'a>(line: &'a [u8], blanks: &[u8]) -> &'a [u8] {
    let start = line.iter().position(|b| !blanks.contains(b)).unwrap_or(line.len());
    &line[start..]
}

/// Returns the number that ends the name of `.nv_debug_ptx_txt.N` in a relocatable object: the
/// Adler-32 (RFC 1950) of the PTX file.
pub fn checksum(source: &[u8]) -> u32 {
    simd_adler32::adler32(&source)
}

/// Returns the name of `.nv_debug_ptx_txt` for a PTX source. In relocatable objects (`-c`) a dot
/// and the [`checksum`] follow, in decimal.
pub fn section_name(source: &[u8], relocatable: bool) -> String {
    if relocatable { format!("{NAME}.{}", checksum(source)) } else { NAME.to_owned() }
}

/// Returns the checksum in the name of a section `.nv_debug_ptx_txt.N`, which identifies the PTX
/// file. `None` if the name has none, or does not have the form that [`section_name`] gives.
pub fn checksum_in(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(NAME)?.strip_prefix('.')?;
    let checksum: u32 = digits.parse().ok()?;
    (checksum.to_string() == digits).then_some(checksum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_prefix_is_dropped() {
        for prefix in DROPPED_PREFIXES.iter().chain([&&b".loc"[..]]) {
            assert_eq!(kept_part(prefix), b"", "{}", String::from_utf8_lossy(prefix));
        }
        assert_eq!(kept_part(b".local"), b".local");
    }

    #[test]
    fn filter_drops_debug_text_and_keeps_numbering() {
        let source = b"  .version 9.0\r\n// c\n\t.loc 1 2 3\n.local .b8 x;\n .b80\nret; // tail\n\n\n";
        let text = from_ptx(source).unwrap();
        let lines: Vec<_> = PtxText::decode(&text).unwrap().lines().collect();
        let want: [&[u8]; 6] = [b".version 9.0", b"", b"", b".local .b8 x;", b"", b"ret; // tail"];
        assert_eq!(lines, want);
    }

    #[test]
    fn unterminated_line_is_an_error_where_it_starts() {
        let error = PtxText::decode(b"a\0bc").unwrap_err();
        assert_eq!((error.section(), error.offset()), (NAME, 2));
    }

    #[test]
    fn relocatable_name_carries_the_checksum() {
        assert_eq!(section_name(b"Wikipedia", true), ".nv_debug_ptx_txt.300286872"); // RFC 1950's Adler-32, published example
        assert_eq!(section_name(b"Wikipedia", false), NAME);
        assert_eq!(checksum_in(".nv_debug_ptx_txt.300286872"), Some(300_286_872));
        for name in ["", ".1x", ".01", ".+1", ".4294967296", "1", ".1.2"] {
            assert_eq!(checksum_in(&format!("{NAME}{name}")), None, "{name}");
        }
    }

    #[test]
    fn a_nul_in_a_line_is_refused_where_it_would_be() {
        let error = encode([&b"a"[..], b"b\0c"]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NulByte(_)), "{error}");
        assert_eq!((error.section(), error.offset()), (NAME, 3));
        assert!(from_ptx(b"ret;\nr\0et;\n").is_err());
    }

    #[test]
    fn lines_by_number() {
        let text = NumberedText::decode(&b"a\0\0bc\0"[..]).unwrap();
        assert_eq!(text.line_count(), 3);
        let lines: [Option<&[u8]>; 5] = [None, Some(b"a"), Some(b""), Some(b"bc"), None];
        assert_eq!([0, 1, 2, 3, 4].map(|number| text.line(number)), lines);
        assert_eq!(text.line(u32::MAX), None);
        assert_eq!(NumberedText::decode(Vec::new()).unwrap().line(1), None);
        assert_eq!(NumberedText::decode(&b"a\0bc"[..]).unwrap_err().offset(), 2);
    }

    proptest! {
        #[test]
        fn lines_come_back(lines in prop::collection::vec(prop::collection::vec(1_u8.., 0..8), 0..8)) {
            let data = encode(lines.iter().map(Vec::as_slice)).unwrap();
            prop_assert!(PtxText::decode(&data).unwrap().lines().eq(&lines));
            let text = NumberedText::decode(&*data).unwrap();
            prop_assert!((1..).map_while(|number| text.line(number)).eq(&lines));
            prop_assert_eq!(text.line_count(), lines.len());
        }

        #[test]
        fn bytes_come_back(data in prop::collection::vec(0_u8..3, 0..40)) {
            match PtxText::decode(&data) {
                Ok(text) => prop_assert_eq!(encode(text.lines()).unwrap(), data),
                Err(error) => prop_assert!(error.offset() <= data.len() as u64),
            }
        }

        #[test]
        fn the_filter_is_done_after_once(source in "([ \\t]{0,2}(//|#|\\.b8|\\.loc|\\.local|ret;|a){0,2}[ \\r]?\\n){0,8}") {
            let filtered = from_ptx(source.as_bytes()).unwrap();
            let text = PtxText::decode(&filtered).unwrap();
            let again = from_ptx(&text.to_ptx()).unwrap();
            prop_assert_eq!(again, filtered);
        }
    }
}
