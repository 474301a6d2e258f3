//! Section lists: the rule table against what the tools wrote.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use corpus::{Cubins, file};
use nv_debug_sections::catalog::{SectionKind, SectionName, SectionOrigin, Space, classify};
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugOnlyFunction, DebugOnlyObject, DebugSection, Relocation, debug_only,
};
use nv_debug_sections::level::compare::{HeaderOddity, OddHeader, compare};
use nv_debug_sections::level::detected::DetectedLevel;
use nv_debug_sections::level::observed::{Compilation, expected_after_link, expected_sections, link_accepts};
use nv_debug_sections::level::report::{Expectation, Report, RulesModel};
use nv_debug_sections::level::{
    DebugLevel, DebugOptions, LevelDirectives, OutputKind, PtxFeatures, PtxSection, ReferenceKind,
    ReferenceKinds, Requirement, SectionExpectation,
};
use nv_debug_sections::release::Release;
use serde_json::Value;
use std::path::Path;

/// What a PTX of the runs holds.
struct Ptx {
    kind: LevelDirectives,
    program: PtxFeatures<'static>,
}

const INFO: (&str, &[ReferenceKind]) = (".debug_info", &ReferenceKind::ALL);
const LOC: (&str, &[ReferenceKind]) = (".debug_loc", &[ReferenceKind::Code]);
const ABBREV: (&str, &[ReferenceKind]) = (".debug_abbrev", &[]);
const MACINFO: (&str, &[ReferenceKind]) = (".debug_macinfo", &[]);
const PUBNAMES: (&str, &[ReferenceKind]) = (".debug_pubnames", &[ReferenceKind::AtLink]);
const PUBTYPES: (&str, &[ReferenceKind]) = (".debug_pubtypes", &[ReferenceKind::AtLink]);
const STR: (&str, &[ReferenceKind]) = (".debug_str", &[]);

/// The PTX of a run: `none`, `lineinfo`, `G`, with `100` from the newer front end. `second`: the
/// linker's second input, which inlines nothing; the first has no location lists from the older
/// front end.
fn ptx(name: &str, linked: bool, second: bool) -> Ptx {
    let (kind, newer) = name.strip_suffix("100").map_or((name, false), |kind| (kind, true));
    let own: &[_] = match kind {
        "lineinfo" if !second => &[STR],
        "G" if newer => &[LOC, ABBREV, INFO, PUBNAMES, PUBTYPES],
        "G" if linked && !second => &[ABBREV, INFO, MACINFO],
        "G" => &[LOC, ABBREV, INFO, MACINFO],
        _ => &[],
    };
    // `.debug_str` is named by inlined code; location lists come before `.debug_info` in the text.
    let own = own.iter().map(|(name, references)| PtxSection {
        name: (*name).into(),
        references: ReferenceKinds::of(references),
    });
    Ptx {
        kind: LevelDirectives { version: (9, 0), has_loc: kind != "none", target_debug: kind == "G" },
        program: PtxFeatures {
            has_code: Some(true),
            has_ptx_lines: Some(true),
            has_loc: Some(kind != "none"),
            has_inlined_names: Some(kind == "lineinfo" && !second),
            has_shared_variables: Some(false),
            sections: Some(own.collect()),
            ptx_text_names: None,
            has_intermediate_lines: Some(false),
            intermediate_text_names: Some(Vec::new()),
        },
    }
}

fn request(mode: &str) -> DebugOptions {
    let has = |word| mode.split('+').any(|part| part == word);
    DebugOptions { device_debug: has("g"), line_info: has("lineinfo"), suppress: has("suppress") }
}

