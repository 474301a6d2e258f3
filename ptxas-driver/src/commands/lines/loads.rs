//! `--load` and `--load-csv`: functions and their addresses at run time.

use super::Options;
use super::advice::image_error_text;
use super::open_files::OpenFiles;
use crate::commands::read;
use crate::limits::MAX_MESSAGES;
use crate::stderr::note;
use anyhow::{Context, Result, anyhow};
use cubin_debuginfo::address_query::CodeAddress;
use cubin_debuginfo::images::{
    FunctionInImage, FunctionLoad, ImageError, LoadedFunction, LoadedFunctions, function_loads,
};

/// Reads `FUNCTION=0xADDRESS`.
pub(super) fn parse(text: &str) -> Result<FunctionLoad, String> {
    let expected = "expected FUNCTION=0xADDRESS";
    let (function, address) = text.rsplit_once('=').ok_or(expected)?;
    let number = match address.trim().strip_prefix("0x").or_else(|| address.trim().strip_prefix("0X")) {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16).ok(),
        _ => None,
    };
    match (function.trim(), number) {
        ("", _) | (_, None) => Err(expected.to_owned()),
        (function, Some(address)) => Ok(FunctionLoad { function: function.to_owned(), address }),
    }
}

/// Finds the functions that the options load. `None` without these options.
///
/// # Errors
///
/// A function is not in the files, or in several images; two functions overlap; the CSV file cannot
/// be read.
pub(super) fn loaded(options: &Options, files: &OpenFiles<'_>) -> Result<Option<LoadedFunctions>> {
    if !options.has_loads() {
        return Ok(None);
    }
    let mut loaded = Vec::new();
    for load in &options.load {
        let option = || format!("--load {}={:#x}", load.function, load.address);
        loaded.push(loaded_function(load, files).with_context(option)?.with_context(option)?);
    }
    if let Some(path) = &options.load_csv {
        let (name, bytes) = read::read_bytes(path, "a CSV file of load addresses")?;
        let text = read::text(&bytes);
        // A program may load functions of other files too.
        let mut unknown = 0;
        for (line, load) in function_loads(&text).with_context(|| name.clone())? {
            let place = || format!("{name}:{line}");
            match loaded_function(&load.with_context(place)?, files).with_context(place)? {
                Ok(function) => loaded.push(function),
                Err(why) => {
                    unknown += 1;
                    if unknown <= MAX_MESSAGES {
                        note(format_args!("{name}:{line}: {why}"));
                    }
                }
            }
        }
        if unknown > MAX_MESSAGES {
            note(format_args!("{name}: {} more functions that no file has", unknown - MAX_MESSAGES));
        }
    }
    Ok(Some(LoadedFunctions::new(loaded)?))
}

/// The function that a load names, in all images that have it; the inner error says that none has.
/// Queries see whether the images say the same.
fn loaded_function(load: &FunctionLoad, files: &OpenFiles<'_>) -> Result<Result<LoadedFunction, ImageError>> {
    let FunctionLoad { function: name, address } = load;
    let numbers = match files.images().images_to_load(name) {
        Ok(numbers) => numbers,
        Err(error @ (ImageError::NoFunction { .. } | ImageError::NoImage)) => return Ok(Err(error)),
        Err(error) => return Err(anyhow!("{}", image_error_text(&error))),
    };
    let mut loaded = LoadedFunction { name: name.clone(), address: *address, size: 0, images: Vec::new() };
    for image in &numbers {
        let lookup = files.lookup(*image).map_err(|why| anyhow!(why))?;
        let found = lookup.functions(name).map_err(|error| anyhow!("{error}"))?;
        let [function] = found.as_slice() else {
            return Err(anyhow!("'{name}' is the name of {} functions", found.len()));
        };
        if loaded.images.is_empty() {
            (loaded.name, loaded.size) = (function.name.to_owned(), function.size);
        } else if (&*loaded.name, loaded.size) != (function.name, function.size) {
            let error = files.images().several(name, &numbers);
            return Err(anyhow!("{}", image_error_text(&error)));
        }
        let code = CodeAddress { section: function.section, offset: function.offset };
        loaded.images.push(FunctionInImage { image: *image, code });
    }
    Ok(Ok(loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_equals_sign_is_before_the_address() {
        let load = |function: &str, address| Ok(FunctionLoad { function: function.to_owned(), address });
        for (text, expected) in [
            ("k=0x7f00", load("k", 0x7f00)),
            (" operator==(A, A) = 0X10", load("operator==(A, A)", 0x10)),
            ("k=16", Err(())),
            ("k=0x", Err(())),
            ("k=0x+1", Err(())),
            ("=0x10", Err(())),
            ("k", Err(())),
        ] {
            assert_eq!(parse(text).map_err(|_| ()), expected, "{text}");
        }
    }
}
