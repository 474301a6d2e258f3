//! `docs/rules.md` is made from the tables of `check`; `BLESS=1` writes it.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use ptx_syntax::check::{GATES, PtxVersion, RULES};

const HEAD: &str = "\
# Rules of `check`

Made from the tables in `ptx-syntax/src/check/{rules,gates}.rs` by `BLESS=1 cargo test -p ptx-syntax --test rules_doc`.

`ptxas-driver check` reports what breaks a rule. Codes and names are stable: none is ever given to another rule. *ptxas* is what
ptxas 13.0.88 does; *silent* means that it takes the module and says nothing. An error is what ptxas refuses, what makes it
crash, or debug information that cannot be used; a warning is what gets lost or is not what it seems; a note is no finding. ⚒: there
is a repair, made by `--fix` or by name (`check --repairs`).

| subject | codes |
|---|---|
| grammar and names | P |
| `.version`, `.target`, `.address_size`; version gates | V |
| `.target ..., debug` | T |
| `.file` | F |
| `.loc` | L |
| `.section` as a whole | S |
| values, labels and references in a section | D |
| DWARF in `.debug_info` and `.debug_abbrev` | W |

";

const GATES_HEAD: &str = "
## Versions

The least `.version` of each feature: as the PTX ISA has it, and as ptxas 13.0.88 asks for it. Below *ptxas* the rule is an error,
below *PTX ISA* a warning.

| code | feature | PTX ISA | ptxas |
|---|---|---|---|
";

fn document() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("| code | name | severity | rule | source | ptxas |\n|---|---|---|---|---|---|\n");
    let cell = |text: &str| text.replace('|', "\\|");
    for rule in &RULES {
        let fix = if rule.fixable { " ⚒" } else { "" };
        let since = rule.since.map(|version| format!(" (from PTX {version})")).unwrap_or_default();
        let (summary, reference, ptxas) = (cell(rule.summary), cell(rule.reference), cell(rule.ptxas));
        let (code, name, severity) = (rule.code, rule.name, rule.severity.word());
        writeln!(text, "| {code}{fix} | `{name}` | {severity} | {summary}{since} | {reference} | {ptxas} |")
            .unwrap();
    }
    text.push_str(GATES_HEAD);
    for gate in &GATES {
        let enforced = gate.enforced.map_or("any".to_owned(), |version: PtxVersion| version.to_string());
        let (code, feature, documented) = (gate.rule.rule().code, gate.feature, gate.documented);
        writeln!(text, "| {code} | {feature} | {documented} | {enforced} |").unwrap();
    }
    text
}

#[test]
fn rules_page_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let made = document();
    if env::var_os("BLESS").is_some() {
        fs::write(&page, &made).unwrap();
    }
    assert!(fs::read_to_string(&page).unwrap() == made, "docs/rules.md is old: BLESS=1 writes it anew");
}

#[test]
fn table_is_sound() {
    let mut words = BTreeSet::new();
    for (index, rule) in RULES.iter().enumerate() {
        assert_eq!(rule.id as usize, index, "{}: out of order", rule.code);
        assert!(words.insert(rule.code) && words.insert(rule.name), "{} twice", rule.code);
        let (letter, number) = rule.code.split_at(1);
        assert!("PVTFLSDW".contains(letter) && number.len() == 3 && number.parse::<u16>().is_ok());
        assert!(rule.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{}", rule.name);
        assert!(rule.summary.ends_with('.') && !rule.reference.is_empty() && !rule.ptxas.is_empty());
    }
    for gate in &GATES {
        let rule = gate.rule.rule();
        assert_eq!(rule.until, Some(gate.documented), "{}", rule.code);
        assert!(gate.enforced.is_none_or(|enforced| enforced <= gate.documented));
    }
}
