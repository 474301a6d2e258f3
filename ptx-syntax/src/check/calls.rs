//! The calls between functions, in the order in which ptxas looks for undefined ones.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::call::Call;
use crate::function::Function;
use crate::function_kind::FunctionKind;
use crate::linkage::Linkage;
use crate::module::Module;
use crate::statement::Statement;

/// A function by its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached<'a> {
    pub(super) name: &'a str,
    /// Reached by a call, be it in code that runs or not.
    pub(super) called: bool,
    /// A kernel calls it, directly or not.
    pub(super) by_kernel: bool,
}

/// Functions that ptxas 13.0.88 has itself. Of `cnp...` and `cudaGraph...` it knows some; they are
/// not told apart here.
pub(super) fn is_built_in(name: &str) -> bool {
    const NAMES: [&str; 6] =
        ["vprintf", "vfprintf", "malloc", "free", "__assertfail", "cudaDeviceSynchronize"];
    NAMES.contains(&name)
        || ["__cuda_syscall", "cnp", "cudaGraph"].iter().any(|prefix| name.starts_with(prefix))
}

/// Each name once: kernels in text order and what they call, the nearer first; then the others.
pub(super) fn order<'a>(module: &Module<'a>) -> Vec<Reached<'a>> {
    let mut bodies: HashMap<&str, &Function<'a>> = HashMap::new();
    for function in module.functions() {
        let known = bodies.entry(function.name.text).or_insert(function);
        if known.body.is_none() {
            *known = function;
        }
    }
    let mut order: Vec<Reached<'a>> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut open: VecDeque<Reached<'a>> = VecDeque::new();
    for by_kernel in [true, false] {
        let is_root = |one: &&Function<'_>| {
            let is_kernel = one.kind == FunctionKind::Entry && one.body.is_some();
            if by_kernel { is_kernel } else { one.linkage != Linkage::Extern }
        };
        let roots = module.functions().filter(is_root);
        open.extend(roots.map(|one| Reached { name: one.name.text, called: false, by_kernel }));
        while let Some(reached) = open.pop_front() {
            if !seen.insert(reached.name) {
                continue;
            }
            order.push(reached);
            let body = bodies.get(reached.name).and_then(|function| function.body.as_ref());
            for statement in body.into_iter().flat_map(|body| &body.statements) {
                if let Statement::Instruction(instruction) = statement
                    && let Some(call) = Call::of(instruction)
                    && bodies.contains_key(call.callee.text)
                {
                    open.push_back(Reached { name: call.callee.text, called: true, by_kernel });
                }
            }
        }
    }
    order
}
