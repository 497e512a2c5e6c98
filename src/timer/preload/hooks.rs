//! Which of the driver's functions does the program call through us?
//!
//! Each hook has the name and type of the driver's function, calls it with the program's arguments and returns its
//! result. [`ROWS`] lists for which versions `cuGetProcAddress` returns the hook. It is asked for the name without what
//! follows the underscore: the version, and `_ptsz` or `_ptds` if stream 0 is the calling thread's own.
#![allow(non_snake_case, clippy::too_many_arguments, reason = "the driver's names and parameters")]

use crate::copies::{self, Region};
use crate::driver::{Handle, NOT_FOUND, SUCCESS};
use crate::format::{CLUSTER, COOPERATIVE, GRAPH, PROGRAMMATIC};
use crate::functions;
use crate::graphs;
use crate::launch::{Launch, launch};
use crate::lookup::{self, Slot};
use crate::state::{HAS_CAPTURES, State, state};
use libc::{c_char, c_int, c_uint, c_ulonglong, c_void};
use std::cell::Cell;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// One hook.
pub struct Row {
    /// The name for `cuGetProcAddress`.
    pub symbol: &'static str,
    /// The CUDA versions for which this variant is returned.
    pub versions: Range<c_int>,
    /// Whether this is the variant in which stream 0 is the calling thread's own.
    pub per_thread: bool,
    pub function: *const c_void,
    pub slot: &'static Slot,
}

// SAFETY: addresses of functions and of statics.
unsafe impl Sync for Row {}

/// End of the range of CUDA versions for functions that have not been superseded.
const EVER: c_int = c_int::MAX;

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The driver may call its own functions through our hooks, and so do we: only the outermost call of a thread counts.
struct Outermost;

impl Outermost {
    #[inline]
    fn enter() -> Option<Outermost> {
        (!IS_INSIDE.replace(true)).then(|| Outermost)
    }
}

impl Drop for Outermost {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}

const fn symbol_of(name: &'static str) -> &'static str {
    let mut end = 0;
    while end < name.len() && name.as_bytes()[end] != b'_' {
        end += 1;
    }
    name.split_at(end).0
}

const fn is_per_thread(name: &str) -> bool {
    matches!(name.as_bytes(), [.., b'_', b'p', b't', _, _])
}

/// Defines one hook, with its slot in a module of the same name. `real` calls the driver; `own` says whether stream 0
/// is the calling thread's own.
macro_rules! hook {
    ($name:ident ($($argument:ident: $type:ty),*) $real:ident $own:tt $body:block) => {
        mod $name {
            use super::*;
            pub static SLOT: Slot = Slot::new(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            });
        }

        /// Called instead of the driver's function of this name.
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, reason = "not every body calls what asks for it")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let address = $name::SLOT.get();
            if address == 0 {
                return NOT_FOUND;
            }
            // SAFETY: the driver's function of this name has this type, and these are the program's arguments.
            let $real = || unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn($($type),*) -> c_int>(address)($($argument),*)
            };
            let Some(_outermost) = Outermost::enter() else { return $real() };
            let $own = const { is_per_thread(stringify!($name)) };
            // SAFETY: what the body calls gets the program's own arguments, and the driver's answer to them.
            unsafe { $body }
        }
    };
}

macro_rules! row {
    ($name:ident $symbol:expr, $from:tt $to:tt) => {
        Row {
            symbol: $symbol,
            versions: $from..$to,
            per_thread: is_per_thread(stringify!($name)),
            function: $name as *const c_void,
            slot: &$name::SLOT,
        }
    };
}

/// Defines hooks and [`ROWS`]: in which versions of CUDA each function is found, and what all of one type do.
macro_rules! hooks {
    ($($($name:ident $from:tt..$to:tt),+; $arguments:tt $real:ident $own:tt $body:block)*) => {
        $($(hook!($name $arguments $real $own $body);)+)*

        /// Every hook.
        pub static ROWS: &[Row] = &[
            $($(row!($name symbol_of(stringify!($name)), $from $to),)+)*
            // found under a second name
            row!(cuGraphInstantiateWithFlags "cuGraphInstantiate", 12000 EVER),
        ];
    };
}

