target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%class.Counter = type { i32 }

$_ZN7CounterC1Ei = comdat any

$_ZN7Counter4nextEv = comdat any

$_ZN7Counter5twiceEi = comdat any

$_ZN7CounterC2Ei = comdat any

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z13class_methodsPi(ptr noundef %p) #0 {
entry:
  %p.addr = alloca ptr, align 8
  %counter = alloca %class.Counter, align 4
  store ptr %p, ptr %p.addr, align 8
  %0 = load ptr, ptr %p.addr, align 8
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 0
  %1 = load i32, ptr %arrayidx, align 4
  call void @_ZN7CounterC1Ei(ptr noundef nonnull align 4 dereferenceable(4) %counter, i32 noundef %1) #2
  %call = call noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %counter) #2
  %call1 = call noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %counter) #2
  %call2 = call noundef i32 @_ZN7Counter5twiceEi(i32 noundef %call1) #2
  %add = add nsw i32 %call, %call2
  %2 = load ptr, ptr %p.addr, align 8
  %arrayidx3 = getelementptr inbounds i32, ptr %2, i64 1
  store i32 %add, ptr %arrayidx3, align 4
  ret void
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN7CounterC1Ei(ptr noundef nonnull align 4 dereferenceable(4) %this, i32 noundef %start) unnamed_addr #1 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  %start.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8
  store i32 %start, ptr %start.addr, align 4
  %this1 = load ptr, ptr %this.addr, align 8
  %0 = load i32, ptr %start.addr, align 4
  call void @_ZN7CounterC2Ei(ptr noundef nonnull align 4 dereferenceable(4) %this1, i32 noundef %0) #2
  ret void
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %this) #1 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds %class.Counter, ptr %this1, i32 0, i32 0
  %0 = load i32, ptr %value, align 4
  %inc = add nsw i32 %0, 1
  store i32 %inc, ptr %value, align 4
  ret i32 %inc
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN7Counter5twiceEi(i32 noundef %x) #1 comdat align 2 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  %0 = load i32, ptr %x.addr, align 4
  %mul = mul nsw i32 2, %0
  ret i32 %mul
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN7CounterC2Ei(ptr noundef nonnull align 4 dereferenceable(4) %this, i32 noundef %start) unnamed_addr #1 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  %start.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8
  store i32 %start, ptr %start.addr, align 4
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds %class.Counter, ptr %this1, i32 0, i32 0
  %0 = load i32, ptr %start.addr, align 4
  store i32 %0, ptr %value, align 4
  ret void
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" }
attributes #2 = { convergent nounwind }

!nvvm.annotations = !{!0}
!llvm.module.flags = !{!1, !2, !3, !4, !5}
!llvm.ident = !{!6}

!0 = !{ptr @_Z13class_methodsPi, !"kernel", i32 1}
!1 = !{i32 7, !"Dwarf Version", i32 2}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 1, !"wchar_size", i32 4}
!4 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!5 = !{i32 7, !"frame-pointer", i32 2}
!6 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
