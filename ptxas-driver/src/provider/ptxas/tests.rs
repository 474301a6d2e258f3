//! Tests on directory trees made here, with shell scripts for a ptxas.
#![cfg(unix)]

use super::search::{BESIDE, GUARD, SET_ASIDE, Surroundings, find_in};
use super::*;
use std::os::unix::fs::symlink;
use std::{env, fs};

/// A script that stands for a ptxas. A child writes it: a descriptor open for writing here could be
/// inherited by a child of another test at that moment, and running the script would then fail with
/// "text file busy".
fn tool(path: PathBuf, body: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    assert!(Command::new("sh").args(["-c", write]).arg(&path).arg(body).status().unwrap().success());
    path
}

fn search(vars: &[(&str, &Path)], own_path: Option<PathBuf>) -> Result<FoundPtxas, NoPtxasFound> {
    search_for(None, "ptxas-driver", vars, own_path)
}

fn search_for(
    sm: Option<u32>,
    called: &str,
    vars: &[(&str, &Path)],
    own_path: Option<PathBuf>,
) -> Result<FoundPtxas, NoPtxasFound> {
    let var = |name: &str| {
        vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_os_str().to_os_string())
    };
    find_in(&Surroundings { var: &var, own_path, called: called.into(), sm })
}

#[test]
fn every_rule_in_its_order() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let wheel = "lib/python3.12/site-packages/nvidia/cu13/bin/ptxas";
    let places = [
        ("PTXAS", "mine", "mine", "$PTXAS"),
        ("CUDA_HOME", "cuda", "cuda/bin/ptxas", "$CUDA_HOME"),
        ("CUDA_PATH", "cuda2", "cuda2/bin/ptxas", "$CUDA_PATH"),
        ("PATH", "path", "path/ptxas", "PATH"),
        ("VIRTUAL_ENV", "venv", &format!("venv/{wheel}"), "$VIRTUAL_ENV"),
        ("CONDA_PREFIX", "conda", &format!("conda/{wheel}"), "$CONDA_PREFIX"),
    ];
    let values = places.map(|(name, value, ..)| (name, root.join(value)));
    let vars: Vec<(&str, &Path)> = values.iter().map(|(name, value)| (*name, value.as_path())).collect();
    for (_, _, file, _) in places {
        tool(root.join(file), "");
    }
    for (skip, (_, _, file, how)) in places.into_iter().enumerate() {
        assert_eq!(
            search(&vars[skip..], None),
            Ok(FoundPtxas { path: root.join(file), how: how.to_owned() })
        );
    }
    assert!(search(&[], None).is_err());
}

#[test]
fn the_environment_of_python3_on_path() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    // A virtual environment with nothing, whose python3 links to an installation with the wheel.
    let python = tool(root.join("usr/bin/python3.12"), "");
    fs::create_dir_all(root.join("venv/bin")).unwrap();
    symlink(python, root.join("venv/bin/python3")).unwrap();
    let ptxas = tool(root.join("usr/lib/python3.12/dist-packages/nvidia/cuda_nvcc/bin/ptxas"), "");
    let found = search(&[("PATH", &root.join("venv/bin"))], None).unwrap();
    assert_eq!(
        (fs::canonicalize(found.path).unwrap(), &*found.how),
        (fs::canonicalize(ptxas).unwrap(), "python3 on PATH")
    );
    // The environment's own wheel goes before it.
    let own = tool(root.join("venv/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas"), "");
    assert_eq!(search(&[("PATH", &root.join("venv/bin"))], None).unwrap().path, own);
}

#[test]
fn not_ourselves_under_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let own_path = fs::canonicalize(tool(root.join("install/ptxas-driver"), "echo ours")).unwrap();
    fs::create_dir_all(root.join("a")).unwrap();
    symlink(&own_path, root.join("a/ptxas")).unwrap();
    let real = tool(root.join("b/ptxas"), "");
    let path = env::join_paths([root.join("a"), root.join("b")]).unwrap();
    let found = search(&[("PATH", Path::new(&path))], Some(own_path.clone())).unwrap();
    assert_eq!(found.path, real);
    let error = search(&[("PATH", &root.join("a"))], Some(own_path.clone())).unwrap_err();
    assert!(error.to_string().contains("that is this program"), "{error}");
    let error = search(&[("PATH", &root.join("b")), (GUARD, Path::new("1"))], Some(own_path)).unwrap_err();
    assert!(error.to_string().contains(GUARD), "{error}");
}

