//! How is an element of the domain stored in four bytes? Forms are interned, so equal forms have equal indices.

use super::form::{Form, Rest, Scope};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// An element of the domain: bottom, divergent, or an interned form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Element(u32);

impl Element {
    /// Not reached yet.
    pub const BOTTOM: Element = Element(0);
    /// Nothing is known.
    pub const DIVERGENT: Element = Element(1);
    /// The first of the elements without a form on which a scope agrees; one for each scope.
    const UNIFORM: u32 = 2;
    /// The first element whose form is interned.
    const FIRST_FORM: u32 = 5;

    /// An unknown number on which the lanes of a scope agree.
    pub const fn uniform(scope: Scope) -> Element {
        Element(Self::UNIFORM + scope as u32)
    }
    /// The scope of a plain uniform element (unaligned, not constant); a fast path.
    #[inline]
    pub fn plain_scope(self) -> Option<Scope> {
        match self.0 {
            2 => Some(Scope::Warp),
            3 => Some(Scope::Block),
            4 => Some(Scope::Grid),
            _ => None,
        }
    }
    /// Limits a plain uniform element to a scope no wider than `limit`; returns other elements unchanged.
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

/// The forms of the first elements, the same in every function. Bottom and divergent have none; their places are filled.
static BUILT_IN: [Form; Element::FIRST_FORM as usize] = [
    Form::uniform(Scope::Grid),
    Form::uniform(Scope::Grid),
    Form::uniform(Scope::Warp),
    Form::uniform(Scope::Block),
    Form::uniform(Scope::Grid),
];

/// All distinct forms of one function.
pub struct Interner {
    /// From [`Element::FIRST_FORM`] on.
    forms: Vec<Form>,
    /// Elements of forms with terms, by hash of the form, which is stored once.
    index: HashTable<u32>,
    /// Forms without terms, by rest.
    rests: FxHashMap<Rest, u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner::with_capacity(0, 0)
    }
}

impl Interner {
    /// An interner sized for about this many distinct forms with and without terms.
    pub fn with_capacity(with_terms: usize, without: usize) -> Self {
        Interner {
            forms: Vec::with_capacity(with_terms + without),
            index: HashTable::with_capacity(with_terms),
            rests: FxHashMap::with_capacity_and_hasher(without, Default::default()),
        }
    }

    /// The element of a form.
    pub fn intern(&mut self, form: &Form) -> Element {
        if form.terms.is_empty() {
            return self.intern_rest(form.rest);
        }
        let id = self.next_id();
        let at = |id: u32| &self.forms[(id - Element::FIRST_FORM) as usize];
        let hash = FxBuildHasher.hash_one(form);
        match self.index.entry(hash, |&id| at(id) == form, |&id| FxBuildHasher.hash_one(at(id))) {
            Entry::Occupied(known) => return Element(*known.get()),
            Entry::Vacant(place) => place.insert(id),
        };
        self.forms.push(form.clone());
        Element(id)
    }
    fn next_id(&self) -> u32 {
        self.forms.len() as u32 + Element::FIRST_FORM
    }
    /// The element of a form without terms.
    pub fn intern_rest(&mut self, rest: Rest) -> Element {
        if let Rest::Uniform { scope, align: 0 } = rest {
            return Element::uniform(scope);
        }
        let next = self.next_id();
        let id = *self.rests.entry(rest).or_insert(next);
        if id == next {
            self.forms.push(Form::from_rest(rest));
        }
        Element(id)
    }
    /// The element of a known number (sign-extended).
    pub fn intern_constant(&mut self, value: i64) -> Element {
        self.intern_rest(Rest::Const(value))
    }
    /// The element of a form; divergent if there is none.
    pub fn intern_or_divergent(&mut self, form: Option<&Form>) -> Element {
        form.map_or(Element::DIVERGENT, |form| self.intern(form))
    }
    /// The form of an element; `None` for bottom and divergent.
    #[inline]
    pub fn form(&self, element: Element) -> Option<&Form> {
        let id = element.0;
        let interned = || self.forms.get(id.wrapping_sub(Element::FIRST_FORM) as usize);
        (id >= Element::UNIFORM).then(|| interned().unwrap_or_else(|| &BUILT_IN[id as usize]))
    }
    /// The number, if the element is a known constant.
    pub fn constant(&self, element: Element) -> Option<i64> {
        self.form(element).and_then(Form::as_constant)
    }
}
