//! What the page shows of a state, and what changes from one state to the next. A page holds the first state
//! and the changes: a run of many steps then takes no more than what happens in it.

use super::places::PagePlace;
use serde::Serialize;
use std::collections::BTreeMap;

/// Who has a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// All threads.
    Shared,
    /// One thread.
    Thread(u32),
    /// A part of an allocated object.
    Allocation(u32),
}

/// What can hold a value. Slots are shown in this order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot {
    /// Who has it.
    pub owner: Owner,
    /// The activation, from the oldest.
    pub frame: usize,
    /// Its place among those of the activation.
    pub order: (u64, u64),
    /// Its name.
    pub name: String,
    /// The procedure of the activation, if it has one.
    pub procedure: String,
    /// The object in memory that it is a part of, if addresses may lead to it.
    pub object: Option<u32>,
}

/// Whose values are shown: those of an owner, and of which of its activations.
#[derive(Clone, Copy, Debug)]
pub struct Whose<'a> {
    /// Who has them.
    pub owner: Owner,
    /// The activation, from the oldest.
    pub frame: usize,
    /// Its procedure, if it has one.
    pub procedure: &'a str,
}

impl Whose<'_> {
    /// What all threads share.
    pub const SHARED: Whose<'static> = Whose { owner: Owner::Shared, frame: 0, procedure: "" };

    /// One slot of these.
    pub fn slot(&self, order: u64, name: &str) -> Slot {
        Slot {
            owner: self.owner,
            frame: self.frame,
            order: (order, 0),
            name: name.to_string(),
            procedure: self.procedure.to_string(),
            object: None,
        }
    }
}

/// A value as it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum ShownValue {
    /// In words or digits.
    Text(String),
    /// The address of an object.
    Address {
        /// The object.
        to: u32,
        /// The same in words.
        text: String,
    },
}

/// An object in memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PageObject {
    /// Its name.
    pub name: String,
    /// Whether it was allocated.
    pub allocated: bool,
    /// Whether it was freed.
    pub freed: bool,
}

/// What is known of a thread that has not ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PageThread {
    /// Where its next step stands.
    pub place: Option<PagePlace>,
    /// The locks that it holds.
    pub holds: Vec<String>,
    /// What it sleeps on.
    pub sleeps: Option<String>,
    /// Whether it is in an atomic section.
    pub inside: bool,
}

/// A state as the page shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// The values.
    pub values: BTreeMap<Slot, ShownValue>,
    /// The objects, by number.
    pub objects: BTreeMap<u32, PageObject>,
    /// The threads, by number.
    pub threads: BTreeMap<u32, PageThread>,
}

/// What changes. What is gone is `None`.
#[derive(Debug, Default, Serialize)]
pub struct Change {
    set: Vec<(usize, Option<ShownValue>)>,
    objects: Vec<(u32, Option<PageObject>)>,
    threads: Vec<(u32, Option<PageThread>)>,
}

#[derive(Debug, Serialize)]
struct SlotData {
    owner: &'static str,
    of: u32,
    frame: usize,
    procedure: String,
    name: String,
    object: Option<u32>,
    /// Whether the run changes it.
    changes: bool,
}

/// The states of a run.
#[derive(Debug, Default, Serialize)]
pub struct States {
    slots: Vec<SlotData>,
    /// The slots in the order in which they are shown.
    order: Vec<usize>,
    changes: Vec<Change>,
}

/// Takes snapshots one after the other, and keeps what changes.
#[derive(Default)]
pub struct Recorder {
    last: Snapshot,
    numbers: BTreeMap<Slot, usize>,
    changed: Vec<bool>,
    changes: Vec<Change>,
}

impl Recorder {
    /// The next state.
    pub fn take(&mut self, now: Snapshot) {
        let first = self.changes.is_empty();
        let mut set = vec![];
        for (slot, value) in differences(&self.last.values, &now.values) {
            let known = self.numbers.len();
            let number = *self.numbers.entry(slot).or_insert(known);
            if number == known {
                self.changed.push(false);
            }
            self.changed[number] |= !first;
            set.push((number, value));
        }
        let objects = differences(&self.last.objects, &now.objects);
        let threads = differences(&self.last.threads, &now.threads);
        self.changes.push(Change { set, objects, threads });
        self.last = now;
    }

    /// The states that were taken.
    pub fn states(self) -> States {
        let order = self.numbers.values().copied().collect();
        let mut by_number: Vec<(Slot, usize)> = self.numbers.into_iter().collect();
        by_number.sort_by_key(|it| it.1);
        let data = |(slot, number): (Slot, usize)| {
            let (owner, of) = match slot.owner {
                Owner::Shared => ("shared", 0),
                Owner::Thread(id) => ("thread", id),
                Owner::Allocation(id) => ("allocation", id),
            };
            let Slot { frame, procedure, name, object, .. } = slot;
            SlotData { owner, of, frame, procedure, name, object, changes: self.changed[number] }
        };
        States { slots: by_number.into_iter().map(data).collect(), order, changes: self.changes }
    }
}

/// What is new or other in the second map, and what is gone.
fn differences<K: Ord + Clone, V: PartialEq + Clone>(
    old: &BTreeMap<K, V>,
    new: &BTreeMap<K, V>,
) -> Vec<(K, Option<V>)> {
    let changed = new.iter().filter(|(key, value)| old.get(key) != Some(value));
    let changed = changed.map(|(key, value)| (key.clone(), Some(value.clone())));
    let gone = old.keys().filter(|key| !new.contains_key(key)).map(|key| (key.clone(), None));
    changed.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(name: &str, order: u64) -> Slot {
        let (name, procedure) = (name.to_string(), String::new());
        Slot { owner: Owner::Shared, frame: 0, order: (order, 0), name, procedure, object: None }
    }

    fn snapshot(values: &[(&str, u64, &str)]) -> Snapshot {
        let one = |(name, order, value): &(&str, u64, &str)| {
            (slot(name, *order), ShownValue::Text(value.to_string()))
        };
        Snapshot { values: values.iter().map(one).collect(), ..Snapshot::default() }
    }

    #[test]
    fn only_what_changes_is_kept() {
        let mut recorder = Recorder::default();
        recorder.take(snapshot(&[("y", 1, "0"), ("x", 0, "0")]));
        recorder.take(snapshot(&[("y", 1, "1"), ("x", 0, "0")]));
        recorder.take(snapshot(&[("x", 0, "0"), ("a", 0, "2")]));
        let states = recorder.states();
        let kept = serde_json::to_value(&states.changes).expect("plain data");
        assert_eq!(kept[0]["set"], serde_json::json!([[0, "0"], [1, "0"]]), "x comes first");
        assert_eq!(kept[1]["set"], serde_json::json!([[1, "1"]]));
        assert_eq!(kept[2]["set"], serde_json::json!([[2, "2"], [1, null]]));
        assert_eq!(states.order, [2, 0, 1], "a comes before x");
        assert_eq!(states.slots.iter().map(|it| it.changes).collect::<Vec<_>>(), [false, true, true]);
    }
}
