//! The types of the values that instructions give.

use crate::lexer::{Token, TokenKind};
use crate::statement::Statement;
use crate::type_size::Types;
use std::borrow::Cow;

/// The pointer of a `getelementptr` in the dialect with typed pointers.
struct TypedPointer<'a> {
    /// The type that it points at.
    pointed: &'a str,
    /// Its own type.
    own: &'a str,
    /// The place after it.
    end: usize,
}

impl<'a> Types<'_, 'a> {
    /// The type of the value that an instruction gives, as LLVM writes it; `void` where it gives
    /// none. Nothing where it is not known: for vectors of pointers that `getelementptr` gives in
    /// the dialect with typed pointers.
    pub fn result(&self, statement: &Statement<'_>) -> Option<Cow<'a, str>> {
        let text = self.module().text;
        if statement.opcode() == "extractvalue" {
            let (aggregate, indices) = extracted(text, statement)?;
            return self.part(aggregate, &indices).map(Cow::Owned);
        }
        let tokens = Tokens { text, tokens: statement.operation() };
        if statement.opcode() == "getelementptr"
            && let Some(TypedPointer { pointed, own, end: mut at }) = tokens.typed_pointer()
        {
            // The first index goes over pointers of one type, the others into a value of it.
            let mut indices = Vec::new();
            while let Some(index) = tokens.comma(at).map(|comma| comma + 1) {
                let Some((of, value)) = tokens.type_at(index) else { break };
                if of.starts_with('<') {
                    return None;
                }
                // Those of arrays may be anything: all elements are of one type.
                indices.push(tokens.word(value).parse().unwrap_or(0));
                at = value;
            }
            let space = own.trim_end_matches(['*', ' ']);
            let space = space.rfind(" addrspace(").filter(|_| space.ends_with(')')).map(|at| &space[at..]);
            let part = self.part(pointed, indices.get(1..).unwrap_or_default())?;
            return Some(format!("{part}{}*", space.unwrap_or_default()).into());
        }
        if statement.opcode() == "alloca" && self.has_typed_pointers {
            return tokens.typed_alloca().map(Cow::Owned);
        }
        result_type(text, statement)
    }
}

/// The type of an instruction's result, for all instructions but `extractvalue`.
fn result_type<'a>(text: &'a str, statement: &Statement<'_>) -> Option<Cow<'a, str>> {
    let tokens = Tokens { text, tokens: statement.operation() };
    let opcode = statement.opcode();
    let at = tokens.after(opcode)?;
    let own = |at: usize| Some(Cow::Borrowed(tokens.type_at(at)?.0));
    match opcode {
        "icmp" | "fcmp" => {
            let predicate = tokens.position(at, is_predicate)?;
            let (operand, _) = tokens.type_at(predicate + 1)?;
            let count = operand.strip_prefix('<').and_then(|rest| rest.rsplit_once(" x "));
            Some(count.map_or("i1".into(), |(count, _)| format!("<{count} x i1>").into()))
        }
        "zext" | "sext" | "trunc" | "fptrunc" | "fpext" | "fptoui" | "fptosi" | "uitofp" | "sitofp"
        | "ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast" => own(tokens.last_word("to")? + 1),
        "alloca" => tokens.alloca(at),
        "getelementptr" => tokens.element_pointer(),
        "select" => {
            let condition = tokens.first_type(at)?;
            own(tokens.comma(condition)? + 1)
        }
        "extractelement" => {
            let (vector, _) = tokens.type_at(tokens.first_type(at)?)?;
            let (_, element) = vector.strip_suffix('>')?.split_once(" x ")?;
            // `<vscale x 4 x i32>`
            let is_scalable = vector.starts_with("<vscale");
            let element = if is_scalable { element.split_once(" x ")?.1 } else { element };
            Some(element.into())
        }
        "shufflevector" => {
            let (vector, _) = tokens.type_at(tokens.first_type(at)?)?;
            let mask = tokens.comma(tokens.comma(at)? + 1)? + 1;
            let (mask, _) = tokens.type_at(mask)?;
            let (_, element) = vector.rsplit_once(" x ")?;
            let (count, _) = mask.rsplit_once(" x ")?;
            Some(format!("{count} x {element}").into())
        }
        "cmpxchg" => {
            let (value, _) = tokens.type_at(tokens.comma(at)? + 1)?;
            Some(format!("{{ {value}, i1 }}").into())
        }
        "atomicrmw" | "va_arg" => own(tokens.comma(at)? + 1),
        "call" | "invoke" | "callbr" => tokens.call(at).map(Cow::Borrowed),
        "store" | "br" | "switch" | "ret" | "unreachable" | "fence" | "resume" | "indirectbr" => {
            Some("void".into())
        }
        "catchswitch" | "catchpad" | "cleanuppad" => Some("token".into()),
        "catchret" | "cleanupret" => Some("void".into()),
        _ => own(tokens.first_type(at)?),
    }
}