fn names(expected: &[SectionExpectation<'_>]) -> Vec<String> {
    assert!(expected.iter().all(|section| section.requirement == Requirement::Always), "all is known here");
    expected.iter().map(|section| section.name.to_string()).collect()
}

/// sm_90a's number.
fn number(sm: &str) -> u32 {
    sm.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap()
}

fn of_ptxas(sm: &str, kind: &str, mode: &str, relocatable: bool) -> Vec<String> {
    let ptx = ptx(kind, false, false);
    let output = if relocatable { OutputKind::Relocatable } else { OutputKind::Program };
    let level = DebugLevel::ptxas_level(request(mode), ptx.kind);
    names(&expected_sections(&Compilation {
        level,
        target: Release::V13_0.target(number(sm)),
        output,
        program: &ptx.program,
    }))
}

/// `None` where nvlink refuses.
fn of_nvlink(sm: &str, inputs: [&str; 2], mode: &str) -> Option<Vec<String>> {
    let sm = number(sm);
    let newer = if sm < 100 { "" } else { "100" };
    let compiled = inputs.iter().zip([false, true]).map(|(kind, second)| {
        // Each input was compiled with the option of its kind.
        let ptx = ptx(&format!("{kind}{newer}"), true, second);
        let level = DebugLevel::ptxas_level(DebugOptions::default(), ptx.kind);
        let list = expected_sections(&Compilation {
            level,
            target: Release::V13_0.target(sm),
            output: OutputKind::Linked,
            program: &ptx.program,
        });
        list.into_iter()
            .map(|section| SectionExpectation { name: section.name.into_owned(), ..section })
            .collect()
    });
    link_accepts(request(mode)).then(|| names(&expected_after_link(&compiled.collect::<Vec<_>>())))
}

/// Checksums are those of PTX files that are not here.
fn without_number(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => format!("{stem}.N"),
        _ => name.to_owned(),
    }
}

#[test]
fn the_extract_follows_from_the_rules() {
    let mut rows = 0;
    for line in include_str!("data/section_lists.tsv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [tool, sm, kind, mode, form, found] = fields[..] else { panic!("{line}") };
        let found = (found != "fatal").then(|| found.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let ours = if tool == "ptxas" {
            Some(of_ptxas(sm, kind, mode, form == "-c"))
        } else {
            let (a, b) = kind.split_once('+').unwrap();
            of_nvlink(sm, [a, b], mode).map(|mut names| {
                names.dedup();
                names
            })
        };
        assert_eq!(ours, found.map(once_each), "{tool} sm_{sm} {kind} {mode} {form}");
        rows += 1;
    }
    assert!(rows > 40, "{rows}");
}

/// The texts of two inputs have one name here, where numbers are not known.
fn once_each(mut names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The texts of two inputs, which both have a line table: each text stays, the table is one.
#[test]
fn linked_files_keep_every_text() {
    let [first, second] = [".nv_debug_ptx_txt.7", ".nv_debug_ptx_txt.9"];
    let programs = [first, second]
        .map(|text| PtxFeatures { ptx_text_names: Some(vec![text.into()]), ..PtxFeatures::default() });
    let lists = programs.each_ref().map(|program| {
        let (level, target, output) = (DebugLevel::Lines, Release::V13_0.target(90), OutputKind::Linked);
        expected_sections(&Compilation { level, target, output, program })
    });
    let linked = expected_after_link(&lists);
    let count = |name: &str| linked.iter().filter(|section| section.name.to_string() == name).count();
    assert_eq!([first, second, ".debug_line", ".nv_debug_line_sass"].map(count), [1; 4]);
}

#[test]
fn every_run_of_the_matrix_follows_from_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/behaviour/matrix.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no matrix at {}", path.display());
        return;
    };
    let matrix: Value = serde_json::from_str(&text).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let found = |row: &Value| {
        let list = row["sections"].as_array()?.iter();
        Some(once_each(list.map(|section| without_number(section[0].as_str().unwrap())).collect()))
    };
    let (mut ptxas, mut nvlink) = (0, 0);
    for row in matrix["ptxas"].as_array().unwrap() {
        let ours =
            of_ptxas(&text(row, "sm"), &text(row, "ptx"), &text(row, "mode"), row["relocatable"] == true);
        assert_eq!(Some(ours), found(row), "{row}");
        ptxas += 1;
    }
    for row in matrix["nvlink"].as_array().unwrap() {
        let ours = of_nvlink(&text(row, "sm"), [&text(row, "a"), &text(row, "b")], &text(row, "mode"));
        assert_eq!(ours.is_none(), row["rc"] == 1, "{row}");
        assert_eq!(ours, found(row), "{row}");
        nvlink += 1;
    }
    eprintln!("same section list: {ptxas} runs of ptxas, {nvlink} of nvlink");
    assert_eq!((ptxas, nvlink), (864, 288));
}

