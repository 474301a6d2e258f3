//! The tool that wrote a file, and the location of its machine code.

use super::code_location::CodeLocation;
use object::elf;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

use super::release_of::with_first_note;
use super::{Contents, Cubin, ELFOSABI_CUDA_V2, NewSection, Section, SectionInfo, SectionLink};
use crate::arch::{Arch, Suffix};
use crate::error::Result;
use crate::tkinfo::NVDWARF;
use crate::{nv_info, tkinfo};

/// The tool that wrote a file, as the note `.note.nv.tkinfo` names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Writer {
    /// The name of the tool, such as `ptxas`, `nvlink`, `ptxas-blackwell` or `nvdwarf`.
    pub tool: String,
    /// The version of the tool, such as `13.0.88`; `None` where the note has none.
    pub version: Option<String>,
}

/// The tool, and its version where that is known: `ptxas 13.0.88`.
impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        self.version.iter().try_for_each(|version| write!(f, " {version}"))
    }
}

impl Cubin<'_> {
    /// The tool that wrote the file last; `None` if no note names it.
    pub fn writer(&self) -> Option<Writer> {
        with_first_note(self, |tool| Writer {
            tool: String::from_utf8_lossy(tool.tool).into_owned(),
            version: tool.version_number().map(str::to_owned),
        })
    }

    /// The architecture that the code was compiled for: its number from the ELF header, and its
    /// suffix if the file has it.
    ///
    /// Before release 13.0 a bit of `e_flags` says `a`; from then on, and for `f`, the option
    /// `-arch` in the note of the tool that wrote the file last. Observed: ptxas 12.9 and 13.0.88,
    /// nvlink 13.0.88.
    pub fn arch(&self) -> Arch {
        let suffix = self.arch_suffix();
        Arch { number: self.header.sm(), suffix }
    }

    fn arch_suffix(&self) -> Suffix {
        let mark = if self.header.os_abi == ELFOSABI_CUDA_V2 { 0x8 } else { 0x800 };
        if self.header.e_flags & mark != 0 {
            return Suffix::A;
        }
        let sm = format!("sm_{}", self.header.sm());
        let suffix = |word: &[u8]| match word.strip_prefix(sm.as_bytes()) {
            Some(b"a") => Some(Suffix::A),
            Some(b"f") => Some(Suffix::F),
            _ => None,
        };
        let is_between = |byte: &u8| matches!(byte, b' ' | b'=');
        with_first_note(self, |tool| tool.options.split(is_between).find_map(suffix))
            .flatten()
            .unwrap_or(Suffix::None)
    }

    /// Appends to a debug-only object the note that names this project as the tool that wrote the
    /// file ([`writer`](Self::writer)).
    ///
    /// # Errors
    ///
    /// There are too many sections, or the texts are too long.
    pub fn append_writer(&mut self, version: &str) -> Result<()> {
        let release = version.rsplit_once('.').map_or(version, |(release, _)| release);
        let text = format!("Debug-only object, release {release}, V{version}");
        let note = tkinfo::ToolInfo {
            object: b"",
            tool: NVDWARF.as_bytes(),
            version: text.as_bytes(),
            build: b"",
            options: b"--code none ",
        };
        self.append_sections(vec![NewSection {
            name: tkinfo::NAME.to_owned(),
            sh_type: elf::SHT_NOTE.0,
            flags: 0,
            align: 4,
            entsize: 0,
            link: SectionLink::None,
            info: SectionInfo::default(),
            contents: Contents::Bytes(tkinfo::encode(&[note])?.into()),
        }])?;
        Ok(())
    }

    /// Describes a file without machine code, in words that can follow `no code:`: what it is and
    /// which tool made it. `None` for files with code, and for side files, whose code is in the
    /// cubin from which they were made.
    pub fn debug_only_text(&self) -> Option<String> {
        if self.code_location() != CodeLocation::None {
            return None;
        }
        let by = self.writer().map_or(String::new(), |writer| format!(" of {writer}"));
        Some(format!("a debug-only object{by}"))
    }

    /// The location of the machine code. It is this file if a code section has bytes, or if the
    /// file has no code section.
    ///
    /// Code sections without bytes (`NOBITS`) are those of a debug-only object if its note names
    /// us; objects of older versions have no note, and no `.nv.info` either, which all files of
    /// NVIDIA's tools have. Else they are those of a side file, which keeps the note of the tool
    /// and, emptied, `.nv.info`.
    pub fn code_location(&self) -> CodeLocation {
        let is_code = |section: &&Section<'_>| section.flags & elf::SHF_EXECINSTR.0 != 0;
        let mut code = self.sections.iter().filter(is_code).peekable();
        let has_functions = code.peek().is_some();
        if !code.all(|section| matches!(section.contents, Contents::NoBits(_))) {
            return CodeLocation::Here;
        }
        let is_ours = self.writer().is_some_and(|writer| writer.tool == NVDWARF);
        if is_ours {
            CodeLocation::None
        } else if !has_functions {
            CodeLocation::Here
        } else if self.section_by_name(nv_info::NAME).is_none() {
            CodeLocation::None
        } else {
            CodeLocation::OtherFile
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by `examples/make.sh`: ptxas 13.0.88, `-arch sm_90`.
    const SAXPY: &[u8] = include_bytes!("../../../examples/saxpy/saxpy.cubin");

    /// A cubin that was compiled with other options.
    fn compiled_with(options: &[u8]) -> Cubin<'static> {
        let mut cubin = Cubin::parse(SAXPY).unwrap();
        let index = cubin.section_by_name(tkinfo::NAME).unwrap();
        let bytes = cubin.bytes(index).unwrap().into_owned();
        let note = tkinfo::ToolInfo { options, ..tkinfo::decode(&bytes).unwrap()[0] };
        let bytes = tkinfo::encode(&[note]).unwrap();
        cubin.sections[index.as_usize()].contents = Contents::Bytes(bytes.into());
        cubin
    }

    #[test]
    fn the_suffix_of_an_architecture_is_in_the_note_or_in_the_header() {
        assert_eq!(Cubin::parse(SAXPY).unwrap().arch().suffix, Suffix::None);
        for (options, suffix) in [
            ("-lineinfo  -arch sm_90a -m 64 ", Suffix::A),
            ("-arch=sm_90f ", Suffix::F),
            ("-arch sm_90 -m 64 ", Suffix::None),
            ("-arch sm_100a ", Suffix::None), // another number than that of the header
            ("-arch sm_90ab ", Suffix::None),
            ("", Suffix::None),
        ] {
            assert_eq!(compiled_with(options.as_bytes()).arch().suffix, suffix, "{options}");
        }
        for (os_abi, mark) in [(ELFOSABI_CUDA_V2, 0x8), (0x33, 0x800)] {
            let mut cubin = Cubin::parse(SAXPY).unwrap();
            (cubin.header.os_abi, cubin.header.e_flags) = (os_abi, cubin.header.e_flags | mark);
            assert_eq!(cubin.arch().suffix, Suffix::A);
        }
    }
}