/// The type of an aggregate and the indices that lead into it, of `extractvalue`.
fn extracted<'a>(text: &'a str, statement: &Statement<'_>) -> Option<(&'a str, Vec<usize>)> {
    let tokens = Tokens { text, tokens: statement.operation() };
    let (aggregate, end) = tokens.type_at(tokens.after("extractvalue")?)?;
    let mut indices = Vec::new();
    let mut at = tokens.comma(end)?;
    while tokens.get(at).is_some_and(|token| token.is(b',', text)) {
        let Some(index) = tokens.word(at + 1).parse().ok() else { break };
        indices.push(index);
        at += 2;
    }
    Some((aggregate, indices))
}

/// Words between an opcode and its first type.
fn is_flag(word: &str) -> bool {
    matches!(
        word,
        "nuw"
            | "nsw"
            | "exact"
            | "disjoint"
            | "nneg"
            | "samesign"
            | "fast"
            | "nnan"
            | "ninf"
            | "nsz"
            | "arcp"
            | "contract"
            | "afn"
            | "reassoc"
            | "inbounds"
            | "nusw"
            | "volatile"
            | "atomic"
            | "weak"
            | "inalloca"
            | "swifterror"
    )
}

fn is_predicate(word: &str) -> bool {
    matches!(
        word,
        "eq" | "ne"
            | "ugt"
            | "uge"
            | "ult"
            | "ule"
            | "sgt"
            | "sge"
            | "slt"
            | "sle"
            | "oeq"
            | "ogt"
            | "oge"
            | "olt"
            | "ole"
            | "one"
            | "ord"
            | "ueq"
            | "une"
            | "uno"
            | "true"
            | "false"
    )
}

/// Whether a word is a type.
fn is_type(word: &str) -> bool {
    let is_integer = word
        .strip_prefix('i')
        .is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit()));
    is_integer
        || matches!(
            word,
            "void"
                | "half"
                | "bfloat"
                | "float"
                | "double"
                | "fp128"
                | "x86_fp80"
                | "ppc_fp128"
                | "x86_mmx"
                | "x86_amx"
                | "ptr"
                | "token"
                | "metadata"
                | "label"
                | "target"
        )
}

/// The tokens of an instruction from its opcode on.
#[derive(Clone, Copy)]
struct Tokens<'a, 's> {
    text: &'a str,
    tokens: &'s [Token],
}

