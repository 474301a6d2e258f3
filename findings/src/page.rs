//! The Markdown page of a table of rules.

/// The title and introduction of the Markdown page on a command's rules.
#[derive(Debug, Clone, Copy)]
pub struct Page<'p> {
    /// The command that reports violations of the rules.
    pub command: &'p str,
    /// The words after "Made from" in the introduction: where the tables of rules are.
    pub source: &'p str,
    /// The command line that writes the page again.
    pub writer: &'p str,
    /// The sentences after the one on stable codes: what else a reader must know.
    pub about: &'p str,
}

impl Page<'_> {
    /// Returns the title, the introduction and the table of subjects, in Markdown.
    pub fn beginning(&self, subjects: impl IntoIterator<Item = (char, &'static str)>) -> String {
        let Self { command, source, writer, about } = self;
        let subjects = subjects.into_iter().map(|(letter, subject)| [subject.to_owned(), letter.to_string()]);
        format!(
            "\
# Rules of `{command}`

Made from {source} by `{writer}`.

`ptxas-driver {command}` reports what breaks a rule. Codes and names are stable: none is ever given to another rule. {about}

{}",
            table(["subject", "codes"], subjects)
        )
    }
}

/// Returns a Markdown table with `head` as its first row. Bars in cells are escaped.
pub fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| {
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|{}\n", "---|".repeat(N));
    let rows = rows.into_iter().map(line);
    [line(head.map(str::to_owned)), rule].into_iter().chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_subjects_and_escapes_bars() {
        let page = Page { command: "check", source: "a table", writer: "make", about: "More." };
        let text = page.beginning([('A', "a|b"), ('B', "c")]);
        assert!(text.starts_with("# Rules of `check`\n\nMade from a table by `make`.\n\n"), "{text}");
        let subjects = "\n\n| subject | codes |\n|---|---|\n| a\\|b | A |\n| c | B |\n";
        assert!(text.ends_with(&format!(" rule. More.{subjects}")), "{text}");
    }
}
