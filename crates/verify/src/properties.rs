//! A file with one of its properties alone, and the file in which it is the error to come to an assertion at
//! all.

use ::c::{Deadlocks, Faults, Leaks, Op as Step, PropertyId, Races, TRUTH};
use base::Id;
use ir::bp::program::{Loc, Op};
use ir::c::Model as CModel;
use ir::property::{Copies, Site};
use ir::{Model, Program, Property};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The model with this property alone. Other assertions are passed as if nobody had written them; in C, where
/// a failing assertion ends the program, a run ends there.
pub fn alone(model: &Model, property: &Property) -> Option<Model> {
    match model {
        Model::Program(program) => with_errors(program, |at, op| match op {
            Op::Assert(_) if property.site != Site::Assertion(at) => Change::Pass,
            _ if property.site == Site::Label(at) => Change::KeepLabel,
            _ => Change::NoLabel,
        }),
        Model::Net(net) => {
            let Site::Target(index) = property.site else { return None };
            let target = net.targets().get(index)?.clone();
            let net = ir::Net::clone(net).with_targets(vec![target]).ok()?;
            Some(Model::Net(Arc::new(net)))
        }
        Model::C(source) => {
            let kept = |id: &PropertyId| matches!(&property.site, Site::C(copies) if copies.ids.contains(id));
            let alone = with_steps(source, kept, &BTreeMap::new())?;
            let machine = alone.machine;
            let machine = ::c::Options {
                faults: if let Site::Undefined(faults) = property.site { faults } else { Faults::NONE },
                races: if property.site == Site::Race { machine.races } else { Races::Ignored },
                deadlocks: if property.site == Site::Deadlock {
                    machine.deadlocks
                } else {
                    Deadlocks::Ignored
                },
                leaks: if property.site == Site::Leak { machine.leaks } else { Leaks::Ignored },
                ..machine
            };
            Some(Model::C(Arc::new(CModel { machine, ..alone })))
        }
    }
}

/// The model in which it is the error to come to one of these assertions, whatever they say, and nothing else
/// is one.
pub fn arrival(model: &Model, assertions: &[&Property]) -> Option<Model> {
    let sites = || assertions.iter().map(|it| &it.site);
    match model {
        Model::Program(program) => with_errors(program, |at, op| match op {
            Op::Assert(_) if sites().any(|site| *site == Site::Assertion(at)) => Change::Fail,
            Op::Assert(_) => Change::Pass,
            _ => Change::NoLabel,
        }),
        Model::Net(_) => None,
        Model::C(source) => {
            let of_site = |site: &Site| match site {
                Site::C(Copies { ids, decisions }) => decisions.iter().map(|&at| (at, ids[0])).collect(),
                _ => vec![],
            };
            let changed = with_steps(source, |_| false, &sites().flat_map(of_site).collect())?;
            let races = Races::Ignored;
            let deadlocks = Deadlocks::Ignored;
            let leaks = Leaks::Ignored;
            let machine = ::c::Options { faults: Faults::NONE, races, deadlocks, leaks, ..changed.machine };
            Some(Model::C(Arc::new(CModel { machine, ..changed })))
        }
    }
}

/// What becomes of a location.
enum Change {
    /// It stays, and arriving is an error if it was one.
    KeepLabel,
    /// It stays, and arriving is no error.
    NoLabel,
    /// It is passed, and arriving is no error.
    Pass,
    /// It fails.
    Fail,
}

fn with_errors(program: &Program, change: impl Fn(Loc, &Op) -> Change) -> Option<Model> {
    let mut builder = program.edit();
    let never = builder.exprs().constant(false);
    for at in (0..program.locations().len()).map(Loc::from_index) {
        let location = builder.at(at);
        let change = change(at, &location.op);
        location.error &= matches!(change, Change::KeepLabel);
        match change {
            Change::Pass => location.op = Op::Skip,
            Change::Fail => location.op = Op::Assert(never),
            Change::KeepLabel | Change::NoLabel => {}
        }
    }
    builder.finish().ok().map(|program| Model::Program(Arc::new(program)))
}

/// The program in which the properties that are not kept end a run where they would fail, and some steps are
/// failures of a property.
fn with_steps(
    source: &CModel,
    kept: impl Fn(&PropertyId) -> bool,
    failures: &BTreeMap<::c::Loc, PropertyId>,
) -> Option<CModel> {
    let mut builder = source.program.edit();
    let never = builder.exprs().number(TRUTH, 0);
    for at in (0..source.program.locations().len()).map(::c::Loc::from_index) {
        let op = &mut builder.at(at).op;
        if let Some(&property) = failures.get(&at) {
            *op = Step::Assert { cond: never, property };
            continue;
        }
        let (property, cond) = match &*op {
            Step::Assert { property, cond } => (*property, *cond),
            Step::Error(property) => (*property, never),
            _ => continue,
        };
        if !kept(&property) {
            *op = Step::Assume(cond);
        }
    }
    let program = builder.finish().ok()?;
    // Undefined behaviour is looked for in the file as a whole.
    Some(CModel { program, literal: None, ..source.clone() })
}