/// A copy, a hard link, and a link to a build of another version.
#[test]
fn not_a_copy_of_ourselves() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let own_path = fs::canonicalize(tool(root.join("install/ptxas"), "echo ours")).unwrap();
    let other_build = tool(root.join("old/ptxas-driver"), "echo older");
    for folder in ["copy", "hard", "other"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::copy(&own_path, root.join("copy/ptxas")).unwrap();
    fs::hard_link(&own_path, root.join("hard/ptxas")).unwrap();
    symlink(other_build, root.join("other/ptxas")).unwrap();
    // Of the same size, and no copy.
    let real = tool(root.join("real/ptxas"), "echo theirs".get(..9).unwrap());
    let folders = ["copy", "hard", "other", "real"].map(|folder| root.join(folder));
    let path = env::join_paths(&folders).unwrap();
    let found = search(&[("PATH", Path::new(&path))], Some(own_path.clone())).unwrap();
    assert_eq!(found.path, real);
    for folder in &folders[..3] {
        let choice = folder.join("ptxas");
        let error = search(&[("PTXAS", &choice)], Some(own_path.clone())).unwrap_err();
        assert!(error.to_string().contains("that is this program"), "{error}");
    }
}

/// Triton has two: which one is for which chip is what its `get_ptxas` says.
#[test]
fn the_two_of_triton() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let bin = root.join("lib/python3.12/site-packages/triton/backends/nvidia/bin");
    let first = tool(bin.join("ptxas"), "");
    let vars: [(&str, &Path); 1] = [("VIRTUAL_ENV", root)];
    // Older ones have one.
    let only = FoundPtxas { path: first.clone(), how: "$VIRTUAL_ENV: Triton's only one".to_owned() };
    assert_eq!(search_for(Some(90), "ptxas", &vars, None), Ok(only));
    let second = tool(bin.join("ptxas-blackwell"), "");
    let of_first = FoundPtxas { path: first, how: "$VIRTUAL_ENV: Triton's for chips below sm_90".to_owned() };
    let of_second = FoundPtxas { path: second, how: "$VIRTUAL_ENV: Triton's for sm_90 and later".to_owned() };
    for sm in [75, 80, 89, 90, 100, 120] {
        let want = if sm < 90 { &of_first } else { &of_second };
        for called in ["ptxas", "/a/ptxas-blackwell"] {
            assert_eq!(search_for(Some(sm), called, &vars, None).as_ref(), Ok(want), "sm_{sm} {called}");
        }
    }
    // `--version` has no chip.
    assert_eq!(search_for(None, "/a/ptxas", &vars, None), Ok(of_first));
    assert_eq!(search_for(None, "/a/ptxas-blackwell", &vars, None), Ok(of_second));
    // NVIDIA's wheel goes before them.
    let wheel = tool(root.join("lib/python3.12/site-packages/nvidia/cu13/bin/ptxas"), "");
    assert_eq!(search_for(Some(90), "ptxas", &vars, None).unwrap().path, wheel);
}

/// A toolkit folder in which only `ptxas` is ours, entered by a whole name and by way of `PATH`.
#[test]
fn the_ptxas_that_was_set_aside_for_us() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let own_path = fs::canonicalize(tool(root.join("install/ptxas-driver"), "echo ours")).unwrap();
    let (bin, other) = (root.join("toolkit/bin"), root.join("other"));
    fs::create_dir_all(&bin).unwrap();
    symlink(&own_path, bin.join("ptxas")).unwrap();
    let real = tool(bin.join(SET_ASIDE), "");
    tool(other.join("ptxas"), "");
    let path = env::join_paths([&other, &bin]).unwrap();
    let var = |name: &str| (name == "PATH").then(|| path.clone());
    for called in [bin.join("ptxas"), PathBuf::from("ptxas")] {
        let around = Surroundings { var: &var, own_path: Some(own_path.clone()), called, sm: None };
        assert_eq!(find_in(&around), Ok(FoundPtxas { path: real.clone(), how: BESIDE.to_owned() }));
    }
    let called = own_path.clone();
    let around = Surroundings { var: &var, own_path: Some(own_path), called, sm: None };
    assert_eq!(find_in(&around).unwrap().path, other.join("ptxas"));
}

