//! Garbage, limits, interruption, depth, and sameness of runs.

use super::*;
use crate::bdd::Limits;
use base::Stop;

/// Pigeons into holes: a function whose diagram grows quickly.
fn pigeons(m: &mut Manager, holes: u32, budget: &Budget) -> Result<Bdd, Stop> {
    let at = |pigeon: u32, hole: u32| pigeon * holes + hole;
    let mut all = Bdd::TRUE;
    for pigeon in 0..holes {
        let mut somewhere = Bdd::FALSE;
        for hole in 0..holes {
            let here = m.var(at(pigeon, hole))?;
            somewhere = m.or(somewhere, here, budget)?;
            for other in 0..pigeon {
                let there = m.var(at(other, hole))?;
                let both = m.and(here, there, budget)?;
                all = m.and(all, !both, budget)?;
            }
        }
        all = m.and(all, somewhere, budget)?;
    }
    Ok(all)
}

#[test]
fn living_functions_survive_collections() {
    let budget = free();
    let mut random = Random::new(21);
    let mut m = Manager::default();
    let mut living: Vec<(Bdd, u64)> = vec![];
    let protected_table = 0x1234_5678_9abc_def0;
    let protected = build(&mut m, protected_table);
    m.protect(protected);
    m.protect(protected);
    m.release(protected);
    for round in 0..4000 {
        let t = random_table(&mut random);
        let f = build(&mut m, t);
        living.push((f, t));
        let (g, u) = living[random.below(living.len())];
        let h = m.xor(f, g, &budget).expect("nothing stops it");
        assert_eq!(table(&m, h), t ^ u);
        living.push((h, t ^ u));
        if round % 37 == 0 {
            living.retain(|_| random.below(4) == 0);
            m.collect(living.iter().map(|entry| entry.0));
            assert_eq!(m.nodes_in_use(), 1 + m.node_count(living.iter().map(|e| e.0).chain([protected])));
            assert!(living.iter().all(|&(f, t)| table(&m, f) == t));
            assert_eq!(table(&m, protected), protected_table);
        }
    }
    m.release(protected);
    m.collect([]);
    assert_eq!(m.nodes_in_use(), 1);
    assert!(m.statistics().collections > 100);
}

#[test]
fn results_stay_right_after_collections_in_a_large_manager() {
    let budget = free();
    let mut m = Manager::default();
    let before = pigeons(&mut m, 6, &budget).expect("nothing stops it");
    assert!(m.wants_collection());
    m.collect([before]);
    assert!(!m.wants_collection());
    let again = pigeons(&mut m, 6, &budget).expect("nothing stops it");
    assert_eq!(before, again);
    assert_eq!(m.sat_count_exact(before, 36), Some(720));
}

#[test]
fn the_same_calls_give_the_same_nodes() {
    let run = || {
        let mut m = Manager::default();
        let f = pigeons(&mut m, 6, &free()).expect("nothing stops it");
        (f, m.statistics())
    };
    assert_eq!(run(), run());
}

#[test]
fn the_node_limit_stops_at_the_same_point() {
    let run = |nodes| {
        let mut m = Manager::new(Limits { nodes, ..Limits::default() });
        let budget = free();
        let result = pigeons(&mut m, 7, &budget);
        (result, m.statistics(), budget.spent())
    };
    for limit in [2, 100, 5_000, 20_000] {
        let first = run(limit);
        assert_eq!(first.0, Err(Stop::Memory));
        assert_eq!(first.1.nodes, limit);
        for _ in 0..5 {
            assert_eq!(run(limit), first);
        }
    }
}

#[test]
fn a_stopped_manager_can_go_on_after_a_collection() {
    let mut m = Manager::new(Limits { nodes: 20_000, ..Limits::default() });
    assert_eq!(pigeons(&mut m, 7, &free()), Err(Stop::Memory));
    m.collect([]);
    let small = pigeons(&mut m, 4, &free()).expect("four pigeons need few nodes");
    assert_eq!(m.sat_count_exact(small, 16), Some(24));
}

#[test]
fn ticks_and_handles_stop_it() {
    let mut m = Manager::default();
    assert_eq!(pigeons(&mut m, 7, &Budget::with_ticks(10_000)), Err(Stop::Ticks));
    let budget = free();
    budget.handle().stop(Stop::Cancelled);
    assert_eq!(pigeons(&mut m, 8, &budget), Err(Stop::Cancelled));
}

#[test]
fn small_shares_of_many_variables_are_counted() {
    let mut m = Manager::default();
    for levels in [100, 1000, 5000] {
        let values: Vec<(Level, bool)> = (0..levels).map(|level| (level, level % 3 == 0)).collect();
        let one = m.cube(&values).expect("nothing stops it");
        assert_eq!(m.sat_count(one, levels), 1.0);
        assert_eq!(m.sat_count(one, levels + 10), 1024.0);
        assert!(m.sat_count(!one, 5001).is_infinite());
    }
}

#[test]
fn ten_thousand_levels_fit_into_eight_megabytes() {
    let work = || {
        let budget = free();
        let mut m = Manager::default();
        let levels = 10_000;
        let (mut odd, mut all) = (Bdd::FALSE, Bdd::TRUE);
        for level in (0..levels).rev() {
            odd = m.make(level, odd, !odd).expect("nothing stops it");
            all = m.make(level, Bdd::FALSE, all).expect("nothing stops it");
        }
        let vars = m.var_set(&(0..levels).step_by(2).collect::<Vec<_>>()).expect("nothing stops it");
        let map = m.level_map(&(0..levels).map(|l| (l, l + 1)).collect::<Vec<_>>());
        let meet = m.and(odd, !all, &budget)?;
        assert_eq!(m.ite(odd, all, meet, &budget)?, Bdd::FALSE);
        assert_eq!(m.exists(meet, vars, &budget)?, Bdd::TRUE);
        m.and_exists(odd, meet, vars, &budget)?;
        let moved = m.rename(meet, map, &budget)?;
        assert_eq!(m.support(moved).len(), levels as usize);
        assert_eq!(m.sat_count(odd, 10), 512.0);
        m.transfer(&m.clone(), moved, |l| l ^ 1, &budget)?;
        m.cofactor(odd, &[(9_999, true)], &budget)
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(work).expect("a thread can start");
    thread.join().expect("the stack is deep enough").expect("nothing stops it");
}
