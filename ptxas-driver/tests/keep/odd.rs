//! `.debug_info` as no compiler of the corpus writes it: forms, tables and lists that DWARF 2
//! allows all the same.

use super::{Die, entries, keep, section};
use crate::support::driver;
use crate::support::driver::program;
use crate::support::{self, Entry, oracle, skip};
use cubin_debuginfo::symbolize::Symbolizer;
use gimli::{DW_TAG_compile_unit, DW_TAG_inlined_subroutine, DW_TAG_subprogram};
use nv_debug_sections::cubin::Cubin;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Code with one inlined call, from line 200 of `/src/k.cu`.
const CODE: &str = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "/src/k.cu"
.visible .entry k(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
$begin:
	.loc 1 200 5
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
$call:
	.loc 1 300 3, function_name $callee, inlined_at 1 200 5
	mul.lo.u32 %r2, %r1, %r1;
	xor.b32 %r3, %r2, 12345;
$back:
	.loc 1 12 0
	cvta.to.global.u64 %rd2, %rd1;
	st.global.u32 [%rd2], %r3;
	ret;
$end:
}
"#;

/// `.debug_str` after `callee`: what begins like the path is not all a path.
const STRINGS: &[&str] = &["$path: /src/k.cu", "$folder: /src", "$variable: /srcvar", "$k: k"];

/// A unit, its abbreviations at `+6` as linkers leave them, the call's line as LEB128, siblings
/// that end at the children's end.
const ABBREVIATIONS: &str = "\
9 36 0 0 0 0
1 17 1 3 14 27 14 16 6 0 0
2 46 0 3 8 32 11 0 0
3 46 1 3 14 17 1 18 1 0 0
4 29 0 49 19 17 1 18 1 88 15 89 15 1 19 0 0
5 46 1 3 8 85 6 0 0
7 52 0 3 14 0 0
0";
const INFO: &str = "\
.b32 $info_end-$info
$info: 2 0
.b32 .debug_abbrev+6
8
1
.b32 $path
.b32 $folder
.b32 .debug_line
2 99 97 108 108 101 101 0 1
3
.b32 $k
.b64 $begin
.b64 $end
4
.b32 24
.b64 $call
.b64 $back
1 200 1
.b32 81
0
5 103 0
.b32 .debug_ranges
0
7
.b32 $variable
7
.b32 $path+5
0
$info_end:";

/// Lines of bytes, directives and labels as the block of a section.
pub(super) fn block(name: &str, lines: &str) -> String {
    let mut text = format!(".section {name}\n{{\n");
    for line in lines.lines() {
        let (label, rest) = line.split_once(':').map_or(("", line), |(label, rest)| (label, rest));
        if !label.is_empty() {
            writeln!(text, "{label}:").unwrap();
        }
        if rest.starts_with('.') {
            writeln!(text, "{rest}").unwrap();
        } else {
            rest.split_whitespace().for_each(|byte| writeln!(text, ".b8 {byte}").unwrap());
        }
    }
    text + "}\n"
}

fn module() -> String {
    let string = |line: &str| {
        let (label, string) = line.split_once(": ").unwrap();
        let bytes: Vec<String> = string.bytes().map(|byte| byte.to_string()).collect();
        format!("{label}: {} 0\n", bytes.join(" "))
    };
    let strings: String = ["$callee: callee"].iter().chain(STRINGS).map(|line| string(line)).collect();
    let ranges = ".b64 $begin\n.b64 $end\n.b64 0\n.b64 0";
    [
        CODE.to_owned(),
        block(".debug_abbrev", ABBREVIATIONS),
        block(".debug_info", INFO),
        block(".debug_ranges", ranges),
        block(".debug_str", &strings),
    ]
    .concat()
}

/// The module with other entries.
fn with_entries(abbreviations: &str, info: &str) -> String {
    module()
        .replace(&block(".debug_abbrev", ABBREVIATIONS), &block(".debug_abbrev", abbreviations))
        .replace(&block(".debug_info", INFO), &block(".debug_info", info))
}

pub(super) fn ready() -> bool {
    let is_there = oracle::tool("ptxas").is_some();
    if !is_there {
        skip("odd entries of optimised code", "ptxas");
    }
    is_there
}

