//! The typed form of C, construct by construct: conversions spelled out, constants folded, initialisers laid
//! out.

mod support;

use support::{Show, good, good_ilp32};

/// Checks the body of `f`.
fn check(text: &str, expected: &str) {
    let program = good(text);
    assert_eq!(Show(&program).function("f"), format!("{{ {expected} }}"), "{text}");
}

/// Checks the type and initialiser of `x`.
fn check_global(text: &str, expected: &str) {
    let program = good(text);
    assert_eq!(Show(&program).global("x"), expected, "{text}");
}

#[test]
fn arithmetic_conversions() {
    check(
        "void f(char c, unsigned u, long l) { c = u + l; }",
        "(c = Integer<char>((Integer<long>(u) Add l)));",
    );
    check("int f(long l, unsigned u) { return l < u; }", "return (l Less Integer<long>(u));");
    check("int f(int i, unsigned u) { return i < u; }", "return (Integer<unsigned int>(i) Less u);");
    check("void f(double d, char c) { d = c; }", "(d = IntegerToFloat<double>(c));");
    check("void f(_Bool b, double d) { b = d; }", "(b = Bool<_Bool>(d));");
    check(
        "void f(unsigned u, char c) { u += c; }",
        "(u Add= Integer<unsigned int>(Integer<int>(c)) in unsigned int);",
    );
    check("void f(char c, long l) { c <<= l; }", "(c ShiftLeft= l in int);");
    check("void f(char c, double d) { c += d; }", "(c Add= d in double);");
    check("int f(unsigned char c) { return ~c + !c; }", "return (~Integer<int>(c) Add !c);");
    check("long f(void) { return -1; }", "return -1:long;");
}

#[test]
fn pointers_and_arrays() {
    check("void f(int *p) { p = p + 1; }", "(p = (p + 1:long * 4:unsigned long));");
    check("void f(int *p) { p -= 2; }", "(p -= 2:long * 4:unsigned long);");
    check("void f(int *p) { 2[p] = *p++; }", "(*(p + 2:long * 4:unsigned long) = *p++);");
    check("long f(int *p, int *q) { return p - q; }", "return ((p - q) / 4:unsigned long);");
    check("int a[2][3]; int f(int i) { return a[i][1]; }", "return a[Integer<long>(i)][1:long];");
    check("int a[2][3]; int *f(int i) { return a[i]; }", "return decay(a[Integer<long>(i)]);");
    check("int f(int a[3]) { return *a; }", "return *a;");
    check("int f(int x) { return *&x; }", "return x;");
    check("void f(void *v, char *c) { c = v; v++; }", "(c = Pointer<char*>(v)); v++;");
    check("int f(int *p) { return p == 0; }", "return (p Equal 0:int*);");
    check("int f(int *p) { return p && !p; }", "return (p && !p);");
}

#[test]
fn records_and_bit_fields() {
    let s = "struct S { int a; struct { int b, c[2]; }; unsigned f : 3; } s, *p;";
    check(&format!("{s} void f(void) {{ s.c[1] = p->b; }}"), "(s._.c[1:long] = *p._.b);");
    check(&format!("{s} void f(void) {{ s = *p; }}"), "(s = *p);");
    check(&format!("{s} int f(void) {{ return s.f + 1; }}"), "return (Integer<int>(s.f) Add 1);");
    check(&format!("{s} void f(void) {{ (&s)->a = 1; }}"), "(s.a = 1);");
    check(&format!("{s} struct S g(void); int f(void) {{ return g().a; }}"), "return g().a;");
}

#[test]
fn conditionals_and_logic() {
    check("int f(int a, int *p) { return p ? 1 : a; }", "return (p ? 1 : a);");
    check("long f(int a, long l) { return a ? a : l; }", "return (a ? Integer<long>(a) : l);");
    check("int f(int a) { return a ?: 3; }", "return (a ?Same: 3);");
    check("long f(int a, long l) { return a ?: l; }", "return (a ?Integer: l);");
    check("int f(int a) { return 0 && a; }", "return 0;");
    check("int f(int a) { return 1 ? 2 : a; }", "return 2;");
    check("int f(int a) { return (a = 1, a); }", "return ((a = 1), a);");
}

