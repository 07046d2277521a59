//! Transition systems and nets: what the files mean, by the reference semantics, and what is said about bad
//! ones.

use base::{Diagnostic, FileId, Id, SourceMap};
use front::ReadOptions;
use front::dialects::spec::read_spec;
use front::dialects::tts::read_tts;
use ir::Net;
use ir::net::{Machine, Marking, SharedStateId};

fn options(start: &str, target: &str) -> ReadOptions {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_string());
    ReadOptions { start: text(start), target: text(target), ..ReadOptions::default() }
}

fn tts(text: &str, options: &ReadOptions) -> Result<Net, Vec<Diagnostic>> {
    let mut map = SourceMap::new();
    let file = map.add("a.tts", text);
    read_tts(&map, file, options, None).map(|(net, _)| net)
}

fn spec(text: &str) -> Result<(Net, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut map = SourceMap::new();
    let file = map.add("a.spec", text);
    read_spec(&map, file)
}

/// The markings after one step from this one, sorted: the shared state, then the tokens.
fn after(net: &Net, shared: usize, tokens: &[u32]) -> Vec<(usize, Vec<u32>)> {
    let marking = Marking { shared: SharedStateId::from_index(shared), tokens: tokens.to_vec() };
    let steps = Machine::new(net, None).steps(&marking).into_iter();
    let mut all: Vec<_> = steps.map(|(_, it)| (it.shared.index(), it.tokens)).collect();
    all.sort();
    all
}

fn reaches(net: &Net, bound: u32) -> bool {
    let machine = Machine::new(net, Some(bound));
    let all = machine.reachable(100_000).expect("the nets of these tests are small");
    all.iter().any(|marking| machine.at_target(marking))
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(|it| it.code).collect()
}

#[test]
fn arrows_mean_steps_spawns_and_transfers() {
    let net = tts(
        "# a system\n2 4\n0 0 -> 1 1 2 ~> 3 2 ~> 2 3 ~> 0\n0 0 -> 0 0 # dropped\n1|1\n",
        &options("", ""),
    );
    let net = net.expect("a good file");
    assert_eq!(net.rules().len(), 1);
    // The active thread is not transferred; the thread in 2 stays or goes to 3, the one in 3 goes to 0.
    assert_eq!(after(&net, 0, &[2, 0, 1, 1]), [(1, vec![2, 1, 0, 1]), (1, vec![2, 1, 1, 0])]);
    assert!(after(&net, 0, &[0, 0, 1, 1]).is_empty());

    let net = tts("2 2\n0 0 +> 1 1\n1 1 +> 1 1\n1|1", &options("", "")).expect("a good file");
    assert_eq!(after(&net, 0, &[1, 0]), [(1, vec![1, 1])]);
    assert_eq!(after(&net, 1, &[1, 1]), [(1, vec![1, 2])]);

    let net = tts("2 2\n0 0 ~> 1 1\n1 0 ~> 0 0\n1|1", &options("", "")).expect("a good file");
    assert_eq!(after(&net, 0, &[3, 1]), [(1, vec![0, 4])]);
    assert_eq!(after(&net, 0, &[0, 0]), [(1, vec![0, 0])], "a pure transfer needs no thread");
    assert_eq!(after(&net, 1, &[2, 1]), [(0, vec![2, 1])]);
}

#[test]
fn starts_and_targets() {
    let text = "2 3\n0 0 -> 1 1\n1 1 -> 0 2\n0|2\n";
    let verdict = |start: &str, target: &str, bound| {
        reaches(&tts(text, &options(start, target)).expect("a good file"), bound)
    };
    assert!(verdict("", "", 1));
    assert!(verdict("0|0", "", 1));
    assert!(!verdict("1|0", "", 3), "shared state 1 lets only a thread in 1 go on");
    assert!(!verdict("0|0", "0|2,2", 3), "--target replaces the file's; one thread cannot cover two");
    assert!(verdict("0|0,0", "0|2,2", 2));
    assert!(verdict("0/0", "0|2,2", 2));
    assert!(verdict("0B1U0", "0|2,1", 2));
    assert!(verdict("0|0", "1|0\n1|1", 1), "any of several targets");
}

#[test]
fn nothing_covers_a_target_that_does_not_exist() {
    let mut map = SourceMap::new();
    let file = map.add("a.tts", "1 1\n0|0,1\n");
    let (net, warnings) = read_tts(&map, file, &ReadOptions::default(), None).expect("a good file");
    assert_eq!(codes(&warnings), ["W0507", "W0504"]);
    assert!(!reaches(&net, 3));
}

