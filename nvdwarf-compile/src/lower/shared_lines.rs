//! Warns of PTX lines that line markers give to more than one piece of code: a limit of this
//! project.

use crate::diagnostic::Diagnostic;
use ptx_syntax::check::PtxasLines;
use ptx_syntax::{Body, LineCursor, LineIndex, Module, Name, Statement, TextRange};
use std::collections::BTreeMap;

/// Names the first line marker by which code shares PTX lines with code before it.
///
/// A body has every line from its `{` to its `}`, those that a marker leaves out included, since
/// what a `.loc` covers goes on there. Where lines are shared without a marker's doing, on one line
/// of the text, there is nothing to say.
pub(crate) fn warning(module: &Module<'_>, lines: &LineIndex) -> Option<Diagnostic> {
    let numbers = PtxasLines::new(module.text, lines);
    if !numbers.has_markers() {
        return None;
    }
    let mut finder = Finder { lines: lines.cursor(), numbers, taken: BTreeMap::new(), shared: None };
    for function in module.functions() {
        if let Some(body) = &function.body {
            finder.body(function.name, body);
        }
    }
    let Shared { first, last, marker, markers, by, .. } = finder.shared?;
    let more = match markers - 1 {
        0 => String::new(),
        1 => ", as another does".to_owned(),
        more => format!(", as {more} others do"),
    };
    let message = format!(
        "this line marker gives code the PTX lines {first} to {last}, which code before it has too{more}: not all that ptxas does with \
         shared lines is known, and line tables may differ from its own"
    );
    let range = lines.line_range(marker);
    let text = range.slice(module.text).trim_end();
    let mut diagnostic =
        Diagnostic::warning(TextRange::new(range.start, range.start + text.len() as u32), message);
    diagnostic.related = Some((by.range, "has them already".into()));
    Some(diagnostic)
}

struct Finder<'f, 'a> {
    lines: LineCursor<'f>,
    numbers: PtxasLines<'f>,
    /// The lines of all pieces so far, by the first one; none overlap.
    taken: BTreeMap<u32, Piece<'a>>,
    shared: Option<Shared<'a>>,
}

/// The lines of one body after one marker.
#[derive(Clone, Copy)]
struct Piece<'a> {
    last: u32,
    /// The line of the text that the marker stands on; 0 for none.
    marker: u32,
    function: Name<'a>,
}

/// What is said: lines, the marker and how many do so, the function before.
struct Shared<'a> {
    first: u32,
    last: u32,
    marker: u32,
    last_marker: u32,
    markers: u32,
    by: Name<'a>,
}

impl<'a> Finder<'_, 'a> {
    fn body(&mut self, function: Name<'a>, body: &Body<'a>) {
        let instructions = body.statements.iter().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction.line_anchor()),
            _ => None,
        });
        let anchors = std::iter::once(body.open.start).chain(instructions).chain([body.close.start]);
        // The piece that is not at its end, by its first line.
        let mut open: Option<(u32, Piece<'a>)> = None;
        for anchor in anchors {
            let line = self.lines.line(anchor);
            let (number, marker) = (self.numbers.number(line), self.numbers.marker_before(line).unwrap_or(0));
            let first = match open.take() {
                Some((first, piece)) if piece.marker == marker => first,
                Some((first, piece)) => {
                    self.take(first, piece);
                    // What was left out on the way counts.
                    number.min(piece.last.saturating_add(1))
                }
                None => number,
            };
            open = Some((first, Piece { last: number.max(first), marker, function }));
        }
        if let Some((first, piece)) = open {
            self.take(first, piece);
        }
    }

    fn take(&mut self, mut first: u32, mut piece: Piece<'a>) {
        let (from, to) = (first, piece.last);
        while let Some((&start, &other)) = self.taken.range(..=piece.last).next_back() {
            if other.last < first {
                break;
            }
            if other.marker != piece.marker {
                self.share(from.max(start), to.min(other.last), piece.marker, other.function);
            }
            self.taken.remove(&start);
            first = first.min(start);
            piece.last = piece.last.max(other.last);
        }
        self.taken.insert(first, piece);
    }

    fn share(&mut self, first: u32, last: u32, marker: u32, by: Name<'a>) {
        match &mut self.shared {
            None => self.shared = Some(Shared { first, last, marker, last_marker: marker, markers: 1, by }),
            // One marker may share lines with several pieces.
            Some(shared) if shared.last_marker == marker => {}
            Some(shared) => (shared.last_marker, shared.markers) = (marker, shared.markers + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    /// Kernels with a marker before each, or none, and perhaps one within.
    fn text(kernels: &[(Option<u32>, Option<u32>)]) -> String {
        let mut text = ".version 8.0\n.target sm_75\n.address_size 64\n".to_owned();
        for (number, (before, within)) in kernels.iter().enumerate() {
            let marker = |line: &Option<u32>| line.map_or(String::new(), |line| format!("# {line} \"m\"\n"));
            let (before, within) = (marker(before), marker(within));
            write!(text, "{before}.entry k{number}()\n{{\nmembar.gl;\n{within}membar.gl;\nret;\n}}\n")
                .unwrap();
        }
        text
    }

    /// The line of the text on which the first marker stands that makes lines shared: by sets of
    /// lines.
    fn expected(text: &str) -> Option<u32> {
        let mut taken = BTreeSet::new();
        let (mut number, mut marker, mut inside, mut last) = (0, 0, false, 0);
        for (line, words) in (1..).zip(text.lines()) {
            number += 1;
            if let Some(rest) = words.strip_prefix("# ") {
                let count: u32 = rest.split(' ').next()?.parse().ok()?;
                (number, marker) = (count - 1, line);
                continue;
            }
            let opens = words == "{";
            if opens || inside {
                let first = if opens || number <= last { number } else { last + 1 };
                if (first..=number).any(|line| taken.contains(&line)) {
                    return Some(marker);
                }
                taken.extend(first..=number);
                (inside, last) = (words != "}", number);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn the_first_marker_that_makes_lines_shared_is_named(
            kernels in prop::collection::vec((prop::option::of(1_u32..70), prop::option::weighted(0.2, 1_u32..70)), 1..6)
        ) {
            let text = text(&kernels);
            let lines = LineIndex::new(&text);
            let warning = warning(&ptx_syntax::parse(&text).module, &lines);
            let named = warning.and_then(|warning| warning.range).map(|range| lines.line(range.start));
            prop_assert_eq!(named, expected(&text), "{}", text);
        }
    }
}
