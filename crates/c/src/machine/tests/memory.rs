//! Objects and accesses.

use super::super::others::Rest;
use super::super::{Choice, Machine, Refusal};
use super::{MEMORY, PLAIN, check, main, program};
use crate::Op;

/// Waits for ever under property assert, and is the error under property memory.
#[track_caller]
fn is_undefined(body: &str, fault: &str) {
    main(PLAIN, &format!("{body} error 0"), &["stuck"]);
    main(MEMORY, &format!("{body} error 0"), &[fault]);
}

#[test]
fn loads_and_stores_hit_cells() {
    main(
        MEMORY,
        "store [x 0] := 5:b32 a := load [x 0] assert (eq a 5:b32) property 0
         a := load [array at 8:b64] assert (eq a 22:b32) property 0
         p := (add &array 4:b64) a := load [*p 0] assert (eq a 11:b32) property 0
         store [*p -4] := 9:b32 a := load [array 0] assert (eq a 9:b32) property 0
         a := load [fixed 0] assert (eq a 0:b32) property 0 halt",
        &[],
    );
}

#[test]
fn bad_accesses_are_undefined() {
    is_undefined("a := load [*p 0]", "invalid pointer");
    is_undefined("store [*4096:ptr 0] := a", "invalid pointer");
    is_undefined("a := load [array at 12:b64]", "out of bounds");
    is_undefined("a := load [array at -4:b64]", "out of bounds");
    is_undefined("a := load [array at 10:b64]", "out of bounds");
    is_undefined("store [fixed 0] := a", "write to a constant");
    is_undefined("a := rmw [fixed 0] := a", "write to a constant");
    is_undefined("a := load [own 0]", "use of an object outside its lifetime");
    is_undefined("p := &own", "use of an object outside its lifetime");
    is_undefined("undefined \"unreachable\"", "unreachable");
}

#[test]
fn operations_on_synchronisation_objects_hit_one() {
    let size = "unsupported: an access does not have the size or kind of the scalar it hits";
    main(PLAIN, "a := load [m 0] error 0", &["unsupported: an access to bytes of a synchronisation object"]);
    main(PLAIN, "sync lock [x 0] error 0", &[size]);
    main(PLAIN, "sync lock [rw 0] error 0", &[size]);
}

#[test]
fn what_hits_no_single_cell_is_made_of_bytes() {
    main(
        MEMORY,
        "a := load [array 2] assert (eq a 720896:b32) property 0
         k := load [array 4] assert (eq k 94489280523:b64) property 0
         store [array 3] := 257:b16
         a := load [array 4] assert (eq a 1:b32) property 0
         a := load [array 0] assert (eq a 16777216:b32) property 0
         p := (add &array 5:b64) store [*p 0] := -1:b8
         a := load [array 4] assert (eq a 65281:b32) property 0
         a := rmw [array 2] := (add a 1:b32) assert (eq a 4278255872:b32) property 0
         a := load [array 0] assert (eq a 16842752:b32) property 0 halt",
        &[],
    );
}

/// Copies the bytes of `handle` to `h` of 64 bits in pieces, with something in between.
fn moved(first: &str, between: &str) -> String {
    format!(
        "store [handle 0] := {first} s := 0:b1
         a := load [handle 0] b := load [handle 4] store [handle 0] := 5:b32 {between}
         store [handle 4] := b store [handle 0] := a k := load [handle 0]"
    )
}

#[test]
fn bytes_of_an_address_make_it_again() {
    let address = "(add (cast b64 &array) 4:b64)";
    let whole = moved(address, "");
    main(
        MEMORY,
        &format!("{whole} p := (cast ptr k) a := load [*p 0] assert (eq a 11:b32) property 0 halt"),
        &[],
    );
    let mixed = "unsupported: a value of which some bytes belong to an address or a handle";
    let stopped = |between: &str| format!("{} halt", moved(address, between));
    main(PLAIN, &stopped("k := load [handle 0]"), &[mixed]);
    let unknown = "unsupported: arithmetic on bytes of an address or a handle, or on what was never written";
    main(PLAIN, &stopped("a := (add a 1:b32)"), &[unknown]);
    main(PLAIN, &stopped("assert (eq a a) property 0"), &[]);
}

