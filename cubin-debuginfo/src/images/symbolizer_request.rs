//! The lines that clients of llvm-symbolizer send: `CODE FILE ADDRESS`.

use crate::address_query::parse_number;
use thiserror::Error;

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// `CODE`, or no word: functions and lines.
    Code,
    /// `DATA`: a variable.
    Data,
    /// `FRAME`: the local variables of a function.
    Frame,
}

/// A line that a client of a symbolizer sent, in its parts.
///
/// The forms are those of llvm-symbolizer: `CODE FILE ADDRESS`, `DATA FILE ADDRESS`, `FRAME FILE
/// ADDRESS` and `FILE ADDRESS`, with FILE in quotes if it has blanks, or without a file. In place
/// of ADDRESS there may be another query after `CODE FILE` and after quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolizerRequest<'q> {
    /// What is asked for.
    pub kind: RequestKind,
    /// The name of the file; `None` if the line has none.
    pub file: Option<&'q str>,
    /// The query for the file.
    pub query: &'q str,
}

/// The reason why a line is not a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The line has nothing but blanks.
    #[error("an empty line is not a query")]
    Empty,
    /// The name of a file has no closing quote.
    #[error("the name of the file has no closing quote")]
    NoClosingQuote,
    /// Nothing follows the word or the name of the file.
    #[error("no address")]
    NoAddress,
    /// The line has a build ID in place of a file name.
    #[error("files are not looked up by build ID")]
    BuildId,
}

impl<'q> SymbolizerRequest<'q> {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// The line is empty, a quote is not closed, or the address is missing.
    pub fn parse(line: &'q str) -> Result<Self, RequestError> {
        let line = line.trim();
        if line.is_empty() {
            return Err(RequestError::Empty);
        }
        let words = [("CODE", RequestKind::Code), ("DATA", RequestKind::Data), ("FRAME", RequestKind::Frame)];
        let word = words.into_iter().find_map(|(word, kind)| {
            let rest = line.strip_prefix(word)?;
            (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some((kind, rest.trim_start()))
        });
        let (kind, rest) = word.unwrap_or((RequestKind::Code, line));
        let (file, query) = match rest.chars().next() {
            None => return Err(RequestError::NoAddress),
            Some(quote @ ('"' | '\'')) => {
                let (file, query) = rest
                    .get(1..)
                    .and_then(|rest| rest.split_once(quote))
                    .ok_or(RequestError::NoClosingQuote)?;
                (Some(file), query.trim_start())
            }
            Some(_) if word.is_some() => match rest.split_once([' ', '\t']) {
                Some((file, query)) => (Some(file), query.trim_start()),
                None => (None, rest),
            },
            Some(_) => file_before_address(rest),
        };
        if query.is_empty() {
            return Err(RequestError::NoAddress);
        }
        if file.is_some_and(|file| file.starts_with("BUILDID:")) {
            return Err(RequestError::BuildId);
        }
        Ok(Self { kind, file: file.map(|file| file.strip_prefix("FILE:").unwrap_or(file)), query })
    }
}

/// `FILE ADDRESS`. A query may have blanks too: `k + 0x10`, `k(int, float)`.
fn file_before_address(line: &str) -> (Option<&str>, &str) {
    match line.rsplit_once([' ', '\t']) {
        Some((file, address))
            if parse_number(address).is_some() && !file.trim_end().ends_with(['+', ':', ',', '(']) =>
        {
            (Some(file.trim_end()), address)
        }
        _ => (None, line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        use RequestKind::{Code, Data, Frame};
        let request = |kind, file, query| Ok(SymbolizerRequest { kind, file, query });
        for (line, expected) in [
            ("saxpy+0x10", request(Code, None, "saxpy+0x10")),
            (" 0x10 \r", request(Code, None, "0x10")),
            ("CODE k.cubin 0x10", request(Code, Some("k.cubin"), "0x10")),
            ("CODE  \"a b\"  0x10", request(Code, Some("a b"), "0x10")),
            ("CODE 'a \"b' 0x10", request(Code, Some("a \"b"), "0x10")),
            ("\"k.cubin\" 0x10", request(Code, Some("k.cubin"), "0x10")),
            ("\"k.cubin\"0x10", request(Code, Some("k.cubin"), "0x10")),
            ("k.cubin 16", request(Code, Some("k.cubin"), "16")),
            ("CODE FILE:k.cubin 16", request(Code, Some("k.cubin"), "16")),
            ("CODE 0x10", request(Code, None, "0x10")),
            ("CODE k.cubin void f<int>(int)+0x10", request(Code, Some("k.cubin"), "void f<int>(int)+0x10")),
            ("DATA k.cubin 0x10", request(Data, Some("k.cubin"), "0x10")),
            ("FRAME 'k' 0x10", request(Frame, Some("k"), "0x10")),
            // Queries with blanks.
            ("saxpy + 0x10", request(Code, None, "saxpy + 0x10")),
            ("saxpy+ 0x10", request(Code, None, "saxpy+ 0x10")),
            (".text.k: 16", request(Code, None, ".text.k: 16")),
            ("f(int, float)+0x10", request(Code, None, "f(int, float)+0x10")),
            ("f(int, float)", request(Code, None, "f(int, float)")),
            ("CODEC+0x10", request(Code, None, "CODEC+0x10")),
            ("", Err(RequestError::Empty)),
            (" \r", Err(RequestError::Empty)),
            ("CODE", Err(RequestError::NoAddress)),
            ("CODE \"k\"", Err(RequestError::NoAddress)),
            ("\"k 0x10", Err(RequestError::NoClosingQuote)),
            ("CODE BUILDID:ab 0x1", Err(RequestError::BuildId)),
        ] {
            assert_eq!(SymbolizerRequest::parse(line), expected, "{line:?}");
        }
    }
}
