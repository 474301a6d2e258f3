
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

define void @bar(...) {
  %1 = alloca %"odd type", align 8
  %r = call i32 @llvm.read_register.i32(metadata !16)
  switch i32 %r, label %d [
    i32 0, label %d
    i32 1, label %"un reach"
  ], !prof !15

d:                                                ; preds = %0, %0
  ret void

"un reach":                                       ; preds = %0
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare i32 @llvm.read_register.i32(metadata) #0

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }

!llvm.module.flags = !{!0}
!named = !{!1, !14, !15}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !{null, !2, !1}
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !11)
!3 = !DIFile(filename: "a", directory: "b")
!4 = !{!5}
!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", elements: !6, identifier: "S")
!6 = !{!7, !10}
!7 = !DISubprogram(name: "bar", linkageName: "_bar", scope: !5, file: !3, type: !8, spFlags: 0)
!8 = !DISubroutineType(types: !9)
!9 = !{null, !5}
!10 = !DISubprogram(linkageName: "_noname", scope: !5, file: !3, type: !8, spFlags: 0)
!11 = !{!12}
!12 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression())
!13 = distinct !DIGlobalVariable(name: "g", scope: !2, file: !3, type: !5, isLocal: false, isDefinition: true)
!14 = !{ptr @g, ptr @foo, !3, !"x"}
!15 = !{!"branch_weights", i32 1, i32 2, i32 3}
!16 = !{!"sp"}
