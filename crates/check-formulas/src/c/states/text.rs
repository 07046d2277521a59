//! The text form of proofs by all states (`docs/formats/c-states.md`).

use super::{Listing, explore};
use base::Budget;
use check::{Refused, Rejected, reject};
use ir::c::text::print;
use ir::c::{Options, Program};
use ir::{Bound, Scope};

const HEADER: &str = "selvedge-certificate/1";
const KIND: &str = "kind states";

/// The text of a proof.
pub fn write(program: &Program, options: &Options, listing: Listing) -> String {
    let threads = match listing.threads {
        Bound::Any => "any".to_string(),
        Bound::AtMost(most) => most.to_string(),
    };
    let (locations, digest) = (program.locations().len(), digest(program, options));
    let states = listing.states;
    format!("{HEADER}\n{KIND}\nprogram {locations} {digest:016x}\nthreads {threads}\nstates {states}\nend\n")
}

/// Whether a text claims to be such a proof.
pub fn is_listing(text: &str) -> bool {
    lines(text).nth(1) == Some(KIND)
}

/// Checks a proof in its text form; what it proves. The bound on threads is the text's own.
pub fn confirm(program: &Program, options: &Options, text: &str, budget: &Budget) -> Result<Scope, Refused> {
    let claimed = read(program, options, text)?;
    let options = Options { threads: claimed.threads.limit(), ..*options };
    let found = explore(program, options, claimed.states, budget)?;
    if !found.scope().covers(claimed.scope()) {
        return Ok(reject(format!(
            "the certificate claims {}, but it proves {}",
            claimed.scope(),
            found.scope()
        ))?);
    }
    if found.states != claimed.states {
        return Ok(reject(format!("there are {} states, not {}", found.states, claimed.states))?);
    }
    Ok(found.scope())
}

/// Lines that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn read(program: &Program, options: &Options, text: &str) -> Result<Listing, Rejected> {
    let mut lines = lines(text);
    let mut next = |what: &str| lines.next().ok_or(Rejected(format!("the record `{what}` is missing")));
    for fixed in [HEADER, KIND] {
        if next(fixed)? != fixed {
            return reject(format!("the record `{fixed}` is missing"));
        }
    }
    let about = format!("{} {:016x}", program.locations().len(), digest(program, options));
    if record(next("program")?, "program")? != about {
        return reject("the proof is about another program, or one that was read under other options");
    }
    let threads = match record(next("threads")?, "threads")? {
        "any" => Bound::Any,
        most => Bound::AtMost(number(most)?),
    };
    let states = number(record(next("states")?, "states")?)?;
    if next("end")? != "end" || lines.next().is_some() {
        return reject("the text does not end with `end`");
    }
    Ok(Listing { states, threads })
}

fn record<'t>(line: &'t str, name: &str) -> Result<&'t str, Rejected> {
    match line.split_once(' ') {
        Some((word, rest)) if word == name => Ok(rest.trim()),
        _ => reject(format!("the record `{name}` is missing")),
    }
}

fn number<N: std::str::FromStr>(word: &str) -> Result<N, Rejected> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_plain).ok_or(Rejected(format!("`{word}` is no number")))
}

/// A number that tells programs and options apart, so that a proof about another one is refused at once and in these words. Nobody relies on
/// it: FNV-1a of 64 bits over the program's text.
fn digest(program: &Program, options: &Options) -> u64 {
    let options = [options.memory, options.spurious_wakeups].map(u8::from);
    let text = print(program);
    let bytes = text.bytes().chain(options);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
