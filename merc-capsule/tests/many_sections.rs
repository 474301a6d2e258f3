//! Files of very many sections take no time of its own: what is looked up by section has an index.
//!
//! Nothing is timed here; docs/performance.md has what such files took with a search of all
//! sections for each.

#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::finalise::finalise_cubin;
use merc_capsule::self_check::{CheckOutcome, self_check};
use merc_capsule::{CloneStatus, SectionView, plan};
use nv_debug_sections::cubin::{
    Contents, Cubin, NewSection, SHF_MERCURY, SectionIndex, SectionInfo, SectionLink, sht,
};

const COUNT: usize = 25_000;

/// The sections of one kind and their clones, added to a cubin with a capsule.
fn file(native: &NewSection<'static>, mercury: &NewSection<'static>) -> Cubin<'static> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../ptxas-driver/tests/pairs/own_sections.sm_100.g.cubin");
    let mut cubin = Cubin::parse(&std::fs::read(path).unwrap()).unwrap().into_owned();
    let numbered = |section: &NewSection<'static>| -> Vec<NewSection<'static>> {
        let name = |number| format!("{}.{number}", section.name);
        (0..COUNT).map(|number| NewSection { name: name(number), ..section.clone() }).collect()
    };
    cubin.append_sections([numbered(native), numbered(mercury)].concat()).unwrap();
    cubin
}

fn section(name: &str, sh_type: u32, flags: u64, bytes: &[u8]) -> NewSection<'static> {
    NewSection {
        name: name.to_owned(),
        sh_type,
        flags,
        align: 4,
        entsize: 0,
        link: SectionLink::None,
        info: SectionInfo::default(),
        contents: Contents::Bytes(bytes.to_vec().into()),
    }
}

fn check(mut cubin: Cubin<'static>) {
    let presence = plan(&SectionView::all(&cubin)).unwrap().statuses(&cubin).unwrap();
    assert!(presence.iter().filter(|presence| **presence == CloneStatus::AsPlanned).count() > COUNT);
    let checked = self_check(&cubin, None).unwrap();
    assert!(checked.len() > COUNT);
    assert!(checked.iter().all(|checked| !matches!(checked.outcome, CheckOutcome::Different(_))));
    let origin = CloneInputs::of(&cubin).unwrap();
    clone_cubin::clone_cubin(&mut cubin, &origin).unwrap();
    finalise_cubin(&mut cubin, None).unwrap();
    assert!(!cubin.has_capsule());
}

#[test]
fn sections_that_are_copied() {
    check(file(&section(".own", 1, 0, b"abcd"), &section(".nv.merc.own", 1, SHF_MERCURY, b"abcd")));
}

#[test]
fn records_of_functions() {
    // EIATTR_FRAME_SIZE of symbol 1: 16.
    let record = [4, 0x11, 8, 0, 1, 0, 0, 0, 16, 0, 0, 0];
    let native = section(".nv.info", sht::CUDA_INFO, 0, &record);
    let mercury = section(".nv.merc.nv.info", sht::MERC_INFO, SHF_MERCURY, &record);
    check(file(&native, &mercury));
}

#[test]
fn texts() {
    let native = section(".nv_debug_ptx_txt", 1, 0, b"ab\0");
    let mercury = section(".nv.merc.nv_debug_ptx_txt", 1, SHF_MERCURY, b"");
    let mut cubin = file(&native, &mercury);
    let first = cubin.sections.len() - 2 * COUNT;
    for number in first..first + COUNT {
        let original = SectionIndex(u32::try_from(number).unwrap());
        cubin.sections[number + COUNT].contents = Contents::Alias(original);
    }
    check(cubin);
}
