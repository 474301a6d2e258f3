//! Prints a kernel with full debug information: types, variables in memory and in registers, and
//! two inlined calls.
//!
//! `debug_kernel sm_90 > k.ptx; ptxas -g -arch sm_90 k.ptx -o k.cubin`

use ptx_debug::model::{
    AddressClass, Block, EmissionKind, File, Location, Member, Place, PlaceInRange, RecordKind, Subprogram,
    Type, Unit, Variable, VariableKind, VariableLocation,
};
use ptx_debug::{Dialect, Error, Model, PtxWriter};

// 1 struct Pair { int x; Pair *next; float y[2]; };
// 2 __device__ int counter;
// 3 __device__ int square(int v) { return v * v; }
// 4 __global__ void kernel(int *out, int n) {
// 5   int s = square(n) + square(n);
// 6   { Pair p; p.x = s; out[0] = p.x + counter; }
// 7 }

/// The PTX of the kernel for an architecture such as `sm_90`.
pub(crate) fn kernel(architecture: &str, kind: EmissionKind) -> Result<String, Error> {
    let mut model = Model::new();
    let file = model.file(File { directory: b"/src", name: b"k.cu" })?;
    let unit = model.unit(Unit { producer: b"example".into(), ..Unit::new(kind, file) })?;

    let base = |name: &str, encoding| Type::Base { name: name.into(), encoding, byte_size: 4 };
    let int = model.type_(base("int", 5))?;
    let float = model.type_(base("float", 4))?;
    let pair = model.declare_type()?;
    let next = model.type_(Type::Pointer(Some(pair)))?;
    let y = model.type_(Type::Array { element: float, index: int, counts: vec![Some(2)] })?;
    let members = [("x", int, 0), ("next", next, 8), ("y", y, 16)];
    let member = |(name, of, offset): (&str, _, _)| Member { name: name.into(), of, offset };
    let members = members.map(member).into();
    let record = Type::Record { kind: RecordKind::Structure, name: b"Pair".into(), byte_size: 24, members };
    model.define_type(pair, record)?;
    let int_pointer = model.type_(Type::Pointer(Some(int)))?;

    let square = Subprogram {
        linkage_name: b"_Z6squarei",
        line: 3,
        scope_line: 3,
        returns: Some(int),
        ..Subprogram::new(b"square", file, unit)
    };
    let square = model.subprogram(square)?;
    let kernel = Subprogram { line: 4, scope_line: 4, ..Subprogram::new(b"kernel", file, unit) };
    let kernel = model.subprogram(kernel)?;
    let block = model.block(Block { parent: kernel.into(), file, line: 6, column: 3 })?;

    let register = |name: &str| Some(VariableLocation::Single(Place::Register(name.into())));
    let memory = |name: &str| Some(VariableLocation::Single(Place::Symbol { name: name.into(), offset: 0 }));
    let in_code = |begin: &str, end: &str, name: &str| {
        let place = Place::Register(name.into());
        Some(VariableLocation::List(vec![PlaceInRange { begin: begin.into(), end: end.into(), place }]))
    };
    let parameter = VariableKind::Parameter(kernel.into());
    let of_kernel = VariableKind::Local(kernel.into());
    let of_block = VariableKind::Local(block.into());
    let of_square = VariableKind::Parameter(square.into());
    let (in_register, in_global, in_local) =
        (AddressClass::Register, AddressClass::Global, AddressClass::Local);
    for (name, kind, of, line, memory, location) in [
        ("counter", VariableKind::Global(unit), int, 2, in_global, memory("counter")),
        ("v", of_square, int, 3, in_register, None),
        ("out", parameter, int_pointer, 4, in_register, register("%rd1")),
        ("n", parameter, int, 4, in_register, register("%r1")),
        ("s", of_kernel, int, 5, in_register, in_code("$L__s", "$L__s_end", "%r4")),
        ("p", of_block, pair, 6, in_local, memory("__local_depot0")),
    ] {
        model.variable(Variable { name: name.into(), kind, of, file, line, memory, location })?;
    }

    let first = model.call_site(Location::new(kernel, 5, 11))?;
    let second = model.call_site(Location::new(kernel, 5, 23))?;
    let in_square = |call| Some(Location { inlined_at: Some(call), ..Location::new(square, 3, 41) });
    let at = |line, column| Some(Location::new(kernel, line, column));
    let in_block = |column| Some(Location::new(block, 6, column));

    let mut writer = PtxWriter::new(&model, Dialect::Compute100);
    writer.text(".version 8.7\n");
    writer.target(architecture);
    writer.text(".address_size 64\n\n.visible .global .align 4 .u32 counter;\n\n");
    writer
        .text(".visible .entry kernel(\n\t.param .u64 kernel_param_0,\n\t.param .u32 kernel_param_1\n)\n{\n");
    writer.text("\t.local .align 8 .b8 \t__local_depot0[24];\n\t.reg .b32 \t%r<8>;\n\t.reg .b64 \t%rd<4>;\n");
    writer.begin_function(kernel)?;
    writer.instruction("\tld.param.u64 \t%rd1, [kernel_param_0];\n", None)?;
    writer.instruction("\tld.param.u32 \t%r1, [kernel_param_1];\n", None)?;
    writer.instruction("\tmul.lo.s32 \t%r2, %r1, %r1;\n", in_square(first))?;
    writer.instruction("\tmul.lo.s32 \t%r3, %r1, %r1;\n", in_square(second))?;
    writer.instruction("\tadd.s32 \t%r4, %r2, %r3;\n", at(5, 21))?;
    writer.text("$L__s:\n");
    writer.instruction("\tmov.u64 \t%rd2, __local_depot0;\n", in_block(13))?;
    writer.instruction("\tst.local.u32 \t[%rd2], %r4;\n", in_block(17))?;
    writer.instruction("\tld.global.u32 \t%r5, [counter];\n", in_block(37))?;
    writer.instruction("\tadd.s32 \t%r6, %r5, %r4;\n", in_block(35))?;
    writer.instruction("\tcvta.to.global.u64 \t%rd3, %rd1;\n", in_block(29))?;
    writer.instruction("\tst.global.u32 \t[%rd3], %r6;\n", in_block(29))?;
    writer.text("$L__s_end:\n");
    writer.instruction("\tret;\n", at(7, 1))?;
    writer.end_function()?;
    writer.text("}\n");
    writer.finish()
}

#[allow(dead_code, reason = "a test of the driver takes the function above alone")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let architecture = std::env::args().nth(1).ok_or("usage: debug_kernel sm_90")?;
    #[allow(clippy::print_stdout, reason = "what the example is for")]
    {
        print!("{}", kernel(&architecture, EmissionKind::Full)?);
    }
    Ok(())
}
