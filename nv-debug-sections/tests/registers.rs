//! Register classes and types against the corpus, and against ptxas on one register of each type.
#![allow(clippy::print_stdout, reason = "the figures")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod corpus;

use corpus::{Cubins, file, oracle};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::reg_type::{PtxType, RegisterType};
use nv_debug_sections::register::RegisterClass;
use nv_debug_sections::{reg_sass, reg_type};
use std::collections::{BTreeMap, BTreeSet};

/// One range with what both sections say of it.
#[derive(Debug)]
struct Range {
    name: String,
    part: u32,
    class: Option<RegisterClass>,
    r#type: Result<RegisterType, u8>,
}

/// The ranges of a cubin, native sections only.
fn ranges(cubin: &Cubin<'_>) -> Vec<Range> {
    let bytes = |name| cubin.section_by_name(name).map(|index| cubin.bytes(index).unwrap());
    let (Some(ranges), Some(types)) = (bytes(reg_sass::NAME), bytes(reg_type::NAME)) else {
        return Vec::new();
    };
    let (ranges, types) = (reg_sass::decode(&ranges).unwrap(), reg_type::decode(&types).unwrap());
    assert!(
        ranges
            .iter()
            .map(|f| (f.function, f.ranges.len()))
            .eq(types.iter().map(|f| (f.function, f.types.len())))
    );
    let ranges = ranges.iter().flat_map(|function| &function.ranges);
    let types = types.iter().flat_map(reg_type::FunctionTypes::types);
    let range = |(range, r#type): (&reg_sass::RegisterRange<'_>, _)| Range {
        name: String::from_utf8_lossy(range.ptx_name).into_owned(),
        part: range.part,
        class: range.register.class(),
        r#type,
    };
    ranges.zip(types).map(range).collect()
}

#[test]
fn every_class_and_type_of_the_corpus_has_a_name() {
    let cubins = Cubins::open();
    let mut counts: BTreeMap<(&str, String), u32> = BTreeMap::new();
    for path in &cubins.paths {
        let data = file(path);
        let Ok(cubin) = Cubin::parse(&data) else { continue };
        for range in ranges(&cubin) {
            let (Some(class), Ok(r#type)) = (range.class, range.r#type) else {
                panic!("{}: {range:?}", path.display())
            };
            assert!(range.part < r#type.words().into(), "{}: {range:?}", path.display());
            *counts.entry((class.name(), r#type.to_string())).or_default() += 1;
        }
    }
    println!("{counts:?}");
    assert!(counts.len() > 10);
}

/// A kernel that loads and stores one register of a type, or for a predicate compares and selects.
fn kernel(sm: u32, r#type: RegisterType) -> String {
    let name = r#type.to_string();
    // What `ld` does not take.
    let access = name.replace("f16x2", "b32").replace("f16", "b16");
    let body = match r#type.element() {
        PtxType::Pred => "setp.ne.u32 %v, %x, 0; selp.u32 %x, 1, 2, %v; st.global.u32 [%p], %x;".to_owned(),
        _ => format!("ld.global.{access} %v, [%p]; st.global.{access} [%p+64], %v;"),
    };
    format!(
        ".version 9.0\n.target sm_{sm}\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n.reg .{name} %v; .reg .u32 %x; .reg .u64 %p;\n\
         .loc 1 1 1\nld.param.u64 %p, [a]; ld.global.u32 %x, [%p];\n{body}\nret;\n}}\n.file 1 \"a.cu\"\n"
    )
}

#[test]
fn ptxas_gives_each_type_its_code() {
    let Some(ptxas) = oracle("ptxas") else { return };
    let folder = std::env::temp_dir().join(format!("nv-debug-sections-types-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("a.ptx"), folder.join("a.cubin"));
    let mut observed = 0;
    for sm in [75, 90, 120] {
        for r#type in (0..=u8::MAX).filter_map(RegisterType::of_code) {
            std::fs::write(&input, kernel(sm, r#type)).unwrap();
            let arch = format!("-arch=sm_{sm}");
            let mut command = std::process::Command::new(&ptxas);
            let run = command.args(["-g", &arch]).arg(&input).arg("-o").arg(&output).output().unwrap();
            assert!(run.status.success(), "sm_{sm} {type:?}: {}", String::from_utf8_lossy(&run.stderr));
            let data = std::fs::read(&output).unwrap();
            let all = ranges(&Cubin::parse(&data).unwrap());
            let of_v: Vec<_> = all.iter().filter(|range| range.name == "%v").collect();
            assert!(of_v.iter().all(|range| range.r#type == Ok(r#type)), "sm_{sm}: {of_v:?}");
            let class = if r#type == PtxType::Pred.into() {
                RegisterClass::Predicate
            } else {
                RegisterClass::General
            };
            // Elements of 16 bits may be halves of a register.
            let halves = |range: &Range| r#type.elements() > 1 && range.class == Some(RegisterClass::Half);
            let fits = |range: &Range| range.class == Some(class) || halves(range);
            assert!(of_v.iter().all(|range| fits(range)), "sm_{sm}: {of_v:?}");
            // The words of `.b128`: number of the half plus number in the half.
            let parts: BTreeSet<_> = of_v.iter().map(|range| range.part).collect();
            let words = u32::from(r#type.words());
            let last = if r#type == PtxType::B128.into() { 3 } else { words };
            assert_eq!(parts, (0..last).collect(), "sm_{sm} {type}: {of_v:?}");
            // A part of a vector may be in several registers.
            let count = of_v.len() as u32;
            assert!(count == words || r#type.elements() > 1, "sm_{sm} {type}: {of_v:?}");
            observed += 1;
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
    println!("{observed} registers of the type they were declared with");
    assert_eq!(observed, 3 * (18 + 16 + 12));
}
