//! Measures `explicit` beside Spin (Debian's package `spin`), in the same run on the same machine.

use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

const THREADS: &[usize] = &[8, 16, 32, 64, 256];
/// Spin gets this many seconds for a model.
const LIMIT: &str = "60";

/// The command `spin`.
pub fn run(args: &[String]) -> Result<()> {
    let folder = args.first().map_or_else(|| std::env::temp_dir().join("selvedge-spin"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let tool = crate::corpus::build()?;
    println!("| model | tool | states | seconds | MB | states/s |\n|---|---|---|---|---|---|");
    for &n in THREADS {
        mutex(&tool, &folder, n)?;
    }
    for n in [4, 5] {
        ring(&tool, &folder, n)?;
    }
    Ok(())
}

fn row(model: &str, tool: &str, states: Option<f64>, seconds: f64, megabytes: Option<f64>) {
    let number = |value: Option<f64>, digits: usize| value.map_or("-".into(), |it| format!("{it:.digits$}"));
    let speed = states.map(|it| it / seconds.max(1e-3));
    println!(
        "| {model} | {tool} | {} | {seconds:.3} | {} | {} |",
        number(states, 0),
        number(megabytes, 1),
        number(speed, 0)
    );
}

fn mutex(tool: &Path, folder: &Path, n: usize) -> Result<()> {
    let net = folder.join("mutex.tts");
    std::fs::write(&net, "2 3\n0 0 -> 0 1\n1 0 -> 1 1\n0 1 -> 1 2\n1 2 -> 0 0\n0 2 -> 0 0\n1|2,2\n")?;
    let name = format!("semaphore mutex, {n} threads");
    ours(tool, &name, &net, &["--start", "0/0", "--threads", &n.to_string()])?;
    let mut model = "bit s = 0; byte inside = 0;\n".to_string();
    writeln!(model, "active [{n}] proctype P() {{")?;
    model += "N: skip;\nT: atomic { s == 0 -> s = 1; inside++; assert(inside == 1) };\n   atomic { s = 0; inside--; goto N }\n}\n";
    theirs(&name, folder, &model)
}

/// Threads that all run different code: nothing to gain from symmetry.
fn ring(tool: &Path, folder: &Path, n: usize) -> Result<()> {
    let name = format!("ring of {n} different threads");
    let program = folder.join("ring.bp");
    std::fs::write(&program, ring_program(n))?;
    // Transition merging and the cone would shrink the model; Spin's counterpart is switched off too.
    let off = [
        "--set",
        "explicit.reduction=off",
        "--set",
        "passes.transition_merging=off",
        "--set",
        "explicit.certificate_states=0",
    ];
    ours(tool, &name, &program, &[&["--threads", &(n + 1).to_string()][..], &off].concat())?;
    let mut model = format!("bit x[{n}];\n");
    for i in 0..n {
        writeln!(model, "active proctype P{i}() {{ bit l;")?;
        writeln!(model, "L0: x[{i}] = 1; L1: l = x[{}];", (i + 1) % n)?;
        writeln!(
            model,
            "L2: if :: l -> goto L4 :: else -> skip fi; L3: x[{}] = 0; L4: x[{i}] = l; goto L0 }}",
            (i + 2) % n
        )?;
    }
    theirs(&name, folder, &model)
}

fn ring_program(n: usize) -> String {
    let list = |separator: &str| (0..n).map(|i| format!("x{i}")).collect::<Vec<_>>().join(separator);
    let mut text = format!("decl {};\n", list(" := 0, ") + " := 0");
    for i in 0..n {
        let (next, after) = ((i + 1) % n, (i + 2) % n);
        text += &format!(
            "void p{i}() begin decl l := 0;\n  L0: x{i} := 1;\n  l := x{next};\n  if l then goto L4; fi;\n  x{after} := 0;\n  \
             L4: x{i} := l;\n  goto L0;\nend\n"
        );
    }
    text += "void main() begin\n  atomic_begin;\n";
    (0..n).for_each(|i| text += &format!("  start_thread p{i}();\n"));
    text + &format!("  assert(!({}) | x0);\n  end_thread;\nend\n", list(" & "))
}

fn ours(tool: &Path, name: &str, file: &Path, options: &[&str]) -> Result<()> {
    let output = Command::new(tool)
        .args(["check", "--engine", "explicit", "--format", "json", "-q", "--stats"])
        .args(options)
        .arg(file)
        .output()?;
    ensure!(output.status.code() == Some(0), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let states =
        json["stats"]["explicit"]["states"].as_f64().or_else(|| json["stats"]["explicit.states"].as_f64());
    let seconds = json["time_seconds"].as_f64().context("the result has a time")?;
    row(name, "selvedge explicit", states, seconds, json["peak_memory_bytes"].as_f64().map(|it| it / 1e6));
    Ok(())
}

fn theirs(name: &str, folder: &Path, model: &str) -> Result<()> {
    std::fs::write(folder.join("model.pml"), model)?;
    let here = |program: &str, args: &[&str]| -> Result<Output> {
        Command::new(program)
            .args(args)
            .current_dir(folder)
            .output()
            .with_context(|| format!("{program} is missing"))
    };
    here("spin", &["-a", "model.pml"])?;
    let options = ["-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-DVECTORSZ=4096", "-o", "pan", "pan.c"];
    ensure!(here("gcc", &options)?.status.success(), "Spin's verifier does not compile");
    let begin = Instant::now();
    let output = here("timeout", &[LIMIT, "./pan", "-m10000000", "-w26"])?;
    let wall = begin.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    let before = |words: &str| {
        let line = text.lines().find(|line| line.contains(words))?;
        line[..line.find(words)?].split_whitespace().last()?.parse::<f64>().ok()
    };
    match (output.status.code(), before(" states, stored")) {
        (Some(124), _) | (_, None | Some(0.0)) => row(name, "Spin: no answer", None, wall, None),
        (_, states) => row(name, "Spin", states, wall, before("\ttotal actual memory usage")),
    }
    Ok(())
}
