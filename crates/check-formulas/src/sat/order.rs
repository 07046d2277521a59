//! Which variable is decided next: the most active one of those that have no value (VSIDS, Moskewicz et al.,
//! DAC 2001), kept in a binary heap.

/// Variables by activity. Those with equal activity come in an order that depends on nothing but the calls.
#[derive(Default)]
pub struct Order {
    activity: Vec<f64>,
    /// What a variable gains when it is bumped.
    gain: f64,
    heap: Vec<usize>,
    /// Where each variable is in the heap.
    place: Vec<Option<usize>>,
}

/// After each conflict activities count so much less.
const DECAY: f64 = 0.95;
/// Above this all activities are scaled down.
const LARGE: f64 = 1e100;

impl Order {
    /// A new variable, with the next number; it is not decided before it is inserted.
    pub fn add(&mut self) {
        if self.activity.is_empty() {
            self.gain = 1.0;
        }
        self.activity.push(0.0);
        self.place.push(None);
    }

    /// The variable may be decided.
    pub fn insert(&mut self, variable: usize) {
        if self.place[variable].is_none() {
            self.place[variable] = Some(self.heap.len());
            self.heap.push(variable);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Takes the most active variable.
    pub fn pop(&mut self) -> Option<usize> {
        let last = self.heap.pop()?;
        let first = match self.heap.first_mut() {
            Some(first) => std::mem::replace(first, last),
            None => last,
        };
        self.place[first] = None;
        if first != last {
            self.place[last] = Some(0);
            self.sink();
        }
        Some(first)
    }

    /// The variable had a part in a conflict.
    pub fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.gain;
        if self.activity[variable] > LARGE {
            self.activity.iter_mut().for_each(|it| *it /= LARGE);
            self.gain /= LARGE;
        }
        if let Some(place) = self.place[variable] {
            self.rise(place);
        }
    }

    /// A conflict is over.
    pub fn decay(&mut self) {
        self.gain /= DECAY;
    }

    fn put(&mut self, place: usize, variable: usize) {
        self.heap[place] = variable;
        self.place[variable] = Some(place);
    }

    fn rise(&mut self, mut place: usize) {
        let variable = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.activity[self.heap[parent]] >= self.activity[variable] {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, variable);
    }

    fn sink(&mut self) {
        let (mut place, variable) = (0, self.heap[0]);
        loop {
            let left = 2 * place + 1;
            let Some(&first) = self.heap.get(left) else { break };
            let second = self.heap.get(left + 1);
            let (child, next) = match second {
                Some(&it) if self.activity[it] > self.activity[first] => (left + 1, it),
                _ => (left, first),
            };
            if self.activity[variable] >= self.activity[next] {
                break;
            }
            self.put(place, next);
            place = child;
        }
        self.put(place, variable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;

    #[test]
    fn the_most_active_comes_first() {
        let mut random = Random::new(3);
        let mut order = Order::default();
        let mut bumps = vec![0; 40];
        (0..40).for_each(|_| order.add());
        assert_eq!(order.pop(), None);
        (0..40).for_each(|variable| order.insert(variable));
        for _ in 0..400 {
            let variable = random.below(40);
            order.bump(variable);
            bumps[variable] += 1;
        }
        let popped: Vec<usize> = std::iter::from_fn(|| order.pop()).collect();
        assert_eq!(popped.len(), 40);
        assert!(popped.is_sorted_by(|&a, &b| bumps[a] >= bumps[b]), "{popped:?} {bumps:?}");
        order.insert(7);
        order.insert(7);
        assert_eq!((order.pop(), order.pop()), (Some(7), None));
    }
}