#[test]
fn races_are_about_bytes() {
    let races = |mine: &str, other: &str| {
        let program = program(&format!(
            "body main () {{ create t(0:ptr) {mine} halt }} body t (arg) {{ {other} return }}"
        ));
        let machine = Machine::new(&program, PLAIN);
        let mut work = vec![machine.start()];
        let mut found = false;
        while let Some(state) = work.pop() {
            found |= machine.race(&state).is_some();
            work.extend(machine.successors(&state, &[]).into_iter().map(|(_, after)| after));
        }
        found
    };
    assert!(races("store [x 1] := 1:b8", "a := load [x 0]"));
    assert!(races("store [array 2] := 1:b32", "a := load [array 4]"));
    assert!(!races("store [x 1] := 1:b8", "store [x 2] := 1:b16"));
    assert!(races("store atomic [x 0] := 1:b8", "store atomic [x 0] := 1:b32"));
    assert!(!races("store atomic [x 0] := 1:b8", "store atomic [x 0] := 2:b8"));
}

#[test]
fn memory_by_bytes_is_one_state_again() {
    let bodies = "body main () { store [array 1] := 7:b8 store [array 1] := 0:b8 store [array 6] := 9:b16
                  store [array 6] := 0:b16 halt }";
    let program = program(bodies);
    let machine = Machine::new(&program, PLAIN);
    let start = machine.start();
    let mut state = start.clone();
    while let Some((_, after)) = machine.successors(&state, &[]).pop() {
        state = after;
    }
    assert_eq!(state.memory, start.memory);
}

#[test]
fn what_was_never_written_between_cells_can_be_copied() {
    let copied = "p := alloc 1 * 1:b64 a := load [*p 57] store [*p 60] := a";
    main(PLAIN, &format!("{copied} halt"), &[]);
    let unknown = "unsupported: arithmetic on bytes of an address or a handle, or on what was never written";
    main(PLAIN, &format!("{copied} assert (eq a 0:b32) property 0 halt"), &[unknown]);
    let zero = "p := alloc 1 * 1:b64 zeroed a := load [*p 57] assert (eq a 0:b32) property 0 halt";
    main(PLAIN, zero, &[]);
    let partly = "p := alloc 0 * 1:b64 store [*p 1] := 5:b8 a := load [*p 0] error 0";
    main(PLAIN, partly, &["unsupported: a value of which only some bytes are initialised"]);
}

#[test]
fn what_cannot_be_translated_matters_only_where_it_is_reached() {
    main(PLAIN, "refuse \"asm\"", &["unsupported: asm"]);
    main(PLAIN, "branch (eq a a) then end refuse \"asm\" end: halt", &[]);
}

#[test]
fn objects_have_a_size() {
    main(
        MEMORY,
        "a := sizeof &x assert (eq a 4:b32) property 0 a := sizeof (add &array 8:b64) assert (eq a 12:b32) property 0
         p := alloc 0 * 5:b64 a := sizeof p assert (eq a 20:b32) property 0 halt",
        &[],
    );
    is_undefined("a := sizeof 0:ptr", "invalid pointer");
    is_undefined("p := alloc 0 * 1:b64 free p a := sizeof p", "use of an object outside its lifetime");
}

#[test]
fn allocations_live_until_they_are_freed() {
    main(
        MEMORY,
        "p := alloc 0 * 2:b64 zeroed a := load [*p 4] assert (eq a 0:b32) property 0
         q := alloc 0 * 2:b64 zeroed assert (not (eq p q)) property 1
         store [*p 4] := 3:b32 a := load [*q 4] assert (eq a 0:b32) property 2 free p free q free 0:ptr halt",
        &[],
    );
    let dead = "use of an object outside its lifetime";
    is_undefined("p := alloc 0 * 1:b64 zeroed free p a := load [*p 0]", dead);
    let free = "invalid free";
    is_undefined("p := alloc 0 * 1:b64 zeroed free p free p", free);
    is_undefined("p := alloc 0 * 2:b64 zeroed free (add p 4:b64)", free);
    is_undefined("free &x", free);
    is_undefined("p := alloc 0 * 1:b64 zeroed a := load [*p 4]", "out of bounds");
    main(PLAIN, "p := alloc 0 * 99999999999:b64 halt", &["unsupported: an allocation that is too large"]);
}

