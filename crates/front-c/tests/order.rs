//! Random expressions full of effects, evaluated from left to right: what the machine of normalised C
//! computes is what a plain evaluator of the same trees computes. (The compiler cannot be the judge: it may
//! choose another order.)

mod order_tree;
mod search;

use base::Random;
use front_c::TranslateOptions;
use order_tree::{Maker, Memory, Tree, show};
use search::{search, translated};

/// This many programs are compared.
const PROGRAMS: u64 = 250;

const PROLOGUE: &str = "#include <assert.h>
struct S { int x, y; };
static int g = 4, h = 5, t[4] = { 0, 1, 2, 3 };
static struct S s1 = { 1, 2 }, s2 = { 3, 4 };
static int f(int x) { g += x; return g ^ 3; }
static int k(int x, int y) { h = x - y; x = x + 1; return x * 2 + y; }
static int sf(struct S s, int x) { s1.x++; s.x += x; return s.x - s.y; }
static int sg(int x, struct S s, struct S z) { return x + s.x * 3 - z.y - z.x + s.y; }
static struct S mk(int x, int y) { struct S s; s.x = x; s.y = y; return s; }
int main(void) {
    int a = 1, b = 2, c = 3, u[4] = { 4, 5, 6, 7 };
    struct S r[2] = { { 0, 0 }, { 0, 0 } };
";

/// A program of three expressions and an assertion on everything that they may change.
fn program(seed: u64) -> String {
    let mut maker = Maker { random: Random::new(seed) };
    let mut memory = Memory::new();
    let mut text = String::from(PROLOGUE);
    let mut checks = vec![];
    for index in 0..3 {
        let tree: Tree = maker.number(4);
        text.push_str(&format!("    int o{index} = {};\n", show(&tree)));
        checks.push((format!("o{index}"), memory.number(&tree)));
    }
    checks.extend(memory.contents());
    for (name, value) in checks {
        text.push_str(&format!("    assert({name} == (int){}u);\n", value as u32));
    }
    text.push_str("    return 0;\n}\n");
    text
}

#[test]
fn effects_happen_from_left_to_right() {
    for seed in 0..PROGRAMS {
        let text = program(seed);
        let (translation, map) = translated("order.c", &text, &[], &TranslateOptions::default())
            .unwrap_or_else(|why| panic!("{why}\n{text}"));
        let found = search(&translation.program, 1, 20_000);
        let place = found.error.and_then(|at| translation.program.at(at).span).map(|span| map.describe(span));
        assert!(place.is_none(), "seed {seed}: wrong at {place:?}\n{text}");
        assert!(!found.cut && found.unsupported.is_none(), "seed {seed}: {found:?}\n{text}");
    }
}
