//! What `opt -print-before-all -print-module-scope -debug-pass-manager=verbose` writes on standard
//! error: the module before each run of a pass, and which adaptors begin.

use super::{PassPipeline, PassUnit, PipelinePass};
use std::collections::HashMap;

/// The pass that does nothing to a unit, and the name of its class.
const NO_OPS: [(PassUnit, &str, &str); 2] = [
    (PassUnit::Module, "no-op-module", "NoOpModulePass"),
    (PassUnit::Function, "no-op-function", "NoOpFunctionPass"),
];

/// What a loop adaptor runs on a function first, by the names of classes.
const BEFORE_LOOPS: [(&str, &str); 2] = [("LoopSimplifyPass", "loop-simplify"), ("LCSSAPass", "lcssa")];

/// The ends of the names of classes that LLVM's `-debugify-each` leaves out, without what is in
/// angle brackets.
const LEFT_OUT: [&str; 8] = [
    "PassManager",
    "PassAdaptor",
    "AnalysisManagerProxy",
    "PrintFunctionPass",
    "PrintModulePass",
    "BitcodeWriterPass",
    "ThinLTOBitcodeWriterPass",
    "VerifierPass",
];

/// One run of a pass on a module or a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassRun {
    /// The name of its class, which LLVM shows: `SROAPass`.
    pub class: String,
    /// The function; none where the pass is one of modules.
    pub function: Option<String>,
    /// A pipeline of the module that runs this pass alone. Analyses of the module that the pipeline
    /// asked for before come first. None where the pipeline does not have the pass.
    pub pipeline: Option<String>,
    /// The module before the run.
    pub module: String,
    /// Whether it is the first run inside a pass of the module that runs others. LLVM makes debug
    /// information up before that pass, so that it is there already.
    pub is_first_inside: bool,
    /// Whether such a pass ended before this run. LLVM finds nothing to check then.
    pub is_after_wrapper: bool,
}

/// Reads the trace of a pipeline, line by line, and finds the runs of its passes.
#[derive(Debug)]
pub struct PassTrace<'p> {
    pipeline: &'p PassPipeline,
    /// The names of classes, by the text of a pass.
    classes: &'p HashMap<String, String>,
    part: Option<usize>,
    part_before: Option<usize>,
    /// By the name of a function, the pass of the part that ran on it last.
    last: HashMap<String, usize>,
    /// How many of [`BEFORE_LOOPS`] are to come.
    before_loops: usize,
    /// Analyses of the module: `require<globals-aa>`.
    required: Vec<&'p str>,
    run: Option<PassRun>,
    wrapper: Wrapper,
}

/// Where the trace is in a pass of the module that runs others: `ModuleInlinerWrapperPass`, which
/// ends with the passes of the call graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrapper {
    Outside,
    Begun,
    Inside,
    InCallGraph,
}

/// The class of a pass of the module that runs others.
const WRAPPER: &str = "ModuleInlinerWrapperPass";

impl<'p> PassTrace<'p> {
    /// Begins a trace. [`class_names`] finds `classes`.
    pub fn new(pipeline: &'p PassPipeline, classes: &'p HashMap<String, String>) -> Self {
        Self {
            pipeline,
            classes,
            part: None,
            part_before: None,
            last: HashMap::new(),
            before_loops: 0,
            required: Vec::new(),
            run: None,
            wrapper: Wrapper::Outside,
        }
    }

    /// Reads a line of the trace, with its line break. Gives a run when its module is read whole.
    /// Passes of loops and of the call graph's components, on which LLVM's `-debugify-each` does
    /// nothing, give none.
    pub fn line(&mut self, line: &str) -> Option<PassRun> {
        if let Some((class, unit)) = dumped(line) {
            self.run = self.begin(class, unit);
            return None;
        }
        if let Some((class, unit)) = started(line) {
            let run = self.run.take();
            if class == WRAPPER {
                self.wrapper = Wrapper::Begun;
            } else if self.wrapper != Wrapper::Outside && class.starts_with("ModuleToPostOrderCGSCC") {
                self.wrapper = Wrapper::InCallGraph;
            }
            if unit == "[module]" && class.starts_with("ModuleTo") && class.ends_with("PassAdaptor") {
                self.adaptor();
            } else if class == "FunctionToLoopPassAdaptor" {
                self.before_loops = BEFORE_LOOPS.len();
            }
            return run;
        }
        if let Some(run) = &mut self.run {
            run.module.push_str(line);
        }
        None
    }