#[test]
fn the_first_read_fixes_an_undetermined_cell() {
    main(
        MEMORY,
        "p := alloc 0 * 1:b64 a := load [*p 0] b := load [*p 0] assert (eq a b) property 0
         branch (eq a 5:b32) then five error 1 five: error 2",
        &["two", "three"],
    );
    // A read-modify-write reads it too, and a write needs no choice.
    main(
        MEMORY,
        "p := alloc 0 * 1:b64 a := rmw [*p 0] := (add a 1:b32) assert (ltu a 5:b32) property 0 halt",
        &["one"],
    );
    main(
        MEMORY,
        "p := alloc 0 * 1:b64 store [*p 0] := 4:b32 a := load [*p 0] assert (eq a 4:b32) property 0 halt",
        &[],
    );
}

#[test]
fn objects_of_a_block_live_in_it() {
    main(
        MEMORY,
        "enter own store [own 0] := 4:b32 p := &own a := load [*p 0] assert (eq a 4:b32) property 0
         enter own q := &own assert (not (eq p q)) property 1 a := load [*p 0] halt",
        &["use of an object outside its lifetime"],
    );
    is_undefined("enter own p := &own leave own a := load [*p 0]", "use of an object outside its lifetime");
    main(
        PLAIN,
        "leave own enter own a := load [own 0] branch (eq a 0:b32) then z error 0 z: error 1",
        &["one", "two"],
    );
}

#[test]
fn a_loop_that_enters_a_block_returns_to_its_state() {
    main(PLAIN, "again: enter own p := &own store [own 0] := 1:b32 leave own p := 0:ptr skip => again", &[]);
    main(PLAIN, "again: p := alloc 0 * 1:b64 zeroed p := 0:ptr skip => again", &[]);
}

#[test]
fn activations_have_objects_of_their_own() {
    check(
        MEMORY,
        "body main () { call f(3:b32) result a assert (eq a 6:b32) property 0 halt }
         body f (n) { enter inner store [inner 0] := n branch (eq n 0:b32) then zero call f((sub n 1:b32)) result r
                      n := load [inner 0] return with (add n r) zero: return with 0:b32 }",
        &[],
    );
    // They die with the activation.
    check(
        MEMORY,
        "body main () { call f(0:b32) p := load [handle 0] a := load [*p 0] halt }
         body f (n) { enter inner p := &inner store [handle 0] := p return with 0:b32 }",
        &["use of an object outside its lifetime"],
    );
}

#[test]
fn an_allocation_may_get_the_address_of_a_freed_object() {
    // Whatever the sizes and types.
    let two = "p := alloc 0 * 1:b64 free p q := alloc 1 * 2:b64";
    main(
        MEMORY,
        &format!("{two} assert (not (eq p q)) property 0 assert (eq p q) property 1 halt"),
        &["one", "two"],
    );
    // The new object is what pointers to the dead one point to, at the same offsets; what was stored is gone.
    main(
        PLAIN,
        "p := alloc 0 * 2:b64 zeroed store [*p 4] := 5:b32 q := (add p 4:b64) free p p := alloc 0 * 2:b64 zeroed
         store [*p 4] := 2:b32 a := load [*q 0] assert (not (eq a 2:b32)) property 0 halt",
        &["one", "stuck"],
    );
    // Freeing by an old pointer ends the new object.
    main(
        PLAIN,
        "p := alloc 0 * 1:b64 q := p free p p := alloc 0 * 1:b64 free q store [*p 0] := a error 0",
        &["stuck"],
    );
    // One new object has the address, a second one another.
    main(
        PLAIN,
        "p := alloc 0 * 1:b64 free p q := alloc 0 * 1:b64 assume (eq p q) q := alloc 0 * 1:b64
         assert (not (eq p q)) property 0 error 1",
        &["stuck", "two"],
    );
}

