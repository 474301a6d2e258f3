//! The entries of a manifest: PTX, and the cubin that ptxas made of it.

use crate::support::driver;
use anyhow::{Context, Result, ensure};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::tkinfo;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writers whose bytes are compared.
const WRITERS: [&str; 2] = ["ptxas-13.0.88", "nvrtc-13.0.88"];

/// The parts of the manifest that are read; see the corpus' README.
#[derive(Debug, Deserialize)]
struct Manifest {
    entries: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    #[serde(default)]
    producer: String,
    #[serde(default)]
    program: String,
    #[serde(default)]
    arch: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    writer: String,
    ptx: Option<FileOf>,
    cubin: Option<FileOf>,
}

#[derive(Debug, Deserialize)]
struct FileOf {
    path: PathBuf,
}

/// The entries to compare.
#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) entries: Vec<Entry>,
}

/// PTX and the cubin that ptxas made of it.
#[derive(Debug)]
pub(crate) struct Entry {
    /// `producer/program/arch/mode/unit`
    pub(crate) name: String,
    ptx: PathBuf,
    cubin: PathBuf,
}

impl Corpus {
    /// Reads a manifest; paths are relative to its folder.
    pub(crate) fn read(path: &Path, filter: Option<&str>) -> Result<Self> {
        let name = || path.display().to_string();
        let text = fs::read(path).with_context(name)?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .with_context(|| format!("{}: expected a manifest, JSON with `entries`", name()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let entry = |row: Row| {
            let Row { producer, program, arch, mode, unit, writer, ptx, cubin } = row;
            let name = [producer, program, arch, mode, unit].join("/");
            let (ptx, cubin) = (folder.join(ptx?.path), folder.join(cubin?.path));
            let wanted = WRITERS.contains(&&*writer) && filter.is_none_or(|part| name.contains(part));
            wanted.then_some(Entry { name, ptx, cubin })
        };
        let entries: Vec<Entry> = manifest.entries.into_iter().filter_map(entry).collect();
        ensure!(!entries.is_empty(), "{}: no entry with PTX and a cubin of {}", name(), WRITERS.join(" or "));
        Ok(Self { entries })
    }
}

impl Entry {
    /// The cubin's bytes.
    pub(crate) fn original(&self) -> Result<Vec<u8>> {
        fs::read(&self.cubin).with_context(|| self.cubin.display().to_string())
    }

    /// Compiles the PTX with the options that the cubin's note records; `Err` inside: what
    /// `compile` said.
    pub(crate) fn compile(
        &self,
        driver: &Path,
        cubin: &Cubin<'_>,
        original: &[u8],
    ) -> Result<Result<Vec<u8>, String>> {
        let folder = tempfile::tempdir()?;
        let (code, made) = (folder.path().join("code.cubin"), folder.path().join("made.cubin"));
        fs::write(&code, without_ptx(original)?)?;
        let mut command = Command::new(driver);
        command.arg("compile").arg(&self.ptx).args(options(cubin)?);
        command.arg("--code").arg(driver::code_of(&code)).arg("-o").arg(&made);
        for stat in driver::recorded_stats(&self.ptx, &self.cubin) {
            command.arg("--file-stat").arg(stat);
        }
        let run = command.output()?;
        Ok(if run.status.success() { Ok(fs::read(&made)?) } else { Err(driver::messages(&run)) })
    }
}

/// The options of the ptxas call that decide on debug sections, from the note that ptxas leaves of
/// it.
fn options(cubin: &Cubin<'_>) -> Result<Vec<String>> {
    let index = cubin.section_by_name(tkinfo::NAME).context("no note tells how the cubin was made")?;
    let bytes = cubin.bytes(index)?;
    let tools = tkinfo::decode(&bytes)?;
    let text = tools.first().map_or("".into(), |tool| String::from_utf8_lossy(tool.options));
    let mut options = Vec::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-g" | "-lineinfo" | "-c" => options.push(word.to_owned()),
            "-suppress-debug-info" => options.push(format!("-{word}")),
            "-arch" => options.extend([word.to_owned(), words.next().unwrap_or_default().to_owned()]),
            _ => {}
        }
    }
    Ok(options)
}

/// Kinds whose bytes `compile` makes from the PTX and facts that stand elsewhere.
const MADE_FROM_PTX: [SectionKind; 8] = [
    SectionKind::DebugLine,
    SectionKind::DebugInfo,
    SectionKind::DebugAbbrev,
    SectionKind::DebugStr,
    SectionKind::DebugPubnames,
    SectionKind::DebugPubtypes,
    SectionKind::DebugMacinfo,
    SectionKind::NvDebugPtxTxt,
];

/// The cubin with the bytes of these sections and their clones overwritten. Places are read with
/// `object` alone.
fn without_ptx(original: &[u8]) -> Result<Vec<u8>> {
    let file = ElfFile64::<LittleEndian>::parse(original)?;
    let mut data = original.to_vec();
    for section in file.sections() {
        let name = SectionName::parse(section.name()?);
        let is_made = name.form.is_none() && name.kind().is_some_and(|kind| MADE_FROM_PTX.contains(&kind));
        let Some((start, size)) = section.file_range().filter(|_| is_made) else { continue };
        let range = usize::try_from(start)?..usize::try_from(start.saturating_add(size))?;
        // Not with zeros, which could be taken for an empty table.
        data.get_mut(range).context("a section outside its file")?.iter_mut().for_each(|byte| *byte ^= 0xa5);
    }
    Ok(data)
}
