//! The default beside the best engine alone: 20 Boolean programs, 10 nets and 30 C programs, or those that
//! are named. What counts is time on processors, so that other work on the machine matters little.

use crate::corpus::build;
use crate::options::each;
use crate::{artificial, drivers};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds of the default.
const TIMEOUT: f64 = 60.0;
/// An engine that takes longer than the default does not matter. The limit is one of the clock: on a busy
/// machine a second takes longer.
const ALONE: f64 = 4.0;
/// What the clock in `/proc` counts in a second.
const TICKS: f64 = 100.0;

const ENGINES: [&str; 6] = ["explicit", "modular", "cover", "counter", "rounds", "simulate"];
const ENGINES_FOR_C: [&str; 3] = ["concrete", "abstract", "exact"];

/// Two counters that threads without end increase under one lock.
const TWO_COUNTERS: &str = "#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned first, second;
void *work(void *arg) {
  pthread_mutex_lock(&lock);
  first++;
  second++;
  assert(first == second);
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t thread;
  for (;;) pthread_create(&thread, 0, work, 0);
}
";

/// Beside the generated ones.
const PROGRAMS: &[&str] = &[
    "tests/programs/peterson.bp",
    "tests/programs/parity.bp",
    "tests/programs/many_local_choices.bp",
    "tests/programs/readers_counted.bp",
    "tests/programs/cas_counter.bp",
    "tests/programs/ladder.bp",
    "corpora/lpzun-ijit/examples/ase16.bm.set1/01_inc_l/satabs.2.bp",
    "corpora/lpzun-ijit/examples/ase16.bm.set1/05_maxsim_l/satabs.1.nbp",
    "corpora/lpzun-ijit/examples/ase16.bm.set1/15_Boop/satabs.3.bp",
    "corpora/duet-bp/regression/coarsen/code/dekker.bp",
    "corpora/satabs-boppo/regression/boppo/n-conc/n-conc.bp",
    "corpora/getafix/experiments/regression/fib_5_unsafe.bp",
    "corpora/getafix/experiments/regression/testNewformula.bp",
    "corpora/bfc-regression/regression/abp_vs_sm/main.tts",
    "corpora/bfc-regression/regression/mesh2x2_vs/main.tts",
    "corpora/bfc-regression/regression/spin2003_vs_satabs.2/main.tts",
    "corpora/bfc-regression/regression/ticket_red_overappr3/main.tts",
    "corpora/bfc-regression/regression/large_dimension_02_vf/main.tts",
    "corpora/bfc-regression/regression/broadcast_vs/main.tts",
    "corpora/qcover/stable/benchmarks/mist/boundedPN/lamport.spec",
    "corpora/qcover/stable/benchmarks/mist/PN/csm.spec",
    "corpora/qcover/stable/benchmarks/soter/parikh__should_already_be_initialized__depth_1.spec",
    "corpora/qcover/stable/benchmarks/wahl-kroening/peterson_vs_satabs.1/main.spec",
    "tests/c/many_threads_safe.c",
    "tests/c/many_threads_unsafe.c",
    "tests/c/barrier_rounds_safe.c",
    "tests/c/cond_broadcast_safe.c",
    "tests/c/increments_safe.c",
    "tests/c/flag_protocol_safe.c",
    "tests/c/recursion_safe.c",
    "tests/c/rwlock_many_safe.c",
    "tests/c/sem_buffer_safe.c",
    "tests/c/sem_buffer_unsafe.c",
    "tests/c/mutex_recursive_safe.c",
    "tests/c/pointer_shared_safe.c",
    "tests/c/allocation_shared_safe.c",
    "tests/c/c11_trylock_safe.c",
    "tests/sapa/01_increment_lock_safe.c",
    "tests/sapa/02_increment_cas_safe.c",
    "tests/sapa/05_taslock_safe.c",
    "tests/sapa/06_ticketlock_safe.c",
    "tests/sapa/06_ticketlock_unsafe.c",
    "tests/sapa/08_prng_cas_safe.c",
    "tests/sapa/09_findmax_lock_safe.c",
    "tests/sapa/10_findmax_cas_safe.c",
    "tests/sapa/12_findmaxopt_cas_unsafe.c",
    "tests/sapa/13_stack_lock_safe.c",
    "tests/sapa/14_stack_cas_unsafe.c",
    "tests/sapa/22_intro_ppp_safe.c",
    "examples/ticket.c",
    "examples/race.c",
    "examples/handover.c",
];

