//! Does the check of claims detect errors in the analysis? Deliberate mistakes, one at a time, for `scripts/mutate`.
//!
//! They are compiled in only with the cargo feature `mutants`; without it [`on`] is false at compile time. The switch
//! is one number for the whole process.

/// The mistakes, in the order of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Mutant {
    /// `tid.y` is the same for the block.
    TidYUniform = 1,
    /// `ctaid` is the same for the grid.
    CtaidGrid,
    /// Warps always lie in rows.
    AlwaysRows,
    /// A sum of rests has the wider scope.
    WiderRest,
    /// Differences add.
    SubAdds,
    /// A product by a constant never wraps.
    ScaleExact,
    /// A product by a symbol never wraps.
    SymbolExact,
    /// A truncation loses nothing.
    TruncExact,
    /// zext without proof.
    ZextWraps,
    /// sext without proof.
    SextWraps,
    /// A quotient's rest is as aligned as if nothing had wrapped.
    QuotientAlign,
    /// Low parts of a block's form never carry.
    BlockCarries,
    /// Low parts of a warp's form never carry.
    WarpCarries,
    /// Or and xor always add.
    OrAdds,
    /// A mask is looked up where it stands, not where its bits came from.
    MaskStays,
    /// An order of forms whose terms cancel needs no exactness.
    CompareWraps,
    /// A compare holds wherever its branch is passed.
    GuardSense,
    /// Induction variables never wrap.
    InductionWraps,
    /// GEP indices are unsigned.
    GepUnsigned,
    /// A phi is its first operand.
    FirstOperand,
    /// A phi without its gate.
    NoGamma,
    /// Values leave loops as they are.
    NoEta,
    /// Divergent exits are forgotten.
    NoExitGate,
    /// A select without its gate.
    SelectGate,
    /// Loads of a thread's own memory are uniform.
    LocalLoads,
    /// Loads of memory that others write are as uniform as the address.
    WideLoads,
    /// Atomics return what their operands are.
    AtomicUniform,
    /// Votes are uniform whatever the mask.
    VoteMask,
    /// Votes are the same for the block.
    VoteBlock,
    /// Shuffles are uniform whatever the width of their segments.
    ShuffleClamp,
    /// A frozen value is the value.
    FreezeKeeps,
    /// Summaries hold for any arguments.
    IgnoreArguments,
    /// Arguments are those of the last call seen.
    LastCall,
    /// Members of aggregates are not followed when what they are made of changes.
    StaleMembers,
    /// Lanes that leave a cycle in different iterations are together behind it and in it.
    ConvergentExits,
    /// Guards of device functions are guards.
    CalleeGuards,
    /// No frame's size differs between lanes.
    StillFrames,
    /// Lanes agree on every frame's place.
    SameFrames,
}

impl Mutant {
    /// Every mistake.
    pub const ALL: [Mutant; 38] = {
        use Mutant::*;
        [
            TidYUniform,
            CtaidGrid,
            AlwaysRows,
            WiderRest,
            SubAdds,
            ScaleExact,
            SymbolExact,
            TruncExact,
            ZextWraps,
            SextWraps,
            QuotientAlign,
            BlockCarries,
            WarpCarries,
            OrAdds,
            MaskStays,
            CompareWraps,
            GuardSense,
            InductionWraps,
            GepUnsigned,
            FirstOperand,
            NoGamma,
            NoEta,
            NoExitGate,
            SelectGate,
            LocalLoads,
            WideLoads,
            AtomicUniform,
            VoteMask,
            VoteBlock,
            ShuffleClamp,
            FreezeKeeps,
            IgnoreArguments,
            LastCall,
            StaleMembers,
            ConvergentExits,
            CalleeGuards,
            StillFrames,
            SameFrames,
        ]
    };
}

#[cfg(feature = "mutants")]
static ACTIVE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// Enables one mistake, or none.
#[cfg(feature = "mutants")]
pub fn activate(mutant: Option<Mutant>) {
    ACTIVE.store(mutant.map_or(0, |mutant| mutant as u32), std::sync::atomic::Ordering::Relaxed);
}

/// Enables the mistake named in the environment, for commands that do not enable one themselves.
#[cfg(feature = "mutants")]
pub fn activate_named() -> Result<(), String> {
    let Ok(name) = std::env::var(VARIABLE) else { return Ok(()) };
    let found = Mutant::ALL.into_iter().find(|mutant| format!("{mutant:?}").eq_ignore_ascii_case(&name));
    activate(Some(found.ok_or_else(|| format!("{VARIABLE}: there is no mistake '{name}'"))?));
    Ok(())
}

/// Names a mistake.
#[cfg(feature = "mutants")]
const VARIABLE: &str = "WARPWISE_MUTANT";

/// Whether this mistake is enabled.
#[cfg(feature = "mutants")]
#[inline]
pub fn on(mutant: Mutant) -> bool {
    ACTIVE.load(std::sync::atomic::Ordering::Relaxed) == mutant as u32
}

/// Whether this mistake is enabled: never.
#[cfg(not(feature = "mutants"))]
#[inline(always)]
pub const fn on(_: Mutant) -> bool {
    false
}
