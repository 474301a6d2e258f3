use super::*;
use proptest::prelude::*;

fn args(line: &str) -> Vec<OsString> {
    line.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
}

/// [`super::parse`] without a ptxas to ask.
fn parse(args: &[OsString]) -> Result<(Parsed, Vec<Message>), UsageError> {
    super::parse(args, None, &|_| OptionAnswer::Unknown)
}

/// Parses a command line that must compile, without warnings.
fn compile(line: &str) -> Options {
    match parse(&args(line)) {
        Ok((Parsed::Compile(options), messages)) if messages.is_empty() => *options,
        other => panic!("{line}: {other:?}"),
    }
}

/// Every message of a command line, as printed.
fn messages(line: &str) -> String {
    match parse(&args(line)) {
        Ok((_, messages)) => messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn defaults_are_those_of_ptxas() {
    assert_eq!(
        compile("in.ptx"),
        Options {
            input: Input::Path("in.ptx".into()),
            more_inputs: Vec::new(),
            output: "elf.o".into(),
            compile: nvdwarf_compile::Options::default(),
            arch_given: false,
            line_info_overridden: false,
            verbose: false,
            json: false,
            disable_warnings: false,
            warnings_as_errors: false,
            machine: false,
            code: CodeChoice::Ptxas,
            stat_files: true,
            message_style: None,
            virtual_arch: None,
            stats: false,
            options_files: Vec::new(),
            passed: Vec::new(),
        }
    );
}

#[test]
fn every_spelling_of_an_argument() {
    for line in ["a -arch sm_90", "-arch=sm_90 a", "--gpu-name sm_90 a", "--gpu-name=sm_90 a"] {
        assert_eq!(compile(line).compile.arch.to_string(), "sm_90", "{line}");
    }
    for line in ["a -o -c", "a -o=-c", "a --output-file -c", "a --output-file=-c"] {
        assert_eq!((compile(line).output, compile(line).compile.relocatable), ("-c".into(), false), "{line}");
    }
    for line in ["-m64 a", "-m 64 a", "-m=64 a", "--machine 64 a", "--machine=64 a", "-m0x40 a", "-m=0100 a"]
    {
        assert_eq!(compile(line).input, Input::Path("a".into()), "{line}");
    }
    for (line, level) in [
        ("-O3 a", 3),
        ("-O=3 a", 3),
        ("-O 3 a", 3),
        ("--opt-level 3 a", 3),
        ("--opt-level=3 a", 3),
        ("-O a", 0),
        ("-O= a", 0),
        ("a -O", 0),
        ("-O -c a", 0),
        ("-O-1 a", -1),
        ("-O+2 a", 2),
        ("-O-2147483648 a", i32::MIN),
        ("-O2 --opt-level=0x2 a", 2),
    ] {
        assert_eq!(compile(line).compile.opt_level, Some(level), "{line}");
    }
}

#[test]
fn flags() {
    let options = compile("-lineinfo -c -v -w -Werror --suppress-debug-info -suppress-debug-info -c -");
    assert!(
        options.compile.line_info
            && options.compile.relocatable
            && options.verbose
            && options.disable_warnings
    );
    assert!(
        options.warnings_as_errors && options.compile.suppress_debug_info && !options.compile.device_debug
    );
    assert_eq!(options.input, Input::Stdin);
    assert!(compile("--generate-line-info --device-debug -w -").compile.device_debug);
}

#[test]
fn help_and_version() {
    for (line, parsed) in [("", Parsed::Help), ("-V -h", Parsed::Help), ("-V a b", Parsed::Version)] {
        assert_eq!(parse(&args(line)), Ok((parsed, Vec::new())), "{line}");
    }
    for columns in [80, 100] {
        let help = help(columns);
        for spec in table::all() {
            assert!(help.contains(&format!("--{}", spec.long)), "{}", spec.long);
        }
        assert!(help.lines().all(|line| line.len() <= columns && line == line.trim_end()), "{help}");
    }
}

/// Left: a command line; right: what ptxas 13.0.88 prints for it, recorded from runs of it.
#[test]
fn messages_are_those_of_ptxas() {
    let conflict = "Conflicting options --device-debug and --generate-line-info specified, \
                    ignoring --generate-line-info option";
    let redefined = "warning : incompatible redefinition for option";
    let last = "the last value of this option was used";
    for (line, text) in [
        ("-arch", "fatal   : argument expected after '-arch'".to_owned()),
        ("t.ptx --output-file", "fatal   : argument expected after '--output-file'".into()),
        ("-g=true t.ptx", "fatal   : no argument expected after '-g'".into()),
        ("--device-debug=false t.ptx", "fatal   : no argument expected after '--device-debug'".into()),
        ("-m 32 t.ptx", "fatal   : Value '32' is not defined for option 'machine'".into()),
        ("-m= t.ptx", "fatal   : Value '' is not defined for option 'machine'".into()),
        ("-m t.ptx", "fatal   : 't.ptx': expected a number".into()),
        ("-mfoo t.ptx", "fatal   : 'foo': expected a number".into()),
        ("-O2x t.ptx", "fatal   : '2x': expected a number".into()),
        ("-O08 t.ptx", "fatal   : '08': expected a number".into()),
        ("-Ofast t.ptx", "fatal   : 'fast': expected a number".into()),
        ("--opt-level t.ptx", "fatal   : 't.ptx': expected a number".into()),
        ("-O99999999999 t.ptx", "fatal   : 32-bit integer value (99999999999) out of range".into()),
        ("-O0xffffffff t.ptx", "fatal   : 32-bit integer value (0xffffffff) out of range".into()),
        ("-O2147483648 t.ptx", "fatal   : 32-bit integer value (2147483648) out of range".into()),
        ("--completely-foo t.ptx", "fatal   : Unknown option '-completely-foo'".into()),
        ("-foo=3 t.ptx", "fatal   : Unknown option 'foo'".into()),
        ("-ox.cubin t.ptx", "fatal   : Unknown option 'ox.cubin'".into()),
        ("-- t.ptx", "fatal   : Unknown option '-'".into()),
        ("-foo -arch sm_1", "fatal   : Unknown option 'foo'".into()),
        ("-O3 -O3 -O2 -O2 t.ptx", format!("{redefined} 'opt-level', {last}")),
        ("-o a -o b t.ptx", format!("{redefined} 'output-file', {last}")),
        ("-arch=sm_90 -arch=sm_80 t.ptx -Werror -w", format!("{redefined} 'gpu-name', {last}")),
        ("-O2 -O3 -foo", format!("{redefined} 'opt-level', {last}\nfatal   : Unknown option 'foo'")),
        ("-lineinfo -g t.ptx", format!("warning : {conflict}")),
        ("-lineinfo -g t.ptx -w -Werror", String::new()),
        ("-lineinfo -g t.ptx -Werror", format!("error   : {conflict}\nfatal   : {ABORTED}")),
        ("-fmad t.ptx", "fatal   : 't.ptx': expected true or false".into()),
        ("-fmad=TRUE t.ptx", "fatal   : 'TRUE': expected true or false".into()),
        ("-split-compile 08 t.ptx", "fatal   : '08': expected a number".into()),
        ("-maxrregcount32 t.ptx", "fatal   : 'axrregcount32': expected a number".into()),
        ("-astoolspatch=1 t.ptx", "fatal   : no argument expected after '-astoolspatch'".into()),
        ("-e", "fatal   : argument expected after '-e'".into()),
        ("-optf nosuch.opt t.ptx", "fatal   : Could not open options file 'nosuch.opt'".into()),
        ("-g -O1 t.ptx", "fatal   : Optimized debugging not supported".into()),
        ("-g -O-1 t.ptx", "fatal   : Optimized debugging not supported".into()),
        ("-g -lineinfo -O3 t.ptx", format!("warning : {conflict}\nfatal   : {OPTIMIZED_DEBUG}")),
        ("-g -O0 t.ptx", String::new()),
        ("-g -O t.ptx", String::new()),
        ("-lineinfo -O0 t.ptx", String::new()),
    ] {
        assert_eq!(messages(line), text, "{line}");
    }
}

/// Where we say more than ptxas, or something else.
#[test]
fn messages_of_ours() {
    for (line, text) in [
        ("--arch sm_90 t.ptx", "fatal   : Unknown option '-arch'\ninfo    : did you mean '-arch'?"),
        ("-G t.ptx", "fatal   : Unknown option 'G'\ninfo    : did you mean '-g'?"),
        ("-g", "fatal   : no input file\ninfo    : see --help"),
        (
            "a b c",
            "fatal   : Input file 'a' could not be opened\nfatal   : Input file 'b' could not be opened\n\
             fatal   : Input file 'c' could not be opened\nfatal   : Ptx assembly aborted due to errors",
        ),
        ("--file-stat a=1 t", "fatal   : 'a=1': expected FILE=MTIME,SIZE, none or epoch after '--file-stat'"),
        (
            "--code cubin: t",
            "fatal   : Value 'cubin:' is not defined for option 'code'\n\
             info    : expected none, auto, ptxas or cubin:FILE",
        ),
    ] {
        assert_eq!(messages(line), text, "{line}");
    }
    assert!(messages("-arch sm_30 a").starts_with(
        "fatal   : Value 'sm_30' is not defined for option 'gpu-name'\ninfo    : known: sm_75, sm_80, "
    ));
}

/// What is the code provider's alone keeps its spelling and its place.
#[test]
fn options_of_the_code_provider() {
    let line = "-maxrregcount 32 -v --fmad=false -e a,b -lineinfo -Ofc max t.ptx -ewp --regAllocOptLevel=2";
    let passed = args("-maxrregcount 32 --fmad=false -e a,b -Ofc max -ewp --regAllocOptLevel=2");
    assert_eq!(compile(line).passed, passed);
    assert_eq!(compile(line).input, Input::Path("t.ptx".into()));
}

/// Tests that an unknown option is the code provider's if the provider knows it, and that the
/// provider decides whether the next word is its argument.
#[test]
fn options_that_only_a_ptxas_knows() {
    let parse = |line: &str, answer| match super::parse(&args(line), None, &|option| {
        assert_eq!(option, "-hidden");
        answer
    }) {
        Ok((Parsed::Compile(options), _)) => (options.passed, options.input),
        other => panic!("{line}: {other:?}"),
    };
    let input = Input::Path("t.ptx".into());
    assert_eq!(parse("-hidden t.ptx", OptionAnswer::Known), (args("-hidden"), input.clone()));
    assert_eq!(parse("-hidden 3 t.ptx", OptionAnswer::WantsArgument), (args("-hidden 3"), input));
}

#[test]
fn virtual_architectures() {
    for (name, arch) in [("compute_90a", "sm_90a"), ("lto_100f", "sm_100f")] {
        let options = compile(&format!("-arch {name} t"));
        assert_eq!((&*options.compile.arch.to_string(), options.virtual_arch.as_deref()), (arch, Some(name)));
    }
    assert_eq!(messages("-arch lto_90a t"), "fatal   : Unsupported gpu architecture 'lto_90a'");
}

#[test]
fn text_for_input() {
    let words = ["-ias".into(), ".version 8.0, x".into()];
    let Ok((Parsed::Compile(options), _)) = parse(&words) else { panic!("refused") };
    assert_eq!(options.input, Input::Text(".version 8.0, x".into()));
}

/// Options files stand for their words, in place; an argument is not taken from outside.
#[test]
fn options_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let arch = file("arch", "-arch sm_90 -e k".into());
    let both = file("both", format!("-v -optf {arch}\nin.ptx"));
    let options = compile(&format!("-optf {both} -lineinfo"));
    assert!(options.verbose && options.compile.line_info);
    assert_eq!((options.compile.arch.number, options.passed), (90, args("-e k")));
    let later = messages(&format!("-arch sm_80 --options-file={both},{arch} -arch sm_75"));
    assert_eq!(later.matches("incompatible redefinition for option 'gpu-name'").count(), 2, "{later}");
    let open = file("open", "-o".into());
    assert_eq!(messages(&format!("-optf {open} x t.ptx")), "fatal   : argument expected after '-o'");
    let cycle = folder.path().join("cycle").display().to_string();
    let cycle = file("cycle", format!("-optf {cycle}"));
    assert_eq!(
        messages(&format!("-optf {cycle}")),
        format!("fatal   : Too many options file opened '{cycle}'")
    );
    // Files that each name the next one many times must not be opened 20^15 times.
    for depth in 0..15 {
        let next = folder.path().join(format!("wide{}", depth + 1)).display().to_string();
        file(&format!("wide{depth}"), format!("-optf {next} ").repeat(20));
    }
    file("wide15", String::new());
    let wide = messages(&format!("-optf {}", folder.path().join("wide0").display()));
    assert!(wide.starts_with("fatal   : Too many options file opened"), "{wide}");
}

#[test]
fn code_and_file_stats() {
    assert_eq!(compile("--code none a").code, CodeChoice::None);
    assert_eq!(compile("--code=ptxas a").code, CodeChoice::Ptxas);
    assert_eq!(compile("--code=cubin:b=c.cubin a").code, CodeChoice::Cubin("b=c.cubin".into()));
    assert_eq!(
        compile("--file-stat /x/a=b,c.cu=1700000000,42 --file-stat=d=0,18446744073709551615 a")
            .compile
            .file_stats,
        [
            FileStat { path: "/x/a=b,c.cu".into(), mtime: 1_700_000_000, size: 42 },
            FileStat { path: "d".into(), mtime: 0, size: u64::MAX },
        ]
    );
}

#[test]
fn what_ptxas_cannot_do() {
    let options = compile(
        "-g --debug-opt keep -O3 --line-table=full --path-map /a=b=/c --path-map /x= --file-stat none --embed-ptx no t",
    );
    let map = |old: &str, new: &str| PathMap { old: old.into(), new: new.into() };
    let NvdwarfOptions { keep_optimised, line_table, path_maps, embed_ptx, time_of_files } =
        options.compile.extras;
    assert_eq!(path_maps, [map("/a=b", "/c"), map("/x", "")]);
    assert_eq!((keep_optimised, line_table), (true, LineTableStyle::Full));
    assert_eq!((options.stat_files, embed_ptx, time_of_files), (false, false, None));
    for (line, message) in [
        ("--debug-opt keep t", "--debug-opt keep goes with -g only"),
        ("-g --debug-opt drop t", "Value 'drop' is not defined for option 'debug-opt'"),
        ("--line-table tiny t", "Value 'tiny' is not defined for option 'line-table'"),
        ("--messages loud t", "Value 'loud' is not defined for option 'messages'"),
        ("--embed-ptx maybe t", "Value 'maybe' is not defined for option 'embed-ptx'"),
        ("--path-map =x t", "'=x': expected OLD=NEW after '--path-map'"),
        ("--path-map x t", "'x': expected OLD=NEW after '--path-map'"),
        ("-g -O3 t", OPTIMIZED_DEBUG),
    ] {
        assert!(messages(line).contains(message), "{line}: {}", messages(line));
    }
}

#[cfg(unix)]
#[test]
fn file_names_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let odd = |prefix: &str| {
        let mut name = OsString::from(prefix);
        name.push(OsStr::from_bytes(b"\xff.x"));
        name
    };
    let (parsed, _) = parse(&[odd("--output-file="), odd(""), "--code".into(), odd("cubin:")]).unwrap();
    let Parsed::Compile(options) = parsed else { panic!("{parsed:?}") };
    assert_eq!(options.output, PathBuf::from(odd("")));
    assert_eq!(options.input, Input::Path(odd("").into()));
    assert_eq!(options.code, CodeChoice::Cubin(odd("").into()));
    assert!(parse(&[odd("-")]).is_err());
}

