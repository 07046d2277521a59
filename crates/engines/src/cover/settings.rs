//! The options of the engine `cover`.

use crate::closure::MOST_WIDTH;
use crate::options::{after, number, settings, switch, word};

settings! {
    WIDTH = number("cover.width", "2", 1..=MOST_WIDTH as u64, "the width of the closure that prunes");
    CLOSURE_TUPLES = number(
        "cover.closure_tuples",
        "20000000",
        0..=u64::MAX,
        "how large the explicit closure may grow before sets are taken, or where that is not allowed a narrower closure",
    );
    TRANSITION_MERGING = switch("cover.transition_merging", "do not store states in which a thread is at an invisible transition");
    ACCELERATE = after(
        "Karp and Miller, JCSS 1969",
        number(
            "cover.accelerate",
            "100000",
            0..=u64::MAX,
            "after this many ticks look forward for as many, with acceleration, for errors that need many threads; 0 for never",
        ),
    );
    DIRECTED = after(
        "Blondin, Haase and Offtermatt, TACAS 2021",
        switch("cover.directed", "for nets, look forward for errors, the markings first that seem to be nearest to one"),
    );
    EQUATION = after(
        "Esparza, Ledesma-Garza, Majumdar, Meyer and Niksic, CAV 2014",
        switch("cover.equation", "for nets, drop elements for which the state equation has no solution"),
    );
    TRAPS = after(
        "Esparza, Ledesma-Garza, Majumdar, Meyer and Niksic, CAV 2014",
        switch("cover.traps", "add traps to the state equation"),
    );
    CERTIFICATE = number(
        "cover.certificate_size",
        "2000000",
        0..=u32::MAX as u64,
        "write no certificate with more tuples and elements than this",
    );
    SETS = word(
        "cover.sets",
        "auto",
        &["auto", "explicit", "bdd"],
        "list elements one by one, or keep sets of them in decision diagrams; `auto` lists them unless threads have much to choose (`cover.choices`) or the closure grows too large (`cover.closure_tuples`)",
    );
    CHOICES = number(
        "cover.choices",
        "4",
        0..=u32::MAX as u64,
        "with `cover.sets=auto`, sets if a thread starts with, or a statement gives, more free bits than this, or the program starts with four times as many",
    );
    MEMBERS = number("cover.members", "32", 1..=256, "with decision diagrams, the most threads of an element");
    CAPACITY = number(
        "cover.capacity",
        "8",
        1..=256,
        "with decision diagrams, the most threads of an element at first; twice as many when that is not enough",
    );
    MEMORY = number("cover.memory", "4096", 1..=1_000_000, "MiB for decision diagrams");
}
