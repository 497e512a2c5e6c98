//! Which of the driver's functions does the program call through us?
//!
//! Each hook has the name and type of the driver's function, calls it with the program's arguments and returns its
//! result. [`ROWS`] lists under which name and for which versions `cuGetProcAddress` returns the hook.
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
    /// The name for `cuGetProcAddress`, without version and stream suffix.
    pub symbol: &'static CStr,
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

/// Defines hooks, each with its slot in a module of the same name. `real` calls the driver.
macro_rules! hooks {
    ($($name:ident ($($argument:ident: $type:ty),*) $real:ident $body:block)*) => {
        $(
            mod $name {
                use super::*;
                pub static SLOT: Slot = Slot::new(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                });
            }

            /// Called instead of the driver's function of this name.
            #[unsafe(no_mangle)]
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
                $body
            }
        )*
    };
}

fn kernel(
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic: u32,
    stream: Handle,
    per_thread: bool,
    flags: u32,
) -> Launch {
    Launch { function, grid, block, dynamic, stream, per_thread, flags, cluster: 0 }
}

fn graph(executable: Handle, stream: Handle, per_thread: bool) -> Launch {
    kernel(executable, [0; 3], [0; 3], 0, stream, per_thread, GRAPH)
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
    let mut launch = kernel(function, config.grid, config.block, config.dynamic, config.stream, per_thread, 0);
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

fn waits(real: impl FnOnce() -> c_int) -> c_int {
    let answer = real();
    if let (SUCCESS, Some(state)) = (answer, state()) {
        state.after_wait();
    }
    answer
}

/// A synchronous copy; `region` is only evaluated if copies are recorded.
fn copied(real: impl FnOnce() -> c_int, region: impl FnOnce() -> Option<Region>) -> c_int {
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

/// SAFETY: `found` and `name` are what a successful look-up of the driver took.
unsafe fn named(found: *const Handle, name: *const c_char, is_kernel: bool) {
    if let Some(state) = state().filter(|_| !found.is_null() && !name.is_null()) {
        // SAFETY: as promised.
        let (handle, text) = unsafe { (*found, CStr::from_ptr(name)) };
        functions::note_name(state, handle, text.to_bytes(), is_kernel);
    }
}

/// SAFETY: `executable` is what a successful instantiation of `graph` wrote.
unsafe fn instantiated(answer: c_int, executable: *const Handle, graph: Handle) -> c_int {
    if let (SUCCESS, Some(state), false) = (answer, state(), executable.is_null()) {
        // SAFETY: as promised.
        graphs::note(state, unsafe { *executable }, graph);
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
    cuLaunchKernel(f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, shared: c_uint,
        stream: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void) real {
        launch(&kernel(f, [gx, gy, gz], [x, y, z], shared, stream, false, 0), real)
    }
    cuLaunchKernel_ptsz(f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, shared: c_uint,
        stream: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void) real {
        launch(&kernel(f, [gx, gy, gz], [x, y, z], shared, stream, true, 0), real)
    }
    cuLaunchCooperativeKernel(f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, shared: c_uint,
        stream: Handle, parameters: *mut *mut c_void) real {
        launch(&kernel(f, [gx, gy, gz], [x, y, z], shared, stream, false, COOPERATIVE), real)
    }
    cuLaunchCooperativeKernel_ptsz(f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, shared: c_uint,
        stream: Handle, parameters: *mut *mut c_void) real {
        launch(&kernel(f, [gx, gy, gz], [x, y, z], shared, stream, true, COOPERATIVE), real)
    }
    cuLaunchKernelEx(config: *const Config, f: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void) real {
        // SAFETY: the program's own argument.
        match unsafe { configured(config, f, false) } { Some(what) => launch(&what, real), None => real() }
    }
    cuLaunchKernelEx_ptsz(config: *const Config, f: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void) real {
        // SAFETY: the program's own argument.
        match unsafe { configured(config, f, true) } { Some(what) => launch(&what, real), None => real() }
    }
    cuGraphLaunch(executable: Handle, stream: Handle) real {
        let answer = launch(&graph(executable, stream, false), real);
        if answer == SUCCESS { copies::of_graph(executable, stream, false) }
        answer
    }
    cuGraphLaunch_ptsz(executable: Handle, stream: Handle) real {
        let answer = launch(&graph(executable, stream, true), real);
        if answer == SUCCESS { copies::of_graph(executable, stream, true) }
        answer
    }

    cuGraphInstantiate(executable: *mut Handle, graph: Handle, node: usize, log: usize, size: usize) real {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    cuGraphInstantiate_v2(executable: *mut Handle, graph: Handle, node: usize, log: usize, size: usize) real {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, flags: c_ulonglong) real {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    cuGraphInstantiateWithParams(executable: *mut Handle, graph: Handle, parameters: *mut c_void) real {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    cuGraphInstantiateWithParams_ptsz(executable: *mut Handle, graph: Handle, parameters: *mut c_void) real {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    cuStreamBeginCapture(stream: Handle) real { capturing(real) }
    cuStreamBeginCapture_v2(stream: Handle, mode: c_int) real { capturing(real) }
    cuStreamBeginCapture_v2_ptsz(stream: Handle, mode: c_int) real { capturing(real) }
    cuStreamBeginCapture_ptsz(stream: Handle) real { capturing(real) }
    cuStreamBeginCaptureToGraph(stream: Handle, graph: Handle, nodes: usize, edges: usize, count: usize, mode: c_int) real {
        capturing(real)
    }
    cuStreamBeginCaptureToGraph_ptsz(stream: Handle, graph: Handle, nodes: usize, edges: usize, count: usize, mode: c_int) real {
        capturing(real)
    }

    cuModuleGetFunction(found: *mut Handle, module: Handle, name: *const c_char) real {
        let answer = real();
        // SAFETY: the driver's answer.
        if answer == SUCCESS { unsafe { named(found, name, false) } }
        answer
    }
    cuLibraryGetKernel(found: *mut Handle, library: Handle, name: *const c_char) real {
        let answer = real();
        // SAFETY: the driver's answer.
        if answer == SUCCESS { unsafe { named(found, name, true) } }
        answer
    }

    cuCtxSynchronize() real { waits(real) }
    cuCtxSynchronize_v2(context: Handle) real { waits(real) }
    cuStreamSynchronize(stream: Handle) real { waits(real) }
    cuStreamSynchronize_ptsz(stream: Handle) real { waits(real) }
    cuStreamQuery(stream: Handle) real { waits(real) }
    cuStreamQuery_ptsz(stream: Handle) real { waits(real) }
    cuEventSynchronize(event: Handle) real { waits(real) }
    cuEventQuery(event: Handle) real { waits(real) }
    cuMemFree_v2(pointer: u64) real { waits(real) }
    cuMemFreeHost(pointer: usize) real { before(|_| copies::forget_memory(pointer), real) }
    cuMemHostUnregister(pointer: usize) real { before(|_| copies::forget_memory(pointer), real) }
    cuMemAllocManaged(pointer: *mut u64, bytes: usize, flags: c_uint) real {
        before(|state| { state.table.header.managed_bytes.fetch_add(bytes as u64, Relaxed); }, real)
    }
    cuCtxDestroy_v2(context: Handle) real { before(|state| state.forget_contexts(|of, _| of == context), real) }
    cuDevicePrimaryCtxReset(device: c_int) real { before(|state| state.forget_contexts(|_, of| of == device), real) }
    cuDevicePrimaryCtxReset_v2(device: c_int) real { before(|state| state.forget_contexts(|_, of| of == device), real) }
    cuDevicePrimaryCtxRelease(device: c_int) real { before(|state| state.forget_contexts(|_, of| of == device), real) }
    cuDevicePrimaryCtxRelease_v2(device: c_int) real { before(|state| state.forget_contexts(|_, of| of == device), real) }

    cuMemcpyDtoH_v2(to: usize, from: u64, bytes: usize) real { copied(real, || Some(Region::flat(to, bytes))) }
    cuMemcpyDtoH_v2_ptds(to: usize, from: u64, bytes: usize) real { copied(real, || Some(Region::flat(to, bytes))) }
    cuMemcpyDtoHAsync_v2(to: usize, from: u64, bytes: usize, stream: Handle) real {
        copying(real, || Some(Region::flat(to, bytes)), stream, false)
    }
    cuMemcpyDtoHAsync_v2_ptsz(to: usize, from: u64, bytes: usize, stream: Handle) real {
        copying(real, || Some(Region::flat(to, bytes)), stream, true)
    }
    cuMemcpyAtoH_v2(to: usize, from: Handle, offset: usize, bytes: usize) real { copied(real, || Some(Region::flat(to, bytes))) }
    cuMemcpyAtoH_v2_ptds(to: usize, from: Handle, offset: usize, bytes: usize) real { copied(real, || Some(Region::flat(to, bytes))) }
    cuMemcpy(to: u64, from: u64, bytes: usize) real { copied(real, || copies::of_unified(to, from, bytes)) }
    cuMemcpy_ptds(to: u64, from: u64, bytes: usize) real { copied(real, || copies::of_unified(to, from, bytes)) }
    cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle) real {
        copying(real, || copies::of_unified(to, from, bytes), stream, false)
    }
    cuMemcpyAsync_ptsz(to: u64, from: u64, bytes: usize, stream: Handle) real {
        copying(real, || copies::of_unified(to, from, bytes), stream, true)
    }
    cuMemcpy2D_v2(copy: *const c_void) real { copied(real, || of_2d(copy)) }
    cuMemcpy2D_v2_ptds(copy: *const c_void) real { copied(real, || of_2d(copy)) }
    cuMemcpy2DUnaligned_v2(copy: *const c_void) real { copied(real, || of_2d(copy)) }
    cuMemcpy2DUnaligned_v2_ptds(copy: *const c_void) real { copied(real, || of_2d(copy)) }
    cuMemcpy2DAsync_v2(copy: *const c_void, stream: Handle) real {
        copying(real, || of_2d(copy), stream, false)
    }
    cuMemcpy2DAsync_v2_ptsz(copy: *const c_void, stream: Handle) real {
        copying(real, || of_2d(copy), stream, true)
    }
    cuMemcpy3D_v2(copy: *const c_void) real { copied(real, || of_3d(copy)) }
    cuMemcpy3D_v2_ptds(copy: *const c_void) real { copied(real, || of_3d(copy)) }
    cuMemcpy3DAsync_v2(copy: *const c_void, stream: Handle) real { copying(real, || of_3d(copy), stream, false) }
    cuMemcpy3DAsync_v2_ptsz(copy: *const c_void, stream: Handle) real { copying(real, || of_3d(copy), stream, true) }
}

macro_rules! row {
    ($name:ident, $symbol:literal, $versions:expr) => {
        row!($name, $symbol, $versions, false)
    };
    ($name:ident, $symbol:literal, $versions:expr, $per_thread:literal) => {
        Row {
            symbol: $symbol,
            versions: $versions,
            per_thread: $per_thread,
            function: $name as *const c_void,
            slot: &$name::SLOT,
        }
    };
}

/// Every hook.
pub static ROWS: &[Row] = &[
    Row {
        symbol: c"cuGetProcAddress",
        versions: 0..12000,
        per_thread: false,
        function: lookup::cuGetProcAddress as *const c_void,
        slot: &lookup::FIRST,
    },
    Row {
        symbol: c"cuGetProcAddress",
        versions: 12000..EVER,
        per_thread: false,
        function: lookup::cuGetProcAddress_v2 as *const c_void,
        slot: &lookup::SECOND,
    },
    row!(cuLaunchKernel, c"cuLaunchKernel", 4000..EVER),
    row!(cuLaunchKernel_ptsz, c"cuLaunchKernel", 7000..EVER, true),
    row!(cuLaunchCooperativeKernel, c"cuLaunchCooperativeKernel", 9000..EVER),
    row!(cuLaunchCooperativeKernel_ptsz, c"cuLaunchCooperativeKernel", 9000..EVER, true),
    row!(cuLaunchKernelEx, c"cuLaunchKernelEx", 11060..EVER),
    row!(cuLaunchKernelEx_ptsz, c"cuLaunchKernelEx", 11060..EVER, true),
    row!(cuGraphLaunch, c"cuGraphLaunch", 10000..EVER),
    row!(cuGraphLaunch_ptsz, c"cuGraphLaunch", 10000..EVER, true),
    row!(cuGraphInstantiate, c"cuGraphInstantiate", 10000..11000),
    row!(cuGraphInstantiate_v2, c"cuGraphInstantiate", 11000..12000),
    row!(cuGraphInstantiateWithFlags, c"cuGraphInstantiate", 12000..EVER),
    row!(cuGraphInstantiateWithFlags, c"cuGraphInstantiateWithFlags", 11040..EVER),
    row!(cuGraphInstantiateWithParams, c"cuGraphInstantiateWithParams", 12000..EVER),
    row!(cuGraphInstantiateWithParams_ptsz, c"cuGraphInstantiateWithParams", 12000..EVER, true),
    row!(cuStreamBeginCapture, c"cuStreamBeginCapture", 10000..10010),
    row!(cuStreamBeginCapture_ptsz, c"cuStreamBeginCapture", 10000..10010, true),
    row!(cuStreamBeginCapture_v2, c"cuStreamBeginCapture", 10010..EVER),
    row!(cuStreamBeginCapture_v2_ptsz, c"cuStreamBeginCapture", 10010..EVER, true),
    row!(cuStreamBeginCaptureToGraph, c"cuStreamBeginCaptureToGraph", 12030..EVER),
    row!(cuStreamBeginCaptureToGraph_ptsz, c"cuStreamBeginCaptureToGraph", 12030..EVER, true),
    row!(cuModuleGetFunction, c"cuModuleGetFunction", 2000..EVER),
    row!(cuLibraryGetKernel, c"cuLibraryGetKernel", 12000..EVER),
    row!(cuCtxSynchronize, c"cuCtxSynchronize", 2000..13000),
    row!(cuCtxSynchronize_v2, c"cuCtxSynchronize", 13000..EVER),
    row!(cuStreamSynchronize, c"cuStreamSynchronize", 2000..EVER),
    row!(cuStreamSynchronize_ptsz, c"cuStreamSynchronize", 7000..EVER, true),
    row!(cuStreamQuery, c"cuStreamQuery", 2000..EVER),
    row!(cuStreamQuery_ptsz, c"cuStreamQuery", 7000..EVER, true),
    row!(cuEventSynchronize, c"cuEventSynchronize", 2000..EVER),
    row!(cuEventQuery, c"cuEventQuery", 2000..EVER),
    row!(cuMemFree_v2, c"cuMemFree", 3020..EVER),
    row!(cuMemFreeHost, c"cuMemFreeHost", 2000..EVER),
    row!(cuMemHostUnregister, c"cuMemHostUnregister", 4000..EVER),
    row!(cuMemAllocManaged, c"cuMemAllocManaged", 6000..EVER),
    row!(cuCtxDestroy_v2, c"cuCtxDestroy", 4000..EVER),
    row!(cuDevicePrimaryCtxReset, c"cuDevicePrimaryCtxReset", 7000..11000),
    row!(cuDevicePrimaryCtxReset_v2, c"cuDevicePrimaryCtxReset", 11000..EVER),
    row!(cuDevicePrimaryCtxRelease, c"cuDevicePrimaryCtxRelease", 7000..11000),
    row!(cuDevicePrimaryCtxRelease_v2, c"cuDevicePrimaryCtxRelease", 11000..EVER),
    row!(cuMemcpyDtoH_v2, c"cuMemcpyDtoH", 3020..EVER),
    row!(cuMemcpyDtoH_v2_ptds, c"cuMemcpyDtoH", 7000..EVER, true),
    row!(cuMemcpyDtoHAsync_v2, c"cuMemcpyDtoHAsync", 3020..EVER),
    row!(cuMemcpyDtoHAsync_v2_ptsz, c"cuMemcpyDtoHAsync", 7000..EVER, true),
    row!(cuMemcpyAtoH_v2, c"cuMemcpyAtoH", 3020..EVER),
    row!(cuMemcpyAtoH_v2_ptds, c"cuMemcpyAtoH", 7000..EVER, true),
    row!(cuMemcpy, c"cuMemcpy", 4000..EVER),
    row!(cuMemcpy_ptds, c"cuMemcpy", 7000..EVER, true),
    row!(cuMemcpyAsync, c"cuMemcpyAsync", 4000..EVER),
    row!(cuMemcpyAsync_ptsz, c"cuMemcpyAsync", 7000..EVER, true),
    row!(cuMemcpy2D_v2, c"cuMemcpy2D", 3020..EVER),
    row!(cuMemcpy2D_v2_ptds, c"cuMemcpy2D", 7000..EVER, true),
    row!(cuMemcpy2DUnaligned_v2, c"cuMemcpy2DUnaligned", 3020..EVER),
    row!(cuMemcpy2DUnaligned_v2_ptds, c"cuMemcpy2DUnaligned", 7000..EVER, true),
    row!(cuMemcpy2DAsync_v2, c"cuMemcpy2DAsync", 3020..EVER),
    row!(cuMemcpy2DAsync_v2_ptsz, c"cuMemcpy2DAsync", 7000..EVER, true),
    row!(cuMemcpy3D_v2, c"cuMemcpy3D", 3020..EVER),
    row!(cuMemcpy3D_v2_ptds, c"cuMemcpy3D", 7000..EVER, true),
    row!(cuMemcpy3DAsync_v2, c"cuMemcpy3DAsync", 3020..EVER),
    row!(cuMemcpy3DAsync_v2_ptsz, c"cuMemcpy3DAsync", 7000..EVER, true),
];
