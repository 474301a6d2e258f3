//! Reads the PTX file of `compile`.

use super::{FAILURE, Stopped, say_fatal, say_info, say_text, stop};
use crate::foreign_files;
use crate::input;
use crate::options::{self, Input};

/// The bytes of the input; `name` is for messages.
pub(super) fn read(ptx: &Input, name: &str) -> Result<Vec<u8>, Stopped> {
    let read = match ptx {
        Input::Stdin => input::read_stdin(),
        Input::Path(path) => input::read(path),
        Input::Text(text) => Ok(text.as_encoded_bytes().to_vec()),
    };
    read.map_err(|error| {
        let stopped = stop(format!("Input file '{name}' could not be opened"));
        say_info(error.to_string());
        say_fatal(options::ABORTED);
        stopped
    })
}

/// The input as text. If it is not text, says so with the place of the first byte that is not.
pub(super) fn text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, Stopped> {
    let foreign = foreign_files::not_ptx(bytes, name);
    if let (Some((what, how)), Ok(_)) = (&foreign, std::str::from_utf8(bytes)) {
        let error = format!("{name}: this is {what}, not PTX; {how}");
        say_text(&format!("error: {error}"));
        say_fatal(options::ABORTED);
        return Err(Stopped { exit: FAILURE, error });
    }
    std::str::from_utf8(bytes).map_err(|error| {
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
        say_text(&format!("error: {error}\n --> {name}:{line}:{column}"));
        say_fatal(options::ABORTED);
        Stopped { exit: FAILURE, error }
    })
}
