//! Linkage of functions and variables.

use crate::keywords::keywords;

keywords! {
    /// Who sees a name (PTX ISA §Linking Directives).
    Linkage { Visible = ".visible", Weak = ".weak", Extern = ".extern", Common = ".common",
        /// Only this module.
        None = "",
    }
}
