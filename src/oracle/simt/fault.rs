//! What can go wrong in a kernel, and how is it reported? As typed faults with kernel, block, thread, instruction and
//! source line.

use std::fmt;

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultKind {
    #[error("out-of-bounds {what} of {size} bytes at {address:#x}: {place}")]
    OutOfBounds { what: Access, size: u64, address: u64, place: String },
    #[error("misaligned {what} of {size} bytes at {address:#x}: the instruction promises alignment {align}")]
    Misaligned { what: Access, size: u64, address: u64, align: u32 },
    #[error("write to constant memory at {address:#x} ({name})")]
    WriteToConstant { address: u64, name: String },
    #[error("{what} of {size} bytes at {address:#x} in a local variable or allocation that is not alive")]
    UseAfterScope { what: Access, size: u64, address: u64 },
    #[error("use of an undefined value as {usage}")]
    Undef { usage: &'static str },
    #[error("division by zero")]
    DivisionByZero,
    #[error("signed division overflows: the least number divided by -1")]
    DivisionOverflow,
    #[error(
        "barrier {id} reached by lanes {arrived:#010x} of warp {warp} while lanes {missing:#010x} of it are elsewhere"
    )]
    BarrierDivergence { id: u32, warp: u32, arrived: u32, missing: u32 },
    #[error("barrier {id} never completes: {arrived} of {expected} threads arrived and no other thread can run")]
    Deadlock { id: u32, arrived: u32, expected: u32 },
    #[error("a .sync operation names lanes {mask:#010x}, but lanes {absent:#010x} of them do not take part")]
    SyncAbsentLane { mask: u32, absent: u32 },
    #[error("a .sync operation is executed by lane {lane}, which its own mask {mask:#010x} does not name")]
    SyncNotInMask { lane: u32, mask: u32 },
    #[error("lanes of one .sync operation name different masks: {first:#010x} and {second:#010x}")]
    SyncMaskMismatch { first: u32, second: u32 },
    #[error(
        "race on {space} memory, {place} at {address:#x}: {first} by thread {other}{earlier}, then {second} without a synchronisation between"
    )]
    Race {
        space: &'static str,
        place: String,
        address: u64,
        first: Access,
        second: Access,
        other: u32,
        /// ` at file:line:column` of the first access; empty without debug info.
        earlier: String,
    },
    #[error("step limit of {limit} instructions reached")]
    StepLimit { limit: u64 },
    #[error("recursion limit of {limit} calls reached")]
    RecursionLimit { limit: u32 },
    #[error("local memory limit of {limit} bytes a thread reached")]
    LocalLimit { limit: u64 },
    #[error("the machine does not know {name}")]
    Unknown { name: String },
    #[error("execution reached `unreachable`")]
    Unreachable,
    #[error("an assumption of the program does not hold")]
    AssumptionFailed,
    #[error("the program trapped: {what}")]
    Trap { what: String },
    #[error("assertion failed: {message} ({place})")]
    Assert { message: String, place: String },
    #[error("indirect call of {address:#x}, which is no function with a body and matching arguments")]
    BadCall { address: u64 },
    #[error("free of {address:#x}, which malloc did not return")]
    BadFree { address: u64 },
}

/// Kinds of access, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// An element of a variable with this symbol, as the source has it: `tile[3]`.
pub fn element(symbol: &str, offset: u64, size: usize) -> String {
    let full = warpwise_timer::names::demangled(symbol);
    let name = full.rsplit("::").next().unwrap_or(&full);
    match (offset / size.max(1) as u64, offset % size.max(1) as u64) {
        (index, 0) => format!("{name}[{index}]"),
        _ => format!("byte {offset} of {name}"),
    }
}

/// A fault inside the machine, before its position is known.
#[derive(Clone, Debug)]
pub struct Trap {
    pub lane: u32,
    pub kind: FaultKind,
}

/// The machine's own result; boxed because faults are rare and large.
pub type Exec<T> = Result<T, Box<Trap>>;

/// A trap of one lane.
pub fn trap<T>(lane: u32, kind: FaultKind) -> Exec<T> {
    Err(Box::new(Trap { lane, kind }))
}

/// A fault and where it happened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind}\n  {place}")]
pub struct Fault {
    pub kind: FaultKind,
    /// Kernel, block, thread, function, instruction as LLVM prints it, and `file:line:column` with inlined call sites if
    /// there is debug info; the same of the instruction at which a value became undefined that this one uses, if it is
    /// another.
    pub place: String,
}
