//! Small functions, an instruction for each line.

use super::*;
use alloc::format;
use alloc::string::String;

fn line(line: u64) -> SourceLine {
    SourceLine { file: 1, line }
}

/// Each call is its parent, the line of its call and its range. The code is a line for each
/// instruction.
fn divided(calls: &[(Option<usize>, u64, Range<u64>)], lines: &[u64]) -> Vec<Option<usize>> {
    let call = |(parent, site, range): &(Option<usize>, u64, Range<u64>)| InlinedCall {
        parent: *parent,
        site: Some(line(*site)),
        declared: None,
        ranges: vec![range.clone()],
    };
    let calls = calls.iter().map(call).collect();
    owners(&InliningFunction { declared: None, calls }, lines)
}

fn owners(function: &InliningFunction, lines: &[u64]) -> Vec<Option<usize>> {
    let code: Vec<LineRun> =
        (0..).zip(lines).map(|(at, of)| LineRun { range: at..at + 1, line: line(*of) }).collect();
    let mut budget = WorkBudget::of_input(0, 0);
    let runs = divide(function, &code, &mut budget);
    let mut owners = Vec::new();
    for CallRun { range, call } in runs {
        assert_eq!(owners.len() as u64, range.start);
        owners.extend(range.map(|_| call));
    }
    assert_eq!(owners.len(), lines.len());
    owners
}

#[test]
fn the_call_site_is_the_callers() {
    let calls = [(None, 10, 1..7), (Some(0), 20, 2..6)];
    assert_eq!(
        divided(&calls, &[9, 21, 30, 10, 20, 31, 22, 11]),
        [None, Some(0), Some(1), None, Some(0), Some(1), Some(0), None]
    );
}

#[test]
fn a_line_of_the_outer_function_is_its_own() {
    let calls = [(None, 10, 1..7), (Some(0), 20, 2..6)];
    // Line 9 and line 21 occur outside, and line 30 nowhere else.
    assert_eq!(
        divided(&calls, &[9, 21, 30, 9, 21, 31, 22]),
        [None, Some(0), Some(1), None, Some(0), Some(1), Some(0)]
    );
}

#[test]
fn one_line_in_two_calls_of_a_function_stays_in_both() {
    let calls = [(None, 10, 0..2), (None, 11, 2..5), (Some(1), 31, 3..4)];
    assert_eq!(divided(&calls, &[30, 31, 30, 32, 30]), [Some(0), Some(0), Some(1), Some(2), Some(1)]);
}

#[test]
fn of_calls_that_overlap_lines_and_bounds_tell_one_or_that_which_begins_last() {
    // The third goes on after its caller has ended.
    let calls = [(None, 10, 0..6), (None, 11, 2..8), (Some(1), 55, 7..9)];
    assert_eq!(
        divided(&calls, &[30, 40, 50, 40, 95, 70, 80, 90, 100]),
        [Some(0), Some(0), Some(1), Some(0), Some(1), Some(0), Some(1), Some(2), None]
    );
}

#[test]
fn a_run_of_one_line_goes_with_its_bound() {
    let call = |site, range| InlinedCall { parent: None, site, declared: None, ranges: vec![range] };
    let calls = vec![call(None, 0..6), call(None, 2..9)];
    let function = InliningFunction { declared: None, calls };
    let run = |range, of| LineRun { range, line: line(of) };
    let code = [run(0..3, 30), run(3..6, 40), run(6..9, 50)];
    let mut budget = WorkBudget::of_input(0, 0);
    let owners: Vec<_> =
        divide(&function, &code, &mut budget).into_iter().map(|run| (run.range, run.call)).collect();
    assert_eq!(owners, [(0..2, Some(0)), (2..3, Some(1)), (3..6, Some(0)), (6..9, Some(1))]);
}

#[test]
fn a_line_is_of_the_function_that_is_declared_before_it() {
    let call = |parent, declared, range| InlinedCall {
        parent,
        site: None,
        declared: Some(line(declared)),
        ranges: vec![range],
    };
    let calls = vec![call(None, 30, 0..6), call(Some(0), 10, 0..5), call(Some(0), 20, 1..6)];
    let function = InliningFunction { declared: Some(line(40)), calls };
    assert_eq!(
        owners(&function, &[11, 12, 21, 41, 31, 29, 42]),
        [Some(1), Some(1), Some(2), None, Some(0), Some(2), None]
    );
    // Line 9 is of none, and of line 0 is what the ranges say.
    assert_eq!(owners(&function, &[9, 0]), [Some(1), Some(2)]);
    // A function that calls itself in name only tells nothing.
    let function = InliningFunction { declared: Some(line(30)), ..function };
    assert_eq!(owners(&function, &[11, 12, 21]), [Some(1), Some(2), Some(2)]);
}

#[test]
fn lines_between_those_of_a_function_are_its_own() {
    // The second call of 30 stands in the first, as code that was moved there.
    let calls = [(None, 10, 1..5), (None, 12, 2..9), (Some(1), 31, 3..8), (Some(1), 33, 7..8)];
    assert_eq!(
        divided(&calls, &[9, 50, 40, 41, 51, 32, 11, 42, 34, 13]),
        [None, Some(0), Some(1), Some(2), Some(0), Some(1), None, Some(3), Some(1), None]
    );
}

#[test]
fn all_code_goes_to_active_calls() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..500 {
        let count = random(6) as usize;
        let mut calls: Vec<InlinedCall> = Vec::new();
        for index in 0..count {
            let parent = (index > 0 && random(3) > 0).then(|| random(index as u64) as usize);
            let start = random(20);
            let ranges = core::iter::once(start..start + random(12)).collect();
            let declared = (random(2) == 0).then(|| line(random(9)));
            calls.push(InlinedCall { parent, site: Some(line(random(6))), declared, ranges });
        }
        let code: Vec<LineRun> =
            (0..7).map(|at| LineRun { range: 3 * at..3 * at + 3, line: line(random(9)) }).collect();
        let declared = (random(3) == 0).then(|| line(random(9)));
        let function = InliningFunction { declared, calls };
        let mut budget = WorkBudget::of_input(0, 0);
        let mut at = 0;
        for CallRun { range, call } in divide(&function, &code, &mut budget) {
            assert!(range.start == at && !range.is_empty());
            at = range.end;
            let parent = |call: &usize| function.calls[*call].parent;
            for call in core::iter::successors(call, parent) {
                let ranges = &function.calls[call].ranges;
                assert!(
                    range.clone().all(|at| ranges.iter().any(|range| range.contains(&at))),
                    "{function:?}"
                );
            }
        }
        assert_eq!(at, 21);
    }
}

#[test]
fn deep_chains_end_with_the_budget() {
    const DEPTH: usize = 3000;
    let calls = (0..DEPTH)
        .map(|at| InlinedCall {
            parent: at.checked_sub(1),
            site: None,
            declared: None,
            ranges: core::iter::once(0..9000).collect(),
        })
        .collect();
    let code: Vec<LineRun> = (0..9000).map(|at| LineRun { range: at..at + 1, line: line(at) }).collect();
    let mut budget = WorkBudget::of_input(0, 0);
    let runs = divide(&InliningFunction { declared: None, calls }, &code, &mut budget);
    assert!(budget.is_spent());
    let of_function: String = runs.last().map(|run| format!("{:?}", run.call)).unwrap_or_default();
    assert_eq!(of_function, "None");
}
