//! Checks of `.file`.

use foldhash::{HashMap, HashMapExt as _};

use super::ModuleFacts;
use super::gates::Gates;
use super::grammar::next_token;
use super::ptxas_transcript::{Level, Modes, Phase};
use super::rules::RuleId;
use super::sink::Sink;
use crate::file_directive::FileDirective;
use crate::file_names::{NotAFile, not_a_file};
use crate::lexer::{TokenKind, tokenize};
use crate::module::Module;
use crate::text_range::TextRange;
use findings::Severity;

/// Longest name with which ptxas writes a line table (observed: 13.0.88 crashes from 16001 on).
const LONGEST_NAME: usize = 16_000;

/// The declared files by index; of an index given twice, the first.
pub(super) type Files<'m, 'a> = HashMap<u64, &'m FileDirective<'a>>;

/// Checks all `.file` directives at module scope.
pub(super) fn check<'m, 'a>(
    module: &'m Module<'a>,
    known: &ModuleFacts,
    gates: &mut Gates,
    sink: &mut Sink<'_>,
) -> Files<'m, 'a> {
    let mut files = Files::new();
    let mut timeless: Option<TextRange> = None;
    for file in module.files() {
        let rule = RuleId::DuplicateFileIndex;
        let index = file.index;
        // Where there may be more ptxas looks for a comma first; a size ends the directive.
        let end = match file.size {
            Some(_) => file.range.end - 1,
            None => next_token(sink.text, file.range.end).range.start,
        };
        if file.timestamp.is_some() && file.is_complete {
            gates.check(RuleId::GateFileTime, file.range, end, sink);
        }
        match files.get(&index) {
            None => {
                files.insert(index, file);
            }
            Some(first) => {
                let same = if first.path == file.path { " with the same name" } else { "" };
                let first = first.range;
                let message = format_args!("file index {index} is given twice{same}");
                if let Some(finding) = sink.find(rule, file.range, message) {
                    finding.related = Some((first, "first given here".into()));
                }
                if file.is_complete {
                    sink.ptxas_error(rule, end, format_args!("Duplicate file index #{index}"));
                }
            }
        }
        name(file, known, sink);
        time(file, known, sink);
        if file.timestamp.unwrap_or(0) == 0 {
            timeless.get_or_insert(file.range);
        }
    }
    if let Some(range) = timeless {
        let message = "without time and size here the cubin holds those of the file on the building machine, if it is there";
        if let Some(finding) = sink.find(RuleId::FileTimeOfBuild, range, format_args!("{message}")) {
            finding.help = Some(
                "for builds that can be repeated write both, as in `.file 1 \"a.cu\", 1700000000, 40`".into(),
            );
        }
    }
    indices(&files, sink);
    empty_name(&files, known, sink);
    files
}

/// A file without a name ends the table for readers, ptxas among them: it takes what follows for
/// line opcodes. What comes of that depends on their bytes and on those of the lines; this is what
/// mostly happens.
fn empty_name(files: &Files<'_, '_>, known: &ModuleFacts, sink: &mut Sink<'_>) {
    let mut sorted: Vec<_> = files.values().collect();
    sorted.sort_by_key(|file| file.index);
    let is_empty = |file: &&&FileDirective<'_>| split(file.path).1.is_empty();
    let Some(at) = sorted.iter().position(is_empty) else { return };
    let Some((file, next)) = sorted.get(at..).and_then(<[_]>::split_first) else { return };
    let rule = RuleId::FileNameCrash;
    let index = file.index;
    let modes = if next.is_empty() {
        time_crashes(file, known)
    } else if next.iter().all(is_empty) {
        Modes::NEVER
    } else {
        known.line_table
    };
    if !next.is_empty() || modes != Modes::NEVER {
        let what = if next.is_empty() { "but a time and size" } else { "and others follow" };
        let release = sink.release;
        let message = format_args!("file {index} has no name, {what}: this can crash ptxas {release}");
        sink.error(rule, file.range, message);
    }
    sink.ptxas_message(rule, Phase::Lines, file.range.start, Level::Crash, modes, format_args!(""));
}

