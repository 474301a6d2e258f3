target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define internal i32 @callee(i32 %v) #0 !dbg !7 {
  %w = mul i32 %v, %v, !dbg !10
  ret i32 %w, !dbg !10
}

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %a) !dbg !6 {
  %w = call i32 @callee(i32 %a), !dbg !8
  store i32 %w, ptr addrspace(1) %out, align 4, !dbg !11
  ret void, !dbg !11
}

attributes #0 = { alwaysinline }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!nvvmir.version = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "p", isOptimized: false, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 2, i32 0, i32 3, i32 2}
!3 = !DIFile(filename: "k.c", directory: "/src")
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !3, file: !3, line: 3, type: !4, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!7 = distinct !DISubprogram(name: "callee", linkageName: "callee", scope: !3, file: !3, line: 10, type: !4, scopeLine: 10, spFlags: DISPFlagDefinition, unit: !0)
!8 = !DILocation(line: 4, column: 2, scope: !6)
!10 = !DILocation(line: 11, column: 4, scope: !7)
!11 = !DILocation(line: 6, column: 1, scope: !6)
