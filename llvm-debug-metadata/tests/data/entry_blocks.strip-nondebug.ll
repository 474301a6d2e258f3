
define i32 @f(i1 %0) {
  br i1 %0, label %2, label %3

2:                                                ; preds = %1
  br label %3

3:                                                ; preds = %2, %1
  %4 = phi i32 [ 0, %1 ], [ 1, %2 ]
  ret i32 %4
}

define i32 @g(i1 %0, i1 %1) {
  br i1 %1, label %3, label %4

3:                                                ; preds = %2
  br label %4

4:                                                ; preds = %3, %2
  %5 = phi i32 [ 0, %2 ], [ 1, %3 ]
  ret i32 %5
}

define i32 @h(i1 %0, i1 %1) {
  br i1 %0, label %3, label %4

3:                                                ; preds = %2
  br label %4

4:                                                ; preds = %3, %2
  %5 = phi i32 [ 10, %2 ], [ 1, %3 ]
  ret i32 %5
}
