//! Both answers can be checked by putting them in: a solution into every inequality, a conflict into the
//! definitions of the sums.

use super::*;
use base::Random;

/// A system with what its sums are in terms of the free variables.
#[derive(Default)]
struct System {
    simplex: Simplex,
    /// For each variable its coefficients over the first ones.
    meaning: Vec<Vec<i64>>,
    least: Vec<i64>,
}

impl System {
    fn free(&mut self, count: usize, random: &mut Random) {
        for at in 0..count {
            let least = random.below(5) as i64 - 2;
            self.simplex.variable(least);
            self.meaning.push((0..count).map(|it| i64::from(it == at)).collect());
            self.least.push(least);
        }
    }

    fn sum(&mut self, count: usize, random: &mut Random) {
        let known = self.meaning.len();
        let mut terms: Vec<Term> = vec![];
        let mut meaning = vec![0; count];
        for variable in 0..known {
            if random.percent(50) {
                let coefficient = random.below(7) as i64 - 3;
                terms.push((variable as Variable, coefficient));
                meaning
                    .iter_mut()
                    .zip(&self.meaning[variable])
                    .for_each(|(sum, it)| *sum += coefficient * it);
            }
        }
        let least = random.below(13) as i64 - 6;
        self.simplex.sum(&terms, least).expect("small numbers");
        self.meaning.push(meaning);
        self.least.push(least);
    }

    /// Checks what the solver says; whether there is a solution.
    fn check(&mut self) -> bool {
        let free = self.meaning[0].len();
        match self.simplex.check(&Budget::unlimited()).expect("small numbers") {
            Outcome::Solution => {
                let values: Vec<(i128, i64)> =
                    (0..self.meaning.len()).map(|it| self.simplex.value(it as Variable)).collect();
                let common: i128 = values.iter().map(|it| i128::from(it.1)).product();
                let whole: Vec<i128> = values.iter().map(|it| it.0 * (common / i128::from(it.1))).collect();
                for (variable, meaning) in self.meaning.iter().enumerate() {
                    let sum: i128 = meaning.iter().zip(&whole).map(|(&c, v)| i128::from(c) * v).sum();
                    assert_eq!(sum, whole[variable], "a sum is not what it stands for");
                    assert!(sum >= common * i128::from(self.least[variable]), "a bound is not kept");
                }
                true
            }
            Outcome::Conflict(weights) => {
                assert!(weights.iter().all(|it| it.1 > 0));
                for at in 0..free {
                    let total: i64 = weights.iter().map(|it| it.1 * self.meaning[it.0 as usize][at]).sum();
                    assert_eq!(total, 0, "the weights do not cancel out");
                }
                let bounds: i64 = weights.iter().map(|it| it.1 * self.least[it.0 as usize]).sum();
                assert!(bounds > 0, "the bounds do not contradict each other");
                false
            }
        }
    }
}

#[test]
fn answers_can_be_checked() {
    let mut seen = [0; 2];
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let free = 1 + random.below(4);
        let mut system = System::default();
        system.free(free, &mut random);
        for _ in 0..1 + random.below(6) {
            system.sum(free, &mut random);
            seen[usize::from(system.check())] += 1;
        }
        for _ in 0..10 {
            let variable = random.below(system.least.len());
            system.least[variable] = random.below(13) as i64 - 6;
            system.simplex.set_least(variable as Variable, system.least[variable]).expect("small numbers");
            seen[usize::from(system.check())] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 5_000), "{seen:?}");
}

#[test]
fn large_numbers_are_given_up() {
    let mut simplex = Simplex::default();
    let (x, y) = (simplex.variable(0), simplex.variable(0));
    let huge = i64::MAX / 2;
    simplex.sum(&[(x, huge), (y, -3)], 1).expect("still fits");
    simplex.sum(&[(y, huge), (x, -5)], 1).expect("still fits");
    assert_eq!(simplex.check(&Budget::unlimited()), Err(Failure::Overflow));
}

#[test]
fn a_check_that_was_stopped_goes_on() {
    let mut random = Random::new(7);
    let mut system = System::default();
    system.free(12, &mut random);
    (0..20).for_each(|_| system.sum(12, &mut random));
    let mut stops = 0;
    loop {
        match system.simplex.check(&Budget::with_ticks(60)) {
            Err(Failure::Stopped(Stop::Ticks)) => stops += 1,
            found => break drop(found.expect("small numbers")),
        }
        assert!(stops < 10_000, "no progress");
    }
    system.check();
}
