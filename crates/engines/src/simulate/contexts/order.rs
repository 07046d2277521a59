//! The code in the order of control: a statement comes after those that lead to it, except along jumps back.

use crate::command::Commands;
use ir::bp::{Loc, Program};
use std::collections::HashSet;

/// Where a thread stands, and whether it is inside an atomic section.
pub type ControlState = (Loc, bool);

/// All controls that threads which begin in the program may come to, whatever the values are, in reverse
/// postorder.
pub fn controls(program: &Program, commands: &Commands) -> Vec<ControlState> {
    let roots = program.start().templates.iter().map(|it| commands.fresh(it.procedure).at);
    let mut seen: HashSet<ControlState> = HashSet::new();
    let mut done = vec![];
    for root in roots {
        if !seen.insert((root, false)) {
            continue;
        }
        let mut stack = vec![((root, false), next(commands, (root, false)))];
        while let Some((control, open)) = stack.last_mut() {
            let control = *control;
            match open.pop() {
                Some(to) if seen.insert(to) => stack.push((to, next(commands, to))),
                Some(_) => {}
                None => {
                    done.push(control);
                    stack.pop();
                }
            }
        }
    }
    done.reverse();
    done
}

/// Where a thread may go from a control, and where one begins that it creates.
fn next(commands: &Commands, (loc, inside): ControlState) -> Vec<ControlState> {
    let mut next = vec![];
    for command in commands.at(loc) {
        next.extend(command.child.iter().map(|child| (child.at, false)));
        let Some(to) = command.to else { continue };
        match command.section.side(inside) {
            Some(inside) => next.push((to, inside)),
            None => next.extend([(to, false), (to, true)]),
        }
    }
    next
}
