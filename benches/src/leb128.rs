//! LEB128 numbers by distribution, and each crate's ways to write and read them.

use std::path::{Path, PathBuf};

use gimli::leb128::write::Leb128;
use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LittleEndian, Reader};
use object::{Object, ObjectSection};

/// The numbers of one benchmark, to write and to read.
#[derive(Debug, Clone)]
pub struct Input {
    /// What they are, as the table in `docs/performance.md` calls them.
    pub name: &'static str,
    /// SLEB128 if true, else ULEB128.
    pub signed: bool,
    /// The numbers; those of a signed input as `i64`, cast.
    pub values: Vec<u64>,
    /// Their shortest encodings one after the other, by the `leb128` crate.
    pub bytes: Vec<u8>,
}

impl Input {
    fn new(name: &'static str, signed: bool, values: Vec<u64>) -> Self {
        let mut bytes = Vec::new();
        for value in &values {
            let written = if signed {
                leb128::write::signed(&mut bytes, *value as i64)
            } else {
                leb128::write::unsigned(&mut bytes, *value)
            };
            written.expect("a Vec takes all");
        }
        Self { name, signed, values, bytes }
    }

    /// The sum that each decoder of [`DECODERS`] must return.
    pub fn sum(&self) -> u64 {
        self.values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
    }
}

/// Numbers of an artificial input.
const COUNT: usize = 100_000;

/// Returns all inputs, and whether the real ones come from `../shared/corpus`; without that folder
/// they come from `examples/`.
pub fn inputs() -> (Vec<Input>, bool) {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let uniform: Vec<u64> = (0..COUNT).map(|_| next() >> (next() % 64)).collect();
    let uniform_signed = (0..COUNT).map(|_| (next() as i64 >> (next() % 64)) as u64).collect();
    // One in ten takes two bytes, the others one.
    let small = (0..COUNT).map(|_| if next() % 10 == 0 { next() % 5000 } else { next() % 128 }).collect();
    let small_signed = (0..COUNT)
        .map(|_| if next() % 10 == 0 { next() as i64 % 5000 } else { next() as i64 % 60 } as u64)
        .collect();
    let (real, from_corpus) = real();
    let mut inputs = vec![
        Input::new("uniform bits, ULEB", false, uniform),
        Input::new("uniform bits, SLEB", true, uniform_signed),
        Input::new("small, ULEB", false, small),
        Input::new("small, SLEB", true, small_signed),
        Input::new("advances of line tables, SLEB", true, real.advances),
        Input::new("files and contexts of line tables, ULEB", false, real.indices),
        Input::new("abbreviation tables, ULEB", false, real.abbreviations),
    ];
    inputs.retain(|input| !input.values.is_empty());
    (inputs, from_corpus)
}

/// The LEB128 operands of real sections, in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Real {
    /// Of `DW_LNS_advance_pc` and `DW_LNS_advance_line` (both SLEB128 as ptxas writes them).
    pub advances: Vec<u64>,
    /// Of `DW_LNS_set_file` and NVIDIA's extended opcode 0x90 (context, name).
    pub indices: Vec<u64>,
    /// Of `.debug_abbrev`: codes, tags, attributes, forms and the zeros that end them.
    pub abbreviations: Vec<u64>,
}

/// Of all cubins of the corpus, by path; else of the examples.
fn real() -> (Real, bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = of_folder(&root.join("../../shared/corpus/out"));
    if corpus == Real::default() {
        return (of_folder(&root.join("../examples")), false);
    }
    (corpus, true)
}

fn of_folder(folder: &Path) -> Real {
    let (mut real, mut folders) = (Real::default(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cubin") {
                let file = std::fs::read(path).unwrap_or_default();
                real.add(&file);
            }
        }
    }
    real
}

impl Real {
    /// Adds the operands of one cubin.
    fn add(&mut self, file: &[u8]) {
        let Ok(elf) = object::File::parse(file) else { return };
        let data =
            |name| elf.section_by_name(name).and_then(|section| section.data().ok()).unwrap_or_default();
        for name in [".debug_line", ".nv_debug_line_sass"] {
            let _ends_early = self.add_line_table(data(name));
        }
        let _ends_early = self.add_abbreviations(data(".debug_abbrev"));
    }

