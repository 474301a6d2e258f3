; ModuleID = 'last_calls.ll'
source_filename = "last_calls.ll"

declare i32 @llvm.experimental.deoptimize.i32(...)

declare i32 @g(i32)

define i32 @d(i32 %x) {
  %y = add i32 %x, 1
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 1) [ "deopt"() ]
  ret i32 %r
}

define i32 @d2(i32 %x) {
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 1) [ "deopt"() ]
  ret i32 %r
}

define i64 @m(i64 %x) {
  %r = musttail call i64 @m(i64 %x)
  ret i64 %r
}

define void @mv(i64 %x) {
  musttail call void @mv(i64 %x)
  ret void
}

define i64 @m2(i64 %x) {
  %y = add i64 %x, 1
  %r = musttail call i64 @m(i64 %y)
  ret i64 %r
}

define ptr @m3(ptr %x) {
  %r = musttail call ptr @m3(ptr %x)
  %b = bitcast ptr %r to ptr
  ret ptr %b
}

define void @inv(i64 %x) personality ptr @g {
  %r = invoke i64 @m(i64 %x)
          to label %a unwind label %b

a:                                                ; preds = %0
  ret void

b:                                                ; preds = %0
  %l = landingpad { ptr, i32 }
          cleanup
  ret void
}
