//! The format `sarif`: SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format). One run of
//! a command is a value for serde.

use super::Words;
use crate::subject::fnv1a;
use crate::{Catalog, FindingFile, LocatedFinding, Region, RuleText, Severity};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The findings of one run of a command, to be written as SARIF.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    /// The name of the program.
    pub program: &'r str,
    /// The version of the program.
    pub version: &'r str,
    /// The name of the command that was run.
    pub command: &'r str,
    /// The rules of the command.
    pub rules: &'r Catalog,
    /// The listed findings, with their places in files.
    pub findings: &'r [LocatedFinding],
    /// The findings that are only counted: file, code of the rule, and number of findings.
    pub unlisted: &'r [(FindingFile, &'static str, usize)],
    /// The files that could not be read, each with the error.
    pub faults: &'r [(FindingFile, String)],
    /// The exit status of the program.
    pub exit_code: u8,
}

/// A SARIF log with one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [LogRun; 1],
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogRun {
    tool: Tool,
    automation_details: Id,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Id {
    id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: String,
    semantic_version: String,
    rules: Vec<Descriptor>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    name: String,
    short_description: Text,
    full_description: Text,
    help: Text,
    default_configuration: Configuration,
    properties: Tags,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Tags {
    tags: [&'static str; 1],
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
    locations: [Location; 1],
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
}

/// The first is ours, the second is the one that GitHub reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    #[serde(rename = "ruleFileSubject/v1")]
    rule_file_subject: String,
    primary_location_line_hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_field_names, reason = "SARIF's names")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<SarifRegion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    kind: &'static str,
    name: String,
    fully_qualified_name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    kind: &'static str,
    name: String,
    fully_qualified_name: String,
}

/// Converts a run to a SARIF log.
pub fn log(run: &Run<'_>) -> Log {
    let Run { program, version, command, rules, findings, unlisted, faults, exit_code } = *run;
    let mut seen = HashMap::new();
    let results = findings.iter().map(|finding| SarifResult::new(finding, rules, &mut seen));
    let more = unlisted.iter().map(|(file, code, count)| {
        notification("note", file, format!("{count} more of {code} are counted and not listed"))
    });
    let errors = faults.iter().map(|(file, error)| notification("error", file, error.clone()));
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [LogRun {
            results: results.collect(),
            tool: Tool {
                driver: Driver {
                    name: program.to_owned(),
                    semantic_version: version.to_owned(),
                    rules: rules.rules().iter().map(Descriptor::new).collect(),
                },
            },
            automation_details: Id { id: format!("{program}/{command}/") },
            invocations: [Invocation {
                execution_successful: faults.is_empty(),
                exit_code,
                tool_execution_notifications: errors.chain(more).collect(),
            }],
            column_kind: "unicodeCodePoints",
        }],
    }
}

fn notification(level: &'static str, file: &FindingFile, text: String) -> Notification {
    Notification { level, message: Text { text }, locations: [Location::new(file, None)] }
}

const fn level(severity: Severity) -> &'static str {
    // The words are the same.
    severity.as_str()
}

impl Descriptor {
    fn new(rule: &RuleText) -> Self {
        // The first paragraph has code and name, which are there already.
        let explanation = rule.explanation().to_string();
        let help = explanation.split_once("\n\n").map_or("", |(_, help)| help);
        Self {
            id: rule.code,
            name: pascal_case(rule.name),
            short_description: Text { text: rule.summary.to_owned() },
            full_description: Text {
                text: match &rule.more.why {
                    Some(why) => format!("{} {why}", rule.summary),
                    None => rule.summary.to_owned(),
                },
            },
            help: Text { text: help.to_owned() },
            default_configuration: Configuration { level: level(rule.severity) },
            properties: Tags { tags: [rule.subject] },
        }
    }
}

/// `line-end` as `LineEnd`: SARIF asks for one word.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').filter_map(|word| word.split_at_checked(1));
    words.map(|(first, rest)| first.to_ascii_uppercase() + rest).collect()
}

impl SarifResult {
    /// `seen` counts findings that are the same as another, which have numbers then.
    fn new(finding: &LocatedFinding, rules: &Catalog, seen: &mut HashMap<u64, usize>) -> Self {
        let LocatedFinding { code, severity, place, related, help, subject, .. } = finding;
        let mut text = Words(finding).to_string();
        if let Some(help) = help {
            let _ = write!(text, "\nhelp: {help}");
        }
        let related = related.iter().map(|(region, words)| {
            let message = Some(Text { text: words.clone() });
            Location { id: Some(1), message, ..Location::new(&place.file, Some(*region)) }
        });
        let hash = fnv1a(&[code, &place.file.stable(), subject]);
        let number = seen.entry(hash).or_default();
        *number += 1;
        let fingerprint = format!("{hash:016x}:{number}");
        Self {
            rule_id: code,
            rule_index: rules.position(code),
            level: level(*severity),
            message: Text { text },
            locations: [Location::of(finding)],
            related_locations: related.collect(),
            partial_fingerprints: Fingerprints {
                rule_file_subject: fingerprint.clone(),
                primary_location_line_hash: fingerprint,
            },
        }
    }
}

