//! Names in `.file` and in file tables that are not names of files.

use dwarf2_reader::source_path;

/// The kinds of name that stand in `.file` but do not name a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAFile {
    /// A name that a compiler or front end invents where it is given none, or for code that is
    /// typed into a cell or at a prompt.
    Placeholder,
    /// A name in angle brackets that no tool is known to invent. The author of the source has
    /// chosen it.
    Bracketed,
}

/// Most digits of the number of a process: it has 32 bits.
const PROCESS_DIGITS: usize = 10;

/// Names of online compilers and front ends for a source without a name. `none` is Julia's.
const PLACEHOLDERS: [&str; 7] =
    ["default_program", "stdin", "-", "unknown", "source.cu", "compute_sass.ptx", "none"];

/// The same in angle brackets, in small letters: of GCC, Clang, Python, Numba and NVRTC.
const BRACKETED: [&str; 12] = [
    "stdin",
    "unknown",
    "unknown file",
    "invalid",
    "none",
    "anonymous",
    "string",
    "built-in",
    "builtin",
    "command line",
    "command-line",
    "inline asm",
];

/// Returns the kind of a name that does not name a file; `None` if it names one. `folder` is the
/// path before the name, which may be empty.
pub fn not_a_file(folder: &[u8], name: &[u8]) -> Option<NotAFile> {
    if let Some(bare) = name.strip_prefix(b"<").and_then(|name| name.strip_suffix(b">")) {
        let is_invented = BRACKETED.iter().any(|known| bare.eq_ignore_ascii_case(known.as_bytes()))
            || bare.starts_with(b"ipython-input-");
        return Some(if is_invented { NotAFile::Placeholder } else { NotAFile::Bracketed });
    }
    let is_placeholder = PLACEHOLDERS.iter().any(|known| name == known.as_bytes())
        || is_numbered(name, b"In[", b"]")
        || is_numbered(name, b"REPL[", b"]")
        || is_numbered(name, b"", b".py") && is_of_ipykernel(folder);
    is_placeholder.then_some(NotAFile::Placeholder)
}

/// The same of a whole path, which separators of either kind divide.
pub fn not_a_file_at(path: &str) -> Option<NotAFile> {
    let name = source_path::file_name(path);
    not_a_file(
        path.get(..path.len() - name.len()).unwrap_or_default().trim_end_matches(['/', '\\']).as_bytes(),
        name.as_bytes(),
    )
}

/// `In[12]` is a cell of IJulia, `REPL[41]` the prompt of Julia.
fn is_numbered(name: &[u8], before: &[u8], after: &[u8]) -> bool {
    let number = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// ipykernel names a cell `ipykernel_PROCESS/HASH.py`, in the folder for temporary files, and
/// writes no such file.
fn is_of_ipykernel(folder: &[u8]) -> bool {
    // A folder of a stranger may be long, and be that of many files.
    let digits = folder.iter().rev().take(PROCESS_DIGITS + 1).take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    let before = folder.get(..folder.len() - digits).and_then(|path| path.strip_suffix(b"ipykernel_"));
    (1..=PROCESS_DIGITS).contains(&digits)
        && before.is_some_and(|path| path.last().is_none_or(|last| b"/\\".contains(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells_and_prompts_are_placeholders() {
        for (path, expected) in [
            ("/tmp/ipykernel_30517/2218865044.py", Some(NotAFile::Placeholder)),
            (r"C:\Temp\ipykernel_7720\916630381.py", Some(NotAFile::Placeholder)),
            ("/tmp/ipykernel_30517/model.py", None),
            ("/tmp/run_30517/2218865044.py", None),
            ("2218865044.py", None),
            ("ipykernel_1/2.py", Some(NotAFile::Placeholder)),
            ("my_ipykernel_1/2.py", None),
            ("ipykernel_/2.py", None),
            ("ipykernel_12345678901/2.py", None),
            ("In[12]", Some(NotAFile::Placeholder)),
            ("In[]", None),
            ("In[a]", None),
            ("REPL[41]", Some(NotAFile::Placeholder)),
            ("./none", Some(NotAFile::Placeholder)),
            ("none.jl", None),
            ("src/relax.jl", None),
            ("dir/<stdin>", Some(NotAFile::Placeholder)),
            ("<jit:kernel_0>", Some(NotAFile::Bracketed)),
            ("<a>.cu", None),
            ("<", None),
            ("", None),
        ] {
            assert_eq!(not_a_file_at(path), expected, "{path}");
        }
    }
}
