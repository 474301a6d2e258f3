//! Tests on names as `nvlink -dump-callgraph` prints them, and on their parts.

use super::*;
use crate::names::demangle;

// Mangled, and as `nvlink -dump-callgraph` 13.0.88 prints it.
const PRINTED: [(&str, &str); 27] = [
    ("_Z2k1Pfi", "k1(float *, int)"),
    ("_Z1kIiEvPT_", "void k<int>(T1 *)"),
    ("_Z6reduceILi4EfEvPT0_PKS0_", "void reduce<(int)4, float>(T2 *, const T2 *)"),
    ("_ZN2ns1kIiEEvPT_S2_", "void ns::k<int>(T1 *, T1 *)"),
    ("_ZN12_GLOBAL__N_11kEi", "<unnamed>::k(int)"),
    (
        "_Z1fjmylxsthac",
        "f(unsigned int, unsigned long, unsigned long long, long, long long, short, unsigned short, unsigned char, signed char, char)",
    ),
    ("_Z1fPKfPVKiRdOb", "f(const float *, const volatile int *, double &, bool &&)"),
    ("_Z1fPFviE", "f(void (*)(int))"),
    ("_Z1fRA4_i", "f(int (&)[4])"),
    ("_ZZ1kiENKUliE_clEi", "k(int)::[lambda(int) (instance 1)]::operator ()(int) const"),
    ("_Z1kIZ4mainEUliE_EvT_", "void k<main::[lambda(int) (instance 1)]>(T1)"),
    ("_Z1kILb1ELj5ELm6ELc97EEvv", "void k<(bool)1, (unsigned int)5, (unsigned long)6, (char)97>()"),
    ("_ZN1AplERKS_", "A::operator +(const A&)"),
    ("_Z1kIJifEEvDpT_", "void k<int, float>(T1...)"),
    ("_Z1kIiEPT_S0_", "T1 * k<int>(T1)"),
    (
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
        "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, std::array<char *, (unsigned long)1>>(int, T2, T3)",
    ),
    ("_Z1f6__half15HIP_vector_typeIfLj2EE", "f(__half, HIP_vector_type<float, (unsigned int)2>)"),
    ("_Z1fSt6vectorIiSaIiEE", "f(std::vector<int, std::allocator<int>>)"),
    ("_Z1kIN2ns1SEEvT_", "void k<ns::S>(T1)"),
    ("_Z1fz", "f(...)"),
    ("_Z1kILi4ELin3EEvv", "void k<(int)4, (int)-3>()"),
    ("_Z1fPKPKc", "f(const char *const *)"),
    ("_Z1kIPKfEvT_", "void k<const float *>(T1)"),
    ("_Z1kIKfEvPT_", "void k<const float>(T1 *)"),
    ("_ZN1AC1Ev", "A::A()"),
    ("_ZN1AcviEv", "A::operator int()"),
    ("_Z1kIiLi3EEvRAT0__T_", "void k<int, (int)3>(T1 (&)[T2])"),
];

#[test]
fn names_that_cuda_prints_are_those_that_are_demangled() {
    for (mangled, printed) in PRINTED {
        let ours = demangle(mangled).unwrap();
        assert_eq!(CanonicalName::of(&ours), CanonicalName::of(printed), "{ours}, {printed}");
    }
}

#[test]
fn one_function_has_many_spellings() {
    for (one, other) in [
        ("k1(float*,int)", "k1( float * , int )"),
        ("f(unsigned)", "f(unsigned int)"),
        ("f(long unsigned int, short int)", "f(unsigned long, short)"),
        ("f(int const&)", "f(const int &)"),
        ("f(void)", "f()"),
        ("void k<(bool)0>()", "void k<false>()"),
        ("(anonymous namespace)::f<std::vector<int> >(int)", "<unnamed>::f<std::vector<int>>(int)"),
    ] {
        assert_eq!(CanonicalName::of(one), CanonicalName::of(other), "{one}, {other}");
    }
    for (one, other) in [
        ("k(float*)", "k(float)"),
        ("k(float const*)", "k(float*)"),
        ("k(float const*)", "k(float* const)"),
        ("f(unsigned int)", "f(int)"),
        ("k<1>()", "k<2>()"),
        ("a::f()", "b::f()"),
        ("f(unsigned char)", "f(signed char)"),
    ] {
        assert_ne!(CanonicalName::of(one).whole, CanonicalName::of(other).whole, "{one}, {other}");
    }
}

#[test]
fn parts_of_a_name() {
    for (name, without_return, bare) in [
        ("saxpy(int, float)", "saxpy(int,float)", "saxpy"),
        ("void saxpy(int)", "saxpy(int)", "saxpy"),
        ("void reduce<float, 4>(float*)", "reduce<float,4>(float*)", "reduce<float,4>"),
        ("int* k<int>(int)", "k<int>(int)", "k<int>"),
        ("a::b(void (*)(int))", "a::b(void(*)(int))", "a::b"),
        ("(anonymous namespace)::f(int)", "{anonymous}::f(int)", "{anonymous}::f"),
        ("A::operator()(int) const", "A::operator()(int)const", "A::operator()"),
        ("void A::operator()<int>(int)", "A::operator()<int>(int)", "A::operator()<int>"),
        ("A::operator unsigned int()", "A::operator unsigned int()", "A::operator unsigned int"),
        ("k(int)::S::f(int)", "k(int)::S::f(int)", "k(int)::S::f"),
        ("plain", "plain", "plain"),
        ("$k$plain", "$k$plain", "$k$plain"),
    ] {
        let found = CanonicalName::of(name);
        assert_eq!((&*found.without_return, &*found.bare), (without_return, bare), "{name}");
    }
}

#[test]
fn odd_names_are_no_harm() {
    for name in [
        ")(",
        "<",
        ">>>",
        "a<b",
        "operator",
        "operator(",
        "T1",
        "T1<",
        "f<int>(T9)",
        "::",
        "[lambda(",
        "const",
    ] {
        let _ = CanonicalName::of(name);
    }
    let deep = "a<".repeat(100_000);
    assert!(CanonicalName::of(&deep).whole.len() <= deep.len() + 2 * MAX_NAME_NESTING);
}
