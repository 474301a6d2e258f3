//! A coverage limit that a function does not meet.

use super::measure::Measure;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A coverage limit that a function does not meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// The kind of coverage that misses its limit.
    pub measure: Measure,
    /// The coverage of the function, in percent.
    pub found: f64,
    /// The limit that the function should meet, in percent.
    pub limit: f64,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (share, at_most) = match self.measure {
            Measure::Lines => ("of the instructions have a line", ""),
            Measure::Own => ("of the instructions have a line of their own", ""),
            Measure::Inherited => ("of the instructions inherit their line", "at most "),
            Measure::Variables => ("of the variables' scopes have a location", ""),
            Measure::VariablesWithoutEntry => {
                ("of the variables have a location, for .debug_info has no entry", "")
            }
        };
        write!(f, "{:.1} % {share}, expected {at_most}{} %", self.found, self.limit)
    }
}

/// One word.
impl Serialize for Shortfall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [lines, own, inherited, variables] = Self::WORDS;
        serializer.serialize_str(match self.measure {
            Measure::Lines => lines,
            Measure::Own => own,
            Measure::Inherited => inherited,
            Measure::Variables | Measure::VariablesWithoutEntry => variables,
        })
    }
}

impl JsonSchema for Shortfall {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Shortfall".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::WORDS })
    }
}

impl Shortfall {
    /// The word of each measure: of instructions with a line, with one of their own, with an
    /// inherited one; of variables.
    const WORDS: [&'static str; 4] = ["lines", "own", "inherited", "vars"];
}
