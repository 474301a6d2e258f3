//! The architectures that the ptxas of each release compiles for, and which PTX `.target` runs on
//! which.
//!
//! Source: PTX ISA "PTX Module Directives: .target", `ptxas --help` (`--gpu-name`) of all releases,
//! and the whole matrix of `.target` against `-arch` as ptxas 13.0.88 answers it;
//! `ptxas-driver/tests/arch_matrix.rs` asks it again where it is installed.

use std::fmt;

/// The letter after an architecture's number. It says on which later chips the code may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suffix {
    /// No letter, as in `sm_90`: PTX for it runs on this chip and on every one with a greater
    /// number.
    None,
    /// The letter `a`, as in `sm_90a`: PTX for it runs on this chip and on no other.
    A,
    /// The letter `f`, as in `sm_100f`: PTX for it runs on this chip and on later ones of its
    /// family.
    F,
}

impl Suffix {
    /// Returns the letter as it stands in a name: `a` or `f`; empty for [`Suffix::None`].
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::A => "a",
            Self::F => "f",
        }
    }
}

/// An `sm_` architecture. The order is by number, then suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch {
    /// The number after `sm_`, as written: 35 to 121 for `-arch`, 10 to 121 for a `.target`.
    pub number: u32,
    /// The letter after the number; [`Suffix::None`] if there is none.
    pub suffix: Suffix,
}

/// The architecture that ptxas takes if `-arch` is not given: `sm_75` (`ptxas --help`).
pub const DEFAULT: Arch = Arch { number: 75, suffix: Suffix::None };

/// One row for each architecture that PTX or `-arch` knows.
struct Row {
    number: u32,
    suffix: Suffix,
    /// The version of PTX with which a `.target` may name it.
    ptx: (u32, u32),
    /// Numbers of one family run each other's `f` code; it is named by its first member. 0: no
    /// family.
    family: u32,
    code: Code,
}

/// The releases, by their numbers, whose ptxas generates code for an architecture.
enum Code {
    /// None of the table: the architecture is of `.target` only.
    Never,
    /// All of the table.
    Always,
    /// This one and later ones.
    Since((u32, u32)),
    /// Those up to this one.
    Until((u32, u32)),
    /// Those from the first to the second.
    Within((u32, u32), (u32, u32)),
}

const fn row(number: u32, suffix: Suffix, ptx: (u32, u32), family: u32, code: Code) -> Row {
    Row { number, suffix, ptx, family, code }
}

/// Every architecture that a ptxas of CUDA 11.7 to 13.5 accepts. The versions of PTX were asked of
/// the ptxas of each release, version by version.
const TABLE: &[Row] = &{
    use Suffix::{A, F, None as Plain};
    [
        row(10, Plain, (1, 0), 0, Code::Never),
        row(11, Plain, (1, 0), 0, Code::Never),
        row(12, Plain, (1, 2), 0, Code::Never),
        row(13, Plain, (1, 2), 0, Code::Never),
        row(20, Plain, (2, 0), 0, Code::Never),
        row(21, Plain, (2, 0), 0, Code::Never),
        row(30, Plain, (3, 0), 0, Code::Never),
        row(32, Plain, (4, 0), 0, Code::Never),
        row(35, Plain, (3, 1), 0, Code::Until((11, 8))),
        row(37, Plain, (4, 1), 0, Code::Until((11, 8))),
        row(50, Plain, (4, 0), 0, Code::Until((12, 9))),
        row(52, Plain, (4, 1), 0, Code::Until((12, 9))),
        row(53, Plain, (4, 2), 0, Code::Until((12, 9))),
        row(60, Plain, (5, 0), 0, Code::Until((12, 9))),
        row(61, Plain, (5, 0), 0, Code::Until((12, 9))),
        row(62, Plain, (5, 0), 0, Code::Until((12, 9))),
        row(70, Plain, (5, 1), 0, Code::Until((12, 9))),
        row(72, Plain, (6, 1), 0, Code::Until((12, 9))),
        row(75, Plain, (6, 3), 0, Code::Always),
        row(80, Plain, (7, 0), 0, Code::Always),
        row(82, Plain, (6, 2), 0, Code::Never),
        row(86, Plain, (7, 1), 0, Code::Always),
        row(87, Plain, (7, 4), 0, Code::Always),
        row(88, Plain, (9, 0), 0, Code::Since((13, 0))),
        row(89, Plain, (7, 8), 0, Code::Since((11, 8))),
        row(90, Plain, (7, 8), 0, Code::Since((11, 8))),
        row(90, A, (8, 0), 0, Code::Since((12, 0))),
        row(100, Plain, (8, 6), 100, Code::Since((12, 8))),
        row(100, A, (8, 6), 100, Code::Since((12, 8))),
        row(100, F, (8, 8), 100, Code::Since((12, 9))),
        // sm_110 by its name before CUDA 13: the same chip, but compared as 101 where newer and
        // older matter.
        row(101, Plain, (8, 6), 110, Code::Within((12, 8), (12, 9))),
        row(101, A, (8, 6), 110, Code::Within((12, 8), (12, 9))),
        row(101, F, (8, 8), 110, Code::Within((12, 9), (12, 9))),
        row(103, Plain, (8, 8), 100, Code::Since((12, 9))),
        row(103, A, (8, 8), 100, Code::Since((12, 9))),
        row(103, F, (8, 8), 100, Code::Since((12, 9))),
        row(107, Plain, (9, 4), 100, Code::Since((13, 4))),
        row(107, A, (9, 4), 100, Code::Since((13, 4))),
        row(107, F, (9, 4), 100, Code::Since((13, 4))),
        row(110, Plain, (9, 0), 110, Code::Since((13, 0))),
        row(110, A, (9, 0), 110, Code::Since((13, 0))),
        row(110, F, (9, 0), 110, Code::Since((13, 0))),
        row(120, Plain, (8, 7), 120, Code::Since((12, 8))),
        row(120, A, (8, 7), 120, Code::Since((12, 8))),
        row(120, F, (8, 8), 120, Code::Since((12, 9))),
        row(121, Plain, (8, 8), 120, Code::Since((12, 9))),
        row(121, A, (8, 8), 120, Code::Since((12, 9))),
        row(121, F, (8, 8), 120, Code::Since((12, 9))),
    ]
};

