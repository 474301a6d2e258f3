//! Parsing of option values.

use super::{CodeChoice, FileStat, LineTableStyle, MessageStyle, PathMap};
use nv_debug_sections::release::Release;
use nvdwarf_compile::arch::{Arch, ArchError};
use std::ffi::{OsStr, OsString};

/// The option name (lossy: only for looking up and messages) and what follows the first equals
/// sign.
pub(super) fn split_at_equals(arg: &OsStr) -> (String, Option<OsString>) {
    let bytes = arg.as_encoded_bytes();
    match memchr::memchr(b'=', bytes) {
        Some(at) => {
            let name = bytes.get(..at).unwrap_or_default();
            (String::from_utf8_lossy(name).into_owned(), Some(tail(arg, at + 1)))
        }
        None => (arg.to_string_lossy().into_owned(), None),
    }
}

/// What follows the first `at` bytes of `arg`, which are ASCII or end in it.
fn tail(arg: &OsStr, at: usize) -> OsString {
    os_string(arg.as_encoded_bytes().get(at..).unwrap_or_default().to_vec())
}

/// A word of a command line, from bytes of one.
#[cfg(unix)]
pub(super) fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// A word of a command line, from bytes of one. File names here are Unicode.
#[cfg(not(unix))]
pub(super) fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Whether `arg` can be the level after a lone `-O`.
pub(super) fn is_digits(arg: &OsStr) -> bool {
    !arg.is_empty() && arg.as_encoded_bytes().iter().all(u8::is_ascii_digit)
}

/// A 32-bit number as C's `strtol` reads it: decimal, `0x` hexadecimal, `0` octal; nothing at all
/// is 0.
///
/// # Errors
///
/// ptxas' message.
pub(super) fn number(text: &str) -> Result<i32, String> {
    let unsigned = text.trim_start();
    let (negative, unsigned) = match unsigned.as_bytes().first() {
        Some(b'-') => (true, unsigned.get(1..).unwrap_or_default()),
        Some(b'+') => (false, unsigned.get(1..).unwrap_or_default()),
        _ => (false, unsigned),
    };
    let (digits, radix) =
        match (unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")), unsigned) {
            (Some(hex), _) => (hex, 16),
            (None, octal) if octal.starts_with('0') => (octal, 8),
            (None, "") if text.is_empty() => ("0", 10),
            (None, decimal) => (decimal, 10),
        };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(format!("'{text}': expected a number"));
    }
    let value = i64::from_str_radix(digits, radix).ok().map(|value| if negative { -value } else { value });
    value
        .and_then(|value| i32::try_from(value).ok())
        .ok_or_else(|| format!("32-bit integer value ({text}) out of range"))
}

/// `none`, `auto`, `ptxas` or `cubin:FILE`.
pub(super) fn code(value: &OsStr) -> Option<CodeChoice> {
    match value.to_str() {
        Some("none") => Some(CodeChoice::None),
        Some("auto" | "ptxas") => Some(CodeChoice::Ptxas),
        _ => {
            let prefix = b"cubin:";
            let named = value.as_encoded_bytes().starts_with(prefix) && value.len() > prefix.len();
            named.then(|| CodeChoice::Cubin(tail(value, prefix.len()).into()))
        }
    }
}

/// `FILE=MTIME,SIZE`; FILE may hold equals signs and commas.
pub(super) fn file_stat(text: &str) -> Option<FileStat> {
    let (path, stat) = text.rsplit_once('=')?;
    let (mtime, size) = stat.split_once(',')?;
    if path.is_empty() {
        return None;
    }
    Some(FileStat { path: path.into(), mtime: mtime.parse().ok()?, size: size.parse().ok()? })
}

/// The number in `$SOURCE_DATE_EPOCH`, which is a time in seconds since 1970
/// (reproducible-builds.org).
///
/// # Errors
///
/// What is wrong with it, in words.
pub(super) fn source_date_epoch() -> Result<u64, String> {
    let name = "SOURCE_DATE_EPOCH";
    let Some(value) = std::env::var_os(name) else { return Err(format!("${name} is not set")) };
    let seconds =
        value.to_str().filter(|text| is_digits(OsStr::new(text))).and_then(|text| text.parse().ok());
    // That is the size of the field in a line table.
    seconds.map(u32::into).ok_or_else(|| {
        format!(
            "${name} is '{}', expected a number of seconds since 1970 below 2^32",
            value.to_string_lossy()
        )
    })
}

/// `OLD=NEW`; OLD may hold equals signs, as with gcc's `-ffile-prefix-map` (clang's takes them for
/// NEW's; observed: gcc 12, clang 19).
pub(crate) fn path_map(text: &str) -> Option<PathMap> {
    let (old, new) = text.rsplit_once('=')?;
    (!old.is_empty()).then(|| PathMap { old: old.into(), new: new.into() })
}

/// The argument of `--path-map`, with the words for one that is none.
pub(crate) fn path_map_argument(text: &str) -> Result<PathMap, String> {
    path_map(text).ok_or_else(|| "expected OLD=NEW, and OLD not empty".to_owned())
}

/// `ptxas`, `compact` or `full`.
pub(super) fn line_table(text: &str) -> Option<LineTableStyle> {
    match text {
        "ptxas" => Some(LineTableStyle::Ptxas),
        "compact" => Some(LineTableStyle::Compact),
        "full" => Some(LineTableStyle::Full),
        _ => None,
    }
}

/// `ptxas`, `ours` or `both`.
pub(super) fn messages(text: &str) -> Option<MessageStyle> {
    match text {
        "ptxas" => Some(MessageStyle::Ptxas),
        "ours" => Some(MessageStyle::Ours),
        "both" => Some(MessageStyle::Both),
        _ => None,
    }
}

/// `yes` or `no`.
pub(super) fn yes_or_no(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// The parts of a list separated by commas, without empty ones.
pub(super) fn list(value: &OsStr) -> Vec<OsString> {
    let parts = value.as_encoded_bytes().split(|&byte| byte == b',');
    parts.filter(|part| !part.is_empty()).map(|part| os_string(part.to_vec())).collect()
}

/// An architecture, and its name where it is a virtual one.
pub(super) fn named_arch(name: &str) -> Option<(Arch, Option<String>)> {
    match Arch::parse(name) {
        Ok(arch) => Some((arch, None)),
        Err(ArchError::Unknown) => None,
        Err(ArchError::Virtual) => {
            let (_, number) = name.split_once('_')?;
            Some((Arch::parse(&format!("sm_{number}")).ok()?, Some(name.to_owned())))
        }
    }
}

/// A hint with the names of all architectures.
pub(super) fn known_archs() -> String {
    let names: Vec<String> = Release::default().archs().map(|arch| arch.to_string()).collect();
    format!("known: {}", names.join(", "))
}
