//! Do the checks detect errors? Deliberate mistakes in the analysis and in the transforms, one at a time, for
//! `scripts/mutate` and for the unit tests of the transforms.
//!
//! They are compiled in only with the cargo feature `mutants` and in unit tests; otherwise [`on`] is false at compile time.

/// Writes the enumeration and the list of all its members.
macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The mistakes, in the order of the pipeline: those of the analysis, then those of the transforms.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum Mutant {
            $($(#[$doc])* $name,)*
        }

        impl Mutant {
            /// Every mistake.
            pub const ALL: &[Mutant] = &[$(Mutant::$name,)*];
        }
    };
}

mutants! {
    /// `tid.y` is the same for the block.
    TidYUniform,
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
    /// The flat index is one without `tid.z`.
    FlatInPlane,
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
    /// One of two conditions holds where either does.
    GuardEither,
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
    /// Guards in inline PTX are the same for all lanes.
    AssemblyGuard,
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
    /// Any comparison leaves one lane.
    LoneOrder,
    /// One lane goes on where a loop is left.
    LoneLeaves,
    /// What leaves one lane is not looked at again.
    LoneStays,
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
    /// Loads are invariant through any pointer argument of a kernel.
    WrittenInvariant,
    /// `fuse-branches` selects the other side's value.
    SwappedSelect,
    /// Guarded instructions are executed by everybody.
    LostGuard,
    /// Phis of melded blocks take each side's value for the other's.
    SwappedPhi,
    /// Phis behind melded blocks take the first side's value for both.
    ExitOneSide,
    /// Loads of melded blocks do not wait for the stores before them.
    HoistedLoad,
    /// Two melded targets of a switch change places.
    GatherSwapped,
    /// Constants of the program hold their bytes one place further.
    ConstantShifted,
    /// Values are recomputed from their first operand for the second, too.
    RematOperand,
    /// Conditions are computed again from their first operand for the second, too.
    ConditionOperand,
    /// Loads start in front of divisions, and of the stores between.
    LoadAhead,
    /// What hides a value is one, not zero.
    ZeroIsOne,
    /// Stack objects overlap their neighbours.
    StackOverlap,
    /// Threads' granules lie closer together than there are threads.
    StackStride,
    /// Writes to objects that the warp shares do not wait for it.
    StackNoBarrier,
    /// Pointers into moved objects are joined the wrong way round.
    StackPhiSwapped,
    /// Pointers into moved objects are selected the wrong way round.
    StackSelectSwapped,
    /// Loads of moved objects stand before the stores of their block.
    StackEarlyLoad,
    /// Slots are read one value further.
    SlotOffset,
    /// Rewritten slots of a warp do not wait for it.
    SlotNoBarrier,
    /// Rows of warps overlap.
    RowStride,
    /// Lane 0 does not store its slots.
    LaneLost,
    /// A second body is for blocks of any size.
    AnyBlock,
    /// Granules of threads overlap in a version that is chosen at the launch.
    VersionStride,
    /// The slots of such a version begin in the program's own shared memory.
    VersionEarly,
    /// The table asks for half of the memory.
    VersionShort,
    /// The call has the function's argument by value in the caller's own object.
    InlineNoCopy,
    /// A pointer into an object becomes one to its beginning.
    InlineOffsetLost,
    /// A function's pointers are taken in the other order.
    InlineSwapped,
    /// A store of the function to an object is forgotten.
    InlineStoreLost,
    /// Loops that are unrolled completely lack the last turn.
    ArrayTurnLost,
    /// Objects that are indexed by the same loops are one.
    ArrayOneObject,
    /// A store that the loads of the same loop may see is not there.
    ArrayStoreLost,
    /// Every turn loads from the first place.
    ArrayFirstPlace,
    /// There is no loop for the turns that remain.
    UnrollNoRemainder,
    /// Every copy of a turn has the index of the first.
    UnrollSameIndex,
    /// What is used behind the loop is from before the last turn.
    UnrollStaleExit,
    /// A group runs where only its first iteration should.
    GroupPastEnd,
    /// The limit of groups wraps.
    GroupWraps,
    /// Every thread of a group reads and writes at twice its distance.
    CoarsenApart,
    /// A bound is tested for the first thread of a group only.
    CoarsenFirst,
    /// Arguments are taken to be aligned.
    CoarsenAligned,
    /// Blocks of any size are taken for those of the constant.
    CoarsenAnyBlock,
    /// What wraps within a group is taken to be in order.
    CoarsenWraps,
    /// A number without bits counts none.
    CountNone,
    /// The bits of the lower half are counted.
    CountHalf,
    /// What was counted before is forgotten.
    CountAnew,
    /// The last piece of a copy is left out.
    CopyShort,
    /// All pieces are copied to the first place.
    CopyOnePlace,
    /// What is divided is kept, not the quotient or remainder.
    RemainderUndivided,
    /// What is added to an index is left out.
    OffsetLost,
    /// A phi of sums with different constants becomes one of them.
    PhiOneWay,
    /// A phi is taken for one that chooses between the same, by whatever condition.
    RepeatAnywhere,
    /// A branch that is repeated leads to where the other way is free of effects, which is not looked at.
    RepeatEffects,
    /// `divergence-map` counts visits twice.
    CountsTwice,
}

