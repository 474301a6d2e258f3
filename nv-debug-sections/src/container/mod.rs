//! The files that GPU code comes in: fatbins, host programs and libraries that hold them, archives
//! of host objects, NVVM IR.
//!
//! [`Container::parse`] tells them apart and [`Container::entries`] lists what is inside, without
//! decompressing anything:
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use nv_debug_sections::container::{Container, EntryKind};
//!
//! for entry in Container::parse(bytes)?.entries() {
//!     let entry = entry?;
//!     if entry.kind == EntryKind::Elf {
//!         let cubin = entry.payload()?; // borrowed, unless it is compressed
//!     }
//! }
//! # Ok(()) }
//! ```
//!
//! NVIDIA publishes no specification of these formats; `docs/formats/fatbins.md` has what was
//! observed, byte by byte.

mod archive;
#[cfg(feature = "in-place")]
mod compress;
mod compression;
mod container_position;
mod debug_info;
mod entry;
mod entry_kind;
pub mod fatbin;
mod file_kind;
mod file_names;
mod flags;
mod host_sections;
mod image;
#[cfg(feature = "in-place")]
mod in_place;
mod ir_versions;
mod numbered_entry;
pub mod nvvm;
mod payload;
mod selector;
mod windows_sections;

pub use container_position::ContainerPosition;
pub use file_kind::FileKind;
use std::sync::Arc;

use crate::cubin::Cubin;
use crate::limits::MAX_ARCHIVE_DEPTH;
use crate::{Error, ErrorKind, Result};
use archive::Members;
use fatbin::{Entries, Fatbins};
use host_sections::Sections;
use windows_sections::{WindowsSections, is_windows};

pub use crate::limits::{MAX_EXPANSION, MAX_PAYLOAD};
pub use compression::Compression;
pub use debug_info::DebugInfo;
pub use entry::Entry;
pub use entry_kind::EntryKind;
pub use file_names::FileNames;
pub use flags::Flags;
pub use image::Image;
#[cfg(feature = "in-place")]
pub use in_place::Replacement;
pub use ir_versions::IrVersions;
pub use numbered_entry::NumberedEntry;
pub use selector::{ImageSelector, SelectionSummary};

/// A part of a file that holds fatbins.
#[derive(Debug, Clone)]
struct Region<'d> {
    /// Its first byte.
    position: ContainerPosition,
    data: &'d [u8],
}

/// A file that is GPU code or contains GPU code, such as a cubin, a fatbin, an archive or a host
/// program.
#[derive(Debug, Clone)]
pub struct Container<'d> {
    kind: FileKind,
    parts: Parts<'d>,
}

/// A part of a file with images.
#[derive(Debug, Clone)]
enum Part<'d> {
    Image(Box<Entry<'d>>),
    Fatbins(Region<'d>),
    Sections(HostSections<'d>),
}

/// The sections of a host file that hold fatbins.
#[derive(Debug, Clone)]
enum HostSections<'d> {
    Elf(Sections<'d>),
    Windows(WindowsSections<'d>),
}

impl<'d> Iterator for HostSections<'d> {
    type Item = Result<Region<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Elf(sections) => sections.next(),
            Self::Windows(sections) => sections.next(),
        }
    }
}

/// The parts of a file.
#[derive(Debug, Clone)]
enum Parts<'d> {
    One(Option<Box<Part<'d>>>),
    /// Archives that are read, each a member of the one before it.
    Archives(Vec<Archive<'d>>),
}

/// An archive that is read.
#[derive(Debug, Clone)]
struct Archive<'d> {
    /// As a member of another one.
    name: Option<Arc<str>>,
    members: Members<'d>,
}

impl<'d> Archive<'d> {
    fn new(name: Option<Arc<str>>, data: &'d [u8]) -> Result<Self> {
        if data.starts_with(archive::THIN_MAGIC) {
            let position = ContainerPosition { member: name, ..ContainerPosition::start() };
            return Err(
                position.error(0, ErrorKind::NotAContainer("a thin archive, which only names its members"))
            );
        }
        Ok(Self { name, members: Members::new(data) })
    }

    /// The next member, under a name that has those of the archives around it.
    fn next(&mut self) -> Option<Result<archive::Member<'d>>> {
        let next = self.members.next()?;
        let Some(outer) = &self.name else { return Some(next) };
        let named = next.map(|member| {
            let name = format!("{outer}({})", member.name).into();
            archive::Member { name, ..member }
        });
        Some(named.map_err(|error| Error::new(&**outer, error.offset(), error.kind().clone())))
    }
}

impl<'d> Container<'d> {
    /// Detects the kind of a file from its first bytes. For a file that is itself an image, its
    /// header is read too.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotAContainer`] for a file of another kind; faults in the headers of a cubin or
    /// of NVVM IR.
    pub fn parse(data: &'d [u8]) -> Result<Self> {
        let not = |what| Error::new("", 0, ErrorKind::NotAContainer(what));
        let kind = FileKind::of(data).ok_or_else(|| {
            not("neither ELF, nor a Windows program or object, a fatbin, an archive, NVVM IR or PTX text")
        })?;
        let parts = if kind == FileKind::Archive {
            Parts::Archives(vec![Archive::new(None, data)?])
        } else {
            Parts::One(part(kind, None, data)?.map(Box::new))
        };
        Ok(Self { kind, parts })
    }

