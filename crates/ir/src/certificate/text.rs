//! The text form of certificates, `selvedge-certificate/1`: one record a line, numbers for everything,
//! comments for people. `docs/formats/certificate.md` is the specification. Reading asks only whether the
//! text is one of this form: whether its numbers mean anything for a program is the checker's question.

mod c;
mod classes;
mod closure;
mod fields;
mod form;
mod game;
mod markings;
mod order;
mod reached;
mod read;
mod summaries;
mod symbolic;
mod write;

pub use c::{Unread, passes, read_c};
pub use read::read;
pub use write::{write, write_to};

/// The first line of the text.
pub const HEADER: &str = "selvedge-certificate/1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bp::{self, Loc, LocalId, SharedId};
    use crate::certificate::graph::{Graph, Node, NodeId};
    use crate::certificate::{
        Body, Certificate, ClassClosure, ClassTuple, Closure, ControlLocation, Game, Interface, LocalAt,
        Piece, Reached, ReachedMarkings, Rounds, Share, Stand, StateView, Summaries, SummaryState, Symbolic,
        ThreadView, TokenClosure, Tokens, Trap, TupleView, View, Weights, Who,
    };
    use crate::net::{Interval, Net, NetStart, Place, PlaceId, SharedStateId};
    use crate::task::{Bound, Model, Scope};
    use base::{Id, Random};
    use std::sync::Arc;

    /// A program with names for the comments: a procedure that calls itself, one shared and one local
    /// variable.
    fn model() -> Model {
        let mut builder = bp::Builder::new();
        let shared = builder.shared("s", bp::Init::Any);
        let main = builder.declare("main", 0);
        let local = builder.local("l", bp::LocalScope::Procedure(main), bp::Init::Any);
        builder.begin(main);
        let value = builder.exprs().var(bp::Var::Local(local));
        builder.push(main, bp::Op::assign(bp::Var::Shared(shared), value), None);
        builder.push(main, bp::Op::Call { procedure: main, args: vec![], results: vec![] }, None);
        builder.end(main, None);
        builder.template(main, bp::Count::Exactly(1));
        Model::Program(Arc::new(builder.finish().expect("the program is valid")))
    }

    fn number(random: &mut Random) -> usize {
        if random.percent(5) { u32::MAX as usize } else { random.below(9) }
    }

    fn list<T>(random: &mut Random, mut item: impl FnMut(&mut Random) -> T) -> Vec<T> {
        (0..random.below(4)).map(|_| item(random)).collect()
    }

    fn bits(random: &mut Random) -> Vec<bool> {
        list(random, |random| random.percent(50))
    }

    fn counted(random: &mut Random) -> (usize, u32) {
        (number(random), number(random) as u32)
    }

    fn bound(random: &mut Random) -> Bound {
        if random.percent(50) { Bound::Any } else { Bound::AtMost(number(random) as u32) }
    }

    fn control(random: &mut Random) -> ControlLocation {
        let kept = |random: &mut Random| LocalAt {
            depth: number(random),
            local: LocalId::from_index(number(random)),
        };
        let first = Loc::from_index(number(random));
        let further = list(random, |random| Loc::from_index(number(random)));
        let stack = [vec![first], further].concat();
        ControlLocation { stack, inside: random.percent(50), kept: list(random, kept) }
    }

    fn tokens(random: &mut Random) -> Tokens {
        let place = |random: &mut Random| {
            let (place, n) = counted(random);
            (PlaceId::from_index(place), n)
        };
        (SharedStateId::from_index(number(random)), list(random, place))
    }

    fn trap(random: &mut Random) -> Trap {
        let states = list(random, |random| SharedStateId::from_index(number(random)));
        Trap { states, places: list(random, |random| PlaceId::from_index(number(random))) }
    }

    fn weights(random: &mut Random) -> Weights {
        let (_, places) = tokens(random);
        let state = |random: &mut Random| (SharedStateId::from_index(number(random)), number(random) as u32);
        Weights { states: list(random, state), places, traps: list(random, counted) }
    }

    fn graph(random: &mut Random) -> Graph {
        let mut graph = Graph::default();
        for _ in 0..random.below(6) {
            let [test, then, other] = [0; 3].map(|_| NodeId::from_index(random.below(graph.len())));
            let input = Node::Input(number(random) as u32);
            let node = if random.percent(40) { input } else { Node::Ite { test, then, other } };
            graph.push(node).expect("the operands are there");
        }
        graph
    }

    fn piece(random: &mut Random) -> Piece {
        let formula = NodeId::from_index(number(random));
        Piece { initialising: random.percent(20), controls: list(random, counted), formula }
    }

    fn game(random: &mut Random, threads: Vec<ThreadView>) -> Game {
        let numbers = |random: &mut Random, n: usize| (0..n).map(|_| number(random)).collect::<Vec<_>>();
        let rounds = |random: &mut Random, less: usize| {
            let length = 1 + random.below(3);
            Rounds { ins: numbers(random, length), outs: numbers(random, length - less) }
        };
        let share = |random: &mut Random| Share {
            values: bits(random),
            message: list(random, number),
            sleeping: list(random, |random| number(random) as u32),
        };
        let interface = |random: &mut Random| Interface {
            first: random.percent(30),
            stand: *random.pick(&[Stand::At(0), Stand::At(7), Stand::Dormant, Stand::Ended]),
            rounds: rounds(random, 0),
        };
        let matched = |random: &mut Random| {
            let k = 1 + random.below(3);
            let side = |random: &mut Random, n| Rounds { ins: numbers(random, n), outs: numbers(random, n) };
            (side(random, k + 1), side(random, k))
        };
        Game {
            threads,
            rounds: number(random) as u32,
            shares: list(random, share),
            interfaces: list(random, interface),
            wants: list(random, |random| rounds(random, 1)),
            rights: list(random, |random| rounds(random, 0)),
            matched: list(random, matched),
            alone: list(random, |random| rounds(random, 0)),
        }
    }

    fn certificate(random: &mut Random) -> Certificate {
        let scope = Scope { threads: bound(random) };
        let tuple = |random: &mut Random| TupleView {
            initialising: random.percent(20),
            busy: random.percent(30),
            shared: bits(random),
            threads: list(random, counted),
        };
        let thread = |random: &mut Random| ThreadView { control: number(random), values: bits(random) };
        let shared = list(random, |random| SharedId::from_index(number(random)));
        let view = View { shared, controls: list(random, control) };
        let (threads, bound) = (list(random, thread), number(random) as u32);
        let body = match random.below(8) {
            6 => Body::Game(Box::new(game(random, threads))),
            5 => {
                let class = |random: &mut Random| list(random, number);
                let (classes, graph) = (list(random, class), graph(random));
                let tuple = |random: &mut Random| ClassTuple {
                    initialising: random.percent(20),
                    busy: random.percent(30),
                    classes: list(random, counted),
                    formula: NodeId::from_index(number(random)),
                };
                let (tuples, basis) = (list(random, tuple), list(random, tuple));
                Body::ClassClosure(ClassClosure { classes, graph, width: bound, tuples, basis })
            }
            4 => {
                let (graph, pieces) = (graph(random), list(random, piece));
                Body::Symbolic(Symbolic { graph, pieces, bound })
            }
            0 => Body::ReachedMarkings(ReachedMarkings { markings: list(random, tokens), bound }),
            1 => {
                let class = |random: &mut Random| list(random, |random| PlaceId::from_index(number(random)));
                let (classes, tuples, basis) =
                    (list(random, class), list(random, tokens), list(random, tokens));
                let (traps, weights) = (list(random, trap), list(random, weights));
                Body::TokenClosure(TokenClosure { width: bound, classes, tuples, basis, traps, weights })
            }
            2 => {
                let (tuples, basis) = (list(random, tuple), list(random, tuple));
                Body::Closure(Closure { threads, width: bound, tuples, basis })
            }
            3 => {
                let state = |random: &mut Random| SummaryState {
                    who: *random.pick(&[Who::Init, Who::First, Who::Other]),
                    record: random.percent(50).then(|| number(random) as u32),
                    busy: random.percent(30),
                    shared: bits(random),
                    thread: number(random),
                    calls: list(random, |random| number(random) as u32),
                };
                Body::Summaries(Summaries { threads, states: list(random, state) })
            }
            _ => {
                let state = |random: &mut Random| StateView {
                    initialising: random.percent(20),
                    shared: bits(random),
                    threads: list(random, counted),
                };
                Body::Reached(Reached { threads, states: list(random, state), bound })
            }
        };
        let about_net = matches!(body, Body::ReachedMarkings(_) | Body::TokenClosure(_));
        let view = if about_net { View::default() } else { view };
        Certificate { scope, view, body, passes: vec![] }
    }

    #[test]
    fn reading_undoes_writing() {
        let model = model();
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let certificate = certificate(&mut random);
            let text = write(&certificate, &model);
            assert_eq!(read(&text).as_ref(), Ok(&certificate), "{text}");
            let windows = text.replace('\n', "\r\n");
            assert_eq!(read(&windows).as_ref(), Ok(&certificate), "{text}");
        }
    }

    /// One certificate of each kind, as it has always been written: what is in a file today must be read
    /// tomorrow.
    const KINDS: [&str; 8] = [
        "reached\nscope 2 any any\nbound 2\nshared 0 3\np o 1/4 0.0 1.2\np i 2\nt 0 10\nt 1 -\ni 01 0\ns 11 0 1*2",
        "symbolic\nscope 2 any any\nbound 2\nshared\np o 1 0.0\nv 0\nv 1\nn 2 3 0\ni 1 0\ns 4 0*2",
        "reached-markings\nscope 3 any any\nbound 3\nm 0\nm 1 0 2*3",
        "closure\nscope any any any\nwidth 2\nshared 1\np o 1\nt 0 -\nc - 0 0*2\nc n 1\nc ni 1 0\nb i 1 0",
        "symbolic-closure\nscope any any any\nwidth 1\nshared 0\np o 1\np o 2\nk 0 1\nk\nv 0\nc - 2 0\nb i 1 0*2",
        "closure-markings\nscope any any any\nwidth 1\nc 0 1\nc 2\nb 0 1*4",
        "summaries\nscope any any any\nshared 0\np o 1\nt 0 -\na n - 0 0 -\na f i 1 0 2 0 1\na o - 1 0 0",
        "game\nscope any any any\nrounds 1\nshared\np o 1\nt 0 -\nh - - 1\nh - 0/0\nl f 0 0 1\nl o d 0 0\nl o e 1 1\nw 0\nr 0 1\n\
         g 0 0 1 1 0 0\nq 1 0 0 1",
    ];

    #[test]
    fn the_form_of_each_kind_stays_as_it_is() {
        let model = model();
        for text in KINDS {
            let text = format!("{HEADER}\nkind {text}\nend\n");
            let certificate = read(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            let written = write(&certificate, &model);
            let lines = written.lines().map(|line| line.split('#').next().unwrap_or_default().trim_end());
            assert_eq!(lines.map(|line| format!("{line}\n")).collect::<String>(), text);
        }
    }

    #[test]
    fn names_are_comments_and_cannot_break_a_line() {
        let places = [Place { name: "odd\nend".to_string() }].into_iter().collect();
        let start = NetStart { shared: SharedStateId::from_index(0), tokens: vec![Interval::exactly(1)] };
        let shared = ["s\u{2028}0 # x".to_string()].into_iter().collect();
        let net = Net::new(shared, places, Vec::new().into_iter().collect(), start, vec![]);
        let model = Model::Net(Arc::new(net.expect("the net is valid")));
        let markings = vec![(SharedStateId::from_index(0), vec![(PlaceId::from_index(0), 1)])];
        let body = Body::ReachedMarkings(ReachedMarkings { markings, bound: 1 });
        let certificate = Certificate { scope: Scope::ANY, view: View::default(), body, passes: vec![] };
        let text = write(&certificate, &model);
        assert!(text.contains("# place 0: odd?end"), "{text}");
        assert_eq!(read(&text), Ok(certificate));
    }

    #[test]
    fn any_text_is_read_or_refused() {
        let model = model();
        let mut random = Random::new(2);
        let alphabet: Vec<char> = "0159 any*/.-+#kpstimoev\n\r\tç\u{0}".chars().collect();
        let (mut good, mut bad) = (0, 0);
        for _ in 0..20_000 {
            let mut text: Vec<char> = write(&certificate(&mut random), &model).chars().collect();
            for _ in 0..1 + random.below(3) {
                let at = random.below(text.len());
                match random.below(4) {
                    0 => drop(text.splice(at..(at + 1).min(text.len()), [])),
                    1 => text.insert(at, *random.pick(&alphabet)),
                    2 => text.iter_mut().skip(at).take(1).for_each(|it| *it = *random.pick(&alphabet)),
                    _ => text.truncate(at + 1),
                }
            }
            match read(&text.into_iter().collect::<String>()) {
                Ok(certificate) => {
                    good += 1;
                    assert_eq!(read(&write(&certificate, &model)), Ok(certificate));
                }
                Err(_) => bad += 1,
            }
        }
        assert!(good > 1000 && bad > 1000, "{good} {bad}");
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        let check = |text: &str, expected: &str| {
            let found = read(text).expect_err("the text is wrong");
            assert!(found.contains(expected), "{found}");
        };
        let head = "selvedge-certificate/1\nkind reached\nscope 2 any any\nbound 2\nshared\n";
        check("", "line 1");
        check("selvedge-certificate/2\n", "another version");
        check("selvedge-certificate/1\nkind magic\n", "line 2: unknown kind `magic`");
        check(head, "`end` is missing");
        check(&format!("{head}t 0\nend\n"), "line 6");
        check(&format!("{head}t 0 -\np o 1\nend\n"), "line 7: `p` comes too late");
        check(&format!("{head}bound 2\nend\n"), "line 6: `bound` comes too late");
        check(&format!("{head}s 01 0*\nend\n"), "line 6");
        check(&format!("{head}s 01 +1\nend\n"), "line 6");
        check(&format!("{head}s 01 4294967296\nend\n"), "line 6");
        check(&format!("{head}m 0\nend\n"), "line 6");
        check(&format!("{head}end\nend\n"), "line 7");
        check("selvedge-certificate/1\nkind reached\nscope 2 any any\nshared\nend\n", "`bound` is missing");
        let head = head.replace("reached", "symbolic");
        check(&format!("{head}v 0\nn 3 0 1\nend\n"), "line 7: there is no node 3 yet");
        check(&format!("{head}n 1 0\nend\n"), "line 6");
        check(&format!("{head}t 0 -\nend\n"), "line 6");
        check(&format!("{head}s 1 0\nv 0\nend\n"), "line 7: `v` comes too late");
    }
}
