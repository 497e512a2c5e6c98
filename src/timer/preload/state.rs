//! What does the library know about the running process?
//!
//! One [`State`], created when the program first accesses the driver, so that processes without CUDA leave no trace. A
//! forked child starts without one: its parent's events are not its own, and it writes a table of its own.

use crate::budget::{Budget, ticks};
use crate::copies::Copies;
use crate::driver::{Handle, SUCCESS, driver};
use crate::format::Table;
use crate::functions::Functions;
use crate::launch::Pending;
use crate::table::{self, Mode};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};
use std::sync::{Mutex, MutexGuard, Once, TryLockError};

/// The state of one process.
pub struct State {
    pub table: &'static Table,
    pub mode: Mode,
    pub budget: Budget,
    pub functions: Functions,
    pub streams: crate::launch::Streams,
    inner: Mutex<Inner>,
    /// Number of launches whose end events have not been read; can be checked without the lock.
    pub waiting: AtomicU32,
}

/// The part that only one thread at a time may access.
#[derive(Default)]
pub struct Inner {
    pub names: HashMap<Handle, Name>,
    pub pools: HashMap<Handle, Pool>,
    pub graph_copies: HashMap<Handle, Vec<crate::copies::Region>>,
    pub copies: Copies,
}

/// The name under which the program looked up a function.
pub struct Name {
    pub text: Vec<u8>,
    /// Whether it is a kernel of a library, which refers to one function in each context.
    pub is_kernel: bool,
}

/// The events of one context.
#[derive(Default)]
pub struct Pool {
    pub device: i32,
    pub free: Vec<(Handle, Handle)>,
    pub pending: Vec<Pending>,
    pub made: usize,
}

/// Whether any stream has ever been captured in this process.
pub static HAS_CAPTURES: AtomicBool = AtomicBool::new(false);

static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());
/// Whether there is no folder to write to, so that nothing is timed.
static IS_OFF: AtomicBool = AtomicBool::new(false);
static MAKING: Mutex<()> = Mutex::new(());

/// The state, if the program has accessed the driver and there is a table.
#[inline]
pub fn state() -> Option<&'static State> {
    made().or_else(|| if IS_OFF.load(Relaxed) { None } else { make() })
}

#[inline]
fn made() -> Option<&'static State> {
    // SAFETY: null, or a leaked box that is never written through this pointer.
    unsafe { STATE.load(Acquire).as_ref() }
}

#[cold]
fn make() -> Option<&'static State> {
    static HANDLERS: Once = Once::new();
    let _only = MAKING.lock().unwrap_or_else(|broken| broken.into_inner());
    if let Some(state) = made() {
        return Some(state);
    }
    let mode = Mode::wanted();
    let Some(table) = table::create(mode) else {
        IS_OFF.store(true, Relaxed);
        return None;
    };
    // SAFETY: the handler only stores to atomics.
    HANDLERS.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
    let state: &'static State = Box::leak(Box::new(State {
        table,
        mode,
        budget: Budget::new(mode.all),
        functions: Functions::new(),
        streams: crate::launch::Streams::new(),
        inner: Mutex::default(),
        waiting: AtomicU32::new(0),
    }));
    STATE.store(std::ptr::from_ref(state).cast_mut(), Release);
    Some(state)
}

extern "C" fn in_child() {
    STATE.store(std::ptr::null_mut(), Release);
    HAS_CAPTURES.store(false, Relaxed);
}

/// Reads what has completed when the program exits normally. Registered at the first launch, after the runtime's own
/// handlers, so that it runs before them, while the driver still works.
pub fn at_exit() {
    static REGISTERED: Once = Once::new();
    extern "C" fn finish() {
        if let Some(state) = made() {
            // a thread that holds the lock may never continue
            if let Some(mut inner) = (0..100).find_map(|turn| {
                std::thread::sleep(std::time::Duration::from_micros(if turn == 0 { 0 } else { 100 }));
                state.try_lock()
            }) {
                crate::launch::collect(state, &mut inner);
                crate::copies::collect(state, &mut inner);
            }
        }
    }
    // SAFETY: a function without arguments that stays loaded.
    REGISTERED.call_once(|| unsafe {
        libc::atexit(finish);
    });
}

impl State {
    /// The part that one thread at a time may touch.
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Some(inner),
            Err(TryLockError::Poisoned(broken)) => Some(broken.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Adds the time since `since` to what was spent.
    pub fn spend(&self, since: u64) {
        self.budget.spend(since);
        if self.budget.draw().is_multiple_of(64) {
            self.table.header.own_time.store(self.budget.spent(), Relaxed);
        }
    }

    /// After a call that waited for the GPU: reads everything that has completed.
    #[inline]
    pub fn after_wait(&self) {
        if self.waiting.load(Relaxed) == 0 && !self.mode.hash {
            return;
        }
        let since = ticks();
        let mut inner = self.lock();
        crate::launch::collect(self, &mut inner);
        crate::copies::collect(self, &mut inner);
        drop(inner);
        self.spend(since);
        self.table.header.own_time.store(self.budget.spent(), Relaxed);
    }

    /// Before contexts are destroyed: reads what has completed and forgets their events.
    pub fn forget_contexts(&self, is_gone: impl Fn(Handle, i32) -> bool) {
        let mut inner = self.lock();
        crate::launch::collect(self, &mut inner);
        crate::copies::collect(self, &mut inner);
        inner.pools.retain(|context, pool| !is_gone(*context, pool.device));
        inner.copies.forget();
        self.functions.forget();
    }
}

thread_local! {
    static LATEST: Cell<(Handle, i32)> = const { Cell::new((0, 0)) };
}

/// The context and the device of the calling thread.
#[inline]
pub fn current() -> Option<(Handle, i32)> {
    let (mut context, mut device) = (0, 0);
    if driver().current_context(&mut context) != SUCCESS || context == 0 {
        return None;
    }
    let latest = LATEST.get();
    if latest.0 == context {
        return Some(latest);
    }
    if driver().current_device(&mut device) != SUCCESS {
        return None;
    }
    LATEST.set((context, device));
    Some((context, device))
}
