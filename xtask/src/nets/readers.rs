//! Readers and writers, any number of each. A reader takes one permit, a writer all of them, one after the
//! other; a gate that writers close while they wait gives them priority. While somebody writes nobody else
//! may read or write. In the broken variant a writer is content with all permits but one.

use super::text::{NetText, Start};

/// A net with this many permits.
pub fn net(permits: usize, broken: bool) -> NetText {
    let mut net = NetText::default();
    let readers = net.place_with("readers", Start::AtLeast(1));
    let writers = net.place_with("writers", Start::AtLeast(1));
    let permit = net.place_with("permit", Start::Exactly(permits as u32));
    let gate = net.place_with("gate", Start::Exactly(1));
    let [queued, reading, copied, reports] =
        ["reader_queued", "reading", "reader_copied", "reports"].map(|it| net.place(it));
    net.rule(&[readers], &[queued]);
    net.rule(&[queued, gate, permit], &[reading, gate]);
    net.rule(&[reading], &[copied]);
    net.rule(&[copied], &[reading]);
    net.rule(&[copied], &[readers, permit, reports]);
    net.rule(&[reports], &[]);
    let closing = net.place("writer_closing");
    net.rule(&[writers], &[closing]);
    let mut at = net.place("writer_0");
    net.rule(&[closing, gate], &[at]);
    let needed = if broken { permits - 1 } else { permits };
    for number in 1..=needed {
        let next = net.place(format!("writer_{number}"));
        net.rule(&[at, permit], &[next]);
        at = next;
    }
    let (writing, flushed) = (net.place("writing"), net.place("writer_flushed"));
    net.rule(&[at], &[writing]);
    net.rule(&[writing], &[flushed]);
    net.rule(&[flushed], &[writing]);
    let mut back = vec![writers, gate];
    back.extend(std::iter::repeat_n(permit, needed));
    net.rule(&[flushed], &back);
    for reader in [reading, copied] {
        for writer in [writing, flushed] {
            net.target(&[reader, writer]);
        }
    }
    net.target(&[writing, flushed]);
    net.target(&[writing, writing]);
    net
}
