//! Initialisers as they are written; the checker lays them out.

use super::super::check::init::{Designator, Item, Tree};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// An expression or a list in braces.
    pub fn initialiser(&mut self) -> Parsed<Tree> {
        if self.at("{") {
            return self.deeper(|parser| parser.initialiser_list());
        }
        let start = self.span();
        let operand = self.assignment()?;
        Ok(Tree::Value(operand, self.from(start)))
    }

    /// `{ … }`.
    pub fn initialiser_list(&mut self) -> Parsed<Tree> {
        let start = self.span();
        self.expect("{")?;
        let mut items = vec![];
        while !self.at("}") {
            if self.at_end() {
                return Err(self.unexpected("`}`"));
            }
            let designators = self.designators()?;
            let tree = self.initialiser()?;
            items.push(Item { designators, tree });
            self.budget.spend(1)?;
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Tree::List(items, self.from(start)))
    }

    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut found = vec![];
        // The old form of GNU C: `name: value`.
        if self.peek_name().is_some() && Self::is(self.ahead(1), ":") {
            let (name, span) = self.expect_name()?;
            self.bump();
            found.push(Designator::Member(name.to_string(), span));
            return Ok(found);
        }
        loop {
            let start = self.span();
            if self.eat(".") {
                let (name, span) = self.expect_name()?;
                found.push(Designator::Member(name.to_string(), span));
            } else if self.eat("[") {
                let low = self.index_constant()?;
                let high = if self.eat("...") { self.index_constant()? } else { low };
                self.expect("]")?;
                found.push(Designator::Index(low, high, self.from(start)));
            } else {
                break;
            }
        }
        if !found.is_empty() {
            // GNU C of old leaves out the `=` after `[index]`.
            self.eat("=");
        }
        Ok(found)
    }

    fn index_constant(&mut self) -> Parsed<u64> {
        let start = self.span();
        let value = self.constant_expression()?;
        match u64::try_from(value) {
            Ok(index) => Ok(index),
            Err(_) => {
                let span = self.from(start);
                self.check.error("E1130", span, "this designator is out of bounds", "use an index from 0");
                Ok(0)
            }
        }
    }
}
