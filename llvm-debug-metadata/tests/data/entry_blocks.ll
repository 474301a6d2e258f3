; ModuleID = '<stdin>'
source_filename = "<stdin>"

define i32 @f(i1 %c) {
  br i1 %c, label %b, label %d

b:                                                ; preds = %0
  br label %d

d:                                                ; preds = %b, %0
  %p = phi i32 [ 0, %0 ], [ 1, %b ]
  ret i32 %p
}

define i32 @g(i1 %0, i1 %c) {
  br i1 %c, label %b, label %d

b:                                                ; preds = %1
  br label %d

d:                                                ; preds = %b, %1
  %p = phi i32 [ 0, %1 ], [ 1, %b ]
  ret i32 %p
}

define i32 @h(i1 %0, i1 %1) {
  br i1 %0, label %b, label %d

b:                                                ; preds = %2
  br label %d

d:                                                ; preds = %b, %2
  %p = phi i32 [ 10, %2 ], [ 1, %b ]
  ret i32 %p
}
