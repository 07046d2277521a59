//! What the page shows of a state of a Boolean program or a net.

use super::places::PageFiles;
use super::snapshot::{Owner, PageThread, ShownValue, Snapshot, Whose};
use base::Id;
use ir::bp::{LocalScope, Role, State, Thread, ThreadId};
use ir::net::Marking;
use ir::{Net, Program};

/// A state of a Boolean program.
pub fn of_program(program: &Program, state: &State, files: &mut PageFiles<'_>) -> Snapshot {
    let mut shown = Snapshot::default();
    let locks: Vec<usize> = program.locks().iter().map(|lock| lock.taken.index()).collect();
    for (id, shared) in program.shared().enumerate() {
        if !locks.contains(&id.index()) {
            let value = ShownValue::Text(u8::from(state.shared[id.index()]).to_string());
            shown.values.insert(Whose::SHARED.slot(id.index() as u64, &shared.name), value);
        }
    }
    for (&id, thread) in &state.threads {
        locals(&mut shown, program, id, thread);
        let location = program.at(thread.loc());
        let holds = program.locals().enumerate().filter_map(|(local, it)| match it.role {
            Role::Owner(lock) if thread.value(program, thread.stack.len() - 1, local) => {
                Some(program.locks()[lock].name.clone())
            }
            _ => None,
        });
        let now = PageThread {
            place: location.span.and_then(|span| files.place(span)),
            holds: holds.collect(),
            sleeps: None,
            inside: thread.inside,
        };
        shown.threads.insert(id, now);
    }
    shown
}

fn locals(shown: &mut Snapshot, program: &Program, id: ThreadId, thread: &Thread) {
    for (depth, frame) in thread.stack.iter().enumerate() {
        let location = program.at(frame.loc);
        let procedure = &program.procedures()[location.procedure].name;
        for (local, it) in program.locals().enumerate() {
            let here = match it.scope {
                LocalScope::Thread => depth == 0,
                LocalScope::Procedure(own) => own == location.procedure,
            };
            // What is never read again has no value that matters.
            if here && it.role == Role::Plain && !location.dead.contains(&local) {
                let value = u8::from(thread.value(program, depth, local));
                let whose = Whose { owner: Owner::Thread(id), frame: depth, procedure };
                let slot = whose.slot(local.index() as u64, &it.name);
                shown.values.insert(slot, ShownValue::Text(value.to_string()));
            }
        }
    }
}

/// A marking of a net. Places that are empty all the time are left out.
pub fn of_net(net: &Net, marking: &Marking, used: &[bool]) -> Snapshot {
    let mut shown = Snapshot::default();
    if net.shared().len() > 1 {
        let state = net.shared()[marking.shared].to_string();
        shown.values.insert(Whose::SHARED.slot(0, "shared state"), ShownValue::Text(state));
    }
    for (id, place) in net.places().enumerate().filter(|(id, _)| used[id.index()]) {
        let slot = Whose::SHARED.slot(id.index() as u64 + 1, &format!("place {}", place.name));
        shown.values.insert(slot, ShownValue::Text(marking.tokens[id.index()].to_string()));
    }
    shown
}

/// By place: whether it holds a token at some time.
pub fn used(net: &Net, markings: &[Marking]) -> Vec<bool> {
    net.places().ids().map(|id| markings.iter().any(|it| it.tokens[id.index()] > 0)).collect()
}
