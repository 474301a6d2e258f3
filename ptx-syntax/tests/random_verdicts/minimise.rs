//! Makes a module smaller as long as ptxas and `check` differ in the same way.

use ptx_syntax::tokenize;

use super::oracle::{Oracle, Way, disagreement, verdict};

/// The smallest that leaving out lines, then tokens, leads to.
pub fn minimise(oracle: &Oracle<'_>, text: &str, way: Way, kind: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    let text = without_parts(oracle, lines, way, kind).concat();
    let tokens = tokenize(&text).map(|token| token.range.slice(&text).to_owned()).collect();
    without_parts(oracle, tokens, way, kind).concat()
}

/// Leaves out runs of parts, long ones first.
fn without_parts(oracle: &Oracle<'_>, mut parts: Vec<String>, way: Way, kind: &str) -> Vec<String> {
    let mut length = parts.len().div_ceil(2);
    while length > 0 {
        let mut at = 0;
        while at < parts.len() {
            let end = (at + length).min(parts.len());
            let rest = [&parts[..at], &parts[end..]].concat();
            let text = rest.concat();
            let same = disagreement(&oracle.run(&text, way), &verdict(&text, way, oracle.release))
                .is_some_and(|found| found == kind);
            if same {
                parts = rest;
            } else {
                at = end;
            }
        }
        length /= 2;
    }
    parts
}