impl<'a> Tokens<'a, '_> {
    fn get(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    fn word(&self, at: usize) -> &'a str {
        self.get(at).map(|token| token.text(self.text)).unwrap_or_default()
    }

    /// The place after a word.
    fn after(&self, word: &str) -> Option<usize> {
        self.position(0, |other| other == word).map(|at| at + 1)
    }

    fn position(&self, from: usize, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        (from..self.tokens.len()).find(|at| is_it(self.word(*at)))
    }

    fn last_word(&self, word: &str) -> Option<usize> {
        (0..self.tokens.len()).rev().find(|at| self.word(*at) == word)
    }

    /// The next comma outside brackets.
    fn comma(&self, from: usize) -> Option<usize> {
        let mut depth = 0;
        for at in from..self.tokens.len() {
            let token = self.tokens[at];
            depth += self.nesting(token);
            if depth == 0 && token.is(b',', self.text) {
                return Some(at);
            }
        }
        None
    }

    fn nesting(&self, token: Token) -> i32 {
        let angle = i32::from(token.is(b'<', self.text)) - i32::from(token.is(b'>', self.text));
        token.nesting(self.text) + angle
    }

    /// Where the first type after flags is.
    fn first_type(&self, from: usize) -> Option<usize> {
        (from..self.tokens.len()).find(|at| !is_flag(self.word(*at)))
    }

    /// The place after the bracket that closes the one at `at`.
    fn close(&self, at: usize) -> Option<usize> {
        let mut depth = 0;
        for end in at..self.tokens.len() {
            depth += self.nesting(self.tokens[end]);
            if depth == 0 {
                return Some(end + 1);
            }
        }
        None
    }

    /// The type that begins at a place, and the place after it.
    fn type_at(&self, start: usize) -> Option<(&'a str, usize)> {
        let first = self.get(start)?;
        let mut end = match first.kind {
            TokenKind::Local => start + 1,
            TokenKind::Word if self.word(start) == "target" => self.close(start + 1)?,
            TokenKind::Word if is_type(self.word(start)) => start + 1,
            TokenKind::Punctuation if self.nesting(first) > 0 => self.close(start)?,
            _ => return None,
        };
        loop {
            if self.word(end) == "addrspace" {
                end = self.close(end + 1)?;
            } else if self.word(end) == "*" {
                end += 1;
            } else {
                break;
            }
        }
        let last = self.get(end - 1)?;
        Some((first.range.to(last.range).slice(self.text), end))
    }

    /// A pointer that says what it points at: `i32*`, `i32 addrspace(5)*`.
    fn typed_alloca(&self) -> Option<String> {
        let (allocated, end) = self.type_at(self.first_type(self.after("alloca")?)?)?;
        let space = (end..self.tokens.len()).find(|at| self.word(*at) == "addrspace");
        let space = space.map(|at| format!(" addrspace({})", self.word(at + 2)));
        Some(format!("{allocated}{}*", space.unwrap_or_default()))
    }

    fn alloca(&self, at: usize) -> Option<Cow<'a, str>> {
        let (allocated, end) = self.type_at(self.first_type(at)?)?;
        if allocated.ends_with('*') {
            return Some(format!("{allocated}*").into());
        }
        let space = (end..self.tokens.len()).find(|at| self.word(*at) == "addrspace");
        Some(space.map_or("ptr".into(), |at| format!("ptr addrspace({})", self.word(at + 2)).into()))
    }

    /// Where the first type of `getelementptr` is.
    fn pointed(&self) -> Option<usize> {
        // `inrange(0, 8)`
        let at = self.first_type(self.after("getelementptr")?)?;
        if self.word(at) == "inrange" { self.first_type(self.close(at + 1)?) } else { Some(at) }
    }

    /// The pointer of `getelementptr`, if it is one with a type.
    fn typed_pointer(&self) -> Option<TypedPointer<'a>> {
        let (pointed, end) = self.type_at(self.pointed()?)?;
        let (own, end) = self.type_at(self.comma(end)? + 1)?;
        own.ends_with('*').then_some(TypedPointer { pointed, own, end })
    }

    /// A pointer, or a vector of them where an operand is one.
    fn element_pointer(&self) -> Option<Cow<'a, str>> {
        let (_, end) = self.type_at(self.pointed()?)?;
        let mut comma = self.comma(end)?;
        let (pointer, _) = self.type_at(comma + 1)?;
        if pointer.contains('*') {
            return None;
        }
        if pointer.starts_with('<') {
            return Some(pointer.into());
        }
        while let Some(next) = self.comma(comma + 1) {
            comma = next;
            match self.type_at(comma + 1) {
                Some((index, _)) if index.starts_with('<') => {
                    let (count, _) = index.rsplit_once(" x ")?;
                    return Some(format!("{count} x {pointer}>").into());
                }
                Some(_) => {}
                None => break,
            }
        }
        Some(pointer.into())
    }

    /// The type before the callee, without the types of parameters.
    fn call(&self, mut at: usize) -> Option<&'a str> {
        loop {
            let word = self.word(at);
            match self.get(at)?.kind {
                // `addrspace(3)`, `dereferenceable(8)`, `range(i32 0, 5)` before the type.
                TokenKind::Word if word == "target" || is_type(word) => return Some(self.type_at(at)?.0),
                TokenKind::Word if self.word(at + 1) == "(" => at = self.close(at + 1)?,
                TokenKind::Word => at += 1,
                _ => return Some(self.type_at(at)?.0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextRange;
    use crate::statement::Statements;

    /// Types as `opt-14 -S` writes them.
    #[test]
    fn typed_pointers() {
        let text = "%T = type { i32, [4 x float addrspace(1)*], %\"U\" }\n%U = type { i8, <2 x half> }\n";
        for (instruction, expected) in [
            ("%x = getelementptr inbounds float, float* %p, i64 %i", Some("float*")),
            (
                "%x = getelementptr %T, %T addrspace(3)* %p, i32 0, i32 1",
                Some("[4 x float addrspace(1)*] addrspace(3)*"),
            ),
            ("%x = getelementptr %T, %T* %p, i64 %i, i32 1, i64 %j, !dbg !2", Some("float addrspace(1)**")),
            ("%x = getelementptr %\"T\", %T* %p, i64 0, i32 2, i32 1", Some("<2 x half>*")),
            ("%x = getelementptr i8*, i8** %p, i32 1", Some("i8**")),
            ("%x = getelementptr float, <4 x float*> %p, i64 %i", None),
            ("%x = getelementptr float, float* %p, <4 x i64> %i", None),
        ] {
            let all = format!("{text}define void @f() {{\n  {instruction}\n}}\n");
            let module = crate::Module::parse(&all);
            let body = module.functions().next().unwrap().body.unwrap();
            let mut statements = Statements::new(&all, body);
            let statement = statements.next_statement().unwrap();
            assert_eq!(Types::new(&module).result(&statement).as_deref(), expected, "{instruction}");
        }
    }

    #[test]
    fn types_of_results() {
        for (instruction, expected) in [
            ("%x = add nuw nsw i32 %a, 1", "i32"),
            ("%x = fadd fast <4 x float> %a, %b", "<4 x float>"),
            ("%x = icmp slt <vscale x 4 x i32> %a, %b", "<vscale x 4 x i1>"),
            ("%x = fcmp fast olt float %a, 1.0", "i1"),
            ("%x = zext nneg i32 %a to i64, !dbg !2", "i64"),
            ("%x = addrspacecast ptr addrspace(1) %p to ptr", "ptr"),
            ("%x = load atomic volatile ptr addrspace(3), ptr %p acquire, align 8", "ptr addrspace(3)"),
            ("%x = alloca %T, align 4, addrspace(5)", "ptr addrspace(5)"),
            ("%x = alloca float*, align 8", "float**"),
            ("%x = getelementptr inbounds nuw %T, ptr addrspace(1) %p, i64 0, i32 1", "ptr addrspace(1)"),
            ("%x = getelementptr float, ptr %p, <4 x i64> %i", "<4 x ptr>"),
            ("%x = select i1 %c, [2 x i8] %a, [2 x i8] %b", "[2 x i8]"),
            ("%x = extractelement <4 x half> %v, i64 0", "half"),
            ("%x = shufflevector <4 x i8> %a, <4 x i8> poison, <2 x i32> <i32 0, i32 1>", "<2 x i8>"),
            ("%x = cmpxchg weak ptr %p, i32 %a, i32 %b seq_cst monotonic", "{ i32, i1 }"),
            ("%x = atomicrmw add ptr %p, i64 1 seq_cst", "i64"),
            ("%x = tail call fast noundef float @f(float %a) #3", "float"),
            ("%x = call noundef align 4 dereferenceable(8) ptr @g(ptr %p)", "ptr"),
            ("%x = call range(i32 0, 5) i32 (ptr, ...) @printf(ptr %p)", "i32"),
            ("call fastcc void %f(i32 1)", "void"),
            ("%x = call { i32, %T } asm \"mov\", \"=r,=r\"()", "{ i32, %T }"),
            ("%x = phi <{ i8, i32 }> [ %a, %b ]", "<{ i8, i32 }>"),
            ("%x = atomicrmw volatile fadd ptr addrspace(1) %p, <2 x half> %v monotonic", "<2 x half>"),
            ("store i32 0, ptr %p", "void"),
        ] {
            let mut statements = Statements::new(instruction, TextRange::new(0, instruction.len()));
            let found =
                statements.next_statement().and_then(|statement| result_type(instruction, &statement));
            assert_eq!(found.as_deref(), Some(expected), "{instruction}");
        }
    }
}
