//! How long did a launch take on the GPU?
//!
//! One event is recorded before it and one after it, on its stream. Events are read after the program has waited for
//! the GPU anyway, or a few at a time at later launches; the library never waits. Launches that are captured into a
//! graph are left alone: the graph is timed when it is launched.

use crate::budget::ticks;
use crate::driver::{DEINITIALISED, Handle, NOT_READY, Relaxed as RelaxedMode, SUCCESS, driver};
use crate::format::{self, GRAPH, Kernel, PROGRAMMATIC};
pub use crate::functions::Launch;
use crate::functions::{note_shape, record_of};
use crate::state::{self, HAS_CAPTURES, Inner, Pool, State};
use libc::c_int;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

/// Maximum number of event pairs of one context that are in use at once.
const MAX_PAIRS: usize = 4096;
/// Number of pending launches above which some are read at every launch.
const MANY: usize = 64;
/// Of launches that may overlap their predecessor, at most one in this many is timed, because the events prevent the
/// overlap.
const PROGRAMMATIC_PERIOD: u32 = 16;

/// A launch whose events have not been read.
pub struct Pending {
    events: (Handle, Handle),
    stream: Handle,
    record: usize,
    /// Number of launches that it represents.
    weight: u64,
}

/// Launches begun and done, by stream: two threads that launch into one stream at once get between each other's events.
/// As long as one thread launches, nothing is noted.
pub struct Streams {
    /// A mark of the first thread that launched.
    first: AtomicUsize,
    are_many: AtomicBool,
    begun: [AtomicU64; 256],
    done: [AtomicU64; 256],
}

/// A launch in progress.
struct Turn {
    number: u64,
    is_noted: bool,
    /// Whether no other launch on the stream was in progress when it began.
    is_alone: bool,
}

thread_local! {
    static MARK: u8 = const { 0 };
}

impl Streams {
    /// The state of a process that has launched nothing.
    pub fn new() -> Streams {
        let zeros = || [const { AtomicU64::new(0) }; 256];
        Streams { first: AtomicUsize::new(0), are_many: AtomicBool::new(false), begun: zeros(), done: zeros() }
    }

