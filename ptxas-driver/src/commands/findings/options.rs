//! The options that `check`, `verify` and `coverage` have in common.

use clap::{Args, ValueEnum};
use findings::Severity;
use std::path::PathBuf;

/// Which findings count, and how they are written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Findings")]
pub(in crate::commands) struct FindingOptions {
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: FormatName,
    /// The same as --format json: one JSON document (docs/json.md)
    #[arg(long, conflicts_with = "format")]
    pub(in crate::commands) json: bool,
    /// Only findings of these rules: codes, names, beginnings of codes, or ALL
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    pub(super) select: Vec<String>,
    /// Leave out findings of these rules; if --select names the same rule, the longer word decides
    #[arg(long, alias = "allow", value_name = "RULE,...", value_delimiter = ',')]
    pub(super) ignore: Vec<String>,
    /// The lowest severity that makes the exit status 1 [default: warning for `check`, else error]
    #[arg(long, value_name = "SEVERITY")]
    pub(super) fail_on: Option<FailOn>,
    /// Leave out the findings in FILE, which --write-baseline wrote. A finding of PTX is known if
    /// FILE has one with the same rule, file and text of the line; a finding of a cubin, if FILE
    /// has one with the same rule, file, function or section, and words, apart from numbers
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Write all findings to FILE, for --baseline. They count as known: the exit status is 0
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(super) write_baseline: Option<PathBuf>,
    /// List the rules, or those of --select and --ignore; no file is read
    #[arg(long, conflicts_with_all = ["files", "explain", "baseline", "write_baseline", "fail_on"])]
    pub(super) rules: bool,
    /// Explain rules: what they require and why, what tools do, and how to fix it; no file is read
    #[arg(long, value_name = "RULE,...", value_delimiter = ',',
          conflicts_with_all = ["files", "select", "ignore", "baseline", "write_baseline", "fail_on"])]
    pub(super) explain: Vec<String>,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::commands) enum FormatName {
    /// For people
    Text,
    /// A line each, for editors: `FILE:LINE:COLUMN: SEVERITY[CODE]: MESSAGE`
    Concise,
    /// One JSON document (docs/json.md)
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Which severities make the exit status 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::commands) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// Any finding
    Note,
    /// None
    Never,
}

impl FindingOptions {
    pub(in crate::commands) fn format(&self) -> FormatName {
        if self.json { FormatName::Json } else { self.format }
    }

    /// Whether the rules are asked about, and no file.
    pub(in crate::commands) fn asks_for_rules(&self) -> bool {
        self.rules || !self.explain.is_empty()
    }
}

impl FailOn {
    pub(super) fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity >= Severity::Error,
            Self::Warning => severity >= Severity::Warning,
            Self::Note => true,
            Self::Never => false,
        }
    }
}
