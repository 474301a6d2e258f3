//! Real inputs, from `examples/`, and ways to damage them.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is a failed test")]

use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::container::Container;
use nv_debug_sections::cubin::{Cubin, Section, sht};

/// Pseudo-random numbers (xorshift64): the same in every run with the same seed.
#[derive(Debug)]
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl Random {
    /// Creates the generator with the seed in `$NVDWARF_SEED`, or else with that of `default`.
    pub fn from_environment() -> Self {
        let mut random = Self::default();
        if let Some(seed) = seed() {
            random.0 ^= seed.parse::<u64>().expect("NVDWARF_SEED is a number").max(1);
            (0..8).for_each(|_| _ = random.number());
        }
        random
    }

    /// Returns the next pseudo-random number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a pseudo-random number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() >> 16) as usize % end.max(1)
    }
}

fn seed() -> Option<String> {
    env::var("NVDWARF_SEED").ok()
}

/// Saves an input if a panic occurs: in the folder that `$NVDWARF_FINDINGS` names, or else in the
/// temporary folder.
#[derive(Debug)]
pub struct SaveOnPanic<'a> {
    /// Name of the test: a part of the file's name.
    pub test: &'a str,
    /// The input.
    pub data: &'a [u8],
}

impl Drop for SaveOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let folder = env::var_os("NVDWARF_FINDINGS").map_or_else(env::temp_dir, PathBuf::from);
            let seed = seed().unwrap_or_else(|| "default".into());
            let path = folder.join(format!("nvdwarf-{}-{seed}.input", self.test));
            let written = fs::write(&path, self.data);
            #[allow(clippy::print_stderr, reason = "a panic is a failed test")]
            {
                eprintln!("the input that failed is {} ({written:?})", path.display());
            }
        }
    }
}

/// Every file `examples/*/*.EXTENSION`.
pub(crate) fn files(extension: &str) -> Vec<Vec<u8>> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folders = fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path());
    let all = folders.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap());
    let mut paths: Vec<_> = all.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The smallest cubins with a capsule that are checked in, and each without it.
pub(crate) fn capsules() -> Vec<Vec<u8>> {
    const COUNT: usize = 6;
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs");
    let mut paths: Vec<_> = fs::read_dir(pairs).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".cubin"));
    paths.sort();
    let mut all: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    all.retain(|file| Cubin::parse(file).unwrap().has_capsule());
    all.sort_by_key(Vec::len);
    all.truncate(COUNT);
    for number in 0..all.len() {
        let mut native = Cubin::parse(&all[number]).unwrap();
        native.remove_capsule().unwrap();
        let native = native.write().unwrap();
        all.push(native);
    }
    all
}

/// Returns the cubins in the repository, with their names. All kinds are among them, and none is
/// above 40 kB.
pub fn pairs() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders =
        ["examples/block_sum", "examples/saxpy", "ptxas-driver/tests/pairs", "cubin-debuginfo/tests/data"];
    let all = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<_> = all.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cubin"));
    paths.sort();
    assert!(paths.len() > 50);
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

/// The modules that are checked in beside their cubins.
pub(crate) fn pair_texts() -> Vec<Vec<u8>> {
    let mut texts: Vec<_> = texts_with_cubins().into_iter().map(|(text, _)| text).collect();
    texts.dedup();
    texts
}

/// PTX modules, each with the cubin that was made from it.
pub(crate) fn texts_with_cubins() -> Vec<(Vec<u8>, Vec<u8>)> {
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs");
    let mut paths: Vec<_> = fs::read_dir(&pairs).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cubin"));
    paths.sort();
    assert!(paths.len() > 50);
    let text = |cubin: &Path| {
        let name = cubin.file_name().unwrap().to_str().unwrap();
        let name = name.split('.').next().unwrap();
        fs::read(pairs.join(name).with_extension("ptx")).unwrap()
    };
    paths.iter().map(|path| (text(path), fs::read(path).unwrap())).collect()
}

/// Returns fatbins by themselves, in a host object and in an archive: the kinds of file that
/// `container` reads.
pub fn containers() -> Vec<Vec<u8>> {
    let mut all = files("fatbin");
    let fatbin = all.iter().min_by_key(|file| file.len()).unwrap();
    let object = host_object(fatbin);
    let member = format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "a.o/", 0, 0, 0, 644, object.len());
    let archive = [b"!<arch>\n", member.as_bytes(), &object].concat();
    all.extend([object, archive, NVVM.to_vec()]);
    for file in &all {
        assert!(Container::parse(file).unwrap().entries().map(Result::unwrap).count() > 0);
    }
    all
}

/// The head of an .ltoir file of nvcc 13.0.88, sm_90.
pub(crate) const NVVM: &[u8] =
    b"\xed\x43\x4e\x7f\x01\x41\x02\x62\x03\x02\x07\0\x18\0\x01\0\x28\0\0\0\x2c\0\0\0\
                      \x01\0\x84\x03\x02\0\x02\0\x63\0\0\0\0\0\0\0\x47\x27\x4d\x14";

/// A host object (x86-64 ELF) with a fatbin in `.nv_fatbin`: header, fatbin, names, three section
/// headers.
pub(crate) fn host_object(fatbin: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.shstrtab\0.nv_fatbin\0";
    let names = 64 + fatbin.len() as u64;
    let table = names + NAMES.len() as u64;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0\x01\0\0\0".to_vec();
    file.extend([0, 0, table].map(u64::to_le_bytes).concat());
    file.extend([0, 0, 64, 0, 0, 64, 3, 1].map(u16::to_le_bytes).concat());
    file.extend([fatbin, NAMES].concat());
    for (name, kind, offset, size) in
        [(0_u32, 0_u32, 0, 0), (1, 3, names, NAMES.len()), (11, 1, 64, fatbin.len())]
    {
        file.extend([name, kind].map(u32::to_le_bytes).concat());
        file.extend([0, 0, offset, size as u64, 0, 1, 0].map(u64::to_le_bytes).concat());
    }
    file
}

