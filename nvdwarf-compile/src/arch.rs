//! The architectures that ptxas 13.0.88 compiles for, and which PTX `.target` runs on which.
//!
//! Source: PTX ISA "PTX Module Directives: .target", `ptxas --help` (`--gpu-name`), and the whole
//! matrix of `.target` against `-arch` as ptxas 13.0.88 answers it; `arch_matrix.rs` of the driver's
//! tests asks it again where it is installed.

use nv_debug_sections::release::Release;
use std::fmt;

/// The letter after an architecture's number. It says on which later chips the code may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suffix {
    /// `sm_90`: this and every later number.
    None,
    /// `sm_90a`: this chip and no other.
    A,
    /// `sm_100f`: this chip and later ones of its family.
    F,
}

/// An `sm_` architecture. The order is by number, then suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch {
    /// The number after `sm_`, as written: 75 to 121 for `-arch`, 10 to 121 for a `.target`.
    pub number: u32,
    /// The letter after it.
    pub suffix: Suffix,
}

/// The architecture if `-arch` is not given (`ptxas --help`).
pub const DEFAULT: Arch = Arch { number: 75, suffix: Suffix::None };

/// One row for each number that PTX or `-arch` knows.
struct Row {
    number: u32,
    /// Numbers of one family run each other's `f` code; it is named by its first member. 0: no
    /// family.
    family: u32,
    /// Suffixes that exist besides the plain one.
    suffixes: &'static [Suffix],
    /// Whether `-arch sm_N` generates code for it; the others are `.target` only.
    code: bool,
}

const fn row(number: u32, family: u32, suffixes: &'static [Suffix], code: bool) -> Row {
    Row { number, family, suffixes, code }
}

/// Every number that ptxas 13.0.88 accepts, found by asking it for 0 to 139 with each suffix.
const TABLE: &[Row] = &{
    const A: &[Suffix] = &[Suffix::A];
    const AF: &[Suffix] = &[Suffix::A, Suffix::F];
    [
        row(10, 0, &[], false),
        row(11, 0, &[], false),
        row(12, 0, &[], false),
        row(13, 0, &[], false),
        row(20, 0, &[], false),
        row(21, 0, &[], false),
        row(30, 0, &[], false),
        row(32, 0, &[], false),
        row(35, 0, &[], false),
        row(37, 0, &[], false),
        row(50, 0, &[], false),
        row(52, 0, &[], false),
        row(53, 0, &[], false),
        row(60, 0, &[], false),
        row(61, 0, &[], false),
        row(62, 0, &[], false),
        row(70, 0, &[], false),
        row(72, 0, &[], false),
        row(75, 0, &[], true),
        row(80, 0, &[], true),
        row(82, 0, &[], false),
        row(86, 0, &[], true),
        row(87, 0, &[], true),
        row(88, 0, &[], true),
        row(89, 0, &[], true),
        row(90, 0, A, true),
        row(100, 100, AF, true),
        // sm_110 by its name before CUDA 13: the same chip, but compared as 101 where newer and
        // older matter.
        row(101, 110, AF, false),
        row(103, 100, AF, true),
        row(110, 110, AF, true),
        row(120, 120, AF, true),
        row(121, 120, AF, true),
    ]
};

/// Why a name is not a supported architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArchError {
    /// Not a number and suffix that ptxas 13.0.88 knows.
    #[error("no architecture that ptxas {} knows", Release::default().version())]
    Unknown,
    /// `compute_90`, `lto_90`: ptxas knows it, but generates no code for it.
    #[error("a virtual architecture, for which there is no code")]
    Virtual,
}

