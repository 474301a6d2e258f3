//! Reads the PTX file of `compile`.

use crate::foreign_files;
use crate::input;
use crate::options::Input;
use std::io;

/// An input that is not text, or text of another kind than PTX.
pub(super) struct NotText {
    /// What it is, after the name of the file.
    pub(super) error: String,
    /// The line and the column of the first byte that is not text, if there is one.
    pub(super) place: Option<(usize, usize)>,
}

/// The bytes of the input.
pub(super) fn read(ptx: &Input) -> io::Result<Vec<u8>> {
    match ptx {
        Input::Stdin => input::read_stdin(),
        Input::Path(path) => input::read(path),
        Input::Text(text) => Ok(text.as_encoded_bytes().to_vec()),
    }
}

/// The input as text.
pub(super) fn text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, NotText> {
    let foreign = foreign_files::not_ptx(bytes, name);
    let text = std::str::from_utf8(bytes);
    if let (Some((what, how)), Ok(_)) = (&foreign, text) {
        return Err(NotText { error: format!("{name}: this is {what}, not PTX; {how}"), place: None });
    }
    text.map_err(|error| {
        let at = error.valid_up_to();
        let before = &bytes[..at];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = at - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1) + 1;
        let byte = bytes.get(at).copied().unwrap_or(0);
        let what = match &foreign {
            Some((what, _)) => format!("{what}, not PTX"),
            None => "not PTX".to_owned(),
        };
        let error = format!("{name} is {what}: byte {byte:#04x} at offset {at:#x}, expected ASCII text");
        NotText { error, place: Some((line, column)) }
    })
}