#[test]
fn a_file_may_say_where_it_starts() {
    let reached = |start: &str, given: &str| {
        let text = format!("{start}\n2 2\n0 0 -> 1 1\n1 0 -> 1 1\n1|1,1\n");
        reaches(&tts(&text, &options(given, "")).expect("a good file"), 3)
    };
    assert!(
        reached("# start 0|0", "")
            && reached("#selvedge start 0|0,0", "")
            && reached("#selvedge start 0/0", "")
    );
    assert!(!reached("#selvedge start 0|0", "") && !reached("#selvedge start 0/0", "0|0"));
    for wrong in ["#selvedge start", "#selvedge start x", "#selvedge start 7|0", "#selvedge start 0/9"] {
        let found = tts(&format!("{wrong} \n1 1\n0|0\n"), &options("", "")).expect_err(wrong);
        assert_eq!(codes(&found), ["E0505"], "{wrong}");
    }
}

#[test]
fn a_prop_file_adds_targets() {
    let mut map = SourceMap::new();
    let file = map.add("a.tts", "1 2\n0 0 -> 0 1\n");
    let prop = map.add("a.prop", "0|1,1\n");
    let read = |prop: Option<FileId>| read_tts(&map, file, &ReadOptions::default(), prop);
    let (net, _) = read(Some(prop)).expect("a good file");
    assert!(!reaches(&net, 1) && reaches(&net, 2));
    let found = read(None).expect_err("no target");
    assert_eq!(codes(&found), ["E0506"]);
    assert!(found[0].help.as_ref().is_some_and(|help| help.contains("--target")));
}

#[test]
fn all_errors_of_a_transition_system_are_told() {
    let cases: [(&str, &[&str]); 9] = [
        ("", &["E0502"]),
        ("0 3\n", &["E0502"]),
        ("4294967295 1\n0|0", &["E0502"]),
        ("2\n0 0 -> 0 1\n0|0", &["E0502"]),
        ("2 2\n0 0 -> 0 2\n0 x\n0 0 = 0 1\n2|\n0|1", &["E0503", "E0503", "E0503", "E0501"]),
        ("2 2\n0 0 -> 0 0 1 ~> 0\n0|0", &["E0503"]),
        ("2 2\n0 0 ~> 0 1 0 ~> 1\n0|0", &["E0503"]),
        ("2 2\n0 0 -> 0 1 0 ~>\n0 1 -> 0 1 1\n0|0", &["E0503", "E0503"]),
        ("2 2\n0 99999999999 -> 0 0\n0|1,\n0|5", &["E0503", "E0501", "W0504"]),
    ];
    for (text, expected) in cases {
        assert_eq!(codes(&tts(text, &options("", "")).expect_err(text)), expected, "{text}");
    }
    let found = tts("1 1\n0|0", &options("0|1", "0")).expect_err("bad options");
    assert_eq!(codes(&found), ["E0505", "E0501"]);
}

#[test]
fn big_transition_systems_are_read_fast() {
    let mut text = "200 60000\n".to_string();
    for l in 0..60_000 {
        text += &format!("{} {l} -> {} {}\n", l % 200, (l + 1) % 200, (l * 7) % 60_000);
    }
    text += "0|1\n";
    let begun = std::time::Instant::now();
    assert!(tts(&text, &options("", "")).expect("a good file").rules().len() > 59_000);
    assert!(begun.elapsed().as_secs() < 5, "60 000 rules must read in no time");
}

const MUTEX: &str = "
vars idle wait crit lock
rules
  idle >= 1 -> idle' = idle - 1, wait' = wait + 1;
  wait >= 1, lock >= 1 -> wait' = wait-1, lock'=lock-1, crit' = crit+1 ;
  crit >= 1 -> crit' = crit-1, lock' = lock + 1, idle' = idle + 1;
init idle >= 1, wait = 0, crit = 0, lock = LOCKS
target crit >= 2
invariants lock=1, crit=1
";

#[test]
fn a_lock_excludes_and_two_do_not() {
    let net = |locks: &str| spec(&MUTEX.replace("LOCKS", locks)).expect("a good file").0;
    assert!(!reaches(&net("1"), 4));
    assert!(reaches(&net("2"), 4));
    assert!(net("1").monotone());
}

/// A net over x, y, z with one rule, and what it does to a marking.
fn rule(text: &str, tokens: [u32; 3]) -> Option<Vec<u32>> {
    let text = format!("vars x y z rules {text} init x=0,y=0,z=0 target x >= 1");
    let (net, _) = spec(&text).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let mut all = after(&net, 0, &tokens);
    assert!(all.len() <= 1, "rules of mist leave no choice");
    all.pop().map(|it| it.1)
}

