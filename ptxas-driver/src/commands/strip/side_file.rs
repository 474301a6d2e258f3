//! The side files of `strip`: their names, their bytes, and which files they may replace.

use super::Options;
use crate::input;
use anyhow::{Result, bail};
use nv_debug_sections::cubin::Cubin;
use std::path::{Path, PathBuf};

/// A side file that is to be written.
#[derive(Debug)]
pub(super) struct SideFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

/// Which files are not replaced where they have debug sections that the cubin lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    /// Every cubin.
    Any,
    /// Side files.
    SideFile,
}

/// The side file of a cubin that was not stripped, if the options ask for one and it has debug
/// sections.
pub(super) fn side_file(options: &Options, cubin: &Cubin<'_>) -> Result<Option<SideFile>> {
    if !cubin.has_debug_sections() {
        return Ok(None);
    }
    let path = match (&options.split, &options.debug_dir) {
        (Some(split), _) => split.clone(),
        (None, Some(folder)) => folder.join(cubin.build_id()?.side_file_name()),
        (None, None) => return Ok(None),
    };
    expect_replaceable(cubin, &path, Replaced::Any)?;
    let mut side = cubin.clone();
    side.keep_only_debug()?;
    let bytes = side.write()?;
    if options.debug_dir.is_some() {
        expect_the_same(cubin, &path, &bytes)?;
    }
    Ok(Some(SideFile { path, bytes }))
}

/// Expects that a side file that is to be replaced is not of another build of the same code: the
/// other build would be found to have the lines of this one.
fn expect_the_same(cubin: &Cubin<'_>, path: &Path, bytes: &[u8]) -> Result<()> {
    let old = if path.is_file() { input::read(path).ok() } else { None };
    let is_of_code = |old: &[u8]| Cubin::parse(old).is_ok_and(|mut old| old.fill_from(cubin).is_ok());
    if old.is_some_and(|old| old != bytes && is_of_code(&old)) {
        let path = path.display();
        bail!(
            "'{path}' has the debug sections of another build of the same code, so it is not replaced; write \
             to another folder, or remove it"
        );
    }
    Ok(())
}

/// Whether the side file gives back the cubin that it was made of, to the byte.
pub(super) fn gives_back(stripped: &[u8], side: &[u8], original: &[u8]) -> bool {
    let whole = || {
        let mut whole = Cubin::parse(side)?;
        whole.fill_from(&Cubin::parse(stripped)?)?;
        whole.write()
    };
    // In a fatbin, zeros may follow a cubin.
    whole().is_ok_and(|whole| {
        original.strip_prefix(&*whole).is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
    })
}

/// Expects that a file that is to be replaced has no debug sections of this code that the cubin
/// lacks.
pub(super) fn expect_replaceable(cubin: &Cubin<'_>, path: &Path, replaced: Replaced) -> Result<()> {
    let is_kept = |old: &Cubin<'_>| replaced == Replaced::Any || old.is_side_file();
    let has_more = |old: &Cubin<'_>| is_kept(old) && old.is_unstripped(cubin);
    let bytes = if path.is_file() { input::read(path).ok() } else { None };
    if bytes.is_some_and(|bytes| Cubin::parse(&bytes).is_ok_and(|old| has_more(&old))) {
        let path = path.display();
        bail!("'{path}' has debug sections of this code that the cubin lacks, so it is not replaced");
    }
    Ok(())
}