    fn add_line_table(&mut self, section: &[u8]) -> gimli::Result<()> {
        let table = DebugLine::new(section, LittleEndian);
        let header = table.program(DebugLineOffset(0), 8, None, None)?;
        let mut instructions = header.header().instructions();
        while let Some(instruction) = instructions.next_instruction(header.header())? {
            match instruction {
                // gimli reads this one as ULEB128; it is the same where the number is not negative,
                // as ptxas' are.
                LineInstruction::AdvancePc(units) => self.advances.push(units),
                LineInstruction::AdvanceLine(lines) => self.advances.push(lines as u64),
                LineInstruction::SetFile(file) => self.indices.push(file),
                LineInstruction::UnknownExtended(gimli::DwLne(0x90), mut operands) => {
                    self.indices.extend([operands.read_uleb128()?, operands.read_uleb128()?]);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_abbreviations(&mut self, section: &[u8]) -> gimli::Result<()> {
        let mut rest = EndianSlice::new(section, LittleEndian);
        while !rest.is_empty() {
            let code = rest.read_uleb128()?;
            self.abbreviations.push(code);
            if code == 0 {
                continue;
            }
            self.abbreviations.push(rest.read_uleb128()?);
            rest.read_u8()?; // whether there are children: a plain byte
            loop {
                let (attribute, form) = (rest.read_uleb128()?, rest.read_uleb128()?);
                self.abbreviations.extend([attribute, form]);
                if (attribute, form) == (0, 0) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The output buffers of encoders. Both are large enough for any input of the length that they were
/// made for.
#[derive(Debug)]
pub struct Output {
    slice: Vec<u8>,
    vec: Vec<u8>,
}

impl Output {
    /// Creates buffers for `numbers` numbers.
    pub fn new(numbers: usize) -> Self {
        let room = numbers * 10 + 16;
        Self { slice: vec![0; room], vec: Vec::with_capacity(room) }
    }
}

/// A way to write ULEB128 or SLEB128. It returns the number of bytes written.
pub type Encode = for<'a> fn(&Input, &'a mut Output) -> &'a [u8];

/// A way to read ULEB128 or SLEB128. It returns the wrapping sum of the numbers.
pub type Decode = fn(&[u8]) -> u64;

/// The ways to write: crate, method, ULEB128 and SLEB128.
pub const ENCODERS: [(&str, &str, [Encode; 2]); 7] = [
    ("leb128-nv", "Encoder", [nv_encoder::<false>, nv_encoder::<true>]),
    ("leb128-nv", "write", [nv_write::<false>, nv_write::<true>]),
    ("leb128-nv", "Vec", [nv_vec::<false>, nv_vec::<true>]),
    ("leb128", "slice", [leb128_slice::<false>, leb128_slice::<true>]),
    ("leb128", "Vec", [leb128_vec::<false>, leb128_vec::<true>]),
    ("gimli", "slice", [gimli_slice::<false>, gimli_slice::<true>]),
    ("gimli", "Vec", [gimli_vec::<false>, gimli_vec::<true>]),
];

/// The ways to read: crate, method, ULEB128 and SLEB128.
pub const DECODERS: [(&str, &str, [Decode; 2]); 3] = [
    ("leb128-nv", "slice", [nv_decode::<false>, nv_decode::<true>]),
    ("leb128", "slice", [leb128_decode::<false>, leb128_decode::<true>]),
    ("gimli", "EndianSlice", [gimli_decode::<false>, gimli_decode::<true>]),
];

fn nv_encoder<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    let mut encoder = leb128_nv::Encoder::new(&mut out.slice);
    for value in &input.values {
        let put = if SIGNED { encoder.sleb128(*value as i64) } else { encoder.uleb128(*value) };
        put.expect("room");
    }
    let len = encoder.finish();
    &out.slice[..len]
}

fn nv_write<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    let mut at = 0;
    for value in &input.values {
        let rest = &mut out.slice[at..];
        let used = if SIGNED {
            leb128_nv::write_sleb128(rest, *value as i64)
        } else {
            leb128_nv::write_uleb128(rest, *value)
        };
        at += used.expect("room");
    }
    &out.slice[..at]
}

fn nv_vec<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    out.vec.clear();
    for value in &input.values {
        let value = if SIGNED { leb128_nv::sleb128(*value as i64) } else { leb128_nv::uleb128(*value) };
        let end = out.vec.len() + value.len();
        out.vec.extend_from_slice(&value.to_bits().to_le_bytes());
        out.vec.truncate(end);
    }
    &out.vec
}

fn leb128_slice<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    let all = out.slice.len();
    let mut rest = &mut out.slice[..];
    for value in &input.values {
        let put = if SIGNED {
            leb128::write::signed(&mut rest, *value as i64)
        } else {
            leb128::write::unsigned(&mut rest, *value)
        };
        put.expect("room");
    }
    let len = all - rest.len();
    &out.slice[..len]
}

fn leb128_vec<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    out.vec.clear();
    for value in &input.values {
        let put = if SIGNED {
            leb128::write::signed(&mut out.vec, *value as i64)
        } else {
            leb128::write::unsigned(&mut out.vec, *value)
        };
        put.expect("a Vec takes all");
    }
    &out.vec
}

fn gimli_slice<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    let all = out.slice.len();
    let mut rest = &mut out.slice[..];
    for value in &input.values {
        let put = if SIGNED {
            gimli::leb128::write::signed(&mut rest, *value as i64)
        } else {
            gimli::leb128::write::unsigned(&mut rest, *value)
        };
        put.expect("room");
    }
    let len = all - rest.len();
    &out.slice[..len]
}

fn gimli_vec<'a, const SIGNED: bool>(input: &Input, out: &'a mut Output) -> &'a [u8] {
    out.vec.clear();
    for value in &input.values {
        let value = if SIGNED { Leb128::signed(*value as i64) } else { Leb128::unsigned(*value) };
        out.vec.extend(value.bytes());
    }
    &out.vec
}

