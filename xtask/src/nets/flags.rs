//! Mutual exclusion by flags (the one-bit algorithm of Burns and Lamport): each process sets its flag,
//! withdraws if one before it has its flag up, and waits for those after it. That no two are in is seen by no
//! place invariant alone, but with traps. In the broken variant the first process does not look at the flag
//! of the last.

use super::text::{NetText, Place, Start};

/// A net with this many processes.
pub fn net(processes: usize, broken: bool) -> NetText {
    let mut net = NetText::default();
    let one = |net: &mut NetText, name: String| net.place_with(name, Start::Exactly(1));
    let down: Vec<Place> = (0..processes).map(|it| one(&mut net, format!("down_{it}"))).collect();
    let up: Vec<Place> = (0..processes).map(|it| net.place(format!("up_{it}"))).collect();
    let mut critical = vec![];
    for me in 0..processes {
        let name = |part: &str| format!("p{me}_{part}");
        let idle = one(&mut net, name("idle"));
        let mut at = net.place(name("look_0"));
        net.rule(&[idle, down[me]], &[at, up[me]]);
        for other in (0..processes).filter(|&it| it != me) {
            let next = net.place(name(&format!("passed_{other}")));
            if broken && me == 0 && other + 1 == processes {
                net.rule(&[at], &[next]);
            } else {
                net.rule(&[at, down[other]], &[next, down[other]]);
            }
            if other < me {
                net.rule(&[at, up[other], up[me]], &[idle, up[other], down[me]]);
            }
            at = next;
        }
        net.rule(&[at, up[me]], &[idle, down[me]]);
        critical.push(at);
    }
    for (index, &one) in critical.iter().enumerate() {
        for &other in &critical[index + 1..] {
            net.target(&[one, other]);
        }
    }
    net
}
