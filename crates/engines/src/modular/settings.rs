//! The options of the engine `modular`.

use crate::closure::MOST_WIDTH;
use crate::options::{after, number, settings, switch, word};

const FMCAD: &str = "Cook, Kroening and Sharygina, FMCAD 2006, for one thread";
const TCS: &str = "Cook, Kroening and Sharygina, TCS 388, 2007";

settings! {
    WIDTH = after(
        FMCAD,
        number("modular.width", "3", 1..=MOST_WIDTH as u64, "the most threads that are looked at together"),
    );
    TRANSITION_MERGING = switch("modular.transition_merging", "do not store states in which a thread is at an invisible transition");
    CERTIFICATE = number(
        "modular.certificate_tuples",
        "2000000",
        0..=u32::MAX as u64,
        "write no certificate with more tuples, or nodes of formulas, than this",
    );
    SETS = word(
        "modular.sets",
        "auto",
        &["auto", "explicit", "bdd"],
        "list tuples of threads, or keep them in decision diagrams, or both by turns",
    );
    TURN = number(
        "modular.turn",
        "100000",
        0..=u64::MAX,
        "with `auto`, the ticks of the first turn; each further turn has four times as many",
    );
    CLASSES =
        switch("modular.classes", "merge locations in decision diagrams, and places of nets, and split them where that makes an alarm");
    MEMORY = number("modular.memory", "4096", 1..=1_000_000, "MiB for decision diagrams");
    RELATION = after(
        TCS,
        word(
            "modular.relation",
            "closure",
            &["closure", "threads"],
            "what is closed: tuples of growing width, or single thread states under the relation of the paper",
        ),
    );
    STATES = after(
        TCS,
        word(
            "modular.states",
            "bdd",
            &["explicit", "bdd", "sat"],
            "with the relation `threads`: thread states one by one, as decision diagrams, or as formulas over choices",
        ),
    );
    REDUCTION = after(
        TCS,
        switch(
            "modular.reduction",
            "with the relation `threads`: let environment steps change a thread only where its next statement can tell",
        ),
    );
    LOCKS = after(
        TCS,
        word(
            "modular.locks",
            "both",
            &["both", "owner", "taken"],
            "with the relation `threads`: which bits of a lock are looked at; `owner` is the paper, `taken` is without its condition (2d)",
        ),
    );
}
