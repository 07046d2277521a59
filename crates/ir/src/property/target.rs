//! Targets of nets that must not be covered.

use super::{Class, ClassRow, Property, PropertyClass, Site};
use crate::net::{Net, Target};
use crate::task::Model;
use base::class::ASSERT_RULE;

const TARGET: Class = Class(&ClassRow {
    word: "target",
    sv_comp: None,
    sentence: "the target is covered",
    rules: &[ASSERT_RULE],
});

pub(super) const ROW: PropertyClass = PropertyClass { class: TARGET, find };

fn find(model: &Model) -> Vec<Property> {
    let Model::Net(net) = model else { return vec![] };
    let one = |(index, target): (usize, &Target)| Property {
        class: TARGET,
        span: None,
        text: text(net, target),
        site: Site::Target(index),
    };
    net.targets().iter().enumerate().map(one).collect()
}

/// A target in words.
fn text(net: &Net, target: &Target) -> String {
    let shared = target.shared.filter(|_| net.shared().len() > 1);
    let shared = shared.map(|it| format!("shared state {}", net.shared()[it]));
    let places = target.places.iter().map(|(place, interval)| {
        let name = &net.places()[*place].name;
        match interval.most {
            None => format!("{name} >= {}", interval.least),
            Some(most) if most == interval.least => format!("{name} = {most}"),
            Some(most) => format!("{name} in [{}, {most}]", interval.least),
        }
    });
    shared.into_iter().chain(places).collect::<Vec<_>>().join(", ")
}
