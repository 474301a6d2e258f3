//! What is missing of made-up debug information, as text, as JSON and as LLVM's CSV.

use crate::output;
use crate::printable_text::printable;
use crate::report::{Answer, DocumentSchema, Status};
use anyhow::Result;
use clap::Args;
use llvm_debug_metadata::debugify::{CheckedDebugify, DebugifyStatistics};
use llvm_debug_metadata::pass_pipeline::PassRun;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How checks are shown.
#[derive(Debug, Args)]
pub(super) struct ShowOptions {
    /// Show nothing: the exit status and --export tell, as with LLVM's -debugify-quiet
    #[arg(long, conflicts_with = "json")]
    pub(super) silent: bool,
    /// Write how much each pass lost to this file, as LLVM's -debugify-export does (CSV)
    #[arg(long, value_name = "FILE")]
    pub(super) export: Option<PathBuf>,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    pub(super) json: bool,
}

impl ShowOptions {
    /// Whether any of them is given.
    pub(super) fn is_given(&self) -> bool {
        self.silent || self.json || self.export.is_some()
    }
}

/// One check after a pass.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PassCheck {
    /// The pass, by the name of its class: `SROAPass`. Absent where no name was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pass: Option<String>,
    /// The function that the pass ran on. Absent for a module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<String>,
    /// Whether a value has another size than its variable, which LLVM calls FAIL. What is missing
    /// is PASS.
    pub(super) has_errors: bool,
    #[serde(flatten)]
    pub(super) checked: CheckedDebugify,
    /// Lines that LLVM prints before it, of a pass that runs others.
    #[serde(skip)]
    before: Vec<&'static str>,
}

/// What LLVM prints where debug information is there already, and where it is gone already.
const ALREADY_MADE: &str = "ModuleDebugify: Skipping module with debug info";
const NOTHING_MADE: &str = "CheckModuleDebugify: Skipping module without debugify metadata";

/// What was made up of debug information and is not there any more, after one or more passes. The
/// exit status is 1 where there is a message, or where nothing was made up.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct DebugifyChecks {
    /// Whether the module has `!llvm.debugify`, so that it could be checked.
    pub(super) is_debugified: bool,
    /// One for each run of a pass, in their order.
    pub(super) checks: Vec<PassCheck>,
    #[serde(skip)]
    pub(super) is_silent: bool,
}

/// The name of the JSON schema of `ir check-debugify` and `ir debugify --each`.
pub(crate) const SCHEMA: DocumentSchema = DocumentSchema::of_files::<DebugifyChecks>();

impl DebugifyChecks {
    /// Adds what was found after a pass.
    pub(super) fn add(&mut self, pass: Option<String>, function: Option<String>, checked: CheckedDebugify) {
        let has_errors = checked.has_errors();
        self.checks.push(PassCheck { pass, function, has_errors, checked, before: Vec::new() });
    }

    /// Adds what was found after a run of a pass.
    pub(super) fn add_run(&mut self, run: PassRun, checked: CheckedDebugify) {
        self.add(Some(run.class), run.function, checked);
        if let Some(check) = self.checks.last_mut() {
            check.before.extend(run.is_after_wrapper.then_some(NOTHING_MADE));
            check.before.extend(run.is_first_inside.then_some(ALREADY_MADE));
        }
    }

    /// Writes the statistics, if a file is named.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn export(&self, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        let mut statistics = DebugifyStatistics::default();
        for check in &self.checks {
            statistics.add(check.pass.as_deref().unwrap_or_default(), &check.checked);
        }
        output::write(path, statistics.csv().as_bytes())
    }
}

impl Answer for DebugifyChecks {
    const SCHEMA: &'static str = "nvdwarf.ir_check_debugify";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.is_silent {
            return Ok(());
        }
        if !self.is_debugified {
            writeln!(out, "{NOTHING_MADE}")?;
        }
        for check in &self.checks {
            for line in &check.before {
                writeln!(out, "{line}")?;
            }
            for message in &check.checked.messages {
                writeln!(out, "{}", printable(&message.to_string()))?;
            }
            let unit = if check.function.is_some() { "Function" } else { "Module" };
            let pass = check.pass.as_ref().map(|pass| format!(" [{pass}]")).unwrap_or_default();
            let verdict = if check.has_errors { "FAIL" } else { "PASS" };
            writeln!(out, "Check{unit}Debugify{}: {verdict}", printable(&pass))?;
        }
        Ok(())
    }

    fn status(&self) -> Status {
        let is_lossy = self.checks.iter().any(|check| !check.checked.messages.is_empty());
        Status { has_findings: is_lossy || !self.is_debugified, ..Status::default() }
    }
}
