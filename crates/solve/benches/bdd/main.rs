//! Times the decision diagram package: `cargo bench -p selvedge-solve`.

mod workloads;

use base::Budget;
use solve::bdd::{Bdd, LevelMap, Manager, VarSet};
use std::time::Instant;
use workloads::Package;

struct Ours {
    manager: Manager,
    budget: Budget,
}

const FREE: &str = "the budget of a benchmark has no limit";

impl Package for Ours {
    type F = Bdd;
    type Vars = VarSet;
    type Map = LevelMap;
    fn constant(&mut self, value: bool) -> Bdd {
        Bdd::constant(value)
    }
    fn var(&mut self, level: u32) -> Bdd {
        self.manager.var(level).expect(FREE)
    }
    fn not(&mut self, f: &Bdd) -> Bdd {
        !*f
    }
    fn and(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.manager.and(*f, *g, &self.budget).expect(FREE)
    }
    fn or(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.manager.or(*f, *g, &self.budget).expect(FREE)
    }
    fn xor(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.manager.xor(*f, *g, &self.budget).expect(FREE)
    }
    fn vars(&mut self, levels: &[u32]) -> VarSet {
        self.manager.var_set(levels).expect(FREE)
    }
    fn map(&mut self, pairs: &[(u32, u32)]) -> LevelMap {
        self.manager.level_map(pairs)
    }
    fn and_exists(&mut self, f: &Bdd, g: &Bdd, vars: &VarSet) -> Bdd {
        self.manager.and_exists(*f, *g, *vars, &self.budget).expect(FREE)
    }
    fn rename(&mut self, f: &Bdd, map: &LevelMap) -> Bdd {
        self.manager.rename(*f, *map, &self.budget).expect(FREE)
    }
    fn tidy(&mut self, roots: &dyn Fn() -> Vec<Bdd>) {
        if self.manager.wants_collection() {
            self.manager.collect(roots());
        }
    }
    fn models(&mut self, f: &Bdd, vars: u32) -> f64 {
        self.manager.sat_count(*f, vars)
    }
}

fn run(name: &str, work: impl Fn(&mut Ours) -> f64) {
    let mut ours = Ours { manager: Manager::default(), budget: Budget::unlimited() };
    let start = Instant::now();
    let result = work(&mut ours);
    let elapsed = start.elapsed().as_secs_f64();
    let statistics = ours.manager.statistics();
    println!(
        "{name:24} {elapsed:8.3} s  result {result:10}  steps {:11}  peak nodes {:9}  table {:4} MB",
        statistics.steps,
        statistics.peak_nodes,
        statistics.bytes >> 20
    );
}

fn main() {
    run("queens 8", |p| workloads::queens(p, 8));
    run("queens 10", |p| workloads::queens(p, 10));
    run("reachability 24 bits a", |p| workloads::reachability(p, 24, 24, 4));
    run("reachability 24 bits b", |p| workloads::reachability(p, 24, 24, 2));
    run("small 300 000", |p| workloads::small(p, 300_000));
}