fn kept(text: &str, folder: &Path, options: &[&str]) -> Vec<u8> {
    let ptx = folder.join("in.ptx");
    std::fs::write(&ptx, text).unwrap();
    keep(&ptx, "sm_75", &folder.join("out.cubin"), options)
}

#[test]
fn tables_forms_and_siblings_that_compilers_do_not_write() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for options in [&[][..], &["-c"]] {
        let data = kept(&module(), folder.path(), options);
        let cubin = Cubin::parse(&data).unwrap();
        let dies: Vec<Die> = entries(&cubin);
        let tags: Vec<_> = dies.iter().map(|die| die.tag).take(4).collect();
        let call = DW_TAG_inlined_subroutine;
        assert_eq!(tags, [DW_TAG_compile_unit, DW_TAG_subprogram, DW_TAG_subprogram, call]);
        assert_eq!(dies.len(), 7, "{options:?}");
        assert_eq!(dies[3].call, Some(("/src/k.cu".to_owned(), 200)));
        let (name, code) = dies[3].code.as_ref().unwrap();
        assert_eq!(name, ".text.k");
        let of_callee: BTreeSet<u64> = super::chains(&cubin).into_values().flatten().collect();
        assert_eq!(*code, of_callee);
        // The list of the PTX is of other code; the entry that it was for is a function that has
        // none.
        assert_eq!(dies[4].tag, DW_TAG_subprogram);
        assert!(dies[4].code.is_none());
        let folder = tempfile::tempdir().unwrap();
        let mut dump = program();
        let file = folder.path().join("kept.cubin");
        std::fs::write(&file, &data).unwrap();
        assert!(dump.arg("dump").arg(&file).output().unwrap().status.success());
    }
}

/// What nvcc -G writes for inlined code: labels, and directives that do not say where it was
/// inlined.
#[test]
fn calls_that_directives_do_not_name_are_where_their_labels_are() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = kept(&module().replace(", function_name $callee, inlined_at 1 200 5", ""), folder.path(), &[]);
    let cubin = Cubin::parse(&data).unwrap();
    let dies = entries(&cubin);
    assert_eq!(dies[3].tag, DW_TAG_inlined_subroutine);
    let (section, code) = dies[3].code.as_ref().unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let index = cubin.section_by_name(section).unwrap();
    let line = |at: &u64| symbolizer.locate(index, *at).unwrap().frames().next().unwrap().line;
    assert!(!code.is_empty() && code.iter().all(|at| line(at) == 300));
}

/// `k` has only a list of ranges, which is gone.
#[test]
fn a_function_with_ranges_alone_is_where_its_code_is() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let abbreviations = ABBREVIATIONS.replace("3 46 1 3 14 17 1 18 1 0 0", "3 46 1 3 14 85 6 0 0");
    let info = INFO.replace(".b64 $begin\n.b64 $end\n4", ".b32 .debug_ranges\n4");
    let text = with_entries(&abbreviations, &info);
    let data = kept(&text, folder.path(), &[]);
    let cubin = Cubin::parse(&data).unwrap();
    let dies = entries(&cubin);
    let (name, whole) = dies[2].code.as_ref().unwrap();
    let size = cubin.bytes(cubin.section_by_name(".text.k").unwrap()).unwrap().len() as u64;
    assert_eq!((&**name, whole), (".text.k", &(0..size).step_by(16).collect()));
    let (_, inlined) = dies[3].code.as_ref().unwrap();
    assert!(!inlined.is_empty() && inlined.is_subset(whole));
}

