//! Law of every codec, held on each section of the shared corpus: decode, encode, compare.
#![allow(clippy::print_stdout, reason = "the figures")]

use dwarf2_writer::Address;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Result, frame, line, nv_info, ptx_txt, reg_sass, reg_type};
use std::collections::BTreeMap;

mod corpus;

/// The codec for a section of this name: by the native section's name, without function or
/// checksum. `None`: there is no codec.
fn codec(name: &str) -> Option<&'static str> {
    let native = name.replace(".nv.merc", "");
    let info = native.strip_prefix(nv_info::NAME).filter(|f| f.is_empty() || f.starts_with('.'));
    info.map(|_| nv_info::NAME).or(SectionKind::from_name(&native).map(SectionKind::name))
}

/// Encodes what was decoded; `None` for sections without a codec.
fn round_trip(cubin: &Cubin<'_>, index: SectionIndex, name: &str) -> Option<Result<Vec<u8>>> {
    let bytes = cubin.bytes(index).expect("bytes");
    let codec = codec(name)?;
    if codec == nv_info::NAME {
        return Some(nv_info::decode(name, &bytes).and_then(|records| nv_info::encode(name, &records)));
    }
    Some(match SectionKind::from_name(codec)? {
        SectionKind::DebugLine | SectionKind::NvDebugLineSass => {
            line::decode(name, &bytes).and_then(|tables| {
                let mut out = Vec::new();
                for table in tables {
                    let section =
                        line::encode(name, &table, None, |_, sequence| Address::Constant(sequence.base))?;
                    out.extend(section.bytes);
                }
                Ok(out)
            })
        }
        SectionKind::NvDebugPtxTxt => {
            ptx_txt::PtxText::decode(&bytes).and_then(|text| ptx_txt::encode(text.lines()))
        }
        SectionKind::NvDebugInfoRegSass => reg_sass::decode(&bytes).and_then(|all| reg_sass::encode(&all)),
        SectionKind::NvDebugInfoRegType => reg_type::decode(&bytes).and_then(|all| reg_type::encode(&all)),
        SectionKind::DebugFrame => RelocatedCubin::new(cubin)
            .section(index)
            .and_then(|view| frame::decode(&bytes, &frame::field_symbols(&view)))
            .and_then(|entries| frame::encode(&entries, None))
            .map(|section| clear_relocated(cubin, index, section.bytes, &bytes)),
        _ => return None,
    })
}

/// RELA fields of the original hold whatever ptxas left there, and some CIE pointers name no entry
/// (docs/conformance.md): only the other bytes are compared.
fn clear_relocated(cubin: &Cubin<'_>, index: SectionIndex, mut ours: Vec<u8>, original: &[u8]) -> Vec<u8> {
    let relocated = cubin
        .relocations_of(index)
        .filter(|(_, reloc)| reloc.addend.is_some())
        .map(|(_, reloc)| reloc.offset);
    let fields: Vec<u64> = relocated.chain(stray_cie_pointers(original)).collect();
    for field in fields.into_iter().map(|offset| offset as usize..offset as usize + 8) {
        if let (Some(to), Some(from)) = (ours.get_mut(field.clone()), original.get(field)) {
            to.copy_from_slice(from);
        }
    }
    ours
}

/// Offsets of CIE pointers that are not the offset of an entry.
fn stray_cie_pointers(frame: &[u8]) -> Vec<u64> {
    let u64_at = |at: usize| u64::from_le_bytes(frame[at..at + 8].try_into().expect("8 bytes"));
    let mut starts = Vec::new();
    let mut at = 0;
    while at < frame.len() {
        starts.push(at as u64);
        at += 12 + u64_at(at + 4) as usize;
    }
    let pointer = |start: &u64| u64_at(*start as usize + 12);
    let stray = starts.iter().filter(|start| pointer(start) != u64::MAX && !starts.contains(&pointer(start)));
    stray.map(|start| start + 12).collect()
}

#[test]
fn every_codec_round_trips_the_corpus() {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut failures = Vec::new();
    let cubins = corpus::Cubins::open();
    for path in &cubins.paths {
        let data = std::fs::read(path).expect("a readable cubin");
        let Ok(cubin) = Cubin::parse(&data) else { continue }; // the container's own tests count these
        for (index, name, _) in cubin.iter() {
            let Some(ours) = round_trip(&cubin, index, name) else { continue };
            let count = counts.entry(codec(name).expect("known")).or_default();
            count.1 += 1;
            match ours {
                Ok(ours) if *ours == *cubin.bytes(index).expect("bytes") => count.0 += 1,
                Ok(_) => failures.push(format!("{}: {name}: other bytes", path.display())),
                Err(error) => failures.push(format!("{}: {error}", path.display())),
            }
        }
    }
    for (name, (identical, total)) in counts {
        println!("{name}: {identical}/{total} identical");
    }
    assert!(
        failures.is_empty(),
        "{} failures, first:\n{}",
        failures.len(),
        failures[..failures.len().min(10)].join("\n")
    );
}
