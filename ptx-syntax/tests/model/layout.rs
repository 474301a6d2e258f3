//! Model -> text with any blanks, line breaks and comments between the words.

use super::{Datum, Function, Init, LocPosition, Operand, Shape, Statement, Top, Variable};

/// Words of a text; the second says whether a blank must stand before it.
#[derive(Default)]
pub(crate) struct Words(Vec<(String, bool)>);

const GAPS: &[&str] = &[" ", "\n", "\t\n ", "\r\n", "  "];
const COMMENTS: &[&str] =
    &["/* a */", " // b ; }\n", "\n/* c\n{ */ ", "\n# 7 \"x.cu\" 2\n", " /**/\t", "//\n\n", " ", "\n"];

impl Words {
    fn word(&mut self, word: impl Into<String>) -> &mut Self {
        self.0.push((word.into(), true));
        self
    }

    /// A word that may stand tight after the one before it, and lets the next stand tight.
    fn mark(&mut self, word: &str) -> &mut Self {
        self.0.push((word.to_owned(), false));
        self
    }

    fn all(&mut self, words: &[&str]) -> &mut Self {
        for word in words {
            self.word(*word);
        }
        self
    }

    /// In decimal, octal, binary or hexadecimal, the sign apart.
    fn integer(&mut self, value: i64) -> &mut Self {
        if value < 0 {
            self.mark("-");
        }
        self.natural(value.unsigned_abs())
    }

    fn natural(&mut self, value: u64) -> &mut Self {
        self.word(match value % 5 {
            0 => format!("{value:#x}"),
            1 => format!("0{value:o}"),
            2 => format!("{value:#b}"),
            _ => value.to_string(),
        })
    }

    fn strings(&mut self, strings: &[String]) -> &mut Self {
        self.list(strings, |words, string| {
            words.word(format!("\"{string}\""));
        })
    }

    fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) -> &mut Self {
        for (index, item) in list.iter().enumerate() {
            if index > 0 {
                self.mark(",");
            }
            each(self, item);
        }
        self
    }

    /// The text; `gaps` choose what stands between the words.
    pub(crate) fn text(&self, gaps: &[u8], comments: bool) -> String {
        let mut text = String::new();
        let mut chosen = gaps.iter().cycle();
        let mut next = || usize::from(chosen.next().copied().unwrap_or(0));
        let mut loose = true;
        for (word, apart) in &self.0 {
            let (choice, kind) = (next(), next());
            match kind % 4 {
                0 if comments => text.push_str(COMMENTS[choice % COMMENTS.len()]),
                1 if !apart || !loose => {}
                _ => text.push_str(GAPS[choice % GAPS.len()]),
            }
            // A comment is not a blank: `a/**/b` are two words, and so are `ld/**/.u32`.
            text.push_str(word);
            loose = *apart;
        }
        text.push('\n');
        text
    }
}

pub(crate) fn module(tops: &[Top]) -> Words {
    let mut words = Words::default();
    // `.version 9.0` is one token of ptxas.
    words.all(&[".version 9.0", ".target", "sm_90"]).mark(",").all(&["debug", ".address_size", "64"]);
    for top in tops {
        match top {
            Top::File { index, path, stat } => {
                words.word(".file").natural(*index).word(format!("\"{path}\""));
                if let Some((time, size)) = stat {
                    words.mark(",").natural(*time).mark(",").natural(*size);
                }
            }
            Top::Pragma(strings) => {
                words.word(".pragma").strings(strings).mark(";");
            }
            Top::Alias(alias, aliasee) => {
                words.all(&[".alias", alias]).mark(",").word(aliasee).mark(";");
            }
            Top::Variable { space, linkage, variable } => {
                if !linkage.is_empty() {
                    words.word(*linkage);
                }
                declaration(&mut words, space, variable);
                words.mark(";");
            }
            Top::Function(all) => function(&mut words, all),
            Top::Section { name, data } => {
                words.all(&[".section", name]).mark("{");
                for datum in data {
                    self::datum(&mut words, datum);
                }
                words.mark("}");
            }
        }
    }
    words
}

fn declaration(words: &mut Words, space: &str, variable: &Variable) {
    words.word(space);
    if let Some(align) = variable.align {
        words.word(".align").natural(align);
    }
    if let Some(vector) = variable.vector {
        words.word(format!(".v{vector}"));
    }
    words.all(&[variable.ty, &variable.name]);
    match &variable.shape {
        Shape::One => {}
        Shape::Registers(count) => {
            words.mark("<").natural(u64::from(*count)).mark(">");
        }
        Shape::Array(dimensions) => dimensions.iter().for_each(|size| {
            words.mark("[").natural(*size).mark("]");
        }),
    }
    if let Some(init) = &variable.init {
        words.mark("=");
        self::init(words, init);
    }
}

