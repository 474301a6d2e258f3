//! Tests of the rules one by one, each on the smallest input that shows it. Expectations are worked
//! out by hand from docs/formats/line-tables.md, rows made from .loc;
//! `ptxas-driver/tests/exactness.rs` compares whole files with ptxas.

use super::*;
use crate::catalog::Space;
use crate::line::LineOp;
use crate::release::Release;
use LineOp::{Advance, EntryRow as Flag, InlinedCall, SetFile};

fn loc(file: u32, line: u32) -> Loc {
    Loc { file, line, name: 0, parent: None }
}

fn inlined(line: u32, name: u32, parent: u32) -> Loc {
    Loc { file: 1, line, name, parent: Some(LocId(parent)) }
}

fn row(address: u64, line: u32) -> LineOp {
    LineOp::Row { address, line }
}

fn call(context: u64, name: u64) -> LineOp {
    InlinedCall { context, name }
}

/// Instructions of 16 bytes, each with its `.loc`.
fn located(ids: &[u32]) -> Vec<LocatedInstruction> {
    (0..)
        .step_by(16)
        .zip(ids)
        .map(|(address, &id)| LocatedInstruction { address, loc: Some(LocId(id)) })
        .collect()
}

/// A section of one function whose first `.loc` is number 0.
fn table(locs: &[Loc], ids: &[u32], space: Space) -> Vec<LineOp> {
    let start = FunctionStart { address: 0, first_loc: Some(LocId(0)), ptx_line: Some(1) };
    line_program_from_locs(locs, &located(ids), &entry_rows(&[start]), space, Release::V13_0)
}

fn native(locs: &[Loc], ids: &[u32]) -> Vec<LineOp> {
    table(locs, ids, Space::Native)
}

#[test]
fn step_1_opens_with_the_first_loc_and_mercury_flags_it() {
    let locs = [loc(1, 10), loc(1, 12)];
    assert_eq!(native(&locs, &[0, 1]), [SetFile(1), row(0, 10), row(16, 12)]);
    // docs/formats/line-tables.md, rows made from .loc: the flag ends with the next state write.
    let mercury = [SetFile(1), Flag(1), row(0, 10), Flag(0), row(16, 12)];
    assert_eq!(table(&locs, &[0, 1], Space::Mercury), mercury);
    // ... which the first instruction makes, in a row or not; without one it stays.
    assert_eq!(table(&locs, &[0], Space::Mercury), [SetFile(1), Flag(1), row(0, 10), Flag(0)]);
    assert_eq!(table(&locs, &[], Space::Mercury), [SetFile(1), Flag(1), row(0, 10)]);
}

#[test]
fn step_2_skips_line_0() {
    let locs = [loc(1, 10), loc(1, 0), loc(1, 11)];
    assert_eq!(native(&locs, &[0, 1, 2]), [SetFile(1), row(0, 10), row(32, 11)]);
    // Nor has one without a directive a row, or with that of the instruction before.
    let mut instructions = located(&[0, 0, 2, 2]);
    instructions[2].loc = None;
    let start = FunctionStart { address: 0, first_loc: Some(LocId(0)), ptx_line: Some(1) };
    let ops =
        line_program_from_locs(&locs, &instructions, &entry_rows(&[start]), Space::Native, Release::V13_0);
    assert_eq!(ops, [SetFile(1), row(0, 10), row(48, 11)]);
}

#[test]
fn step_3_loses_a_change_of_file_on_the_same_line() {
    let locs = [loc(1, 10), loc(1, 11), loc(2, 11), loc(2, 12)];
    assert_eq!(native(&locs, &[0, 1, 2, 3]), [SetFile(1), row(0, 10), row(16, 11), SetFile(2), row(48, 12)]);
}

#[test]
fn step_3_keeps_code_of_another_call_site_on_the_same_line() {
    let locs = [loc(1, 10), loc(1, 12), inlined(20, 7, 0), inlined(20, 9, 1), inlined(20, 9, 1)];
    let want = [
        SetFile(1),
        row(0, 10),
        row(16, 12),
        row(32, 10), // the call site of 2, in row 3
        call(3, 7),
        row(32, 20),
        call(0, 0),
        row(48, 12), // the call site of 3, in row 5
        call(5, 9),
        row(48, 20),
    ];
    // The last one is on the same line, with the parent seen last.
    assert_eq!(native(&locs, &[0, 1, 2, 3, 4]), want);
}