#[test]
fn an_unusable_choice_is_not_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    tool(root.join("path/ptxas"), "");
    fs::write(root.join("text"), "").unwrap();
    for (choice, why) in
        [("nowhere", "no such file"), ("text", "not an executable file"), ("path", "not an executable")]
    {
        let error = search(&[("PTXAS", &root.join(choice)), ("PATH", &root.join("path"))], None).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

fn parsed(line: &str) -> Options {
    let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    match crate::options::parse(&words, None, &|_| OptionAnswer::Unknown) {
        Ok((crate::options::Parsed::Compile(options), _)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn a_run_sees_the_options_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    // Writes its arguments, working directory and input to the output, and names the scratch
    // directory on stderr.
    let echo = tool(
        dir.path().join("ptxas"),
        r#"out=$9; { printf '%s ' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$(basename "$9")"; pwd; cat "${10}"; } > "$out"; echo "warning in ${10}" >&2"#,
    );
    let options = parsed("-arch sm_90a -e k -lineinfo -O0 -m 64 -o x/y.cubin - -fmad=false");
    let mut messages = Vec::new();
    let request = Request { source: Source::Text(b"PTX"), options: &options, names_output: false };
    let made =
        run(&echo, &request, &mut |line| messages.push(String::from_utf8_lossy(line).into_owned())).unwrap();
    let here = env::current_dir().unwrap();
    assert_eq!(
        String::from_utf8(made.unwrap()).unwrap(),
        format!("-arch=sm_90a -lineinfo -m64 -O0 -e k -fmad=false -o y.cubin {}\nPTX", here.display())
    );
    assert_eq!(messages, ["warning in <stdin>"]);

    let dirname = tool(dir.path().join("dirname"), r#"dirname "$9" >&2; exit 3"#);
    let input = dir.path().join("in.ptx");
    let mut folders = Vec::new();
    let request = Request { source: Source::File(&input), options: &options, names_output: false };
    let mut tell = |line: &[u8]| folders.push(PathBuf::from(String::from_utf8_lossy(line).into_owned()));
    let ran = run(&dirname, &request, &mut tell);
    match ran {
        Err(RunError::Failed { status, has_spoken: true, .. }) => {
            assert_eq!(status.code(), Some(3));
            assert_eq!(folders.iter().map(|folder| folder.exists()).collect::<Vec<_>>(), [false]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_that_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let options = parsed("-");
    let request = Request { source: Source::Text(b""), options: &options, names_output: false };
    let silent = tool(dir.path().join("ptxas"), "exit 0");
    assert!(matches!(run(&silent, &request, &mut |_| ()), Err(RunError::NoOutput { .. })));
    assert!(matches!(run(&dir.path().join("none"), &request, &mut |_| ()), Err(RunError::Start { .. })));
}

/// What is asked, and what ptxas 13.0.88 answers.
#[test]
fn a_ptxas_is_asked_about_an_option() {
    let dir = tempfile::tempdir().unwrap();
    let fatal = |text: &str| format!("echo \"ptxas fatal   : {text}\" >&2; exit 255");
    for (name, body, answer) in [
        ("unknown", fatal("Unknown option 'x'"), OptionAnswer::Unknown),
        ("wants", fatal("argument expected after '-x'"), OptionAnswer::WantsArgument),
        ("attached", fatal("'y': expected a number"), OptionAnswer::Known),
        ("flag", fatal("no argument expected after '-x'"), OptionAnswer::Known),
        ("help", "echo Usage".to_owned(), OptionAnswer::Known),
    ] {
        let ptxas = tool(dir.path().join(name), &body);
        assert_eq!(ask(&ptxas, OsStr::new("-x")), answer, "{name}");
    }
    assert_eq!(ask(&dir.path().join("none"), OsStr::new("-x")), OptionAnswer::Unknown);
}
