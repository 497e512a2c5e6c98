//! Which types and which constants do odd modules hold? As text; [`Ty`] knows what an instruction must know.

use super::super::rng::Rng;

/// A first-class type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Int(u32),
    /// `half`, `bfloat`, `float`, `double`, `fp128`.
    Float(&'static str),
    Ptr(u32),
    /// Length, element, scalable.
    Vector(u32, Box<Ty>, bool),
    Array(u32, Box<Ty>),
    /// Elements, packed.
    Struct(Vec<Ty>, bool),
    /// An opaque type of a target.
    Ext(&'static str),
}

pub(super) const I1: Ty = Ty::Int(1);
pub(super) const I32: Ty = Ty::Int(32);
pub(super) const I64: Ty = Ty::Int(64);
pub(super) const PTR: Ty = Ty::Ptr(0);
const WIDTHS: [u32; 14] = [1, 1, 8, 16, 32, 32, 32, 64, 64, 5, 33, 127, 128, 77];
const FLOATS: [&str; 6] = ["float", "float", "half", "bfloat", "double", "fp128"];
const SPACES: [u32; 9] = [0, 0, 0, 1, 3, 4, 5, 7, 101];

/// Bits of a float by its name.
pub(super) fn float_bits(name: &str) -> u32 {
    match name {
        "half" | "bfloat" => 16,
        "float" => 32,
        "double" => 64,
        _ => 128,
    }
}

impl Ty {
    /// An integer, float or pointer.
    pub(super) fn scalar(rng: &mut Rng) -> Ty {
        match rng.below(10) {
            0..6 => Ty::Int(rng.pick(&WIDTHS)),
            6..8 => Ty::Float(rng.pick(&FLOATS)),
            _ => Ty::Ptr(rng.pick(&SPACES)),
        }
    }

    /// Any type that a value may have.
    pub(super) fn any(rng: &mut Rng) -> Ty {
        match rng.below(20) {
            0..13 => Ty::scalar(rng),
            13..16 => Ty::Vector(rng.range(1, 5) as u32, Box::new(Ty::scalar(rng)), false),
            16 => Ty::Array(rng.below(5) as u32, Box::new(Ty::any(rng))),
            17..19 => {
                let count = rng.below(4);
                Ty::Struct((0..count).map(|_| Ty::scalar(rng)).collect(), rng.chance(25))
            }
            _ if rng.chance(40) => {
                Ty::Vector(rng.range(1, 4) as u32, Box::new(Ty::Int(rng.pick(&[1, 8, 32, 64]))), true)
            }
            _ => Ty::Ext(rng.pick(&["odd.opaque", "spirv.Event"])),
        }
    }

    pub(super) fn is_scalable(&self) -> bool {
        match self {
            Ty::Vector(_, _, scalable) => *scalable,
            Ty::Array(_, element) => element.is_scalable(),
            Ty::Struct(elements, _) => elements.iter().any(Ty::is_scalable),
            _ => false,
        }
    }

    /// Whether it lies in memory.
    pub(super) fn is_sized(&self) -> bool {
        match self {
            Ty::Ext(name) => *name != "odd.opaque",
            Ty::Array(_, element) => element.is_sized(),
            _ => true,
        }
    }

    /// The element of a vector, or the type itself.
    pub(super) fn lane(&self) -> &Ty {
        match self {
            Ty::Vector(_, element, _) => element,
            _ => self,
        }
    }

    /// The type with another lane: as many of them.
    pub(super) fn with_lane(&self, lane: Ty) -> Ty {
        match self {
            Ty::Vector(length, _, scalable) => Ty::Vector(*length, Box::new(lane), *scalable),
            _ => lane,
        }
    }

    pub(super) fn is_int(&self) -> bool {
        matches!(self.lane(), Ty::Int(_))
    }

    pub(super) fn is_float(&self) -> bool {
        matches!(self.lane(), Ty::Float(_))
    }

    pub(super) fn is_ptr(&self) -> bool {
        matches!(self.lane(), Ty::Ptr(_))
    }

    /// A constant as text.
    pub(super) fn constant(&self, rng: &mut Rng) -> String {
        let zero = |rng: &mut Rng| rng.pick(&["zeroinitializer", "undef", "poison"]).to_owned();
        match self {
            Ty::Int(1) => rng.pick(&["true", "false", "false", "poison"]).to_owned(),
            Ty::Int(bits) => match rng.below(10) {
                0 => rng.pick(&["undef", "poison"]).to_owned(),
                1 => "-1".to_owned(),
                2 if *bits >= 64 => "9223372036854775808".to_owned(),
                _ => rng.below(1 << (*bits - 1).min(9)).to_string(),
            },
            Ty::Float(name) => match (*name, rng.below(4)) {
                (_, 0) => "poison".to_owned(),
                ("float" | "double" | "half" | "bfloat", _) => {
                    rng.pick(&["0.0", "1.0", "-2.0", "0.5", "-0.0"]).to_owned()
                }
                _ => "0xL00000000000000000000000000000000".to_owned(),
            },
            Ty::Ptr(_) => rng.pick(&["null", "undef", "poison"]).to_owned(),
            Ty::Vector(length, element, false) if rng.chance(50) => {
                let items: Vec<String> = (0..*length).map(|_| format!("{element} {}", element.constant(rng))).collect();
                format!("<{}>", items.join(", "))
            }
            Ty::Ext(_) => rng.pick(&["undef", "poison"]).to_owned(),
            Ty::Array(_, element) if matches!(**element, Ty::Ext(_)) => "undef".to_owned(),
            Ty::Vector(..) | Ty::Struct(..) | Ty::Array(..) => {
                if self.holds_ext() {
                    "poison".to_owned()
                } else {
                    zero(rng)
                }
            }
        }
    }

    fn holds_ext(&self) -> bool {
        match self {
            Ty::Ext(_) => true,
            Ty::Vector(_, element, _) | Ty::Array(_, element) => element.holds_ext(),
            Ty::Struct(elements, _) => elements.iter().any(Ty::holds_ext),
            _ => false,
        }
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Int(bits) => write!(f, "i{bits}"),
            Ty::Float(name) => f.write_str(name),
            Ty::Ptr(0) => f.write_str("ptr"),
            Ty::Ptr(space) => write!(f, "ptr addrspace({space})"),
            Ty::Vector(length, element, scalable) => {
                write!(f, "<{}{length} x {element}>", if *scalable { "vscale x " } else { "" })
            }
            Ty::Array(length, element) => write!(f, "[{length} x {element}]"),
            Ty::Struct(elements, packed) => {
                let items: Vec<String> = elements.iter().map(Ty::to_string).collect();
                let (open, close) = if *packed { ("<{", "}>") } else { ("{", "}") };
                write!(f, "{open}{}{close}", items.join(", "))
            }
            Ty::Ext(name) => write!(f, "target(\"{name}\")"),
        }
    }
}