/// A word of a command line: an option of some table, something near it, a value, or anything.
fn word() -> impl Strategy<Value = String> {
    let names = table::all().flat_map(|spec| [format!("--{}", spec.long), format!("-{}", spec.short)]);
    let names: Vec<String> = names.filter(|name| name != "--options-file" && name != "-optf").collect();
    let name = prop::sample::select(names);
    prop_oneof![
        3 => name.clone(),
        2 => (name, "[=,]?.{0,3}").prop_map(|(name, rest)| name + &rest),
        2 => prop::sample::select(vec!["sm_90", "compute_75", "true", "none", "cubin:x", "3", "-O", "-m64", "-"])
            .prop_map(str::to_owned),
        1 => ".{0,8}",
    ]
}

proptest! {
    /// What is refused has a last word that says so, and what is taken has lost nothing that is the
    /// code provider's.
    #[test]
    fn any_command_line_is_read_or_refused(words in prop::collection::vec(word(), 0..8)) {
        let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        match parse(&words) {
            Ok((Parsed::Compile(options), _)) => {
                let mut rest = words.iter();
                prop_assert!(options.passed.iter().all(|passed| rest.any(|word| word == passed)));
            }
            Ok(_) => {}
            Err(error) => {
                let severe = |message: &Message| message.severity == Severity::Fatal;
                prop_assert!(error.messages.iter().any(severe));
            }
        }
    }
}

