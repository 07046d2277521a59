//! The Boolean program of a C program is the same whatever the number of threads that abstract its
//! statements.

mod locked;

use base::Budget;
use predicates::boolean::{Limits, Request, Treatment, abstraction, of_templates};
use relation::Relation;
use testing::programs::normalised;

const MAIN: &str = "int main(void) { pthread_t id; for (;;) pthread_create(&id, NULL, worker, NULL); }\n";

/// The Boolean program over all comparisons of the program, and how many commands and predicates there are.
fn printed(relation: &Relation, workers: usize) -> (String, usize) {
    let budget = Budget::unlimited();
    let predicates = of_templates(relation, 3, &budget).expect("nothing stops it");
    let request = Request {
        relation,
        exprs: &predicates.exprs,
        conditions: &predicates.conditions,
        starts: &[],
        limits: Limits { workers, ..Limits::default() },
        treatment: Treatment::Sound,
    };
    let made = abstraction(&request, &budget).expect("nothing stops it");
    (ir::bp::print::program(&made.program), relation.commands.len() * made.predicates.list.len())
}

#[test]
fn workers_change_nothing() {
    let head = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\n";
    let text = format!("{head}{}{MAIN}", locked::worker(locked::GAP));
    let program = normalised("test.c", &text, &[]).expect("it is a C program").program;
    let relation = Relation::of(&program, &c::Options::default(), &Budget::unlimited());
    let relation = relation.expect("it has guarded commands");
    let (alone, size) = printed(&relation, 1);
    assert!(size > 100, "too small to be cut into chunks: {size}");
    for workers in [2, 3, 0] {
        assert_eq!(printed(&relation, workers).0, alone, "with {workers} workers");
    }
}