fn init(words: &mut Words, value: &Init) {
    match value {
        Init::Integer(value) => {
            words.integer(*value);
        }
        Init::Single(bits) => {
            words.word(format!("0f{bits:08X}"));
        }
        Init::Symbol { name, generic, offset } => {
            if *generic {
                words.word("generic").mark("(").word(name).mark(")");
            } else {
                words.word(name);
            }
            if let Some(offset) = offset {
                words.mark("+").integer(*offset);
            }
        }
        Init::Mask(mask, name) => {
            words.natural(*mask).mark("(").word(name).mark(")");
        }
        Init::List(list) => {
            words.mark("{").list(list, init).mark("}");
        }
    }
}

fn function(words: &mut Words, function: &Function) {
    if !function.linkage.is_empty() {
        words.word(function.linkage);
    }
    words.all(&[if function.kernel { ".entry" } else { ".func" }, &function.name]).mark("(");
    words.list(&function.params, |words, parameter| declaration(words, ".param", parameter)).mark(")");
    for (name, numbers) in &function.directives {
        words.word(*name).list(numbers, |words, number| {
            words.natural(*number);
        });
    }
    let Some(body) = &function.body else {
        words.mark(";");
        return;
    };
    words.mark("{");
    for statement in body {
        self::statement(words, statement);
    }
    words.mark("}");
}

fn place(words: &mut Words, (file, line, column): LocPosition) {
    words.natural(file).natural(line).natural(column);
}

fn statement(words: &mut Words, statement: &Statement) {
    match statement {
        Statement::Loc(at, inlined) => {
            words.word(".loc");
            place(words, *at);
            if let Some((name, offset, at)) = inlined {
                words.mark(",").all(&["function_name", name]);
                if *offset > 0 {
                    words.mark("+").natural(*offset);
                }
                words.mark(",").word("inlined_at");
                place(words, *at);
            }
        }
        Statement::Label(name) => {
            words.word(name).mark(":");
        }
        Statement::Instruction { guard, opcode, operands } => {
            if let Some((negated, register)) = guard {
                words.mark("@");
                if *negated {
                    words.mark("!");
                }
                words.word(register);
            }
            words.all(opcode).list(operands, operand).mark(";");
        }
        Statement::Variable(space, variable) => {
            declaration(words, space, variable);
            words.mark(";");
        }
        Statement::Open => {
            words.mark("{");
        }
        Statement::Close => {
            words.mark("}");
        }
        Statement::Pragma(strings) => {
            words.word(".pragma").strings(strings).mark(";");
        }
        Statement::Branches(_, labels) => {
            let name = |words: &mut Words, name: &String| {
                words.word(name);
            };
            words.word(".branchtargets").list(labels, name).mark(";");
        }
        Statement::Prototype { returns, params, noreturn, .. } => {
            let parameter = |words: &mut Words, (): &()| {
                words.all(&[".param", ".b32", "_"]);
            };
            words.word(".callprototype").mark("(").list(&vec![(); *returns], parameter).mark(")").word("_");
            words.mark("(").list(&vec![(); *params], parameter).mark(")");
            if *noreturn {
                words.word(".noreturn");
            }
            words.mark(";");
        }
    }
}

fn operand(words: &mut Words, operand: &Operand) {
    match operand {
        Operand::Name(name) => {
            words.word(name);
        }
        Operand::Integer(value) => {
            words.integer(*value);
        }
        Operand::Single(bits) => {
            words.word(format!("0f{bits:08x}"));
        }
        Operand::Address(base, offset) => {
            words.mark("[").word(base);
            if let Some(offset) = offset {
                words.mark("+").integer(*offset);
            }
            words.mark("]");
        }
        Operand::Vector(names) => {
            let name = |words: &mut Words, name: &String| {
                words.word(name);
            };
            words.mark("{").list(names, name).mark("}");
        }
    }
}

fn datum(words: &mut Words, datum: &Datum) {
    let width = |words: &mut Words, bytes: &u8| {
        words.word(match bytes {
            1 => ".b8",
            2 => ".b16",
            4 => ".b32",
            _ => ".b64",
        });
    };
    match datum {
        Datum::Label(name) => {
            words.word(name).mark(":");
        }
        Datum::Values(bytes, values) => {
            width(words, bytes);
            words.list(values, |words, value| {
                words.integer(*value);
            });
        }
        Datum::Symbol(bytes, name, addend) => {
            width(words, bytes);
            words.word(name);
            if *addend > 0 {
                words.mark("+").natural(u64::from(*addend));
            }
        }
        Datum::Difference(bytes, left, right) => {
            width(words, bytes);
            words.word(left).mark("-").word(right);
        }
    }
}
