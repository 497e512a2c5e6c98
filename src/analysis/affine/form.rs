//! What is an affine form? A short list of terms over thread indices, plus a rest on which lanes agree.
//!
//! - A **monomial** is a product of at most two bases (`tid.x`, `tid.y`, `tid.z`, `laneid`) and at most two symbols
//!   (uniform SSA values). Degree two is kept because differences of squares cancel (Sampaio 2013, 3.5).
//! - A **coefficient** is an integer modulo `2^w`, stored sign-extended to 64 bits.
//! - **Exactness** means that the form also holds over the integers: `uint(x_i) − uint(x_j) = Σ c·(m_i − m_j)` for all
//!   lanes `i`, `j` of a scope (`exact_unsigned`; `exact_signed` for the two's-complement reading). Extensions, ordered
//!   comparisons and divisions require it. A form without terms is exact in the scope of its rest.
//! - The **alignment** of a rest is the number of low bits known to be zero. It proves that adding a small
//!   lane-dependent part cannot carry.
//!
//! A value that would need more than [`MAX_TERMS`] terms or a higher degree has no form; callers treat it as divergent.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;

/// Maximum number of terms of a form. Kernels index with at most three thread indices and a lane; four leaves room for
/// one product.
pub const MAX_TERMS: usize = 4;

/// A set of threads that agree on a value. Ordered: a wider scope is the stronger claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Scope {
    Warp,
    Block,
    Grid,
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["warp", "block", "grid"][*self as usize])
    }
}

/// A thread-dependent quantity whose value every lane knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Base {
    TidX,
    TidY,
    TidZ,
    LaneId,
}

impl Base {
    /// Every base, in printing order.
    pub const ALL: [Base; 4] = [Base::TidX, Base::TidY, Base::TidZ, Base::LaneId];
}

impl std::fmt::Display for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["tid.x", "tid.y", "tid.z", "laneid"][*self as usize])
    }
}

/// How a symbol of another width than the form enters it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Ext {
    /// The symbol has the width of the form.
    None,
    Zext,
    Sext,
    /// The low bits of a wider symbol.
    Trunc,
}

/// A uniform SSA value used as a coefficient, and how it enters. Both are packed into one word, because forms are
/// copied and compared very often. Ordered by value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(NonZeroU32);

impl Symbol {
    /// Low bits of a symbol that hold its kind of extension.
    const EXT_BITS: u32 = 2;

    /// The symbol for the value with this number; the numbering is the caller's.
    pub fn new(value: u32, ext: Ext) -> Symbol {
        let word = value.checked_add(1).filter(|next| next.leading_zeros() >= Self::EXT_BITS);
        let word = word.and_then(|next| NonZeroU32::new(next << Self::EXT_BITS | ext as u32));
        Symbol(word.expect("a function has fewer than 2^30 values"))
    }
    /// The caller's number of the value.
    pub fn value(self) -> u32 {
        (self.0.get() >> Self::EXT_BITS) - 1
    }
    /// How it enters the form.
    pub fn ext(self) -> Ext {
        match self.0.get() & 3 {
            0 => Ext::None,
            1 => Ext::Zext,
            2 => Ext::Sext,
            _ => Ext::Trunc,
        }
    }
}

impl std::fmt::Debug for Symbol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({})", self.ext(), self.value())
    }
}

