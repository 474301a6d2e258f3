//! Recognises files that are not what a command expects, so that a message can name their kind.

use nv_debug_sections::container::FileKind;

/// How many bytes of a text are looked at.
const LOOKED_AT: usize = 1 << 12;

const LLVM_IR: &str = "LLVM IR";
const MACH_O: &str = "a Mach-O file of macOS";
const NO_CUDA: &str = "the last CUDA for macOS was 10.2; only ELF files and files of Windows are looked into";

/// Files that no command reads, by their first bytes: what each is, and what to do.
const MAGICS: [(&[u8], &str, &str); 18] = [
    (b"\x1f\x8b", "a gzip file", "gunzip it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "decompress it with `unzstd` first"),
    (b"\xfd7zXZ\0", "an xz file", "decompress it with `unxz` first"),
    (b"BZh", "a bzip2 file", "decompress it with `bunzip2` first"),
    (b"PK\x03\x04", "a zip file, as Python wheels are", "unzip it first"),
    (b"BC\xc0\xde", "LLVM bitcode", "`llc -mcpu=sm_90` makes PTX of it"),
    (b"MZ", "a DOS program", "only ELF files and files of Windows are looked into"),
    (b"\xcf\xfa\xed\xfe", MACH_O, NO_CUDA),
    (b"\xce\xfa\xed\xfe", MACH_O, NO_CUDA),
    (b"\xfe\xed\xfa\xcf", MACH_O, NO_CUDA),
    (b"\xfe\xed\xfa\xce", MACH_O, NO_CUDA),
    // Of several architectures. Java has the same first four bytes, and larger numbers after them.
    (b"\xca\xfe\xba\xbe\0\0\0\x01", MACH_O, NO_CUDA),
    (b"\xca\xfe\xba\xbe\0\0\0\x02", MACH_O, NO_CUDA),
    (b"\xca\xfe\xba\xbe\0\0\0\x03", MACH_O, NO_CUDA),
    (b"SQLite format 3\0", "an SQLite file, as reports of Nsight Systems are", "it has no GPU code"),
    (b"\x89PNG", "a PNG picture", "it has no GPU code"),
    (b"\xff\xd8\xff", "a JPEG picture", "it has no GPU code"),
    (b"%PDF", "a PDF document", "it has no GPU code"),
];

/// Texts by words of theirs that PTX cannot have: what each is, and what to do.
const TEXTS: [(&[&str], &str, &str); 6] = [
    (&[".headerflags", "code for sm_"], "SASS text", "the cubin that it was made from is needed"),
    (
        &["; ModuleID", "source_filename =", "target triple =", "target datalayout ="],
        LLVM_IR,
        "`llc -mcpu=sm_90` makes PTX of it",
    ),
    (&["llvm.func", "gpu.module", "tt.func"], "MLIR", "the compiler's PTX is needed"),
    (
        &["__global__", "__device__", "#include <", "#include \""],
        "C++",
        "`nvcc -ptx` or `clang++ -S` makes PTX of it",
    ),
    (&["import triton", "import numba", "import cutlass"], "Python", "the compiler's PTX or cubin is needed"),
    (&["<!DOCTYPE", "<html"], "a web page", "it has no GPU code"),
];

/// What the bytes are, and what to do, where no command reads such a file.
fn unread(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let by_magic = MAGICS.iter().find(|(magic, ..)| bytes.starts_with(magic));
    if let Some((_, what, how)) = by_magic {
        return Some((what, how));
    }
    // What begins as PTX does is PTX, whatever comes then.
    let is_known = FileKind::of(bytes).is_some();
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]);
    let is_text = |(words, ..): &&(&[&str], _, _)| words.iter().any(|word| has_line(&start, word));
    let (_, what, how) = TEXTS.iter().find(is_text).filter(|_| !is_known)?;
    Some((what, how))
}

/// Whether a line begins with the word; what is in a comment or a string is something else.
fn has_line(text: &str, word: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("extern \"C\"").trim_start();
        line.starts_with(word)
    })
}

/// Returns a message that names the kind of a file that is not PTX, and says what to do. `name` is
/// used for the commands in the message. `None` if the kind is unknown.
pub fn not_ptx(bytes: &[u8], name: &str) -> Option<(&'static str, String)> {
    let what = match FileKind::of(bytes) {
        Some(FileKind::Ptx) => return None,
        None => return unread(bytes).map(|(what, how)| (what, how.to_owned())),
        Some(FileKind::Cubin) => {
            let how = format!(
                "`ptxas-driver verify {name}` checks it, `ptxas-driver dump {name} --section .nv_debug_ptx_txt` shows the PTX that it may have"
            );
            return Some(("a cubin", how));
        }
        Some(FileKind::Host) => "a program or library of a host",
        Some(FileKind::Fatbin) => "a fatbin",
        Some(FileKind::Archive) => "an archive",
        Some(FileKind::Nvvm) => "NVVM IR",
    };
    Some((what, format!("`ptxas-driver extract {name} -o DIR` takes out the PTX that it may have")))
}

/// Returns a message that names the kind of a file that no command reads as GPU code, and says what
/// to do. `None` if the kind is unknown.
pub fn not_gpu_code(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    if FileKind::of(bytes).is_some() { None } else { unread(bytes) }
}

/// Returns whether a file is LLVM IR as text, by its words.
pub fn is_llvm_ir(bytes: &[u8]) -> bool {
    FileKind::of(bytes).is_none() && unread(bytes).is_some_and(|(what, _)| what == LLVM_IR)
}

/// Returns what a file is that is not LLVM IR. `None` for LLVM IR and where the kind is unknown.
pub fn not_llvm_ir(bytes: &[u8]) -> Option<&'static str> {
    match FileKind::of(bytes) {
        Some(FileKind::Ptx) => Some("PTX"),
        Some(FileKind::Cubin) => Some("a cubin"),
        Some(FileKind::Host) => Some("a program or library of a host"),
        Some(FileKind::Fatbin) => Some("a fatbin"),
        Some(FileKind::Archive) => Some("an archive"),
        Some(FileKind::Nvvm) => Some("NVVM IR in a container"),
        None => unread(bytes).map(|(what, _)| what).filter(|what| *what != LLVM_IR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_and_ptx_is_not() {
        for (bytes, what) in [
            (&b"// a kernel\nextern \"C\" __global__ void k() {}"[..], Some("C++")),
            (b"#include <cstdio>", Some("C++")),
            (b"; ModuleID = 'k'\n", Some("LLVM IR")),
            (b"\t.headerflags\t@\"EF_CUDA_SM90\"\n", Some("SASS text")),
            (b"\x1f\x8b\x08", Some("a gzip file")),
            (b"\xfe\xed\xfa\xcf\x01", Some("a Mach-O file of macOS")),
            (b"\xca\xfe\xba\xbe\0\0\0\x02", Some("a Mach-O file of macOS")),
            (b"\xca\xfe\xba\xbe\0\0\0\x34", None),
            (b"MZ\x90", Some("a DOS program")),
            (b"\x7fELF\x02", Some("a program or library of a host")),
            (b".version 8.0\n__global__", None),
            (b".target sm_90\n// __global__", None),
            (b"", None),
            (b"\xff", None),
        ] {
            assert_eq!(not_ptx(bytes, "k").map(|(what, _)| what), what, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
