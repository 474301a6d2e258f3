//! Folder and name of a `.file` that has both, as other assemblers take it.

use crate::lexer::{Lexer, Token, TokenKind};
use crate::text_range::TextRange;

/// The strings of `"FOLDER" "NAME" md5 0x...`, or of `"NAME" md5 0x...`.
#[derive(Debug)]
pub(crate) struct FileParts<'a> {
    text: &'a str,
    /// The first string.
    pub(crate) first: Token,
    /// The second string; `None` where there is only a name.
    second: Option<Token>,
}

impl<'a> FileParts<'a> {
    /// Reads the range of a [`crate::SyntaxErrorKind::FileFolder`].
    pub(crate) fn read(text: &'a str, range: TextRange) -> Self {
        let mut lexer = Lexer::new(text, range.start);
        let [first, second] = [lexer.next_significant(), lexer.next_significant()];
        Self { text, first, second: Some(second).filter(|token| token.kind == TokenKind::String) }
    }

    /// The one name that PTX takes in their place; `None` where there is no name.
    pub(crate) fn name(&self) -> Option<String> {
        let words = |token: Token| {
            let word = token.range.slice(self.text);
            word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word)
        };
        let first = words(self.first);
        let Some(name) = self.second.map(words) else { return Some(first.to_owned()) };
        (!name.is_empty()).then(|| joined(first, name))
    }
}

/// The path of a file in a folder: the name alone if it is a whole path itself.
fn joined(folder: &str, name: &str) -> String {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if folder.is_empty() || drive || name.starts_with(['/', '\\']) {
        return name.to_owned();
    }
    let separator = if folder.contains('\\') && !folder.contains('/') { '\\' } else { '/' };
    format!("{}{separator}{name}", folder.trim_end_matches(separator))
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn paths() {
        for (folder, name, path) in [
            ("/home/ci", "a.c", "/home/ci/a.c"),
            ("/home/ci//", "a.c", "/home/ci/a.c"),
            ("/", "a.c", "/a.c"),
            ("", "a.c", "a.c"),
            ("/home", "/opt/a.h", "/opt/a.h"),
            (r"C:\src", "a.c", r"C:\src\a.c"),
            (r"C:\src", r"D:\a.h", r"D:\a.h"),
            ("C:/src", "a.c", "C:/src/a.c"),
        ] {
            assert_eq!(joined(folder, name), path);
        }
    }
}