    /// The kind of the file, such as a fatbin or an archive.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Iterates over all images in file order. An image is read when the iterator reaches it, and
    /// nothing is decompressed. A damaged member, section, fatbin or entry is returned as an error,
    /// and later images follow if they can be found.
    pub fn entries(&self) -> impl Iterator<Item = Result<Entry<'d>>> + use<'d> {
        Images { parts: self.parts.clone(), sections: None, fatbins: None, entries: None }
    }
}

/// Returns the part of a file with its sections; `None` for a member of an archive that has no
/// images. `member` is its name in the archive.
fn part(kind: FileKind, member: Option<Arc<str>>, data: &[u8]) -> Result<Option<Part<'_>>> {
    let position = ContainerPosition { member, ..ContainerPosition::start() };
    let (kind, arch) = match kind {
        FileKind::Host => {
            let sections = if is_windows(data) {
                HostSections::Windows(WindowsSections::new(position.member, data))
            } else {
                HostSections::Elf(Sections::new(position.member, data))
            };
            return Ok(Some(Part::Sections(sections)));
        }
        FileKind::Fatbin => return Ok(Some(Part::Fatbins(Region { position, data }))),
        FileKind::Archive => return Ok(None),
        FileKind::Ptx => (EntryKind::Ptx, Ok(None)),
        FileKind::Nvvm => (EntryKind::Nvvm, nvvm::Header::decode(data).map(|header| header.arch())),
        FileKind::Cubin => (EntryKind::Elf, Cubin::parse(data).map(|cubin| Some(cubin.arch()))),
    };
    // Errors of their decoders know no member.
    let arch = arch.map_err(|error| {
        let position = ContainerPosition { section: error.section().into(), ..position.clone() };
        position.error(error.offset(), error.kind().clone())
    })?;
    Ok(Some(Part::Image(Box::new(Entry { position, ..Entry::of_file(kind, arch, data) }))))
}

impl<'d> Iterator for Parts<'d> {
    type Item = Result<Part<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        let archives = match self {
            Self::One(part) => return part.take().map(|part| Ok(*part)),
            Self::Archives(archives) => archives,
        };
        loop {
            let Some(member) = archives.last_mut()?.next() else {
                archives.pop();
                continue;
            };
            let found = member.and_then(|member| match FileKind::of(member.data) {
                Some(FileKind::Archive) if archives.len() == MAX_ARCHIVE_DEPTH => {
                    let position =
                        ContainerPosition { member: Some(member.name), ..ContainerPosition::start() };
                    let what = "an archive in more than seven others, which is not read";
                    Err(position.error(0, ErrorKind::NotAContainer(what)))
                }
                Some(FileKind::Archive) => {
                    archives.push(Archive::new(Some(member.name), member.data)?);
                    Ok(None)
                }
                Some(kind) => part(kind, Some(member.name), member.data),
                None => Ok(None),
            });
            if let Some(found) = found.transpose() {
                return Some(found);
            }
        }
    }
}

/// All images of a file.
#[derive(Debug)]
struct Images<'d> {
    parts: Parts<'d>,
    /// The sections of the part that is being read.
    sections: Option<HostSections<'d>>,
    fatbins: Option<Fatbins<'d>>,
    entries: Option<Entries<'d>>,
}

impl<'d> Iterator for Images<'d> {
    type Item = Result<Entry<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // What is innermost goes first.
            if let Some(entry) = self.entries.as_mut().and_then(Iterator::next) {
                return Some(entry);
            }
            self.entries = None;
            let opened = if let Some(fatbin) = self.fatbins.as_mut().and_then(Iterator::next) {
                fatbin.map(|fatbin| self.entries = Some(fatbin.entries()))
            } else if let Some(region) = self.sections.as_mut().and_then(Iterator::next) {
                region.map(|region| self.fatbins = Some(Fatbins::at(region.position, region.data)))
            } else {
                match self.parts.next()? {
                    Ok(Part::Image(entry)) => return Some(Ok(*entry)),
                    Ok(Part::Fatbins(region)) => {
                        self.fatbins = Some(Fatbins::at(region.position, region.data));
                        Ok(())
                    }
                    Ok(Part::Sections(sections)) => {
                        self.sections = Some(sections);
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            };
            if let Err(error) = opened {
                return Some(Err(error));
            }
        }
    }
}

/// `size` bytes from `at` on, if there are as many.
fn slice(data: &[u8], at: u64, size: u64) -> Option<&[u8]> {
    let end = usize::try_from(at.checked_add(size)?).ok()?;
    data.get(usize::try_from(at).ok()?..end)
}

/// The number of `size` bytes at `at`.
fn number(data: &[u8], at: u64, size: usize, is_big: bool) -> Option<u64> {
    let bytes = slice(data, at, size as u64)?;
    let push = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    Some(if is_big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) })
}
