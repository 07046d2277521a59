//! Atomic sections do not nest in the program that is made: the thread counts how deep it is.

use ::c::{Binary, Builder, ExprId, Loc, LocalId, LocalScope, Node, Op, ProcId, TRUTH, Type as Scalar};
use base::Id;

use super::super::code::Flow;

/// Deeper sections are not told apart.
const DEEPEST: u32 = 200;

/// Makes sections flat.
pub fn flatten(pool: &mut Builder, bodies: &mut [(ProcId, Vec<Flow>)]) {
    let is_section = |flow: &Flow| matches!(flow.op, Op::SectionBegin | Op::SectionEnd);
    if !bodies.iter().any(|(_, body)| body.iter().any(is_section)) {
        return;
    }
    let counter = pool.local("section_depth", LocalScope::Thread, Scalar::Bits(8));
    pool.local_mut(counter).temporary = true;
    for (_, body) in bodies.iter_mut() {
        count(pool, body, counter);
    }
}

/// Counts the depth in a register: begin: `d := d + 1` inside the section; end: `d := d - 1`, and the section
/// ends if that gives 0.
fn count(pool: &mut Builder, body: &mut Vec<Flow>, counter: LocalId) {
    for at in 0..body.len() {
        let depth = pool.read(counter);
        let number = |pool: &mut Builder, value: u128| pool.exprs().number(Scalar::Bits(8), value);
        match body[at].op {
            Op::SectionBegin => {
                let one = number(pool, 1);
                let most = number(pool, u128::from(DEEPEST));
                let up = pool.exprs().binary(Binary::Add, depth, one);
                let full = pool.exprs().binary(Binary::Eq, depth, most);
                let value = pool.exprs().add(Node::Ite(full, most, up));
                let next = body[at].next;
                let span = body[at].span;
                body[at].next = body.len();
                body.push(Flow { op: Op::Assign { local: counter, value }, next, span, private: false });
            }
            Op::SectionEnd => end_counted(pool, body, at, counter, depth),
            _ => {}
        }
    }
}

fn end_counted(pool: &mut Builder, body: &mut Vec<Flow>, at: usize, counter: LocalId, depth: ExprId) {
    let zero = pool.exprs().number(Scalar::Bits(8), 0);
    let one = pool.exprs().number(Scalar::Bits(8), 1);
    let outside = pool.exprs().binary(Binary::Eq, depth, zero);
    let down = pool.exprs().binary(Binary::Sub, depth, one);
    let value = pool.exprs().add(Node::Ite(outside, zero, down));
    let inner = {
        let over = pool.exprs().binary(Binary::Eq, depth, zero);
        debug_assert_eq!(pool.exprs().ty(over), TRUTH);
        pool.exprs().not(over)
    };
    let (next, span) = (body[at].next, body[at].span);
    let first = body.len();
    body[at] = Flow { op: Op::Assign { local: counter, value }, next: first, span, private: false };
    body.push(Flow {
        op: Op::Branch { cond: inner, target: Loc::from_index(next) },
        next: first + 1,
        span,
        private: false,
    });
    body.push(Flow { op: Op::SectionEnd, next, span, private: false });
}
