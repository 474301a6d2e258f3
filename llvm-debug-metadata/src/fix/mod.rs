//! Repairs of debug metadata, each for findings of one or more rules of [`check`](crate::check).

mod edits;
mod functions;
mod module;
mod nodes;

use crate::Module;
use crate::check::RuleId;
use edits::Edits;
use findings::{Catalog, RuleTable as _};

/// A kind of repair. Its number is the index of its description in [`REPAIRS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one does
pub enum Repair {
    DebugInfoVersion,
    NvvmirVersion,
    ListUnits,
    SubprogramUnit,
    LinkageName,
    CallLocation,
}

/// The description of a repair.
#[derive(Debug)]
pub struct RepairInfo {
    /// The repair that is described.
    pub repair: Repair,
    /// The stable name of the repair, in words joined by `-`.
    pub name: &'static str,
    /// The effect of the repair, in one sentence.
    pub summary: &'static str,
    /// The rules whose findings the repair removes.
    pub rules: &'static [RuleId],
    /// Whether `check --fix` without names makes the repair.
    pub default: bool,
    run: fn(&Module<'_>, &mut Edits<'_>),
}

impl Repair {
    /// Returns the description of the repair.
    pub fn info(self) -> &'static RepairInfo {
        &REPAIRS[self as usize]
    }
}

/// The repairs, in the order in which they are made.
#[rustfmt::skip] // one repair, one place
pub static REPAIRS: [RepairInfo; 6] = [
    RepairInfo { repair: Repair::DebugInfoVersion, name: "ir-debug-info-version", default: true, rules: &[RuleId::DebugInfoVersion], run: module::debug_info_version,
        summary: "Gives the module flag `Debug Info Version` the value 3." },
    RepairInfo { repair: Repair::NvvmirVersion, name: "ir-nvvmir-version", default: false, rules: &[RuleId::IrVersion, RuleId::DebugVersion], run: module::nvvmir_version,
        summary: "Gives `!nvvmir.version` the numbers that libNVVM takes: 2, 0, 3 and 1 for typed pointers, 2, 0, 3 and 2 for modern IR." },
    RepairInfo { repair: Repair::ListUnits, name: "ir-list-units", default: true, rules: &[RuleId::UnitNotListed], run: module::list_units,
        summary: "Adds units of subprograms to `!llvm.dbg.cu`." },
    RepairInfo { repair: Repair::SubprogramUnit, name: "ir-subprogram-unit", default: true, rules: &[RuleId::Unit], run: nodes::subprogram_units,
        summary: "Gives definitions of subprograms the unit of the module, if it has one only." },
    RepairInfo { repair: Repair::LinkageName, name: "ir-linkage-name", default: false, rules: &[RuleId::LinkageName], run: nodes::linkage_names,
        summary: "Gives inlined subprograms without a linkage name their name as one." },
    RepairInfo { repair: Repair::CallLocation, name: "ir-call-location", default: true, rules: &[RuleId::CallWithoutLocation], run: functions::call_locations,
        summary: "Gives calls that could be inlined and have no location one with line 0." },
];

/// Returns all rules of [`check`](crate::check), each with the repairs for its findings.
pub fn catalog() -> Catalog {
    Catalog::of::<RuleId>().with_texts(|rule| {
        let repairs = REPAIRS.iter().filter(|info| info.rules.iter().any(|id| id.rule().code == rule.code));
        rule.more.mend.extend(repairs.map(|info| {
            let option = if info.default { "--fix".to_owned() } else { format!("--fix={}", info.name) };
            format!("{option}: {}", info.summary).into()
        }));
    })
}

/// Returns the repair with this name.
pub fn repair_named(name: &str) -> Option<&'static RepairInfo> {
    REPAIRS.iter().find(|info| info.name == name)
}

/// A repaired text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixResult {
    /// The text.
    pub text: String,
    /// The repairs that changed something, each with the number of places.
    pub applied: Vec<(Repair, u32)>,
}

/// Makes repairs, in the order of [`REPAIRS`]. A text that is not that of a module stays as it is.
pub fn fix(text: &str, repairs: &[Repair]) -> FixResult {
    let mut result = FixResult { text: text.to_owned(), applied: Vec::new() };
    let mut wanted = REPAIRS.iter().filter(|info| repairs.contains(&info.repair)).peekable();
    while wanted.peek().is_some() {
        let module = Module::parse(&result.text);
        if !module.errors().is_empty() {
            break;
        }
        // The text is read anew only once it is another.
        let changed = wanted.find_map(|info| {
            let mut edits = Edits::new(&module);
            (info.run)(&module, &mut edits);
            edits.applied().map(|(text, count)| (info.repair, text, count))
        });
        let Some((repair, text, count)) = changed else { break };
        result.text = text;
        result.applied.push((repair, count));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RULES;

    #[test]
    fn rules_with_a_repair_are_marked() {
        for (index, info) in REPAIRS.iter().enumerate() {
            assert_eq!(info.repair as usize, index, "{}", info.name);
            assert!(info.summary.ends_with('.'), "{}", info.name);
        }
        for rule in &RULES {
            let has_repair = REPAIRS.iter().any(|info| info.rules.contains(&rule.id));
            assert_eq!(rule.details.fixable, has_repair, "{}", rule.code);
        }
    }
}