/// The driver's `CUlaunchConfig`.
#[repr(C)]
pub struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic: c_uint,
    stream: Handle,
    attributes: *const Attribute,
    count: c_uint,
}

/// The driver's `CUlaunchAttribute`.
#[repr(C)]
struct Attribute {
    id: c_uint,
    pad: c_uint,
    value: [c_uint; 16],
}

/// SAFETY: `config` is what the program hands to the driver: null or a whole configuration.
unsafe fn configured(config: *const Config, function: Handle, per_thread: bool) -> Option<Launch> {
    // SAFETY: as promised.
    let config = unsafe { config.as_ref() }?;
    let Config { grid, block, dynamic, stream, .. } = *config;
    let mut launch = Launch { function, grid, block, dynamic, stream, per_thread, ..Launch::default() };
    if !config.attributes.is_null() {
        // SAFETY: as promised, so many attributes are there.
        for attribute in unsafe { std::slice::from_raw_parts(config.attributes, config.count as usize) } {
            match (attribute.id, attribute.value) {
                (2, [on, ..]) if on != 0 => launch.flags |= COOPERATIVE,
                (4, [x, y, z, ..]) if x * y * z > 1 => {
                    launch.flags |= CLUSTER;
                    launch.cluster = x * y * z;
                }
                (6 | 7, _) => launch.flags |= PROGRAMMATIC,
                _ => {}
            }
        }
    }
    Some(launch)
}

/// A call that waits for the GPU, such as a synchronous copy to a region, which is only evaluated if copies are recorded.
fn waits(real: impl FnOnce() -> c_int, region: impl FnOnce() -> Option<Region>) -> c_int {
    let answer = real();
    if let (SUCCESS, Some(state)) = (answer, state()) {
        state.after_wait();
        if state.mode.hash {
            copies::done(region());
        }
    }
    answer
}

/// An asynchronous copy.
fn copying(
    real: impl FnOnce() -> c_int,
    region: impl FnOnce() -> Option<Region>,
    stream: Handle,
    per_thread: bool,
) -> c_int {
    let answer = real();
    if answer == SUCCESS && state().is_some_and(|state| state.mode.hash) {
        copies::begun(region(), stream, per_thread);
    }
    answer
}

/// SAFETY: `from` is null or points to what `T` is.
unsafe fn read<T: Copy>(from: *const c_void) -> Option<T> {
    // SAFETY: as promised.
    (!from.is_null()).then(|| unsafe { from.cast::<T>().read_unaligned() })
}

/// The host memory filled by a `CUDA_MEMCPY2D` that the driver has accepted.
fn of_2d(from: *const c_void) -> Option<Region> {
    // SAFETY: it has 16 words.
    unsafe { read(from) }.and_then(|words| Region::of_2d(&words))
}

/// The host memory filled by a `CUDA_MEMCPY3D` that the driver has accepted.
fn of_3d(from: *const c_void) -> Option<Region> {
    let mut words = [0; 32];
    // SAFETY: it has 25 words.
    words[..25].copy_from_slice(&unsafe { read::<[u64; 25]>(from) }?);
    Region::of_3d(&words)
}

/// SAFETY: `found` and `name` are what a look-up of the driver with this answer took.
unsafe fn named(answer: c_int, found: *const Handle, name: *const c_char, is_kernel: bool) -> c_int {
    if let Some(state) = state().filter(|_| answer == SUCCESS && !found.is_null() && !name.is_null()) {
        // SAFETY: as promised.
        let (handle, text) = unsafe { (*found, CStr::from_ptr(name)) };
        functions::note_name(state, handle, text.to_bytes(), is_kernel);
    }
    answer
}

/// SAFETY: `executable` is what a successful instantiation of `graph` wrote.
unsafe fn instantiated(answer: c_int, executable: *const Handle, graph: Handle) -> c_int {
    if let (SUCCESS, Some(state), false) = (answer, state(), executable.is_null()) {
        // SAFETY: as promised.
        graphs::note(state, unsafe { *executable }, graph);
    }
    answer
}

