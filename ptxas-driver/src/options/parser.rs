//! The parser of a command line, from left to right.

use super::MessageStyle;
use super::question::{NotedWords, wants_ptxas};
use super::table::{self, Arg, Id, Spec};
use super::value::{self, is_digits, known_archs, named_arch, number, split_at_equals};
use super::{
    ABORTED, CONFLICT, CodeChoice, ENVIRONMENT, FileStat, Input, Message, NvdwarfOptions, OPTIMIZED_DEBUG,
    OptionAnswer, Options, Parsed, Severity, UsageError, file,
};
use crate::input;
use crate::limits::{MAX_OPTION_FILE_DEPTH, MAX_OPTION_FILES};
use nv_debug_sections::release::Release;
use nvdwarf_compile::arch::{self, Arch, Suffix};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::vec;

/// The message that there is nothing to compile.
const NO_INPUT: &str = "no input file";

/// The fatal message that ends parsing, and a hint of ours.
struct Stop {
    text: String,
    hint: Option<String>,
}

fn stop<T>(text: impl Into<String>) -> Result<T, Stop> {
    Err(Stop { text: text.into(), hint: None })
}

/// Reads a command line that is not empty; see [`super::parse`].
pub(super) fn parse(
    args: &[OsString],
    environment: Option<&OsStr>,
    ask: &dyn Fn(&OsStr) -> OptionAnswer,
) -> Result<(Parsed, Vec<Message>), UsageError> {
    let mut parser = Parser::new(ask);
    let read = environment.map_or(Ok(()), |words| parser.read_environment(words));
    match read.and_then(|()| parser.read(args.to_vec())).and_then(|()| parser.finish()) {
        Ok(parsed) => Ok((parsed, parser.messages)),
        Err(stop) => Err(parser.usage_error(stop)),
    }
}

struct Parser<'a> {
    ask: &'a dyn Fn(&OsStr) -> OptionAnswer,
    /// The command line and, above it, the open options files. An option's argument never comes
    /// from a file other than the option's (as in ptxas).
    open: Vec<vec::IntoIter<OsString>>,
    /// The options files that were opened.
    files: Vec<PathBuf>,
    messages: Vec<Message>,
    /// Options without an argument that were given.
    flags: Vec<Id>,
    /// Options that only the environment has given so far.
    of_environment: Vec<Id>,
    inputs: Vec<Input>,
    arch: Option<(Arch, Option<String>)>,
    code: Option<CodeChoice>,
    machine: Option<i32>,
    opt_level: Option<i32>,
    output: Option<PathBuf>,
    file_stats: Vec<FileStat>,
    stat_files: bool,
    /// Whether every file has the time of `$SOURCE_DATE_EPOCH`.
    has_epoch: bool,
    message_style: Option<MessageStyle>,
    extras: NvdwarfOptions,
    passed: Vec<OsString>,
    noted: NotedWords,
}

impl<'a> Parser<'a> {
    fn new(ask: &'a dyn Fn(&OsStr) -> OptionAnswer) -> Self {
        Self {
            ask,
            open: Vec::new(),
            files: Vec::new(),
            messages: Vec::new(),
            flags: Vec::new(),
            of_environment: Vec::new(),
            inputs: Vec::new(),
            arch: None,
            code: None,
            machine: None,
            opt_level: None,
            output: None,
            file_stats: Vec::new(),
            stat_files: true,
            has_epoch: false,
            message_style: None,
            extras: NvdwarfOptions::default(),
            passed: Vec::new(),
            noted: NotedWords::default(),
        }
    }

    /// The error that ends parsing.
    fn usage_error(self, Stop { text, hint }: Stop) -> UsageError {
        let mut messages = self.messages;
        let has_no_input = text == NO_INPUT;
        messages.push(Message { severity: Severity::Fatal, text });
        messages.extend(hint.map(|text| Message { severity: Severity::Info, text }));
        let rest = self.open.into_iter().rev().flatten();
        let arch = self.arch.map_or(arch::DEFAULT, |(arch, _)| arch).number;
        let question = wants_ptxas(self.message_style, self.code, rest)
            .then(|| self.noted.question(arch, has_no_input))
            .flatten();
        UsageError { messages, inputs: self.inputs, options_files: self.files, question }
    }