#[test]
fn steps_4_and_5_write_call_sites_outermost_first() {
    // 1 is called from 0, 2 from 1.
    let locs = [loc(1, 10), inlined(20, 7, 0), inlined(30, 9, 1), loc(1, 11)];
    let want = [
        SetFile(1),
        row(0, 10),
        row(16, 10), // the call site of 1, in row 2
        call(2, 7),
        row(16, 20), // the call site of 2, in row 3
        call(3, 9),
        row(16, 30),
        call(0, 0),
        row(32, 11),
    ];
    assert_eq!(native(&locs, &[0, 2, 3]), want);
}

#[test]
fn step_4_has_state_only_where_address_and_line_are_written() {
    // The call site repeats the entry row, and becomes row 1 itself.
    let locs = [loc(1, 10), inlined(20, 7, 0)];
    assert_eq!(native(&locs, &[1]), [SetFile(1), row(0, 10), call(1, 7), row(0, 20)]);
}

#[test]
fn step_5_advances_without_a_row_on_the_line_written_last() {
    // The call site's row is line 10; the callee's line is 10 as well.
    let locs = [loc(1, 9), loc(1, 10), inlined(10, 7, 1), loc(1, 12)];
    let want = [SetFile(1), row(0, 9), row(16, 10), call(2, 7), call(0, 0), row(32, 12)];
    assert_eq!(native(&locs, &[0, 2, 3]), want);
    // With a call site that has its row already, the address moves alone.
    let locs = [loc(1, 9), loc(1, 10), inlined(11, 7, 1), inlined(10, 7, 1), inlined(10, 5, 2)];
    let ops = native(&locs, &[0, 2, 1, 3]);
    assert_eq!(ops[..5], [SetFile(1), row(0, 9), row(16, 10), call(2, 7), row(16, 11)]);
    assert_eq!(ops[5..], [call(0, 0), row(32, 10)], "3 is on 1's line, with the last parent: step 3");
}

#[test]
fn the_flag_comes_before_the_context() {
    // The first `.loc` of the function is inlined in that of another one.
    let locs = [loc(2, 10), inlined(20, 7, 0)];
    let start = FunctionStart { address: 0, first_loc: Some(LocId(1)), ptx_line: Some(1) };
    let entries = entry_rows(&[start]);
    let ops = line_program_from_locs(&locs, &located(&[1, 1]), &entries, Space::Mercury, Release::V13_0);
    let call_site = [SetFile(2), row(0, 10)];
    assert_eq!(ops[..2], call_site);
    assert_eq!(ops[2..], [SetFile(1), Flag(1), call(1, 7), row(0, 20), Flag(0)]);
}

#[test]
fn files_are_cut_to_16_bits_and_then_compared() {
    // Observed: ptxas 13.0.88; `ptxas-driver/tests/pairs/files.ptx`.
    let locs = [loc(2, 10), loc(65537, 11), loc(1, 12), loc(131_073, 13)];
    let want = [SetFile(2), row(0, 10), SetFile(1), row(16, 11), row(32, 12), row(48, 13)];
    assert_eq!(native(&locs, &[0, 1, 2, 3]), want);
}

#[test]
fn a_loc_that_is_its_own_parent_ends_the_chain() {
    let locs = [loc(1, 10), inlined(20, 7, 1)];
    assert_eq!(native(&locs, &[0, 1]), [SetFile(1), row(0, 10), row(16, 20), call(2, 7)]);
}

/// The Mercury program of one function, transcoded with the native order for Mercury's.
fn transcoded(locs: &[Loc], ids: &[u32]) -> Vec<LineOp> {
    let pairs: Vec<_> =
        located(ids).iter().map(|at| AddressPair { native: at.address, mercury: at.address }).collect();
    mercury_to_native(&table(locs, ids, Space::Mercury), 0, &pairs, &[0], 0)
}

