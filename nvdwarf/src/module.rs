//! A file with GPU code, opened once.

use crate::cells::{Bytes, ContainerCell};
use crate::{Error, Image};
use nv_debug_sections::container::FileKind;
use std::fmt;
use std::sync::Arc;

/// A file with GPU code that is open: a cubin, a fatbin, or a host program, library or archive with
/// cubins in it.
///
/// It owns its bytes and has no lifetime. A clone is the same module, so that one may be in a cache
/// and others in threads.
#[derive(Clone)]
pub struct Module {
    images: Arc<[Image]>,
}

impl Module {
    /// Opens a file that is in memory. Its cubins are listed, and each is decompressed and decoded
    /// when it is first needed.
    ///
    /// # Errors
    ///
    /// It is not a file that cubins come in, or its lists of them are damaged.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Result<Self, Error> {
        let bytes: Arc<[u8]> = bytes.into();
        Self::from_owner(bytes)
    }

    /// Opens a file whose bytes the caller keeps in its own way, such as a mapped file.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, Error> {
        let file = Bytes::new(Arc::new(owner));
        let data = file.as_ref();
        if matches!(FileKind::of(data), None | Some(FileKind::Cubin)) {
            // A cubin, or nothing that is known: then the decoder says what is wrong with it.
            let image = Image::of_file(file.clone());
            image.cubin()?;
            return Ok(Self { images: [image].into() });
        }
        let container = ContainerCell::new(file)?;
        let indices = 0..container.entries().len();
        Ok(Self { images: indices.filter_map(|index| Image::of_container(&container, index)).collect() })
    }

    /// The cubins of the file, in the order of the file. A file that is a cubin has one.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// Returns the first cubin that was compiled for an architecture such as `sm_90`. A cubin for
    /// `sm_90a` has that name only.
    pub fn image(&self, arch: &str) -> Option<&Image> {
        self.images.iter().find(|image| image.arch() == Some(arch))
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("images", &self.images).finish()
    }
}
