//! Wants, right blocks and the next round: how the paths of different threads fit together, clause (1.2),
//! WRLI and RLI of the paper.

use super::equations::{Equations, Kind, Meaning, PathKey, plain, urgency};
use super::moves::Position;
use crate::fixpoint::{Atom, Column, LevelPairs, RelationId};
use base::Stop;
use solve::bdd::Bdd;

impl Equations<'_, '_> {
    /// RLI(i, u, v) ← TLI(i, u, v); RLI(i, u, v) ← TLI(i, u, w), RLI(i, w, v); both only if i = 1 or WRLI(i,
    /// u, v).
    pub(super) fn rights(&mut self, round: usize) -> Result<(), Stop> {
        let (v, w) = (self.space.v[..round].to_vec(), self.space.w[..round].to_vec());
        let (right, out) = (self.right[round - 1], self.out[&(Kind::Other, round)]);
        let wanted: Vec<Atom> = (round > 1).then(|| plain(self.want[round - 1])).into_iter().collect();
        let one = [vec![plain(out)], wanted.clone()].concat();
        self.add(Meaning::Other, right, one, Bdd::TRUE)?;
        let first = Atom { relation: out, renamed: self.space.pairs(&v, &w) };
        let rest = Atom { relation: right, renamed: self.space.pairs(&self.space.u[..round], &w) };
        self.add(Meaning::Other, right, [vec![first, rest], wanted].concat(), Bdd::TRUE)
    }

    /// WRLI(i, u, v) ← TLI(i, w, u), RLI(i−1, u, v), (WRLI(i, w, v) or w is the first thread's and wraps with
    /// v).
    pub(super) fn wants(&mut self, round: usize) -> Result<(), Stop> {
        let [u, v, w] = [&self.space.u, &self.space.v, &self.space.w].map(|tuple| tuple[..round].to_vec());
        let want = self.want[round - 1];
        let wrap = self.wrap(&w, &v)?;
        let right = plain(self.right[round - 2]);
        let moved: LevelPairs = [self.space.pairs(&u, &w), self.space.pairs(&v, &u)].concat();
        let left = |it: &Self, kind| Atom { relation: it.out[&(kind, round)], renamed: moved.clone() };
        let earlier = Atom { relation: want, renamed: self.space.pairs(&u, &w) };
        let onward = vec![left(self, Kind::Other), right.clone(), earlier];
        self.add(Meaning::Other, want, onward, Bdd::TRUE)?;
        self.add(Meaning::Other, want, vec![left(self, Kind::First), right.clone()], wrap)?;
        if self.symmetric() {
            let from_start = Atom { relation: self.initial, renamed: self.space.pairs(&v[..1], &w[..1]) };
            self.add(Meaning::Other, want, vec![left(self, Kind::Other), right, from_start], wrap)?;
        }
        Ok(())
    }

    /// (1.2) path(i, σ, u, v) ← path(i−1, σ, u, v), σ outside, u_i = v_i, RLI(i−1, v, w), (WRLI(i, u, w) or
    /// the first thread wraps with w). The join over w does not mention σ: `link` is computed once for all
    /// local states.
    pub(super) fn resume(&mut self, round: usize) -> Result<(), Stop> {
        let [u, v, w] = [&self.space.u, &self.space.v, &self.space.w].map(|tuple| tuple[..round].to_vec());
        let wrap = self.wrap(&u, &w)?;
        let same = self.system.calculus.equal(&self.space.layout.pairs(u[round - 1], v[round - 1]))?;
        let outside = self.system.calculus.literal(self.space.inside.now, false)?;
        let right = Atom {
            relation: self.right[round - 2],
            renamed: [self.space.pairs(&u[..round - 1], &v), self.space.pairs(&v[..round - 1], &w)].concat(),
        };
        let wanted = Atom { relation: self.want[round - 1], renamed: self.space.pairs(&v[..round - 1], &w) };
        let from_start = Atom { relation: self.initial, renamed: self.space.pairs(&v[..1], &u[..1]) };
        for kind in self.kinds() {
            let levels = self.space.levels(&[&u[..], &v[..round - 1]].concat());
            let link = self.system.relation(levels, urgency(round, 4));
            let below = plain(self.out[&(kind, round - 1)]);
            if kind == Kind::First {
                self.add(Meaning::Other, link, vec![below, right.clone()], wrap)?;
            } else {
                self.add(
                    Meaning::Other,
                    link,
                    vec![below.clone(), right.clone(), wanted.clone()],
                    Bdd::TRUE,
                )?;
                if self.symmetric() {
                    self.add(Meaning::Other, link, vec![below, from_start.clone(), right.clone()], wrap)?;
                }
            }
            let earlier: Vec<(PathKey, RelationId)> = self
                .paths
                .iter()
                .filter(|(key, _)| key.kind == kind && key.round == round - 1)
                .map(|(&key, &path)| (key, path))
                .collect();
            for (key, path) in earlier {
                let head = self.path(PathKey { round, ..key });
                let stands = matches!(key.position, Position::At(_));
                let outside = if stands { outside } else { Bdd::TRUE };
                let with = self.system.calculus.and(same, outside)?;
                self.add(Meaning::Resume, head, vec![plain(path), plain(link)], with)?;
            }
        }
        Ok(())
    }

    /// Wrap(u, w): w_j = u_{j+1} below the last.
    fn wrap(&mut self, u: &[Column], w: &[Column]) -> Result<Bdd, Stop> {
        let rounds = u.len() - 1;
        self.system.calculus.equal(&self.space.pairs(&u[1..], &w[..rounds]))
    }
}
