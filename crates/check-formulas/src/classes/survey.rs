//! Where the statements of each control location may lead, whatever the values are: most steps cannot lead to
//! most elements, and are not asked about.

use super::index::ClassIndex;
use super::question::is_private;
use crate::symbolic::sets::Set;
use base::Stop;
use check::interpret::ends;
use check::thread::ThreadState;
use ir::bp::{Op, Values};

/// What a thread at a control location may do.
pub struct Behaviour {
    /// The classes to which it may go.
    pub next: Vec<usize>,
    /// The class in which a thread begins that it creates.
    pub child: Option<usize>,
    /// Whether it ends.
    pub ends: bool,
    /// Whether nobody else can tell that it steps.
    pub private: bool,
}

/// What a thread at each control location may do.
pub fn survey(certificate: &ClassIndex<'_>) -> Result<Vec<Behaviour>, Stop> {
    (0..certificate.view_index.view.controls.len()).map(|control| behaviour(certificate, control)).collect()
}

fn behaviour(certificate: &ClassIndex<'_>, control: usize) -> Result<Behaviour, Stop> {
    let (program, view_index) = (certificate.program, &certificate.view_index);
    let any = || std::iter::repeat(Set::from(Values::ANY));
    let thread_state =
        ThreadState { shared: view_index.shared(any()), me: view_index.abstract_thread(control, any()) };
    let (ends, private) = (ends(program, &thread_state.me), is_private(program, thread_state.me.loc()));
    if ends {
        return Ok(Behaviour { next: vec![], child: None, ends, private });
    }
    let mut stage = certificate.stage();
    let class = |abstract_thread| {
        view_index.control(abstract_thread).and_then(|control| certificate.class_of(control))
    };
    let ways = stage.interpreter.executed(&thread_state)?;
    let mut next: Vec<usize> = ways.iter().filter_map(|(_, after)| class(&after.me)).collect();
    next.sort_unstable();
    next.dedup();
    let child = match &program.at(thread_state.me.loc()).op {
        Op::Start(spawn) => class(&stage.interpreter.child(&thread_state, spawn)?),
        _ => None,
    };
    Ok(Behaviour { next, child, ends, private })
}
