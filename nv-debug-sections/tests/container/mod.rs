//! Writers of fatbins, host ELF files and archives by `docs/formats/fatbins.md`, where the
//! tests need them.

#![allow(dead_code, clippy::unwrap_used)] // each test binary uses its own part; a panic is a failed test

use nv_debug_sections::container::Compression;

/// An entry to be written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spec {
    pub(crate) kind: u16,
    pub(crate) number: u32,
    pub(crate) flags: u64,
    pub(crate) name: Vec<u8>,
    /// Options, of an ELF entry its compatibility records.
    pub(crate) options: Option<Vec<u8>>,
    pub(crate) payload: Vec<u8>,
}

/// Flag bits of [`Compression`].
pub(crate) fn compression_flag(compression: Option<Compression>) -> u64 {
    match compression {
        None => 0,
        Some(Compression::Zlib) => 0x1000,
        Some(Compression::Lz4) => 0x2000,
        Some(Compression::Unknown) => 0x4000,
        Some(Compression::Zstd) => 0x8000,
    }
}

pub(crate) fn compress(flags: u64, payload: &[u8]) -> Vec<u8> {
    if flags & 0x2000 != 0 {
        lz4_flex::block::compress(payload)
    } else if flags & 0x8000 != 0 {
        ruzstd::encoding::compress_to_vec(payload, ruzstd::encoding::CompressionLevel::Fastest)
    } else {
        payload.to_vec()
    }
}

impl Spec {
    /// The entry with the payload compressed as its flags say.
    pub(crate) fn write(&self) -> Vec<u8> {
        self.write_stored(&compress(self.flags, &self.payload), self.payload.len() as u64)
    }

    /// The entry with `stored` in place of the payload, which is said to become `size` bytes.
    pub(crate) fn write_stored(&self, stored: &[u8], size: u64) -> Vec<u8> {
        let is_compressed = self.flags & 0xf000 != 0;
        let mut tail = padded(self.name.clone());
        let name_at = if self.name.is_empty() { 0 } else { 64 };
        let mut options_at = 0;
        if let Some(options) = &self.options {
            options_at = 64 + tail.len() as u32;
            tail.extend((options_at + 8).to_le_bytes());
            tail.extend((options.len() as u32).to_le_bytes());
            // An ELF entry has an empty string before its records, the others have their string's
            // NUL after it.
            let text = [&b"\0"[..], options].concat();
            let text = if self.kind == 2 { text } else { [options.as_slice(), b"\0"].concat() };
            tail.extend(padded(text));
        }
        let body = padded(stored.to_vec());
        let mut out = Vec::new();
        out.extend(self.kind.to_le_bytes());
        out.extend(0x101_u16.to_le_bytes());
        out.extend((64 + tail.len() as u32).to_le_bytes());
        out.extend((body.len() as u64).to_le_bytes());
        out.extend(if is_compressed { stored.len() as u32 } else { 0 }.to_le_bytes());
        out.extend(options_at.to_le_bytes());
        out.extend(8_u16.to_le_bytes());
        out.extend(1_u16.to_le_bytes());
        out.extend(self.number.to_le_bytes());
        out.extend((name_at as u32).to_le_bytes());
        out.extend((self.name.len() as u32).to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        out.extend(0_u64.to_le_bytes());
        out.extend(if is_compressed { size } else { 0 }.to_le_bytes());
        assert_eq!(out.len(), 64);
        [out, tail, body].concat()
    }
}

/// Zero bytes up to a multiple of 8.
fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// A fatbin of entries.
pub(crate) fn fatbin(entries: &[Vec<u8>]) -> Vec<u8> {
    let entries = entries.concat();
    let mut out = 0xba55_ed50_u32.to_le_bytes().to_vec();
    out.extend(1_u16.to_le_bytes());
    out.extend(16_u16.to_le_bytes());
    out.extend((entries.len() as u64).to_le_bytes());
    out.extend(entries);
    out
}

/// How a host ELF file is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Host {
    pub(crate) is_64: bool,
    pub(crate) is_big: bool,
}

impl Host {
    pub(crate) const X86_64: Self = Self { is_64: true, is_big: false };

    fn number(self, value: u64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes().get(..size).unwrap().to_vec();
        if self.is_big {
            bytes.reverse();
        }
        bytes
    }

    /// An address, offset or size.
    fn word(self, value: u64) -> Vec<u8> {
        self.number(value, if self.is_64 { 8 } else { 4 })
    }

    /// An object with these sections, after the null section and its names.
    pub(crate) fn object(self, sections: &[(&str, &[u8])]) -> Vec<u8> {
        let (file_header, section_header) = if self.is_64 { (64, 64) } else { (52, 40) };
        let mut names = b"\0.shstrtab\0".to_vec();
        let mut rows = vec![(0, 0, 0, 0), (1, 3, 0, 0)];
        let mut data = Vec::new();
        for (name, bytes) in sections {
            rows.push((names.len() as u64, 1, file_header + data.len() as u64, bytes.len() as u64));
            names.extend(name.as_bytes());
            names.push(0);
            data.extend(*bytes);
        }
        rows[1] = (1, 3, file_header + data.len() as u64, names.len() as u64);
        data.extend(names);
        let table = file_header + data.len() as u64;

        let ident = [2 - u8::from(!self.is_64), 1 + u8::from(self.is_big), 1];
        let mut out = [&b"\x7fELF"[..], &ident, &[0; 9]].concat();
        out.extend(
            [self.number(1, 2), self.number(62, 2), self.number(1, 4), self.word(0), self.word(0)].concat(),
        );
        out.extend([self.word(table), self.number(0, 4), self.number(file_header, 2)].concat());
        out.extend([self.number(0, 2), self.number(0, 2), self.number(section_header, 2)].concat());
        out.extend([self.number(rows.len() as u64, 2), self.number(1, 2)].concat());
        assert_eq!(out.len() as u64, file_header);
        out.extend(data);
        for (name, kind, offset, size) in rows {
            out.extend([self.number(name, 4), self.number(kind, 4), self.word(0), self.word(0)].concat());
            out.extend([self.word(offset), self.word(size), self.number(0, 4), self.number(0, 4)].concat());
            out.extend([self.word(1), self.word(0)].concat());
        }
        out
    }
}

/// An archive in the format of GNU `ar`, members' names up to 15 bytes.
pub(crate) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let name = format!("{name}/");
        out.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len()).bytes());
        out.extend(*bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}
