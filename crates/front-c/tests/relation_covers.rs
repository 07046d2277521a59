//! The relation of C programs covers their machine.

mod relation_cover;

use ::c::{Machine, Options, Program};
use base::{Budget, Random};
use relation::{NoRelation, Relation};
use relation_cover::{Enumeration, Tally, cover, enumerate, walk};

fn program(name: &str, text: &str, args: &[String]) -> Option<Program> {
    testing::programs::normalised(name, text, args).map(|it| it.program)
}

/// Random runs of a program against its relation, if it has one. Why it has none.
fn covered(name: &str, program: &Program, walks: u64, tally: &mut Tally) -> Result<(), NoRelation> {
    covered_for(name, program, [walks, 150], tally)
}

/// The same with a number of runs and one of steps.
fn covered_for(
    name: &str,
    program: &Program,
    [walks, steps]: [u64; 2],
    tally: &mut Tally,
) -> Result<(), NoRelation> {
    let relation = Relation::of(program, &Options::default(), &Budget::with_ticks(1_000_000))?;
    let machine = Machine::new(program, relation_cover::options());
    for seed in 0..walks {
        let run = walk(&machine, &mut Random::new(seed), steps as usize);
        let before = tally.problems.len();
        cover(&machine, &relation, &run, tally);
        for problem in &mut tally.problems[before..] {
            *problem = format!("{name}, run {seed}: {problem}");
        }
    }
    Ok(())
}

#[test]
fn the_relations_of_the_programs_of_the_house_cover_the_machine() {
    let (mut tally, mut made, mut refused) = (Tally::default(), 0, vec![]);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected =
            testing::programs::Expectation::read(&text).expect("the first lines say what is expected");
        let Some(program) = program(&name, &text, &expected.args) else { continue };
        match covered(&name, &program, 3, &mut tally) {
            Ok(()) => made += 1,
            Err(why) => refused.push(format!("{name}: {why}")),
        }
    }
    finish(&tally);
    assert!(tally.commands > 3_000 && tally.failures > 100, "{tally:?}");
    assert!(refused.len() * 20 <= made, "{made} made, refused: {refused:#?}");
}

#[test]
fn the_relations_of_random_programs_cover_the_machine() {
    let mut tally = Tally::default();
    for seed in 0..120 {
        let text = testing::c::concurrent(seed);
        let Some(program) = program("random.c", &text, &[]) else { continue };
        covered(&format!("seed {seed}"), &program, 3, &mut tally).expect("it is flat");
    }
    finish(&tally);
    assert!(tally.commands > 3_000 && tally.failures > 20, "{tally:?}");
}

#[test]
fn the_relations_of_programs_about_bytes_cover_the_machine() {
    let (mut tally, mut made) = (Tally::default(), 0);
    for seed in 0..40 {
        let text = testing::c::bytes(seed).replace("#include <stdio.h>", "int printf(const char *f, ...);");
        let Some(program) = program("bytes.c", &text, &[]) else { continue };
        made += usize::from(covered_for(&format!("seed {seed}"), &program, [1, 500], &mut tally).is_ok());
    }
    finish(&tally);
    assert!(made > 10 && tally.commands > 1_000, "{made} made, {tally:?}");
}

/// Enough for programs whose numbers are below 4.
const FEW: Enumeration = Enumeration { numbers: &[0, 1, 2, 3], states: 1_500, problems: 8 };

/// A random program with its relation.
fn random(seed: u64) -> Option<(Program, Relation)> {
    let program = program("random.c", &testing::c::concurrent(seed), &[])?;
    let relation = Relation::of(&program, &Options::default(), &Budget::with_ticks(1_000_000));
    Some((program, relation.expect("it is flat")))
}

/// Every step with at most three threads at once; whether these are all steps.
fn enumerated(program: &Program, relation: &Relation, tally: &mut Tally) -> bool {
    let machine = Machine::new(program, Options { threads: Some(3), ..Options::default() });
    enumerate(&machine, relation, FEW, tally)
}

#[test]
fn every_step_with_three_threads_is_covered() {
    let (mut tally, mut complete) = (Tally::default(), 0);
    for seed in 0..30 {
        let Some((program, relation)) = random(seed) else { continue };
        let before = tally.problems.len();
        complete += usize::from(enumerated(&program, &relation, &mut tally));
        tally.problems[before..].iter_mut().for_each(|it| *it = format!("seed {seed}: {it}"));
    }
    finish(&tally);
    assert!(complete > 10 && tally.commands > 10_000 && tally.failures > 50, "{complete}, {tally:?}");
}

