//! Each error, and that a call that fails changes nothing.

#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use ptx_debug::model::{
    AddressClass, Block, EmissionKind, File, FileId, Location, Place, Subprogram, SubprogramId, Type, Unit,
    Variable, VariableKind, VariableLocation,
};
use ptx_debug::{Dialect, Error, Model, PtxWriter};

fn file(name: &[u8]) -> File<'_> {
    File { directory: b"/src", name }
}

fn model() -> (Model, FileId, SubprogramId, SubprogramId) {
    let mut model = Model::new();
    let path = model.file(file(b"k.cu")).unwrap();
    let unit = model.unit(Unit::new(EmissionKind::Directives, path)).unwrap();
    let kernel = model.subprogram(Subprogram { scope_line: 3, ..Subprogram::new(b"k", path, unit) }).unwrap();
    let other = model.subprogram(Subprogram::new(b"other", path, unit)).unwrap();
    (model, path, kernel, other)
}

#[test]
fn files_need_an_absolute_path() {
    let mut model = Model::new();
    let error = model.file(File { directory: b"src", name: b"k.cu" });
    assert_eq!(error, Err(Error::RelativePath { path: "src/k.cu".into() }));
    let error = model.file(file(b"k\0.cu"));
    assert_eq!(error, Err(Error::NulInString { field: "path", offset: 1 }));
    assert!(model.file(File { directory: b"", name: b"/k.cu" }).is_ok());
}

#[test]
fn handles_of_another_model_are_refused() {
    let (mut large, path, kernel, other) = model();
    let mut small = Model::new();
    let unknown = |kind, index| Error::UnknownHandle { kind, index };
    let block = Block { parent: kernel.into(), file: path, line: 1, column: 1 };
    assert_eq!(small.block(block), Err(unknown("file", 0)));
    let own = small.file(file(b"k.cu")).unwrap();
    assert_eq!(small.block(Block { file: own, ..block }), Err(unknown("subprogram", 0)));
    assert_eq!(small.call_site(Location::new(other, 1, 1)), Err(unknown("subprogram", 1)));
    let block = large.block(block).unwrap();
    assert_eq!(small.file_of(block.into()), Err(unknown("block", 0)));
    let call = large.call_site(Location::new(kernel, 1, 1)).unwrap();
    assert_eq!(small.call_site_location(call), Err(unknown("call site", 0)));

    let mut writer = PtxWriter::new(&small, Dialect::Compute90);
    assert_eq!(writer.begin_function(kernel), Err(unknown("subprogram", 0)));
    assert_eq!(writer.finish().unwrap(), "\n");
}

#[test]
fn instructions_are_in_functions() {
    let (model, _, kernel, other) = model();
    let mut writer = PtxWriter::new(&model, Dialect::Compute100);
    assert_eq!(writer.instruction("\tret;\n", None), Err(Error::NoFunction));
    assert_eq!(writer.label("$L:\n"), Err(Error::NoFunction));
    assert_eq!(writer.end_function(), Err(Error::NoFunction));
    writer.begin_function(kernel).unwrap();
    assert_eq!(writer.begin_function(kernel), Err(Error::FunctionOpen));
    assert_eq!(writer.clone().finish(), Err(Error::FunctionOpen));
    let foreign = writer.instruction("\tret;\n", Some(Location::new(other, 4, 1)));
    assert_eq!(foreign, Err(Error::ForeignLocation));
    writer.instruction("\tret;\n", Some(Location::new(kernel, 4, 1))).unwrap();
    writer.end_function().unwrap();
    let expected = "\t.loc\t1 3 0\n\t.loc\t1 4 1\n\tret;\n\t.file\t1 \"/src/k.cu\"\n";
    assert_eq!(writer.finish().unwrap(), expected);
}

#[test]
fn functions_of_units_without_debug_information_stay_as_they_are() {
    let (mut model, path, ..) = model();
    let unit = model.unit(Unit::new(EmissionKind::None, path)).unwrap();
    let quiet = model.subprogram(Subprogram::new(b"quiet", path, unit)).unwrap();
    let mut writer = PtxWriter::new(&model, Dialect::Compute100);
    writer.begin_function(quiet).unwrap();
    writer.instruction("\tret;\n", Some(Location::new(quiet, 4, 1))).unwrap();
    writer.end_function().unwrap();
    assert_eq!(writer.finish().unwrap(), "\tret;\n");
}

#[test]
fn registers_need_a_number() {
    let (mut model, file, kernel, _) = model();
    let of = model.type_(Type::Pointer(None)).unwrap();
    let variable = |name: &str| {
        let location = Some(VariableLocation::Single(Place::Register(name.into())));
        let kind = VariableKind::Local(kernel.into());
        Variable { name: b"v".into(), kind, of, file, line: 1, memory: AddressClass::Register, location }
    };
    for name in ["r1", "%", "%rd123456"] {
        assert_eq!(model.variable(variable(name)), Err(Error::RegisterName { name: name.into() }));
    }
    assert!(model.variable(variable("%rd12345")).is_ok());
}

#[test]
fn types_are_defined_once() {
    let mut model = Model::new();
    let file = model.file(file(b"k.cu")).unwrap();
    model.unit(Unit::new(EmissionKind::Full, file)).unwrap();
    let of = model.declare_type().unwrap();
    let undefined = PtxWriter::new(&model, Dialect::Compute90).finish();
    assert_eq!(undefined, Err(Error::UndefinedType { index: 0 }));
    model.define_type(of, Type::Pointer(Some(of))).unwrap();
    assert_eq!(model.define_type(of, Type::Pointer(None)), Err(Error::DefinedType { index: 0 }));
    assert!(PtxWriter::new(&model, Dialect::Compute90).finish().is_ok());
}
