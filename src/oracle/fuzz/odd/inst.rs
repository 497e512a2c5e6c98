//! What does one odd instruction look like? Each takes operands of what is there, or constants, and leaves its result.

use super::super::rng::Rng;
use super::types::{I1, I32, I64, PTR, Ty, float_bits};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A function that may be called.
#[derive(Clone)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) result: Option<Ty>,
    pub(super) params: Vec<Ty>,
}

/// A function while its blocks are written.
pub(super) struct Writer<'a> {
    pub(super) rng: &'a mut Rng,
    /// Text of the block at hand.
    pub(super) out: String,
    /// What every block sees: arguments, globals, values of the entry block.
    pub(super) everywhere: Vec<(Ty, String)>,
    /// Values of the block at hand.
    pub(super) local: Vec<(Ty, String)>,
    pub(super) next: u32,
    pub(super) declarations: &'a mut BTreeSet<String>,
    pub(super) callees: &'a [Callee],
    /// `, !dbg !7` in a function with debug information.
    pub(super) dbg: String,
    /// Number of its variable there.
    pub(super) variable: u32,
}

const SPECIAL: [&str; 12] = [
    "tid.x",
    "tid.y",
    "tid.z",
    "ntid.x",
    "ntid.y",
    "ctaid.x",
    "nctaid.x",
    "laneid",
    "warpsize",
    "lanemask.lt",
    "clock",
    "nwarpid",
];

