//! The parts of a `call` instruction.

use crate::instruction::Instruction;
use crate::operand::{Operand, OperandKind};

/// A `call` instruction, split into its parts (PTX ISA §call).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// The list of the register or parameter that takes the result, such as `(r0)`.
    pub results: Option<Operand<'a>>,
    /// The name of the called function, or of the register that has its address.
    pub callee: Operand<'a>,
    /// The list of arguments, such as `(p0, p1)`.
    pub arguments: Option<Operand<'a>>,
    /// The label of the `.callprototype` or `.calltargets` for a call through a register.
    pub targets: Option<Operand<'a>>,
}

impl<'a> Call<'a> {
    /// Splits a `call` instruction into its parts; `None` for other instructions, and for a `call`
    /// without a callee.
    pub fn of(instruction: &Instruction<'a>) -> Option<Self> {
        if instruction.mnemonic() != "call" {
            return None;
        }
        let mut operands = instruction.operands().peekable();
        let is_list = |operand: &Operand<'_>| operand.kind == OperandKind::Arguments;
        let is_name = |operand: &Operand<'_>| operand.kind == OperandKind::Name;
        let results = operands.next_if(is_list);
        let callee = operands.next_if(is_name)?;
        let arguments = operands.next_if(is_list);
        let targets = operands.next_if(is_name);
        Some(Self { results, callee, arguments, targets })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;
    use crate::{Statement, parse};

    /// Results, callee, arguments and targets of `text`.
    fn parts(text: &str) -> Option<[Option<String>; 4]> {
        let module = format!(".version 9.0\n.target sm_90\n.func f() {{ {text} }}\n");
        let parsed = parse(&module);
        let body = parsed.module.functions().next().unwrap().body.clone().unwrap();
        let [Statement::Instruction(instruction)] = &body.statements[..] else {
            panic!("{:?}", body.statements)
        };
        let Call { results, callee, arguments, targets } = Call::of(instruction)?;
        let text = |operand: Operand<'_>| operand.text.to_owned();
        Some([results.map(text), Some(text(callee)), arguments.map(text), targets.map(text)])
    }

    #[test]
    fn every_form_of_the_isa() {
        let parts = |text| parts(text).map(|parts| parts.map(Option::unwrap_or_default));
        let expected = |parts: [&str; 4]| Some(parts.map(str::to_owned));
        assert_eq!(parts("call g;"), expected(["", "g", "", ""]));
        assert_eq!(parts("@%p1 call.uni g, (a, 5);"), expected(["", "g", "(a, 5)", ""]));
        assert_eq!(parts("call.uni\n(r0),\ng,\n(\na\n)\n;"), expected(["(r0)", "g", "(\na\n)", ""]));
        assert_eq!(parts("call (r0), %rd1, (a), P;"), expected(["(r0)", "%rd1", "(a)", "P"]));
        assert_eq!(parts("call %rd1, P;"), expected(["", "%rd1", "", "P"]));
        assert_eq!(parts("call (r0);"), None);
        assert_eq!(parts("bra g;"), None);
    }
}