    fn begin(&mut self, class: &str, unit: &str) -> Option<PassRun> {
        let is_module = unit == "[module]";
        let name = class.split('<').next().unwrap_or_default();
        let is_left_out = LEFT_OUT.iter().any(|end| name.ends_with(end));
        // LLVM 14 writes `Loop at depth 1 containing: %l<header>`.
        let is_inner = ["(", "loop ", "Loop at depth "].iter().any(|word| unit.starts_with(word));
        if is_left_out || is_inner {
            return None;
        }
        let pass = if is_module { self.module_pass(class) } else { self.function_pass(class, unit) };
        let pipeline = pass.filter(|pass| !is_class(pass)).map(|pass| {
            let own = if is_module { pass.to_owned() } else { format!("function({pass})") };
            let required = self.required.iter().filter(|required| **required != pass);
            required.map(|required| (*required).to_owned()).chain([own.clone()]).collect::<Vec<_>>().join(",")
        });
        if is_module
            && let Some(pass) = pass.filter(|pass| pass.starts_with("require<"))
            && !self.required.contains(&pass)
        {
            self.required.push(pass);
        }
        let function = (!is_module).then(|| unit.to_owned());
        let is_first_inside = self.wrapper == Wrapper::Begun;
        let is_after_wrapper = self.wrapper == Wrapper::InCallGraph && is_module;
        match self.wrapper {
            Wrapper::Begun => self.wrapper = Wrapper::Inside,
            _ if is_after_wrapper => self.wrapper = Wrapper::Outside,
            _ => {}
        }
        let class = class.to_owned();
        Some(PassRun { class, function, pipeline, module: String::new(), is_first_inside, is_after_wrapper })
    }

    fn is(&self, pass: &PipelinePass, class: &str) -> bool {
        self.classes.get(&pass.text).is_some_and(|known| known == class)
    }

    /// Goes on to the part with a pass of the module.
    fn module_pass(&mut self, class: &str) -> Option<&'p str> {
        let from = self.part.map_or(0, |part| part + 1);
        let pipeline = self.pipeline;
        let is_it = |pass: &&PipelinePass| pass.unit == PassUnit::Module && self.is(pass, class);
        let mut passes = pipeline.passes().iter().filter(is_it);
        let first = passes.clone().next()?;
        let Some(next) = passes.find(|pass| pass.part >= from) else {
            // What a pass runs inside itself.
            return Some(&first.text);
        };
        self.enter(next.part);
        Some(&next.text)
    }

    /// Goes on to the next part that is an adaptor.
    fn adaptor(&mut self) {
        let from = self.part.map_or(0, |part| part + 1);
        let is_adaptor = &self.pipeline.is_adaptor;
        if let Some(part) = (from..is_adaptor.len()).find(|part| is_adaptor[*part]) {
            self.enter(part);
        }
    }

    fn enter(&mut self, part: usize) {
        self.part_before = self.part.replace(part);
        self.last.clear();
        self.before_loops = 0;
    }

    /// The pass of the part that comes next on a function, or comes again.
    fn function_pass(&mut self, class: &str, function: &str) -> Option<&'p str> {
        let before_loops = BEFORE_LOOPS.get(BEFORE_LOOPS.len() - self.before_loops);
        if let Some((_, text)) = before_loops.filter(|(name, _)| *name == class) {
            self.before_loops -= 1;
            return Some(text);
        }
        self.before_loops = 0;
        let last = self.last.get(function).copied();
        let pipeline = self.pipeline;
        let is_it = |(_, pass): &(usize, &PipelinePass)| {
            pass.unit == PassUnit::Function && Some(pass.part) == self.part && self.is(pass, class)
        };
        let passes = || pipeline.passes().iter().enumerate().filter(is_it);
        let next = passes().find(|(index, _)| last.is_none_or(|last| *index > last));
        let Some((index, pass)) = next.or_else(|| passes().next()) else {
            // LLVM adds some that the text of a pipeline does not have. They leave the code as it
            // is.
            let is_about_analyses =
                class.starts_with("InvalidateAnalysisPass<") || class.starts_with("RequireAnalysisPass<");
            if is_about_analyses && self.last.is_empty() {
                // Their adaptor is not one of the text either.
                self.part = self.part_before;
            }
            return is_about_analyses.then_some("no-op-function");
        };
        self.last.insert(function.to_owned(), index);
        Some(&pass.text)
    }
}

