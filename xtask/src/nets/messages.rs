//! Nets like those made from Erlang programs: a place for each control location of each kind of process, a
//! counter for each kind of message in each mailbox, and processes that are spawned without end. A server
//! lends a resource; each kind of client runs through code of its own with branches, loops and calls before
//! it asks for the resource, and again before it gives it back. No two clients may hold the resource. In the
//! broken variant the server answers a request for the state of the resource as if it were one for the
//! resource.

use super::text::{NetText, Place, Start};
use base::Random;

/// The control locations of a piece of a client's code.
const PIECE: usize = 12;

/// A net with this many kinds of clients, about 30 places each.
pub fn net(kinds: usize, broken: bool) -> NetText {
    let mut net = NetText::default();
    let mut random = Random::new(kinds as u64);
    let main = net.place_with("main", Start::Exactly(1));
    let idle = net.place_with("server_idle", Start::Exactly(1));
    let log = net.place("server_log");
    net.rule(&[idle], &[idle, log]);
    let mut critical = vec![];
    for kind in 0..kinds {
        let name = |part: &str| format!("c{kind}_{part}");
        let [request, query, granted, release] =
            ["mail_request", "mail_query", "mail_granted", "mail_release"].map(|it| net.place(name(it)));
        let (answers, lent) = (net.place(name("mail_answer")), net.place(name("server_lent")));
        let first = net.place(name("start"));
        net.rule(&[main], &[main, first]);
        let ready = code(&mut net, &name("work"), first, &mut random);
        // It may ask for the state first, any number of times, and does not wait for the answer.
        net.rule(&[ready], &[ready, query]);
        net.rule(&[ready, answers], &[ready]);
        let (waiting, holds) = (net.place(name("waiting")), net.place(name("holds")));
        net.rule(&[ready], &[waiting, request]);
        net.rule(&[waiting, granted], &[holds]);
        let done = code(&mut net, &name("critical"), holds, &mut random);
        net.rule(&[done], &[first, release]);
        // The server.
        let deciding = net.place(name("server_deciding"));
        net.rule(&[idle, request], &[deciding]);
        net.rule(&[deciding], &[lent, granted]);
        net.rule(&[lent, release], &[idle]);
        let reply = if broken && kind == kinds / 2 { granted } else { answers };
        net.rule(&[idle, query], &[idle, reply]);
        critical.push(done);
    }
    for pair in critical.windows(2) {
        net.target(pair);
    }
    net.target(&[critical[0], critical[0]]);
    net
}

/// Control locations from one on, with branches and loops; where the code ends.
fn code(net: &mut NetText, name: &str, first: Place, random: &mut Random) -> Place {
    let mut all = vec![first];
    for number in 0..PIECE {
        let next = net.place(format!("{name}_{number}"));
        net.rule(&[all[all.len() - 1]], &[next]);
        if random.percent(40) {
            net.rule(&[all[random.below(all.len())]], &[next]);
        }
        if random.percent(15) && all.len() > 1 {
            net.rule(&[next], &[all[1 + random.below(all.len() - 1)]]);
        }
        all.push(next);
    }
    all[PIECE]
}