/// A product of one or two bases and up to two symbols. Both lists are sorted, present entries first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Monomial {
    pub bases: (Base, Option<Base>),
    pub symbols: (Option<Symbol>, Option<Symbol>),
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Monomial {
    /// All of it in one number, by which monomials are ordered: the bases, then the symbols.
    fn key(&self) -> u128 {
        let symbol = |symbol: Option<Symbol>| symbol.map_or(0, |Symbol(word)| u128::from(word.get()));
        let (first, second) = self.bases;
        let bases = (first as u128) << 8 | second.map_or(0, |base| base as u128 + 1);
        bases << 64 | symbol(self.symbols.0) << 32 | symbol(self.symbols.1)
    }
    /// A base alone.
    pub fn base(base: Base) -> Monomial {
        Monomial { bases: (base, None), symbols: (None, None) }
    }
    /// The base, if the monomial is one base and nothing else.
    pub fn as_base(&self) -> Option<Base> {
        match *self {
            Monomial { bases: (base, None), symbols: (None, _) } => Some(base),
            _ => None,
        }
    }
    /// The symbols.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.symbols.0.into_iter().chain(self.symbols.1)
    }
    /// Multiplied by a symbol; `None` past two symbols.
    pub fn times_symbol(mut self, symbol: Symbol) -> Option<Monomial> {
        match self.symbols {
            (None, _) => self.symbols.0 = Some(symbol),
            (Some(first), None) => self.symbols = (Some(first.min(symbol)), Some(first.max(symbol))),
            (Some(_), Some(_)) => return None,
        }
        Some(self)
    }
    /// The product of two monomials; `None` past degree two or two symbols.
    pub fn times(self, other: Monomial) -> Option<Monomial> {
        let ((a, None), (b, None)) = (self.bases, other.bases) else { return None };
        let mut product = Monomial { bases: (a.min(b), Some(a.max(b))), symbols: self.symbols };
        for symbol in other.symbols() {
            product = product.times_symbol(symbol)?;
        }
        Some(product)
    }
}

/// A coefficient times a monomial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    pub monomial: Monomial,
    /// Modulo `2^w`, sign-extended; never zero inside a form.
    pub coefficient: i64,
}

/// The terms of a form, at most [`MAX_TERMS`], stored inline so that copying a form is a plain copy of bytes.
#[derive(Clone, Copy)]
pub struct Terms {
    count: u32,
    items: [Term; MAX_TERMS],
}

impl Terms {
    /// No terms.
    pub const EMPTY: Terms = Terms {
        count: 0,
        items: [Term { monomial: Monomial { bases: (Base::TidX, None), symbols: (None, None) }, coefficient: 0 };
            MAX_TERMS],
    };
    /// Appends a term; `None` if there are [`MAX_TERMS`] already.
    #[inline]
    pub fn push(&mut self, term: Term) -> Option<()> {
        *self.items.get_mut(self.count as usize)? = term;
        self.count += 1;
        Some(())
    }
    /// Appends a term with a coefficient of so many bits, unless that is zero; returns whether it is the one given, which need
    /// not fit. `None` as for [`push`](Terms::push).
    #[inline]
    pub fn push_wrapped(&mut self, monomial: Monomial, coefficient: i64, bits: u32) -> Option<bool> {
        let wrapped = wrap(coefficient, bits);
        if wrapped != 0 {
            self.push(Term { monomial, coefficient: wrapped })?;
        }
        Some(wrapped == coefficient)
    }
    /// A single term.
    pub fn one(term: Term) -> Terms {
        let mut terms = Terms { count: 1, ..Terms::EMPTY };
        terms.items[0] = term;
        terms
    }
}

impl std::ops::Deref for Terms {
    type Target = [Term];
    #[inline]
    fn deref(&self) -> &[Term] {
        &self.items[..(self.count as usize).min(MAX_TERMS)]
    }
}

impl std::ops::DerefMut for Terms {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Term] {
        &mut self.items[..(self.count as usize).min(MAX_TERMS)]
    }
}

