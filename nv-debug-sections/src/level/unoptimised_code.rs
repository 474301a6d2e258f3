//! Whether the code of a file was optimised: from the options in its tool notes, or from its
//! register maps.

use crate::catalog::{SectionKind, SectionName};
use crate::cubin::Cubin;
use crate::tkinfo;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// What shows that code of a file was not optimised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnoptimisedCode {
    /// The options of ptxas that turned optimisation off, as the file's notes have them: `-g`,
    /// `-O0`. Empty where no note says, and register maps show it, which ptxas writes for no
    /// optimised code.
    pub options: Vec<&'static str>,
    /// Whether it is all code of the file. False for a linked file where that is known of some
    /// inputs only.
    pub is_all: bool,
}

impl UnoptimisedCode {
    /// Looks at the notes of a file, and at its sections where the notes do not say. `None` if
    /// nothing shows that the code was not optimised.
    pub fn of(cubin: &Cubin<'_>) -> Option<Self> {
        let bytes = cubin.section_by_name(tkinfo::NAME).and_then(|index| cubin.bytes(index).ok());
        let tools = bytes.as_deref().map(|bytes| tkinfo::decode(bytes).unwrap_or_default());
        let tools = tools.unwrap_or_default();
        let mut compiled = tools.iter().filter(|tool| tool.tool.starts_with(b"ptxas")).peekable();
        if compiled.peek().is_none() {
            let has_maps = cubin.iter().any(|(_, name, _)| {
                SectionKind::from_name(name) == Some(SectionKind::NvDebugInfoRegSass)
                    && SectionName::parse(name).form.is_none()
            });
            return has_maps.then(|| Self { options: Vec::new(), is_all: tools.is_empty() });
        }
        let (mut options, mut is_all) = (BTreeSet::new(), true);
        for tool in compiled {
            let own = turned_off_by(tool.options);
            is_all &= !own.is_empty();
            options.extend(own);
        }
        (!options.is_empty()).then(|| Self { options: options.into_iter().collect(), is_all })
    }
}

impl fmt::Display for UnoptimisedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_all { "code not optimised" } else { "part of the code not optimised" })?;
        if self.options.is_empty() { Ok(()) } else { write!(f, " ({})", self.options.join(", ")) }
    }
}

/// The options in a command line of ptxas that turn optimisation off.
fn turned_off_by(options: &[u8]) -> Vec<&'static str> {
    let words: Vec<&[u8]> =
        options.split(|byte| matches!(byte, b' ' | b'=')).filter(|word| !word.is_empty()).collect();
    let has_debug = words.iter().any(|word| matches!(*word, b"-g" | b"--device-debug" | b"-device-debug"));
    // The last level counts.
    let level = words.iter().enumerate().rev().find_map(|(index, word)| match *word {
        b"-O" | b"--opt-level" | b"-opt-level" => words.get(index + 1).copied(),
        word => word.strip_prefix(b"-O").filter(|level| level.iter().all(u8::is_ascii_digit)),
    });
    let found = [has_debug.then_some("-g"), (level == Some(b"0")).then_some("-O0")];
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_ptxas_that_turn_optimisation_off() {
        // The first three are those of ptxas 13.0.88.
        for (options, found) in [
            ("-no-bb-merge  -ret-end  -g  -o a.cubin -arch sm_80 -m 64 ", &["-g"][..]),
            ("-lineinfo  -O 0 -arch sm_80 -m 64 ", &["-O0"]),
            ("-lineinfo  -arch sm_80 -m 64 ", &[]),
            ("-O0 -arch sm_80", &["-O0"]),
            ("--opt-level=0", &["-O0"]),
            ("-O 0 -O 3", &[]),
            ("-O3 -g", &["-g"]),
            ("-g -O 0", &["-g", "-O0"]),
            ("-o -g.cubin -O", &[]),
            ("", &[]),
        ] {
            assert_eq!(turned_off_by(options.as_bytes()), found, "{options}");
        }
    }
}
