//! One spelling for names of functions that demanglers print differently.
//!
//! `k1(float*, int)` of c++filt is `k1(float *, int)` in CUDA's tools, `void k<4u, int const*>(int
//! const*)` is `void k<(unsigned int)4, const int *>(T2)`. Both sides of a comparison go through
//! [`Canonical::of`].
//!
//! Observed: `nvlink -dump-callgraph` 13.0.88, which demangles as CUPTI and the Nsight tools do.

use crate::limits::MAX_NAME_NESTING;
use std::iter::Peekable;
use std::vec::IntoIter;

/// The canonical spelling of "anonymous namespace", for all that compilers have.
const ANONYMOUS: &str = "{anonymous}";

/// The name of a function in one spelling for all demanglers, without blanks that carry no meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalName {
    /// The complete name, with the return type if there is one, and the parameters.
    pub whole: String,
    /// The name without the return type, with which names of templates begin.
    pub without_return: String,
    /// The name without return type and parameters, as a programmer calls the function. Template
    /// arguments stay.
    pub bare: String,
}

impl CanonicalName {
    /// Brings the name of a function, as any demangler or programmer spells it, into one spelling.
    pub fn of(name: &str) -> Self {
        let mut tokens = substituted(tokens(name)).into_iter().peekable();
        let mut units = Units::default();
        while tokens.peek().is_some() {
            units.read(&mut tokens, MAX_NAME_NESTING);
            // A bracket or a comma that nothing opens.
            units.0.extend(tokens.next().map(Unit::Other));
        }
        let units = units.sorted();
        let is_list = |unit: &Unit| matches!(unit, Unit::Parentheses(_));
        // The parameters are the last parentheses, and the name stands before them.
        let parameters = units.iter().rposition(is_list).unwrap_or(units.len());
        let named = units.get(..parameters).unwrap_or_default();
        let operator = named.iter().position(Unit::is_operator);
        let name = operator.or_else(|| named.iter().rposition(|unit| matches!(unit, Unit::Word(_))));
        let name = name.filter(|name| operator.is_some() || *name + 1 == parameters).unwrap_or(0);
        let text = |units: Option<&[Unit]>| joined(units.unwrap_or_default());
        Self {
            whole: text(Some(&units)),
            without_return: text(units.get(name..)),
            bare: text(units.get(name..parameters)),
        }
    }

    /// Returns three spellings of the demangled name: the complete name, the name without the
    /// return type, and the name without return type and parameters.
    pub fn spellings(self) -> [String; 3] {
        [self.whole, self.without_return, self.bare]
    }
}

/// Words, numbers, and other characters one by one; no blanks.
fn tokens(name: &str) -> Vec<String> {
    let name = name.replace("(anonymous namespace)", ANONYMOUS).replace("<unnamed>", ANONYMOUS);
    // `[lambda(int) (instance 1)]` is `{lambda(int)#1}`.
    let name = if name.contains("(instance ") {
        name.replace("[lambda(", "{lambda(").replace("(instance ", "#").replace(")]", "}")
    } else {
        name
    };
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = &*name;
    while let Some(first) = rest.chars().next() {
        let size = if let Some(after) = rest.strip_prefix("...") {
            rest.len() - after.len()
        } else if rest.starts_with(ANONYMOUS) {
            ANONYMOUS.len()
        } else if is_of_word(first) {
            // `T1...` is a word and what makes a pack of it.
            let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            rest.get(..end).and_then(|word| word.find("...")).unwrap_or(end)
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(size);
        rest = after;
        if !first.is_whitespace() {
            tokens.push(token.to_owned());
        }
    }
    tokens
}

/// Puts the template arguments where `T1`, `T2` name them: those of the last list before the
/// parameters.
fn substituted(tokens: Vec<String>) -> Vec<String> {
    let number = |token: &String| token.strip_prefix('T')?.parse::<usize>().ok()?.checked_sub(1);
    if !tokens.iter().any(|token| number(token).is_some()) {
        return tokens;
    }
    let Some(arguments) = arguments(&tokens) else { return tokens };
    let mut all = Vec::new();
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let Some(argument) = number(token).filter(|number| *number < arguments.len()) else {
            all.push(token.clone());
            continue;
        };
        let is_pack = rest.next_if(|token| *token == "...").is_some();
        let last = if is_pack { arguments.len() } else { argument + 1 };
        let meant = arguments.get(argument..last).unwrap_or_default();
        for (index, argument) in meant.iter().enumerate() {
            all.extend((index > 0).then(|| ",".to_owned()));
            all.extend(argument.iter().cloned());
        }
    }
    all
}