/// The modes in which ptxas crashes on the time and size of a last file without a name. It writes
/// both as LEB128. Numbers of one byte are harmless, longer ones less harmful if there are no
/// lines.
fn time_crashes(file: &FileDirective<'_>, known: &ModuleFacts) -> Modes {
    const LONG: u32 = 1 << 7;
    const LONG_WITHOUT_ROWS: u32 = 1 << 21;
    let (time, size) = (file.timestamp.unwrap_or(0), file.size.unwrap_or(0) as u32);
    // Without a time it writes no size.
    if time == 0 {
        return Modes::NEVER;
    }
    let time = if time >> 63 == 0 { time as u32 } else { 0 };
    if time.max(size) >= LONG_WITHOUT_ROWS || time.min(size) >= LONG {
        known.line_table
    } else if time.max(size) >= LONG {
        known.rows
    } else {
        Modes::NEVER
    }
}

/// Directory and name of a path, as ptxas has them.
fn split(path: &str) -> (&str, &str) {
    match path.rfind(['/', '\\']) {
        Some(0) if path == "/" => ("", path),
        Some(0) => (path.get(..1).unwrap_or(""), path.get(1..).unwrap_or("")),
        Some(at) => (path.get(..at).unwrap_or(""), path.get(at + 1..).unwrap_or("")),
        None => ("", path),
    }
}

fn indices(files: &Files<'_, '_>, sink: &mut Sink<'_>) {
    let mut sorted: Vec<_> = files.values().collect();
    sorted.sort_by_key(|file| file.index);
    let mut expected = 1;
    for file in sorted {
        let index = file.index;
        if index == 0 || index > u64::from(u16::MAX) {
            let stored = index as u16;
            sink.error(
                RuleId::FileIndexRange,
                file.range,
                format_args!("file index {index} is stored as {stored}: expected 1 to 65535"),
            );
        } else if index > expected {
            let message = format_args!(
                "file index {index} follows {}: `.loc {index}` will name another file, or none",
                expected - 1
            );
            if let Some(finding) = sink.find(RuleId::FileIndexGap, file.range, message) {
                finding.help = Some(format!("number the files without gaps: {expected} comes next"));
            }
        }
        expected = index + 1;
    }
}

fn name(file: &FileDirective<'_>, known: &ModuleFacts, sink: &mut Sink<'_>) {
    let (path, range) = (file.path, file.path_range);
    if split(path).1.is_empty() {
        sink.error(
            RuleId::FileNameEmpty,
            file.range,
            format_args!("file {} has no name: the file table ends here", file.index),
        );
        return;
    }
    if path.len() > LONGEST_NAME {
        let rule = RuleId::FileNameLength;
        let (length, release) = (path.len(), sink.release);
        sink.error(
            rule,
            range,
            format_args!("a name of {length} bytes crashes ptxas {release}: expected at most {LONGEST_NAME}"),
        );
        crash(rule, range, known, sink);
    }
    if path.contains('\\') {
        backslash(path, range, sink);
    }
    if path.contains(['\n', '\r']) {
        sink.error(RuleId::FileNameCharacters, range, format_args!("the name has a line break"));
    }
    let (folder, last) = split(path);
    match not_a_file(folder.as_bytes(), last.as_bytes()) {
        Some(NotAFile::Placeholder) => {
            let message = format_args!("`{last}` is a placeholder: no reader will find this source");
            if let Some(finding) = sink.find(RuleId::FilePlaceholder, range, message) {
                finding.help = Some("give the compiler the source's name, or write it here".into());
            }
        }
        Some(NotAFile::Bracketed) => {
            let message =
                format_args!("`{last}` is not the name of a file: readers show it, and find no source");
            sink.find_as(Severity::Note, RuleId::FilePlaceholder, range, message);
        }
        None => {}
    }
}

