//! What is known at a place of the source that is being generated? Which variables there are, which threads come there
//! together, and which loops a jump may leave.

use crate::rng::Rng;
use crate::types::{Scalar, Type};

/// A variable; `length` is 0 unless it is an array or a pointer to one.
#[derive(Clone)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    pub length: usize,
    pub is_mutable: bool,
}

/// Which threads come to a place together: only there may they wait for one another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flow {
    /// All threads of the block.
    Block,
    /// The lanes of a mask that all of them know, an expression.
    Lanes(String),
    /// Nothing is known.
    Divergent,
}

/// What stands around a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Around {
    /// A loop that a lane may leave by itself; the label behind it, if a jump needed one.
    Loop { label: Option<String> },
    /// A switch in such a loop, where `break` means another thing.
    Switch,
    /// Lanes must stay together: no jump leaves it.
    Fixed,
}

/// A helper that can be called.
#[derive(Clone, Debug)]
pub struct Helper {
    pub name: String,
    pub kind: Kind,
}

/// What a helper takes besides the inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Scalars: all such helpers have one signature.
    Plain,
    /// A pointer to an array of `u32`.
    Array,
    /// A record, by value and back.
    Record(Type),
    /// A pointer to [`LARGE`] scalars of this type, in constant places of which much is done: too large for LLVM to inline.
    Large(Scalar),
    /// A depth, and scalars.
    Recursive,
}

/// Scalars that a large helper works on.
pub const LARGE: usize = 4;

/// The generator of one source.
pub struct Gen {
    pub rng: Rng,
    pub prefix: String,
    pub names: usize,
    pub vars: Vec<Var>,
    pub flow: Flow,
    pub around: Vec<Around>,
    /// Some lanes may have returned.
    pub has_returned: bool,
    pub is_kernel: bool,
    pub helpers: Vec<Helper>,
    /// Statements that may still be generated.
    pub fuel: usize,
    pub depth: usize,
    /// Whether tiles of cooperative groups may be used: all warps are full.
    pub has_tiles: bool,
    /// Element type and length of each thread's part of shared memory, in the kernel.
    pub shared: Option<(Scalar, usize)>,
}

impl Gen {
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn declare(&mut self, name: &str, ty: Type, length: usize, is_mutable: bool) {
        self.vars.push(Var { name: name.to_owned(), ty, length, is_mutable });
    }

    /// The mask of the lanes that are here, if they know it.
    pub fn mask(&self) -> Option<String> {
        match &self.flow {
            _ if self.has_returned || !self.is_kernel => None,
            Flow::Block => Some("wm".to_owned()),
            Flow::Lanes(mask) => Some(mask.clone()),
            Flow::Divergent => None,
        }
    }

    /// Whether all threads of the block are here.
    pub fn is_whole_block(&self) -> bool {
        self.is_kernel && !self.has_returned && self.flow == Flow::Block
    }

    /// Something that can be written, and its type.
    pub fn target(&mut self) -> Option<(String, Scalar)> {
        let candidates: Vec<Var> = self.vars.iter().filter(|v| v.is_mutable).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let var = &candidates[self.rng.detail(candidates.len())];
        let object =
            if var.length > 0 { format!("{}[{}]", var.name, self.index(var.length)) } else { var.name.clone() };
        Some(match var.ty {
            Type::Scalar(scalar) => (object, scalar),
            Type::Record(record) => {
                let (member, scalar) = record.members[self.rng.detail(record.members.len())];
                (format!("{object}.{member}"), scalar)
            }
        })
    }

    /// A whole variable or element of that type.
    pub fn whole(&mut self, ty: Type) -> Option<String> {
        let candidates: Vec<Var> = self.vars.iter().filter(|v| v.ty == ty && v.is_mutable).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let var = &candidates[self.rng.detail(candidates.len())];
        Some(if var.length > 0 { format!("{}[{}]", var.name, self.index(var.length)) } else { var.name.clone() })
    }
}
