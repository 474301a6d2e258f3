//! `.nv_debug_ptx_txt` from PTX and back, on the pairs of the corpus.
#![allow(clippy::print_stdout, reason = "the figures")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod corpus;

use corpus::file;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::ptx_txt::{self, NumberedText, PtxText};
use std::path::Path;

/// PTX and cubin of each entry of the corpus whose cubin ptxas made from that PTX.
fn pairs(root: &Path) -> Vec<(std::path::PathBuf, std::path::PathBuf)> {
    let manifest: serde_json::Value = serde_json::from_slice(&file(&root.join("manifest.json"))).unwrap();
    let path = |file: &serde_json::Value| Some(root.join(file["path"].as_str()?));
    let entries = manifest["entries"].as_array().unwrap().iter();
    entries.filter_map(|entry| Some((path(&entry["ptx"])?, path(&entry["cubin"])?))).collect()
}

#[test]
fn the_text_is_the_filtered_ptx_and_its_name_the_checksum() {
    let root = corpus::root::root();
    let (mut sections, mut named, mut again, mut other) = (0, 0, 0, Vec::new());
    for (ptx, path) in pairs(&root) {
        let (source, data) = (file(&ptx), file(&path));
        let Ok(cubin) = Cubin::parse(&data) else { continue };
        for (index, name, section) in cubin.iter() {
            if section.is_mercury() || SectionKind::from_name(name) != Some(SectionKind::NvDebugPtxTxt) {
                continue;
            }
            sections += 1;
            let bytes = cubin.bytes(index).unwrap();
            if ptx_txt::from_ptx(&source).unwrap() != *bytes {
                other.push(path.display().to_string());
                continue;
            }
            let relocatable = cubin.header.is_relocatable();
            assert_eq!(ptx_txt::section_name(&source, relocatable), name, "{}", path.display());
            assert_eq!(ptx_txt::checksum_in(name), relocatable.then(|| ptx_txt::checksum(&source)));
            named += u32::from(relocatable);
            let text = PtxText::decode(&bytes).unwrap();
            assert!(ptx_txt::from_ptx(&text.to_ptx()).unwrap() == *bytes, "{}", path.display());
            again += 1;
            let numbered = NumberedText::decode(&*bytes).unwrap();
            assert!((1..).map_while(|line| numbered.line(line)).eq(text.lines()));
        }
    }
    println!(
        "{again}/{sections} are the filtered PTX, and again from their own text; {named} named by the checksum"
    );
    assert!(other.is_empty(), "{other:#?}");
    assert!(named > 10);
}
