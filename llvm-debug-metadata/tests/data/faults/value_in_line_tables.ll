target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %a) !dbg !4 {
  %v = add i32 %a, 7, !dbg !6
    #dbg_value(i32 %v, !7, !DIExpression(), !6)
  store i32 %v, ptr addrspace(1) %out, !dbg !6
  ret void, !dbg !6
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!nvvmir.version = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 2, i32 0, i32 3, i32 2}
!3 = !DIFile(filename: "k.c", directory: "/src")
!4 = distinct !DISubprogram(name: "k", file: !3, line: 3, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !9)
!6 = !DILocation(line: 4, scope: !4)
!7 = !DILocalVariable(name: "a", scope: !4, file: !3, line: 3, type: !8)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !{null}