#[test]
fn transcoding_drops_the_flags() {
    let locs = [loc(1, 10), loc(2, 12)];
    assert_eq!(transcoded(&locs, &[0, 1]), [SetFile(1), row(0, 10), SetFile(2), row(16, 12)]);
}

#[test]
fn a_first_instruction_with_a_row_of_its_own_is_doubled() {
    // docs/formats/line-tables.md, rows from sm_90 on: two rows at 0; contexts count one of them.
    let locs = [loc(1, 10), loc(1, 12), inlined(20, 7, 1), loc(1, 14)];
    let want = [SetFile(1), row(0, 12), row(0, 12), row(16, 14), row(32, 12), call(3, 7), row(32, 20)];
    assert_eq!(transcoded(&locs, &[1, 3, 2]), want);
}

#[test]
fn a_root_row_on_the_entry_line_is_an_advance() {
    // docs/formats/line-tables.md, rows from sm_90 on, step 3.
    let mercury = [SetFile(1), Flag(1), row(0, 10), Flag(0), row(16, 10), row(32, 11)];
    let pairs = [0, 16, 32].map(|at| AddressPair { native: at, mercury: at });
    assert_eq!(
        mercury_to_native(&mercury, 0, &pairs, &[0], 0),
        [SetFile(1), row(0, 10), Advance(16), row(32, 11)]
    );
}

#[test]
fn native_order_decides() {
    // Two Mercury rows, their instructions the other way round in native code.
    let mercury = [SetFile(1), Flag(1), row(0, 10), Flag(0), row(16, 12), row(32, 13)];
    let pairs = [(0, 0), (16, 32), (32, 16)].map(|(native, mercury)| AddressPair { native, mercury });
    assert_eq!(
        mercury_to_native(&mercury, 0, &pairs, &[0], 0),
        [SetFile(1), row(0, 10), row(16, 13), row(32, 12)]
    );
}

/// Native addresses and where they come from.
fn pairs<const N: usize>(pairs: [(u64, u64); N]) -> [AddressPair; N] {
    pairs.map(|(native, mercury)| AddressPair { native, mercury })
}

#[test]
fn what_rows_after_an_entry_row_become_depends_on_their_opcode() {
    // `pairs/special_opcodes.ptx`, `special`: the row at 16 is a special opcode and counts as an
    // entry row.
    let mercury = [SetFile(1), Flag(1), row(0, 10), Flag(0), row(16, 11), row(48, 11)];
    let native = mercury_to_native(&mercury, 0, &pairs([(0, 0), (16, 16), (32, 48)]), &[0], 0);
    assert_eq!(native, [SetFile(1), row(0, 10), row(16, 11), Advance(32)]);
    // `plain`: the row at 32 is the first, the next is written since that is not plain, and the
    // last is alike.
    let mercury = [SetFile(1), Flag(1), row(0, 10), Flag(0), row(32, 11), row(64, 11), row(96, 11)];
    let native = mercury_to_native(&mercury, 0, &pairs([(0, 0), (16, 32), (32, 64), (48, 96)]), &[0], 0);
    assert_eq!(native, [SetFile(1), row(0, 10), row(16, 11), row(32, 11)]);
}

#[test]
fn an_entry_row_that_is_a_special_opcode_hands_its_flag_on() {
    // `pairs/folded_special.ptx`: the start at 32 has a row of its own, but only one.
    let mercury =
        [SetFile(1), row(0, 10), row(16, 12), Flag(1), row(32, 14), Flag(0), row(32, 17), row(64, 18)];
    let native = mercury_to_native(&mercury, 0, &pairs([(0, 0), (16, 16), (32, 32), (48, 64)]), &[32], 0);
    assert_eq!(native, [SetFile(1), row(0, 10), row(16, 12), row(32, 17), row(48, 18)]);
}