/// Loops that change nothing but what nobody reads: the way around is no command.
#[test]
fn ways_around_loops_that_change_nothing_are_covered() {
    let text = "#include <pthread.h>\n#include <assert.h>\n_Bool g; unsigned char n;
        void *f(void *a) { g = 1; return 0; }
        int main(void) { pthread_t t; unsigned char x = n; pthread_create(&t, 0, f, 0);
            while (!g) { x = (x * x) & 3; if (x) x = 2; } assert(n == 1); return 0; }\n";
    let program = program("around.c", text, &[]).expect("it is C");
    let relation = Relation::of(&program, &Options::default(), &Budget::unlimited()).expect("it is flat");
    let mut tally = Tally::default();
    assert!(enumerated(&program, &relation, &mut tally));
    finish(&tally);
    assert!(tally.failures > 0, "{tally:?}");
}

#[test]
fn wrong_relations_are_found() {
    // The first programs are read once for all mutants: most are seen there.
    let first: Vec<_> = (0..20).filter_map(random).collect();
    testing::in_parallel(&relation_cover::mutants::MUTANTS, |(name, mutant)| {
        let sees = |program: &Program, mut relation: Relation| {
            let mut tally = Tally::default();
            if mutant(&mut relation) {
                enumerated(program, &relation, &mut tally);
            }
            !tally.problems.is_empty()
        };
        let found = first.iter().any(|(program, relation)| sees(program, relation.clone()))
            || (20..200).filter_map(random).any(|(program, relation)| sees(&program, relation));
        assert!(found, "nobody sees that {name}");
    });
}

/// Threads that wait for ever, each after something that others see.
const STUCK: [&str; 4] = [
    "int x; void *f(void *a) { x = 1; __VERIFIER_assume(0); return 0; }",
    "int x; void *f(void *a) { int y = x; x = y + 1; y = 5 / (y - y); x = y; return 0; }",
    "int x, a[3]; void *f(void *p) { int i = x; x = i + 7; a[i + 7] = 1; x = a[0]; return 0; }",
    "int x; pthread_mutex_t m; void *f(void *p) { pthread_mutex_lock(&m); int *q = 0; *q = 1; pthread_mutex_unlock(&m); return 0; }",
];

#[test]
fn what_a_thread_did_before_it_waits_for_ever_is_seen() {
    let mut tally = Tally::default();
    for body in STUCK {
        let main = "int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); assert(x < 2);
            if (x) { assert(x != 3); } pthread_join(t, 0); assert(x != 4); return 0; }";
        let text = format!(
            "#include <pthread.h>\n#include <assert.h>\nextern void __VERIFIER_assume(int);\n{body}\n{main}\n"
        );
        let program = program("stuck.c", &text, &[]).expect("it is C");
        covered(body, &program, 30, &mut tally).expect("it is flat");
    }
    finish(&tally);
    assert!(tally.stuck > 20, "{} stuck", tally.stuck);
}

/// Addresses that are used again, compared and followed.
const REUSE: [&str; 3] = [
    "int *g; void *f(void *a) { int *p = malloc(4); int *q = g; *p = 1; free(p); p = malloc(8); if (p == q) x = 1; g = p; return 0; }",
    "int *g; void *f(void *a) { int *p = g; free(p); int *q = malloc(4); *q = 2; if (p != q) x++; else assert(*p == 2); g = q; return 0; }",
    "struct n { struct n *next; }; struct n *g; void *f(void *a) { struct n *p = malloc(sizeof *p), *q = g; p->next = q; g = p;
        if (q) { free(q); struct n *r = malloc(sizeof *r); x = r == q; assert(p->next == q); } return 0; }",
];

#[test]
fn addresses_that_are_used_again_are_covered() {
    let mut tally = Tally::default();
    for body in REUSE {
        let main = "int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); assert(x < 2);
            if (x) { assert(x != 3); } pthread_join(t, 0); assert(x != 1); return 0; }";
        let text = format!(
            "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\nint x;\n{body}\n{main}\n"
        );
        let program = program("reuse.c", &text, &[]).expect("it is C");
        covered(body, &program, 200, &mut tally).expect("it is flat");
    }
    finish(&tally);
    assert!(tally.commands > 3_000 && tally.failures > 20, "{tally:?}");
}

fn finish(tally: &Tally) {
    let Tally { steps, commands, failures, stuck, problems } = tally;
    println!(
        "{steps} steps, {commands} commands, {failures} failures, {stuck} stuck, {} problems",
        problems.len()
    );
    assert!(
        problems.is_empty(),
        "{} problems: {}",
        problems.len(),
        problems[..problems.len().min(8)].join("\n\n")
    );
}