/// The class and the unit of `; *** IR Dump Before SROAPass on f ***`.
fn dumped(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("; ").unwrap_or(line).strip_prefix("*** IR Dump Before ")?;
    let (class, rest) = line.split_once(" on ")?;
    let (unit, _) = rest.rsplit_once(" ***")?;
    Some((class, unit))
}

/// The class and the unit of `Running pass: SROAPass on f (5 instructions)`.
fn started(line: &str) -> Option<(&str, &str)> {
    let (class, unit) = line.strip_prefix("Running pass: ")?.trim_end().split_once(" on ")?;
    let count = unit.rsplit_once(" (").filter(|(before, _)| !before.is_empty());
    Some((class, count.map_or(unit, |(before, _)| before)))
}

/// Whether a text is the name of a class. LLVM 14 has no other for passes of targets:
/// `NVVMReflectPass`.
fn is_class(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Finds the names of the classes of passes. `run` runs a pipeline with `-debug-pass-manager` on a
/// module with one function, which is not `optnone`, and returns what it wrote on standard error.
///
/// # Errors
///
/// Those of `run`.
pub fn class_names<E>(
    pipeline: &PassPipeline,
    mut run: impl FnMut(&str) -> Result<String, E>,
) -> Result<HashMap<String, String>, E> {
    let mut names = HashMap::new();
    for (unit, no_op, no_op_class) in NO_OPS {
        let mut texts: Vec<&str> = Vec::new();
        for pass in pipeline.passes().iter().filter(|pass| pass.unit == unit && pass.text != no_op) {
            if is_class(&pass.text) {
                names.insert(pass.text.clone(), pass.text.clone());
            } else if !texts.contains(&pass.text.as_str()) {
                texts.push(&pass.text);
            }
        }
        names.insert(no_op.to_owned(), no_op_class.to_owned());
        if texts.is_empty() {
            continue;
        }
        // Between two of them one that does nothing. The first that runs after it is the pass
        // itself, also where that runs others.
        let passes: Vec<&str> = texts.iter().flat_map(|text| [no_op, text]).collect();
        let passes = passes.join(",");
        let trace = run(&if unit == PassUnit::Function { format!("function({passes})") } else { passes })?;
        let is_module = unit == PassUnit::Module;
        let (mut text, mut texts) = (None, texts.into_iter());
        for (class, unit) in trace.lines().filter_map(started) {
            if (unit == "[module]") != is_module || class.ends_with("PassAdaptor") {
                continue;
            }
            if class == no_op_class {
                text = texts.next();
            } else if let Some(text) = text.take() {
                names.insert(text.to_owned(), class.to_owned());
            }
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As opt-19 writes it; opt-14 has neither `; ` nor numbers of instructions.
    const TRACE: &str = "\
Running pass: ModuleToFunctionPassAdaptor on [module]
Running analysis: InnerAnalysisManagerProxy<FunctionAnalysisManager, Module> on [module]
Running pass: PassManager<Function> on f (2 instructions)
; *** IR Dump Before SimplifyCFGPass on f ***
first
Running pass: SimplifyCFGPass on f (2 instructions)
Running analysis: TargetIRAnalysis on f
Running pass: FunctionToLoopPassAdaptor on f (2 instructions)
; *** IR Dump Before LoopSimplifyPass on f ***
second
Running pass: LoopSimplifyPass on f (2 instructions)
; *** IR Dump Before LICMPass on loop %l in function f ***
not this
Running pass: LICMPass on loop %l in function f
*** IR Dump Before SimplifyCFGPass on f ***
third
Running pass: SimplifyCFGPass on f
; *** IR Dump Before InlinerPass on (f) ***
nor this
Running pass: InlinerPass on (f) (1 node)
; *** IR Dump Before RequireAnalysisPass<GlobalsAA, A<B>> on [module] ***
fourth
Running pass: RequireAnalysisPass<GlobalsAA, A<B>> on [module]
*** IR Dump Before VerifierPass on [module] ***
nor that
Running pass: VerifierPass on [module]
; *** IR Dump Before GlobalDCEPass on [module] ***
fifth
Running pass: GlobalDCEPass on [module]
";

    #[test]
    fn runs_are_found_with_the_passes_that_they_are_of() {
        let text = "function(simplifycfg<a>,loop-mssa(licm),simplifycfg<b>),cgscc(inline),\
                    require<globals-aa>,globaldce";
        let pipeline = PassPipeline::parse(text).unwrap();
        let names = [
            ("simplifycfg<a>", "SimplifyCFGPass"),
            ("simplifycfg<b>", "SimplifyCFGPass"),
            ("require<globals-aa>", "RequireAnalysisPass<GlobalsAA, A<B>>"),
            ("globaldce", "GlobalDCEPass"),
        ];
        let classes = names.map(|(text, class)| (text.to_owned(), class.to_owned())).into();
        let mut trace = PassTrace::new(&pipeline, &classes);
        let runs: Vec<PassRun> = TRACE.split_inclusive('\n').filter_map(|line| trace.line(line)).collect();
        let found: Vec<(&str, &str)> = runs
            .iter()
            .map(|run| (run.module.trim_end(), run.pipeline.as_deref().unwrap_or_default()))
            .collect();
        let expected = [
            ("first", "function(simplifycfg<a>)"),
            ("second", "function(loop-simplify)"),
            ("third", "function(simplifycfg<b>)"),
            ("fourth", "require<globals-aa>"),
            ("fifth", "require<globals-aa>,globaldce"),
        ];
        assert_eq!(found, expected);
        assert_eq!(runs[0].function.as_deref(), Some("f"));
        assert_eq!((runs[4].class.as_str(), &runs[4].function), ("GlobalDCEPass", &None));
    }

    #[test]
    fn classes_are_learned_from_a_run() {
        let pipeline = PassPipeline::parse("function(sroa,odd,dce),inliner-wrapper,globaldce").unwrap();
        let mut asked = Vec::new();
        let names = class_names(&pipeline, |passes| {
            asked.push(passes.to_owned());
            Ok::<_, ()>(match asked.len() {
                1 => "Running pass: NoOpModulePass on [module]\nRunning pass: Wrapper on [module]\n\
                      Running pass: Inner on [module]\nRunning pass: NoOpModulePass on [module]\n\
                      Running pass: GlobalDCEPass on [module]\n"
                    .to_owned(),
                _ => "Running pass: NoOpFunctionPass on f (1 instruction)\nRunning pass: SROAPass on f\n\
                      Running pass: NoOpFunctionPass on f\nRunning pass: NoOpFunctionPass on f\n\
                      Running pass: DCEPass on f\n"
                    .to_owned(),
            })
        });
        let names = names.unwrap();
        let name = |text: &str| names.get(text).map(String::as_str);
        assert_eq!(name("inliner-wrapper"), Some("Wrapper"));
        assert_eq!(name("globaldce"), Some("GlobalDCEPass"));
        assert_eq!((name("sroa"), name("odd"), name("dce")), (Some("SROAPass"), None, Some("DCEPass")));
        assert_eq!(asked[1], "function(no-op-function,sroa,no-op-function,odd,no-op-function,dce)");
    }
}
