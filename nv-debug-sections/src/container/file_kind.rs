//! The kind of a file, by its first bytes.

use super::windows_sections::is_windows;
use super::{archive, fatbin, nvvm};

/// The kind of a file, judged by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A GPU ELF file (`e_machine` 190).
    Cubin,
    /// A fatbin as `nvcc -fatbin` writes it.
    Fatbin,
    /// A file for a host: a program, a library or an object in ELF, or a program, a DLL or
    /// an object of Windows.
    Host,
    /// An archive (`ar`), such as one of host objects.
    Archive,
    /// An NVVM IR container, as `nvcc -ltoir` writes it.
    Nvvm,
    /// PTX text.
    Ptx,
}

impl FileKind {
    /// Returns the kind of a file; `None` if it is none of these kinds.
    pub fn of(data: &[u8]) -> Option<Self> {
        const EM_CUDA: [u8; 2] = 190_u16.to_le_bytes();
        if data.starts_with(b"\x7fELF") {
            let machine = data.get(18..20);
            return Some(if machine == Some(&EM_CUDA) { Self::Cubin } else { Self::Host });
        }
        if is_windows(data) {
            return Some(Self::Host);
        }
        let magics: [(&[u8], Self); 4] = [
            (&fatbin::MAGIC.to_le_bytes(), Self::Fatbin),
            (&nvvm::MAGIC.to_le_bytes(), Self::Nvvm),
            (archive::MAGIC, Self::Archive),
            (archive::THIN_MAGIC, Self::Archive),
        ];
        let by_magic = magics.iter().find(|(magic, _)| data.starts_with(magic)).map(|(_, kind)| *kind);
        by_magic.or_else(|| is_ptx(data).then_some(Self::Ptx))
    }

    /// The kind of file as one word, as JSON documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cubin => "cubin",
            Self::Fatbin => "fatbin",
            Self::Host => "host",
            Self::Archive => "archive",
            Self::Nvvm => "ltoir",
            Self::Ptx => "ptx",
        }
    }

    /// Explains why a file of this kind has no images, for a file in which none were found.
    pub const fn why_empty(self) -> &'static str {
        match self {
            Self::Host => {
                "the file has no section .nv_fatbin or __nv_relfatbin (.nv_fatb, __nv_rel on Windows) with a fatbin in it"
            }
            Self::Archive => "no object of the archive has a section .nv_fatbin or __nv_relfatbin",
            _ => "the fatbin has no entries",
        }
    }
}

/// Whether the first word that is not a comment is PTX's `.version`.
fn is_ptx(data: &[u8]) -> bool {
    let mut rest = data;
    loop {
        rest = rest.trim_ascii_start();
        let skip = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
            _ => return rest.starts_with(b".version"),
        };
        match skip.and_then(|skip| rest.get(skip..)) {
            Some(tail) => rest = tail,
            None => return false,
        }
    }
}