/// Every attribute of DWARF 2 that may lead into `.debug_loc`, or need registers; and an address in
/// code of no known meaning.
#[test]
fn nothing_leads_to_what_is_gone() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lists = [
        gimli::DW_AT_location,
        gimli::DW_AT_string_length,
        gimli::DW_AT_return_addr,
        gimli::DW_AT_data_member_location,
        gimli::DW_AT_frame_base,
        gimli::DW_AT_segment,
        gimli::DW_AT_static_link,
        gimli::DW_AT_use_location,
        gimli::DW_AT_vtable_elem_location,
        gimli::DW_AT_start_scope,
    ];
    for name in lists.map(|name| name.0) {
        // DW_FORM_data4 into the section, by its name and by a label; DW_FORM_block1 of DW_OP_fbreg
        // 0.
        for (form, value) in [(6, ".b32 .debug_loc+0"), (6, ".b32 $list"), (10, "2 145 0")] {
            if (name, form) == (gimli::DW_AT_start_scope.0, 10) {
                continue; // no expression
            }
            let text = with_attribute(name, form, value);
            let cubin = kept(&text, folder.path(), &[]);
            assert_eq!(names(&Cubin::parse(&cubin).unwrap()), ["DW_AT_name"], "{name:#x} {value}");
        }
    }
    let text = with_attribute(gimli::DW_AT_call_return_pc.0, 1, ".b64 $back");
    assert_eq!(names(&Cubin::parse(&kept(&text, folder.path(), &[])).unwrap()), ["DW_AT_name"]);
    // The offset of a member, as a number and as an expression.
    for (form, value) in [(6, "8 0 0 0"), (10, "2 35 8")] {
        let text = with_attribute(gimli::DW_AT_data_member_location.0, form, value);
        let cubin = kept(&text, folder.path(), &[]);
        assert_eq!(
            names(&Cubin::parse(&cubin).unwrap()),
            ["DW_AT_name", "DW_AT_data_member_location"],
            "{value}"
        );
    }
}

/// The module with an attribute more for the variables, and a `.debug_loc`.
fn with_attribute(name: u16, form: u16, value: &str) -> String {
    let uleb = if name < 0x80 { name.to_string() } else { format!("{} {}", name & 0x7f | 0x80, name >> 7) };
    let abbreviations = ABBREVIATIONS.replace("7 52 0 3 14 0 0", &format!("7 52 0 3 14 {uleb} {form} 0 0"));
    let info = INFO.replace("$variable\n", &format!("$variable\n{value}\n"));
    let info = info.replace("$path+5\n", &format!("$path+5\n{value}\n"));
    with_entries(&abbreviations, &info)
        + &block(".debug_loc", "$list:\n.b64 $begin\n.b64 $end\n2 0 145 0\n.b64 0\n.b64 0")
}

/// Attributes of the first variable.
fn names(cubin: &Cubin<'_>) -> Vec<String> {
    let [info, abbrev] = [".debug_info", ".debug_abbrev"].map(|name| section(cubin, name).unwrap().bytes);
    let info = gimli::DebugInfo::new(&info, gimli::LittleEndian);
    let unit = info.units().next().unwrap().unwrap();
    let abbreviations = unit.abbreviations(&gimli::DebugAbbrev::new(&abbrev, gimli::LittleEndian)).unwrap();
    let mut raw = unit.entries_raw(&abbreviations, None).unwrap();
    loop {
        let Some(abbreviation) = raw.read_abbreviation().unwrap() else { continue };
        let names = abbreviation.attributes().iter().map(|spec| spec.name().to_string()).collect();
        if abbreviation.tag() == gimli::DW_TAG_variable {
            return names;
        }
        raw.skip_attributes(abbreviation.attributes()).unwrap();
    }
}

/// Mercury's symbols of shared variables count from elsewhere, its entries do not.
#[test]
fn shared_variables_are_at_one_place_in_both_spaces() {
    let is_debug = |entry: &Entry| {
        entry.producer == "cuda"
            && (&*entry.mode, entry.sm()) == ("G", 100)
            && entry.ok
            && entry.ptx.is_some()
    };
    let corpus = support::corpus(is_debug);
    let folder = tempfile::tempdir().unwrap();
    let mut places = 0;
    for entry in &corpus {
        let (ptx, code) = (entry.ptx.as_ref().unwrap(), entry.cubin.as_ref().unwrap());
        let mut command = driver::compile();
        command.args(["-g", "--debug-opt", "keep", "-arch", &entry.arch, "--code"]);
        let output = folder.path().join("out.cubin");
        let data = driver::made(command.arg(driver::code_of(code)).arg(ptx), &output);
        let theirs = std::fs::read(code).unwrap();
        let theirs = in_window(&Cubin::parse(&theirs).unwrap(), ".debug_info");
        let own = Cubin::parse(&data).unwrap();
        assert_eq!(in_window(&own, ".debug_info"), theirs, "{}", entry.name());
        assert_eq!(in_window(&own, ".nv.merc.debug_info"), theirs, "{}", entry.name());
        places += theirs.len();
    }
    assert!(places > 0);
}