fn nv_decode<const SIGNED: bool>(mut bytes: &[u8]) -> u64 {
    let mut sum = 0_u64;
    while !bytes.is_empty() {
        let (value, used) = if SIGNED {
            leb128_nv::read_sleb128(bytes).map(|(value, used)| (value as u64, used))
        } else {
            leb128_nv::read_uleb128(bytes)
        }
        .expect("valid");
        sum = sum.wrapping_add(value);
        bytes = &bytes[used..];
    }
    sum
}

fn leb128_decode<const SIGNED: bool>(mut bytes: &[u8]) -> u64 {
    let mut sum = 0_u64;
    while !bytes.is_empty() {
        let value = if SIGNED {
            leb128::read::signed(&mut bytes).map(|value| value as u64)
        } else {
            leb128::read::unsigned(&mut bytes)
        };
        sum = sum.wrapping_add(value.expect("valid"));
    }
    sum
}

fn gimli_decode<const SIGNED: bool>(bytes: &[u8]) -> u64 {
    let (mut sum, mut rest) = (0_u64, EndianSlice::new(bytes, LittleEndian));
    while !rest.is_empty() {
        let value = if SIGNED { rest.read_sleb128().map(|value| value as u64) } else { rest.read_uleb128() };
        sum = sum.wrapping_add(value.expect("valid"));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is measured where the corpus is not there.
    #[test]
    fn examples_have_numbers_of_every_kind() {
        let real = of_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"));
        assert!(!real.advances.is_empty() && !real.indices.is_empty() && !real.abbreviations.is_empty());
    }

    #[test]
    fn all_agree() {
        for input in inputs().0 {
            let mut out = Output::new(input.values.len());
            for (by, how, encode) in ENCODERS {
                let encode = encode[usize::from(input.signed)];
                assert!(encode(&input, &mut out) == input.bytes, "{by}, {how}: {}", input.name);
            }
            for (by, how, decode) in DECODERS {
                let decode = decode[usize::from(input.signed)];
                assert_eq!(decode(&input.bytes), input.sum(), "{by}, {how}: {}", input.name);
            }
        }
    }
}
