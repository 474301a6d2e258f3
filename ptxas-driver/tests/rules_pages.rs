//! `docs/rules.md`, `docs/verify.md` and `docs/coverage.md` are made from the tables of rules;
//! `BLESS=1` writes them.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cubin_debuginfo::coverage::rules as coverage;
use cubin_debuginfo::verify;
use findings::RuleDetails;
use findings::RuleTable as _;
use findings::page::{Page, table};
use llvm_debug_metadata::check as llvm_ir;
use merc_capsule::self_check as capsule;
use ptx_syntax::check::{GATES, PtxVersion, RULES, RuleId};
use std::path::Path;
use std::{env, fs};

const WRITER: &str = "BLESS=1 cargo test -p ptxas-driver --test house rules_pages";

const CHECK: Page<'_> = Page {
    command: "check",
    source: "the tables in `ptx-syntax/src/check/{rules,gates}.rs` and `llvm-debug-metadata/src/check/rules.rs`",
    writer: WRITER,
    about: "*ptxas* is what
ptxas 13.0.88 does; *silent* means that it takes the module and says nothing. An error is something that ptxas refuses or that
makes it crash, or debug information that cannot be used. A warning is information that gets lost or is not what it seems. A note does not count as a finding. ⚒: there
is a repair, made by `--fix` or by name (`check --repairs`).",
};

const GATES_HEAD: &str = "
## Versions

The least `.version` of each feature: as the PTX ISA has it, and as ptxas 13.0.88 asks for it. Below *ptxas* the rule is an error,
below *PTX ISA* a warning.

";

const IR_HEAD: &str = "
## LLVM IR

Rules of `ptxas-driver check FILE.ll`. *libNVVM* is what libNVVM 13.0.88 does: a sentence without more is said, below compute_100 with
return code 6, from compute_100 on with return code 0, on standard error only, and all debug information is dropped. *Silent* means that
it takes the module and says nothing.

";

const WHY_HEAD: &str = "
## Why, and what to do

";

const VERIFY: Page<'_> = Page {
    command: "verify",
    source: "the tables in `cubin-debuginfo/src/verify/rules.rs` and `merc-capsule/src/self_check/rules.rs`",
    writer: WRITER,
    about: "With an error a
reader fails or gives a wrong answer, with a warning something is missing or not as the tools write it.",
};

const NOT_LOOKED_AT: &str = "
`verify` does not check whether lines and variables are those of the source, except for lines past its end (L014). It does not check
code, `.nv.info` and `.debug_macinfo`, nor Mercury clones by themselves: these are compared with the native sections (C004).

";

const FAULTS_HEAD: &str = "
## Known faults

What tools do wrong as a rule, each with a code of its own, from 101 on; all are notes. Found on cubins of CUDA 13.0. A file that was
damaged later can look the same.

";

const COVERAGE: Page<'_> = Page {
    command: "coverage",
    source: "the table in `cubin-debuginfo/src/coverage/rules.rs`",
    writer: WRITER,
    about: "All are errors. A limit
is a rule only where its option is given.",
};

fn check_page() -> String {
    let rows = RULES.iter().map(|rule| {
        let details = &rule.details;
        let fix = if details.fixable { " ⚒" } else { "" };
        let since = details.since.map(|version| format!(" (from PTX {version})")).unwrap_or_default();
        [
            format!("{}{fix}", rule.code),
            format!("`{}`", rule.name),
            rule.severity.as_str().to_owned(),
            format!("{}{since}", rule.summary),
            details.reference.to_owned(),
            RuleId::details_of(rule).tool.map(|tool| tool.does.into_owned()).unwrap_or_default(),
        ]
    });
    let gates = GATES.iter().map(|gate| {
        let enforced = gate.enforced.map_or("any".to_owned(), |version: PtxVersion| version.to_string());
        let code = gate.rule.rule().code.to_owned();
        [code, gate.feature.to_owned(), gate.documented.to_string(), enforced]
    });
    let ir = llvm_ir::RULES.iter().map(|rule| {
        let details = &rule.details;
        let fix = if details.fixable { " ⚒" } else { "" };
        [
            format!("{}{fix}", rule.code),
            format!("`{}`", rule.name),
            rule.severity.as_str().to_owned(),
            rule.summary.to_owned(),
            details.source.to_owned(),
            details.libnvvm.to_owned(),
        ]
    });
    let reason = |code: &str, details: RuleDetails| {
        let mend = details.mend.iter().map(|mend| format!(" *{mend}*"));
        Some(format!("- **{code}** {}{}\n", details.why?, mend.collect::<String>()))
    };
    let reasons = RULES.iter().filter_map(|rule| reason(rule.code, RuleId::details_of(rule)));
    let of_ir = llvm_ir::RULES.iter().filter_map(|rule| reason(rule.code, llvm_ir::RuleId::details_of(rule)));
    [
        CHECK.beginning(RuleId::SUBJECTS.iter().chain(llvm_ir::RuleId::SUBJECTS).copied()),
        "\n".to_owned(),
        table(["code", "name", "severity", "rule", "source", "ptxas"], rows),
        GATES_HEAD.to_owned(),
        table(["code", "feature", "PTX ISA", "ptxas"], gates),
        IR_HEAD.to_owned(),
        table(["code", "name", "severity", "rule", "source", "libNVVM"], ir),
        WHY_HEAD.to_owned(),
        reasons.chain(of_ir).collect(),
    ]
    .concat()
}

