
@kept = global i32 0

define i32 @f() {
  ret i32 3
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
