//! Faults of NVIDIA's tools that the debug metadata of a module leads to (`docs/bugs.md`): that
//! they are there, and what we do about them.

use crate::tools::{Tool, Tools};
use llvm_debug_metadata::Module;
use llvm_debug_metadata::modes::ModuleModes;
use llvm_debug_metadata::strip::{Declares, StripPass, strip};

const VALUE_IN_LINE_TABLES: &str = include_str!("../data/faults/value_in_line_tables.ll");
const TWO_UNITS: &str = include_str!("../data/faults/two_units.ll");

/// SIGSEGV, as shells write it.
const DIED: i32 = 128 + 11;

#[test]
fn libnvvm_dies_of_a_value_in_line_tables() {
    let Some(tools) = Tools::find() else { return };
    assert_eq!(tools.ask(Tool::NvvmModern, VALUE_IN_LINE_TABLES, "").status, DIED);
    // In any other kind it does not.
    for kind in ["NoDebug", "FullDebug", "DebugDirectivesOnly"] {
        let module = VALUE_IN_LINE_TABLES.replace("LineTablesOnly", kind);
        assert_eq!(tools.ask(Tool::NvvmModern, &module, "").status, 0, "{kind}");
    }
    // LLVM's pass to line tables takes the value, and so does ours.
    let module = Module::parse(VALUE_IN_LINE_TABLES);
    let stripped = strip(&module, StripPass::NonLineTable, Declares::AsLlvm).unwrap().text;
    assert_eq!(tools.ask(Tool::NvvmModern, &stripped, "").status, 0);
    assert!(stripped.contains("LineTablesOnly") && !stripped.contains("#dbg_value"), "{stripped}");
}

#[test]
fn ptxas_dies_of_names_of_two_units() {
    const WORDS: &str = "Internal error: overlapping non-identical data";
    let says_so = |module: &str| {
        let modes = ModuleModes::read(&Module::parse(module)).unwrap();
        modes.ptxas_from_compute_100.iter().any(|run| run.messages.contains(&WORDS))
    };
    let without_names = TWO_UNITS.replace("FullDebug)", "FullDebug, nameTableKind: None)");
    assert_eq!((says_so(TWO_UNITS), says_so(&without_names)), (true, false));
    let Some(tools) = Tools::find() else { return };
    for (module, dies) in [(TWO_UNITS, true), (&without_names, false)] {
        let ptx = tools.output(Tool::NvvmModern, module, "");
        assert_eq!(ptx.contains(".section\t.debug_pubnames"), dies);
        let (is_compiled, messages) = tools.ptxas(&ptx, "sm_100");
        assert_eq!((is_compiled, messages.contains(WORDS)), (!dies, dies), "{messages}");
    }
}
