//! A proof of one kind together with its view, for tests that make proofs and take them apart.

use ir::certificate::{Body, Certificate, View};
use ir::task::Scope;
use std::ops::{Deref, DerefMut};

/// A certificate of a known kind, without its claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Viewed<B> {
    /// What is kept of the states.
    pub view: View,
    /// The proof.
    pub body: B,
}

impl<B> Viewed<B> {
    /// Another proof through the same view.
    pub fn with(&self, body: B) -> Self {
        Viewed { view: self.view.clone(), body }
    }

    /// The certificate that claims this; `kind` is the variant.
    pub fn certificate(self, scope: Scope, kind: fn(B) -> Body) -> Certificate {
        Certificate { scope, view: self.view, body: kind(self.body), passes: vec![] }
    }
}

impl<B> Deref for Viewed<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.body
    }
}

impl<B> DerefMut for Viewed<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.body
    }
}