impl<'a> IntoIterator for &'a Terms {
    type Item = &'a Term;
    type IntoIter = std::slice::Iter<'a, Term>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Terms {
    #[inline]
    fn eq(&self, other: &Terms) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Terms {}

impl Hash for Terms {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for term in self {
            let Monomial { bases: (first, second), symbols } = term.monomial;
            let word = |symbol: Option<Symbol>| symbol.map_or(0, |Symbol(word)| u64::from(word.get()));
            state.write_u64(word(symbols.0) | word(symbols.1) << 32);
            state.write_u64(first as u64 | second.map_or(0, |base| base as u64 + 1) << 8);
            state.write_i64(term.coefficient);
        }
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// The part of a form that lanes agree on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rest {
    /// A known number, sign-extended from the width of the form.
    Const(i64),
    /// One unknown number for all lanes of the scope; its `align` low bits are zero.
    Uniform { scope: Scope, align: u8 },
}

impl Rest {
    /// The scope in which lanes agree.
    pub fn scope(self) -> Scope {
        match self {
            Rest::Const(_) => Scope::Grid,
            Rest::Uniform { scope, .. } => scope,
        }
    }
    /// Number of low bits known to be zero, 64 for the constant zero.
    pub fn align(self) -> u8 {
        match self {
            Rest::Const(0) => 64,
            Rest::Const(c) => c.trailing_zeros() as u8,
            Rest::Uniform { align, .. } => align,
        }
    }
}

/// `Σ terms + rest (mod 2^w)`, where `w` is the width of the value described.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// Sorted by monomial, no zero coefficients.
    pub terms: Terms,
    pub rest: Rest,
    /// Scope in which the form holds over the integers with values read as unsigned; irrelevant without terms.
    pub exact_unsigned: Option<Scope>,
    /// The same with values read as signed.
    pub exact_signed: Option<Scope>,
}

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let scope = |scope: Option<Scope>| scope.map_or(0, |scope| scope as u64 + 1);
        let tags = scope(self.exact_unsigned) | scope(self.exact_signed) << 2;
        match self.rest {
            Rest::Const(value) => {
                state.write_u64(tags);
                state.write_i64(value);
            }
            Rest::Uniform { scope, align } => {
                state.write_u64(tags | ((scope as u64 + 1) << 4) | (u64::from(align) << 8))
            }
        }
        self.terms.hash(state);
    }
}

impl Form {
    /// A known number (sign-extended).
    pub fn constant(value: i64) -> Form {
        Form::from_rest(Rest::Const(value))
    }
    /// An unknown number on which the lanes of a scope agree.
    pub const fn uniform(scope: Scope) -> Form {
        Form::from_rest(Rest::Uniform { scope, align: 0 })
    }
    /// A form without terms.
    pub const fn from_rest(rest: Rest) -> Form {
        Form { terms: Terms::EMPTY, rest, exact_unsigned: None, exact_signed: None }
    }
    /// A base alone. Thread indices are small, so it is exact in both readings.
    pub fn base(base: Base) -> Form {
        Form {
            terms: Terms::one(Term { monomial: Monomial::base(base), coefficient: 1 }),
            rest: Rest::Const(0),
            exact_unsigned: Some(Scope::Grid),
            exact_signed: Some(Scope::Grid),
        }
    }
    /// Whether the form has no terms, so that lanes agree on the value.
    pub fn is_uniform(&self) -> bool {
        self.terms.is_empty()
    }
    /// The number, if known.
    pub fn as_constant(&self) -> Option<i64> {
        match self.rest {
            Rest::Const(value) if self.terms.is_empty() => Some(value),
            _ => None,
        }
    }
    /// Scope in which the unsigned reading is exact.
    pub fn unsigned_scope(&self) -> Option<Scope> {
        if self.terms.is_empty() { Some(self.rest.scope()) } else { self.exact_unsigned }
    }
    /// Scope in which the signed reading is exact.
    pub fn signed_scope(&self) -> Option<Scope> {
        if self.terms.is_empty() { Some(self.rest.scope()) } else { self.exact_signed }
    }
    /// Every symbol of every term.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.terms.iter().flat_map(|term| term.monomial.symbols())
    }
    /// The same form without claims over the integers.
    pub fn without_exactness(mut self) -> Form {
        self.exact_unsigned = None;
        self.exact_signed = None;
        self
    }
}

/// The low `bits` of a number, sign-extended to 64.
pub fn wrap(value: i64, bits: u32) -> i64 {
    match bits {
        0 => 0,
        1..=63 => {
            let shift = 64 - bits;
            (value << shift) >> shift
        }
        _ => value,
    }
}

/// A sign-extended number of width `bits`, read as unsigned.
pub fn unsigned(value: i64, bits: u32) -> u64 {
    if bits >= 64 { value as u64 } else { value as u64 & ((1u64 << bits) - 1) }
}