#[test]
fn other_addresses_are_not_used_again() {
    let differ = "assert (not (eq p q)) property 0 halt";
    for first in [
        "p := alloc 0 * 1:b64 q := alloc 0 * 1:b64",
        "p := alloc 0 * 1:b64 automatic free automatic p q := alloc 0 * 1:b64",
        "p := alloc 0 * 1:b64 free p q := alloc 0 * 1:b64 automatic",
        "enter own p := &own leave own q := alloc 0 * 1:b64",
        "p := alloc 0 * 1:b64 free p enter own q := &own",
    ] {
        main(MEMORY, &format!("{first} {differ}"), &[]);
    }
}

#[test]
fn addresses_that_nobody_holds_are_no_choice() {
    let choices = |body: &str| {
        let program = program(&format!("body main () {{ {body} q := alloc 0 * 1:b64 halt }}"));
        let machine = Machine::new(&program, PLAIN);
        let mut state = machine.start();
        loop {
            state = state.canonical(&program);
            let steps = machine.candidates(&state, &[]);
            match &steps[..] {
                [only] if !matches!(program.at(only.at).op, Op::Alloc { local, .. } if program.locals()[local].name == "q") =>
                {
                    state = machine.apply(&state, only).expect("it is a step");
                }
                _ => return steps.len(),
            }
        }
    };
    assert_eq!(choices("p := alloc 0 * 1:b64 free p"), 2);
    assert_eq!(choices("p := alloc 0 * 1:b64 free p p := 0:ptr"), 1);
    assert_eq!(choices("p := alloc 0 * 1:b64 store [handle 0] := (cast b64 p) free p p := 0:ptr"), 2);
}

#[test]
fn calls_end_somewhere() {
    let program = program("body main () { call f(3:b32) halt } body f (n) { call f(n) return }");
    let machine = Machine::new(&program, PLAIN);
    let mut state = machine.start();
    let mut thread = state.threads.remove(&0).expect("`main` is there");
    let mut memory = std::mem::take(&mut state.memory);
    let mut others = Rest { me: 0, state: &mut state };
    let refused = (0..20_000)
        .find_map(|_| machine.execute(&mut memory, &mut thread, &mut others, Choice::default()).err());
    assert_eq!(refused, Some(Refusal::Unsupported("calls nested more than 10000 deep".into())));
}

#[test]
fn a_read_modify_write_is_one_step() {
    let bodies = |step: &str| {
        format!(
            "body main () {{ create t(0:ptr) handle h {step} join h a := load [x 0] assert (eq a 2:b32) property 0 halt }}
             body t (arg) {{ {step} return }}"
        )
    };
    check(MEMORY, &bodies("a := rmw [x 0] := (add a 1:b32)"), &[]);
    check(MEMORY, &bodies("a := load [x 0] store [x 0] := (add a 1:b32)"), &["one"]);
    check(MEMORY, &bodies("a := rmw [x 0] := 1:b32"), &["one"]);
}

#[test]
fn compare_exchange_fails_when_it_must_and_weakly_when_it_may() {
    main(
        MEMORY,
        "b := 0:b32 a := rmw [x 0] := 7:b32 if (eq a b) success s assert s property 0
         a := rmw [x 0] := 9:b32 if (eq a b) success s assert (and (not s) (eq a 7:b32)) property 1
         a := load [x 0] assert (eq a 7:b32) property 2 halt",
        &[],
    );
    main(
        MEMORY,
        "a := rmw [x 0] := 7:b32 if (eq a 0:b32) success s weak b := load [x 0]
         branch s then done assert (not (eq b 0:b32)) property 0 halt done: assert (not (eq b 7:b32)) property 1 halt",
        &["one", "two"],
    );
    // Undefined behaviour in the new value matters only if it is written.
    main(MEMORY, "a := rmw [x 0] := (divu 1:b32 a) if (not (eq a 0:b32)) halt", &[]);
    is_undefined("a := rmw [x 0] := (divu 1:b32 a)", "division by zero");
}

#[test]
fn choices_keep_to_their_bounds() {
    main(
        PLAIN,
        "a := any 1..2 unsigned assert (ltu a 3:b32) property 0 assert (eq a 1:b32) property 1 halt",
        &["two"],
    );
    main(PLAIN, "a := any branch (eq a 5:b32) then five halt five: error 0", &["one"]);
    main(PLAIN, "a := any -5..-1 signed error 0", &["stuck"]);
    main(PLAIN, "s := any assume s error 0", &["one", "stuck"]);
}