/// Why PTX cannot be compiled for an architecture. The text is what ptxas 13.0.88 prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannotRun {
    /// The `.target` is newer than `-arch`.
    Newer {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
    /// An `a` target on a later chip.
    Future {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
    /// An `a` target on the same chip, but `-arch` without the `a`.
    OtherVariant {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
    /// An `f` target on a later chip of another family.
    OtherFamily {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
}

impl std::str::FromStr for Arch {
    type Err = ArchError;

    /// As [`Arch::parse`].
    fn from_str(name: &str) -> Result<Self, ArchError> {
        Self::parse(name)
    }
}

impl Arch {
    /// Parses an `-arch` value, such as `sm_90a`. Case matters, as in ptxas.
    ///
    /// # Errors
    ///
    /// [`ArchError::Virtual`] for a `compute_` or `lto_` name of a known architecture,
    /// [`ArchError::Unknown`] for everything else, `.target`-only numbers such as `sm_70` included.
    pub fn parse(name: &str) -> Result<Self, ArchError> {
        if let Some(rest) = name.strip_prefix("sm_") {
            return known(rest, true).ok_or(ArchError::Unknown);
        }
        let virtual_name = name.strip_prefix("compute_").or_else(|| name.strip_prefix("lto_"));
        match virtual_name.and_then(|rest| known(rest, true)) {
            Some(_) => Err(ArchError::Virtual),
            None => Err(ArchError::Unknown),
        }
    }

    /// Parses the architecture of a PTX `.target`: `sm_70` or, as ptxas accepts it, `compute_70`.
    ///
    /// # Errors
    ///
    /// [`ArchError::Unknown`]: ptxas says ``Unsupported .target 'sm_73'``, at the directive.
    pub fn parse_target(name: &str) -> Result<Self, ArchError> {
        let rest = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"));
        rest.and_then(|rest| known(rest, false)).ok_or(ArchError::Unknown)
    }

    /// Iterates over every architecture that `-arch` takes, in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().filter(|row| row.code).flat_map(Row::archs)
    }

    /// Iterates over every architecture that a `.target` can name, in ascending order.
    pub fn all_targets() -> impl Iterator<Item = Self> {
        TABLE.iter().flat_map(Row::archs)
    }

    fn family(self) -> u32 {
        TABLE.iter().find(|row| row.number == self.number).map_or(0, |row| row.family)
    }

    /// The number of the chip: what two spellings of one chip share.
    fn chip(self) -> u32 {
        if self.number == 101 { 110 } else { self.number }
    }
}

impl Row {
    fn archs(&self) -> impl Iterator<Item = Arch> + use<> {
        let number = self.number;
        [Suffix::None].iter().chain(self.suffixes).map(move |&suffix| Arch { number, suffix })
    }
}

/// `rest` is what follows `sm_`.
fn known(rest: &str, code_only: bool) -> Option<Arch> {
    let (digits, suffix) = match rest.as_bytes().last()? {
        b'a' => (rest.strip_suffix('a')?, Suffix::A),
        b'f' => (rest.strip_suffix('f')?, Suffix::F),
        _ => (rest, Suffix::None),
    };
    // Neither a sign nor leading zeros, which `parse` alone would let through.
    if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u32 = digits.parse().ok()?;
    let row = TABLE.iter().find(|row| row.number == number)?;
    let exists = suffix == Suffix::None || row.suffixes.contains(&suffix);
    (exists && (row.code || !code_only)).then_some(Arch { number, suffix })
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.suffix {
            Suffix::None => "",
            Suffix::A => "a",
            Suffix::F => "f",
        };
        write!(f, "sm_{}{suffix}", self.number)
    }
}

/// Checks that PTX for `.target` `target` can be compiled for `-arch` `arch`.
///
/// - plain: on this number and every greater one;
/// - `a`: on the same chip with its `a` only;
/// - `f`: on this number and every greater one of the same family, whatever the suffix of `arch`.
///
/// # Errors
///
/// The first rule broken, in ptxas' order: a newer target is said before a wrong variant.
pub fn can_run(target: Arch, arch: Arch) -> Result<(), CannotRun> {
    if target.number > arch.number {
        return Err(CannotRun::Newer { target, arch });
    }
    match target.suffix {
        Suffix::A if target.chip() != arch.chip() => Err(CannotRun::Future { target, arch }),
        Suffix::A if arch.suffix != Suffix::A => Err(CannotRun::OtherVariant { target, arch }),
        Suffix::F if target.family() != arch.family() => Err(CannotRun::OtherFamily { target, arch }),
        Suffix::None | Suffix::A | Suffix::F => Ok(()),
    }
}

impl CannotRun {
    /// Says what the user can change, which the message of ptxas does not say.
    pub fn hint(&self) -> String {
        let (Self::Newer { target, arch }
        | Self::Future { target, arch }
        | Self::OtherVariant { target, arch }
        | Self::OtherFamily { target, arch }) = self;
        let able: Vec<String> =
            Arch::all().filter(|&arch| can_run(*target, arch).is_ok()).map(|arch| arch.to_string()).collect();
        format!("the PTX is for {target}, -arch is {arch}; it runs on {}", able.join(", "))
    }
}

impl fmt::Display for CannotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { .. } => {
                f.write_str("SM version specified by .target is higher than default SM version assumed")
            }
            Self::Future { target, .. } => {
                write!(f, "Program with .target '{target}' cannot be compiled to future architecture")
            }
            Self::OtherVariant { target, arch } => {
                write!(f, "PTX with .target '{target}' cannot be compiled for architecture '{arch}'")
            }
            Self::OtherFamily { target, .. } => write!(
                f,
                "Program with .target '{target}' cannot be compiled to different SM-family architecture"
            ),
        }
    }
}