/// A release whose ptxas takes an architecture in `.target` with another version of PTX than later
/// releases, or before it generates code for it.
struct EarlyTarget {
    number: u32,
    suffix: Suffix,
    release: (u32, u32),
    ptx: (u32, u32),
}

const EARLY_TARGETS: &[EarlyTarget] = &[
    EarlyTarget { number: 88, suffix: Suffix::None, release: (13, 0), ptx: (7, 3) },
    EarlyTarget { number: 90, suffix: Suffix::A, release: (11, 8), ptx: (7, 8) },
    EarlyTarget { number: 100, suffix: Suffix::F, release: (12, 8), ptx: (8, 6) },
    EarlyTarget { number: 101, suffix: Suffix::F, release: (12, 8), ptx: (8, 6) },
    EarlyTarget { number: 120, suffix: Suffix::F, release: (12, 8), ptx: (8, 7) },
];

/// Why a name is not a supported architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArchError {
    /// The name is not `sm_` with a number and a suffix that the ptxas of a known release takes.
    #[error("no architecture that the ptxas of a known release takes")]
    Unknown,
    /// The name is that of a virtual architecture, such as `compute_90` or `lto_90`. ptxas knows
    /// it, but generates no code for it.
    #[error("a virtual architecture, for which there is no code")]
    Virtual,
}

/// Why PTX for one architecture cannot be compiled for another. `Display` gives the message of
/// ptxas 13.0.88.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannotRun {
    /// The number in the PTX's `.target` is greater than that in `-arch`.
    Newer {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
    /// The PTX's `.target` has the suffix `a`, so it is for one chip only, and `-arch` is a later
    /// chip.
    Future {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
    /// The PTX's `.target` has the suffix `a`, and `-arch` is the same chip without that suffix.
    OtherVariant {
        /// The PTX's `.target`.
        target: Arch,
        /// The `-arch`.
        arch: Arch,
    },
    /// The PTX's `.target` has the suffix `f`, and `-arch` is a chip of another family.
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
    /// Parses an `-arch` value of any release, such as `sm_90a`. Case matters, as in ptxas.
    ///
    /// # Errors
    ///
    /// [`ArchError::Virtual`] for a `compute_` or `lto_` name of a known architecture,
    /// [`ArchError::Unknown`] for everything else, `.target`-only numbers such as `sm_82` included.
    pub fn parse(name: &str) -> Result<Self, ArchError> {
        let with_code = |rest| known(rest).filter(|row| !matches!(row.code, Code::Never));
        if let Some(rest) = name.strip_prefix("sm_") {
            return with_code(rest).map(Row::arch).ok_or(ArchError::Unknown);
        }
        let virtual_name = name.strip_prefix("compute_").or_else(|| name.strip_prefix("lto_"));
        match virtual_name.and_then(with_code) {
            Some(_) => Err(ArchError::Virtual),
            None => Err(ArchError::Unknown),
        }
    }

    /// Parses the architecture of a PTX `.target` of any release: `sm_70` or, as ptxas accepts it,
    /// `compute_70`.
    ///
    /// # Errors
    ///
    /// [`ArchError::Unknown`]: ptxas says ``Unsupported .target 'sm_73'``, at the directive.
    pub fn parse_target(name: &str) -> Result<Self, ArchError> {
        let rest = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"));
        rest.and_then(known).map(Row::arch).ok_or(ArchError::Unknown)
    }

    /// Iterates over every architecture that the `-arch` of any release takes, in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().filter(|row| !matches!(row.code, Code::Never)).map(Row::arch)
    }

    /// Iterates over every architecture that the `.target` of any release can name, in ascending
    /// order.
    pub fn all_targets() -> impl Iterator<Item = Self> {
        TABLE.iter().map(Row::arch)
    }

    /// Whether the ptxas of the release with this number, such as (13, 0), generates code for the
    /// architecture.
    pub fn has_code_in(self, number: (u32, u32)) -> bool {
        self.row().is_some_and(|row| match row.code {
            Code::Never => false,
            Code::Always => true,
            Code::Since(first) => first <= number,
            Code::Until(last) => number <= last,
            Code::Within(first, last) => (first..=last).contains(&number),
        })
    }

    /// The version of PTX, major and minor, with which a `.target` may name the architecture in the
    /// release with this number, such as (13, 0); `None` if its ptxas does not know the
    /// architecture.
    pub fn ptx_version_in(self, number: (u32, u32)) -> Option<(u32, u32)> {
        let is_it = |early: &&EarlyTarget| {
            early.release == number && (early.number, early.suffix) == (self.number, self.suffix)
        };
        if let Some(early) = EARLY_TARGETS.iter().find(is_it) {
            return Some(early.ptx);
        }
        let row = self.row()?;
        let is_known = match row.code {
            Code::Never | Code::Always | Code::Until(_) => true,
            Code::Since(first) | Code::Within(first, _) => first <= number,
        };
        is_known.then_some(row.ptx)
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.arch() == self)
    }

    fn family(self) -> u32 {
        self.row().map_or(0, |row| row.family)
    }

    /// The number of the chip: what two spellings of one chip share.
    fn chip(self) -> u32 {
        if self.number == 101 { 110 } else { self.number }
    }
}

