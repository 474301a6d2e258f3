
%T = type { i32, %"odd type" }
%"odd type" = type { ptr }

$foo = comdat any

@g = internal global %T zeroinitializer
@"a b" = private unnamed_addr constant [3 x i8] c"x;\22", align 1
@llvm.used = appending global [1 x ptr] [ptr @keepme], section "llvm.metadata"
@keepme = internal global i32 3
@ba = global ptr blockaddress(@foo, %x)
@0 = internal global i32 7

@al = internal alias i32, ptr @keepme

@if = ifunc void (), ptr @res

define internal ptr @res() {
entry:
  ret ptr null
}

define internal void @foo(ptr %T, i32 %"odd arg") comdat prefix i32 5 personality ptr @res {
entry:
  %U = load %T, ptr %T, align 8
  %e = extractvalue %T %U, 1
  br label %x

x:                                                ; preds = %entry
  %p = phi i32 [ %"odd arg", %entry ]
  %f = getelementptr %T, ptr %T, i32 0, i32 1
  %v = insertvalue %T %U, i32 %p, 0
  musttail call void @foo(ptr %T, i32 %p)
  ret void
}

define void @bar(...) !dbg !19 {
  %1 = alloca %"odd type", align 8
  %r = call i32 @llvm.read_register.i32(metadata !22), !dbg !23
  switch i32 %r, label %d [
    i32 0, label %d
    i32 1, label %"un reach"
  ], !prof !18

d:                                                ; preds = %0, %0
  ret void

"un reach":                                       ; preds = %0
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare i32 @llvm.read_register.i32(metadata) #0

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }

!llvm.dbg.cu = !{!0, !2}
!llvm.module.flags = !{!3}
!named = !{!4, !17, !18}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a", directory: "b")
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{!0, !5}
!5 = distinct !{null, !6, !5}
!6 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !7, globals: !14)
!7 = !{!8}
!8 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", elements: !9, identifier: "S")
!9 = !{!10, !13}
!10 = !DISubprogram(name: "bar", linkageName: "_bar", scope: !8, file: !1, type: !11, spFlags: 0)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !8}
!13 = !DISubprogram(linkageName: "_noname", scope: !8, file: !1, type: !11, spFlags: 0)
!14 = !{!15}
!15 = !DIGlobalVariableExpression(var: !16, expr: !DIExpression())
!16 = distinct !DIGlobalVariable(name: "g", scope: !6, file: !1, type: !8, isLocal: false, isDefinition: true)
!17 = !{ptr @g, ptr @foo, !1, !"x"}
!18 = !{!"branch_weights", i32 1, i32 2, i32 3}
!19 = distinct !DISubprogram(name: "bar", scope: !1, file: !1, type: !20, spFlags: DISPFlagDefinition, unit: !0)
!20 = !DISubroutineType(types: !21)
!21 = !{}
!22 = !{!"sp"}
!23 = !DILocation(line: 4, scope: !24, inlinedAt: !25)
!24 = distinct !DISubprogram(name: "inl", scope: !1, file: !1, type: !20, spFlags: DISPFlagDefinition, unit: !2)
!25 = distinct !DILocation(line: 9, scope: !19)
