//! The effects of single steps, spelled out.

use super::*;
use crate::op::Place;
use crate::types::SyncKind;
use crate::{ObjectId, text};
use base::Id;

const HEAD: &str = "pointer 64 layout 0 stride 4 { 0 b32 \"\" } layout 1 stride 40 { 0 mutex 40 \"\" } \
    layout 2 stride 48 { 0 cond 48 \"\" } procedure main procedure f main main object g static 0 * 2 object m static 1 * 1 \
    object c static 2 * 1 object own of main 0 * 1 object k static 0 * 1 constant property \"it\" origin input \"ext\" stores \
    local main::a b32 = 0 local main::b b32 = 0 local main::p ptr = 0 local main::h b64 = 0 local f::x b32 = 0 ";

/// The effects of the first step of `main`.
fn effects(step: &str) -> Effects {
    let source = format!("{HEAD} body main () {{ {step} return }} body f (x) {{ return }}");
    let file = base::SourceMap::new().add("test.cir", &source);
    let program = text::parse(&source, file).unwrap_or_else(|found| panic!("{step}: {found:?}"));
    program.effects(program.procedures()[program.main()].entry)
}

fn names(locals: &[LocalId]) -> String {
    locals.iter().map(|local| ["a", "b", "p", "h", "x"][local.index()]).collect()
}

#[test]
fn registers() {
    for (step, reads, writes, overwrites) in [
        ("a := (add a b)", "ab", "a", "a"),
        ("a := load [*p 0]", "p", "a", "a"),
        ("store [g at h] := b", "bh", "", ""),
        ("a := rmw [g 0] := (add a b)", "b", "a", "a"),
        ("a := rmw [g at (zext b64 a)] := b if (eq a b) success b", "ab", "ab", "ab"),
        ("join h result a code b", "h", "ab", "b"),
        ("create f(a) handle h", "a", "h", "h"),
        ("a := sizeof p", "p", "a", "a"),
        ("free p", "p", "", ""),
        ("sync lock [m 0] code a", "", "a", "a"),
    ] {
        let found = effects(step);
        assert_eq!(names(&found.reads), reads, "{step}");
        assert_eq!(names(&found.writes), writes, "{step}");
        assert_eq!(names(&found.overwrites), overwrites, "{step}");
    }
}

#[test]
fn accesses_have_a_width_and_are_atomic_or_plain() {
    let g = Place::Object { object: ObjectId::from_index(0), offset: 4 };
    let region = Region::Scalar { place: g, bits: 32 };
    for (step, kind, atomic) in [
        ("a := load [g 4]", AccessKind::Read, false),
        ("a := load atomic [g 4]", AccessKind::Read, true),
        ("store [g 4] := a", AccessKind::Write, false),
        ("store atomic [g 4] := a", AccessKind::Write, true),
        ("a := rmw [g 4] := b", AccessKind::Update, true),
    ] {
        let found = effects(step).accesses;
        assert_eq!(found, [MemoryAccess { region, kind, atomic }], "{step}");
        assert_eq!(found[0].region.bytes(), Some(4));
    }
}

#[test]
fn synchronisation_objects_have_roles() {
    let used = |step: &str| -> Vec<(SyncKind, SyncUse, bool)> {
        let kind = |access: &MemoryAccess| match (access.region, access.kind) {
            (Region::Sync { kind, .. }, AccessKind::Sync(role)) => (kind, role, access.atomic),
            other => panic!("{step}: {other:?}"),
        };
        effects(step).accesses.iter().map(kind).collect()
    };
    assert_eq!(used("sync lock [m 0]"), [(SyncKind::Mutex, SyncUse::Acquire(LockMode::Wait), true)]);
    assert_eq!(used("sync unlock [m 0]"), [(SyncKind::Mutex, SyncUse::Release, true)]);
    assert_eq!(used("sync init mutex normal [m 0]"), [(SyncKind::Mutex, SyncUse::Init, false)]);
    let waits = [(SyncKind::Mutex, SyncUse::Reacquire, true), (SyncKind::Cond, SyncUse::Sleep, true)];
    assert_eq!(used("sync wait [m 0] [c 0]"), waits);
}

#[test]
fn what_a_step_waits_for() {
    assert_eq!(effects("sync trylock [m 0] code a").waits, []);
    assert_eq!(effects("sync timedlock [m 0] code a").waits, [Blocked::Lock]);
    assert_eq!(effects("sync wait [m 0] [c 0]").waits, [Blocked::Signal, Blocked::Lock]);
    assert_eq!(effects("join h").waits, [Blocked::Join]);
    assert_eq!(effects("assume (eq a b)").waits, [Blocked::Assumption]);
    assert_eq!(effects("store [g 0] := a").waits, []);
}

#[test]
fn how_a_step_may_be_undefined() {
    use Fault::*;
    for (step, faults) in [
        ("a := (add a b)", vec![]),
        ("a := (divu a 2:b32)", vec![]),
        ("a := (divu a b)", vec![DivisionByZero]),
        ("a := (shl a 32:b32)", vec![ShiftTooFar]),
        ("h := (sub p p)", vec![DifferentObjects]),
        ("p := (sub p 4:b64)", vec![]),
        ("p := &own", vec![DeadObject]),
        ("a := load [g 4]", vec![]),
        ("a := load [g 8]", vec![OutOfBounds]),
        ("store [k 0] := a", vec![ReadOnly]),
        ("a := load [own 0]", vec![DeadObject]),
        ("store [*p 0] := a", vec![BadPointer, OutOfBounds, DeadObject, ReadOnly]),
        ("sync lock [m 0]", vec![NotInitialised]),
        ("sync unlock [m 0]", vec![NotHeld, NotInitialised]),
        ("a := sizeof p", vec![BadPointer, DeadObject]),
        ("free p", vec![BadFree]),
    ] {
        assert_eq!(effects(step).faults, faults, "{step}");
    }
}

#[test]
fn control_and_choices() {
    assert_eq!(effects("halt").control, Control::Halt);
    assert_eq!(effects("assert (eq a b) property 0").control, Control::Check);
    assert!(effects("call f(a)").begins().is_some() && effects("create f(a)").creates().is_some());
    assert!(effects("a := any").chooses.are_open() && !effects("a := load [g 0]").chooses.are_open());
    assert!(effects("a := (add a b)").only_writes() && !effects("a := (divu a b)").only_writes());
    assert!(effects("assume (eq a b)").is_local() && !effects("a := load [g 0]").is_local());
}