    /// Reads the options of `$NVDWARF_OPTIONS`.
    fn read_environment(&mut self, words: &OsStr) -> Result<(), Stop> {
        let place = |stop: Stop| Stop { text: format!("in ${ENVIRONMENT}: {}", stop.text), ..stop };
        let words = file::words(words.as_encoded_bytes()).or_else(stop).map_err(place)?;
        let given = words.clone();
        self.noted.are_incomplete = true;
        self.read(words).map_err(place)?;
        // What concerns one call is for its command line.
        if let Some(input) = self.inputs.first() {
            return stop(format!("in ${ENVIRONMENT}: '{}': expected options only", input.name()));
        }
        let prints = [Id::Help, Id::Version, Id::ListVersion].iter().any(|id| self.flags.contains(id));
        if prints || self.output.is_some() {
            let given: Vec<_> = given.iter().map(|word| word.to_string_lossy()).collect();
            let text = format!(
                "in ${ENVIRONMENT}: '{}': -o, --help, --version and --list-version are for the command line only",
                given.join(" ")
            );
            return stop(text);
        }
        // Where the command line says otherwise, ptxas would warn.
        self.noted.are_incomplete = self.noted.clear();
        self.of_environment = self.flags.clone();
        let values = [
            (Id::Arch, self.arch.is_some()),
            (Id::Machine, self.machine.is_some()),
            (Id::OptLevel, self.opt_level.is_some()),
            (Id::Code, self.code.is_some()),
            (Id::DebugOpt, self.extras.keep_optimised),
        ];
        self.of_environment.extend(values.iter().filter(|(_, given)| *given).map(|(id, _)| *id));
        Ok(())
    }

    /// Takes back what the environment says against an option of the command line.
    fn overrule(&mut self, id: Id) {
        // Of -g and -lineinfo ptxas takes the first whatever the order.
        let other = match id {
            Id::DeviceDebug => Some(Id::LineInfo),
            Id::LineInfo => Some(Id::DeviceDebug),
            _ => None,
        };
        if let Some(other) = other.filter(|other| self.of_environment.contains(other)) {
            self.flags.retain(|flag| *flag != other);
        }
        self.of_environment.retain(|given| *given != id && Some(*given) != other);
    }

    fn read(&mut self, args: Vec<OsString>) -> Result<(), Stop> {
        self.open.push(args.into_iter());
        while let Some(words) = self.open.last_mut() {
            let Some(arg) = words.next() else {
                self.open.pop();
                continue;
            };
            let bytes = arg.as_encoded_bytes();
            if bytes == b"-" {
                self.noted.input(&arg);
                self.inputs.push(Input::Stdin);
            } else if bytes.starts_with(b"-") {
                self.option(arg)?;
            } else {
                self.noted.input(&arg);
                self.inputs.push(Input::Path(arg.into()));
            }
        }
        Ok(())
    }

    fn option(&mut self, arg: OsString) -> Result<(), Stop> {
        let (typed, attached) = split_at_equals(&arg);
        let Some((spec, attached)) = find(&typed, attached) else {
            self.noted.option(&arg, false);
            return self.unknown(&typed, arg);
        };
        self.noted.option(&arg, table::OURS.iter().any(|ours| ours.id == spec.id));
        let is_attached = attached.is_some();
        let value = match (spec.arg, attached) {
            (Arg::None, None) => {
                self.overrule(spec.id);
                self.flags.push(spec.id);
                self.passed.extend((spec.id == Id::Passed).then_some(arg));
                return Ok(());
            }
            (Arg::None, Some(_)) => return stop(format!("no argument expected after '{typed}'")),
            (_, Some(value)) => value,
            (Arg::Level(_), None) if spec.is_short(&typed) => self.level(),
            (_, None) => self.argument(&typed)?,
        };
        check(spec, &value)?;
        if spec.id == Id::Passed {
            self.passed.push(arg);
            self.passed.extend((!is_attached).then_some(value));
            return Ok(());
        }
        self.set(spec, &value)?;
        self.noted.is_read(spec, &value);
        Ok(())
    }