/// The command `default-engines`.
pub fn run(args: &[String]) -> Result<()> {
    let (mut files, mut tool) = (vec![], None);
    let mut corpora = PathBuf::from("../shared/corpora");
    each(args, |name, value| {
        match name {
            "--tool" => tool = Some(PathBuf::from(value)),
            "--corpora" => corpora = PathBuf::from(value),
            "" => files.push((value.to_string(), PathBuf::from(value))),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if files.is_empty() {
        files.extend(generated()?);
        let place = |name: &str| match name.strip_prefix("corpora/") {
            Some(rest) => corpora.join(rest),
            None => PathBuf::from(name),
        };
        files.extend(PROGRAMS.iter().map(|name| (name.to_string(), place(name))));
    }
    let tool = tool.map_or_else(build, Ok)?;
    let mut within = 0;
    println!("| program | default | best engine alone | within |\n|---|---|---|---|");
    for (name, file) in &files {
        let row = Row::of(&tool, file)?;
        println!("| `{name}` | {} | {} | {} |", row.default.text(), row.best_text(), row.is_within_text());
        within += usize::from(row.is_within());
    }
    println!("\n{within} of {} within three times the best plus 0.2 s.", files.len());
    Ok(())
}

/// Multiplication, drivers and the two counters, written to the folder of builds.
fn generated() -> Result<Vec<(String, PathBuf)>> {
    let folder = Path::new("target/default-engines");
    std::fs::create_dir_all(folder)?;
    let mut texts = vec![("mult10.bp".to_string(), artificial::multiplication(10)?)];
    for seed in 3..9 {
        let program = drivers::program(seed, &drivers::STANDARD);
        texts.push((format!("driver-{seed}.bp"), ir::bp::print::program(&program)));
    }
    texts.push(("two_counters.c".to_string(), TWO_COUNTERS.to_string()));
    let mut files = vec![];
    for (name, text) in texts {
        let file = folder.join(&name);
        std::fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
        files.push((format!("generated/{name}"), file));
    }
    Ok(files)
}

/// What one run came to.
struct Run {
    verdict: String,
    engine: String,
    is_unchecked: bool,
    seconds: f64,
}

impl Run {
    fn of(tool: &Path, file: &Path, engine: &str, timeout: f64) -> Result<Run> {
        let before = processor_time()?;
        let output = Command::new(tool)
            .args(["check", "--format", "json", "-q", "--memory", "3G", "--engine", engine])
            .args(["--timeout", &format!("{}ms", (timeout * 1000.0) as u64)])
            .arg(file)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        let seconds = processor_time()? - before;
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_string();
        let engine = [text("way"), text("engine")].into_iter().find(|it| !it.is_empty()).unwrap_or_default();
        Ok(Run { verdict: text("verdict"), engine, is_unchecked: text("evidence") == "unchecked", seconds })
    }

    fn decides(&self) -> bool {
        matches!(self.verdict.as_str(), "safe" | "unsafe")
    }

    fn text(&self) -> String {
        let unchecked = if self.is_unchecked { " (unchecked)" } else { "" };
        match self.decides() {
            true => format!("{} {:.2} s, `{}`{unchecked}", self.verdict, self.seconds, self.engine),
            false if self.verdict.is_empty() => "not read".to_string(),
            false => format!("{} {:.2} s", self.verdict, self.seconds),
        }
    }
}

/// One row of the table.
struct Row {
    default: Run,
    best: Option<Run>,
}

impl Row {
    fn of(tool: &Path, file: &Path) -> Result<Row> {
        ensure!(file.exists(), "there is no {}", file.display());
        let default = Run::of(tool, file, "auto", TIMEOUT)?;
        let is_c = file.extension().is_some_and(|it| it == "c");
        let engines = if is_c { &ENGINES_FOR_C[..] } else { &ENGINES[..] };
        let limit = if default.decides() { (ALONE * default.seconds).max(1.0) } else { TIMEOUT };
        let mut runs = vec![];
        for engine in engines {
            runs.push(Run::of(tool, file, engine, limit)?);
        }
        // A proof that nobody has checked is less than one that somebody has.
        let needs_checked = default.decides() && !default.is_unchecked;
        runs.retain(|it| it.decides() && !(needs_checked && it.is_unchecked));
        Ok(Row { default, best: runs.into_iter().min_by(|one, other| one.seconds.total_cmp(&other.seconds)) })
    }

    fn is_within(&self) -> bool {
        let limit = self.best.as_ref().map_or(f64::INFINITY, |best| 3.0 * best.seconds + 0.2);
        self.default.decides() && self.default.seconds <= limit
    }

    fn is_within_text(&self) -> &'static str {
        if self.is_within() { "yes" } else { "no" }
    }

    fn best_text(&self) -> String {
        match &self.best {
            Some(best) => {
                let unchecked = if best.is_unchecked { " (unchecked)" } else { "" };
                format!("{:.2} s, `{}`{unchecked}", best.seconds, best.engine)
            }
            None => "none as quick".to_string(),
        }
    }
}

/// The seconds that programs which were started from here and have ended were on a processor.
fn processor_time() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program stands in brackets and may have blanks.
    let (_, fields) = text.rsplit_once(')').context("the name is in brackets")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let of_children = [13, 14].map(|at| fields.get(at).and_then(|it| it.parse::<f64>().ok()));
    Ok(of_children.into_iter().flatten().sum::<f64>() / TICKS)
}
