//! Pipelines of LLVM's passes as text: `function(sroa,instcombine),globaldce`.

mod trace;

pub use trace::{PassRun, PassTrace, class_names};

use crate::limits::{MAX_PIPELINE_DEPTH, MAX_PIPELINE_PASSES};
use thiserror::Error;

/// Why a text is not a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// A bracket is not closed, or nothing is open where one is closed.
    #[error("a bracket of the pipeline has no partner, at byte {0}")]
    Bracket(usize),
    /// Adaptors stand in adaptors too deep, or there are too many passes.
    #[error(
        "the pipeline is too large: above {MAX_PIPELINE_PASSES} passes, or nested above {MAX_PIPELINE_DEPTH} deep"
    )]
    TooLarge,
}

/// What a pass works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PassUnit {
    /// A module.
    Module,
    /// The functions that call each other in a circle, or one function.
    CallGraphComponent,
    /// A function.
    Function,
    /// A loop.
    Loop,
}

/// One pass of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelinePass {
    /// The text of the pass, with its options: `sroa<modify-cfg>`.
    pub text: String,
    /// What it works on, by the adaptors around it.
    pub unit: PassUnit,
    /// The number of the part of the module's pipeline that it is in. An adaptor is one part.
    pub part: usize,
}

/// The passes of a pipeline, out of their adaptors, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassPipeline {
    passes: Vec<PipelinePass>,
    /// Whether each part is an adaptor.
    is_adaptor: Vec<bool>,
}

impl PassPipeline {
    /// Reads a pipeline as `opt -print-pipeline-passes` prints it: each pass is in the adaptors
    /// that it needs.
    ///
    /// # Errors
    ///
    /// Those of [`PipelineError`]. Names are not looked at.
    pub fn parse(text: &str) -> Result<Self, PipelineError> {
        let mut pipeline = Self { passes: Vec::new(), is_adaptor: Vec::new() };
        pipeline.read(text.trim(), 0, PassUnit::Module, 0)?;
        Ok(pipeline)
    }

    /// The passes.
    pub fn passes(&self) -> &[PipelinePass] {
        &self.passes
    }

    fn read(&mut self, text: &str, base: usize, unit: PassUnit, depth: usize) -> Result<(), PipelineError> {
        if depth > MAX_PIPELINE_DEPTH {
            return Err(PipelineError::TooLarge);
        }
        let mut start = 0;
        for end in commas(text, base)?.into_iter().chain([text.len()]) {
            let element = text[start..end].trim();
            let at = base + start;
            start = end + 1;
            if element.is_empty() {
                continue;
            }
            let open = element.find('(').filter(|open| {
                // A bracket in the options of a pass is not an adaptor's.
                element[..*open].matches('<').count() == element[..*open].matches('>').count()
            });
            let inner = open.and_then(|open| Some((open, element[open + 1..].strip_suffix(')')?)));
            let head = inner.map_or(element, |(open, _)| &element[..open]);
            let (name, options) = head.split_once('<').unwrap_or((head, ""));
            let inner_unit = match (name, inner) {
                ("module" | "coro-cond", Some(_)) => PassUnit::Module,
                ("cgscc", Some(_)) => PassUnit::CallGraphComponent,
                ("function", Some(_)) => PassUnit::Function,
                ("loop" | "loop-mssa", Some(_)) => PassUnit::Loop,
                _ => unit,
            };
            let is_new_part = unit == PassUnit::Module && (inner.is_none() || inner_unit != PassUnit::Module);
            if is_new_part {
                if self.is_adaptor.len() >= MAX_PIPELINE_PASSES {
                    return Err(PipelineError::TooLarge);
                }
                self.is_adaptor.push(inner.is_some());
            }
            let Some((open, content)) = inner else {
                if self.passes.len() >= MAX_PIPELINE_PASSES {
                    return Err(PipelineError::TooLarge);
                }
                let part = self.is_adaptor.len().saturating_sub(1);
                self.passes.push(PipelinePass { text: element.to_owned(), unit, part });
                continue;
            };
            let times =
                if name == "repeat" { options.trim_end_matches('>').parse().unwrap_or(1_u64) } else { 1 };
            for _ in 0..times {
                let before = (self.passes.len(), self.is_adaptor.len());
                self.read(content, at + open + 1, inner_unit, depth + 1)?;
                if before == (self.passes.len(), self.is_adaptor.len()) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The commas of a text outside brackets.
fn commas(text: &str, base: usize) -> Result<Vec<usize>, PipelineError> {
    let (mut commas, mut open) = (Vec::new(), Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'<' => open.push((at, byte)),
            b')' | b'>' => {
                let wanted = if byte == b')' { b'(' } else { b'<' };
                if open.pop().is_none_or(|(_, open)| open != wanted) {
                    return Err(PipelineError::Bracket(base + at));
                }
            }
            b',' if open.is_empty() => commas.push(at),
            _ => {}
        }
    }
    open.first().map_or(Ok(commas), |(at, _)| Err(PipelineError::Bracket(base + at)))
}

#[cfg(test)]
mod tests {
    use super::PassUnit::{CallGraphComponent, Function, Loop, Module};
    use super::*;

    #[test]
    fn passes_are_found_in_their_adaptors() {
        let text = "verify,function<eager-inv>(sroa<modify-cfg>,loop-mssa(licm<a;b>),dce),module(globaldce),\
                    cgscc(devirt<4>(inline,function(early-cse<>))),repeat<2>(constmerge)";
        let pipeline = PassPipeline::parse(text).unwrap();
        let found: Vec<(&str, PassUnit, usize)> =
            pipeline.passes().iter().map(|pass| (pass.text.as_str(), pass.unit, pass.part)).collect();
        let expected = [
            ("verify", Module, 0),
            ("sroa<modify-cfg>", Function, 1),
            ("licm<a;b>", Loop, 1),
            ("dce", Function, 1),
            ("globaldce", Module, 2),
            ("inline", CallGraphComponent, 3),
            ("early-cse<>", Function, 3),
            ("constmerge", Module, 4),
            ("constmerge", Module, 5),
        ];
        assert_eq!(found, expected);
        assert_eq!(pipeline.is_adaptor, [false, true, false, true, false, false]);
    }

    #[test]
    fn what_is_not_a_pipeline_is_an_error() {
        assert_eq!(PassPipeline::parse("function(sroa"), Err(PipelineError::Bracket(8)));
        assert_eq!(PassPipeline::parse("a,function(b>)"), Err(PipelineError::Bracket(12)));
        let deep = "function(".repeat(500) + &")".repeat(500);
        assert_eq!(PassPipeline::parse(&deep), Err(PipelineError::TooLarge));
        for many in ["repeat<99999999999>(dce)", "repeat<99999999999>(function())"] {
            assert_eq!(PassPipeline::parse(many), Err(PipelineError::TooLarge));
        }
        assert_eq!(PassPipeline::parse("repeat<99999999999>()").unwrap().passes(), []);
    }
}