    /// An option that no table has: the code provider's, or a mistake.
    fn unknown(&mut self, typed: &str, arg: OsString) -> Result<(), Stop> {
        let value = match (self.ask)(&arg) {
            OptionAnswer::Unknown => {
                let name = typed.strip_prefix('-').unwrap_or(typed);
                return Err(Stop {
                    text: format!("Unknown option '{name}'"),
                    hint: table::nearest(typed).map(|nearest| format!("did you mean '{nearest}'?")),
                });
            }
            OptionAnswer::Known => None,
            OptionAnswer::WantsArgument => Some(self.argument(typed)?),
        };
        self.passed.push(arg);
        self.passed.extend(value);
        Ok(())
    }

    fn argument(&mut self, typed: &str) -> Result<OsString, Stop> {
        let next = self.open.last_mut().and_then(Iterator::next);
        if let Some(next) = &next {
            self.noted.value(next);
        }
        next.map_or_else(|| stop(format!("argument expected after '{typed}'")), Ok)
    }

    /// The level after a lone `-O`; nothing where the next word is not a number.
    fn level(&mut self) -> OsString {
        let Some(words) = self.open.last_mut() else { return OsString::new() };
        let next = words.as_slice().first().filter(|next| is_digits(next));
        let level = if next.is_some() { words.next().unwrap_or_default() } else { OsString::new() };
        if !level.is_empty() {
            self.noted.value(&level);
        }
        level
    }

    fn set(&mut self, spec: &Spec, value: &OsStr) -> Result<(), Stop> {
        // The command line wins over the environment without a word.
        let is_overruled = self.of_environment.contains(&spec.id);
        self.overrule(spec.id);
        let shown = value.to_string_lossy();
        let undefined = |hint: Option<String>| {
            let text = format!("Value '{shown}' is not defined for option '{}'", spec.long);
            Err(Stop { text, hint })
        };
        let redefined = match spec.id {
            Id::Arch => match named_arch(&shown) {
                // The help of ptxas has these too.
                Some((Arch { suffix: Suffix::A, .. }, Some(name))) if name.starts_with("lto_") => {
                    return stop(format!("Unsupported gpu architecture '{name}'"));
                }
                Some(arch) => replace(&mut self.arch, arch),
                None => return undefined(Some(known_archs())),
            },
            Id::Machine if shown.is_empty() => return undefined(None),
            Id::Machine => match number(&shown).or_else(stop)? {
                64 => replace(&mut self.machine, 64),
                _ => return undefined(None),
            },
            Id::OptLevel => replace(&mut self.opt_level, number(&shown).or_else(stop)?),
            Id::Output => replace(&mut self.output, PathBuf::from(value)),
            Id::InputAsString => {
                self.inputs.push(Input::Text(value.to_owned()));
                false
            }
            Id::OptionsFile => {
                self.include(value)?;
                false
            }
            Id::Code => match value::code(value) {
                Some(choice) => replace(&mut self.code, choice),
                None => return undefined(Some("expected none, auto, ptxas or cubin:FILE".into())),
            },
            id => return self.set_extra(id, &shown, undefined),
        };
        if redefined && !is_overruled {
            let text = format!(
                "incompatible redefinition for option '{}', the last value of this option was used",
                spec.long
            );
            self.messages.push(Message { severity: Severity::Warning, text });
        }
        Ok(())
    }

