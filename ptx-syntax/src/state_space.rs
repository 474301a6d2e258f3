//! State spaces.

use crate::keywords::keywords;

keywords! {
    /// Where a variable lives (PTX ISA §State Spaces).
    StateSpace {
        Reg = ".reg", Sreg = ".sreg", Const = ".const", Global = ".global", Local = ".local", Param = ".param",
        Shared = ".shared", Tex = ".tex",
    }
}
