//! The calculus on graphs: transitive closure against a plain search.

use super::*;
use base::{Budget, Random, Stop};
use solve::bdd::Bdd;
use std::collections::BTreeSet;

const BITS: usize = 3;

type Edge = (usize, usize);

fn plain_closure(edges: &BTreeSet<Edge>) -> BTreeSet<Edge> {
    let mut paths = edges.clone();
    loop {
        let longer: BTreeSet<Edge> = paths
            .iter()
            .flat_map(|&(a, b)| edges.iter().filter(move |edge| edge.0 == b).map(move |edge| (a, edge.1)))
            .collect();
        let before = paths.len();
        paths.extend(longer);
        if paths.len() == before {
            return paths;
        }
    }
}

struct Graph<'b> {
    system: System<'b>,
    columns: [Column; 3],
    layout: Layout,
    edge: RelationId,
    path: RelationId,
    never: RelationId,
}

fn graph<'b>(edges: &BTreeSet<Edge>, budget: &'b Budget) -> Result<Graph<'b>, Stop> {
    let mut layout = Layout::default();
    let columns = [(); 3].map(|()| layout.column(Sort("node")));
    (0..BITS).for_each(|_| layout.row(&columns));
    let [a, b, c] = columns;
    let mut system = System::new(Calculus::new(1 << 16, budget));
    let ends = [layout.levels(a), layout.levels(b)].concat();
    let edge = system.relation(ends.clone(), 0);
    let path = system.relation(ends, 1);
    let never = system.relation(vec![], 0);
    let mut facts = Bdd::FALSE;
    for &(from, to) in edges {
        let from = system.calculus.number(layout.levels(a), from)?;
        let to = system.calculus.number(layout.levels(b), to)?;
        let both = system.calculus.and(from, to)?;
        facts = system.calculus.or(facts, both)?;
    }
    let plain = |relation| Atom { relation, renamed: vec![] };
    system.rule(HornRule { head: edge, body: vec![], with: facts })?;
    system.rule(HornRule { head: path, body: vec![plain(edge)], with: Bdd::TRUE })?;
    let first = Atom { relation: path, renamed: layout.pairs(b, c) };
    let second = Atom { relation: edge, renamed: layout.pairs(a, c) };
    system.rule(HornRule { head: path, body: vec![first, second], with: Bdd::TRUE })?;
    Ok(Graph { system, columns, layout, edge, path, never })
}

fn number(tuple: &RelationElement, levels: &[solve::bdd::Level]) -> usize {
    levels.iter().enumerate().map(|(bit, level)| usize::from(tuple.values[level]) << bit).sum()
}

#[test]
fn the_closure_of_random_graphs_is_right_and_every_path_is_derived() -> Result<(), Stop> {
    let mut random = Random::new(7);
    for _ in 0..60 {
        let node = |random: &mut Random| random.below(1 << BITS);
        let edges: BTreeSet<Edge> =
            (0..2 + random.below(12)).map(|_| (node(&mut random), node(&mut random))).collect();
        let budget = Budget::unlimited();
        let mut graph = graph(&edges, &budget)?;
        assert!(!graph.system.run(graph.never)?);
        let expected = plain_closure(&edges);
        let total = graph.system.total(graph.path);
        let levels =
            [graph.layout.levels(graph.columns[0]), graph.layout.levels(graph.columns[1])].map(<[_]>::to_vec);
        let count = graph
            .system
            .calculus
            .manager
            .sat_count_exact(total, u32::try_from(2 * BITS).expect("a small number"));
        let unused = levels.concat().len();
        assert_eq!(unused, 2 * BITS);
        assert_eq!(count, Some(expected.len() as u128));
        for &(from, to) in &expected {
            let bits = |number: usize| (0..BITS).map(move |bit| number >> bit & 1 == 1);
            let values = levels.concat().into_iter().zip(bits(from).chain(bits(to))).collect();
            let mut tuple = RelationElement { relation: graph.path, values };
            let mut steps = 0;
            while tuple.relation == graph.path {
                let derivation = graph.system.derive(&tuple)?;
                let last = derivation.body.last().expect("paths are made of edges").clone();
                assert!(edges.contains(&(number(&last, &levels[0]), number(&last, &levels[1]))));
                tuple = derivation.body[0].clone();
                steps += 1;
            }
            assert_eq!(tuple.relation, graph.edge);
            assert!(steps <= expected.len() + 1);
        }
    }
    Ok(())
}

#[test]
fn the_run_stops_at_the_goal() -> Result<(), Stop> {
    let budget = Budget::unlimited();
    let edges = (0..7).map(|n| (n, n + 1)).collect();
    let mut graph = graph(&edges, &budget)?;
    let goal = graph.system.relation(vec![], 0);
    let two = graph.system.calculus.number(graph.layout.levels(graph.columns[1]), 2)?;
    let body = vec![Atom { relation: graph.path, renamed: vec![] }];
    graph.system.rule(HornRule { head: goal, body, with: two })?;
    assert!(graph.system.run(goal)?);
    assert!(graph.system.pick(goal).is_some());
    Ok(())
}
