//! The entries of a manifest: PTX, and the cubin that ptxas made of it.

use crate::cleanup::{PrivateFolder, child, write_private};
use crate::input;
use anyhow::{Context, Result, ensure};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use nv_debug_sections::tkinfo;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writers whose bytes are compared.
const WRITERS: [&str; 2] = ["ptxas-13.0.88", "nvrtc-13.0.88"];

/// The manifest as far as it is read; see the corpus' README.
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
pub(super) struct Corpus {
    pub(super) entries: Vec<Entry>,
}

/// PTX and the cubin that ptxas made of it.
#[derive(Debug)]
pub(super) struct Entry {
    /// `producer/program/arch/mode/unit`
    pub(super) name: String,
    ptx: PathBuf,
    cubin: PathBuf,
}

impl Corpus {
    /// Reads a manifest; paths are relative to its folder.
    pub(super) fn read(path: &Path, filter: Option<&str>) -> Result<Self> {
        let name = || path.display().to_string();
        let text = input::read(path).with_context(name)?;
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
    pub(super) fn original(&self) -> Result<Vec<u8>> {
        input::read(&self.cubin).with_context(|| self.cubin.display().to_string())
    }

    /// Compiles the PTX with the options that the cubin's note records; `Err` inside: what `compile` said.
    pub(super) fn compile(&self, cubin: &Cubin<'_>, original: &[u8]) -> Result<Result<Vec<u8>, String>> {
        let folder = PrivateFolder::new()?;
        let (code, made) = (folder.path().join("code.cubin"), folder.path().join("made.cubin"));
        write_private(&code, &without_ptx(original)?)?;
        let mut provider = std::ffi::OsString::from("cubin:");
        provider.push(&code);
        let mut command = child::command(env::current_exe()?.as_os_str());
        command.arg("compile").arg(&self.ptx).args(options(cubin)?);
        command.arg("--code").arg(provider).arg("-o").arg(&made);
        for stat in self.recorded_stats(cubin)? {
            command.arg("--file-stat").arg(stat);
        }
        let run = child::capture(&mut command)?;
        Ok(if run.status.success() { Ok(input::read(&made)?) } else { Err(run.stderr) })
    }

    /// Time and size of each source file as the cubin records them: entries follow `.file` by increasing index.
    fn recorded_stats(&self, cubin: &Cubin<'_>) -> Result<Vec<String>> {
        let text = fs::read_to_string(&self.ptx).with_context(|| self.ptx.display().to_string())?;
        let parsed = ptx_syntax::parse(&text);
        let mut files: Vec<_> = parsed.module.files().map(|file| (file.index, file.path)).collect();
        files.sort_unstable();
        let name = SectionKind::DebugLine.name();
        let Some(index) = cubin.section_by_name(name) else { return Ok(Vec::new()) };
        let bytes = cubin.bytes(index)?;
        let tables = line::decode(name, &bytes)?;
        let recorded = tables.iter().flat_map(|table| &table.files);
        let stats = files.iter().zip(recorded);
        Ok(stats.map(|((_, path), file)| format!("{path}={},{}", file.mtime, file.size)).collect())
    }
}

/// The options of the ptxas call that decide on debug sections, from the note that ptxas leaves of it.
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

/// The cubin with the bytes of these sections and their clones overwritten. Places are read with `object` alone.
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