#[test]
fn calls() {
    let start = "int g(int); typedef int (*fn)(int);";
    check(
        &format!("{start} int f(void) {{ return g('a') + (&g)(2) + (*g)(3L); }}"),
        "return ((g(97) Add g(2)) Add g(3));",
    );
    check(&format!("{start} int f(fn h) {{ return h(1) + (*h)(2); }}"), "return ((*h)(1) Add (*h)(2));");
    check("int f(void) { return unknown(1.0f, 'c'); }", "return unknown(1.0:double, 99);");
    check(
        "int printf(const char *, ...); void f(short s, float x) { printf(\"\", s, x); }",
        "printf(Pointer<char*>(decay(\"\")), Integer<int>(s), Float<double>(x));",
    );
    // The definition comes later, in the style of K&R.
    check(
        "int g(); int f(void) { return g(1, 2.5); } int g(c, x) char c; float x; { return c; }",
        "return g(1:char, 2.5:float);",
    );
}

#[test]
fn statements() {
    check(
        "int f(long x) { switch (x) { case 1: case 2 ... 4: x = 1; break; default: ; } return x; }",
        "switch x [1..1->label0 2..4->label1 default->label2] { { label0: ; label1: (x = 1:long); } break; label2: ; } return Integer<int>(x);",
    );
    check(
        "void f(int n) { for (int i = 0; i < n; i++) continue; }",
        "{ int i = {@0 0}; for ; (i Less n); i++ continue; }",
    );
    check(
        "void f(int n) { do n--; while (n); l: if (n) goto l; else return; }",
        "do n--; while n l: if n goto l; else return ;",
    );
    check("int f(int x) { return ({ int y = x; y + 1; }); }", "return ({ int y = {@0 x}; } (y Add 1));");
    check("void f(void) { void *p = &&a; goto *p; a:; }", "void* p = {@0 &&a}; goto *p; a: ;");
    check("void f(void) { return 3; }", "{ 3; return ; }");
    check("void f(int x) { asm(\"\" : \"+r\"(x)); asm(\"hlt\"); }", "asm true 0 1; asm false 0 0;");
    check("void f(void) { l: }", "l: ;");
    check("void f(void) { l: int x; }", "l: ; int x;");
}

#[test]
fn variable_length_arrays() {
    let program = good("unsigned long f(int n) { int a[n]; return sizeof a; }");
    let text = Show(&program).function("f");
    let hidden = text.split(' ').nth(3).expect("the hidden length comes first").to_string();
    let expected = format!(
        "{{ unsigned long {hidden} = {{@0 Integer<unsigned long>(n)}}; int[?] a; return ({hidden} Multiply 4:unsigned long); }}"
    );
    assert_eq!(text, expected);
}

#[test]
fn atomics() {
    check("_Atomic int x; void f(void) { x++; x += 2; }", "x++; (x Add= 2 in int);");
    check(
        "long f(int *p) { return __sync_fetch_and_add(p, 1L); }",
        "return Integer<long>(Fetch { op: Add, new: false }<int>(p, 1));",
    );
    check(
        "int f(int *p) { return __sync_add_and_fetch(p, 1); }",
        "return Fetch { op: Add, new: true }<int>(p, 1);",
    );
    check("void f(int *p) { __sync_lock_release(p); }", "Store<int>(p, 0);");
    check(
        "int f(long *p) { return __sync_bool_compare_and_swap(p, 1, 2); }",
        "return Integer<int>(CompareExchange { weak: false, expected: ValueGivesSuccess }<long>(p, 1:long, 2:long));",
    );
    check(
        "void f(long *p, long e) { __atomic_compare_exchange_n(p, &e, 5, 1, 5, 5); }",
        "CompareExchange { weak: true, expected: Pointer }<long>(p, &e, 5:long);",
    );
    check(
        "void f(long *p, long v, long r) { __atomic_exchange(p, &v, &r, 5); }",
        "Exchange<long>(p, v, &r);",
    );
    check(
        "int *f(int **p) { return __c11_atomic_fetch_add(p, 2, 5); }",
        "return refused<int*>(`atomic_fetch_add` or its like on a pointer, which C11 counts in elements and gcc in bytes);",
    );
}