    fn place(stream: Handle) -> usize {
        (stream as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 56
    }

    #[inline]
    fn begin(&self, stream: Handle) -> Turn {
        if !self.are_many.load(Relaxed) {
            let me = MARK.with(|mark| std::ptr::from_ref(mark) as usize);
            match self.first.load(Relaxed) {
                first if first == me => return Turn { number: 0, is_noted: false, is_alone: true },
                0 => self.first.store(me, Relaxed),
                _ => self.are_many.store(true, Relaxed),
            }
        }
        let place = Streams::place(stream);
        let number = self.begun[place].fetch_add(1, Relaxed);
        Turn { number, is_noted: true, is_alone: self.done[place].load(Relaxed) == number }
    }

    /// Ends the launch; returns whether no other launch on the stream has begun since.
    #[inline]
    fn end(&self, stream: Handle, turn: &Turn) -> bool {
        if !turn.is_noted {
            return !self.are_many.load(Relaxed);
        }
        let place = Streams::place(stream);
        let is_alone = self.begun[place].load(Relaxed) == turn.number + 1;
        self.done[place].fetch_add(1, Relaxed);
        is_alone && turn.is_alone
    }
}

/// Launches, and times the launch if the budget allows. `real` is the driver's own launch.
pub fn launch(launch: &Launch, real: impl FnOnce() -> c_int) -> c_int {
    let Some(state) = state::state() else { return real() };
    let since = ticks();
    state::at_exit();
    if HAS_CAPTURES.load(Relaxed) && driver().is_capturing(launch.stream, launch.per_thread) {
        let answer = real();
        if answer == SUCCESS {
            state.table.header.captured.fetch_add(1, Relaxed);
        }
        return answer;
    }
    let Some((context, device)) = state::current() else { return real() };
    let record = state.functions.find(launch.function, device).unwrap_or_else(|| record_of(state, launch, device));
    let kernel = &state.table.kernels[record];
    if launch.flags & !kernel.flags.load(Relaxed) != 0 {
        kernel.flags.fetch_or(launch.flags, Relaxed);
    }
    let turn = state.streams.begin(launch.stream);
    let least_period = if launch.flags & PROGRAMMATIC != 0 { PROGRAMMATIC_PERIOD } else { 1 };
    let is_chosen = turn.is_alone && state.budget.wants(kernel, least_period);
    let events = if is_chosen { start(state, launch, context, device) } else { None };
    let Some(events) = events else {
        // the usual case in programs with many short kernels
        let answer = real();
        state.streams.end(launch.stream, &turn);
        if answer == SUCCESS {
            count(state, kernel, launch);
        }
        return answer;
    };
    state.spend(since);
    let answer = real();
    let since = ticks();
    let ended = driver().event_record(events.1, launch.stream, launch.per_thread) == SUCCESS;
    let is_alone = state.streams.end(launch.stream, &turn);
    let number = (answer == SUCCESS).then(|| count(state, kernel, launch));
    if number.is_some() {
        let blocks = launch.grid.iter().map(|extent| u64::from(*extent)).product();
        kernel.least_blocks.fetch_min(blocks, Relaxed);
        kernel.most_blocks.fetch_max(blocks, Relaxed);
    }
    if let Some(number) = number.filter(|_| ended && is_alone) {
        // 0 if another thread's later launch already stands for this one
        let weight = number.saturating_sub(kernel.mark.fetch_max(number, Relaxed));
        kernel.chosen.fetch_add(1, Relaxed);
        if let Some(pool) = state.lock().pools.get_mut(&context) {
            pool.pending.push(Pending { events, stream: launch.stream, record, weight });
            state.waiting.fetch_add(1, Relaxed);
        }
    } else {
        give_back(state, context, events);
    }
    state.spend(since);
    answer
}

/// Counts a launch; returns its number among the launches of this kernel.
#[inline]
fn count(state: &State, kernel: &Kernel, launch: &Launch) -> u64 {
    if launch.flags & GRAPH == 0 {
        note_shape(state, kernel, launch);
    }
    kernel.launches.fetch_add(1, Relaxed) + 1
}

/// Takes two events and records the first one.
fn start(state: &State, launch: &Launch, context: Handle, device: i32) -> Option<(Handle, Handle)> {
    let _relaxed = RelaxedMode::enter();
    let events = {
        let mut inner = state.lock();
        if inner.pools.get(&context).is_some_and(|pool| pool.pending.len() >= MANY && pool.free.is_empty()) {
            collect(state, &mut inner);
        }
        let pool = inner.pools.entry(context).or_default();
        pool.device = device;
        take(pool)?
    };
    if driver().event_record(events.0, launch.stream, launch.per_thread) == SUCCESS {
        return Some(events);
    }
    give_back(state, context, events);
    None
}

fn take(pool: &mut Pool) -> Option<(Handle, Handle)> {
    if let Some(events) = pool.free.pop() {
        return Some(events);
    }
    if pool.made >= MAX_PAIRS {
        return None;
    }
    let mut events = (0, 0);
    if driver().event_create(&mut events.0, 0) != SUCCESS || driver().event_create(&mut events.1, 0) != SUCCESS {
        return None;
    }
    pool.made += 1;
    Some(events)
}

fn give_back(state: &State, context: Handle, events: (Handle, Handle)) {
    if let Some(pool) = state.lock().pools.get_mut(&context) {
        pool.free.push(events);
    }
}

/// Reads the events of all launches that have completed.
pub fn collect(state: &State, inner: &mut Inner) {
    let _relaxed = RelaxedMode::enter();
    for pool in inner.pools.values_mut() {
        let mut busy: Vec<Handle> = Vec::new();
        let mut is_lost = false;
        let Pool { pending, free, .. } = pool;
        pending.retain(|launch| {
            if is_lost {
                return false;
            }
            if busy.contains(&launch.stream) {
                return true;
            }
            let answer = driver().event_query(launch.events.1);
            if answer == NOT_READY {
                busy.push(launch.stream);
                return true;
            }
            state.waiting.fetch_sub(1, Relaxed);
            let mut milliseconds = 0.0;
            let (start, end) = launch.events;
            if answer == SUCCESS && driver().event_elapsed(&mut milliseconds, start, end) == SUCCESS {
                note(state, &state.table.kernels[launch.record], launch.weight, milliseconds);
                free.push(launch.events);
            } else if answer != SUCCESS {
                is_lost = true;
                state.table.header.lost_context.store(if answer == DEINITIALISED { 0 } else { answer as u32 }, Relaxed);
            }
            false
        });
        if is_lost {
            state.waiting.store(0, Relaxed);
        }
    }
}

/// Adds one known time; called under the lock.
fn note(state: &State, kernel: &Kernel, weight: u64, milliseconds: f32) {
    let time = (f64::from(milliseconds) * 1e9) as u64;
    let add = |field: &AtomicU64, value| field.store(field.load(Relaxed) + value, Relaxed);
    let known = kernel.timed.load(Relaxed);
    let place = if (known as usize) < format::SAMPLES { known } else { u64::from(state.budget.draw()) % (known + 1) };
    if let Some(sample) = kernel.samples.get(place as usize) {
        sample.store(time, Relaxed);
    }
    add(&kernel.sum, time);
    add(&kernel.weighted, time * weight);
    add(&kernel.covered, weight);
    kernel.least.fetch_min(time, Relaxed);
    kernel.most.fetch_max(time, Relaxed);
    add(&kernel.timed, 1);
}
