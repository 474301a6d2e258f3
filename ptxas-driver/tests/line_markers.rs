//! Line markers (`# 12 "f"`) by which code shares PTX lines: `compile` names the marker, and says nothing of others.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver;
use std::fs;

/// A kernel of seven lines: its `{` is the second, the instructions are the fourth and sixth.
fn kernel(name: &str) -> String {
    format!(
        ".visible .entry {name}()\n{{\n.loc 1 {line} 1\nmembar.gl;\n.loc 1 3 1\nret;\n}}\n",
        line = name.len()
    )
}

/// A module whose header ends on line 4.
fn module(parts: &[&str]) -> String {
    format!(".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a.cu\"\n{}", parts.concat())
}

/// The messages of `compile --code none`, which must succeed.
fn messages(text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.ptx");
    fs::write(&path, text).unwrap();
    let mut command = driver::compile();
    command.arg(&path).args(["--code", "none", "--file-stat", "none", "-o"]).arg(folder.path().join("out"));
    let run = command.args(options).output().unwrap();
    assert!(run.status.success(), "{}", driver::messages(&run));
    driver::messages(&run).replace(&*folder.path().to_string_lossy(), "")
}

#[test]
fn the_marker_that_makes_lines_shared_is_named() {
    let (a, b, c) = (kernel("a"), kernel("bb"), kernel("ccc"));
    // `a` has lines 6 to 11, and so has `bb`, whose `{` is on the second line behind the marker.
    let text = module(&[&a, "# 5 \"b.ptx\"\n", &b]);
    let said = messages(&text, &["-lineinfo"]);
    assert!(
        said.contains("/in.ptx:12:1") && said.contains("PTX lines 6 to 11, which code before it has too: "),
        "{said}"
    );
    assert!(said.contains("# 5 \"b.ptx\"") && said.contains("has them already"), "{said}");
    // Only a part of them, and more markers than one.
    let said = messages(&module(&[&a, "# 10 \"b.ptx\"\n", &b, "#line 9 \"c.ptx\"\n", &c]), &["-lineinfo"]);
    assert!(
        said.contains("/in.ptx:12:1")
            && said.contains("lines 11 to 11")
            && said.contains(", as another does"),
        "{said}"
    );
    assert_eq!(said.matches("warning:").count(), 1, "{said}");
}

#[test]
fn a_function_can_share_lines_with_itself() {
    let body = "{\nmembar.gl;\nmembar.gl;\n# 7 \"m\"\n.loc 1 4 1\nmembar.gl;\n.loc 1 5 1\nret;\n}\n";
    let said = messages(&module(&[".visible .entry a()\n", body]), &["-lineinfo"]);
    assert!(said.contains("/in.ptx:9:1") && said.contains("PTX lines 8 to 8"), "{said}");
}

/// What a marker leaves out within a body is the body's, for a `.loc` covers it.
#[test]
fn lines_left_out_are_the_body_s() {
    let body = "{\n.loc 1 4 1\nmembar.gl;\n# 100 \"m\"\nmembar.gl;\nret;\n}\n";
    let text = module(&[".visible .entry a()\n", body, "# 50 \"b.ptx\"\n", &kernel("b")]);
    let said = messages(&text, &["-lineinfo"]);
    assert!(said.contains("/in.ptx:13:1") && said.contains("PTX lines 51 to 56"), "{said}");
}

#[test]
fn other_markers_are_worth_no_word() {
    let (a, b) = (kernel("a"), kernel("b"));
    let quiet = [
        // Forward, also within a body, and to the line that comes anyway.
        module(&[&a, "# 40 \"b.ptx\"\n", &b]),
        module(&[".visible .entry a()\n{\n.loc 1 4 1\nmembar.gl;\n# 100 \"m\"\nret;\n}\n", &b]),
        module(&[&a, "# 13 \"b.ptx\"\n", &b]),
        // Back, but to lines that no code has.
        module(&["# 100 \"a.ptx\"\n", &a, "# 20 \"b.ptx\"\n", &b]),
        module(&[&a, "# 1 \"x\"\n.global .u32 g;\n# 30 \"b.ptx\"\n", &b]),
        // On one line of the text by themselves.
        module(&["# 100 \"a.ptx\"\n", a.trim_end(), " ", &b]),
    ];
    for text in quiet {
        let said = messages(&text, &["-lineinfo"]);
        assert!(!said.contains("PTX lines"), "{text}{said}");
    }
    // Where no line table is made there is nothing to be wrong.
    let shared = module(&[&a, "# 5 \"b.ptx\"\n", &b]);
    assert!(messages(&shared, &["-lineinfo"]).contains("PTX lines"));
    let without = shared.lines().filter(|line| !line.starts_with(".loc"));
    let without: String = without.flat_map(|line| [line, "\n"]).collect();
    for (text, options) in
        [(&shared, &["-lineinfo", "--suppress-debug-info"][..]), (&without, &["-lineinfo"])]
    {
        let said = messages(text, options);
        assert!(!said.contains("PTX lines"), "{said}");
    }
}
