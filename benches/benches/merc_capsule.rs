//! What `merc-capsule` does with a large cubin, as a whole and by kind of section. Rates are of the
//! bytes that are rewritten: native sections whose clones have bytes of their own, with
//! relocations; those of the whole file are in the same time.
#![allow(missing_docs, clippy::print_stdout, reason = "criterion's macros; a bench reports")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::clone_section::Cloner;
use merc_capsule::finalise::{Finaliser, finalise_cubin};
use merc_capsule::self_check::self_check;
use merc_capsule::{AddressTranslator, SectionPairs, code_maps};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex};
use nvdwarf_benches::merc::{self, LARGE, Size};

/// Bytes of a native section and of its relocations; without those of the section itself if its
/// clone shares these.
fn bytes(cubin: &Cubin<'_>, clone: SectionIndex) -> usize {
    let is_alias = matches!(cubin.sections[clone.as_usize()].contents, Contents::Alias(_));
    let own = if is_alias { 0 } else { cubin.bytes(clone).expect("made").len() };
    own + 24 * cubin.relocations_of(clone).count()
}

fn rewritten(cubin: &Cubin<'_>) -> usize {
    let clones = cubin.iter().filter(|(_, name, section)| {
        let name = SectionName::parse(name);
        section.is_mercury() && name.form.is_none() && name.is_debug()
    });
    clones.map(|(clone, ..)| bytes(cubin, clone)).sum()
}

fn whole(c: &mut Criterion) {
    for aliased in [0, 100_000_000] {
        let file =
            merc::with_capsule(Size { aliased, ..LARGE }).and_then(|cubin| cubin.write()).expect("made");
        let cubin = Cubin::parse(&file).expect("made");
        let origin = CloneInputs::of(&cubin).expect("made");
        let size = rewritten(&cubin);
        println!("merc_capsule: a file of {} bytes, {size} rewritten, {aliased} more of aliases", file.len());
        let mut group = c.benchmark_group(format!("merc_capsule/{}_MB_of_aliases", aliased / 1_000_000));
        group.sample_size(10).throughput(Throughput::Bytes(size as u64));
        group.bench_function("memcpy of the file", |b| b.iter(|| file.clone()));
        group.bench_function("parse", |b| b.iter(|| Cubin::parse(&file).expect("made")));
        group.bench_function("code_maps", |b| b.iter(|| code_maps(&cubin).expect("made")));
        let copy = || cubin.clone();
        group.bench_function("clone", |b| {
            let clone = |mut cubin: Cubin<'_>| clone_cubin::clone_cubin(&mut cubin, &origin).expect("made");
            b.iter_batched(copy, clone, BatchSize::PerIteration);
        });
        group.bench_function("finalise, maps given", |b| {
            let finalise =
                |mut cubin: Cubin<'_>| finalise_cubin(&mut cubin, Some(&origin.maps)).expect("made");
            b.iter_batched(copy, finalise, BatchSize::PerIteration);
        });
        group.bench_function("self_check, maps given", |b| {
            b.iter(|| self_check(&cubin, Some(&origin.maps)).expect("made"));
        });
        group.finish();
    }
}

fn sections(c: &mut Criterion) {
    let file = merc::with_capsule(LARGE).and_then(|cubin| cubin.write()).expect("made");
    let cubin = Cubin::parse(&file).expect("made");
    let CloneInputs { maps, lines } = CloneInputs::of(&cubin).expect("made");
    let spaces = SectionPairs::of(&cubin).expect("made");
    let translation = AddressTranslator::new(&cubin, &spaces, &maps);
    let kinds = [
        (SectionKind::DebugLine, "source lines"),
        (SectionKind::NvDebugLineSass, "PTX lines"),
        (SectionKind::NvDebugInfoRegSass, "registers"),
        (SectionKind::DebugFrame, "frame"),
        (SectionKind::DebugLoc, "relocations"),
    ];
    for (kind, what) in kinds {
        let native = cubin.section_by_name(kind.name()).expect("made");
        let clone = spaces.mercury_section(native).expect("made");
        let size = bytes(&cubin, clone);
        println!("merc_capsule/{what}: {size} bytes");
        let mut group = c.benchmark_group(format!("merc_capsule/{what}"));
        group.sample_size(10).throughput(Throughput::Bytes(size as u64));
        // Registers are kept by both, which are new each time.
        group.bench_function("to Mercury", |b| {
            b.iter(|| Cloner::new(&cubin, translation, &lines).section(native).expect("made"));
        });
        group.bench_function("to native", |b| {
            b.iter(|| Finaliser::new(&cubin, translation).section(clone).expect("made"));
        });
        group.finish();
    }
}

criterion_group!(benches, whole, sections);
criterion_main!(benches);
