//! Fuzz target: a file with a Mercury capsule. Plan, maps, self-check, clone and finalise end,
//! whatever the file says.
//!
//! What comes out is within 16 times the size and 64 KiB. It reads as the same values, but for zero
//! bytes that belong to nothing and whose bytes an empty clone shares. Errors change nothing.

use crate::Target;
use crate::seeds::capsules;
use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::finalise::finalise_cubin;
use merc_capsule::self_check::self_check;
use merc_capsule::{CodeMap, SectionPairs, SectionView, code_maps, identity_maps, plan};
use nv_debug_sections::cubin::{Contents, Cubin};
use std::borrow::Cow;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    target.run_on_damaged(5_000, &capsules());
    // The empty `.debug_frame` is cloned to where a section of its own would stand.
    target.run_on(include_bytes!("seeds/empty_clone.cubin"));
    // `.debug_str` has an alignment of 0, which is one of 1 (ELF gABI).
    target.run_on(include_bytes!("seeds/original_without_alignment.cubin"));
}

/// Takes `data` through plan, maps, self-check, clone and finalise, if it is a cubin.
pub(crate) fn run(data: &[u8]) {
    let Ok(cubin) = Cubin::parse(data) else { return };
    let views = SectionView::all(&cubin);
    if let Ok(planned) = plan(&views) {
        assert!(planned.clones.iter().all(|clone| clone.original < views.len()));
    }
    check_spaces(&cubin);
    let _ = self_check(&cubin, None);
    let recovered = code_maps(&cubin).ok();
    let identity = identity_maps(&cubin).ok();
    // Maps that are the file's, and others.
    for maps in [recovered.as_deref(), identity.as_deref()].into_iter().flatten() {
        let _ = self_check(&cubin, Some(maps));
        check_finalise(&cubin, data.len(), maps);
    }
    if let Ok(origin) = CloneInputs::of(&cubin) {
        check_clone(&cubin, data.len(), &origin);
    }
}

/// Counterparts lead back.
fn check_spaces(cubin: &Cubin<'_>) {
    let Ok(spaces) = SectionPairs::of(cubin) else { return };
    for (index, ..) in cubin.iter() {
        if let Some(there) = spaces.mercury_section(index) {
            assert_eq!(spaces.native_section(there), Some(index));
        }
    }
}

/// The capsule goes, or nothing happens.
fn check_finalise(cubin: &Cubin<'_>, size: usize, maps: &[CodeMap]) {
    let mut made = cubin.clone();
    if finalise_cubin(&mut made, Some(maps)).is_err() {
        return assert_eq!(made, *cubin);
    }
    assert!(!made.has_capsule());
    check_written(&made, size);
}

/// There is a capsule, which can be told from native code and finalised, or nothing happens.
fn check_clone(cubin: &Cubin<'_>, size: usize, origin: &CloneInputs<'_>) {
    let mut made = cubin.clone();
    if clone_cubin::clone_cubin(&mut made, origin).is_err() {
        return assert_eq!(made, *cubin);
    }
    check_written(&made, size);
    let _ = self_check(&made, Some(&origin.maps));
    check_finalise(&made, size, &origin.maps);
}

/// What was made can be written, is not much longer than what it was made of, and reads as the same
/// values.
fn check_written(made: &Cubin<'_>, size: usize) {
    let written = made.write().expect("what was made can be written");
    assert!(written.len() <= size * 16 + 64 * 1024, "{} bytes from {size}", written.len());
    let again = Cubin::parse(&written).expect("what was written can be parsed");
    let (again, made) = (as_stored(again), as_stored(made.clone()));
    assert_eq!(again.header, made.header);
    for (again, made) in again.sections.iter().zip(&made.sections) {
        assert_eq!(again, made);
    }
    assert!(again == made, "another number of sections, or other segments");
}

/// The cubin without what a file does not keep: zero bytes between sections that belong to nothing,
/// as those after the last section are not read, and whose bytes an empty clone shares. Such a
/// clone may stand where a section with no bytes of its own would stand too, and nothing else tells
/// the two apart.
fn as_stored(mut cubin: Cubin<'_>) -> Cubin<'_> {
    for (index, ..) in cubin.clone().iter() {
        let is_empty = cubin.bytes(index).is_ok_and(|bytes| bytes.is_empty());
        let section = &mut cubin.sections[index.as_usize()];
        section.slack = None;
        if is_empty && matches!(section.contents, Contents::Alias(_)) {
            section.contents = Contents::Bytes(Cow::Borrowed(&[]));
        }
    }
    cubin
}
