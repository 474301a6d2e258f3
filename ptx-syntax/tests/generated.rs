//! Modules made from values: whatever the layout, the tree holds the values again, and so does the
//! canonical layout.
#![allow(clippy::unwrap_used)] // helpers outside `#[test]` functions; a panic is a test's way to fail

mod model;

use model::{Datum, Function, Init, LocPosition, Operand, Shape, Statement, Top, Variable};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use ptx_syntax::parse;
use ptx_syntax::print::normalise;

/// Opcodes with their suffixes; any other word would do.
const OPCODES: &[&[&str]] = &[
    &["ret"],
    &["add", ".s32"],
    &["ld", ".param", ".u64"],
    &["ld", ".global", ".nc", ".v4", ".f32"],
    &["st", ".shared::cta", ".b8"],
    &["call", ".uni"],
    &["frobnicate", ".x", ".debug_info"],
];

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-zA-Z0-9_$]{0,5}|[$][a-zA-Z0-9_$]{1,5}|%[a-z][a-z0-9]{0,3}|_[A-Z]{1,4}"
        .prop_filter("a word of its own", |name| !matches!(&**name, "generic" | "ret"))
}

/// Any text that a string may hold; a newline is one.
fn string() -> impl Strategy<Value = String> {
    "[ -!#-~\n]{0,8}"
}

fn place() -> impl Strategy<Value = LocPosition> {
    (0..=u64::from(u32::MAX), 0..99_u64, 0..99_u64)
}

fn small() -> impl Strategy<Value = i64> {
    prop_oneof![-9_i64..99, (-(1_i64 << 62))..(1 << 62)]
}

fn init() -> impl Strategy<Value = Init> {
    let leaf = prop_oneof![
        small().prop_map(Init::Integer),
        any::<u32>().prop_map(Init::Single),
        (name(), any::<bool>(), option::of(small())).prop_map(|(name, generic, offset)| Init::Symbol {
            name,
            generic,
            offset
        }),
        (any::<u64>().prop_map(|mask| mask >> 1), name()).prop_map(|(mask, name)| Init::Mask(mask, name)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Init::List))
}

fn variable(
    shape: impl Strategy<Value = Shape>,
    init: impl Strategy<Value = Option<Init>>,
) -> impl Strategy<Value = Variable> {
    let align = option::of(select(vec![1_u64, 8, 16]));
    let vector = option::of(select(vec![2_u8, 4]));
    let ty = select(vec![".b8", ".u32", ".s64", ".f16x2", ".f64"]);
    (align, vector, ty, name(), shape, init).prop_map(|(align, vector, ty, name, shape, init)| Variable {
        align,
        vector,
        ty,
        name,
        shape,
        init,
    })
}

fn array() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::One), vec(1..99_u64, 1..3).prop_map(Shape::Array)]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        name().prop_map(Operand::Name),
        small().prop_map(Operand::Integer),
        any::<u32>().prop_map(Operand::Single),
        (name(), option::of(small())).prop_map(|(base, offset)| Operand::Address(base, offset)),
        vec(name(), 1..4).prop_map(Operand::Vector),
    ]
}

/// One statement, or a few that belong together.
fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let inlined = option::of((name(), 0..99_u64, place()));
    let guard = option::of((any::<bool>(), name()));
    let instruction = (guard, select(OPCODES), vec(operand(), 0..5)).prop_map(|(guard, opcode, operands)| {
        // `ret` and a state space on the next line would be a missing `;`.
        let operands = if opcode == ["ret"] { Vec::new() } else { operands };
        vec![Statement::Instruction { guard, opcode: opcode.to_vec(), operands }]
    });
    let registers = (1..99_u32).prop_map(Shape::Registers);
    let one = prop_oneof![
        (place(), inlined).prop_map(|(at, inlined)| vec![Statement::Loc(at, inlined)]),
        name().prop_map(|name| vec![Statement::Label(name)]),
        instruction,
        variable(registers, Just(None)).prop_map(|all| vec![Statement::Variable(".reg", all)]),
        variable(array(), Just(None)).prop_map(|all| vec![Statement::Variable(".local", all)]),
        vec(string(), 1..3).prop_map(|strings| vec![Statement::Pragma(strings)]),
        (name(), vec(name(), 1..4)).prop_map(|(label, names)| vec![
            Statement::Label(label.clone()),
            Statement::Branches(label, names)
        ]),
        (name(), 0..2_usize, 0..3_usize, any::<bool>()).prop_map(|(label, returns, params, noreturn)| {
            vec![Statement::Label(label.clone()), Statement::Prototype { label, returns, params, noreturn }]
        }),
    ];
    one.prop_recursive(3, 16, 6, |inner| {
        vec(inner, 0..5).prop_map(|inner| {
            let inner = inner.into_iter().flatten();
            [Statement::Open].into_iter().chain(inner).chain([Statement::Close]).collect()
        })
    })
}

