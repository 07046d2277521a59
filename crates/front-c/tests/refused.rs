//! What cannot be translated is refused at every use, not at the first alone: no run gets past it with a
//! wrong value.

mod search;

use front_c::TranslateOptions;
use search::{search, translated};

/// A static initialiser that gives a member of a union other than the one that is read.
const UNION: &str =
    "union U { short s[2]; int i; };\nstatic union U u = { .s = { 1, 2 } };\nstatic int never;\n";

/// Checks that the one assertion, which fails when compiled, is not proved.
fn check(text: &str) {
    let text = format!("#include <assert.h>\n{UNION}{text}");
    let (translation, _) = translated("refused.c", &text, &[], &TranslateOptions::default())
        .unwrap_or_else(|why| panic!("{why}\n{text}"));
    let found = search(&translation.program, 1, 10_000);
    assert!(found.error.is_some() || found.unsupported.is_some(), "{found:?}\n{text}");
}

#[test]
fn the_first_use_may_be_one_that_is_not_reached() {
    check("int main(void) { int x = 0; if (never) x = u.i; x = u.i; assert(x == 1); }");
    check("static int get(void) { return u.i; } int main(void) { if (never) get(); assert(get() == 1); }");
}

#[test]
fn an_address_is_a_use() {
    check("int main(void) { int *p = 0; if (never) p = &u.i; p = &u.i; assert(*p == 1); }");
}

#[test]
fn an_initialiser_that_leads_there_is_a_use() {
    check("static int *at = &u.i; int main(void) { if (never) return *at; assert(*at == 1); }");
    check(
        "struct node { struct node *next; int *value; };
         static struct node second, first = { &second, 0 };
         static struct node second = { &first, &u.i };
         int main(void) { struct node *n = &first; if (never) n = &second; assert(*first.next->value == 1); }",
    );
}

#[test]
fn a_static_of_a_function_is_no_exception() {
    check(
        "static int get(void) { static union U own = { .s = { 1, 2 } }; return own.i; }
         int main(void) { if (never) get(); assert(get() == 1); }",
    );
}

#[test]
fn a_member_of_a_union_that_is_wider_than_its_cells_is_refused() {
    check(
        "union W { int i; char c[4]; };
         static union W w = { .i = 300 };
         int main(void) { w.c[3] = 1; assert(w.c[0] != 44); }",
    );
}

#[test]
fn what_gcc_and_the_standard_count_differently_is_refused() {
    check(
        "#include <stdatomic.h>
         static int cells[4];
         static _Atomic(int *) at = cells;
         int main(void) { atomic_fetch_add(&at, 1); assert(at == cells + 1); }",
    );
}