/// Modules with one of each construct, as `examples/` has none.
pub(crate) fn ptx_constructs() -> Vec<Vec<u8>> {
    vec![include_bytes!("seeds/constructs.ptx").to_vec(), include_bytes!("seeds/at_dwarf.ptx").to_vec()]
}

/// Small modules with what `fix` repairs.
pub(crate) fn faulty_modules() -> Vec<Vec<u8>> {
    let texts = [
        ".version 3.0\n.target sm_30, debug\n.file 1 \"a\"\n.file 1 \"b\", 0, 6\n.file 5 \"a\"\n.file 70000 \"\u{e9}\"\n.func f()\n{\n\
         .file 2 \"c\"\n.loc 1 10 3\n.loc 1 10 3\n{ .loc 5 9 3, function_name n+1, inlined_at 1 10 3 }\n.section .debug_loc { .b8 1 }\nret; }\n",
        ".version 7.0\n.target sm_80, debug\n.global .b8 f_$_k[2], g.k;\n// \u{e9}\n.section .debug_info {\n.b32 e-b\nb: .b16 -1, 0x10\n\
         .b64 1, -5, 0x123456789abcdef0, 7\n.b64 f.k\n.b64 f_$_k\n.b32 b\n.b32 b\n.b64 g.k\n.b64 b-e\n.b8 -0\n.file 1 \"a\", 1, 2\ne: }\n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// The debug sections of the example cubins and `.nv.info`, as they lie in the files.
pub(crate) fn sections() -> Vec<Vec<u8>> {
    sections_where(|name, section| SectionName::parse(name).is_debug_contents() || is_info(name, section))
}

/// `.debug_abbrev` and `.debug_info` of each example, after the length of the first in 4 bytes.
pub(crate) fn info_and_abbrev() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for file in files("cubin") {
        let cubin = Cubin::parse(&file).unwrap();
        let bytes = |kind: SectionKind| {
            let (index, ..) = cubin.iter().find(|(_, name, _)| *name == kind.name())?;
            Some(cubin.bytes(index).unwrap().into_owned())
        };
        if let (Some(abbrev), Some(info)) = (bytes(SectionKind::DebugAbbrev), bytes(SectionKind::DebugInfo)) {
            all.push([&(abbrev.len() as u32).to_le_bytes()[..], &abbrev, &info].concat());
        }
    }
    assert!(!all.is_empty());
    all
}

/// The sections of these kinds, Mercury copies included.
pub(crate) fn sections_of(kinds: &[SectionKind]) -> Vec<Vec<u8>> {
    sections_where(|name, _| {
        let name = SectionName::parse(name);
        name.form.is_none() && name.kind().is_some_and(|kind| kinds.contains(&kind))
    })
}

/// `.nv.info` and `.nv.info.F`, copies for Mercury included.
pub(crate) fn is_info(_: &str, section: &Section<'_>) -> bool {
    matches!(section.sh_type, sht::CUDA_INFO | sht::MERC_INFO)
}

/// Those that `pick` takes, by name and header.
pub(crate) fn sections_where(pick: impl Fn(&str, &Section<'_>) -> bool) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for file in files("cubin") {
        let cubin = Cubin::parse(&file).unwrap();
        let picked = cubin.iter().filter(|(_, name, section)| pick(name, section));
        all.extend(picked.map(|(index, ..)| cubin.bytes(index).unwrap().into_owned()));
    }
    assert!(!all.is_empty());
    all
}

/// Damages a text in one to four lines, which are removed, repeated, moved, or get another number.
/// Most results are still PTX.
pub(crate) fn mutate_lines(text: &[u8], random: &mut Random) -> Vec<u8> {
    const NUMBERS: [&[u8]; 6] = [b"0", b"1", b"255", b"65536", b"2147483648", b"4294967295"];
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(4) {
        let (from, to) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(6) {
            0 => drop(lines.remove(from)),
            1 => lines.insert(to, lines[from].clone()),
            2 => lines.swap(from, to),
            _ => {
                let line = &mut lines[from];
                let digits = line.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
                let places: Vec<usize> = digits.map(|(at, _)| at).collect();
                if let Some(&at) = places.get(random.below(places.len())) {
                    line.splice(at..=at, NUMBERS[random.below(NUMBERS.len())].iter().copied());
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.concat()
}

/// Returns one seed with one to four faults: flipped bits, small or extreme numbers, cuts, splices,
/// repeats.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut data = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(data.len());
        let rest = data.len() - at;
        match random.below(8) {
            0..=2 if rest != 0 => data[at] ^= 1 << random.below(8),
            3..=4 if rest != 0 => {
                let value = [0, 1, 0x7f, 0x80, 0xff, random.number() as u8][random.below(6)];
                let end = at + [1, 2, 4, 8][random.below(4)].min(rest);
                data[at..end].fill(value);
            }
            5 if random.below(4) == 0 => data.truncate(at),
            6 => {
                // Another seed's bytes in place of some of this one's.
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let len = random.below(64).min(other.len() - from);
                let end = at + random.below(64).min(rest);
                data.splice(at..end, other[from..from + len].iter().copied());
            }
            7 => {
                let chunk = data[at..at + random.below(48).min(rest)].to_vec();
                let chunks = chunk.repeat(random.below(16));
                data.splice(at..at, chunks);
            }
            _ => {}
        }
    }
    data
}
