//! The three amounts of debug information, and which of them ptxas works at.

use schemars::JsonSchema;
use serde::Serialize;

/// The ptxas options that decide how much debug information it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DebugOptions {
    /// Whether the option `-g` (`--device-debug`) is given.
    pub device_debug: bool,
    /// Whether the option `-lineinfo` (`--generate-line-info`) is given.
    pub line_info: bool,
    /// Whether the option `--suppress-debug-info` is given.
    pub suppress: bool,
}

/// The PTX directives that decide how much debug information ptxas writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LevelDirectives {
    /// The PTX version in the `.version` directive, major and minor.
    pub version: (u32, u32),
    /// Whether the PTX has a `.loc` directive.
    pub has_loc: bool,
    /// Whether the `.target` directive has the word `debug`.
    pub target_debug: bool,
}

/// How much debug information a file has: call frames only, lines, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DebugLevel {
    /// Call frames at most: `.debug_frame`, which files for sm_70 and later always have.
    #[serde(rename = "frame")]
    None,
    /// Lines: line tables, PTX text and `.debug_str`.
    Lines,
    /// All debug information: lines, register maps, and every debug section of the PTX.
    Full,
}

/// From this version on a `.loc` alone gives line tables, without any option.
const LINES_UNASKED_SINCE: (u32, u32) = (4, 0);

impl DebugLevel {
    /// The name of the debug level, as `docs/conformance.md` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "frame",
            Self::Lines => "lines",
            Self::Full => "full",
        }
    }

    /// Returns the debug level for which ptxas 13.0.88 writes sections, given its options and the
    /// directives of the PTX.
    pub fn ptxas_level(request: DebugOptions, ptx: LevelDirectives) -> Self {
        let unasked = ptx.has_loc && ptx.version >= LINES_UNASKED_SINCE;
        match request {
            DebugOptions { suppress: true, .. } => Self::None,
            DebugOptions { device_debug: true, .. } => Self::Full,
            _ if ptx.target_debug => Self::Full,
            DebugOptions { line_info: true, .. } => Self::Lines,
            _ if unasked => Self::Lines,
            _ => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a PTX file brings, and the level without options, with `-lineinfo` and with `-g`.
    /// Observed: 864 runs of ptxas 13.0.88, all SMs from 75 to 121 alike.
    const OBSERVED: [(&str, LevelDirectives, [DebugLevel; 3]); 5] = {
        use DebugLevel::{Full, Lines, None};
        const fn ptx(version: (u32, u32), has_loc: bool, target_debug: bool) -> LevelDirectives {
            LevelDirectives { version, has_loc, target_debug }
        }
        [
            ("no .loc", ptx((9, 0), false, false), [None, Lines, Full]),
            (".loc", ptx((9, 0), true, false), [Lines, Lines, Full]),
            (".loc, the first version where it counts", ptx((4, 0), true, false), [Lines, Lines, Full]),
            (".loc, the last version where it does not", ptx((3, 2), true, false), [None, Lines, Full]),
            (".target debug", ptx((9, 0), true, true), [Full, Full, Full]),
        ]
    };

    #[test]
    fn every_combination_gives_what_was_observed() {
        for (name, ptx, [no_option, line_info_alone, debug]) in OBSERVED {
            for bits in 0..8_u8 {
                let [device_debug, line_info, suppress] = [1, 2, 4].map(|bit| bits & bit != 0);
                let level = match (suppress, device_debug, line_info) {
                    (true, ..) => DebugLevel::None,
                    (_, true, _) => debug, // with or without -lineinfo, which is ignored
                    (_, _, true) => line_info_alone,
                    _ => no_option,
                };
                let request = DebugOptions { device_debug, line_info, suppress };
                assert_eq!(DebugLevel::ptxas_level(request, ptx), level, "{name}: {request:?}");
            }
        }
    }
}