#[test]
fn rules_are_affine_maps() {
    type Tokens = [u32; 3];
    let cases: [(&str, Tokens, Option<Tokens>); 16] = [
        ("x >= 2 -> x' = x - 2, y' = y + 3;", [3, 1, 5], Some([1, 4, 5])),
        ("x >= 2 -> x' = x - 2, y' = y + 3;", [1, 1, 5], None),
        ("x >= 1 -> y' = y + 1;", [1, 0, 0], Some([1, 1, 0])),
        ("x >= 1 -> y' = y + 1;", [0, 0, 0], None),
        ("true -> x' = x - 1;", [0, 0, 0], None),
        ("true -> x' = x - 1;", [1, 0, 0], Some([0, 0, 0])),
        ("x = 0 -> z' = z + 1;", [0, 0, 0], Some([0, 0, 1])),
        ("x = 0 -> z' = z + 1;", [1, 0, 0], None),
        ("x in [1, 2] -> x' = x - 1;", [3, 0, 0], None),
        ("x in [1, 2] -> x' = x - 1;", [2, 0, 0], Some([1, 0, 0])),
        ("true -> x' = x + y + 1, y' = 0;", [2, 3, 0], Some([6, 0, 0])),
        ("true -> x' = y, y' = x;", [2, 3, 0], Some([3, 2, 0])),
        ("true -> x' = x + y + z, y' = 2, z' = 0;", [1, 2, 3], Some([6, 2, 0])),
        ("true -> x' = 0;", [7, 1, 0], Some([0, 1, 0])),
        ("y >= 1 -> x' = x + y - 1, y' = 0;", [2, 3, 0], Some([4, 0, 0])),
        ("x >= 1, y >= 1 -> x' = x + y - 2, y' = 0;", [1, 1, 0], Some([0, 0, 0])),
    ];
    for (text, before, expected) in cases {
        assert_eq!(rule(text, before), expected.map(|it| it.to_vec()), "{text} in {before:?}");
    }
}

#[test]
fn targets_are_disjunctions_of_conjunctions() {
    let text = "vars x y rules true -> x' = x + 1; init x = 0, y in [0, 1]
        target x >= 2, y >= 2
        y >= 1, x = 0 x >= 3";
    let (net, warnings) = spec(text).expect("a good file");
    assert!(warnings.is_empty());
    assert_eq!(net.targets().iter().map(|it| it.places.len()).collect::<Vec<_>>(), [2, 2, 1]);
    assert!(!net.monotone());
    assert!(reaches(&net, 1), "y = 1 and x = 0 at the start");
    let (net, warnings) = spec("vars x y rules init x = 0 target y >= 2").expect("a good file");
    assert_eq!(codes(&warnings), ["W0528"]);
    assert!(reaches(&net, 2), "a place that `init` does not mention holds any number");
}

#[test]
fn all_errors_of_a_net_are_told() {
    let with = |rules: &str| format!("vars x y rules {rules} init x=0, y=0 target x >= 1");
    let cases: [(String, &[&str]); 16] = [
        (String::new(), &["E0522"; 4]),
        (with("x >= 1 -> x' = w - 1; y > 1 -> ; x >= 1 -> ;"), &["E0521", "E0521"]),
        (with("x >= -> ; -> x' = x; true -> x = 1;"), &["E0521"; 3]),
        (with("true -> x' = x + y;"), &["E0524"]),
        (with("true -> x' = x + x;"), &["E0524"]),
        (with("true -> x' = y, y' = y;"), &["E0524"]),
        (with("true -> x' = x + y - 1, y' = 0;"), &["E0526"]),
        (with("true -> x' = 1 - 2;"), &["E0525"]),
        (with("true -> x' = x - y;"), &["E0521"]),
        (with("x >= 1, x = 1 -> x' = x, x' = 0;"), &["E0523", "E0523"]),
        (with("x in [2, 1] -> ;"), &["E0521"]),
        (with("x >= 99999999999 -> ;"), &["E0521"]),
        (with("x >= 1 -> x' = x - 1"), &["E0521"]),
        ("vars x x rules init x = 0\n x = 1 target".into(), &["E0521", "E0521"]),
        ("vars x rules init x = 0 target x >= 1, x = 2".into(), &["E0527"]),
        ("vars x rules init x = 0, target x ! 1\nx >= 2 é".into(), &["E0521"; 3]),
    ];
    for (text, expected) in &cases {
        assert_eq!(&codes(&spec(text).expect_err(text)), expected, "{text}");
    }
}

#[test]
fn broken_files_never_panic() {
    let good = [MUTEX.to_string(), "2 3\n0 0 -> 1 1 2 ~> 1\n0 1 +> 1 2\n0 0 ~> 1 1\n1|1,2\n".to_string()];
    let mut random = base::Random::new(7);
    for round in 0..4000 {
        let mut text: Vec<u8> = good[round % 2].clone().into_bytes();
        for _ in 0..=random.below(6) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text[at] = *random.pick(b"0123|>-~+=,;'[]#\n x\xc3"),
                _ => text.insert(at, *random.pick(b"0 9|/\n,;in")),
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let _ = spec(&text);
        let _ = tts(&text, &options(&text[..0], ""));
    }
}
