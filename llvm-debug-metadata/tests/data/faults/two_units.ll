target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k() !dbg !4 {
  ret void, !dbg !6
}

define ptx_kernel void @g() !dbg !5 {
  ret void, !dbg !7
}

!llvm.dbg.cu = !{!0, !8}
!llvm.module.flags = !{!1}
!nvvmir.version = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 2, i32 0, i32 3, i32 2}
!3 = !DIFile(filename: "k.c", directory: "/src")
!4 = distinct !DISubprogram(name: "k", file: !3, line: 3, type: !9, spFlags: DISPFlagDefinition, unit: !0)
!5 = distinct !DISubprogram(name: "g", file: !3, line: 5, type: !9, spFlags: DISPFlagDefinition, unit: !8)
!6 = !DILocation(line: 4, scope: !4)
!7 = !DILocation(line: 6, scope: !5)
!8 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug)
!9 = !DISubroutineType(types: !10)
!10 = !{null}