fn function() -> impl Strategy<Value = Function> {
    let body = option::of(vec(statements(), 0..12).prop_map(|all| all.into_iter().flatten().collect()));
    let numbers = vec(1..999_u64, 1..4);
    let kernel_directive = prop_oneof![
        (select(vec![".maxntid", ".reqntid"]), numbers),
        (1..255_u64).prop_map(|number| (".maxnreg", vec![number])),
        Just((".explicitcluster", vec![])),
    ];
    let directives = (vec(kernel_directive, 0..3), any::<bool>(), vec(0..99_u64, 0..2));
    let params = vec(
        variable(prop_oneof![Just(Shape::One), (0..99_u64).prop_map(|n| Shape::Array(vec![n]))], Just(None)),
        0..4,
    );
    let linkage = select(vec!["", ".visible", ".weak", ".extern"]);
    (any::<bool>(), linkage, name(), params, directives, body).prop_map(
        |(kernel, linkage, name, params, (of_kernel, noreturn, preserve), body)| {
            let of_function = noreturn.then(|| (".noreturn", vec![])).into_iter();
            let of_function = of_function.chain(preserve.into_iter().map(|n| (".abi_preserve", vec![n])));
            // Of a kernel that is only declared ptxas takes none.
            let of_kernel = if body.is_some() { of_kernel } else { Vec::new() };
            let directives = if kernel { of_kernel } else { of_function.collect() };
            Function { kernel, linkage, name, params, directives, body }
        },
    )
}

fn datum() -> impl Strategy<Value = Datum> {
    let wide = select(vec![4_u8, 8]);
    let values = |width: u8, least: i64, most: i64| {
        vec((least..=most).prop_filter("`-0` is out of range", |n| *n != i64::MIN), 1..40)
            .prop_map(move |values| Datum::Values(width, values))
    };
    prop_oneof![
        name().prop_map(Datum::Label),
        values(1, -128, 255),
        values(2, -32_768, 65_535),
        values(4, -(1 << 31), (1 << 32) - 1),
        values(8, -(1 << 62), (1 << 32) - 1),
        (wide.clone(), prop_oneof![name(), Just(".debug_abbrev".to_owned())], 0..99_u32)
            .prop_map(|(width, name, addend)| Datum::Symbol(width, name, addend)),
        (wide, name(), name()).prop_map(|(width, left, right)| Datum::Difference(width, left, right)),
    ]
}

fn top() -> impl Strategy<Value = Top> {
    prop_oneof![
        (0..999_u64, string(), option::of((0..=u64::MAX >> 1, 0..99_u64)))
            .prop_map(|(index, path, stat)| Top::File { index, path, stat }),
        vec(string(), 1..3).prop_map(Top::Pragma),
        (name(), name()).prop_map(|(alias, aliasee)| Top::Alias(alias, aliasee)),
        (
            select(vec![".global", ".const"]),
            select(vec!["", ".visible", ".extern"]),
            variable(array(), option::of(init()))
        )
            .prop_map(|(space, linkage, variable)| Top::Variable { space, linkage, variable }),
        function().prop_map(Top::Function),
        (select(vec![".debug_info", ".debug_str"]), vec(datum(), 0..12))
            .prop_map(|(name, data)| Top::Section { name, data }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_layout_parses_to_the_values(tops in vec(top(), 0..8), gaps in vec(any::<u8>(), 1..64)) {
        let words = model::layout::module(&tops);
        let text = words.text(&gaps, true);
        let parsed = parse(&text);
        prop_assert_eq!(&parsed.errors, &[], "{}", text);
        prop_assert_eq!(&model::read::module(&parsed), &tops, "{}", text);

        let printed = normalise(&parsed);
        let again = parse(&printed);
        prop_assert_eq!(&again.errors, &[], "{}", printed);
        prop_assert_eq!(&model::read::module(&again), &tops, "{}", printed);
        prop_assert_eq!(normalise(&again), printed);

        let plain = normalise(&parse(&words.text(&[3], false)));
        prop_assert_eq!(normalise(&parse(&words.text(&gaps, false))), plain);
    }
}
