//! `verify` as text.

use super::Verified;
use crate::commands::read::printable;
use crate::limits::MAX_FINDINGS_SHOWN;
use crate::text_table::{Column, Row, write_table};
use cubin_debuginfo::verify::KnownFault;
use findings::Summary;
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// One file that could be read.
pub(super) fn file(out: &mut dyn Write, file: &Verified) -> Result<()> {
    let name = printable(&file.name);
    if let Some(what) = &file.debug_only {
        writeln!(out, "{name}: no code: {}", printable(what))?;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let Summary { errors, warnings, notes, findings, more, in_baseline } = &file.summary;
    for finding in findings {
        let count = counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= MAX_FINDINGS_SHOWN {
            writeln!(out, "{name}: {}", printable(&finding.to_string()))?;
        }
    }
    for more in more {
        *counts.entry(more.code).or_default() += more.count;
    }
    for (code, count) in counts.into_iter().filter(|(_, count)| *count > MAX_FINDINGS_SHOWN) {
        writeln!(out, "{name}: {} more of {code}", count - MAX_FINDINGS_SHOWN)?;
    }
    let words = |count: &usize, word: &str| format!("{count} {word}{}", if *count == 1 { "" } else { "s" });
    let counts = [(errors, "error"), (warnings, "warning"), (notes, "note")];
    let counts = counts.map(|(count, word)| words(count, word));
    let known = in_baseline.map(|count| format!("; {count} in the baseline")).unwrap_or_default();
    writeln!(out, "{name}: {}{known}", counts.join(", "))
}

pub(super) fn known_faults(out: &mut dyn Write, rules: &[KnownFault]) -> Result<()> {
    let columns = ["Code", "Fault of", "Name", "What"].map(Column::Left);
    let rows = rules.iter().map(|KnownFault { code, name, fault_of, summary, text }| -> Row<'_, 4> {
        [(*code).into(), (*fault_of).into(), (*name).into(), format!("{summary} {text}").into()]
    });
    write_table(out, columns, &rows.collect::<Vec<_>>())
}
