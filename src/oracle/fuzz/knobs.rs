//! What may a random kernel contain, and how often? The modes, the features and their weights.

macro_rules! modes {
    ($($(#[$doc:meta])* $mode:ident = $name:literal,)*) => {
        /// What kind of kernel to generate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Mode { $($(#[$doc])* $mode,)* }

        impl Mode {
            /// Every mode, in the order `fuzz` cycles through them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$mode),*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Self::$mode => $name,)* }
            }
        }
    };
}

modes! {
    /// A bit of everything.
    General = "general",
    /// Branch-heavy: nested ifs, switches, loops with breaks, irreducible regions.
    Control = "control",
    /// Divergent if-then-elses with alike arms, for branch fusion.
    Diamonds = "diamonds",
    /// Many values live across loops, for spill placement.
    Pressure = "pressure",
    /// Stack arrays with dynamic indices, structures, accesses of 1 to 16 bytes.
    LocalArrays = "local-arrays",
    /// Loads at uniform and divergent addresses of mutable and read-only memory, and branches on what they load.
    UniformLoads = "uniform-loads",
    /// Votes, shuffles, reductions and barriers wherever they are legal.
    Collectives = "collectives",
    /// Loops over memory whose trip count only the launch knows, for unrolling.
    Loops = "loops",
    /// Stack arrays that loops of constant trip count index.
    CountedArrays = "counted-arrays",
    /// Functions that are called once, with the address of a stack object.
    Calls = "calls",
    /// Loops that count bits, small copies, divisions of counters.
    Idioms = "idioms",
    /// An element a thread, in the row of the grid or near it.
    Elementwise = "elementwise",
}

impl Mode {
    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $weight:literal,)*) => {
        /// Something that a kernel may contain. Each feature has a weight in [`Knobs`], and a kernel reports which
        /// features it has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature { $($(#[$doc])* $name,)* }

        impl Feature {
            /// Every feature.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
            const DEFAULT_WEIGHTS: &'static [u32] = &[$($weight,)*];
        }
    };
}

features! {
    // Integer expressions.
    Arith = 30,
    /// Operands at the edges: INT_MAX, 2^31±k, 2^32−k, the same for narrow integers.
    Edge = 8,
    /// nsw, nuw, exact, disjoint, nneg, samesign, inbounds where they hold by construction.
    Flags = 50,
    Cast = 14,
    /// i8, i16, i24.
    Narrow = 10,
    Shift = 8,
    Mask = 10,
    DivRem = 6,
    /// An affine value times a uniform one.
    AffineMul = 6,
    /// Two affine values whose thread terms cancel.
    Cancel = 5,
    /// tid*tid and the like.
    Quadratic = 3,
    /// tid >> 5, tid & 31, tid & ~31.
    WarpIndex = 5,
    /// Bits cut out by a shift up and one down, which wraps on the way.
    Field = 4,
    /// Pointers far outside of what they are based on, never followed.
    FarPointer = 3,
    MinMax = 5,
    Funnel = 3,
    BitCount = 4,
    Overflow = 4,
    Saturating = 3,
    Compare = 8,
    Select = 8,
    Freeze = 2,
    SpecialRegister = 10,
    /// Inline PTX; also in place of collectives and loads (a percentage).
    Assembly = 8,
    // Other types.
    Vector = 5,
    Aggregate = 4,
    Float = 8,
    Double = 3,
    Half = 2,
    // Memory.
    ReadOnlyLoad = 8,
    MutableLoad = 5,
    ConstantLoad = 5,
    /// Load and store of the thread's own slot of a global array.
    OwnSlot = 4,
    Shared = 4,
    /// Shared memory whose size the launch says (a percentage of the kernels that have some).
    DynamicShared = 30,
    /// Reads of other threads' slots between two barriers.
    SharedNeighbour = 4,
    LocalArray = 5,
    /// Stack objects allocated as a function runs.
    DynamicAlloca = 2,
    /// Addresses of stack objects, here and in functions called.
    StackAddress = 3,
    /// Atomics without use of what they return: the sum does not depend on the schedule.
    Atomic = 2,
    /// Atomics on the thread's own slot, whose result is used.
    AtomicOwn = 2,
    /// Atomics on shared counters whose result is used: only with `schedule_dependent`.
    AtomicResult = 4,
    PointerSelect = 3,
    Assume = 2,
    // Calls.
    Call = 6,
    Recursion = 2,
    /// Device functions with collectives, called where lanes are together (a percentage of the functions).
    SyncCall = 35,
    // Collectives.
    Vote = 4,
    Ballot = 3,
    /// Collectives of the parts that a warp falls into by a condition (a percentage).
    Partition = 20,
    Shuffle = 5,
    Redux = 2,
    Match = 2,
    ActiveMask = 1,
    BlockBarrier = 2,
    WarpBarrier = 2,
    // Control flow.
    If = 8,
    IfElse = 12,
    Switch = 4,
    /// A tree of branches whose sides only compute (a percentage of the loops).
    Tree = 25,
    CountedLoop = 7,
    WhileLoop = 4,
    DoWhile = 4,
    /// Loops over memory whose trip count only the launch knows.
    StreamLoop = 4,
    /// Loops whose lanes leave at different iterations (a percentage of the loops).
    DivergentTrip = 55,
    Break = 6,
    Continue = 4,
    EarlyReturn = 3,
    /// Conditions that hold in one lane of a warp, or of a block (a percentage of the conditions on which lanes differ).
    OneLane = 12,
    /// A loop in which lanes take turns.
    InTurn = 2,
    /// Variables that go up by a constant past the largest number (a percentage of the loops).
    Walk = 10,
    /// A branch on an index in range, and sums and products of it widened on either side.
    Guarded = 3,
    /// Carried variables on which the block agrees (a percentage).
    UniformCarried = 40,
    /// Values of a loop used after it without a phi (a percentage of the values that could be).
    TemporalDirect = 60,
    TemporalLcssa = 50,
    /// A region of random forward edges.
    Dag = 3,
    /// A region of random edges, cycles with several entries among them.
    Irreducible = 3,
    /// Blocks that nothing reaches, and edges from them (a percentage of the joins).
    DeadBlock = 6,
    // The kernel as a whole (percentages).
    /// `if (i >= n) return;` first, or the whole body under `if (i < n)`.
    Guard = 30,
    ReqNtid = 20,
    MaxNtid = 25,
    MaxNreg = 0,
    /// `range` on the special registers' results, as clang writes it.
    RangeAttribute = 40,
    /// A structure passed by value.
    ByVal = 10,
    // Undefined values: only with `allow_poison`.
    Poison = 10,
}

