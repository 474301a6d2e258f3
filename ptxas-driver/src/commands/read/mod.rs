//! What the commands that read cubins share: the file, names, JSON.

mod cubin_file;
mod demangle;
mod names;

pub(super) use cubin_file::read;
pub(super) use demangle::demangle;
pub(super) use names::Names;

/// Version of the JSON documents, described in `docs/json.md`. Raised when a field goes or changes its meaning.
pub(super) const JSON_VERSION: u32 = 1;

/// Bytes as text; what is not UTF-8 is replaced.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes as one printable line: control characters are escaped, so that no file can steer a terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = c.is_control() && c != '\t';
            escaped.then(|| c.escape_default()).into_iter().flatten().chain((!escaped).then_some(c))
        })
        .collect()
}