fn verify_page() -> String {
    let native = verify::RULES.iter().filter(|rule| rule.details.fault_of.is_none());
    let native = native.map(|rule| (rule.code, rule.name, rule.severity, rule.summary, rule.details.why));
    let capsule = capsule::RULES.iter();
    let capsule = capsule.map(|rule| (rule.code, rule.name, rule.severity, rule.summary, rule.details));
    let rows = native.chain(capsule).map(|(code, name, severity, summary, why)| {
        [
            code.to_owned(),
            format!("`{name}`"),
            severity.as_str().to_owned(),
            summary.to_owned(),
            why.to_owned(),
        ]
    });
    let faults = verify::RULES.iter().filter_map(|rule| {
        let tool = rule.details.fault_of?.to_owned();
        let (code, name) = (rule.code.to_owned(), format!("`{}`", rule.name));
        Some([code, name, tool, rule.summary.to_owned(), rule.details.why.to_owned()])
    });
    let subjects = verify::RuleId::SUBJECTS.iter().chain(capsule::RuleId::SUBJECTS).copied();
    [
        VERIFY.beginning(subjects),
        NOT_LOOKED_AT.to_owned(),
        table(["code", "name", "severity", "what is required", "why"], rows),
        FAULTS_HEAD.to_owned(),
        table(["code", "name", "who does it", "what is required", "what comes of it"], faults),
    ]
    .concat()
}

fn coverage_page() -> String {
    let rows = coverage::RULES.iter().map(|rule| {
        let (code, name) = (rule.code.to_owned(), format!("`{}`", rule.name));
        [code, name, rule.summary.to_owned(), rule.details.to_owned()]
    });
    [
        COVERAGE.beginning(coverage::RuleId::SUBJECTS.iter().copied()),
        "\n".to_owned(),
        table(["code", "name", "what is required", "why"], rows),
    ]
    .concat()
}

#[test]
fn pages_are_current() {
    let pages = [("rules.md", check_page()), ("verify.md", verify_page()), ("coverage.md", coverage_page())];
    let old = pages.iter().filter(|(name, made)| {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
        if env::var_os("BLESS").is_some() {
            fs::write(&page, made).unwrap();
        }
        fs::read_to_string(&page).unwrap() != *made
    });
    let old: Vec<&str> = old.map(|(name, _)| *name).collect();
    assert!(old.is_empty(), "{old:?} in docs are old: BLESS=1 writes them anew");
}

/// `verify` takes both for `--ignore`.
#[test]
fn rules_of_cubins_and_capsules_have_different_names() {
    for rule in &capsule::RULES {
        assert_eq!(verify::RuleId::named(rule.code), None);
        assert_eq!(verify::RuleId::named(rule.name), None);
    }
}

/// `check` takes both for `--select`.
#[test]
fn rules_of_ptx_and_of_llvm_ir_have_different_names() {
    for rule in &llvm_ir::RULES {
        assert_eq!(RuleId::named(rule.code), None);
        assert_eq!(RuleId::named(rule.name), None);
    }
}

#[test]
fn codes_of_coverage_are_of_no_other_table() {
    let letters = |subjects: &[(char, &str)]| subjects.iter().map(|(letter, _)| *letter).collect::<Vec<_>>();
    let others =
        [RuleId::SUBJECTS, llvm_ir::RuleId::SUBJECTS, verify::RuleId::SUBJECTS, capsule::RuleId::SUBJECTS];
    let others: Vec<char> = others.into_iter().flat_map(letters).collect();
    assert!(letters(coverage::RuleId::SUBJECTS).iter().all(|letter| !others.contains(letter)));
}
