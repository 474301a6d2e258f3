//! `.nv_debug.shared` of the corpus, and of probes that ptxas compiles here.
#![allow(clippy::print_stdout, reason = "the figures")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod corpus;

use corpus::{Cubins, file, oracle};
use nv_debug_sections::address_space::shared_window_reserve;
use nv_debug_sections::cubin::{Cubin, Symbol};
use nv_debug_sections::release::Release;
use nv_debug_sections::shared_window::{self, LinkStage, SharedWindow};
use std::path::Path;

/// The law: header and symbols come back, names aside. The window, if there is one.
fn round_trip<'c>(cubin: &'c Cubin<'_>, what: &str) -> Option<SharedWindow<'c>> {
    let window = SharedWindow::of(cubin).unwrap_or_else(|error| panic!("{what}: {error}"))?;
    let index = cubin.section_by_name(shared_window::NAME).unwrap();
    let (mut header, symbols) = shared_window::encode(&window, index).unwrap();
    let section = cubin.section(index).unwrap();
    (header.name, header.slack) = (section.name, section.slack);
    assert_eq!(header, *section, "{what}");
    let own = cubin.symbols().iter().filter(|symbol| symbol.section() == Some(index) && !symbol.is_section());
    assert!(own.map(|symbol| Symbol { name: 0, ..*symbol }).eq(symbols), "{what}");
    Some(window)
}

#[test]
fn windows_of_the_corpus_come_back() {
    let cubins = Cubins::open();
    let (mut linked, mut unlinked) = (0, 0);
    for path in &cubins.paths {
        let data = file(path);
        let Ok(cubin) = Cubin::parse(&data) else { continue };
        let Some(window) = round_trip(&cubin, &path.display().to_string()) else { continue };
        let own: u64 = window.variables.iter().map(|variable| variable.size).sum();
        assert_eq!(window.own_size(cubin.target()), own, "{}: {window:?}", path.display());
        match window.stage {
            LinkStage::Linked => linked += 1,
            LinkStage::Unlinked => unlinked += 1,
        }
        assert_eq!(window.stage == LinkStage::Linked, !cubin.header.is_relocatable(), "{}", path.display());
    }
    println!(".nv_debug.shared: {linked} linked and {unlinked} unlinked windows come back");
    assert!(linked > corpus::root::at_least(10) && unlinked > 0);
}

fn compiled(ptxas: &Path, folder: &Path, sm: u32, options: &[&str], declarations: &str) -> Vec<u8> {
    let source = format!(
        ".version 9.0\n.target sm_{sm}\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 a) {{\n.reg .u32 %x;\n.loc 1 1 1\n\
         ld.shared.u32 %x, [s]; st.shared.u32 [d], %x;\nret;\n}}\n.file 1 \"a.cu\"\n"
    );
    let (input, output) = (folder.join("a.ptx"), folder.join("a.cubin"));
    std::fs::write(&input, source).unwrap();
    let mut command = std::process::Command::new(ptxas);
    let run = command
        .arg(format!("-arch=sm_{sm}"))
        .args(options)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    file(&output)
}

#[test]
fn ptxas_makes_what_the_documentation_says() {
    let Some(ptxas) = oracle("ptxas") else { return };
    let folder = std::env::temp_dir().join(format!("nv-debug-sections-shared-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let declarations = ".visible .shared .align 4 .b8 s[64]; .extern .shared .align 128 .b8 d[];";
    for sm in [75, 90, 120] {
        let reserve = shared_window_reserve(Release::V13_0.target(sm));
        let compile = |options: &[&str]| compiled(&ptxas, &folder, sm, options, declarations);
        let variables = |window: &SharedWindow<'_>| -> Vec<_> {
            window.variables.iter().map(|v| (v.name.to_owned(), v.binding, v.value, v.size)).collect()
        };
        let data = compile(&["-g"]);
        let cubin = Cubin::parse(&data).unwrap();
        let window = round_trip(&cubin, "-g").unwrap();
        assert_eq!((window.stage, window.size, window.align), (LinkStage::Linked, reserve, 16));
        assert_eq!(variables(&window), [("d".to_owned(), 1, reserve + 64, 0)]);
        for options in [&["-c"][..], &["-c", "-g"]] {
            let data = compile(options);
            let cubin = Cubin::parse(&data).unwrap();
            let window = round_trip(&cubin, "-c").unwrap();
            assert_eq!((window.stage, window.size, window.align), (LinkStage::Unlinked, 64, 4));
            assert_eq!(variables(&window), [("s".to_owned(), 1, 4, 64)]);
        }
        let data = compile(&["-lineinfo"]);
        assert_eq!(round_trip(&Cubin::parse(&data).unwrap(), "-lineinfo"), None);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