/// `$NVDWARF_OPTIONS` comes first, and the command line wins.
#[test]
fn options_of_the_environment() {
    let parse = |environment: &str, line: &str| {
        super::parse(&args(line), Some(OsStr::new(environment)), &|_| OptionAnswer::Unknown)
    };
    let options = |environment: &str, line: &str| match parse(environment, line) {
        Ok((Parsed::Compile(options), messages)) => {
            assert_eq!(messages, [], "{environment} {line}");
            *options
        }
        other => panic!("{environment} {line}: {other:?}"),
    };
    let map = |old: &str, new: &str| PathMap { old: old.into(), new: new.into() };
    let both = options("--path-map \"/a b=/c\" -lineinfo\n", "--path-map /d=/e k.ptx");
    assert_eq!(both.compile.extras.path_maps, [map("/a b", "/c"), map("/d", "/e")]);
    assert!(both.compile.line_info);
    let arch = options("-arch sm_80 -O1 --code none", "-arch sm_90 -O3 --code ptxas k.ptx").compile;
    assert_eq!((arch.arch.number, arch.opt_level), (90, Some(3)));
    let none = options("--file-stat epoch", "--file-stat none k.ptx");
    assert_eq!((none.stat_files, none.compile.extras.time_of_files), (false, None));
    // Of -g and -lineinfo the command line's counts.
    let lines = options("-g", "-lineinfo k.ptx");
    assert_eq!((lines.compile.device_debug, lines.compile.line_info), (false, true));
    let debug = options("-lineinfo", "-g k.ptx");
    assert_eq!((debug.compile.device_debug, debug.line_info_overridden), (true, false));
    // It applies where there is -g.
    assert!(options("--debug-opt keep", "-g k.ptx").compile.extras.keep_optimised);
    assert!(!options("--debug-opt keep", "k.ptx").compile.extras.keep_optimised);
    for (environment, expected) in [
        ("k.ptx", "in $NVDWARF_OPTIONS: 'k.ptx': expected options only"),
        ("-", "in $NVDWARF_OPTIONS: '<stdin>': expected options only"),
        ("--codee none", "in $NVDWARF_OPTIONS: Unknown option '-codee'"),
        ("--path-map", "in $NVDWARF_OPTIONS: argument expected after '--path-map'"),
        ("\"x", "in $NVDWARF_OPTIONS: Stray '\"' character"),
        (
            "-o x",
            "in $NVDWARF_OPTIONS: '-o x': -o, --help, --version and --list-version are for the command line only",
        ),
        (
            "-V",
            "in $NVDWARF_OPTIONS: '-V': -o, --help, --version and --list-version are for the command line only",
        ),
    ] {
        let error = parse(environment, "k.ptx").unwrap_err();
        let first = error.messages.first().unwrap();
        assert_eq!((first.severity, first.text.as_str()), (Severity::Fatal, expected), "{environment}");
    }
    assert!(matches!(parse("-lineinfo", "--help"), Ok((Parsed::Help, _))));
}
