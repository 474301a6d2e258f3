//! `.nv_debug_ptx_txt`: the PTX source, without comments and debug text.
//!
//! The section is a filter of the input *text*, line by line, without regard to tokens: it works inside `/* */` too.
//! No public specification; FORMATS 2, observed: ptxas 13.0.88, sm_75-sm_121.

use crate::catalog::SectionKind;
use crate::{Error, ErrorKind, Result};

/// Name of the section in a whole-program cubin, and prefix of its name in a relocatable one.
pub const NAME: &str = SectionKind::NvDebugPtxTxt.name();

/// A line that starts with one of these is replaced by an empty one. Prefixes, not tokens: `.b80` and `.files` go too.
const DROPPED_PREFIXES: [&[u8]; 7] = [b"//", b"#", b"@@DWARF", b".file", b".b8", b".b32", b".b64"];

/// The PTX text kept in a cubin, borrowed from the section.
///
/// Each line is ended by one NUL byte; there is no count and no newline. Line `n` of the section (1-based) is line `n` of the PTX
/// input, so that the rows of `.nv_debug_line_sass` index both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxText<'d> {
    data: &'d [u8],
}

impl<'d> PtxText<'d> {
    /// Wraps section contents without copying them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] at the offset where the last line starts, if that line has no terminator.
    pub fn decode(data: &'d [u8]) -> Result<Self> {
        match data.last() {
            None | Some(0) => Ok(Self { data }),
            Some(_) => {
                let start = memchr::memrchr(0, data).map_or(0, |nul| nul + 1);
                Err(Error::new(NAME, start as u64, ErrorKind::Truncated("a PTX line")))
            }
        }
    }

    /// Lines in file order, without terminators.
    pub fn lines(&self) -> impl Iterator<Item = &'d [u8]> + use<'d> {
        let mut rest = self.data;
        std::iter::from_fn(move || {
            let end = memchr::memchr(0, rest)?;
            let line = &rest[..end];
            rest = &rest[end + 1..];
            Some(line)
        })
    }
}

/// Encodes lines, given without terminators, as section contents.
///
/// # Errors
///
/// [`ErrorKind::Other`] at the output offset of a NUL inside a line.
pub fn encode<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for line in lines {
        if let Some(nul) = memchr::memchr(0, line) {
            let kind = ErrorKind::Other("a PTX line holds a NUL byte".into());
            return Err(Error::new(NAME, (out.len() + nul) as u64, kind));
        }
        out.extend_from_slice(line);
        out.push(0);
    }
    Ok(out)
}

/// The section's contents for a PTX source, as ptxas 13.0.88 filters it.
///
/// Leading blanks go, a line ends at its first carriage return, debug directives and comment lines become empty, and empty lines at
/// the end are dropped.
///
/// # Errors
///
/// As [`encode`]: a NUL byte in the source.
pub fn from_ptx(source: &[u8]) -> Result<Vec<u8>> {
    let mut lines: Vec<&[u8]> = source.split(|&b| b == b'\n').map(kept_part).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    encode(lines)
}

/// What ptxas keeps of one input line (without its newline).
fn kept_part(line: &[u8]) -> &[u8] {
    let line = trim_start(line, b" \t");
    let line = trim_start(line, b"\r");
    let line = memchr::memchr(b'\r', line).map_or(line, |cr| &line[..cr]);
    let is_loc = line.starts_with(b".loc") && !line.starts_with(b".local");
    if is_loc || DROPPED_PREFIXES.iter().any(|prefix| line.starts_with(prefix)) { b"" } else { line }
}

fn trim_start<'a>(line: &'a [u8], blanks: &[u8]) -> &'a [u8] {
    let start = line.iter().position(|b| !blanks.contains(b)).unwrap_or(line.len());
    &line[start..]
}

/// The section's name: relocatable objects (`-c`) carry the Adler-32 of the whole PTX file, in decimal.
pub fn section_name(source: &[u8], relocatable: bool) -> String {
    if relocatable { format!("{NAME}.{}", simd_adler32::adler32(&source)) } else { NAME.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