/// The arguments of the template list that the function's name ends with.
fn arguments(tokens: &[String]) -> Option<Vec<Vec<String>>> {
    let mut depth = 0_usize;
    let mut found: Option<Vec<Vec<String>>> = None;
    let mut current: Vec<Vec<String>> = Vec::new();
    for token in tokens {
        match &**token {
            // The parameters begin.
            "(" if depth == 0 && found.is_some() => return found,
            "<" | "(" | "[" | "{" => depth += 1,
            ">" | ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            "," if depth == 1 => {
                current.push(Vec::new());
                continue;
            }
            _ => {}
        }
        match (&**token, depth) {
            ("<", 1) => current = vec![Vec::new()],
            (">", 0) => found = Some(std::mem::take(&mut current)),
            (_, 0) => {}
            _ => current.last_mut().into_iter().for_each(|last| last.push(token.clone())),
        }
    }
    None
}

/// A piece of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Unit {
    /// A name with its scopes and template arguments, a type's word, a number.
    Word(String),
    /// `(...)`.
    Parentheses(String),
    /// `*`, `&`, `[4]` and the like.
    Other(String),
}

impl Unit {
    fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Parentheses(text) | Self::Other(text) => text,
        }
    }

    fn is_operator(&self) -> bool {
        matches!(self, Self::Word(text) if text.rsplit("::").next().is_some_and(|name| name.starts_with("operator")))
    }
}

type Tokens = Peekable<IntoIter<String>>;

/// One declaration, or one argument of a list.
#[derive(Debug, Default)]
struct Units(Vec<Unit>);

impl Units {
    /// Reads up to a comma or to what closes a bracket around it.
    fn read(&mut self, tokens: &mut Tokens, depth: usize) {
        // Whether the next word goes on with the last one.
        let mut is_scope = false;
        while let Some(token) = tokens.next_if(|token| !matches!(&**token, "," | ")" | "]" | "}" | ">")) {
            let was_scope = std::mem::take(&mut is_scope);
            match &*token {
                "::" => {
                    // `::A` is `A`. Of a local name the parameters are of its function:
                    // `k(int)::S`.
                    let is_local = matches!(self.0.last(), Some(Unit::Parentheses(_)));
                    let parameters = if is_local { self.0.pop() } else { None };
                    if let Some(Unit::Word(name)) = self.0.last_mut() {
                        name.push_str(parameters.as_ref().map_or("", Unit::text));
                        name.push_str("::");
                        is_scope = true;
                    } else {
                        self.0.extend(parameters);
                    }
                }
                "<" if matches!(self.0.last(), Some(Unit::Word(_))) => {
                    let list = list(tokens, ">", depth);
                    self.extend_word(&format!("<{list}>"));
                }
                "(" => {
                    let list = list(tokens, ")", depth);
                    self.0.push(Unit::Parentheses(format!("({list})")));
                }
                "[" => {
                    let list = list(tokens, "]", depth);
                    self.0.push(Unit::Other(format!("[{list}]")));
                }
                "{" => {
                    let list = list(tokens, "}", depth);
                    self.word(format!("{{{list}}}"), was_scope);
                }
                "operator" => {
                    let symbol = operator(tokens);
                    self.word(format!("operator{symbol}"), was_scope);
                }
                _ if token.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
                    || token == ANONYMOUS =>
                {
                    self.word(token, was_scope);
                }
                _ => self.0.push(Unit::Other(token)),
            }
        }
    }

    fn word(&mut self, word: String, goes_on: bool) {
        if goes_on { self.extend_word(&word) } else { self.0.push(Unit::Word(word)) }
    }

    fn extend_word(&mut self, more: &str) {
        if let Some(Unit::Word(word)) = self.0.last_mut() {
            word.push_str(more);
        }
    }

