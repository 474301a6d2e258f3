//! The format `concise`: one line for each finding, as compilers write it.

use super::Words;
use crate::{LocatedFinding, Region};
use std::fmt;

/// Writes a finding as `FILE:LINE:COLUMN: SEVERITY[CODE]: MESSAGE`.
///
/// A finding without a line, as all are in a cubin, is at line 1, column 1: Vim's default
/// `errorformat`, Emacs' `compile` and the problem matcher `$gcc` of VS Code all take
/// `FILE:LINE:COLUMN:` with numbers from 1 on, and open the file at its start. Section, offset and
/// function begin the message, and so does the image of a file with several: as part of the file's
/// name, its number would be taken for the line.
#[derive(Debug, Clone, Copy)]
pub struct Concise<'f>(pub &'f LocatedFinding);

impl fmt::Display for Concise<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocatedFinding { code, severity, place, .. } = self.0;
        let (line, column) = place.region.map_or((1, 1), |Region { line, column, .. }| (line, column));
        write!(f, "{}:{line}:{column}: {}[{code}]: {}", place.file.path, severity.as_str(), Words(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::{of_image, of_text};

    #[test]
    fn a_finding_is_a_line() {
        let text = Concise(&of_text()).to_string();
        // The caller escapes the line end, as it does all that steers a terminal.
        assert_eq!(text, "a b/k,1.ptx:3:5: error[A001]: 100% wrong,\nand: more");
        let image = Concise(&of_image()).to_string();
        assert_eq!(image, "lib.a:1:1: note[A101]: sm_90:2: .debug_line+0x10: _Z3addPf: 0; expected 1");
    }
}
