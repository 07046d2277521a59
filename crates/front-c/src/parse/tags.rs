//! Structs, unions and enumerations.

use base::Span;

use super::super::constructs::attributes::On;
use super::super::layout::{Member, Shape};
use super::super::types::{Qualified, RecordId, Type, TypeId};
use super::attributes::{Attributes, refusal};
use super::{Fail, Parsed, Parser};

/// What stands before the members of a struct, union or enumeration.
struct Head<'a> {
    attributes: Attributes,
    tag: Option<&'a str>,
    /// Whether the members follow.
    defining: bool,
}

impl<'a> Parser<'a> {
    /// `struct tag { … }`, `union tag`, and so on.
    pub fn record_specifier(&mut self) -> Parsed<TypeId> {
        let start = self.span();
        let union = self.at("union");
        let Head { attributes, tag, defining } = self.tag_head()?;
        // `struct S;` declares a new one in this scope.
        let fresh = defining || self.at(";");
        let record = self.check.record(tag, union, fresh, start);
        let ty = self.check.program.types.intern(Type::Record(record));
        if defining {
            self.bump();
            self.members(record, union, attributes, start)?;
        }
        Ok(ty)
    }

    /// The keyword, the tag and the attributes around it.
    fn tag_head(&mut self) -> Parsed<Head<'a>> {
        self.bump();
        let mut attributes = self.attributes()?;
        let tag = self.tag();
        let more = self.attributes()?;
        attributes.merge(more);
        let defining = self.at("{");
        if tag.is_none() && !defining {
            return Err(self.unexpected("a tag or `{`"));
        }
        Ok(Head { attributes, tag, defining })
    }

    /// A tag; it may be the name of a type as well.
    fn tag(&mut self) -> Option<&'a str> {
        let name = self.peek_name()?;
        self.bump();
        Some(name)
    }

    fn members(
        &mut self,
        record: RecordId,
        union: bool,
        mut attributes: Attributes,
        start: Span,
    ) -> Parsed<()> {
        let mut members = vec![];
        while !self.at("}") {
            if self.at_end() {
                return Err(self.unexpected("`}`"));
            }
            match self.member_declaration(&mut members, record) {
                Err(Fail::Syntax) if !self.check.gives_up() => self.recover_inside(),
                result => result?,
            }
        }
        // What counts is what the pragmas say at the closing brace.
        self.follow_pragmas();
        let (pack, other_order) = (self.pack(), self.pragmas.other_order);
        self.bump();
        let more = self.attributes()?;
        attributes.merge(more);
        let shape = Shape { union, packed: attributes.packed, align: attributes.align, pack };
        let span = self.from(start);
        self.check.complete_record(record, members, shape, span);
        let record = &mut self.check.program.types.records[record];
        record.transparent |= attributes.transparent;
        let order = other_order.then(|| "a type with another storage order".to_string());
        let refused = attributes.refused.map(|name| refusal(name, On::TYPE));
        record.refused = record.refused.take().or(order).or(refused);
        self.refuse_layout(attributes.refused, span);
        Ok(())
    }

    /// Sizes and offsets are numbers wherever they are used, so a layout that is not known is refused at
    /// once.
    fn refuse_layout(&mut self, refused: Option<&str>, span: Span) {
        if let Some(name @ ("ms_struct" | "copy")) = refused {
            self.check.program.refused.push((span, refusal(name, On::TYPE)));
        }
    }

    fn member_declaration(&mut self, members: &mut Vec<Member>, record: RecordId) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.at("_Static_assert") {
            return self.static_assert();
        }
        self.eat("__extension__");
        if !self.at_type() {
            if let Some(name) = self.peek_name() {
                return Err(self.no_type(name));
            }
            return Err(self.unexpected("a member or `}`"));
        }
        let start = self.span();
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            // An anonymous struct or union; anything else without a name declares nothing.
            if matches!(self.check.ty(specifiers.ty.ty), Type::Record(_)) {
                members.push(Member {
                    name: None,
                    ty: specifiers.ty,
                    width: None,
                    align: specifiers.attributes.align,
                    packed: false,
                    span: start,
                });
            }
            return Ok(());
        }
        loop {
            let member = self.member(specifiers.ty, &specifiers.attributes, record)?;
            members.push(member);
            if !self.eat(",") {
                return self.expect(";");
            }
        }
    }

    fn member(&mut self, base: Qualified, attributes: &Attributes, record: RecordId) -> Parsed<Member> {
        let start = self.span();
        let mut attributes = attributes.clone();
        attributes.merge(self.attributes()?);
        let (name, ty) = if self.at(":") {
            (None, base)
        } else {
            let declarator = self.declarator(base)?;
            attributes.merge(declarator.attributes);
            (declarator.name, declarator.ty)
        };
        let span = name.map_or(start, |(_, span)| span);
        let width = if self.eat(":") { Some(self.bit_width(ty, span)?) } else { None };
        let more = self.attributes()?;
        let ty = self.apply_declarator_mode(ty, &more);
        attributes.merge(more);
        let ty = self.apply_noreturn(ty, attributes.noreturn);
        if let Some(refused) = attributes.refused {
            let reason = refusal(refused, On::VARIABLE);
            self.check.program.types.records[record].refused.get_or_insert(reason);
        }
        let name = name.map(|(name, _)| name.to_string());
        Ok(Member { name, ty, width, align: attributes.align, packed: attributes.packed, span })
    }

    fn bit_width(&mut self, ty: Qualified, span: Span) -> Parsed<u32> {
        let width = self.constant_expression()?;
        let most = self.check.program.types.int_kind(ty.ty).map(|kind| kind.width(self.check.model()));
        let Some(most) = most else {
            self.check.error("E1113", span, "a bit-field must have an integer type", "use int or unsigned");
            return Ok(1);
        };
        match u32::try_from(width) {
            Ok(width) if width <= most => Ok(width),
            _ => {
                let message = format!("a bit-field of this type has at most {most} bits");
                self.check.error("E1113", span, message, "use a smaller width");
                Ok(most)
            }
        }
    }

    /// `enum tag { … }`.
    pub fn enum_specifier(&mut self) -> Parsed<TypeId> {
        let start = self.span();
        let Head { mut attributes, tag, defining } = self.tag_head()?;
        let id = self.check.enumeration(tag, defining, start);
        let ty = self.check.program.types.intern(Type::Enum(id));
        if !defining {
            return Ok(ty);
        }
        self.bump();
        if self.check.program.types.enums[id].complete {
            self.check.error(
                "E1102",
                start,
                "this enumeration is defined twice",
                "remove one of the definitions",
            );
        }
        let mut values = vec![];
        let mut next = 0;
        while !self.at("}") {
            let (name, span) = self.expect_name()?;
            self.attributes()?;
            if self.eat("=") {
                next = self.constant_expression()?;
            }
            self.check.enumerator(name, next, span);
            values.push(next);
            next = next.wrapping_add(1);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        let more = self.attributes()?;
        attributes.merge(more);
        self.check.complete_enum(id, &values, attributes.packed);
        if let Some(name) = attributes.refused {
            self.refuse_type(ty, name, start);
        }
        // A mode says how wide the values are.
        Ok(self.apply_mode(ty, &attributes))
    }
}