impl Writer<'_> {
    pub(super) fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// A value of a type: something there, or a constant.
    pub(super) fn value(&mut self, ty: &Ty) -> String {
        if !self.rng.chance(12) {
            let near: Vec<&String> = self.local.iter().filter(|v| v.0 == *ty).map(|v| &v.1).collect();
            let far: Vec<&String> = self.everywhere.iter().filter(|v| v.0 == *ty).map(|v| &v.1).collect();
            let from = if near.is_empty() || (!far.is_empty() && self.rng.chance(30)) { far } else { near };
            if !from.is_empty() {
                return from[self.rng.below(from.len())].clone();
            }
        }
        ty.constant(self.rng)
    }

    /// A type that there are values of, if it fits; else one that does.
    fn ty(&mut self, fits: fn(&Ty) -> bool, otherwise: Ty) -> Ty {
        let there: Vec<&Ty> = self.local.iter().chain(&self.everywhere).map(|v| &v.0).filter(|ty| fits(ty)).collect();
        if there.is_empty() || self.rng.chance(15) { otherwise } else { there[self.rng.below(there.len())].clone() }
    }

    fn leave(&mut self, ty: Ty, text: &str) {
        let name = self.name();
        let _ = writeln!(self.out, "  {name} = {text}{}", self.dbg);
        if self.rng.chance(8) && !self.dbg.is_empty() {
            let location = self.dbg.trim_start_matches(", !dbg ");
            let _ = writeln!(self.out, "    #dbg_value({ty} {name}, !{}, !DIExpression(), {location})", self.variable);
        }
        self.local.push((ty, name));
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}{}", self.dbg);
    }

    fn call(&mut self, result: Option<Ty>, name: &str, arguments: &[(Ty, String)]) {
        let types: Vec<String> = arguments.iter().map(|a| a.0.to_string()).collect();
        let shown = result.as_ref().map_or("void".to_owned(), Ty::to_string);
        self.declarations.insert(format!("declare {shown} @{name}({})", types.join(", ")));
        let list: Vec<String> = arguments.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        let text = format!("call {shown} @{name}({})", list.join(", "));
        match result {
            Some(ty) => self.leave(ty, &text),
            None => self.line(&text),
        }
    }

    /// Writes one instruction.
    pub(super) fn inst(&mut self) {
        match self.rng.below(30) {
            0..5 => self.binary(),
            5..7 => self.compare(),
            7..10 => self.convert(),
            10 => self.select(),
            11..14 => self.load(),
            14..16 => self.store(),
            16 => self.alloca(),
            17..19 => self.gep(),
            19..21 => self.lanes(),
            21 => self.aggregate(),
            22 => self.atomic(),
            23..25 => self.special(),
            25 => self.math(),
            26 => self.warp(),
            27 => self.memory(),
            28 => self.user(),
            _ => self.rest(),
        }
    }

    fn binary(&mut self) {
        if self.rng.chance(25) {
            let ty = self.ty(Ty::is_float, Ty::Float("float"));
            let (a, b) = (self.value(&ty), self.value(&ty));
            let op = self.rng.pick(&["fadd", "fsub", "fmul", "fdiv", "frem", "fadd fast", "fmul nnan contract"]);
            return self.leave(ty.clone(), &format!("{op} {ty} {a}, {b}"));
        }
        let otherwise = Ty::any(self.rng);
        let otherwise = if otherwise.is_int() { otherwise } else { I32 };
        let ty = self.ty(Ty::is_int, otherwise);
        let (a, b) = (self.value(&ty), self.value(&ty));
        let op = self.rng.pick(&[
            "add",
            "add nsw",
            "add nuw",
            "sub",
            "sub nsw",
            "mul",
            "mul nuw nsw",
            "udiv",
            "sdiv",
            "sdiv exact",
            "urem",
            "srem",
            "shl",
            "shl nuw",
            "lshr",
            "lshr exact",
            "ashr",
            "and",
            "or",
            "or disjoint",
            "xor",
        ]);
        self.leave(ty.clone(), &format!("{op} {ty} {a}, {b}"));
    }

    fn compare(&mut self) {
        let ty = self.ty(|ty| ty.is_int() || ty.is_float() || ty.is_ptr(), I32);
        let (a, b) = (self.value(&ty), self.value(&ty));
        let op = if ty.is_float() {
            self.rng.pick(&["fcmp oeq", "fcmp ult", "fcmp ord", "fcmp true", "fcmp fast ogt"])
        } else {
            self.rng.pick(&["icmp eq", "icmp ne", "icmp ult", "icmp slt", "icmp uge", "icmp sgt"])
        };
        self.leave(ty.with_lane(I1), &format!("{op} {ty} {a}, {b}"));
    }

    fn convert(&mut self) {
        let from = self.ty(|ty| ty.is_int() || ty.is_float() || ty.is_ptr(), I64);
        let lane = Ty::scalar(self.rng);
        let op = match (from.lane(), &lane) {
            (Ty::Int(a), Ty::Int(b)) if a > b => "trunc",
            (Ty::Int(a), Ty::Int(b)) if a < b => self.rng.pick(&["zext", "sext", "zext nneg"]),
            (Ty::Int(_), Ty::Float(_)) => self.rng.pick(&["uitofp", "sitofp"]),
            (Ty::Float(_), Ty::Int(_)) => self.rng.pick(&["fptoui", "fptosi"]),
            (Ty::Float(a), Ty::Float(b)) if float_bits(a) > float_bits(b) => "fptrunc",
            (Ty::Float(a), Ty::Float(b)) if float_bits(a) < float_bits(b) => "fpext",
            (Ty::Int(_), Ty::Ptr(_)) => "inttoptr",
            (Ty::Ptr(_), Ty::Int(_)) => "ptrtoint",
            (Ty::Ptr(a), Ty::Ptr(b)) if a != b => "addrspacecast",
            (a, b) if a == b => "bitcast",
            _ => return self.freeze(),
        };
        let to = from.with_lane(lane);
        let value = self.value(&from);
        self.leave(to.clone(), &format!("{op} {from} {value} to {to}"));
    }

    fn freeze(&mut self) {
        let ty = self.ty(|_| true, I32);
        let value = self.value(&ty);
        self.leave(ty.clone(), &format!("freeze {ty} {value}"));
    }

    fn select(&mut self) {
        let ty = self.ty(|ty| !matches!(ty, Ty::Ext(_)), I32);
        let by_lane = matches!(ty, Ty::Vector(..)) && self.rng.chance(50);
        let condition_ty = if by_lane { ty.with_lane(I1) } else { I1 };
        let (c, a, b) = (self.value(&condition_ty), self.value(&ty), self.value(&ty));
        self.leave(ty.clone(), &format!("select {condition_ty} {c}, {ty} {a}, {ty} {b}"));
    }

    fn pointer(&mut self) -> (Ty, String) {
        let ty = self.ty(|ty| matches!(ty, Ty::Ptr(_)), PTR);
        let value = self.value(&ty);
        (ty, value)
    }

    fn sized(&mut self) -> Ty {
        let ty = Ty::any(self.rng);
        if ty.is_sized() { ty } else { I32 }
    }

    fn load(&mut self) {
        let ty = self.sized();
        let (pointer_ty, pointer) = self.pointer();
        let volatile = if self.rng.chance(10) { "volatile " } else { "" };
        let align = 1 << self.rng.below(6);
        let metadata = match &ty {
            Ty::Int(bits @ (8 | 32 | 64)) if self.rng.chance(15) => format!(", !range !{{i{bits} 0, i{bits} 100}}"),
            _ if self.rng.chance(10) => ", !invariant.load !{}".to_owned(),
            _ => String::new(),
        };
        self.leave(ty.clone(), &format!("load {volatile}{ty}, {pointer_ty} {pointer}, align {align}{metadata}"));
    }

    fn store(&mut self) {
        let ty = self.ty(Ty::is_sized, I32);
        let value = self.value(&ty);
        let (pointer_ty, pointer) = self.pointer();
        let volatile = if self.rng.chance(10) { "volatile " } else { "" };
        let align = 1 << self.rng.below(6);
        self.line(&format!("store {volatile}{ty} {value}, {pointer_ty} {pointer}, align {align}"));
    }

    fn alloca(&mut self) {
        let ty = self.sized();
        let ty = match self.rng.below(4) {
            0 if !ty.is_scalable() => Ty::Array(self.rng.pick(&[0, 1, 7, 64, 4096]), Box::new(ty)),
            _ => ty,
        };
        let count = match self.rng.below(6) {
            0 => format!(", i32 {}", self.value(&I32)),
            1 => format!(", i64 {}", self.value(&I64)),
            _ => String::new(),
        };
        let align = 1 << self.rng.below(8);
        self.leave(PTR, &format!("alloca {ty}{count}, align {align}"));
    }

    fn gep(&mut self) {
        let ty = self.sized();
        let (pointer_ty, pointer) = self.pointer();
        let index_ty = Ty::Int(self.rng.pick(&[8, 32, 32, 64, 64, 128]));
        let first = self.value(&index_ty);
        let rest = match &ty {
            _ if ty.is_scalable() => String::new(),
            Ty::Array(..) => format!(", {index_ty} {}", self.value(&index_ty)),
            Ty::Struct(elements, _) if !elements.is_empty() => format!(", i32 {}", self.rng.below(elements.len())),
            _ => String::new(),
        };
        let flags = self.rng.pick(&["", "", "inbounds ", "nuw ", "nusw "]);
        self.leave(
            pointer_ty.clone(),
            &format!("getelementptr {flags}{ty}, {pointer_ty} {pointer}, {index_ty} {first}{rest}"),
        );
    }

    fn lanes(&mut self) {
        let otherwise = Ty::Vector(3, Box::new(I32), false);
        let ty = self.ty(|ty| matches!(ty, Ty::Vector(..)), otherwise);
        let vector = self.value(&ty);
        let lane = ty.lane().clone();
        let index = if self.rng.chance(50) { self.value(&I32) } else { self.rng.below(6).to_string() };
        match (self.rng.below(3), &ty) {
            (0, _) => self.leave(lane, &format!("extractelement {ty} {vector}, i32 {index}")),
            (1, Ty::Vector(length, _, false)) => {
                let other = self.value(&ty);
                let new_length = self.rng.range(1, 6);
                let mask: Vec<String> =
                    (0..new_length).map(|_| format!("i32 {}", self.rng.below(2 * *length as usize))).collect();
                let text =
                    format!("shufflevector {ty} {vector}, {ty} {other}, <{new_length} x i32> <{}>", mask.join(", "));
                self.leave(Ty::Vector(new_length as u32, Box::new(lane), false), &text);
            }
            _ => {
                let element = self.value(&lane);
                self.leave(ty.clone(), &format!("insertelement {ty} {vector}, {lane} {element}, i32 {index}"));
            }
        }
    }

    fn aggregate(&mut self) {
        let holds = |ty: &Ty| match ty {
            Ty::Struct(elements, _) => !elements.is_empty(),
            Ty::Array(length, _) => *length > 0,
            _ => false,
        };
        let ty = self.ty(holds, Ty::Struct(vec![I32, I1], false));
        let whole = self.value(&ty);
        let (index, element) = match &ty {
            Ty::Struct(elements, _) => {
                let index = self.rng.below(elements.len());
                (index, elements[index].clone())
            }
            Ty::Array(length, element) => (self.rng.below(*length as usize), (**element).clone()),
            _ => return,
        };
        if self.rng.chance(50) {
            self.leave(element, &format!("extractvalue {ty} {whole}, {index}"));
        } else {
            let value = self.value(&element);
            self.leave(ty.clone(), &format!("insertvalue {ty} {whole}, {element} {value}, {index}"));
        }
    }

    fn atomic(&mut self) {
        let (pointer_ty, pointer) = self.pointer();
        let ty = Ty::Int(self.rng.pick(&[8, 16, 32, 32, 64]));
        let (a, b) = (self.value(&ty), self.value(&ty));
        let order = self.rng.pick(&["monotonic", "acquire", "seq_cst", "syncscope(\"block\") monotonic"]);
        match self.rng.below(5) {
            0 => {
                let pair = Ty::Struct(vec![ty.clone(), I1], false);
                self.leave(pair, &format!("cmpxchg {pointer_ty} {pointer}, {ty} {a}, {ty} {b} {order} monotonic"));
            }
            1 => self.line("fence seq_cst"),
            2 => self.leave(ty.clone(), &format!("load atomic {ty}, {pointer_ty} {pointer} monotonic, align 8")),
            _ => {
                let op = self.rng.pick(&["add", "xchg", "and", "umax", "min", "uinc_wrap", "nand"]);
                self.leave(ty.clone(), &format!("atomicrmw {op} {pointer_ty} {pointer}, {ty} {a} {order}"));
            }
        }
    }

    fn special(&mut self) {
        let name = self.rng.pick(&SPECIAL);
        self.call(Some(I32), &format!("llvm.nvvm.read.ptx.sreg.{name}"), &[]);
    }

    fn math(&mut self) {
        let ty = self.ty(|ty| matches!(ty, Ty::Int(_)), I32);
        let (a, b, c) = (self.value(&ty), self.value(&ty), self.value(&ty));
        match self.rng.below(6) {
            0 => {
                let op = self.rng.pick(&["umul", "sadd", "usub"]);
                let pair = Ty::Struct(vec![ty.clone(), I1], false);
                self.call(Some(pair), &format!("llvm.{op}.with.overflow.{ty}"), &[(ty.clone(), a), (ty, b)]);
            }
            1 => self.call(Some(ty.clone()), &format!("llvm.ctpop.{ty}"), &[(ty, a)]),
            2 => {
                let arguments = [(ty.clone(), a), (ty.clone(), b), (ty.clone(), c)];
                self.call(Some(ty.clone()), &format!("llvm.fshl.{ty}"), &arguments);
            }
            3 => {
                let condition = self.value(&I1);
                self.call(None, "llvm.assume", &[(I1, condition)]);
            }
            _ => {
                let op = self.rng.pick(&["umin", "smax", "usub.sat", "sadd.sat"]);
                self.call(Some(ty.clone()), &format!("llvm.{op}.{ty}"), &[(ty.clone(), a), (ty, b)]);
            }
        }
    }

    fn warp(&mut self) {
        let (condition, word) = (self.value(&I1), self.value(&I32));
        let mask = if self.rng.chance(70) { "-1".to_owned() } else { self.value(&I32) };
        match self.rng.below(7) {
            0 => self.call(None, "llvm.nvvm.barrier.cta.sync.aligned.all", &[(I32, "0".to_owned())]),
            1 => self.call(None, "llvm.nvvm.bar.warp.sync", &[(I32, mask)]),
            2 => self.call(Some(I1), "llvm.nvvm.vote.all.sync", &[(I32, mask), (I1, condition)]),
            3 => self.call(Some(I32), "llvm.nvvm.vote.ballot.sync", &[(I32, mask), (I1, condition)]),
            4 => {
                let lane = self.value(&I32);
                let arguments = [(I32, mask), (I32, word), (I32, lane), (I32, "31".to_owned())];
                self.call(Some(I32), "llvm.nvvm.shfl.sync.idx.i32", &arguments);
            }
            5 => self.call(Some(I32), "llvm.nvvm.activemask", &[]),
            _ => self.call(Some(I32), "llvm.nvvm.match.any.sync.i32", &[(I32, mask), (I32, word)]),
        }
    }

    fn memory(&mut self) {
        let (a, b) = (self.value(&PTR), self.value(&PTR));
        let size = self.value(&I64);
        let no = || (I1, "false".to_owned());
        match self.rng.below(5) {
            0 => self.call(None, "llvm.memcpy.p0.p0.i64", &[(PTR, a), (PTR, b), (I64, size), no()]),
            1 => {
                let byte = self.value(&Ty::Int(8));
                self.call(None, "llvm.memset.p0.i64", &[(PTR, a), (Ty::Int(8), byte), (I64, size), no()]);
            }
            2 => self.call(None, "llvm.memmove.p0.p0.i64", &[(PTR, a), (PTR, b), (I64, "16".to_owned()), no()]),
            3 => {
                self.call(Some(PTR), "llvm.stacksave.p0", &[]);
                if let Some((_, saved)) = self.local.last().cloned() {
                    self.call(None, "llvm.stackrestore.p0", &[(PTR, saved)]);
                }
            }
            _ => {
                let object = self.name();
                self.line(&format!("{object} = alloca [16 x i32], align 4"));
                self.call(None, "llvm.lifetime.start.p0", &[(PTR, object.clone())]);
                self.local.push((PTR, object));
            }
        }
    }

    /// A call of a function of the module, of one given by its address, or of assembly.
    fn user(&mut self) {
        if self.rng.chance(25) || self.callees.is_empty() {
            let word = self.value(&I32);
            return match self.rng.below(3) {
                0 => self.leave(I32, &format!("call i32 asm \"mov.u32 $0, $1;\", \"=r,r\"(i32 {word})")),
                1 => self.line("call void asm sideeffect \"\", \"~{memory}\"()"),
                _ => self.leave(I32, "call i32 asm sideeffect \"odd $0;\", \"=r\"()"),
            };
        }
        let callee = self.callees[self.rng.below(self.callees.len())].clone();
        let list: Vec<String> = callee.params.iter().map(|ty| format!("{ty} {}", self.value(ty))).collect();
        let name = if self.rng.chance(15) { self.value(&PTR) } else { format!("@{}", callee.name) };
        let shown = callee.result.as_ref().map_or("void".to_owned(), Ty::to_string);
        let convergent = if self.rng.chance(20) { " convergent" } else { "" };
        let text = format!("call {shown} {name}({}){convergent}", list.join(", "));
        let text = text.replace(") convergent", ") #0");
        match callee.result {
            Some(ty) => self.leave(ty, &text),
            None => self.line(&text),
        }
    }

    fn rest(&mut self) {
        match self.rng.below(5) {
            0 => {
                let ty = self.ty(Ty::is_float, Ty::Float("double"));
                let value = self.value(&ty);
                self.leave(ty.clone(), &format!("fneg {ty} {value}"));
            }
            1 => {
                let list = format!("[ \"align\"(ptr {}, i64 16) ]", self.value(&PTR));
                self.declarations.insert("declare void @llvm.assume(i1)".to_owned());
                self.line(&format!("call void @llvm.assume(i1 true) {list}"));
            }
            2 => {
                self.declarations.insert("declare i32 @vprintf(ptr, ptr)".to_owned());
                let (a, b) = (self.value(&PTR), self.value(&PTR));
                self.leave(I32, &format!("call i32 @vprintf(ptr {a}, ptr {b})"));
            }
            3 => {
                let pointers = Ty::Vector(2, Box::new(PTR), false);
                let pointer = self.value(&PTR);
                let second = self.rng.below(9);
                self.leave(pointers, &format!("getelementptr i32, ptr {pointer}, <2 x i64> <i64 1, i64 {second}>"));
            }
            _ => self.freeze(),
        }
    }
}
