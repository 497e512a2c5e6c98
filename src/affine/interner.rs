//! How is an element stored in four bytes? Forms are interned; equal forms have equal indices.

use super::form::{Form, Rest, Scope};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// An element of the domain: bottom, divergent, or an interned form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Element(u32);

impl Element {
    /// Not reached.
    pub const BOTTOM: Element = Element(0);
    /// Nothing is known.
    pub const DIVERGENT: Element = Element(1);
    const UNIFORM: u32 = 2;
    const FIRST_FORM: u32 = 5;

    /// An unknown number that a scope agrees on.
    pub const fn uniform(scope: Scope) -> Element {
        Element(Self::UNIFORM + scope as u32)
    }
    /// The scope of a plain uniform element (no alignment, no constant): the fast path.
    #[inline]
    pub fn plain_scope(self) -> Option<Scope> {
        match self.0 {
            2 => Some(Scope::Warp),
            3 => Some(Scope::Block),
            4 => Some(Scope::Grid),
            _ => None,
        }
    }
    /// A plain uniform element in a scope no wider than `limit`; every other element as it is.
    pub fn capped(self, limit: Scope) -> Element {
        self.plain_scope().map_or(self, |scope| Element::uniform(scope.min(limit)))
    }
    #[inline]
    pub fn is_bottom(self) -> bool {
        self == Self::BOTTOM
    }
    #[inline]
    pub fn is_divergent(self) -> bool {
        self == Self::DIVERGENT
    }
}

/// The forms met so far.
pub struct Interner {
    forms: Vec<Form>,
    index: FxHashMap<Form, u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner::with_capacity(0)
    }
}

impl Interner {
    /// Expects about `count` distinct forms.
    pub fn with_capacity(count: usize) -> Self {
        let index = FxHashMap::with_capacity_and_hasher(count, Default::default());
        let mut interner = Interner { forms: Vec::with_capacity(count + Element::FIRST_FORM as usize), index };
        // bottom and divergent have no form; uniform grid stands in so that indices match
        for scope in [Scope::Grid, Scope::Grid, Scope::Warp, Scope::Block, Scope::Grid] {
            interner.forms.push(Form::uniform(scope));
        }
        for scope in [Scope::Warp, Scope::Block, Scope::Grid] {
            interner.index.insert(Form::uniform(scope), Element::uniform(scope).0);
        }
        debug_assert_eq!(interner.forms.len(), Element::FIRST_FORM as usize);
        interner
    }
    /// The element of a form.
    pub fn intern(&mut self, mut form: Form) -> Element {
        if form.terms.is_empty() {
            form = form.without_exactness();
            if let Rest::Uniform { scope, align: 0 } = form.rest {
                return Element::uniform(scope);
            }
        }
        match self.index.entry(form) {
            Entry::Occupied(known) => Element(*known.get()),
            Entry::Vacant(place) => {
                let id = self.forms.len() as u32;
                self.forms.push(place.key().clone());
                place.insert(id);
                Element(id)
            }
        }
    }
    /// The element of a form, divergent for none.
    pub fn intern_or_divergent(&mut self, form: Option<Form>) -> Element {
        form.map_or(Element::DIVERGENT, |form| self.intern(form))
    }
    /// The form of an element; `None` for bottom and divergent.
    #[inline]
    pub fn form(&self, element: Element) -> Option<&Form> {
        (element.0 >= Element::UNIFORM).then(|| &self.forms[element.0 as usize])
    }
    /// The scope in which lanes agree on the whole value; `None` for bottom, divergent and forms with terms.
    #[inline]
    pub fn uniform_scope(&self, element: Element) -> Option<Scope> {
        match element.plain_scope() {
            Some(scope) => Some(scope),
            None => self.form(element).filter(|form| form.is_uniform()).map(|form| form.rest.scope()),
        }
    }
    /// The number, if the element is a known constant.
    pub fn constant(&self, element: Element) -> Option<i64> {
        self.form(element).and_then(Form::as_constant)
    }
    /// How many distinct forms there are.
    pub fn len(&self) -> usize {
        self.forms.len()
    }
    /// Whether no form was interned beyond the built-in ones.
    pub fn is_empty(&self) -> bool {
        self.forms.len() <= Element::FIRST_FORM as usize
    }
}
