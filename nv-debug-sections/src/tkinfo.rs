//! `.note.nv.tkinfo`: the tools that made a file, and their command lines
//! (docs/formats/container.md, notes).
//!
//! One note for each tool: ptxas writes one, nvlink one of its own before those of its inputs.
//! Observed: ptxas and nvlink 13.0.88, NVRTC 13.0, ptxas 13.4; files of ptxas 12.9 have no such
//! section.

use crate::cursor::Cursor;
use crate::{Error, ErrorKind, Result};

/// The name of the section of tool notes, `.note.nv.tkinfo`.
pub const NAME: &str = ".note.nv.tkinfo";

/// The name of this project, `nvdwarf`, as ELF notes have it.
pub const NVDWARF: &str = "nvdwarf";

/// Note type of tool information.
const NT_TKINFO: u32 = 2000;

/// The owner of the note type: every such note has this name.
const OWNER: &[u8] = b"NVIDIA Corp\0";

/// The version of a note's layout that is written. Observed: ptxas and nvlink 13.0.88.
const NOTE_VERSION: u32 = 2;

/// The note of one tool in `.note.nv.tkinfo`. Texts are as they stand in the file, without the NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolInfo<'d> {
    /// The base name of the tool's input file; empty without `-g`.
    pub object: &'d [u8],
    /// The name of the tool, such as `ptxas` or `nvlink`.
    pub tool: &'d [u8],
    /// The version text of the tool: `Cuda compilation tools, release 13.0, V13.0.88`.
    pub version: &'d [u8],
    /// The build text of the tool: `Build cuda_13.0.r13.0/compiler.36424714_0`.
    pub build: &'d [u8],
    /// The options with which the tool was called. A blank follows each.
    pub options: &'d [u8],
}

impl<'d> ToolInfo<'d> {
    /// The version number of the tool alone, such as `13.0.88`.
    pub fn version_number(&self) -> Option<&'d str> {
        let text = std::str::from_utf8(self.version).ok()?;
        text.rsplit_once(", V").map(|(_, number)| number)
    }
}

/// Decodes the tool notes of `.note.nv.tkinfo`, in file order. Notes of other types are left out.
///
/// # Errors
///
/// [`ErrorKind::Truncated`], or [`ErrorKind::Index`] for a text outside its note.
pub fn decode(data: &[u8]) -> Result<Vec<ToolInfo<'_>>> {
    let mut cursor = Cursor::new(NAME, data);
    let mut tools = Vec::new();
    while !cursor.is_empty() {
        let name = cursor.u32("size of a note's name")?;
        let size = cursor.u32("size of a note")?;
        let note_type = cursor.u32("type of a note")?;
        cursor.take(padded(name), "name of a note")?;
        let note = cursor.split(padded(size), "note")?;
        if note_type == NT_TKINFO {
            tools.push(tool(note)?);
        }
    }
    Ok(tools)
}

/// Encodes `.note.nv.tkinfo` from tool notes; [`decode`] reads it back.
///
/// # Errors
///
/// [`ErrorKind::DoesNotFit`]: the texts of a note pass 4 GiB.
pub fn encode(tools: &[ToolInfo<'_>]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for tool in tools {
        let mut strings = Vec::new();
        let mut note = NOTE_VERSION.to_le_bytes().to_vec();
        for text in [tool.object, tool.tool, tool.version, tool.build, tool.options] {
            note.extend(size("offset of a text", strings.len())?.to_le_bytes());
            strings.extend([text, b"\0"].concat());
        }
        note.extend(strings);
        let name = size("size of a note's name", OWNER.len())?;
        for number in [name, size("size of a note", note.len())?, NT_TKINFO] {
            bytes.extend(number.to_le_bytes());
        }
        for part in [OWNER, &note] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
    }
    Ok(bytes)
}

fn size(what: &'static str, size: usize) -> Result<u32> {
    let (value, field) = (size as u64, "32 bits");
    u32::try_from(value).map_err(|_| Error::in_section(NAME, ErrorKind::DoesNotFit { what, value, field }))
}

/// Sizes are padded to 4 bytes.
fn padded(size: u32) -> u64 {
    u64::from(size).next_multiple_of(4)
}

fn tool(mut note: Cursor<'_>) -> Result<ToolInfo<'_>> {
    note.u32("version of a note")?;
    let mut starts = [0; 5];
    for start in &mut starts {
        *start = note.u32("offset of a text")?;
    }
    let texts = note.rest();
    let text = |start: u32| {
        let text = usize::try_from(start).ok().and_then(|start| texts.get(start..));
        let Some(text) = text else {
            let (index, count) = (start.into(), texts.len() as u64);
            return Err(note.error(ErrorKind::Index { what: "text at offset", index, count }));
        };
        Ok(&text[..memchr::memchr(0, text).unwrap_or(text.len())])
    };
    let [object, tool, version, build, options] = starts.map(text);
    Ok(ToolInfo { object: object?, tool: tool?, version: version?, build: build?, options: options? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The section that ptxas 13.0.88 writes with `-lineinfo -arch sm_90`.
    const OF_PTXAS: &[u8] = b"\x0c\0\0\0\x90\0\0\0\xd0\x07\0\0NVIDIA Corp\0\
        \x02\0\0\0\0\0\0\0\x01\0\0\0\x07\0\0\0\x36\0\0\0\x60\0\0\0\
        \0ptxas\0Cuda compilation tools, release 13.0, V13.0.88\0\
        Build cuda_13.0.r13.0/compiler.36424714_0\0-lineinfo  -arch sm_90 \0";

    #[test]
    fn the_note_of_ptxas_is_read_and_comes_back() {
        let tools = decode(OF_PTXAS).unwrap();
        let [tool] = *tools else { panic!("{tools:?}") };
        assert_eq!(
            (tool.object, tool.tool, tool.options),
            (&b""[..], &b"ptxas"[..], &b"-lineinfo  -arch sm_90 "[..])
        );
        assert_eq!(encode(&tools).unwrap(), OF_PTXAS);
    }

    fn note(note_type: u32, texts: [&str; 5]) -> Vec<u8> {
        let [object, tool, version, build, options] = texts.map(str::as_bytes);
        let mut bytes = encode(&[ToolInfo { object, tool, version, build, options }]).unwrap();
        bytes[8..12].copy_from_slice(&note_type.to_le_bytes());
        bytes
    }

    #[test]
    fn every_tools_note_is_read() {
        let version = "Cuda compilation tools, release 13.0, V13.0.88";
        let bytes = [
            note(NT_TKINFO, ["", "nvlink", version, "Build x", "-g "]),
            note(1, ["", "other", "", "", ""]),
            note(NT_TKINFO, ["a.ptx", "ptxas", version, "Build x", "-g -arch sm_90 "]),
        ];
        let bytes = bytes.concat();
        let tools = decode(&bytes).unwrap();
        assert_eq!(tools.iter().map(|tool| tool.tool).collect::<Vec<_>>(), [&b"nvlink"[..], b"ptxas"]);
        assert_eq!(tools[1].object, b"a.ptx");
        assert_eq!(tools[1].options, b"-g -arch sm_90 ");
        assert_eq!(tools[1].version_number(), Some("13.0.88"));
    }

    #[test]
    fn faults_say_where() {
        let mut bytes = note(NT_TKINFO, ["", "ptxas", "", "", ""]);
        assert_eq!(decode(&bytes[..30]).unwrap_err().section(), NAME);
        bytes[28] = 200; // the first text's offset
        assert!(matches!(decode(&bytes).unwrap_err().kind(), ErrorKind::Index { index: 200, .. }));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(data in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&data);
        }
    }
}
