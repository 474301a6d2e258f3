//! Location expressions, as gimli reads them.
#![allow(non_upper_case_globals, reason = "names of the specification, in patterns")]

use dwarf2_writer::constants::*;
use dwarf2_writer::{Address, Error, Expression, Operation as Op, Reloc, SymbolId};
use gimli::{EndianSlice, LittleEndian, Operation as Read, Register};
use proptest::prelude::*;

const ENCODING: gimli::Encoding =
    gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 2 };

/// Operations without operands, from DWARF 2.0.0 figure 22, and later ones.
fn plain() -> Vec<u8> {
    let ranges = [0x06..=0x06, 0x12..=0x14, 0x16..=0x22, 0x24..=0x27, 0x29..=0x2e, 0x96..=0x97];
    ranges.into_iter().flatten().chain([0x9b, 0x9c, 0x9f]).collect()
}

/// Any operation; branches to a number that is taken modulo those that there are.
fn operation() -> impl Strategy<Value = Op> {
    let r = || 0..=u64::from(u16::MAX);
    prop_oneof![
        prop::sample::select(plain()).prop_map(Op::Plain),
        any::<u64>().prop_map(|address| Op::Addr(Address::Constant(address))),
        (0..32_u8).prop_map(Op::Lit),
        any::<u8>().prop_map(Op::Const1u),
        any::<i8>().prop_map(Op::Const1s),
        any::<u16>().prop_map(Op::Const2u),
        any::<i16>().prop_map(Op::Const2s),
        any::<u32>().prop_map(Op::Const4u),
        any::<i32>().prop_map(Op::Const4s),
        any::<u64>().prop_map(Op::Const8u),
        any::<i64>().prop_map(Op::Const8s),
        any::<u64>().prop_map(Op::Constu),
        any::<i64>().prop_map(Op::Consts),
        any::<u8>().prop_map(Op::Pick),
        any::<u64>().prop_map(Op::PlusUconst),
        any::<usize>().prop_map(Op::Skip),
        any::<usize>().prop_map(Op::Bra),
        (0..32_u8).prop_map(Op::Reg),
        r().prop_map(Op::Regx),
        (0..32_u8, any::<i64>()).prop_map(|(register, offset)| Op::Breg { register, offset }),
        (r(), any::<i64>()).prop_map(|(register, offset)| Op::Bregx { register, offset }),
        any::<i64>().prop_map(Op::Fbreg),
        (0..1_u64 << 60).prop_map(Op::Piece),
        (1..=8_u8).prop_map(Op::DerefSize),
        (1..=8_u8).prop_map(Op::XderefSize),
    ]
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// What gimli should make of an operation that starts at `starts[index]`.
fn meaning(operation: Op, index: usize, starts: &[usize]) -> Read<Slice<'static>> {
    let branch = |target: usize| (starts[target] as i64 - starts[index + 1] as i64) as i16;
    let register = |number: u64| Register(number as u16);
    let offset =
        |register, offset| Read::RegisterOffset { register, offset, base_type: gimli::UnitOffset(0) };
    let deref = |size, space| Read::Deref { base_type: gimli::UnitOffset(0), size, space };
    match operation {
        Op::Plain(opcode) => match opcode {
            DW_OP_deref => deref(8, false),
            DW_OP_xderef => deref(8, true),
            DW_OP_dup => Read::Pick { index: 0 },
            DW_OP_over => Read::Pick { index: 1 },
            DW_OP_drop => Read::Drop,
            DW_OP_swap => Read::Swap,
            DW_OP_rot => Read::Rot,
            DW_OP_abs => Read::Abs,
            DW_OP_and => Read::And,
            DW_OP_div => Read::Div,
            DW_OP_minus => Read::Minus,
            DW_OP_mod => Read::Mod,
            DW_OP_mul => Read::Mul,
            DW_OP_neg => Read::Neg,
            DW_OP_not => Read::Not,
            DW_OP_or => Read::Or,
            DW_OP_plus => Read::Plus,
            DW_OP_shl => Read::Shl,
            DW_OP_shr => Read::Shr,
            DW_OP_shra => Read::Shra,
            DW_OP_xor => Read::Xor,
            DW_OP_eq => Read::Eq,
            DW_OP_ge => Read::Ge,
            DW_OP_gt => Read::Gt,
            DW_OP_le => Read::Le,
            DW_OP_lt => Read::Lt,
            DW_OP_ne => Read::Ne,
            DW_OP_nop => Read::Nop,
            DW_OP_push_object_address => Read::PushObjectAddress,
            DW_OP_form_tls_address => Read::TLS,
            DW_OP_call_frame_cfa => Read::CallFrameCFA,
            DW_OP_stack_value => Read::StackValue,
            other => panic!("{other:#x}"),
        },
        Op::Addr(address) => match address {
            Address::Constant(address) => Read::Address { address },
            Address::Symbol { .. } => panic!("not asked for"),
        },
        Op::Lit(value) | Op::Const1u(value) => Read::UnsignedConstant { value: value.into() },
        Op::Const2u(value) => Read::UnsignedConstant { value: value.into() },
        Op::Const4u(value) => Read::UnsignedConstant { value: value.into() },
        Op::Const8u(value) | Op::Constu(value) => Read::UnsignedConstant { value },
        Op::Const1s(value) => Read::SignedConstant { value: value.into() },
        Op::Const2s(value) => Read::SignedConstant { value: value.into() },
        Op::Const4s(value) => Read::SignedConstant { value: value.into() },
        Op::Const8s(value) | Op::Consts(value) => Read::SignedConstant { value },
        Op::Pick(index) => Read::Pick { index },
        Op::PlusUconst(value) => Read::PlusConstant { value },
        Op::Skip(target) => Read::Skip { target: branch(target) },
        Op::Bra(target) => Read::Bra { target: branch(target) },
        Op::Reg(number) => Read::Register { register: register(number.into()) },
        Op::Regx(number) => Read::Register { register: register(number) },
        Op::Breg { register: number, offset: by } => offset(register(number.into()), by),
        Op::Bregx { register: number, offset: by } => offset(register(number), by),
        Op::Fbreg(offset) => Read::FrameOffset { offset },
        Op::Piece(size) => Read::Piece { size_in_bits: size * 8, bit_offset: None },
        Op::DerefSize(size) => deref(size, false),
        Op::XderefSize(size) => deref(size, true),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn gimli_reads_the_operations(mut operations in prop::collection::vec(operation(), 1..40)) {
        let count = operations.len();
        for operation in &mut operations {
            if let Op::Skip(target) | Op::Bra(target) = operation {
                *target %= count + 1;
            }
        }
        let expression = Expression::new(&operations).expect("valid");
        prop_assert!(expression.relocs.is_empty());
        let all = EndianSlice::new(&expression.bytes, LittleEndian);
        let (mut rest, mut starts, mut read) = (all, vec![0], Vec::new());
        while !rest.is_empty() {
            read.push(Read::parse(&mut rest, ENCODING).expect("readable"));
            starts.push(all.len() - rest.len());
        }
        let expected: Vec<_> =
            operations.iter().enumerate().map(|(index, op)| meaning(*op, index, &starts)).collect();
        prop_assert_eq!(read, expected);
    }
}

/// What [`operation`] makes is all there is: each opcode of DWARF 2.0.0 figure 22, and the later
/// ones of [`plain`].
#[test]
fn every_operation_can_be_written() {
    let small = 0..32_u8;
    let families = small.clone().flat_map(|n| [Op::Lit(n), Op::Reg(n), Op::Breg { register: n, offset: -1 }]);
    let rest = [
        Op::Addr(Address::Constant(1)),
        Op::Const1u(1),
        Op::Const1s(1),
        Op::Const2u(1),
        Op::Const2s(1),
        Op::Const4u(1),
        Op::Const4s(1),
        Op::Const8u(1),
        Op::Const8s(1),
        Op::Constu(1),
        Op::Consts(1),
        Op::Pick(1),
        Op::PlusUconst(1),
        Op::Skip(0),
        Op::Bra(0),
        Op::Regx(1),
        Op::Bregx { register: 1, offset: 1 },
        Op::Fbreg(1),
        Op::Piece(1),
        Op::DerefSize(1),
        Op::XderefSize(1),
    ];
    let all = plain().into_iter().map(Op::Plain).chain(families).chain(rest);
    let mut opcodes: Vec<_> =
        all.map(|operation| Expression::new(&[operation]).expect("valid").bytes[0]).collect();
    opcodes.sort_unstable();
    let dwarf_2 = [0x03, 0x06].into_iter().chain(0x08..=0x96);
    assert!(opcodes.into_iter().eq(dwarf_2.chain([0x97, 0x9b, 0x9c, 0x9f])));
}

#[test]
fn symbols_stay_symbols() {
    let address = Address::Symbol { symbol: SymbolId(4), addend: -2 };
    let expression = Expression::new(&[Op::Lit(1), Op::Addr(address), Op::Plain(DW_OP_plus)]).expect("valid");
    assert_eq!(expression.relocs, [Reloc::new(2, 8, SymbolId(4), -2)]);
    assert_eq!(expression.bytes[2..10], (-2_i64).to_le_bytes());
}

#[test]
fn refused_operations() {
    let operand = |field, value, max| Error::Operand { field, value, max };
    let cases = [
        (Op::Lit(32), operand("DW_OP_lit", 32, 31)),
        (Op::Reg(32), operand("DW_OP_reg", 32, 31)),
        (Op::Breg { register: 32, offset: 0 }, operand("DW_OP_breg", 32, 31)),
        (Op::DerefSize(9), operand("DW_OP_deref_size", 9, 8)),
        (Op::XderefSize(9), operand("DW_OP_xderef_size", 9, 8)),
        (Op::Skip(2), Error::BranchTarget { target: 2, count: 1 }),
    ];
    for (operation, error) in cases {
        assert_eq!(Expression::new(&[operation]), Err(error));
    }
    // All other numbers have operands, are families, later versions' or vendors'.
    let plain = plain();
    for opcode in (0..=u8::MAX).filter(|opcode| !plain.contains(opcode)) {
        assert_eq!(Expression::new(&[Op::Plain(opcode)]), Err(Error::PlainOperation { opcode }));
    }
    let mut long = vec![Op::Bra(0x8000)];
    long.resize(0x8000, Op::Plain(DW_OP_nop));
    assert_eq!(
        Expression::new(&long).map(|expression| expression.bytes[1..3].to_vec()),
        Ok(vec![0xff, 0x7f])
    );
    long.push(Op::Skip(0));
    assert_eq!(Expression::new(&long), Err(Error::BranchDistance { distance: -0x8005 }));
}
