//! The codes of files and evidence (E09, W09), and of what there was to check (W08).

use super::{CodeText, row};

/// The rows.
pub(super) const CODES: &[CodeText] = &[
    row(
        "E0901",
        "file cannot be read",
        "The file is not there or cannot be opened; the message says what the system says.",
    ),
    row(
        "E0902",
        "directory",
        "A directory was given where a file is needed. `selvedge batch` checks all files in a directory.",
    ),
    row(
        "E0903",
        "empty file",
        "The file has nothing but spaces. A program has at least one procedure, a net at least one rule.",
    ),
    row(
        "E0904",
        "not a text file",
        "The file has bytes that no text has. If it is UTF-16, save it as UTF-8.",
    ),
    row(
        "E0905",
        "not UTF-8",
        "The file has bytes that are not UTF-8. Only C sources may have such, in comments and literals.",
    ),
    row("E0906", "file too long", "Places in files have 32 bits, so a file is shorter than 4 GiB."),
    row(
        "E0908",
        "unknown kind of file",
        "Neither the extension nor the contents say what the file is. Selvedge reads `.c`, `.i`, `.bp`, `.nbp`, `.tts`, `.ttd` and `.spec`.",
    ),
    row(
        "E0910",
        "neither a trace nor a certificate",
        "`confirm` takes a trace as JSON or a certificate, as `check --trace FILE.json` and `check --certificate FILE` write them. A damaged certificate and a trace for people are told as such.",
    ),
    row(
        "E0911",
        "not a trace of this program",
        "The JSON file is no trace, or one of another kind of program. Give the file that was checked and the trace that was written for it.",
    ),
    row(
        "E0912",
        "invalid predicate",
        "A predicate of `--predicate` or `--predicates` cannot be read, or names what the program does not have. Predicates are C conditions over shared variables and those of one thread, such as `worker::k < limit`.",
    ),
    row(
        "E0913",
        "witness that cannot be followed",
        "The file is a violation witness that cannot be read, or that is about another property than can be asked about this program. Witnesses are GraphML 1.0 (`.graphml`) and YAML 2.x (`.yml`) about C programs.",
    ),
    row(
        "W0801",
        "nothing to check",
        "The file has no assertion, error label or target, so its `safe` says nothing. Name what is an error, for example with `--error-label`.",
    ),
    row(
        "W0802",
        "label that looks like an error label",
        "A label has a name such as `ERROR` but was not named as one, so reaching it is no error. If it is one, add `--error-label NAME`.",
    ),
    row(
        "W0803",
        "unreachable assertion",
        "No run reaches the assertion within the scope that was asked, so it holds vacuously. Perhaps code before it never ends, or an assumption is too strong.",
    ),
    row(
        "W0804",
        "not known whether an assertion is reached",
        "After a proof each assertion is looked for with a small effort, and for this one it did not suffice. The proof stands; it may be vacuous.",
    ),
    row(
        "W0805",
        "calls that look like failing checks",
        "The program calls functions with which other projects say that a check has failed, and nobody asked about them: a run into them is no error. Name them with `--error-function`, or ask for `--property abort`.",
    ),
    row("W0901", "option without effect", "An option does not apply to this kind of file. It is ignored."),
    row(
        "W0902",
        "no second opinion",
        "The solver that `abstraction.opinion` names gave no answer for some paths, so they are decided by Selvedge alone, as without it.",
    ),
    row(
        "W0903",
        "threads wait for ever",
        "In some run all threads that are left wait for each other. No assertion fails there; to have it reported as an error ask for `--property deadlock`.",
    ),
    row(
        "W0904",
        "a pass was left out",
        "The result of a pass could not be validated, so the program is taken without the pass. No answer rests on it, but it is a fault of Selvedge: please report it with the file.",
    ),
];
