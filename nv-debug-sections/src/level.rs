//! How much debug information a compilation writes: the rule of ptxas 13.0.88.
//!
//! The same for every SM from 75 to 121 (864 runs of ptxas; the table in the project's `docs/conformance.md`).

/// What the command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// `-g`, `--device-debug`.
    pub device_debug: bool,
    /// `-lineinfo`, `--generate-line-info`.
    pub line_info: bool,
    /// `--suppress-debug-info`.
    pub suppress: bool,
}

/// What the PTX file brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PtxKind {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// A `.loc` directive occurs.
    pub has_loc: bool,
    /// `.target ..., debug`.
    pub target_debug: bool,
}

/// The three amounts of debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DebugLevel {
    /// `.debug_frame` only, which is always there.
    None,
    /// Line tables, PTX text and `.debug_str`.
    Lines,
    /// Lines, register maps, and every debug section of the PTX.
    Full,
}

/// From this version on a `.loc` alone gives line tables, without any option.
const LINES_UNASKED_SINCE: (u32, u32) = (4, 0);

impl DebugLevel {
    /// The level ptxas 13.0.88 works at.
    pub fn observed(request: Request, ptx: PtxKind) -> Self {
        let unasked = ptx.has_loc && ptx.version >= LINES_UNASKED_SINCE;
        match request {
            Request { suppress: true, .. } => Self::None,
            Request { device_debug: true, .. } => Self::Full,
            _ if ptx.target_debug => Self::Full,
            Request { line_info: true, .. } => Self::Lines,
            _ if unasked => Self::Lines,
            _ => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suppression_wins_and_target_debug_counts_as_g() {
        let ptx = PtxKind { version: (9, 0), has_loc: true, target_debug: true };
        let request = Request { line_info: true, ..Request::default() };
        assert_eq!(DebugLevel::observed(request, ptx), DebugLevel::Full);
        assert_eq!(DebugLevel::observed(Request { suppress: true, ..request }, ptx), DebugLevel::None);
    }

    #[test]
    fn loc_alone_gives_lines_from_version_4() {
        let level = |version| {
            DebugLevel::observed(Request::default(), PtxKind { version, has_loc: true, target_debug: false })
        };
        assert_eq!((level((3, 2)), level((4, 0))), (DebugLevel::None, DebugLevel::Lines));
    }
}