#[test]
fn no_corpus_cubin_lacks_a_section_or_has_one_too_many() {
    let cubins = Cubins::open();
    let mut wrong = Vec::new();
    let mut levels = std::collections::BTreeMap::<_, usize>::new();
    for path in &cubins.paths {
        let bytes = file(path);
        let cubin = Cubin::parse(&bytes).unwrap();
        let contents = cubin.iter().map(|(_, name, section)| (SectionName::parse(name), name, section));
        for (parsed, name, section) in contents.filter(|(parsed, ..)| parsed.is_debug_contents()) {
            let known = parsed.kind().filter(|kind| *kind != SectionKind::NvDebugShared);
            let documented = match parsed.space {
                Space::Native => classify::standard(section.sh_type, name),
                Space::Mercury => classify::mercury(section.sh_type, section.flags, name),
            };
            assert_eq!(documented, known, "{}: {name}", path.display());
        }
        let found = DetectedLevel::of(&cubin);
        let comparison = compare(&cubin, &found.expected());
        let writer = found.writer.as_ref().map_or("unnamed", |writer| &writer.tool);
        *levels.entry((writer.to_owned(), found.level)).or_default() += 1;
        if !comparison.is_clean() {
            let extra: Vec<_> = comparison.extra.iter().map(|index| cubin.section_name(*index)).collect();
            let missing: Vec<_> = comparison.missing.iter().map(ToString::to_string).collect();
            wrong.push(format!("{}: {missing:?} {extra:?} {:?}", path.display(), comparison.odd));
        }
    }
    eprintln!(
        "nothing missing, extra or odd: {} of {} cubins, {levels:?}",
        cubins.paths.len() - wrong.len(),
        cubins.paths.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What `strip` leaves, whole and `--keep lines`, and the side file: known as what they are, and
/// nothing is missing or extra.
#[test]
fn stripped_cubins_and_side_files_are_known() {
    let cubins = Cubins::open();
    let lines = |name: &str| {
        use SectionKind::{DebugFrame, DebugLine, DebugStr, NvDebugLineSass, NvDebugPtxTxt};
        let kept = [DebugFrame, DebugLine, DebugStr, NvDebugLineSass, NvDebugPtxTxt];
        SectionKind::from_name(name).is_some_and(|kind| kept.contains(&kind))
    };
    let clean = |cubin: &Cubin<'_>, path: &Path| {
        let found = DetectedLevel::of(cubin);
        let comparison = compare(cubin, &found.expected());
        assert!(comparison.is_clean(), "{}: {comparison:?}", path.display());
        (found.removed.clone(), found.is_side_file, found.output, found.level)
    };
    let (mut reduced, mut shared) = (0, 0);
    for path in &cubins.paths {
        let bytes = file(path);
        let original = Cubin::parse(&bytes).unwrap();
        let (removed, is_apart, output, level) = clean(&original, path);
        assert!(removed.is_empty() && !is_apart, "{}", path.display());

        let mut side = original.clone();
        side.keep_only_debug().unwrap();
        assert_eq!(clean(&side, path), (removed, true, output, level), "{}", path.display());

        let mut code = original.clone();
        code.remove_debug_sections(lines).unwrap();
        let (removed, _, now, less) = clean(&code, path);
        assert_eq!((now, less), (output, level.min(DebugLevel::Lines)), "{}", path.display());
        let registers = [SectionKind::NvDebugInfoRegSass, SectionKind::NvDebugInfoRegType];
        assert_eq!(
            removed,
            if level == DebugLevel::Full { &registers[..] } else { &[] },
            "{}",
            path.display()
        );
        reduced += usize::from(!removed.is_empty());

        code.remove_debug_sections(|_| false).unwrap();
        let (removed, _, now, less) = clean(&code, path);
        assert_eq!((now, less), (output, DebugLevel::None), "{}", path.display());
        assert!(removed.contains(&SectionKind::DebugFrame), "{}", path.display());
        shared += usize::from(code.section_by_name(SectionKind::NvDebugShared.name()).is_some());
        // Also where another tool leaves no symbols to show it.
        let table = code.symtab().unwrap();
        if let Contents::Symbols(symbols) = &mut code.sections[table.0 as usize].contents {
            symbols
                .iter_mut()
                .filter(|symbol| symbol.is_local_undefined())
                .for_each(|symbol| symbol.name = 0);
        }
        assert_eq!(clean(&code, path).0, [SectionKind::DebugFrame], "{}", path.display());
    }
    eprintln!(
        "known: {} cubins stripped, {reduced} to lines, {shared} with .nv_debug.shared; as many side files",
        cubins.paths.len()
    );
    assert!(reduced > 100 && shared > 0);
}

/// Any section may refer to anything, whatever compilers' mostly do. Observed: ptxas 13.0.88 `-g`,
/// sm_89 and sm_90, of PTX whose `.debug_pubnames` has a function's address.
#[test]
fn what_references_a_section_may_have_is_not_guessed() {
    let function = DebugOnlyFunction { name: "k", size: 16, kernel: true, local: false };
    let DebugOnlyObject { mut cubin, functions, .. } =
        debug_only(Release::V13_0.target(90), &[function], &[]).unwrap();
    let text = cubin.section_by_name(".text.k").unwrap();
    let section = &mut cubin.sections[text.0 as usize];
    (section.sh_type, section.contents) = (1, Contents::Bytes(vec![0; 16].into()));
    let at = |addend| Relocation { offset: 0, r_type: 2, symbol: functions[0], addend };
    let of_ptx =
        [".debug_str", ".debug_abbrev", ".debug_macinfo", ".debug_pubnames", ".debug_ranges", ".debug_other"];
    for (rel, rela) in [(vec![], vec![at(Some(0))]), (vec![at(None)], vec![])] {
        let section = |name: &str| DebugSection {
            name: name.into(),
            bytes: vec![0; 8],
            rel: rel.clone(),
            rela: rela.clone(),
        };
        cubin.set_debug_sections(of_ptx.map(section).into()).unwrap();
        cubin.header.e_flags = cubin.header.e_flags & !0xff00 | if rela.is_empty() { 89 } else { 90 } << 8;
        let comparison = compare(&cubin, &DetectedLevel::of(&cubin).expected());
        assert_eq!(
            comparison.extra,
            [],
            "{:?}",
            comparison.extra.iter().map(|i| cubin.section_name(*i)).collect::<Vec<_>>()
        );
        assert!(
            comparison.missing.iter().all(|name| !of_ptx.contains(&&*name.base)),
            "{:?}",
            comparison.missing
        );
    }
}

/// Files in whose place a section is lost, by the part of the path after the corpus' folder.
const SAMPLES: [&str; 6] = [
    "cuda/deep_inline/sm_75/lineinfo/deep_inline.cubin",
    "cuda/deep_inline/sm_75/G/deep_inline.cubin",
    "cuda/deep_inline/sm_90/G/deep_inline.cubin",
    "cuda/deep_inline/sm_90/none/deep_inline.cubin",
    "cuda/deep_inline/sm_120/lineinfo/deep_inline.cubin",
    "cuda/deep_inline/sm_120/G/deep_inline.cubin",
];

/// Whether the file tells by itself that a section is gone. Without the PTX nobody knows which
/// sections of its own it had, or which of them had relocations, unless the other copy shows it.
fn is_told(name: &SectionName<'_>, sm: u32) -> bool {
    let is_of_ptx = name.kind().is_none_or(|kind| kind.entry().origin == SectionOrigin::Ptx);
    // Entries need their abbreviations.
    !is_of_ptx || sm >= 100 || name.kind() == Some(SectionKind::DebugAbbrev)
}

#[test]
fn a_section_that_is_lost_is_missed() {
    let cubins = Cubins::open();
    let (mut told, mut silent) = (0, Vec::new());
    for path in cubins.paths.iter().filter(|path| SAMPLES.iter().any(|sample| path.ends_with(sample))) {
        let bytes = file(path);
        let whole = Cubin::parse(&bytes).unwrap();
        for (index, name, _) in whole.iter() {
            let name = SectionName::parse(name);
            if !name.is_debug() {
                continue;
            }
            let mut cubin = whole.clone();
            cubin.sections[index.0 as usize].name = 0; // no name: what a reader does not find
            let found = DetectedLevel::of(&cubin);
            let comparison = compare(&cubin, &found.expected());
            if comparison.missing.contains(&name) {
                told += 1;
            } else {
                assert!(!is_told(&name, found.target.sm), "{}: {name}", path.display());
                assert!(
                    comparison.missing.is_empty() && comparison.extra.is_empty(),
                    "{}: {name}",
                    path.display()
                );
                silent.push(name.to_string());
            }
        }
    }
    eprintln!("missed: {told} lost sections; not: {silent:?}");
    assert!(told > 60, "{told}");
}

#[test]
fn what_does_not_belong_is_told() {
    let cubins = Cubins::open();
    let path = cubins.paths.iter().find(|path| path.ends_with(SAMPLES[5])).unwrap();
    let bytes = file(path);
    let whole = Cubin::parse(&bytes).unwrap();
    let at = |name: &str| whole.section_by_name(name).unwrap();
    let with = |change: &dyn Fn(&mut Cubin<'_>)| {
        let mut cubin = whole.clone();
        change(&mut cubin);
        compare(&cubin, &DetectedLevel::of(&cubin).expected()).odd
    };
    let clone = at(".nv.merc.debug_line");
    let odd = with(&|cubin| cubin.sections[clone.0 as usize].flags = 0);
    let [OddHeader { section, what: HeaderOddity::Fields { found, expected } }] = odd[..] else {
        panic!("{odd:?}")
    };
    assert_eq!((section, found.flags, expected.flags), (clone, 0, 0x1000_0000));
    let relocations = at(".rela.debug_info");
    let odd = with(&|cubin| cubin.sections[relocations.0 as usize].info = at(".debug_loc").0);
    assert_eq!(odd, [OddHeader { section: relocations, what: HeaderOddity::Target(at(".debug_loc")) }]);

    let second = at(".nv_debug_info_reg_type");
    let mut twice = whole.clone();
    twice.sections[second.0 as usize].name = twice.sections[at(".debug_line").0 as usize].name;
    let comparison = compare(&twice, &DetectedLevel::of(&twice).expected());
    assert_eq!(comparison.extra, [second]);

    // The same file with the lists of other levels and chips.
    let found = DetectedLevel::of(&whole);
    let names = |level, sm| {
        let list = expected_sections(&Compilation {
            level,
            target: Release::V13_0.target(sm),
            output: OutputKind::Program,
            program: &found.ptx,
        });
        let extra = compare(&whole, &list).extra;
        extra.into_iter().map(|index| whole.section_name(index).to_owned()).collect::<Vec<_>>()
    };
    assert!(names(DebugLevel::Full, 90).iter().all(|name| name.starts_with(".nv.merc.")));
    assert_eq!(names(DebugLevel::Full, 90).len(), 16);
    assert!(names(DebugLevel::Lines, 120).contains(&".debug_info".to_owned()));
    assert!(names(DebugLevel::Full, 120).is_empty());
}

/// The report of an example: its own level leads to what it has, and one that has more is missed.
#[test]
fn a_report_says_what_is_missing() {
    let bytes = std::fs::read("../examples/saxpy/saxpy.cubin").unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let found = DetectedLevel::of(&cubin);
    let own = Expectation::of_file(RulesModel::Observed, &found);
    let report = Report::new(&cubin, bytes.len() as u64, &found, &own);
    assert!(report.is_clean() && !report.level_asked);
    assert_eq!(report.level, DebugLevel::Lines);
    assert!(report.debug_bytes < report.file_bytes);

    let compilation = Compilation {
        level: DebugLevel::Full,
        target: cubin.target(),
        output: found.output,
        program: &found.ptx,
    };
    let full = Expectation::of_compilation(RulesModel::Observed, &compilation);
    let report = Report::new(&cubin, bytes.len() as u64, &found, &full);
    let missing: Vec<&str> = report.missing.iter().map(|missing| &*missing.name).collect();
    assert!(missing.contains(&".nv_debug_info_reg_sass"), "{missing:?}");
    assert!(report.level_asked && !report.is_clean());
}
