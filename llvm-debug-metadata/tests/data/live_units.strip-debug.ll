
define i32 @f(i32 %a) {
  %b = add i32 %a, 1
  ret i32 %b
}

!llvm.debugify = !{!0, !1}
!llvm.module.flags = !{!2}

!0 = !{i32 2}
!1 = !{i32 1}
!2 = !{i32 2, !"Debug Info Version", i32 3}