    /// An option of ours that may be given twice with different values.
    fn set_extra(
        &mut self,
        id: Id,
        shown: &str,
        undefined: impl Fn(Option<String>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let expected = |words: &str| undefined(Some(format!("expected {words}")));
        match id {
            Id::DebugOpt if shown == "keep" => self.extras.keep_optimised = true,
            Id::DebugOpt => return expected("keep"),
            Id::EmbedPtx => match value::yes_or_no(shown) {
                Some(embed) => self.extras.embed_ptx = embed,
                None => return expected("yes or no"),
            },
            Id::LineTable => match value::line_table(shown) {
                Some(style) => self.extras.line_table = style,
                None => return expected("ptxas, compact or full"),
            },
            Id::Messages => match value::messages(shown) {
                Some(style) => self.message_style = Some(style),
                None => return expected("ptxas, ours or both"),
            },
            Id::PathMap => match value::path_map(shown) {
                Some(map) => self.extras.path_maps.push(map),
                None => return stop(format!("'{shown}': expected OLD=NEW after '--path-map'")),
            },
            // Of `none` and `epoch` the last one counts.
            Id::FileStat if shown == "none" => (self.stat_files, self.has_epoch) = (false, false),
            Id::FileStat if shown == "epoch" => (self.stat_files, self.has_epoch) = (true, true),
            Id::FileStat => match value::file_stat(shown) {
                Some(stat) => self.file_stats.push(stat),
                None => {
                    return stop(format!(
                        "'{shown}': expected FILE=MTIME,SIZE, none or epoch after '--file-stat'"
                    ));
                }
            },
            _ => {}
        }
        Ok(())
    }

    /// Opens the files of one `--options-file`: their words come next, as if they stood here.
    fn include(&mut self, names: &OsStr) -> Result<(), Stop> {
        let mut words = Vec::new();
        for name in value::list(names) {
            self.files.push(PathBuf::from(&name));
            if self.open.len() > MAX_OPTION_FILE_DEPTH || self.files.len() > MAX_OPTION_FILES {
                return stop(format!("Too many options file opened '{}'", name.display()));
            }
            let bytes = input::read_words(Path::new(&name)).or_else(|error| {
                // ptxas has no limit and no words for it.
                let is_large = error.kind() == ErrorKind::FileTooLarge;
                let why = if is_large { format!(": {error}") } else { String::new() };
                stop(format!("Could not open options file '{}'{why}", name.display()))
            })?;
            words.extend(file::words(&bytes).or_else(stop)?);
        }
        self.open.push(words.into_iter());
        Ok(())
    }

    /// The input, and those after it.
    fn inputs(&mut self) -> Result<(Input, Vec<Input>), Stop> {
        match self.inputs.as_slice() {
            [] => Err(Stop { text: NO_INPUT.into(), hint: Some("see --help".into()) }),
            [input] => Ok((input.clone(), Vec::new())),
            several @ [first, rest @ ..] => {
                // ptxas opens them all before it goes on.
                let missing = several.iter().filter(|input| input.is_missing());
                self.messages.extend(missing.map(|input| Message {
                    severity: Severity::Fatal,
                    text: format!("Input file '{}' could not be opened", input.name()),
                }));
                if several.iter().any(Input::is_missing) {
                    return stop(ABORTED);
                }
                Ok((first.clone(), rest.to_vec()))
            }
        }
    }

    fn finish(&mut self) -> Result<Parsed, Stop> {
        for (id, parsed) in
            [(Id::Help, Parsed::Help), (Id::Version, Parsed::Version), (Id::ListVersion, Parsed::ListVersion)]
        {
            if self.flags.contains(&id) {
                return Ok(parsed);
            }
        }
        self.noted.is_ours = false;
        let (input, more_inputs) = self.inputs()?;
        self.noted.is_ours = self.has_epoch;
        if self.has_epoch {
            let time = value::source_date_epoch();
            self.extras.time_of_files = Some(time.or_else(|why| stop(format!("--file-stat epoch: {why}")))?);
        }
        let has = |id| self.flags.contains(&id);
        let device_debug = has(Id::DeviceDebug);
        // The environment asks for it wherever it can be had.
        if !device_debug && self.of_environment.contains(&Id::DebugOpt) {
            self.extras.keep_optimised = false;
        }
        let arch_given = self.arch.is_some();
        let (arch, virtual_arch) = self.arch.take().unwrap_or((arch::DEFAULT, None));
        let compile = nvdwarf_compile::Options {
            arch,
            release: Release::default(),
            device_debug,
            line_info: has(Id::LineInfo) && !device_debug,
            suppress_debug_info: has(Id::SuppressDebugInfo),
            relocatable: has(Id::CompileOnly),
            opt_level: self.opt_level,
            file_stats: std::mem::take(&mut self.file_stats),
            extras: std::mem::take(&mut self.extras),
        };
        let options = Options {
            input,
            more_inputs,
            output: self.output.take().unwrap_or_else(|| "elf.o".into()),
            compile,
            arch_given,
            virtual_arch,
            line_info_overridden: has(Id::LineInfo) && device_debug,
            verbose: has(Id::Verbose),
            disable_warnings: has(Id::DisableWarnings),
            warnings_as_errors: has(Id::WarningsAsErrors),
            machine: self.machine.is_some(),
            code: self.code.take().unwrap_or(CodeChoice::Ptxas),
            stat_files: self.stat_files,
            message_style: self.message_style,
            stats: has(Id::Stats),
            json: has(Id::Json),
            options_files: std::mem::take(&mut self.files),
            passed: std::mem::take(&mut self.passed),
        };
        let conflict = options.line_info_overridden && !options.disable_warnings;
        if conflict {
            let severity = if options.warnings_as_errors { Severity::Error } else { Severity::Warning };
            self.messages.push(Message { severity, text: CONFLICT.into() });
        }
        let keeps = options.compile.extras.keep_optimised;
        self.noted.is_ours = keeps;
        if keeps && !device_debug {
            return stop("--debug-opt keep goes with -g only");
        }
        if device_debug && !keeps && options.compile.opt_level.is_some_and(|level| level != 0) {
            return stop(OPTIMIZED_DEBUG);
        }
        if conflict && options.warnings_as_errors {
            return stop(ABORTED);
        }
        Ok(Parsed::Compile(Box::new(options)))
    }
}

/// Refuses the argument of an option of the code provider where ptxas does so before it reads the
/// rest.
fn check(spec: &Spec, value: &OsStr) -> Result<(), Stop> {
    let shown = value.to_string_lossy();
    match spec.arg {
        Arg::Bool if shown != "true" && shown != "false" => {
            stop(format!("'{shown}': expected true or false"))
        }
        Arg::Count(_) => number(&shown).map(|_| ()).or_else(stop),
        _ => Ok(()),
    }
}

/// Stores a value; true where another one was there.
fn replace<T: PartialEq>(slot: &mut Option<T>, value: T) -> bool {
    let redefined = slot.as_ref().is_some_and(|old| *old != value);
    *slot = Some(value);
    redefined
}

/// The option that `typed` (dashes included) names, and its value where that is attached.
fn find(typed: &str, value: Option<OsString>) -> Option<(&'static Spec, Option<OsString>)> {
    if let Some(spec) = table::all().find(|spec| spec.is_long(typed) || spec.is_short(typed)) {
        return Some((spec, value));
    }
    // -O3, -m64: only after every whole name, so that -machine would win over -m and `achine`.
    let number = |spec: &&Spec| {
        let digits = typed.strip_prefix('-').and_then(|name| name.strip_prefix(spec.short));
        matches!(spec.arg, Arg::Number(_) | Arg::Level(_)) && value.is_none() && digits.is_some()
    };
    let spec = table::PTXAS.iter().find(number)?;
    Some((spec, typed.get(1 + spec.short.len()..).map(OsString::from)))
}
