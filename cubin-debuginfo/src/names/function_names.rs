//! Finds functions of a cubin by name, however the name is spelled.

use super::demangle;
use super::spellings::{NameMatch, Spellings, is_mangled};
use crate::limits::{MAX_COMPARED_NAME, MAX_LISTED_NAMES, MIN_SIMILARITY};
use nv_debug_sections::code::Function;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

/// The functions of a cubin, for lookup by name.
#[derive(Debug)]
pub struct FunctionNames<'s> {
    functions: &'s [Function<'s>],
    by_symbol: HashMap<&'s str, Vec<usize>>,
    /// The spellings of all names. They are computed when a name is asked for that is not a symbol:
    /// demangling takes longer than everything else in a query.
    spellings: OnceLock<Spellings>,
}

impl<'s> FunctionNames<'s> {
    /// Prepares the lookup of functions, which
    /// [`Code::functions`](nv_debug_sections::code::Code::functions) returns. Names are demangled
    /// at the first lookup that needs it.
    pub fn new(functions: &'s [Function<'s>]) -> Self {
        let mut by_symbol: HashMap<&str, Vec<usize>> = HashMap::with_capacity(functions.len());
        for (index, function) in functions.iter().enumerate() {
            by_symbol.entry(function.name).or_default().push(index);
        }
        Self { functions, by_symbol, spellings: OnceLock::new() }
    }

    /// Finds the functions with exactly this name. If there is none, finds functions of this name
    /// that were folded into kernels; if there is none of these, the only function whose name
    /// contains it.
    ///
    /// # Errors
    ///
    /// There is none, or several have the part.
    pub fn find(&self, name: &str) -> Result<Vec<&'s Function<'s>>, NameError<'s>> {
        let all = self.functions;
        let of = |indices: &[usize]| indices.iter().filter_map(|&index| all.get(index)).collect::<Vec<_>>();
        if let Some(indices) = self.by_symbol.get(name).filter(|_| is_mangled(name)) {
            return Ok(of(indices));
        }
        let spellings =
            self.spellings.get_or_init(|| Spellings::new(all.iter().map(|function| function.name)));
        match spellings.find(name, |_| true) {
            (_, found) if found.len() == 1 => Ok(of(&found)),
            (Some(NameMatch::Exact | NameMatch::Folded), found) => Ok(of(&found)),
            (Some(NameMatch::Part), found) => {
                Err(NameError { name: name.to_owned(), is_part: true, functions: of(&found) })
            }
            (None, _) => {
                Err(NameError { name: name.to_owned(), is_part: false, functions: all.iter().collect() })
            }
        }
    }

    /// Lists the functions of the cubin by their symbols' names, for error messages: `the functions
    /// are k1, k2 and 3 more`.
    pub fn listing(&self) -> String {
        listing(&self.functions.iter().collect::<Vec<_>>())
    }
}

fn listing(functions: &[&Function<'_>]) -> String {
    if functions.is_empty() {
        return "the file has no functions".to_owned();
    }
    format!("the functions are {}", joined(functions))
}

/// The function whose name looks most like `name`: its symbol, or its demangled name without
/// parameters.
fn nearest<'f, 's>(name: &str, functions: &[&'f Function<'s>]) -> Option<&'f Function<'s>> {
    let similarity = |function: &Function<'_>| {
        let demangled = demangle(function.name).unwrap_or_default();
        let without_parameters = demangled.split(['(', '<']).next().unwrap_or_default();
        let spellings = [function.name, without_parameters].into_iter();
        let short = spellings.filter(|spelling| spelling.len().max(name.len()) <= MAX_COMPARED_NAME);
        short.map(|spelling| strsim::jaro_winkler(name, spelling)).fold(0.0, f64::max)
    };
    let all = functions.iter().map(|&function| (similarity(function), function));
    let near = all.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    near.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, function)| function)
}

fn joined(functions: &[&Function<'_>]) -> String {
    joined_names(&functions.iter().map(|function| function.name).collect::<Vec<_>>())
}

/// The first names, and how many more there are.
pub(crate) fn joined_names(names: &[&str]) -> String {
    let listed = names.iter().take(MAX_LISTED_NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MAX_LISTED_NAMES) {
        None | Some(0) => listed,
        Some(more) => format!("{listed} and {more} more"),
    }
}

/// The error for a name that does not identify one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError<'s> {
    /// The name that was looked up.
    pub name: String,
    /// Whether several functions have names that contain the name; otherwise no function has it.
    pub is_part: bool,
    /// The functions whose names contain the name; all functions of the file if there is none.
    pub functions: Vec<&'s Function<'s>>,
}

impl fmt::Display for NameError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, is_part, functions } = self;
        if *is_part {
            write!(f, "'{name}' is part of {}", joined(functions))
        } else {
            write!(f, "no function '{name}'; ")?;
            if functions.len() > MAX_LISTED_NAMES
                && let Some(function) = nearest(name, functions)
            {
                write!(f, "did you mean {}? ", function.name)?;
            }
            write!(f, "{}", listing(functions))
        }
    }
}

impl std::error::Error for NameError<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};

    fn function(at: u32, name: &str) -> Function<'_> {
        let (section, symbol) = (SectionIndex(at), SymbolIndex(at));
        Function { name, symbol, section, offset: 0, size: 16, kernel: false }
    }

    #[test]
    fn an_error_suggests_the_nearest_of_many_functions() {
        let names: Vec<String> = (0..40).map(|number| format!("_ZN2ns4part{number}Ei")).collect();
        let functions: Vec<Function<'_>> =
            names.iter().map(|name| &**name).chain(["reduce_sum"]).map(|name| function(0, name)).collect();
        let error = |functions: &[Function<'_>], name: &str| {
            FunctionNames::new(functions).find(name).map(|_| ()).unwrap_err().to_string()
        };
        assert!(error(&functions, "reduce_sun").contains("'; did you mean reduce_sum? the functions are "));
        let distant = error(&functions, "xyz");
        assert!(distant.starts_with("no function 'xyz'; the functions are _ZN2ns4part0Ei, "), "{distant}");
        // All are listed.
        assert!(!error(&functions[35..], "reduce_sun").contains("did you mean"));
    }

    #[test]
    fn folded_functions_have_their_own_names() {
        let names = [
            "k1",
            "$k1$_Z6helperfi",
            "$k1$_Z6helperf",
            "_Z4bothv",
            "$k1$_Z4bothv",
            "$k$2$plain",
            "$k1$_Z1ai$3",
        ];
        let functions: Vec<_> = (0..).zip(names).map(|(at, name)| function(at, name)).collect();
        let names = FunctionNames::new(&functions);
        let find = |name: &str| {
            let found = names.find(name).map_err(|_| ())?;
            Ok::<Vec<u32>, ()>(found.iter().map(|function| function.symbol.0).collect())
        };
        for (name, found) in [
            ("_Z6helperfi", Ok(vec![1])),
            ("helper(float, int)", Ok(vec![1])),
            ("helper", Ok(vec![1, 2])),
            // What is not folded comes first.
            ("both", Ok(vec![3])),
            ("$k1$_Z4bothv", Ok(vec![4])),
            ("plain", Ok(vec![5])),
            ("_Z1ai$3", Ok(vec![6])),
            ("help", Err(())),
            ("helper(int)", Err(())),
            // As CUDA and Nsight print it, and as its source has it.
            ("helper( float,int )", Ok(vec![1])),
            ("float helper(float)", Ok(vec![2])),
        ] {
            assert_eq!(find(name), found, "{name}");
        }
    }
}
