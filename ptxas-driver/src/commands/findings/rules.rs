//! `--rules` and `--explain`: print the rules of a command, which needs no file.

use super::{FindingOptions, FormatName, with_hint};
use crate::report::{Exit, write_document};
use anyhow::{Result, bail};
use findings::{Catalog, RuleText, Selection, UnknownRule};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write;

/// Rules of a command: the table of `--rules`, or what `--explain` says of some.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct Rules<R> {
    /// The rules, in the order of their tables.
    rules: Vec<R>,
}

/// Writes the rules that `options` ask about, from those of `command`: as text, or as a document of
/// `schema`, in which `row` converts each.
///
/// # Errors
///
/// A word means no rule, the format is another one, or `out` cannot be written.
pub(in crate::commands) fn show_rules<'c, R: Serialize>(
    command: &str,
    schema: &'static str,
    options: &FindingOptions,
    catalog: &'c Catalog,
    row: impl Fn(&'c RuleText) -> R,
    out: &mut dyn Write,
) -> Result<Exit> {
    let rules = asked_for(options, catalog).map_err(|error| with_hint(command, &error))?;
    match options.format() {
        FormatName::Text if options.rules => rules.iter().try_for_each(|rule| writeln!(out, "{rule}"))?,
        FormatName::Text => {
            for (number, rule) in rules.iter().enumerate() {
                let blank = if number == 0 { "" } else { "\n" };
                writeln!(out, "{blank}{}", rule.explanation())?;
            }
        }
        FormatName::Json => {
            write_document(out, schema, &Rules { rules: rules.into_iter().map(row).collect() })?;
        }
        FormatName::Concise | FormatName::Github | FormatName::Sarif => {
            bail!("rules are not findings: expected --format text or json");
        }
    }
    Ok(Exit::Answered)
}

/// The rules in the order of their tables.
fn asked_for<'c>(options: &FindingOptions, catalog: &'c Catalog) -> Result<Vec<&'c RuleText>, UnknownRule> {
    let FindingOptions { select, ignore, explain, .. } = options;
    let select = if options.rules { select } else { explain };
    let selection = Selection::new(catalog, select, ignore)?;
    Ok(catalog.rules().iter().filter(|rule| selection.has(rule.code)).collect())
}