impl Row {
    const fn arch(&self) -> Arch {
        Arch { number: self.number, suffix: self.suffix }
    }
}

/// The row of an architecture by what follows `sm_` in its name.
fn known(rest: &str) -> Option<&'static Row> {
    let (digits, suffix) = match rest.as_bytes().last()? {
        b'a' => (rest.strip_suffix('a')?, Suffix::A),
        b'f' => (rest.strip_suffix('f')?, Suffix::F),
        _ => (rest, Suffix::None),
    };
    // Neither a sign nor leading zeros, which `parse` alone would let through.
    if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Arch { number: digits.parse().ok()?, suffix }.row()
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.number, self.suffix.as_str())
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
    /// Returns a hint for the user: the architectures among `archs` on which the PTX runs. The
    /// message of ptxas does not name them.
    pub fn hint(&self, archs: impl Iterator<Item = Arch>) -> String {
        let (Self::Newer { target, arch }
        | Self::Future { target, arch }
        | Self::OtherVariant { target, arch }
        | Self::OtherFamily { target, arch }) = self;
        let able: Vec<String> =
            archs.filter(|&arch| can_run(*target, arch).is_ok()).map(|arch| arch.to_string()).collect();
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

/// Whether a word has the form of an architecture name in fatbins: `sm_90`, `sm_90a`. The chip need
/// not exist.
pub fn is_arch_name(word: &str) -> bool {
    let number = word.strip_prefix("sm_").map(|rest| rest.strip_suffix(['a', 'f']).unwrap_or(rest));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;

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

    /// The `sm_` names of `ptxas --help`, option `--gpu-name`, in order.
    #[test]
    fn the_same_architectures_as_in_ptxas_help() {
        let old = "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87";
        let of_13 =
            "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f";
        let last = "sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f";
        for (name, help) in [
            ("11.7", format!("sm_35 sm_37 {old}")),
            ("11.8", format!("sm_35 sm_37 {old} sm_89 sm_90")),
            ("12.0", format!("{old} sm_89 sm_90 sm_90a")),
            ("12.6", format!("{old} sm_89 sm_90 sm_90a")),
            ("12.8", format!("{old} sm_89 sm_90 sm_90a sm_100 sm_100a sm_101 sm_101a sm_120 sm_120a")),
            (
                "12.9",
                format!(
                    "{old} sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_101 sm_101a sm_101f sm_103 sm_103a sm_103f \
                     sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f"
                ),
            ),
            ("13.0", format!("{of_13} {last}")),
            ("13.3", format!("{of_13} {last}")),
            ("13.4", format!("{of_13} sm_107 sm_107a sm_107f {last}")),
            ("13.5", format!("{of_13} sm_107 sm_107a sm_107f {last}")),
        ] {
            let ours: Vec<String> =
                Release::of_version(name).unwrap().archs().map(|arch| arch.to_string()).collect();
            assert_eq!(ours.join(" "), help, "{name}");
        }
    }

    #[test]
    fn names_that_are_none() {
        for name in
            ["", "sm_", "sm_a", "sm_82", "sm_30", "sm_102", "sm_90f", "sm_75a", "sm_90aa", "sm_090", "sm_+90"]
        {
            assert_eq!(Arch::parse(name), Err(ArchError::Unknown), "{name}");
        }
        for name in
            ["SM_90", " sm_90", "sm_90,sm_80", "90", "compute_82", "sm_99999999999999999999", "sm_9\u{e4}"]
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
        assert_eq!(
            why.hint(Release::V13_0.archs()),
            "the PTX is for sm_90a, -arch is sm_90; it runs on sm_90a"
        );
    }
}
