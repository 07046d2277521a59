//! Where the statements of each point may lead, whatever the values are: most steps cannot lead to most elements, and are not asked
//! about.

use super::family::Family;
use super::question::is_private;
use crate::symbolic::sets::Set;
use base::Stop;
use check::figure::Scene;
use check::interpret::ends;
use ir::bp::{Op, Values};

/// What a thread at a point may do.
pub struct Sight {
    /// The classes to which it may go.
    pub next: Vec<usize>,
    /// The class in which a thread begins that it creates.
    pub child: Option<usize>,
    /// Whether it ends.
    pub ends: bool,
    /// Whether nobody else can tell that it steps.
    pub private: bool,
}

/// What a thread at each point may do.
pub fn survey(family: &Family<'_>) -> Result<Vec<Sight>, Stop> {
    (0..family.closure.view.points.len()).map(|point| sight(family, point)).collect()
}

fn sight(family: &Family<'_>, point: usize) -> Result<Sight, Stop> {
    let (program, atlas) = (family.program, &family.atlas);
    let any = || std::iter::repeat(Set::from(Values::ANY));
    let scene = Scene { shared: atlas.shared(any()), me: atlas.figure(point, any()) };
    let (ends, private) = (ends(program, &scene.me), is_private(program, scene.me.loc()));
    if ends {
        return Ok(Sight { next: vec![], child: None, ends, private });
    }
    let mut stage = family.stage();
    let class = |figure| atlas.point(figure).and_then(|point| family.class_of(point));
    let ways = stage.interpreter.executed(&scene)?;
    let mut next: Vec<usize> = ways.iter().filter_map(|(_, after)| class(&after.me)).collect();
    next.sort_unstable();
    next.dedup();
    let child = match &program.at(scene.me.loc()).op {
        Op::Start(spawn) => class(&stage.interpreter.child(&scene, spawn)?),
        _ => None,
    };
    Ok(Sight { next, child, ends, private })
}
