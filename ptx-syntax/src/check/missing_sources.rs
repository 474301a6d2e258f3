//! Checks that the source files are there, where one of them is.

use super::files::Files;
use super::rules::RuleId;
use super::sink::Sink;
use super::source_lines::{SourceLines, SourceState};
use crate::file_directive::FileDirective;
use crate::file_names::not_a_file_at;

/// Checks the declared files. A module whose sources all lie elsewhere was made elsewhere.
pub(super) fn check(files: &Files<'_, '_>, source_lines: &SourceLines<'_>, sink: &mut Sink<'_>) {
    let mut sorted: Vec<&FileDirective<'_>> = files.values().copied().collect();
    sorted.sort_by_key(|file| file.index);
    sorted.retain(|file| not_a_file_at(file.path).is_none());
    let states: Vec<SourceState> = sorted.iter().map(|file| source_lines(file.path)).collect();
    if !states.iter().any(|state| state.is_there()) {
        return;
    }
    for (file, state) in sorted.into_iter().zip(states) {
        if state != SourceState::Missing {
            continue;
        }
        let message = format_args!("`{}` is not there, and other sources are", file.path);
        if let Some(finding) = sink.find(RuleId::SourceMissing, file.path_range, message) {
            finding.help = Some(
                "if it lies elsewhere, `--path-map OLD=NEW` writes the path where it is, and --source-dir looks there"
                    .into(),
            );
        }
    }
}