/// A backslash in a path, which ptxas takes for a directory separator as Windows does.
fn backslash(path: &str, range: TextRange, sink: &mut Sink<'_>) {
    let rule = RuleId::FileNameCharacters;
    // `\\server\share` begins with two.
    let after_start = path.strip_prefix('\\').unwrap_or(path);
    let help = if escapes_utf8(path.as_bytes()) {
        let message = "ptxas takes each backslash for a directory separator, never for an escape: no reader finds this source";
        sink.find(rule, range, format_args!("{message}"))
            .map(|finding| (finding, "give the source a name in ASCII"))
    } else if after_start.contains("\\\\") {
        let message = "ptxas keeps both backslashes, for it knows no escapes: readers compare the name with that of the source in vain";
        sink.find(rule, range, format_args!("{message}"))
            .map(|finding| (finding, "write one backslash, or `/`"))
    } else if path.starts_with('/') {
        let message =
            "ptxas takes the backslash for a directory separator: no reader finds a name that holds one";
        sink.find(rule, range, format_args!("{message}"))
            .map(|finding| (finding, "give the source a name without a backslash"))
    } else {
        let message = "ptxas takes the backslash for a directory separator, as Windows does";
        sink.find_as(Severity::Note, rule, range, format_args!("{message}"));
        None
    };
    if let Some((finding, help)) = help {
        finding.help = Some(help.into());
    }
}

/// Whether a path has the octal escapes that NVCC writes for the bytes of a character beyond ASCII:
/// `\320\277`.
fn escapes_utf8(path: &[u8]) -> bool {
    let is_octal = |byte: &u8| matches!(byte, b'0'..=b'7');
    path.windows(8).any(|window| {
        matches!(window, [b'\\', b'3', a, b, b'\\', b'2', c, d] if [a, b, c, d].into_iter().all(is_octal))
    })
}

fn time(file: &FileDirective<'_>, known: &ModuleFacts, sink: &mut Sink<'_>) {
    let Some(time) = file.timestamp else { return };
    let release = sink.release;
    if file.size.is_none() && file.is_complete {
        let message = format_args!("a time without the file's size: ptxas {release} writes the size 0");
        if let Some(finding) = sink.find(RuleId::FileTimeAlone, file.range, message) {
            finding.help = Some("the PTX ISA has both or neither: add `, SIZE`".into());
        }
    }
    let [time_range, size_range] = time_and_size_ranges(file, sink.text);
    let has_name = !split(file.path).1.is_empty();
    if time >> 63 != 0 && has_name {
        let rule = RuleId::FileTimeCrash;
        let message = format_args!("the time {time} crashes ptxas {release}: expected less than 2^63");
        sink.error(rule, time_range, message);
        crash(rule, file.range, known, sink);
        return;
    }
    for (what, number, range) in [("time", Some(time), time_range), ("size", file.size, size_range)] {
        if let Some(number) = number.filter(|number| number >> 32 != 0) {
            let cut = number as u32;
            let message = format_args!("the {what} {number} is cut to 32 bits: {cut}");
            sink.error(RuleId::FileTimeCut, range, message);
        }
    }
}

/// Where the time and the size stand.
fn time_and_size_ranges(file: &FileDirective<'_>, text: &str) -> [TextRange; 2] {
    let start = file.path_range.end + 1; // after the quote
    let tokens = tokenize(TextRange::new(start, file.range.end).slice(text));
    let mut found = tokens.filter(|token| token.kind == TokenKind::Integer);
    [(); 2].map(|()| match found.next() {
        Some(token) => TextRange::new(start + token.range.start, start + token.range.end),
        None => file.range,
    })
}

/// ptxas crashes where it writes the line table: with `-g` always, else if there are lines.
fn crash(rule: RuleId, range: TextRange, known: &ModuleFacts, sink: &mut Sink<'_>) {
    sink.ptxas_message(rule, Phase::Lines, range.start, Level::Crash, known.line_table, format_args!(""));
}
