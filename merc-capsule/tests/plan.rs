//! Plans against every sm_100 and later cubin of the corpus, and of sections that are not a
//! capsule.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::{CloneAction, CloneException, CloneStatus, PlanError, SectionView, is_mercury, plan};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex, sht};
use nv_debug_sections::reloc::RelocKind;
use std::collections::HashMap;
use support::each_capsule;

/// Whether relocations of the clone say where line programs begin.
fn has_line_offset(cubin: &Cubin<'_>, native: &str) -> bool {
    let number = RelocKind::LineOffset32.number(Space::Mercury);
    let section = cubin.section_by_name(&format!(".nv.merc.rela{native}"));
    let all = section.and_then(|index| cubin.section(index).unwrap().relocations());
    all.is_some_and(|all| all.iter().any(|relocation| relocation.r_type == number))
}

#[test]
fn plans_are_what_the_corpus_has() {
    let mut planned = 0;
    let files = each_capsule(|path, cubin| {
        let views = SectionView::all(cubin);
        // As if nothing had been cloned yet.
        let native: Vec<_> = views.iter().copied().filter(|view| !is_mercury(view.flags)).collect();
        let whole = plan(&views).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let alone = plan(&native).unwrap();
        let names = |plan: &merc_capsule::CapsulePlan, views: &[SectionView<'_>]| -> Vec<(String, String)> {
            plan.clones
                .iter()
                .map(|clone| (views[clone.original].name.to_owned(), clone.name.clone()))
                .collect()
        };
        assert_eq!(names(&whole, &views), names(&alone, &native), "{}", path.display());

        let at: HashMap<&str, SectionIndex> = cubin.iter().map(|(index, name, _)| (name, index)).collect();
        let mut missing: HashMap<&str, SectionIndex> = at
            .iter()
            .filter(|(_, index)| is_mercury(cubin.section(**index).unwrap().flags))
            .map(|(name, index)| (*name, *index))
            .collect();
        for (clone, presence) in whole.clones.iter().zip(whole.statuses(cubin).unwrap()) {
            let is_missing = presence == CloneStatus::Missing && clone.name == ".nv.merc.nv.callgraph";
            let is_planned = presence == CloneStatus::AsPlanned || is_missing;
            assert!(is_planned, "{}: {presence:?} {}", path.display(), clone.name);
            let view = views[clone.original];
            let place = || format!("{}: {} of {}", path.display(), clone.name, view.name);
            // ptxas 13.0 makes none of the call graph.
            let Some(index) = missing.remove(&*clone.name) else {
                assert_eq!(view.name, ".nv.callgraph", "{}", place());
                continue;
            };
            planned += 1;
            let section = cubin.section(index).unwrap();
            assert_eq!((section.sh_type, section.flags), (clone.sh_type, clone.flags), "{}", place());
            let link = (section.link != 0).then(|| cubin.section_name(SectionIndex(section.link)));
            assert_eq!(link, clone.link, "{}", place());
            let is_alias = matches!(section.contents, Contents::Alias(_));
            let action = match clone.exception {
                Some(CloneException::CopyIfLineOffset) if has_line_offset(cubin, view.name) => {
                    CloneAction::Copy
                }
                Some(CloneException::AliasIfEqual) if is_alias => CloneAction::Alias,
                Some(CloneException::RewriteIfRelocated) if !is_alias => CloneAction::Rewrite,
                _ => clone.action,
            };
            assert_eq!(is_alias, action == CloneAction::Alias, "{}", place());
            if action == CloneAction::Copy {
                assert_eq!(cubin.bytes(index).unwrap(), cubin.bytes(at[view.name]).unwrap(), "{}", place());
            }
        }
        // What only the capsule has: relocations of its code.
        for (name, index) in missing {
            assert_eq!(cubin.section(index).unwrap().sh_type, sht::MERC_RELA, "{}: {name}", path.display());
        }
    });
    eprintln!("{planned} clones of {files} cubins are as planned");
}

#[test]
fn a_clone_that_lies_elsewhere_is_told() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../ptxas-driver/tests/pairs/own_sections.sm_100.g.cubin");
    let file = std::fs::read(path).unwrap();
    let mut cubin = Cubin::parse(&file).unwrap();
    let plan = plan(&SectionView::all(&cubin)).unwrap();
    let index = |cubin: &Cubin<'_>, name: &str| cubin.section_by_name(name).unwrap();
    let changed = [
        (".nv.merc.debug_abbrev", CloneStatus::OwnBytes),
        (".nv.merc.nv.info", CloneStatus::SharedBytes),
        (".nv.merc.nv_debug_ptx_txt", CloneStatus::OtherHeader),
    ];
    let before = plan.statuses(&cubin).unwrap();
    for (name, presence) in changed {
        let at = index(&cubin, name);
        match presence {
            CloneStatus::OwnBytes => {
                let bytes = cubin.bytes(at).unwrap().into_owned();
                cubin.sections[at.as_usize()].contents = Contents::Bytes(bytes.into());
            }
            CloneStatus::SharedBytes => {
                let original = index(&cubin, ".nv.info");
                cubin.sections[at.as_usize()].contents = Contents::Alias(original);
            }
            _ => cubin.sections[at.as_usize()].flags |= 1,
        }
    }
    for ((clone, before), now) in plan.clones.iter().zip(before).zip(plan.statuses(&cubin).unwrap()) {
        let change = changed.iter().find(|(name, _)| *name == clone.name).map(|(_, presence)| *presence);
        let is_graph = clone.name == ".nv.merc.nv.callgraph";
        assert_eq!(
            before,
            if is_graph { CloneStatus::Missing } else { CloneStatus::AsPlanned },
            "{}",
            clone.name
        );
        assert_eq!(now, change.unwrap_or(before), "{}", clone.name);
    }
}

fn view(name: &str, flags: u64) -> SectionView<'_> {
    SectionView { name, sh_type: 1, flags }
}

#[test]
fn what_is_no_capsule_is_refused_with_its_place() {
    const MERCURY: u64 = 0x1000_0000;
    let symtab = view(".symtab", 0);
    assert_eq!(plan(&[view(".debug_line", 0)]), Err(PlanError::NoSymtab));
    assert_eq!(plan(&[]), Err(PlanError::NoSymtab));
    let unflagged = plan(&[symtab, view(".nv.merc.debug_line", 0)]).unwrap_err();
    assert!(matches!(unflagged, PlanError::Space { section: 1, .. }), "{unflagged}");
    let unnamed = plan(&[symtab, view(".debug_line", MERCURY)]).unwrap_err();
    assert!(matches!(unnamed, PlanError::Space { section: 1, .. }), "{unnamed}");
    let orphan = plan(&[symtab, view(".nv.merc.debug_line", MERCURY)]).unwrap_err();
    let want = PlanError::NoOriginal {
        section: 1,
        name: ".nv.merc.debug_line".to_owned(),
        native: ".debug_line".to_owned(),
    };
    assert_eq!(orphan, want);
    let twice = plan(&[symtab, view(".rela.debug_line", 0x40), view(".rela.debug_line", 0x40)]).unwrap_err();
    assert_eq!(twice.to_string(), "section 2: .nv.merc.rela.debug_line is the clone of section 1 already");
}