impl Location {
    fn new(file: &FindingFile, region: Option<Region>) -> Self {
        let artifact_location = Artifact { uri: uri(&file.path) };
        let region = region.map(|Region { line, column, end_line, end_column }| SarifRegion {
            start_line: line,
            start_column: column,
            end_line,
            end_column,
        });
        Self {
            id: None,
            physical_location: PhysicalLocation { artifact_location, region, address: None },
            logical_locations: Vec::new(),
            message: None,
        }
    }

    fn of(finding: &LocatedFinding) -> Self {
        let place = &finding.place;
        // GitHub takes no result without a line: what has none is at the start of its file.
        let start = Region { line: 1, column: 1, end_line: 1, end_column: 1 };
        let mut location = Self::new(&place.file, Some(place.region.unwrap_or(start)));
        location.physical_location.address = place.section.as_ref().map(|at| Address {
            kind: "section",
            name: at.section.clone(),
            fully_qualified_name: format!("{}+{:#x}", at.section, at.offset),
        });
        let parts = [
            ("module", place.file.image.as_ref()),
            ("section", place.section.as_ref().map(|at| &at.section)),
            ("function", place.function.as_ref()),
        ];
        let parts = parts.into_iter().filter_map(|(kind, name)| Some((kind, name?)));
        location.logical_locations = parts
            .map(|(kind, name)| {
                let image = place.file.image.as_ref().filter(|_| kind != "module");
                let full = image.map_or_else(|| name.clone(), |image| format!("{image}/{name}"));
                LogicalLocation { kind, name: name.clone(), fully_qualified_name: full }
            })
            .collect();
        location
    }
}

/// A path as a URI reference (RFC 3986): relative ones stay relative, absolute ones are of the
/// scheme `file`.
fn uri(path: &str) -> String {
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tests::Row;
    use crate::format::tests::{of_image, of_text};
    use serde_json::{Value, json};

    fn log_of(findings: &[LocatedFinding], faults: &[(FindingFile, String)]) -> Value {
        let unlisted = [(FindingFile::new("k.ptx", None), "A001", 3)];
        let run = Run {
            program: "ptxas-driver",
            version: "0.1.0",
            command: "check",
            rules: &Catalog::of::<Row>(),
            findings,
            unlisted: &unlisted,
            faults,
            exit_code: 1,
        };
        serde_json::to_value(log(&run)).unwrap()
    }

    #[test]
    fn results_have_rules_levels_and_places() {
        let log = log_of(&[of_text(), of_image()], &[]);
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        let [text, image] = [&run["results"][0], &run["results"][1]];
        assert_eq!(driver["rules"][text["ruleIndex"].as_u64().unwrap() as usize]["id"], text["ruleId"]);
        assert_eq!(driver["rules"][3]["name"], "FourthRule");
        assert_eq!((&text["level"], &image["level"]), (&json!("error"), &json!("note")));
        let place = &text["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/k%2C1.ptx");
        let region = json!({"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9});
        assert_eq!(place["region"], region);
        assert_eq!(text["message"]["text"], "100% wrong,\nand: more\nhelp: drop it");
        assert_eq!(text["relatedLocations"][0]["message"]["text"], "first one");
        let logical = json!([
            {"kind": "module", "name": "sm_90:2", "fullyQualifiedName": "sm_90:2"},
            {"kind": "section", "name": ".debug_line", "fullyQualifiedName": "sm_90:2/.debug_line"},
            {"kind": "function", "name": "_Z3addPf", "fullyQualifiedName": "sm_90:2/_Z3addPf"},
        ]);
        assert_eq!(image["locations"][0]["logicalLocations"], logical);
        let address = &image["locations"][0]["physicalLocation"]["address"];
        assert_eq!(address["fullyQualifiedName"], ".debug_line+0x10");
    }

    #[test]
    fn equal_findings_have_numbers_and_others_another_fingerprint() {
        let other = LocatedFinding { subject: "other".to_owned(), ..of_text() };
        let moved =
            LocatedFinding { place: crate::FindingPosition { region: None, ..of_text().place }, ..of_text() };
        let log = log_of(&[of_text(), moved, other], &[]);
        let results = log["runs"][0]["results"].as_array().unwrap();
        let prints = results.iter().map(|result| &result["partialFingerprints"]["ruleFileSubject/v1"]);
        let prints: Vec<_> = prints.map(|print| print.as_str().unwrap().split_once(':').unwrap()).collect();
        assert_eq!(prints[0].0, prints[1].0);
        assert_ne!(prints[0].0, prints[2].0);
        assert_eq!([prints[0].1, prints[1].1, prints[2].1], ["1", "2", "1"]);
    }

    #[test]
    fn the_invocation_says_what_was_not_read_or_listed() {
        let faults = [(FindingFile::new("/x/<stdin>", None), "no such file".to_owned())];
        let invocation = &log_of(&[], &faults)["runs"][0]["invocations"][0];
        assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(1)));
        let said = &invocation["toolExecutionNotifications"];
        let uri = &said[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(
            (&said[0]["message"]["text"], uri),
            (&json!("no such file"), &json!("file:///x/%3Cstdin%3E"))
        );
        assert_eq!(said[1]["message"]["text"], "3 more of A001 are counted and not listed");
    }
}