#[test]
fn rows_stand_in_for_call_sites_at_address_0() {
    // `pairs/stand_in.ptx`: the call site, line 11 at 0, has no row of its own; the one at native
    // 48 serves, the second that is counted after the start's.
    let mut mercury = vec![SetFile(1), Flag(1), row(0, 10), Flag(0), row(0, 11), call(2, 7), row(0, 12)];
    mercury.extend([call(0, 0), row(32, 13), row(64, 11), call(2, 7), row(96, 12)]);
    let native = mercury_to_native(&mercury, 0, &pairs([(0, 0), (16, 32), (48, 64), (64, 96)]), &[0], 0);
    let want = [SetFile(1), row(0, 12), row(0, 12), row(16, 13), row(48, 11), call(3, 7), row(64, 12)];
    assert_eq!(native, want);
}

#[test]
fn alike_rows_of_two_names_do_not_merge() {
    let mut mercury = vec![SetFile(1), Flag(1), row(0, 10), Flag(0), row(32, 11), call(2, 5), row(64, 20)];
    mercury.extend([call(2, 6), row(96, 20)]);
    let pairs = pairs([(0, 0), (16, 32), (32, 64), (48, 96)]);
    // The first row after the entry row does not stand for the call site, which has one of its own
    // then.
    let want = [SetFile(1), row(0, 10), row(16, 11), row(32, 11), call(3, 5), row(32, 20), row(48, 20)];
    assert_eq!(mercury_to_native(&mercury, 0, &pairs, &[0], 0), want);
    // Of one name they do.
    mercury[7] = call(2, 5);
    assert_eq!(mercury_to_native(&mercury, 0, &pairs, &[0], 0), want[..6]);
}

#[test]
fn code_that_comes_back_to_a_first_row_has_an_advance() {
    // The row at 32 is the first after the entry row. Code inside of it comes before its start.
    let mercury = [SetFile(1), Flag(1), row(0, 10), Flag(0), row(32, 12)];
    let native = mercury_to_native(&mercury, 0, &pairs([(0, 0), (16, 48), (32, 32)]), &[0], 0);
    assert_eq!(native, [SetFile(1), row(0, 10), row(16, 12), Advance(32)]);
    // In order there is nothing.
    let native = mercury_to_native(&mercury, 0, &pairs([(0, 0), (16, 32), (32, 48)]), &[0], 0);
    assert_eq!(native, [SetFile(1), row(0, 10), row(16, 12)]);
}

#[test]
fn names_outlive_their_section() {
    // `pairs/names_outlive.ptx`: the call site is written late, with the name of the section
    // before.
    let mut mercury =
        vec![SetFile(1), Flag(1), row(0, 10), Flag(0), row(32, 10), call(2, 5), call(0, 0), row(64, 11)];
    mercury.extend([call(3, 6), row(64, 12), call(2, 5), row(96, 13)]);
    let native = mercury_to_native(&mercury, 9, &pairs([(0, 0), (16, 32), (32, 64), (48, 96)]), &[0], 0);
    let want = [SetFile(1), row(0, 10), Advance(16), row(32, 11), call(2, 6), row(32, 12)];
    assert_eq!(native[..6], want);
    assert_eq!(native[6..], [call(0, 9), row(48, 10), call(4, 5), row(48, 13)]);
    assert_eq!((last_inlined_name(&mercury, 9), last_inlined_name(&[row(0, 1)], 9)), (5, 9));
}

#[test]
fn hidden_addresses_are_32_apart_but_after_the_first_and_before_folded_functions() {
    let hidden = [0, 0x10, 0x20, 0x70, 0x80, 0x90].map(|native| hidden_mercury_address(&[0, 0x80], native));
    assert_eq!(hidden, [0, 0x10, 0x30, 0xd0, 0xe0, 0x100]);
}

#[test]
fn ptx_lines_open_at_the_brace_and_helpers_do_not() {
    let starts = [
        FunctionStart { address: 0, first_loc: None, ptx_line: Some(6) },
        FunctionStart { address: 64, first_loc: None, ptx_line: None },
    ];
    let (locs, located, entries) = ptx_lines(0, &[(0, 8), (16, 9)], &starts);
    let ops = line_program_from_locs(&locs, &located, &entries, Space::Mercury, Release::V13_0);
    // Without a `.loc` in the section nothing is flagged.
    assert_eq!(ops, [SetFile(0), row(0, 6), row(0, 8), row(16, 9)]);
}
