//! Findings as JSON (docs/json.md).

use super::{Checked, repair};
use ptx_syntax::check::Answer;
use ptx_syntax::fix::Repair;
use serde::{Serialize, Serializer};

/// What the document has of a file.
#[derive(Serialize)]
struct OneFile {
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

impl OneFile {
    fn new(checked: &Checked<'_>) -> Self {
        let options = checked.options;
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
        Self { answer, fix }
    }
}

impl Serialize for Checked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OneFile::new(self).serialize(serializer)
    }
}
