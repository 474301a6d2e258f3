//! A file that is kept in memory, as a program that answers queries for a long time needs it.

use super::cubin_file::read_any;
use super::each_cubin::{ChosenCubin, in_parallel};
use super::operand::File;
use anyhow::Result;
use nv_debug_sections::container::Container;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that is kept in memory until the program ends, so that whatever is read from it may
/// borrow from it.
#[derive(Clone, Copy)]
pub(in crate::commands) struct KeptFile {
    file: &'static File,
    container: Option<&'static Container<'static>>,
}

/// A cubin of such a file.
pub(in crate::commands) struct KeptCubin {
    file: &'static File,
    cubin: ChosenCubin<'static>,
}

impl KeptFile {
    /// Reads a file, or takes its bytes from `known`, where those of each file are by its path
    /// without links: another operand may have chosen other images of it. `arch` leaves out cubins
    /// for other architectures.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is evidently no file with cubins.
    pub(in crate::commands) fn read(
        operand: &Path,
        arch: Option<&str>,
        known: &mut HashMap<PathBuf, &'static [u8]>,
    ) -> Result<Self> {
        let file = File::with_bytes(operand, arch, |path| {
            let real = fs::canonicalize(path).ok();
            if let Some(bytes) = real.as_ref().and_then(|real| known.get(real)) {
                return Ok((path.display().to_string(), Cow::Borrowed(bytes)));
            }
            let (name, bytes) = read_any(path, "a cubin, or a file with cubins in it")?;
            let bytes: &'static [u8] = bytes.leak();
            known.extend(real.map(|real| (real, bytes)));
            Ok((name, bytes.into()))
        })?;
        let file: &'static File = Box::leak(Box::new(file));
        let container = file.container()?.map(|container| &*Box::leak(Box::new(container)));
        Ok(Self { file, container })
    }

    /// The name of the file without what chooses images.
    pub(in crate::commands) fn name(self) -> &'static str {
        self.file.base()
    }

    /// Calls `look` with each cubin that is meant, on all cores, and `tell` with each result, in
    /// order. A fault between the cubins is a result too.
    ///
    /// # Errors
    ///
    /// None is meant, or one of `tell`.
    pub(in crate::commands) fn each_cubin<T: Send>(
        self,
        look: impl Fn(&KeptCubin) -> Result<T> + Sync,
        mut tell: impl FnMut(Result<(KeptCubin, T)>) -> Result<()>,
    ) -> Result<()> {
        let Self { file, container } = self;
        let kept = |cubin: &ChosenCubin<'static>| KeptCubin { file, cubin: cubin.clone() };
        let look = |cubin: &ChosenCubin<'static>| look(&kept(cubin));
        in_parallel(file, container, look, |cubin, looked| match (cubin, looked) {
            (Ok(cubin), Some(looked)) => tell(looked.map(|result| (KeptCubin { file, cubin }, result))),
            (Ok(_), None) => Ok(()),
            (Err(error), _) => tell(Err(error)),
        })
    }
}

impl KeptCubin {
    /// The name of the cubin.
    pub(in crate::commands) fn name(&self) -> &str {
        &self.cubin.image.name
    }

    /// Whether no other cubin of the file is meant.
    pub(in crate::commands) fn is_only(&self) -> bool {
        self.cubin.is_only
    }

    /// Whether the operand is the name of the cubin.
    pub(in crate::commands) fn is_named(&self) -> bool {
        self.cubin.is_named
    }

    /// The bytes of the cubin. They are decompressed at each call.
    ///
    /// # Errors
    ///
    /// It cannot be decompressed, or not within limits.
    pub(in crate::commands) fn bytes(&self) -> Result<Cow<'static, [u8]>> {
        self.cubin.bytes(self.file)
    }
}