/// SAFETY: the others are the arguments of a look-up with this answer.
unsafe fn looked_up(
    answer: c_int,
    symbol: *const c_char,
    found: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> c_int {
    if answer == SUCCESS {
        // SAFETY: as promised.
        unsafe { lookup::replace(symbol, found, version, flags) };
    }
    answer
}

fn capturing(real: impl FnOnce() -> c_int) -> c_int {
    HAS_CAPTURES.store(true, Relaxed);
    real()
}

fn before(act: impl FnOnce(&State), real: impl FnOnce() -> c_int) -> c_int {
    if let Some(state) = state() {
        act(state);
    }
    real()
}

hooks! {
    cuGetProcAddress 0..12000;
    (symbol: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64) real _ {
        looked_up(real(), symbol, found, version, flags)
    }
    cuGetProcAddress_v2 12000..EVER;
    (symbol: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int) real _ {
        looked_up(real(), symbol, found, version, flags)
    }

    cuLaunchKernel 4000..EVER, cuLaunchKernel_ptsz 7000..EVER;
    (f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, dynamic: c_uint, stream: Handle,
        parameters: *mut *mut c_void, extra: *mut *mut c_void) real per_thread {
        let (grid, block) = ([gx, gy, gz], [x, y, z]);
        launch(&Launch { function: f, grid, block, dynamic, stream, per_thread, ..Launch::default() }, real)
    }
    cuLaunchCooperativeKernel 9000..EVER, cuLaunchCooperativeKernel_ptsz 9000..EVER;
    (f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, dynamic: c_uint, stream: Handle,
        parameters: *mut *mut c_void) real per_thread {
        let (grid, block, flags) = ([gx, gy, gz], [x, y, z], COOPERATIVE);
        launch(&Launch { function: f, grid, block, dynamic, stream, per_thread, flags, cluster: 0 }, real)
    }
    cuLaunchKernelEx 11060..EVER, cuLaunchKernelEx_ptsz 11060..EVER;
    (config: *const Config, f: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void) real own {
        match configured(config, f, own) { Some(what) => launch(&what, real), None => real() }
    }
    cuGraphLaunch 10000..EVER, cuGraphLaunch_ptsz 10000..EVER;
    (executable: Handle, stream: Handle) real per_thread {
        let what = Launch { function: executable, stream, per_thread, flags: GRAPH, ..Launch::default() };
        let answer = launch(&what, real);
        if answer == SUCCESS { copies::of_graph(executable, stream, per_thread) }
        answer
    }

    cuGraphInstantiate 10000..11000, cuGraphInstantiate_v2 11000..12000;
    (executable: *mut Handle, graph: Handle, node: usize, log: usize, size: usize) real _ {
        instantiated(real(), executable, graph)
    }
    cuGraphInstantiateWithFlags 11040..EVER;
    (executable: *mut Handle, graph: Handle, flags: c_ulonglong) real _ { instantiated(real(), executable, graph) }
    cuGraphInstantiateWithParams 12000..EVER, cuGraphInstantiateWithParams_ptsz 12000..EVER;
    (executable: *mut Handle, graph: Handle, parameters: *mut c_void) real _ { instantiated(real(), executable, graph) }
    cuStreamBeginCapture 10000..10010, cuStreamBeginCapture_ptsz 10000..10010;
    (stream: Handle) real _ { capturing(real) }
    cuStreamBeginCapture_v2 10010..EVER, cuStreamBeginCapture_v2_ptsz 10010..EVER;
    (stream: Handle, mode: c_int) real _ { capturing(real) }
    cuStreamBeginCaptureToGraph 12030..EVER, cuStreamBeginCaptureToGraph_ptsz 12030..EVER;
    (stream: Handle, graph: Handle, nodes: usize, edges: usize, count: usize, mode: c_int) real _ { capturing(real) }

    cuModuleGetFunction 2000..EVER;
    (found: *mut Handle, module: Handle, name: *const c_char) real _ { named(real(), found, name, false) }
    cuLibraryGetKernel 12000..EVER;
    (found: *mut Handle, library: Handle, name: *const c_char) real _ { named(real(), found, name, true) }

    cuCtxSynchronize 2000..13000; () real _ { waits(real, || None) }
    cuCtxSynchronize_v2 13000..EVER, cuStreamSynchronize 2000..EVER, cuStreamSynchronize_ptsz 7000..EVER,
        cuStreamQuery 2000..EVER, cuStreamQuery_ptsz 7000..EVER, cuEventSynchronize 2000..EVER, cuEventQuery 2000..EVER;
    (on: Handle) real _ { waits(real, || None) }
    cuMemFree_v2 3020..EVER; (pointer: u64) real _ { waits(real, || None) }
    cuMemFreeHost 2000..EVER, cuMemHostUnregister 4000..EVER;
    (pointer: usize) real _ { before(|_| copies::forget_memory(pointer), real) }
    cuMemAllocManaged 6000..EVER;
    (pointer: *mut u64, bytes: usize, flags: c_uint) real _ {
        before(|state| { state.table.header.managed_bytes.fetch_add(bytes as u64, Relaxed); }, real)
    }
    cuCtxDestroy_v2 4000..EVER;
    (context: Handle) real _ { before(|state| state.forget_contexts(|of, _| of == context), real) }
    cuDevicePrimaryCtxReset 7000..11000, cuDevicePrimaryCtxReset_v2 11000..EVER,
        cuDevicePrimaryCtxRelease 7000..11000, cuDevicePrimaryCtxRelease_v2 11000..EVER;
    (device: c_int) real _ { before(|state| state.forget_contexts(|_, of| of == device), real) }

    cuMemcpyDtoH_v2 3020..EVER, cuMemcpyDtoH_v2_ptds 7000..EVER;
    (to: usize, from: u64, bytes: usize) real _ { waits(real, || Some(Region::flat(to, bytes))) }
    cuMemcpyDtoHAsync_v2 3020..EVER, cuMemcpyDtoHAsync_v2_ptsz 7000..EVER;
    (to: usize, from: u64, bytes: usize, stream: Handle) real own {
        copying(real, || Some(Region::flat(to, bytes)), stream, own)
    }
    cuMemcpyAtoH_v2 3020..EVER, cuMemcpyAtoH_v2_ptds 7000..EVER;
    (to: usize, from: Handle, offset: usize, bytes: usize) real _ { waits(real, || Some(Region::flat(to, bytes))) }
    cuMemcpy 4000..EVER, cuMemcpy_ptds 7000..EVER;
    (to: u64, from: u64, bytes: usize) real _ { waits(real, || copies::of_unified(to, from, bytes)) }
    cuMemcpyAsync 4000..EVER, cuMemcpyAsync_ptsz 7000..EVER;
    (to: u64, from: u64, bytes: usize, stream: Handle) real own {
        copying(real, || copies::of_unified(to, from, bytes), stream, own)
    }
    cuMemcpy2D_v2 3020..EVER, cuMemcpy2D_v2_ptds 7000..EVER,
        cuMemcpy2DUnaligned_v2 3020..EVER, cuMemcpy2DUnaligned_v2_ptds 7000..EVER;
    (copy: *const c_void) real _ { waits(real, || of_2d(copy)) }
    cuMemcpy2DAsync_v2 3020..EVER, cuMemcpy2DAsync_v2_ptsz 7000..EVER;
    (copy: *const c_void, stream: Handle) real own { copying(real, || of_2d(copy), stream, own) }
    cuMemcpy3D_v2 3020..EVER, cuMemcpy3D_v2_ptds 7000..EVER;
    (copy: *const c_void) real _ { waits(real, || of_3d(copy)) }
    cuMemcpy3DAsync_v2 3020..EVER, cuMemcpy3DAsync_v2_ptsz 7000..EVER;
    (copy: *const c_void, stream: Handle) real own { copying(real, || of_3d(copy), stream, own) }
}
