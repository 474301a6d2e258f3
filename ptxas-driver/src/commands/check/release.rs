//! The option `--release` of `check`, and what of a verdict is not known for a release.

use ptx_syntax::Release;
use ptx_syntax::check::{Mode, Report, Verdict};

/// The release that a word of the command line names.
pub(super) fn parse(word: &str) -> Result<Release, String> {
    Release::of_version(word).ok_or_else(|| {
        let names: Vec<&str> = Release::all().map(Release::name).collect();
        format!("no such release is known; known are {}", names.join(", "))
    })
}

/// One line for each rule that leaves a verdict open, without a line break.
pub(super) fn not_known(report: &Report) -> Vec<String> {
    let mut open: Vec<(&str, Vec<&str>)> = Vec::new();
    for (mode, option) in [(Mode::None, "no option"), (Mode::Lineinfo, "-lineinfo"), (Mode::G, "-g")] {
        let Verdict::NotKnown(rule) = report.verdict(mode) else { continue };
        match open.iter_mut().find(|(code, _)| *code == rule.code) {
            Some((_, options)) => options.push(option),
            None => open.push((rule.code, vec![option])),
        }
    }
    let release = report.release;
    let line = |(code, options): (&str, Vec<&str>)| {
        let with = if options.len() == 3 { String::new() } else { format!(" with {}", options.join(" or ")) };
        format!("verdict of ptxas {release}{with}: not known: rule {code} differs")
    };
    open.into_iter().map(line).collect()
}
