; ModuleID = 'target_types.ll'
source_filename = "target_types.ll"

declare target("spirv.Event") @ev1()

define void @t1() {
  %e = call target("spirv.Event") @ev1()
  ret void
}

declare target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) @ev2()

define void @t2() {
  %e = call target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) @ev2()
  ret void
}

declare target("dx.TypedBuffer", float, 1, 0, 0) @ev4()

define void @t4() {
  %e = call target("dx.TypedBuffer", float, 1, 0, 0) @ev4()
  ret void
}

declare target("foo.bar") @ev6()

define void @t6() {
  %e = call target("foo.bar") @ev6()
  ret void
}
