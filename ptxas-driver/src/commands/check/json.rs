//! Findings as JSON (docs/json.md).

use super::{Checked, Options, repair};
use crate::commands::read::write_document;
use anyhow::Result;
use ptx_syntax::check::{Answer, RULES, RuleRow};
use ptx_syntax::fix::Repair;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// The files of one run.
#[derive(Default, Serialize)]
pub(super) struct Documents {
    files: Vec<OneFile>,
}

#[derive(Serialize)]
struct OneFile {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Fix>,
}

#[derive(Serialize)]
struct Fix {
    changed: bool,
    repairs: Vec<Applied>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Applied {
    name: &'static str,
    edits: u32,
}

impl Documents {
    /// A file that could not be read.
    pub(super) fn unreadable(&mut self, path: &Path, error: &anyhow::Error) {
        let (file, error) = (path.display().to_string(), Some(format!("{error:#}")));
        self.files.push(OneFile { file, error, answer: Answer::default(), fix: None });
    }

    pub(super) fn add(&mut self, checked: &Checked<'_>, options: &Options) {
        let shown = |text: &str| checked.file.shown(text).into_owned();
        let applied = |&(repair, edits): &(Repair, u32)| Applied { name: repair.info().name, edits };
        let fix = checked.repaired.as_ref().map(|repaired| Fix {
            changed: repaired.text != checked.file.text,
            repairs: repaired.applied.iter().map(applied).collect(),
            diff: options.diff.then(|| {
                let file = checked.file;
                shown(&repair::diff(&file.name, &file.text, &repaired.text))
            }),
            text: (checked.file.is_stdin() && !options.diff).then(|| shown(&repaired.text)),
        });
        let answer = Answer::new(&checked.report, checked.text(), &checked.lines);
        self.files.push(OneFile { file: checked.file.name.clone(), error: None, answer, fix });
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        write_document(out, "nvdwarf.check", self)
    }
}

#[derive(Serialize)]
struct Rules {
    rules: Vec<RuleRow>,
}

/// The table of rules.
pub(super) fn rules(out: &mut dyn Write) -> Result<()> {
    write_document(out, "nvdwarf.check.rules", &Rules { rules: RULES.iter().map(RuleRow::from).collect() })
}
