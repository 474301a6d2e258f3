//! `docs/verify.md` is made from the table of `verify`; `BLESS=1` writes it.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cubin_read::verify::RULES;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const HEAD: &str = "\
# Rules of `verify`

Made from the table in `cubin-read/src/verify/rules.rs` by `BLESS=1 cargo test -p cubin-read --test rules_doc`.

`ptxas-driver verify` reports what breaks a rule. Codes and names are stable: none is ever given to another rule. With an error a
reader fails or gives a wrong answer, with a warning something is missing or not as the tools write it.

| subject | codes |
|---|---|
| container, relocations | E |
| `.debug_line`, `.nv_debug_line_sass` | L |
| `.nv_debug_ptx_txt` | X |
| `.debug_info` | I |
| `.debug_pubnames`, `.debug_pubtypes`, `.debug_aranges` | T |
| `.debug_loc`, `.debug_ranges` | O |
| `.nv_debug_info_reg_sass`, `.nv_debug_info_reg_type` | R |
| `.debug_frame` | F |
| levels of linked files | M |
| the Mercury capsule | C |

Not looked at: whether lines and variables are those of the source, but for lines past its end (L014); code, `.nv.info` and
`.debug_macinfo`; what the clones of Mercury say by themselves (they are compared with the native sections, C004).

";

const FAULTS_HEAD: &str = "
## Known faults

What tools do wrong as a rule, each with a code of its own, from 101 on; all are notes. Found on cubins of CUDA 13.0. A file that was
damaged later can look the same.

| code | name | who does it | what is required | what comes of it |
|---|---|---|---|---|
";

fn document() -> String {
    let mut text = HEAD.to_owned();
    let cell = |text: &str| text.replace('|', "\\|");
    text.push_str("| code | name | severity | what is required | why |\n|---|---|---|---|---|\n");
    for rule in RULES.iter().filter(|rule| rule.fault_of.is_none()) {
        let (code, name, severity) = (rule.code, rule.name, rule.severity.word());
        writeln!(text, "| {code} | `{name}` | {severity} | {} | {} |", cell(rule.summary), cell(rule.text))
            .unwrap();
    }
    text.push_str(FAULTS_HEAD);
    for rule in &RULES {
        let Some(tool) = rule.fault_of else { continue };
        let (code, name) = (rule.code, rule.name);
        writeln!(text, "| {code} | `{name}` | {tool} | {} | {} |", cell(rule.summary), cell(rule.text))
            .unwrap();
    }
    text
}

#[test]
fn rules_page_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/verify.md");
    let made = document();
    if env::var_os("BLESS").is_some() {
        fs::write(&page, &made).unwrap();
    }
    assert!(fs::read_to_string(&page).unwrap() == made, "docs/verify.md is old: BLESS=1 writes it anew");
}
