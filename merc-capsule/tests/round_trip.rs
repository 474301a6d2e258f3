//! The laws of `clone` and `finalise`, on cubins that are made up.
//!
//! `support::generate` keeps to the conditions of the laws. These go beyond what is true of every
//! cubin of ptxas:
//!
//! * a place has one address in each space, and functions start where functions start;
//! * no two ranges of one register start together, and none is reversed in Mercury space;
//! * frame rules are by address, and those of folded functions do not begin with some;
//! * native line tables are what ptxas makes of Mercury ones, and have the base of names if these
//!   have a call site.

#![allow(clippy::unwrap_used)] // a panic is a failed test
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

#[path = "support/generate.rs"]
mod generate;
#[path = "support/values.rs"]
mod values;

use generate::{Choices, GeneratedCubin, Order, given};
use merc_capsule::CodeMap;
use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::finalise::finalise_cubin;
use merc_capsule::self_check::{CheckOutcome, self_check};
use nv_debug_sections::cubin::{Cubin, Symbol};
use proptest::prelude::*;

/// As many of each law.
const CASES: u32 = 1024;

/// Numbers to choose by.
fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..400)
}

/// The file with its capsule, written.
fn cloned(cubin: &Cubin<'_>, origin: &CloneInputs<'_>) -> Vec<u8> {
    let mut made = cubin.clone();
    clone_cubin::clone_cubin(&mut made, origin).unwrap();
    assert!(made.has_capsule());
    made.write().unwrap()
}

/// What line tables are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tables {
    /// The directives: they come back byte for byte.
    FromDirectives,
    /// Rows, which say less (`nv-debug-sections/tests/native_to_mercury.rs` has what comes back of
    /// them), or maps read off lines that do not tell which instruction comes from which.
    Rebuilt,
}

impl Tables {
    fn are_exact(self, name: &str) -> bool {
        self == Self::FromDirectives || !name.contains("line")
    }
}

/// The capsule gives the native sections, and goes with that.
fn check_back(file: &[u8], native: &Cubin<'_>, maps: Option<&[CodeMap]>, tables: Tables) {
    let mut back = Cubin::parse(file).unwrap();
    finalise_cubin(&mut back, maps).unwrap();
    let (found, expected) = (back.debug_sections().unwrap(), native.debug_sections().unwrap());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        if tables.are_exact(&expected.name) {
            assert_eq!(found, expected, "{}", expected.name);
        }
    }
    let shape = |cubin: &Cubin<'_>| -> Vec<(String, u32)> {
        let told = cubin.iter().filter(|(_, name, _)| tables.are_exact(name));
        told.map(|(_, name, section)| (name.to_owned(), section.sh_type)).collect()
    };
    assert_eq!(shape(&back), shape(native));
    // By name of their section: without rows, a line table has no relocations before them.
    let symbols = |cubin: &Cubin<'_>| -> Vec<(Symbol, Option<String>)> {
        let named = cubin.symbols().iter().map(|symbol| {
            let section = symbol.section().map(|section| cubin.section_name(section).to_owned());
            (Symbol { shndx: if section.is_some() { 0 } else { symbol.shndx }, ..*symbol }, section)
        });
        named.collect()
    };
    assert_eq!(symbols(&back), symbols(native));
    let written = back.write().unwrap();
    assert_eq!(Cubin::parse(&written).unwrap(), back);
}

/// A self-check finds the same.
fn check_agrees(file: &[u8], maps: Option<&[CodeMap]>, tables: Tables) {
    let cubin = Cubin::parse(file).unwrap();
    for checked in self_check(&cubin, maps).unwrap() {
        let is_sound = !matches!(checked.outcome, CheckOutcome::Different(_));
        assert!(is_sound || !tables.are_exact(&checked.native), "{checked:?}");
    }
}

/// Both laws for a cubin whose maps are known.
fn check(numbers: &[u16], order: Order) {
    let GeneratedCubin { cubin, maps, lines, .. } = given(&mut Choices::new(numbers), order);
    let origin = CloneInputs { maps, lines };
    let file = cloned(&cubin, &origin);
    check_back(&file, &cubin, Some(&origin.maps), Tables::FromDirectives);
    check_agrees(&file, Some(&origin.maps), Tables::FromDirectives);
}

/// The same if native code stands for Mercury code, as [`Origin::of`] has it of a file without a
/// capsule.
fn check_of_itself(numbers: &[u16]) {
    let GeneratedCubin { cubin, .. } = given(&mut Choices::new(numbers), Order::Identity);
    let origin = CloneInputs::of(&cubin).unwrap();
    let file = cloned(&cubin, &origin);
    check_back(&file, &cubin, Some(&origin.maps), Tables::Rebuilt);
    check_agrees(&file, Some(&origin.maps), Tables::Rebuilt);
}

/// The same with maps that are recovered from the capsule. The order of instructions is the same in
/// both spaces, else ranges of one word in one register may be taken for each other; entry rows are
/// flagged, else they may be taken for others on their line.
fn check_recovered(numbers: &[u16]) {
    let GeneratedCubin { cubin, maps, lines, .. } = given(&mut Choices::new(numbers), Order::Monotone);
    let tables = if lines.source.len() == maps.len() { Tables::FromDirectives } else { Tables::Rebuilt };
    let file = cloned(&cubin, &CloneInputs { maps, lines });
    check_back(&file, &cubin, None, tables);
    check_agrees(&file, None, tables);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finalise_undoes_clone(numbers in choices()) {
        check(&numbers, Order::Any);
    }

    #[test]
    fn finalise_undoes_clone_in_the_same_order(numbers in choices()) {
        check(&numbers, Order::Monotone);
    }

    #[test]
    fn finalise_undoes_clone_of_identity(numbers in choices()) {
        check(&numbers, Order::Identity);
    }

    #[test]
    fn so_it_does_if_native_code_stands_for_mercury_code(numbers in choices()) {
        check_of_itself(&numbers);
    }

    #[test]
    fn so_it_does_with_what_is_recovered(numbers in choices()) {
        check_recovered(&numbers);
    }
}
