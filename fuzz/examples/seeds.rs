//! Writes the first inputs of every target below `fuzz/corpus`: the programs of the repository, random
//! programs and nets, and the evidence that comes out for the models.

use base::Random;
use ir::bp::print;
use ir::certificate::graph::Builder;
use ir::certificate::{Body, ClassClosure, ClassTuple};
use ir::{Certificate, Scope};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::bp as random;
use testing::mutate::mutants;
use verify::{Limits, Origin, Outcome, Plan, Question, ReadOptions};

/// Random programs for each profile.
const RANDOM: u64 = 60;

/// Options of an engine with their values.
type Settings<'a> = &'a [(&'a str, &'a str)];
const NO_SETTINGS: Settings<'static> = &[];

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = Corpus { folder: here.join("corpus") };
    let root = here.join("..");
    corpus.programs(&root);
    corpus.nets(&root);
    corpus.c(&root);
    corpus.evidence(&root);
}

struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    fn add(&self, target: &str, name: &str, text: &str) {
        let folder = self.folder.join(target);
        std::fs::create_dir_all(&folder).expect("the corpus can be written");
        std::fs::write(folder.join(name), text).expect("the corpus can be written");
    }

    /// A program for the three targets that take one; `options` as in `fuzz::program`.
    fn program(&self, name: &str, options: &str, text: &str) {
        self.add("program", name, &format!("{options}{text}"));
        self.add("roundtrip", name, &format!("{options}{text}"));
        for setting in ["0", "3", "\u{6}"] {
            self.add(
                "pipeline",
                &format!("{name}-{}", setting.as_bytes()[0]),
                &format!("{setting}{options}{text}"),
            );
        }
    }

    fn programs(&self, root: &Path) {
        for path in files(
            root,
            &[
                "tests/programs",
                "tests/golden",
                "tests/recursion",
                "tests/regress",
                "examples",
                "fuzz/models",
            ],
            "bp",
        ) {
            let text = std::fs::read_to_string(&path).expect("it was listed");
            let options = if text.contains("--dialect getafix") {
                "40"
            } else if text.contains("--entry main") {
                "72"
            } else {
                "70"
            };
            self.program(&stem(&path), options, &text);
        }
        for (kind, profile) in [
            ("all", random::Profile::ALL),
            ("recursive", random::Profile::RECURSIVE),
            ("broadcasts", random::Profile::BROADCASTS),
            ("spawning", random::Profile::SPAWNING),
        ] {
            for seed in 0..RANDOM {
                let program = random::program(seed, &profile);
                let options = format!("{}0", seed % 8);
                self.program(&format!("{kind}-{seed}"), &options, &print::program(&program));
            }
        }
    }

    /// The C programs of the repository, without their directives: the target takes preprocessed text.
    fn c(&self, root: &Path) {
        for path in files(root, &["tests/c", "examples"], "c") {
            let text = std::fs::read_to_string(&path).expect("it was listed");
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
            self.add("c", &stem(&path), &lines.join("\n"));
            if let Some(program) = fuzz::translated(&stem(&path), &text) {
                self.add("normalised", &stem(&path), &c::text::print(&program));
            }
        }
    }

    fn nets(&self, root: &Path) {
        for path in files(root, &["examples", "tests/regress"], "tts") {
            let text = std::fs::read_to_string(&path).expect("it was listed");
            for (at, start) in ["%%2|2,2%", "0|0,1/2%2|2,2%%", "0/0%%%"].iter().enumerate() {
                self.add("tts", &format!("{}-{at}", stem(&path)), &format!("{start}{text}"));
            }
        }
        let moves =
            "0B1,1U2%%1|2\n# none\n0|1,2%2 4\n0 0 -> 1 1 2 ~> 3 2 ~> 0\n1 1 +> 0 2\n1 2 ~> 0 3\n1|2,2\n";
        self.add("tts", "moves", moves);
        self.add("prop", "one", "2|2,2\n");
        self.add("prop", "many", "# targets\n1|2,2 # why\n\n 0 B 1 , 3\n1/2\n");
        for path in files(root, &["fuzz/models", "tests/regress"], "spec") {
            self.add("spec", &stem(&path), &std::fs::read_to_string(&path).expect("it was listed"));
        }
        let invariants = "vars\n x0 x1 x2\nrules\n x0 >= 1 ->\n x0' = x0-1,\n x1' = x1+1;\ninit\n x0 >= 1, x1 = 0, x2 in [0,1]\n\
             target\n x1 >= 2, x2 = 1\n x1 >= 3\ninvariants\n x0 = 1, x1 = 1\n";
        self.add("spec", "invariants", invariants);
    }

    /// A certificate, another with a basis where it is one of formulas, and mutants.
    fn certificate(&self, file: &str, index: usize, certificate: &Certificate) {
        let mut all = vec![certificate.clone()];
        if let Body::ClassClosure(closure) = &certificate.body {
            all.push(Certificate { body: Body::ClassClosure(blocked(closure)), ..certificate.clone() });
        }
        let mutants = all.iter().flat_map(|it| mutants(it, 1, &mut Random::new(1))).map(|it| it.1);
        let mutants: Vec<Certificate> = mutants.collect();
        for (number, it) in all.iter().chain(&mutants).enumerate() {
            let text = ir::certificate::text::write(it, fuzz::model(b'0' + index as u8));
            self.add("certificate", &format!("{file}-{number}"), &format!("{index}{text}"));
        }
    }

    /// What the engines say about the models: traces, and certificates of every kind.
    fn evidence(&self, root: &Path) {
        let bounded = (1..=3).map(|n| ("explicit", Scope::threads(n), NO_SETTINGS));
        // So that the certificates of `counter` are formulas.
        let pieces: Settings<'_> = &[("counter.certificate_states", "0")];
        let symbolic = ["counter", "simulate"].map(|engine| (engine, Scope::threads(2), pieces));
        let unbounded: [(&str, Settings<'_>); 7] = [
            ("modular", NO_SETTINGS),
            ("modular", &[("modular.sets", "bdd")]),
            ("modular", &[("modular.sets", "bdd"), ("modular.classes", "off")]),
            ("cover", &[("cover.width", "1")]),
            ("cover", &[("cover.sets", "bdd"), ("cover.width", "1")]),
            ("rounds", NO_SETTINGS),
            ("rounds", &[("rounds.closure", "off")]),
        ];
        let unbounded = unbounded.map(|(engine, settings)| (engine, Scope::ANY, settings));
        for (at, (engine, scope, settings)) in bounded.chain(symbolic).chain(unbounded).enumerate() {
            for (index, (name, _)) in fuzz::MODELS.iter().enumerate() {
                let origin = Origin::File(root.join(name));
                let report = verify::check(&origin, &question(engine, scope, settings), &mut base::NoEvents);
                let file = format!("{index}-{engine}-{at}");
                if let Some(text) = fuzz::trace_text(&report) {
                    self.add("trace", &file, &format!("{index}{text}"));
                }
                let proof = report.outcome().and_then(Outcome::proof);
                if let Some(certificate) = proof.and_then(verify::Proof::certificate) {
                    self.certificate(&file, index, certificate);
                }
            }
        }
    }
}

/// The complement of each tuple, as an element of the basis: a proof again.
fn blocked(closure: &ClassClosure) -> ClassClosure {
    let mut builder = Builder::from(closure.graph.clone());
    let element = |it: &ClassTuple| ClassTuple { formula: builder.not(it.formula), ..it.clone() };
    let blocked = closure.tuples.iter().map(element).collect();
    ClassClosure { graph: builder.finish(), basis: blocked, ..closure.clone() }
}

fn question(engine: &str, scope: Scope, options: Settings<'_>) -> Question {
    let mut plan = Plan::named(&[engine.to_string()]).expect("the engine is there");
    for (name, value) in options {
        verify::set(&mut plan.settings, name, value).expect("the option exists");
    }
    Question {
        reading: ReadOptions::default(),
        scope,
        plan,
        limits: Limits { time: Some(Duration::from_secs(5)), ..Limits::default() },
        each: false,
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or("input").to_string()
}

fn files(root: &Path, folders: &[&str], extension: &str) -> Vec<PathBuf> {
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(root.join(folder)).ok()).flatten();
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|it| it == extension));
    found.sort();
    found
}