/// Addresses of variables in shared memory (NVIDIA's `DW_AT_address_class` 8).
fn in_window(cubin: &Cubin<'_>, name: &str) -> Vec<Vec<u8>> {
    let [info, abbrev] = [name, ".debug_abbrev"].map(|name| section(cubin, name).unwrap().bytes);
    let mut found = Vec::new();
    let debug_info = gimli::DebugInfo::new(&info, gimli::LittleEndian);
    let mut units = debug_info.units();
    while let Some(unit) = units.next().unwrap() {
        let abbreviations =
            unit.abbreviations(&gimli::DebugAbbrev::new(&abbrev, gimli::LittleEndian)).unwrap();
        let mut entries = unit.entries(&abbreviations);
        while let Some(entry) = entries.next_dfs().unwrap() {
            let class = entry.attr_value(gimli::DW_AT_address_class);
            if !matches!(class, Some(gimli::AttributeValue::AddressClass(gimli::DwAddr(8)))) {
                continue;
            }
            if let Some(gimli::AttributeValue::Exprloc(place)) = entry.attr_value(gimli::DW_AT_location) {
                found.push(place.0.slice().to_vec());
            }
        }
    }
    found
}

#[test]
fn path_maps_leave_names_alone() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let strings = |map: &str| {
        let data = kept(&module().replace("$path+5", "$k"), folder.path(), &["--path-map", map]);
        let cubin = Cubin::parse(&data).unwrap();
        let strings = section(&cubin, ".debug_str").unwrap().bytes.into_owned();
        String::from_utf8(strings).unwrap()
    };
    assert_eq!(strings("/src=/a"), "callee\0/a/k.cu\0\0\0/a\0\0\0/srcvar\0k\0");
    // What needs more room stands in the entries; names of inlined calls and variables stay.
    assert_eq!(
        strings("/src=/longer"),
        format!("callee\0{}\0{}\0/srcvar\0k\0", "\0".repeat(9), "\0".repeat(4))
    );
    for map in ["k=longer", "callee=x", "/srcv=/a"] {
        assert_eq!(strings(map), "callee\0/src/k.cu\0/src\0/srcvar\0k\0", "{map}");
    }
    // A string whose end is a name too stays whole.
    let data = kept(&module(), folder.path(), &["--path-map", "/src=/a"]);
    let cubin = Cubin::parse(&data).unwrap();
    let strings = section(&cubin, ".debug_str").unwrap().bytes.into_owned();
    assert_eq!(strings, b"callee\0/src/k.cu\0/a\0\0\0/srcvar\0k\0");
    let info = section(&cubin, ".debug_info").unwrap().bytes;
    assert!(info.windows(8).any(|text| text == b"/a/k.cu\0"));
}

#[test]
fn units_that_cannot_be_written_again_are_faults_of_the_ptx() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("in.ptx");
    let version = module().replacen("$info:\n.b8 2", "$info:\n.b8 4", 1);
    let second = module().replacen("$info_end:", ".b8 7\n.b32 $k\n$info_end:", 1);
    let expected = [(version, "a unit of version 4"), (second, "an entry beside the unit's own")];
    for (text, fault) in expected {
        std::fs::write(&ptx, text).unwrap();
        let mut command = driver::compile();
        command.env("PTXAS", oracle::tool("ptxas").unwrap());
        command.args(["-g", "--debug-opt", "keep", "-arch", "sm_75", "--code", "ptxas"]).arg(&ptx);
        let run = command.arg("-o").arg(folder.path().join("out.cubin")).output().unwrap();
        let messages = driver::messages(&run);
        assert_eq!(run.status.code(), Some(driver::FAILURE), "{messages}");
        assert!(messages.contains("error: --debug-opt, --path-map: .debug_info+0x"), "{messages}");
        assert!(messages.contains(fault), "{messages}");
    }
}