impl std::error::Error for CannotRun {}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_syntax::check::{CheckContext, Mode, Verdict, check};

    fn runs(target: &str, arch: &str) -> String {
        let target = Arch::parse_target(target).unwrap();
        can_run(target, Arch::parse(arch).unwrap()).map_or_else(|why| why.to_string(), |()| String::new())
    }

    #[test]
    fn names_round_trip() {
        for arch in Arch::all() {
            assert_eq!(Arch::parse(&arch.to_string()), Ok(arch));
            assert_eq!(arch.to_string().parse(), Ok(arch));
        }
        for target in Arch::all_targets() {
            assert_eq!(Arch::parse_target(&target.to_string()), Ok(target));
        }
    }

    /// The `sm_` names of `ptxas --help`, option `--gpu-name`.
    #[test]
    fn the_same_architectures_as_in_ptxas_help() {
        let help = "sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f \
                    sm_121 sm_121a sm_121f sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a";
        let mut ours: Vec<String> = Arch::all().map(|arch| arch.to_string()).collect();
        ours.sort();
        assert_eq!(ours.join(" "), help);
    }

    /// `check` has a table of its own, for the first `.version` of each.
    #[test]
    fn check_takes_the_same_targets() {
        let ours: Vec<String> = Arch::all_targets().map(|target| target.to_string()).collect();
        let names = (0..140).flat_map(|number| ["", "a", "f"].map(|suffix| format!("sm_{number}{suffix}")));
        for name in names {
            let text = format!(".version 9.0\n.target {name}\n");
            let report = check(&ptx_syntax::parse(&text), &CheckContext::default());
            let is_taken = report.verdict(Mode::None) == Verdict::Accept;
            assert_eq!(is_taken, ours.contains(&name), "{name}: {:?}", report.findings);
        }
    }

    #[test]
    fn names_that_are_none() {
        for name in
            ["", "sm_", "sm_a", "sm_70", "sm_82", "sm_101", "sm_90f", "sm_75a", "sm_90aa", "sm_090", "sm_+90"]
        {
            assert_eq!(Arch::parse(name), Err(ArchError::Unknown), "{name}");
        }
        for name in
            ["SM_90", " sm_90", "sm_90,sm_80", "90", "compute_70", "sm_99999999999999999999", "sm_9\u{e4}"]
        {
            assert_eq!(Arch::parse(name), Err(ArchError::Unknown), "{name}");
        }
        for name in ["compute_90", "lto_100f", "compute_90a"] {
            assert_eq!(Arch::parse(name), Err(ArchError::Virtual), "{name}");
        }
        assert_eq!(Arch::parse_target("sm_73"), Err(ArchError::Unknown));
    }

    /// Messages as ptxas 13.0.88 prints them, recorded by hand; the whole matrix is in
    /// `tests/arch_matrix.rs`.
    #[test]
    fn messages() {
        assert_eq!(runs("sm_30", "sm_121f"), "");
        assert_eq!(
            runs("sm_90", "sm_80"),
            "SM version specified by .target is higher than default SM version assumed"
        );
        assert_eq!(
            runs("sm_90a", "sm_90"),
            "PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'"
        );
        assert_eq!(
            runs("sm_90a", "sm_100"),
            "Program with .target 'sm_90a' cannot be compiled to future architecture"
        );
        assert_eq!(runs("sm_100f", "sm_103"), "");
        assert_eq!(
            runs("sm_100f", "sm_110f"),
            "Program with .target 'sm_100f' cannot be compiled to different SM-family architecture"
        );
        assert_eq!(runs("sm_101a", "sm_110a"), "");
    }

    #[test]
    fn the_hint_names_what_would_do() {
        let why = can_run(Arch::parse_target("sm_90a").unwrap(), Arch::parse("sm_90").unwrap()).unwrap_err();
        assert_eq!(why.hint(), "the PTX is for sm_90a, -arch is sm_90; it runs on sm_90a");
    }
}
