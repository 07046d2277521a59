//! What the normaliser says of programs that it cannot translate, and that it ends on programs made to be too
//! much.

mod search;

use base::Budget;
use front_c::TranslateOptions;
use search::translated;

fn refused(text: &str) -> Vec<String> {
    let (translation, _) =
        translated("t.i", text, &[], &TranslateOptions::default()).expect("the program is right");
    translation.refused.into_iter().map(|refused| refused.construct).collect()
}

#[test]
fn only_what_is_reached_is_refused() {
    let text = "int fork(void); int f(void) { return fork(); } int main(void) { return 0; }";
    assert_eq!(refused(text), Vec::<String>::new());
    let text = "int fork(void); int f(void) { return fork(); } int main(void) { return f(); }";
    assert_eq!(refused(text), ["the function `fork`"]);
    assert_eq!(refused("int main(void) { return 0; __asm__(\"hlt\"); }"), Vec::<String>::new());
    assert_eq!(refused("int main(void) { __asm__(\"hlt\"); return 0; }"), ["assembler"]);
    assert_eq!(
        refused("long double x; int main(void) { return x > 1; }").first().map(String::as_str),
        Some("long double")
    );
    assert_eq!(
        refused("int setjmp(int *); int b[9]; int main(void) { return setjmp(b); }"),
        ["the function `setjmp`"]
    );
}

/// What depends on where objects lie is an assumption; that `malloc` gives an address again is tried.
#[test]
fn what_is_assumed_of_addresses() {
    let assumed = |body: &str| {
        let head = "void *malloc(unsigned long); void free(void *); int x; typedef unsigned long pthread_t;
            int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
            void *f(void *a) { x = 1; return 0; }";
        let text = format!("{head} int main(void) {{ {body} return 0; }}");
        let (translation, _) =
            translated("t.i", &text, &[], &TranslateOptions::default()).expect("the program is right");
        translation.assumptions.iter().any(|it| it.starts_with("address layout"))
    };
    assert!(!assumed("char *p = malloc(4); free(p); char *q = malloc(8); if (p == q) x = 1; f(0);"));
    // A part of a dead block becomes the start of a new one.
    assert!(assumed("char *p = malloc(9); free(p); char *q = malloc(4); if (p + 4 == q) x = 1; f(0);"));
    assert!(assumed("int *p; { int y; p = &y; } int z; if (p == &z) x = 1; f(0);"));
    let twice = "pthread_t t, u; pthread_create(&t, 0, f, 0);";
    let join = "pthread_join(t, 0);";
    let create = "pthread_create(&u, 0, f, 0);";
    assert!(assumed(&format!("{twice} {join} {create} if (t == u) x = 2; f(0);")));
    assert!(!assumed(&format!("{twice} {create} {join} if (t == u) x = 2; f(0);")));
}

#[test]
fn unknown_functions_are_named() {
    let text = "int mystery(int *); int x; int main(void) { return mystery(&x); }";
    let (translation, _) =
        translated("t.i", text, &[], &TranslateOptions::default()).expect("the program is right");
    assert!(
        translation.assumptions.iter().any(|it| it.contains("`mystery`")),
        "{:?}",
        translation.assumptions
    );
    assert_eq!(
        translation.warnings.into_sorted().iter().filter(|it| it.message.contains("`mystery`")).count(),
        1
    );
}

#[test]
fn a_program_without_main_is_wrong() {
    let message = translated("t.i", "int x;", &[], &TranslateOptions::default()).err();
    assert!(message.is_some_and(|message| message.contains("E1801")));
}

#[test]
fn calls_that_double_at_each_level_end() {
    let mut text = String::from("int x; static void f0(void) { x++; }\n");
    for level in 1..40 {
        text.push_str(&format!("static void f{level}(void) {{ f{0}(); f{0}(); }}\n", level - 1));
    }
    text.push_str("int main(void) { f39(); return 0; }");
    let (translation, _) =
        translated("t.i", &text, &[], &TranslateOptions::default()).expect("the program is right");
    assert!(!translation.program.is_flat(), "so many calls are not inlined");
    assert!(translation.program.locations().len() < 1_000_000);
}

#[test]
fn long_chains_of_calls_end() {
    let mut text = String::from("int x; static void f0(void) { x++; }\n");
    for level in 1..20_000 {
        text.push_str(&format!("static void f{level}(void) {{ f{}(); }}\n", level - 1));
    }
    text.push_str("int main(void) { f19999(); return 0; }");
    translated("t.i", &text, &[], &TranslateOptions::default()).expect("the program is right");
}

#[test]
fn a_small_budget_stops_the_translation() {
    let text = "int x; int main(void) { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; return 0; }";
    let mut map = base::SourceMap::new();
    let units = vec![front_c::Source { name: "t.i".into(), text: text.into() }];
    let options = front_c::Options { units, ..front_c::Options::default() };
    let reading = front_c::read(&options, &mut map, &Budget::unlimited()).expect("the program is right");
    let result = front_c::translate(&reading.program, &TranslateOptions::default(), &Budget::with_ticks(3));
    assert!(matches!(result, Err(front_c::Problem::Stop(base::Stop::Ticks))));
}
