//! Files that are linked: what one leaves open and another says, and what units declare differently.

mod support;

use base::{Budget, SourceMap};
use front_c::{Options, Preprocessor, Source, symbols};
use std::collections::BTreeSet;
use support::{Show, describe, read_files};

fn linked(files: &[&str]) -> Result<front_c::hir::Program, Vec<String>> {
    let names: Vec<String> = (0..files.len()).map(|number| format!("f{number}.i")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(files.iter().copied()).collect();
    let (result, map) = read_files(&files, Options::default());
    result.map(|it| it.program).map_err(|found| describe(&found, &map))
}

/// In either order.
fn both(one: &str, other: &str) {
    for files in [[one, other], [other, one]] {
        if let Err(found) = linked(&files) {
            panic!("{files:?}: {found:#?}");
        }
    }
}

#[test]
fn what_is_opaque_in_one_file_is_complete_in_another() {
    both(
        "struct s; struct s *make(void); int use(struct s *); int use(struct s *); extern struct s *table[];\n\
         extern struct s one; extern struct s one; int main(void) { return use(make()) + use(&one) + use(table[0]); }",
        "struct s { int x; struct s *next; }; struct s one, *table[2]; struct s *make(void) { return &one; }\n\
         int use(struct s *s) { return s->x; }",
    );
    both(
        "typedef struct q q_t; typedef void (*done)(q_t *); void each(done, q_t *); void each(done, q_t *);\n\
         int main(void) { each(0, 0); return 0; }",
        "typedef struct q { int n; } q_t; void each(void (*f)(struct q *), q_t *q) { if (f) f(q); }",
    );
}

#[test]
fn members_are_known_where_the_type_is_complete() {
    let opaque = "struct s; extern struct s *head; struct s *get(void); struct s *(*way(int))(void); int f(void);\n\
                  int main(void) { return get() != head || f(); }";
    let complete = "struct s { int x; }; struct s *head; struct s *get(void); struct s *(*way(int))(void);\n\
                    int f(void) { return head->x + get()->x + way(1)()->x; }\n\
                    struct s *get(void) { return head; } struct s *(*way(int n))(void) { return n ? get : 0; }";
    both(opaque, complete);
    let third = "struct s { int x; }; extern struct s *head; int g(void) { return head->x; }";
    assert!(linked(&[opaque, complete, third]).is_ok() && linked(&[third, opaque, complete]).is_ok());
}

#[test]
fn enumerations_of_one_tag_are_the_same() {
    both(
        "enum mode { OFF, ON }; extern enum mode mode; extern enum mode mode; enum mode flip(enum mode);\n\
         enum mode flip(enum mode); int main(void) { mode = flip(mode); return mode == ON; }",
        "enum mode { OFF, ON }; enum mode mode = OFF; enum mode flip(enum mode m) { return m == OFF ? ON : OFF; }",
    );
    both(
        "enum e; extern enum e *p; extern enum e *p; void f(enum e *); void f(enum e *); int main(void) { f(p); return 0; }",
        "enum e { A = -1, B }; enum e e, *p = &e; void f(enum e *q) { *q = B; }",
    );
    // In one file they are different things.
    let found = linked(&[
        "enum a { A }; enum b { B = -1 }; extern enum a *x; extern enum b *x; int main(void) { return 0; }",
    ]);
    assert!(found.is_err_and(|it| it[0].contains("E1120")));
}

#[test]
fn variables_of_different_types_are_one_object() {
    both(
        "extern unsigned char word[4]; extern unsigned char word[4]; int main(void) { return word[0]; }",
        "unsigned word = 7; unsigned get(void) { return word; }",
    );
    let files = ["extern long x; long get(void) { return x; }", "int x = 1; int main(void) { return x; }"];
    let program = linked(&files).expect("the types differ, the object is one");
    let get = Show(&program).function("get");
    assert!(get.contains("*") && get.contains("&"), "read through a pointer: {get}");
    // Two definitions are not.
    let found = linked(&["int x; int main(void) { return x; }", "long x;"]);
    assert!(found.is_err_and(|it| it[0].contains("E1120") && it[0].contains("in another file")));
}

#[test]
fn functions_of_different_results_are_refused_where_they_are_called_and_told_once() {
    both("int f(void) { return 1; }", "long f(void); long f(void); int main(void) { return (int)f(); }");
}

#[test]
fn char_may_have_no_negative_values() {
    let read = |unsigned_char: bool| {
        let preprocessor = Preprocessor { unsigned_char, ..Preprocessor::default() };
        let options = Options { preprocessor, ..Options::default() };
        let text = "char c = -1; int a = '\\377'; int b = (char)200; int s = sizeof(\"\\377\");\n\
                    int kind = _Generic(c, unsigned char: 1, signed char: 2, char: 3);";
        let program = read_files(&[("a.i", text)], options).0.expect("it is right").program;
        ["c", "a", "b", "kind"].map(|name| Show(&program).global(name))
    };
    let (signed, unsigned) = (read(false), read(true));
    assert!(signed[0].contains("-1") && signed[1].contains("-1") && signed[2].contains("-56"), "{signed:?}");
    assert!(
        unsigned.iter().zip(["255", "255", "200", "3"]).all(|(it, value)| it.contains(value)),
        "{unsigned:?}"
    );
    assert_eq!(signed[3], unsigned[3]);
}

#[test]
fn constant_objects_are_constants_in_static_initialisers() {
    let program = linked(&["static const int MAX = 5; const double HALF = 0.5; const int NEXT = MAX + 1; volatile const int ANY = 3;\n\
        int a = MAX * 2 + NEXT; double d = HALF; struct { int x, y; } s = { MAX, NEXT };\n\
        int main(void) { static int z = MAX; int l = MAX; return z + l; }"])
    .expect("gcc takes it");
    let global = |name: &str| Show(&program).global(name);
    assert!(global("a").contains("16") && global("d").contains("0.5"), "{} {}", global("a"), global("d"));
    assert!(global("s").contains('5') && global("s").contains('6') && global("z").contains('5'));
    assert!(Show(&program).function("main").contains("MAX"), "elsewhere it is read");
}

#[test]
fn a_file_says_what_it_defines_and_needs() {
    let text = "extern int counter; int other(int); static int local(void) { return counter; }\n\
                int table(void); int (*hooks[])(int) = { other }; static int (*own)(void) = table;\n\
                int f(void) { return local() + own(); } int g(void) { return hooks[0](1); }\n\
                void *malloc(unsigned long); void *h(void) { static int (*deep)(int) = other; return malloc(deep(1)); }\n\
                __attribute__((constructor)) static void begin(void) { counter = 1; }\n";
    let units = vec![Source { name: "a.i".into(), text: text.into() }];
    let options = Options { units, ..Options::default() };
    let found = symbols(&options, &mut SourceMap::new(), &Budget::unlimited()).expect("it is right");
    let names = |names: &[&str]| names.iter().map(|it| it.to_string()).collect::<BTreeSet<String>>();
    let defined: BTreeSet<String> = found.defines.keys().cloned().collect();
    assert_eq!(defined, names(&["f", "g", "h", "hooks"]));
    assert_eq!(found.defines["f"], names(&["counter", "table"]));
    assert_eq!(found.defines["g"], names(&["hooks"]));
    assert_eq!(found.defines["hooks"], names(&["other"]));
    assert_eq!(found.defines["h"], names(&["other"]), "the library has `malloc`");
    assert_eq!(found.always, names(&["counter"]));
}
