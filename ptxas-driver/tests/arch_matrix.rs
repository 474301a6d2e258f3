//! Which `.target` runs on which `-arch`: our table against ptxas' answers, over the whole matrix.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use nv_debug_sections::release::Release;
use nvdwarf_compile::arch::{self, Arch};
use std::path::Path;
use std::process::Command;
use std::{fs, thread};

/// What ptxas says first about an empty kernel for `.target target`, compiled for `arch`; empty
/// where it compiles.
fn ask(ptxas: &Path, dir: &Path, target: &str, arch: Arch) -> String {
    let ptx = dir.join(format!("{target}.ptx"));
    let output = dir.join(format!("{target}.cubin"));
    let run =
        Command::new(ptxas).arg(format!("-arch={arch}")).arg(ptx).arg("-o").arg(output).output().unwrap();
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.success(), stderr.is_empty(), "{target} on {arch}: {stderr}");
    let first = stderr.lines().next().unwrap_or_default();
    first.split_once("fatal   : ").map_or(first, |(_, text)| text).to_owned()
}

fn answer(target: &str, arch: Arch) -> String {
    match Arch::parse_target(target) {
        Ok(target) if target.ptx_version_in(Release::V13_0.number()).is_some() => {
            arch::can_run(target, arch).map_or_else(|why| why.to_string(), |()| String::new())
        }
        _ => format!("Unsupported .target '{target}'"),
    }
}

#[test]
fn every_target_on_every_arch() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let mut ours: Vec<String> = Release::V13_0.archs().map(|arch| arch.to_string()).collect();
    ours.sort();
    assert_eq!(ours, support::architectures::of(&ptxas));
    let dir = tempfile::tempdir().unwrap();
    let mut targets: Vec<String> = Arch::all_targets().map(|target| target.to_string()).collect();
    // Some that are none, and the other spelling (of a plain one: ptxas repeats the spelling in its
    // message).
    targets.extend(["sm_73", "sm_92", "sm_130", "sm_75a", "sm_90f", "sm_70a", "compute_90"].map(Into::into));
    for target in &targets {
        let text =
            format!(".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n");
        fs::write(dir.path().join(format!("{target}.ptx")), text).unwrap();
    }
    // The tool takes 4 ms a run: two at a time, since two cores are what CI has.
    let halves = targets.split_at(targets.len() / 2);
    thread::scope(|scope| {
        for half in [halves.0, halves.1] {
            let (ptxas, dir) = (&ptxas, dir.path());
            scope.spawn(move || {
                for target in half {
                    for arch in Release::V13_0.archs() {
                        assert_eq!(answer(target, arch), ask(ptxas, dir, target, arch), "{target} on {arch}");
                    }
                }
            });
        }
    });
}