/// The enabled mistake, by its number in [`Mutant::ALL`] and one: in the whole process, or in one thread.
pub mod active {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU32, Ordering};

    static OF_PROCESS: AtomicU32 = AtomicU32::new(0);

    thread_local! {
        static OF_THREAD: Cell<u32> = const { Cell::new(0) };
    }

    /// Enables a mistake everywhere.
    pub fn set(number: u32) {
        OF_PROCESS.store(number, Ordering::Relaxed);
    }

    /// Enables a mistake in this thread: tests run side by side, each in a thread of its own.
    pub fn set_here(number: u32) {
        OF_THREAD.set(number);
    }

    /// The mistake that is enabled for this thread.
    #[inline]
    pub fn get() -> u32 {
        match OF_THREAD.get() {
            0 => OF_PROCESS.load(Ordering::Relaxed),
            number => number,
        }
    }
}

/// Writes `on` and `activate` for the mistakes in one crate. They are never on unless it is compiled with `mutants` or for
/// its unit tests.
#[macro_export]
macro_rules! mistakes {
    () => {
        /// Enables one mistake, or none.
        #[cfg(any(feature = "mutants", test))]
        pub fn activate(mutant: Option<Mutant>) {
            let number = mutant.map_or(0, |mutant| mutant as u32 + 1);
            if cfg!(test) { $crate::mutants::active::set_here(number) } else { $crate::mutants::active::set(number) }
        }

        /// Whether this mistake is enabled.
        #[cfg(any(feature = "mutants", test))]
        #[inline]
        pub fn on(mutant: Mutant) -> bool {
            $crate::mutants::active::get() == mutant as u32 + 1
        }

        /// Whether this mistake is enabled: never.
        #[cfg(not(any(feature = "mutants", test)))]
        #[inline(always)]
        pub const fn on(_: Mutant) -> bool {
            false
        }
    };
}

mistakes!();

/// Enables the mistake named in the environment, for commands that do not enable one themselves.
#[cfg(feature = "mutants")]
pub fn activate_named() -> Result<(), String> {
    let Ok(name) = std::env::var(VARIABLE) else { return Ok(()) };
    let found = Mutant::ALL.iter().copied().find(|mutant| format!("{mutant:?}").eq_ignore_ascii_case(&name));
    activate(Some(found.ok_or_else(|| format!("{VARIABLE}: there is no mistake '{name}'"))?));
    Ok(())
}

/// Names a mistake.
#[cfg(feature = "mutants")]
const VARIABLE: &str = "WARPWISE_MUTANT";