#[test]
fn initialisers() {
    check_global("struct { int a, b; } x = { .b = 2, .a = 1 };", "record = {@4 2, @0 1, 0}");
    check_global(
        "struct P { int a, b; } x[] = { 1, 2, { 3 }, [4].b = 5, 6 };",
        "P[6] = {@0 1, @4 2, @8 3, @36 5, @40 6, 0}",
    );
    check_global(
        "struct { struct { int a, b; } p[2]; int z; } x = { .p[0].b = 1, 2, 3, 4 };",
        "record = {@4 1, @8 2, @12 3, @16 4, 0}",
    );
    check_global("char x[] = \"ab\";", "char[3] = {@0 97:char, @1 98:char, @2 0:char, 0}");
    check_global("char *x = \"ab\";", "char* = {@0 decay(\"ab\")}");
    check_global("int a[4]; int *x = &a[2];", "int* = {@0 &a[2:long]}");
    check_global("struct { int a : 4, : 4, b : 8; } x = { -1, 3 };", "record = {@0:0+4 -1, @0:8+8 3, 0}");
    check_global("union { int a; float b; } x = { .b = 1 };", "record = {@0 1.0:float, 0}");
    check_global("int x[4] = { [1 ... 2] = 7 };", "int[4] = {@4 7, @8 7, 0}");
    check_global("unsigned char x = 300;", "unsigned char = {@0 44:unsigned char}");
    check_global("int x[2][2] = { { 1 }, 2, 3 };", "int[2][2] = {@0 1, @8 2, @12 3, 0}");
}

#[test]
fn library_types_are_opaque_by_name() {
    let mutex = "typedef union { struct { int lock; int __kind; } data; char size[40]; } pthread_mutex_t;";
    check_global(&format!("{mutex} pthread_mutex_t x = {{ {{ 0, 1 }} }};"), "Mutex = {@0 1, 0}");
    check_global(
        &format!(
            "{mutex} struct {{ int a; pthread_mutex_t m[2]; int b; }} x = {{ 1, {{ {{ {{ 0, 2 }} }} }}, 3 }};"
        ),
        "record = {@0 1, @4 2, @84 3, 0}",
    );
    check_global("typedef struct q *pthread_t; pthread_t x;", "unsigned long");
}

#[test]
fn both_data_models() {
    let text = "struct { char c; long long l; void *p; } s; unsigned long x = sizeof s + sizeof(long);";
    assert_eq!(Show(&good(text)).global("x"), "unsigned long = {@0 32:unsigned long}");
    assert_eq!(Show(&good_ilp32(text)).global("x"), "unsigned long = {@0 20:unsigned long}");
    let detected = good("typedef unsigned int size_t; unsigned long x = sizeof(void *);");
    assert_eq!(Show(&detected).global("x"), "unsigned long = {@0 4:unsigned long}");
}

#[test]
fn who_has_an_address() {
    let program =
        good("int g(int *); int f(int a, int b) { int c[2], d[2]; g(&a); g(c); d[1] = 2; return b; }");
    let taken =
        |name: &str| program.variables.iter().any(|variable| variable.name == name && variable.address_taken);
    assert!(taken("a") && taken("c"));
    assert!(!taken("b") && !taken("d"));
    let g = program.functions.iter().find(|function| function.name == "g").expect("g is declared");
    assert!(!g.address_taken, "a call takes no address");
}