/// The parameters of generation.
#[derive(Clone, Debug)]
pub struct Knobs {
    pub mode: Mode,
    /// Approximate minimum and maximum number of instructions of the kernel.
    pub size: (u32, u32),
    /// Maximum nesting depth of constructs.
    pub max_depth: u32,
    /// Overflowing flags, undef and poison; results are then not comparable between versions of a kernel.
    pub allow_poison: bool,
    /// Values that depend on how warps interleave are used and stored; results are then not comparable between schedules.
    pub schedule_dependent: bool,
    weights: Vec<u32>,
}

impl Default for Knobs {
    fn default() -> Self {
        Self::of_mode(Mode::General)
    }
}

impl Knobs {
    /// The defaults of a mode.
    pub fn of_mode(mode: Mode) -> Self {
        let mut knobs = Self {
            mode,
            size: (30, 150),
            max_depth: 4,
            allow_poison: false,
            schedule_dependent: false,
            weights: Feature::DEFAULT_WEIGHTS.to_vec(),
        };
        use Feature::*;
        let scale: &[(u32, &[Feature])] = match mode {
            Mode::General | Mode::Diamonds | Mode::CountedArrays | Mode::Calls | Mode::Idioms | Mode::Elementwise => {
                &[]
            }
            Mode::Control => &[
                (2, &[IfElse, CountedLoop, DoWhile]),
                (3, &[If, Switch, WhileLoop, Break, Continue, DeadBlock]),
                (4, &[Dag]),
                (5, &[Irreducible]),
            ],
            Mode::Pressure => &[(3, &[CountedLoop])],
            Mode::LocalArrays => {
                &[(8, &[LocalArray]), (4, &[DynamicAlloca, StackAddress]), (2, &[CountedLoop]), (5, &[ByVal])]
            }
            Mode::UniformLoads => {
                &[(5, &[ReadOnlyLoad]), (6, &[MutableLoad]), (4, &[ConstantLoad, PointerSelect]), (2, &[CountedLoop])]
            }
            Mode::Collectives => &[
                (4, &[Vote, Ballot, Shuffle, ActiveMask, WarpBarrier]),
                (5, &[Redux, Match, SharedNeighbour]),
                (3, &[BlockBarrier, Shared]),
                (2, &[WarpIndex]),
            ],
            Mode::Loops => &[(8, &[StreamLoop]), (2, &[CountedLoop, BlockBarrier]), (3, &[SharedNeighbour])],
        };
        for &(factor, features) in scale {
            features.iter().for_each(|&feature| knobs.set_weight(feature, knobs.weight(feature) * factor));
        }
        match mode {
            Mode::Pressure => knobs.set_weight(MaxNreg, 60),
            Mode::Collectives => {
                knobs.set_weight(Guard, 10);
                knobs.set_weight(DivergentTrip, 25);
                knobs.set_weight(EarlyReturn, 1);
            }
            Mode::UniformLoads | Mode::Loops => knobs.set_weight(DivergentTrip, 30),
            _ => {}
        }
        knobs
    }

    /// How often the feature occurs: relative to its kind, or in percent where the feature says so.
    pub fn weight(&self, feature: Feature) -> u32 {
        match feature {
            Feature::Poison if !self.allow_poison => 0,
            Feature::AtomicResult if !self.schedule_dependent => 0,
            _ => self.weights[feature as usize],
        }
    }

    /// Changes how often the feature occurs; 0 turns it off.
    pub fn set_weight(&mut self, feature: Feature, weight: u32) {
        self.weights[feature as usize] = weight;
    }
}
