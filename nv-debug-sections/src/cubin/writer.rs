//! Which tool wrote a file, and where its machine code is.

use object::elf;
use serde::Serialize;
use std::fmt;

use super::tool_note::with_first_note;
use super::{Contents, Cubin, Info, Link, NewSection, Section};
use crate::error::Result;
use crate::{nv_info, tkinfo};

/// The name by which notes call this project.
pub const NVDWARF: &str = "nvdwarf";

/// A tool, as its note in [`tkinfo::NAME`] names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Writer {
    /// `ptxas`, `nvlink`, `ptxas-blackwell`, `nvdwarf`.
    pub tool: String,
    /// `13.0.88`.
    pub version: Option<String>,
}

/// The tool, and its version where that is known: `ptxas 13.0.88`.
impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        self.version.iter().try_for_each(|version| write!(f, " {version}"))
    }
}

/// Where the machine code of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodePlace {
    /// In the file, or the file defines no function.
    Here,
    /// In the cubin that this file is the side file of.
    OtherFile,
    /// There is none: a debug-only object, as [`debug_only`](super::debug_only) makes one, or the side file of one.
    None,
}

impl CodePlace {
    /// In one word, as JSON documents have it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::OtherFile => "other-file",
            Self::None => "none",
        }
    }
}

impl Cubin<'_> {
    /// The tool that wrote the file last, where a note says so.
    pub fn writer(&self) -> Option<Writer> {
        with_first_note(self, |tool| Writer {
            tool: String::from_utf8_lossy(tool.tool).into_owned(),
            version: tool.version_number().map(str::to_owned),
        })
    }

    /// Appends the note by which [`writer`](Self::writer) names us, to a debug-only object.
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
            link: Link::None,
            info: Info::default(),
            contents: Contents::Bytes(tkinfo::encode(&[note])?.into()),
        }])?;
        Ok(())
    }

    /// What a file without machine code is and who made it, after `no code:`. `None` for files with code, and for side
    /// files, whose code is in the cubin that they were made of.
    pub fn debug_only_words(&self) -> Option<String> {
        if self.code_place() != CodePlace::None {
            return None;
        }
        let by = self.writer().map_or(String::new(), |writer| format!(" of {writer}"));
        Some(format!("a debug-only object{by}"))
    }

    /// Where the machine code is: here, if any code section has bytes or there is none.
    ///
    /// Code sections without bytes (`NOBITS`) are those of a debug-only object if its note names us; objects of older versions
    /// have no note, and no `.nv.info` either, which all files of NVIDIA's tools have. Else they are those of a side file, which
    /// keeps the note of the tool and, emptied, `.nv.info`.
    pub fn code_place(&self) -> CodePlace {
        let is_code = |section: &&Section<'_>| section.flags & elf::SHF_EXECINSTR.0 != 0;
        let mut code = self.sections.iter().filter(is_code).peekable();
        let has_functions = code.peek().is_some();
        if !code.all(|section| matches!(section.contents, Contents::NoBits(_))) {
            return CodePlace::Here;
        }
        let is_ours = self.writer().is_some_and(|writer| writer.tool == NVDWARF);
        if is_ours || self.section_by_name(nv_info::NAME).is_none() {
            CodePlace::None
        } else if has_functions {
            CodePlace::OtherFile
        } else {
            CodePlace::Here
        }
    }
}
