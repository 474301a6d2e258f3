//! A reader of `.loc` directives that shares nothing with the program: line by line, for the PTX of
//! compilers.

use std::collections::HashMap;

/// A frame that the PTX states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PtxPlace {
    /// The inlined function; `None` in the last frame.
    pub(super) callee: Option<String>,
    /// The path, as ptxas writes it.
    pub(super) path: Option<String>,
    /// The source line.
    pub(super) line: u64,
    /// The source column.
    pub(super) column: u64,
}

struct Loc {
    file: u64,
    line: u64,
    column: u64,
    /// Label and offset of the name, and the index of the call site.
    inlined: Option<(String, usize, Option<usize>)>,
}

/// The `.loc` directives of a PTX.
pub(super) struct LocReader {
    files: HashMap<u64, String>,
    locs: Vec<Loc>,
    /// The index of the one in force, by line of the PTX from 1.
    in_force: Vec<Option<usize>>,
    strings: Vec<u8>,
    labels: HashMap<String, usize>,
}

impl LocReader {
    pub(super) fn of(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let mut all = Self {
            files: HashMap::new(),
            locs: Vec::new(),
            in_force: vec![None],
            strings: Vec::new(),
            labels: HashMap::new(),
        };
        let mut last: HashMap<[u64; 3], usize> = HashMap::new();
        let (mut current, mut is_in_strings) = (None, false);
        for line in text.split('\n') {
            let code = if line.contains(".file") { line } else { line.split("//").next().unwrap() };
            let code = code.trim();
            is_in_strings |= code.starts_with(".section") && code.contains(".debug_str");
            if is_in_strings {
                all.string(code);
                is_in_strings = !code.contains('}');
            } else if let Some(rest) = code.strip_prefix(".file") {
                let mut parts = rest.splitn(3, '"');
                if let (Some(Ok(index)), Some(path)) = (parts.next().map(|n| n.trim().parse()), parts.next())
                {
                    all.files.insert(index, path.to_owned());
                }
            } else if let Some(rest) =
                code.strip_prefix(".loc").filter(|rest| rest.starts_with(char::is_whitespace))
            {
                current = Some(all.loc(rest, &mut last));
            } else if code.starts_with('}') {
                current = None;
            }
            all.in_force.push(current);
        }
        all
    }

    fn loc(&mut self, text: &str, last: &mut HashMap<[u64; 3], usize>) -> usize {
        let words: Vec<&str> = text.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect();
        let numbers = |at: usize| -> [u64; 3] { [0, 1, 2].map(|of| words[at + of].parse().unwrap()) };
        let [file, line, column] = numbers(0);
        let inlined = (words.get(3) == Some(&"function_name")).then(|| {
            let (label, offset) = words[4].split_once('+').unwrap_or((words[4], "0"));
            assert_eq!(words[5], "inlined_at", "{text}");
            (label.to_owned(), offset.parse().unwrap(), last.get(&numbers(6)).copied())
        });
        self.locs.push(Loc { file, line, column, inlined });
        last.insert([file, line, column], self.locs.len() - 1);
        self.locs.len() - 1
    }

    fn string(&mut self, code: &str) {
        let mut code = code;
        if let Some((label, rest)) = code.split_once(':') {
            self.labels.insert(label.trim().to_owned(), self.strings.len());
            code = rest;
        }
        if let Some((_, bytes)) = code.split_once(".b8") {
            let bytes = bytes.split([',', ';', '}']).map(str::trim).filter(|byte| !byte.is_empty());
            self.strings.extend(bytes.map(|byte| byte.parse::<i16>().unwrap() as u8));
        }
    }

    /// The frames of a line, the innermost first.
    pub(super) fn chain(&self, line: usize) -> Vec<PtxPlace> {
        let mut frames = Vec::new();
        let mut next = self.in_force.get(line).copied().flatten();
        while let Some(loc) = next.map(|index| &self.locs[index]) {
            let name = |(label, offset, _): &(String, usize, Option<usize>)| {
                let start = self.labels.get(label).copied().unwrap_or(0) + offset;
                let name = self.strings[start..].split(|byte| *byte == 0).next().unwrap();
                String::from_utf8_lossy(name).into_owned()
            };
            frames.push(PtxPlace {
                callee: loc.inlined.as_ref().map(name),
                path: self.files.get(&loc.file).map(|path| written(path)),
                line: loc.line,
                column: loc.column,
            });
            next = loc.inlined.as_ref().and_then(|(_, _, site)| *site);
        }
        frames
    }
}

/// A path as readers of line tables join it: ptxas splits it at the last `/` or `\`, and a folder
/// goes on with the last separator that it has.
fn written(path: &str) -> String {
    match path.rfind(['/', '\\']) {
        None | Some(0) => path.to_owned(),
        Some(at) => {
            let (folder, name) = (&path[..at], &path[at + 1..]);
            let separator = folder.rfind(['/', '\\']).map_or("/", |at| &folder[at..=at]);
            format!("{folder}{separator}{name}")
        }
    }
}
