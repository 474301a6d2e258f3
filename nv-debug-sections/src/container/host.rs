//! The sections of host files that hold fatbins, and the host objects of an archive.

use std::sync::Arc;

use object::elf::{ELFCLASS32, FileHeader32, FileHeader64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, SectionIndex, elf};

use super::{FileKind, Place, Region};
use crate::{Error, ErrorKind, Result};

/// Sections that hold fatbins: those of whole programs (or of the device linker), and those that the device linker has read.
/// `.nvFatBinSegment` has pointers to them, which only relocations fill in.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// Longest name of an archive's member that is kept, in bytes; what is behind is cut. Each image of the member has it.
const MAX_MEMBER_NAME: usize = 1024;

/// The stretches with fatbins of a host ELF file, which is `member` of an archive.
pub(super) fn regions<'d>(data: &'d [u8], member: Option<&Arc<str>>) -> Result<Vec<Region<'d>>> {
    let is_32 = data.get(4) == Some(&ELFCLASS32.0);
    let found = if is_32 {
        elf_regions::<FileHeader32<Endianness>>(data)
    } else {
        elf_regions::<FileHeader64<Endianness>>(data)
    };
    let fail = |error: &object::Error| {
        let text = member.map_or_else(|| error.to_string(), |member| format!("{member}: {error}"));
        Error::new("", 0, ErrorKind::Other(text))
    };
    let mut regions = found.map_err(|error| fail(&error))?;
    for region in &mut regions {
        region.place.member = member.cloned();
    }
    check_overlap(&regions, data.len())?;
    Ok(regions)
}

fn elf_regions<H: FileHeader<Endian = Endianness>>(data: &[u8]) -> object::Result<Vec<Region<'_>>> {
    let header = H::parse(data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let names = match header.section_strings_index(endian, data)? {
        SectionIndex(0) => &[],
        index => sections.section(index)?.data(endian, data)?,
    };
    let mut regions = Vec::new();
    for section in sections.iter() {
        // No more is read than it takes: many sections may share one long name.
        let name = names.get(section.sh_name(endian) as usize..).unwrap_or_default();
        let is =
            |known: &str| name.strip_prefix(known.as_bytes()).is_some_and(|rest| rest.first() == Some(&0));
        let Some(name) = SECTIONS.into_iter().find(|known| is(known)) else { continue };
        if section.sh_type(endian) == elf::SHT_NOBITS {
            continue; // as in the file of `objcopy --only-keep-debug`
        }
        let place = Place { section: name.into(), ..Place::start() };
        regions.push(Region { place, data: section.data(endian, data)? });
    }
    Ok(regions)
}

/// Refuses sections that share bytes: a small file could otherwise have a lot to list.
fn check_overlap(regions: &[Region<'_>], file_size: usize) -> Result<()> {
    let sum = regions.iter().fold(0_usize, |sum, region| sum.saturating_add(region.data.len()));
    match regions.last() {
        Some(last) if sum > file_size => {
            let text = "sections with fatbins overlap: together they are larger than the file";
            Err(Error::new(last.place.label(), 0, ErrorKind::Other(text.to_owned())))
        }
        _ => Ok(()),
    }
}

/// The stretches with fatbins of an archive's host objects.
pub(super) fn archive(data: &[u8]) -> Result<Vec<Region<'_>>> {
    let fail = |error: object::Error| Error::new("", 0, ErrorKind::Other(error.to_string()));
    let file = ArchiveFile::parse(data).map_err(fail)?;
    if file.is_thin() {
        return Err(Error::new(
            "",
            0,
            ErrorKind::NotAContainer("a thin archive, which only names its members"),
        ));
    }
    let mut all = Vec::new();
    for member in file.members() {
        let member = member.map_err(fail)?;
        let name = member.name();
        let name: Arc<str> = String::from_utf8_lossy(name.get(..MAX_MEMBER_NAME).unwrap_or(name)).into();
        let bytes = member.data(data).map_err(fail)?;
        match FileKind::of(bytes) {
            Some(FileKind::Host) => all.extend(regions(bytes, Some(&name))?),
            Some(FileKind::Fatbin) => {
                all.push(Region { place: Place { member: Some(name), ..Place::start() }, data: bytes });
            }
            _ => {}
        }
    }
    check_overlap(&all, data.len())?;
    Ok(all)
}
