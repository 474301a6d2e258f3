//! For each rule of [`super::RULES`] its reason, and what to do about a finding.

use super::rules::RuleId;

/// The explanation of a rule, beside its row in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleExplanation {
    /// The information that a debugger, a profiler or ptxas loses. If findings of the rule have two
    /// severities, which and why.
    pub(super) why: &'static str,
    /// The way to fix it; empty where there is none.
    pub(super) mend: &'static str,
}

/// The reason of a rule.
pub(super) const fn explain(rule: RuleId) -> RuleExplanation {
    use RuleId as Id;
    let (why, mend) = match rule {
        Id::Syntax => (
            "ptxas stops at the first error, and its message names one token. This parser goes on, so that later \
             errors are found too.",
            "Write what was expected there. Where a newer ptxas takes the module, see whether its `.version` is \
             newer than 9.0.",
        ),
        Id::NonAscii => (
            "A letter beyond ASCII in the name of a folder, in a comment or in a string is enough to stop ptxas. \
             The bytes of `.debug_str` are numbers and may be any.",
            "Give the source a name in ASCII, or map it with `--path-map`.",
        ),
        Id::UnterminatedSource => (
            "To ptxas all lines up to one with `.source_end` alone are text, of PTX or not. A carriage return before \
             the line's end, or something behind the word, makes it text too.",
            "End the text with a line `.source_end`, and end lines with a line feed only.",
        ),
        Id::NulByte => (
            "ptxas takes the byte for the end of the text. It mostly comes from a buffer that was written with its \
             terminator or its padding.",
            "Write the text without the bytes after its end.",
        ),
        Id::UnterminatedComment => {
            ("Everything after the `/*` is a comment, up to the end of the text.", "Close the comment.")
        }
        Id::ConstantOverflow => (
            "A number that does not fit is refused; 2^63 and 2^64 pass in places, and become 0.",
            "Write a number that fits. A huge one mostly comes from a negative number that was printed as unsigned.",
        ),
        Id::NestingTooDeep => (
            "A bound on the work of this parser: ptxas takes deeper nesting. Nothing in the statement is checked \
             further.",
            "",
        ),
        Id::TooLarge => ("Positions in the text have 32 bits here.", "Split the module."),
        Id::TooManyErrors => (
            "Text with that many errors is not PTX, and nobody reads the rest.",
            "See whether the file is what it should be.",
        ),
        Id::DuplicateDefinition => (
            "Most often two modules were put together, or a name lost what made it unique.",
            "Rename one of the two, or take out the copy.",
        ),
        Id::InconsistentDeclaration => (
            "Two declarations of one name tell callers different things. Most often modules of two versions of a \
             source were put together.",
            "Make the declarations equal.",
        ),
        Id::FunctionUndefined => (
            "Without -c there is no linker that could find the function elsewhere.",
            "Add its definition, or compile with -c and link.",
        ),
        Id::AliasTarget => (
            "The second name would have no code.",
            "Declare both functions before the `.alias`, and let it lead to a defined function that is not a kernel.",
        ),
        Id::Backslash => (
            "Only ptxas takes it: other readers of PTX stop there. It is left over from a text in which lines were \
             joined.",
            "Take it out.",
        ),
        Id::ExternVariable => (
            "Without -c there is no linker that could give the variable a place.",
            "Give it a size, or compile with -c and link.",
        ),
        Id::ModuleScope => (
            "Such a variable has no place outside of a function.",
            "Move the declaration into the functions that use it.",
        ),
        Id::IncompleteType => ("ptxas cannot give it a place.", "Write its size, or declare it `.extern`."),
        Id::InitialValue => (
            "Other memories are not there before the kernel runs, and an `.extern` variable has its value where it \
             is defined.",
            "Take the value out, and store it at the start of the kernel.",
        ),
        Id::CommonSpace => (
            "Only variables of global memory are merged by the linker.",
            "Declare it `.weak`, or move it to `.global`.",
        ),
        Id::Alignment => ("Addresses are aligned by their low bits.", "Write the next power of two."),
        Id::PointerAttribute => ("The attribute tells of an argument that the host passes.", "Take it out."),
        Id::NoReturnResult => {
            ("A function that never comes back never gives a result.", "Take out the result, or `.noreturn`.")
        }
        Id::ThreadCounts => (
            "`.reqntid` says how many threads there are, `.maxntid` how many there may be.",
            "Keep one of them.",
        ),
        Id::IncompleteParameter => {
            ("Only the last one can have an open end: what follows would have no place.", "Write the size.")
        }
        Id::ParameterSpace => (
            "A caller passes parameters in `.param`, or a function's in registers. Architectures before sm_20 have no stack \
             for them.",
            "Write `.param`; for a function before sm_20 `.reg`, or a newer `.target`.",
        ),
        Id::UnknownOpcode => (
            "ptxas 13.0 refuses it. It is a warning here, for a newer ptxas may know it.",
            "See whether it is misspelt, or use a ptxas that knows it.",
        ),
        Id::MissingVersion => (
            "ptxas reads nothing else before it: it decides which features there are.",
            "Begin the module with `.version`. Where the file is not PTX at all, see what wrote it.",
        ),
        Id::UnsupportedVersion => (
            "A warning where the version is newer than this ptxas: a newer one may take it. An error where no PTX \
             ISA had it.",
            "Use a newer ptxas, or make the front end emit an older version.",
        ),
        Id::MinorVersion => (
            "ptxas reads 10 * major + minor, so that the module gets the features of another version.",
            "Write the version that is meant.",
        ),
        Id::MissingTarget => (
            "ptxas reads no code before it knows the architecture.",
            "Write `.target` on the line after `.version`.",
        ),
        Id::NoArchitecture => (
            "Options alone do not say what code is for.",
            "Write the architecture first: `.target sm_90, debug`.",
        ),
        Id::UnknownTarget => (
            "A warning where ptxas takes the word though the PTX ISA does not have it; else an error.",
            "Write an architecture as `sm_90`, or use a ptxas that knows it.",
        ),
        Id::TargetNeedsVersion => (
            "ptxas compares the two when it has read the first item.",
            "Raise `.version`, or compile for an older architecture.",
        ),
        Id::AddressSize => ("There are no other addresses.", "Write 64."),
        Id::Address32 => (
            "CUDA 13 has no code of 32-bit addresses any more.",
            "Write 64, and emit 64-bit pointers; or use a ptxas of CUDA 12.",
        ),
        Id::TargetOption => {
            ("The options contradict each other, or what the architecture can do.", "Take one of them out.")
        }
        Id::RelocatableVersion => (
            "Older PTX has no way to refer to a function or variable of another module.",
            "Raise `.version` to 3.1, or compile without -c.",
        ),
        Id::GateAddressSize => ("The `.version` of the module has no such directive.", "Raise `.version`."),
        Id::GateTargetDebug => (
            "The `.version` of the module has no such word.",
            "Raise `.version`, or take the word out and call ptxas with -g.",
        ),
        Id::GateSection => {
            ("The `.version` of the module has no debug sections in this form.", "Raise `.version`.")
        }
        Id::GateAtDwarf => (
            "The `.version` of the module has no debug sections. ptxas takes them anyway.",
            "Raise `.version`.",
        ),
        Id::AtDwarfDeprecated => {
            ("The form of PTX 1.x is gone.", "Write the same data as `.section` blocks.")
        }
        Id::GateFileTime => (
            "The `.version` of the module has `.file` with a name only.",
            "Raise `.version`, or leave out time and size.",
        ),
        Id::GateLabelOffset => (
            "The `.version` of the module has labels without numbers only.",
            "Raise `.version`, or set a label at the place.",
        ),
        Id::GateB16 => (
            "The `.version` of the module has no 16-bit data. ptxas takes it anyway; another reader of PTX may \
             refuse the module.",
            "Raise `.version`, or write two `.b8`.",
        ),
        Id::GateSectionLabel => (
            "The `.version` of the module has no labels there. An error below the version that ptxas asks for; a \
             warning below the one that the PTX ISA names, for another reader of PTX may refuse the module.",
            "Raise `.version`, or write the name of the section and an offset.",
        ),
        Id::GateInline => (
            "The `.version` of the module has no inlined calls: without them a profiler shows the code of an \
             inlined function as if the kernel itself were at that line. An error below the version that ptxas asks \
             for; a warning below the one that the PTX ISA names, for another reader of PTX may refuse the module.",
            "Raise `.version`.",
        ),
        Id::GateDifference => {
            ("The `.version` of the module has no differences.", "Raise `.version`, or write the number.")
        }
        Id::GateNegative => (
            "The `.version` of the module has no negative numbers there.",
            "Raise `.version`, or write the unsigned number of the same bytes.",
        ),
        Id::GateIntermediateLoc | Id::GateIntermediateSources => (
            "Compilers such as that of cuTile write the lines of a language of their own beside those of the source. \
             An older ptxas refuses the whole module for them.",
            "Take both directives out (`--fix=drop-intermediate-lines`): the lines of the source stay. Or compile with \
             ptxas 13.4 or newer, and a `.version` of 9.4.",
        ),
        Id::GateLanguage => (
            "Compilers such as that of cuTile say with it which language a function was written in. An older ptxas \
             refuses the whole module for it.",
            "Take the directive out, or compile with ptxas 13.2 or newer, and a `.version` of 9.2.",
        ),
        Id::GateHidden => (
            "Compilers such as that of cuTile mark with it the parameters of kernels that no caller passes. An older \
             ptxas refuses the whole module for it.",
            "Take `.hidden` out, or compile with ptxas 12.9 or newer, and a `.version` of 8.8.",
        ),
        Id::DebugWithoutSection => (
            "`debug` says that the module brings debug sections. Front ends that write lines only must not say it.",
            "Take `debug` out and call ptxas with -lineinfo; or add an empty section, as Clang does, and have \
             unoptimised code.",
        ),
        Id::DebugMeansO0 => (
            "The code is as slow as with -g. A note where `.debug_info` describes functions or variables, for then \
             somebody asked for full debugging: ptxas without options and with -g writes the same code. A warning \
             where it describes nothing: lines are all that is there, and -lineinfo gives them for optimised code.",
            "Take `, debug` out, and call ptxas with -lineinfo.",
        ),
        Id::DuplicateFileIndex => (
            "A `.loc` could mean either file. Most often two modules were put together.",
            "Give the second file a new index, and the `.loc` of its functions too.",
        ),
        Id::FileIndexGap => (
            "The file table in the cubin has no gaps, so every `.loc` after the gap names another file, or none: \
             debuggers and profilers open the wrong source.",
            "Number the files 1, 2, 3, and so on.",
        ),
        Id::FileIndexRange => (
            "The line table keeps 16 bits, and file 0 is none: readers show another file or no file.",
            "Number the files 1, 2, 3, and so on.",
        ),
        Id::FileNameEmpty => (
            "An empty name is the end of the file table: readers do not see the files after it.",
            "Write the name of the source.",
        ),
        Id::FileNameCrash => (
            "ptxas takes the files after the empty name for opcodes of lines, and mostly crashes.",
            "Write the name of the source.",
        ),
        Id::FileNameLength => (
            "ptxas ends with a crash and no message.",
            "Compile in a folder with a shorter path, or map it with `--path-map`.",
        ),
        Id::FileNameCharacters => (
            "ptxas cuts the path at its last separator, and readers join the parts with one. A note where the path \
             is one of Windows, for nothing is lost of it. A warning where readers do not find the source: the path \
             holds escapes, as of NVCC for names beyond ASCII (`\\320\\277`), or doubled backslashes, both of which \
             ptxas keeps as they are; it begins with `/`, and the backslash is a letter of a name; or it holds a \
             line break.",
            "Give the source a name in ASCII without a backslash, or write `/` and single backslashes.",
        ),
        Id::FilePlaceholder => (
            "Debuggers and profilers show no source. A warning where the name is one that compilers and front ends \
             invent when they are given none, by which modules cannot be told apart, or one of a cell or a prompt, \
             whose text is gone with the session. A note for any other name in angle brackets, such as \
             `<expression 1>`: whoever made the source chose it, readers show it, and it says that there is no file.",
            "Give the compiler the name of the source (the name of the program in NVRTC), or map it with \
             `--path-map`.",
        ),
        Id::FileInside => (
            "The directive is one of the module. It may stand after the function that uses it, as LLVM writes it.",
            "Move it out of the function.",
        ),
        Id::FileTimeCrash => ("ptxas ends with a crash and no message.", "Write seconds since 1970."),
        Id::FileTimeCut => (
            "The cubin holds another time or size than the source has.",
            "Write seconds since 1970, and bytes.",
        ),
        Id::FileTimeOfBuild => (
            "Two builds of one PTX differ where the source has another time: no code and no line is lost, but \
             builds cannot be repeated byte for byte.",
            "Write time and size, as in `.file 1 \"a.cu\", 1700000000, 40`.",
        ),
        Id::FileFolder => (
            "`.file 1 \"folder\" \"name\" md5 0x...` is the form of other assemblers: the compiler writes for one of \
             those.",
            "Join folder and name with a `/`, and leave the checksum out.",
        ),
        Id::PathNotMapped => (
            "The cubin still tells of the machine that built it. The repair path-map writes `.file` and the names and \
             folders of units; other strings, such as a command line in `DW_AT_producer`, it leaves.",
            "See what wrote the string. A unit whose entries cannot be read has a finding that says why.",
        ),
        Id::FileTimeAlone => ("The cubin holds the size 0.", "Write both or neither."),
        Id::SourceTextFile => (
            "The text becomes a section that has the name of the file.",
            "Declare the file, and write the section after it.",
        ),
        Id::SourceMissing => (
            "Debuggers and profilers show no source there. Looked at in the working folder, that of the module, and \
             those of --source-dir; nothing is said where none of the sources is there, as of a module that was \
             made elsewhere.",
            "Write the path where the source is, or map it with `--path-map`.",
        ),
        Id::UndeclaredFile => (
            "The row names a file that the table does not have: readers show the line without a file, or fail.",
            "Declare the file, or name the one that is meant.",
        ),
        Id::NoFile => {
            ("All rows name a file that is not there: no reader finds a source.", "Add `.file 1 \"NAME\"`.")
        }
        Id::LocOutside => ("A line belongs to code.", "Move it into the function."),
        Id::LineZero => (
            "Code without a row is shown with the row before it. A note for the form in which LLVM, and so NVCC, \
             Clang, Triton, Numba and Warp, marks instructions that have no place in the source, as hoisted ones: \
             line 0 with file and column of the `.loc` before. No place is lost, for there was none, and ptxas does \
             what LLVM does with -use-unknown-locations=Disable. Of 179,342 instructions of 221 modules 954 change \
             their line when these `.loc` are taken out. A note too where line 0 has no code, or code that only \
             computes. A warning where more is lost: the line overflows to 0; no row stands before, so that the \
             code has no line; or the `.loc` has a place of its own, and its code is shown in another file or \
             another inlined call, or does what tools stop at: it reads or writes memory, calls, waits or traps.",
            "Write the line of the statement that the code belongs to; `compile --line-table full` keeps line 0.",
        ),
        Id::LineRange => (
            "The line table gets a negative line: readers show that, or a huge one.",
            "Write the line of the source.",
        ),
        Id::RedundantLoc => (
            "Nothing is lost: ptxas writes the same line table without it, in all 244 modules of compilers that \
             were tried. LLVM writes one where its own line tables have a flag that PTX lacks, such as the end of a \
             prologue. It takes room in the PTX, and in the text of it that the cubin holds.",
            "",
        ),
        Id::ColumnLost => (
            "ptxas writes every column as 0 and merges rows of one line, whatever the module says: this is a fact \
             about ptxas, not a fault of the module. Statements on one line cannot be told apart in the cubin \
             alone.",
            "Read the columns from the PTX: `lines --ptx FILE`, or the text in the cubin; or `compile --line-table \
             full`.",
        ),
        Id::CallSiteUnseen => (
            "ptxas looks for a `.loc` with exactly this file, line and column before the one that is inlined.",
            "Write a `.loc` with the place of the call before it.",
        ),
        Id::CallSiteElsewhere => (
            "Readers show the code as inlined into a line of another function.",
            "Write a `.loc` with the place of the call in this function.",
        ),
        Id::NameUnresolved => (
            "The name of the inlined function would be missing, so ptxas refuses the module, without a line in its \
             message.",
            "Define the label in `.debug_str`, before the bytes of the name.",
        ),
        Id::NameElsewhere => (
            "ptxas takes the offset in that section for one in `.debug_str`: the inlined function gets another \
             name, or a part of one.",
            "Define the label in `.debug_str`.",
        ),
        Id::NamePastEnd => (
            "Readers find no name of the inlined function.",
            "Correct the number, or add the bytes of the name.",
        ),
        Id::NameOffsetCut => {
            ("The inlined function gets the name at another offset.", "Write an offset in `.debug_str`.")
        }
        Id::LinePastEnd => (
            "The line is not in the file. Most often code of an inlined function is filed under the file of its \
             caller, lines were counted up inside one construct, or the source has changed since.",
            "Correct the file or the line in the front end, or get the source of the build (`--source-dir`).",
        ),
        Id::InlineAsmDrift => (
            "A front end that counts up lines in a string of assembly names lines of the source that have nothing \
             to do with it.",
            "Give all instructions of one assembly statement the line of that statement.",
        ),
        Id::LinesWithoutOption => (
            "Not a fault: ptxas writes line tables wherever there are `.loc`, from PTX 4.0 on, and with them the \
             text of the PTX, from which anybody can read the code.",
            "Call ptxas with --suppress-debug-info, or take the `.loc` out. `compile --embed-ptx no` and \
             `strip --keep all-without-ptx` leave out the text alone.",
        ),
        Id::MarkerBack => (
            "ptxas crashes where its count of lines goes back inside a function.",
            "Take the line markers out: `#line` and `# N \"file\"` are for the preprocessor.",
        ),
        Id::LocsOnALine => (
            "ptxas knows instructions by their line of PTX and keeps one `.loc` for each: the others are lost \
             without a word, and their code is shown at that one line.",
            "Write each `.loc` and its instructions on lines of their own.",
        ),
        Id::IntermediateLine => (
            "The rows name a text section that the cubin does not have, or a line that it does not have.",
            "Write the text of the file into a `.code_block`, or name the line that is meant.",
        ),
        Id::NamesMissing => (
            "The line table refers to names that are not there, and ptxas fails with an internal error.",
            "Add a `.debug_str` with the names.",
        ),
        Id::SectionInside => ("A section belongs to the module.", "Move it out of the function."),
        Id::SectionRepeated => (
            "ptxas lays the blocks over each other or keeps one of them: an error where it fails, a warning where \
             the bytes of one are lost.",
            "Write the data of both into one block.",
        ),
        Id::SectionReserved => (
            "ptxas writes the section itself, and fails over two of them.",
            "Take it out: ptxas makes it from `.loc` and from the code.",
        ),
        Id::InlinedCallCrash => (
            "ptxas 11.8 and 12.0 end by a signal when they write the line table of a function with most kinds of \
             inlined calls, if -arch is sm_90.",
            "Compile for sm_90 with a later release, or for an earlier chip.",
        ),
        Id::InlinedCallLost => (
            "ptxas writes no row for code whose line number is that of the row before, whatever the file, and no \
             name where the call site stays. So code is shown in another inlined function, in none, or still in \
             one that has ended. From sm_90 on the call around the first instruction of a device function is \
             dropped too (with -c), and the next call site may get the wrong file. This is a fact about ptxas, not a \
             fault of the module. What is said is about code in the order of the text, which ptxas may change: it \
             lost calls at 412 of 12,685 places of the corpus, and at 227 of the 368 that this rule names.",
            "Read the calls from the PTX: `lines --ptx FILE`; or `compile --line-table full`.",
        ),
        Id::LocWithoutCode => (
            "The place gets no row. A debugger that is asked to stop there stops at the next line that has code, and \
             coverage counts the line as lost. The first `.loc` of a function is not meant, which the function's entry \
             gets, nor one that is the call site of inlined code. A warning where the line has no code in the \
             function. A note where another `.loc` has code of the same line: only a column is lost.",
            "Put the `.loc` before the instructions of its line, or leave it out if there are none.",
        ),
        Id::FileChangeLost => (
            "ptxas writes no row for code whose line number is that of the row before, whatever the file. So line 7 \
             of a header is shown as line 7 of the file that includes it. This is a fact about ptxas, not a fault of \
             the module. What is said is about code in the order of the text, which ptxas may change.",
            "Read the file from the PTX: `lines --ptx FILE`; or `compile --line-table full`.",
        ),
        Id::SectionDropped => (
            "A warning for `.debug_line`, whose bytes are lost: ptxas makes its own from `.loc`. A note for any \
             other name: with -g the bytes are in the cubin, where no debugger looks for them.",
            "Take it out, or give it the name of a debug section.",
        ),
        Id::AtDwarfWithoutSection => (
            "ptxas does not know where the data belongs, and crashes.",
            "Write `@@DWARF .section NAME` before it.",
        ),
        Id::InfoWithoutAbbrev => (
            "The entries cannot be read without it: ptxas drops them, and who asked for full debugging gets lines \
             only. A warning where the section is empty.",
            "Add the abbreviations.",
        ),
        Id::SectionEarly => (
            "ptxas lays sections in an order of its own. A warning where the section that is referred to is lost, \
             an error where ptxas fails or crashes.",
            "Write 0, which is what ptxas stores, or put that section before.",
        ),
        Id::ValueRange => (
            "ptxas refuses the number, after it has cut it to 32 bits.",
            "Write a number that fits the directive, or a wider directive.",
        ),
        Id::ValueCut => (
            "The cubin holds the low half only, even in `.b64`: constants, hashes and addresses are wrong.",
            "Write the value as two `.b32`, the low half first.",
        ),
        Id::DataType => {
            ("Debug data is bytes and words.", "Write the bits as `.b8`, `.b16`, `.b32` or `.b64`.")
        }
        Id::NarrowLabel => ("An address or an offset needs 4 or 8 bytes.", "Write it in `.b32` or `.b64`."),
        Id::DottedSymbol => (
            "The symbol of the source has a dot, the one of the PTX must not: LLVM writes `_$_` for it in the code, \
             and older ones forget the debug sections.",
            "Write the name as it is declared, and declare none with a dot.",
        ),
        Id::DuplicateLabel => ("A reference could mean either place.", "Rename one of them."),
        Id::UndefinedSymbol => (
            "The cubin holds 0 in its place without a relocation: a debugger reads a variable at address 0, or \
             shows no place.",
            "Declare the name in the module, or take out the entry.",
        ),
        Id::AmbiguousName => {
            ("The reference may lead to another thing than the one that is meant.", "Rename one of them.")
        }
        Id::DifferenceUndefined => (
            "The number cannot be computed. Labels of code are in no section: where these are meant, as in location \
             lists, use plain labels, and a unit without `DW_AT_low_pc`, whose base is 0.",
            "Define both labels in the section that has the difference.",
        ),
        Id::DifferenceSections => (
            "Only labels of one section have a fixed distance.",
            "Define both labels in the section that has the difference.",
        ),
        Id::LabelTwice => (
            "ptxas loses the entries or writes them wrong, without a word.",
            "Set a second label at the place.",
        ),
        Id::ReferenceLost => (
            "The cubin holds 0 or a wrong offset in its place: a debugger finds no code or another variable there.",
            "Refer to the start of the function or the variable, or to a label.",
        ),
        Id::OffsetCut => ("The reference leads to another place.", "Write an offset that fits 32 bits."),
        Id::LocalOutside => (
            "ptxas finds places of local variables while it reads the entries of functions, and only there.",
            "Write the reference into a location of the variable: `DW_OP_addr` and the name.",
        ),
        Id::SectionMissing => (
            "The reference leads nowhere: entries have no names, or ptxas fails with -c.",
            "Add the section, with its bytes.",
        ),
        Id::UnitLength => (
            "Every reader goes on at the place that the length says, and takes what is there for a unit: nothing \
             after it can be read.",
            "Write the number of bytes that follow.",
        ),
        Id::UnitVersion => (
            "ptxas reads entries of DWARF 2 only and copies others: debuggers cannot read the unit.",
            "Emit DWARF 2 (Clang: -gdwarf-2; LLVM: the module flag \"Dwarf Version\").",
        ),
        Id::AbbrevOffset => (
            "Entries are read with other abbreviations: attributes come out wrong.",
            "Let it lead to the table of the unit. LLVM has one table, and writes `.b32 .debug_abbrev`.",
        ),
        Id::UnitAddressSize => {
            ("Readers step over addresses by this size, and lose their place.", "Write `.b8 8`.")
        }
        Id::UnknownAbbrev => (
            "Nothing of the unit can be read from there on.",
            "Add the abbreviation, or correct the code. Often the entry before has a value of another size than its \
             form says.",
        ),
        Id::ValueCutShort => (
            "Nothing of the unit can be read from there on.",
            "Write the whole value, and see whether the length of the unit is right.",
        ),
        Id::StringOffset => ("The entry has no name.", "Write the offset of a string in `.debug_str`."),
        Id::DieReference => (
            "A type or an origin is not found: debuggers show the variable without its type.",
            "Write the offset of an entry from the start of its unit.",
        ),
        Id::OpenChildren => (
            "Readers take what follows for more children of the entry.",
            "End each list of children with `.b8 0`.",
        ),
        Id::NoEntry => (
            "The unit describes nothing, and ptxas may fail.",
            "Add a `DW_TAG_compile_unit`, or take the unit out.",
        ),
        Id::AfterRoot => (
            "Most readers stop after the first entry: what follows is lost.",
            "Put the entries below the unit, or correct its length.",
        ),
        Id::UnknownForm => (
            "No reader of DWARF 2 knows how long the value is, so nothing after it can be read.",
            "Use a form of DWARF 2.",
        ),
        Id::AbbrevCut => (
            "Where the list of attributes ends is left to whatever follows in memory.",
            "End it with two zeros.",
        ),
        Id::ChildrenFlag => ("Readers differ in whether the entry has children.", "Write 0 or 1."),
        Id::DuplicateAbbrev => {
            ("Readers differ in which of the two they take.", "Give each abbreviation a number of its own.")
        }
        Id::HalfAttribute => {
            ("Readers differ in whether the list goes on.", "Write a name and a form, or two zeros.")
        }
        Id::AbbrevTerminator => ("Readers run on into what follows.", "End the table with `.b8 0`."),
        Id::LongLeb => ("Readers differ in what they make of it.", "Write the number in at most 10 bytes."),
        Id::PtxasReads => (
            "The DWARF is sound, but ptxas reads it in a way of its own with -g: it refuses the module, crashes or \
             hangs.",
            "Number the abbreviations 1, 2, 3, and so on in their order, and let each `DW_AT_sibling` lead to the \
             entry that follows.",
        ),
        Id::TooManyAttributes => ("ptxas gives up with -g.", "Split the entry."),
        Id::NoAddressClass => (
            "A debugger reads shared, constant or local memory through an address of global memory, and shows \
             another value.",
            "Add `DW_AT_address_class`: 4 constant, 5 global, 6 local, 7 parameter, 8 shared.",
        ),
        Id::MoreFaults => {
            ("A section with that many faults is mostly misread from the first on.", "Mend the first one.")
        }
        Id::WrongAddressClass => (
            "A debugger reads another memory and shows another value.",
            "Write the class of the memory: 4 constant, 5 global, 6 local, 7 parameter, 8 shared.",
        ),
        Id::FileNumber => {
            ("A debugger opens no file for the entry, or another.", "Write the index of a `.file`, or 0.")
        }
        Id::FileOfFunction => (
            "A debugger opens another file for the function than for its lines. Most often modules were put \
             together, and their files numbered anew.",
            "Write the index of the `.file` that its lines name.",
        ),
        Id::BareAddress => (
            "Nothing tells the linker what it is: the address is right in no cubin, for code and data get theirs \
             later.",
            "Write the name of the variable, the function or a label.",
        ),
        Id::OperandCut => (
            "Readers take bytes of the next attribute for operands, or refuse the expression.",
            "Write all operands, and the right length of the block.",
        ),
    };
    RuleExplanation { why, mend }
}
