//! Writes steps.

use super::lex::quote;
use super::operators::{MUTEX, SYNC, word};
use super::print::Printer;
use crate::expr::ExprId;
use crate::op::{Op, Place, SyncInit, SyncOp};
use crate::program::{Loc, LocalId};
use crate::reach::{Reach, ReachKind};
use base::Id;

/// Of the user, and at the end of a block.
const FREE: [&str; 2] = ["free", "free automatic"];

impl Printer<'_> {
    pub fn step(&mut self, loc: Loc) {
        let location = self.program.at(loc);
        self.put(format!("  {}: ", loc.index()));
        self.op(&location.op);
        if location.private {
            self.put(" private");
        }
        if location.op.goes_on() && location.next.index() != loc.index() + 1 {
            self.put(format!(" => {}", location.next.index()));
        }
        self.put("\n");
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip => self.put("skip"),
            Op::Assign { local, value } => self.assign(*local, "", &[*value]),
            Op::Choose { local, range, origin } => {
                let range = range.map(|it| {
                    let sign = if it.signed { "signed" } else { "unsigned" };
                    format!(" {}..{} {sign}", it.low, it.high)
                });
                let origin = origin.map(|it| format!(" from {}", it.index()));
                let text = [range, origin].into_iter().flatten().collect::<String>();
                self.assign(*local, &format!("any{text}"), &[]);
            }
            Op::Load { local, place, atomic } => {
                self.assign(*local, if *atomic { "load atomic " } else { "load " }, &[]);
                self.place(*place);
            }
            Op::Store { place, value, atomic } => {
                self.put(if *atomic { "store atomic " } else { "store " });
                self.place(*place);
                self.put(" := ");
                self.expr(*value);
            }
            Op::Rmw { .. } => self.rmw(op),
            Op::Branch { cond, target } => {
                self.with("branch", &[*cond]);
                self.put(format!(" then {}", target.index()));
            }
            Op::Assume(cond) => self.with("assume", &[*cond]),
            Op::Assert { cond, property } => {
                self.with("assert", &[*cond]);
                self.put(format!(" property {}", property.index()));
            }
            Op::Error(property) => self.put(format!("error {}", property.index())),
            Op::Alloc { local, layout, count, zeroed, automatic } => {
                self.assign(*local, &format!("alloc {} * ", layout.index()), &[*count]);
                self.put(if *zeroed { " zeroed" } else { "" });
                self.put(if *automatic { " automatic" } else { "" });
            }
            Op::Free { pointer, automatic } => self.with(FREE[usize::from(*automatic)], &[*pointer]),
            Op::Size { local, pointer } => self.assign(*local, "sizeof ", &[*pointer]),
            Op::Enter(object) => self.put(format!("enter {}", self.object(*object))),
            Op::Leave(object) => self.put(format!("leave {}", self.object(*object))),
            Op::Create { template, args, handle } => {
                self.call("create", *template, args);
                self.optional("handle", *handle);
            }
            Op::Join { handle, result, code } => {
                self.with("join", &[*handle]);
                self.optional("result", *result);
                self.optional("code", *code);
            }
            Op::Detach(handle) => self.with("detach", &[*handle]),
            Op::Me(local) => self.assign(*local, "me", &[]),
            Op::Exit(value) => self.end("exit", *value),
            Op::Halt(end) => self.put(end.words()),
            Op::SectionBegin => self.put("section begin"),
            Op::SectionEnd => self.put("section end"),
            Op::Sync { op, place, code } => {
                self.put("sync ");
                self.sync(*op);
                self.put(" ");
                self.place(*place);
                self.optional("code", *code);
            }
            Op::Call { procedure, args, result } => {
                self.call("call", *procedure, args);
                self.optional("result", *result);
            }
            Op::Return(value) => self.end("return", *value),
            Op::Reach(reach) => self.reach(reach),
            Op::Undefined(why) => self.put(format!("undefined {}", quote(why))),
            Op::Refuse(why) => self.put(format!("refuse {}", quote(why))),
        }
    }

    fn assign(&mut self, local: LocalId, what: &str, values: &[ExprId]) {
        self.put(format!("{} := {what}", self.local(local, false)));
        values.iter().for_each(|&value| self.expr(value));
    }

    fn with(&mut self, word: &str, values: &[ExprId]) {
        self.put(word);
        for &value in values {
            self.put(" ");
            self.expr(value);
        }
    }

    fn end(&mut self, word: &str, value: Option<ExprId>) {
        self.put(word);
        if let Some(value) = value {
            self.with(" with", &[value]);
        }
    }

    fn optional(&mut self, word: &str, local: Option<LocalId>) {
        if let Some(local) = local {
            self.put(format!(" {word} {}", self.local(local, false)));
        }
    }

    fn call(&mut self, word: &str, procedure: crate::ProcId, args: &[ExprId]) {
        self.put(format!("{word} {}(", self.procedure(procedure)));
        for (at, &arg) in args.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            self.expr(arg);
        }
        self.put(")");
    }

    fn rmw(&mut self, op: &Op) {
        let Op::Rmw { old, place, guard, value, success, weak } = op else { return };
        self.assign(*old, "rmw ", &[]);
        self.place(*place);
        self.put(" := ");
        self.expr(*value);
        if let Some(guard) = guard {
            self.put(" if ");
            self.expr(*guard);
        }
        self.optional("success", *success);
        self.put(if *weak { " weak" } else { "" });
    }

    fn reach(&mut self, reach: &Reach) {
        match reach.kind {
            ReachKind::Count(local) => self.put(format!("reach count {}", self.local(local, false))),
            ReachKind::Write(number) => self.with("reach write", &[number]),
            ReachKind::Pick(local) => self.put(format!("reach pick {}", self.local(local, false))),
        }
        self.put(format!(" from {} own {} * {} (", reach.origin.index(), reach.layout.index(), reach.count));
        for (at, lead) in reach.leads.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            self.put(if lead.constant { "const " } else { "" });
            self.expr(lead.pointer);
        }
        self.put(")");
    }

    fn place(&mut self, place: Place) {
        match place {
            Place::Object { object, offset } => self.put(format!("[{} {offset}]", self.object(object))),
            Place::Indexed { object, offset } => {
                self.put(format!("[{} at ", self.object(object)));
                self.expr(offset);
                self.put("]");
            }
            Place::Pointer { pointer, offset } => {
                self.put("[*");
                self.expr(pointer);
                self.put(format!(" {offset}]"));
            }
        }
    }

    fn sync(&mut self, op: SyncOp) {
        match op {
            SyncOp::Init(SyncInit::Mutex(kind)) => self.put(format!("init mutex {}", word(&MUTEX, &kind))),
            SyncOp::Init(SyncInit::Barrier(count)) => self.with("init barrier", &[count]),
            SyncOp::Init(SyncInit::Semaphore(value)) => self.with("init semaphore", &[value]),
            SyncOp::Init(SyncInit::RwLock | SyncInit::Cond | SyncInit::Once) => {
                self.put(format!("init {}", op.kind().word()));
            }
            SyncOp::CondWait { mutex, timed } => {
                self.put(if timed { "timedwait " } else { "wait " });
                self.place(mutex);
            }
            other => self.put(word(&SYNC, &other)),
        }
    }
}