    /// With the words of the type at its start in one order: `const unsigned` is `unsigned int
    /// const`.
    fn sorted(self) -> Vec<Unit> {
        let is_word = |unit: &Unit| matches!(unit, Unit::Word(_));
        let words = self.0.iter().take_while(|unit| is_word(unit)).count();
        let (mut qualifiers, mut integer, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for word in self.0.iter().take(words).map(Unit::text) {
            match word {
                "const" | "volatile" => qualifiers.push(word.to_owned()),
                "unsigned" | "signed" | "short" | "long" | "int" | "char" => integer.push(word),
                _ => others.push(word.to_owned()),
            }
        }
        qualifiers.sort_unstable();
        let integer = (!integer.is_empty()).then(|| integer_type(&integer));
        // The return type stands first, as in `unsigned int f<int>(int)`.
        let sorted = integer.into_iter().chain(others).chain(qualifiers).map(Unit::Word);
        sorted.chain(self.0.get(words..).unwrap_or_default().iter().cloned()).collect()
    }
}

/// `unsigned long` of `long unsigned int`.
fn integer_type(words: &[&str]) -> String {
    let count = |word| words.iter().filter(|other| **other == word).count();
    let is_char = count("char") > 0;
    let sign = if count("unsigned") > 0 {
        "unsigned"
    } else if is_char && count("signed") > 0 {
        "signed"
    } else {
        ""
    };
    let size = match (is_char, count("short"), count("long")) {
        (true, ..) => "char",
        (false, 1.., _) => "short",
        (false, 0, 0) => "int",
        (false, 0, 1) => "long",
        (false, 0, _) => "long long",
    };
    [sign, size].join(" ").trim_start().to_owned()
}

/// The symbol of an operator, or after a blank the type that one converts to.
fn operator(tokens: &mut Tokens) -> String {
    let is_symbol = |token: &String| {
        !matches!(&**token, "(" | "::") && !token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let mut symbol = String::new();
    while let Some(token) = tokens.next_if(is_symbol) {
        symbol.push_str(&token);
    }
    if !symbol.is_empty() {
        return symbol;
    }
    if tokens.next_if(|token| token == "(").is_some() {
        return if tokens.next_if(|token| token == ")").is_some() { "()" } else { "(" }.to_owned();
    }
    while let Some(token) = tokens.next_if(|token| !matches!(&**token, "(" | ")" | ",")) {
        symbol.push(' ');
        symbol.push_str(&token);
    }
    symbol
}

/// The arguments up to `close`, which is taken too.
fn list(tokens: &mut Tokens, close: &str, depth: usize) -> String {
    let mut arguments: Vec<String> = Vec::new();
    let Some(depth) = depth.checked_sub(1) else {
        // Nobody writes such a name. What is left is compared as it stands.
        return tokens.by_ref().collect();
    };
    loop {
        let mut units = Units::default();
        units.read(tokens, depth);
        let argument = if matches!(close, ">" | "]") { value(units) } else { joined(&units.sorted()) };
        arguments.push(argument);
        match tokens.next() {
            Some(token) if token == "," => {}
            Some(token) if token != close => arguments.push(token),
            _ => break,
        }
    }
    // `f(void)` is `f()`.
    let text = arguments.join(",");
    if close == ")" && text == "void" { String::new() } else { text }
}

/// A template argument: `(unsigned int)4` is `4`, as is `4u`, `(bool)1` is `true`.
fn value(units: Units) -> String {
    let text = match units.0.as_slice() {
        [Unit::Parentheses(_), value @ ..] if is_number(value) => joined(value),
        _ => joined(&units.sorted()),
    };
    match &*text {
        "true" => "1".to_owned(),
        "false" => "0".to_owned(),
        number if number.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) => {
            number.trim_end_matches(['u', 'U', 'l', 'L']).to_owned()
        }
        _ => text,
    }
}

fn is_number(units: &[Unit]) -> bool {
    let starts = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    match units {
        [Unit::Word(number)] => starts(number),
        [Unit::Other(minus), Unit::Word(number)] => minus == "-" && starts(number),
        _ => false,
    }
}

/// Units with a blank where two words would run together.
fn joined(units: &[Unit]) -> String {
    let mut text = String::new();
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '>' | '}');
    for unit in units.iter().map(Unit::text) {
        let starts_word = unit.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '{'));
        if starts_word && text.ends_with(is_of_word) {
            text.push(' ');
        }
        text.push_str(unit);
    }
    text
}

#[cfg(test)]
mod tests;
