//! The extern "C" entries called from `passes/`, and nothing else. Mirrors `passes/abi.h`. Here are those that read;
//! [`edit`] has those that edit, [`load`] what LLVM looks up in a plugin.
//!
//! No panic leaves: every entry runs under `catch_unwind`. A panic while nothing was edited is reported to stderr and
//! answered as "nothing known, nothing changed"; a transform that panics may have edited, so it aborts.
#![allow(unsafe_code)] // the C boundary: each block names its guarantor

mod edit;
pub mod load;

use crate::pipeline::Session;
use crate::registry::{Pass, SCHEDULE};
use crate::remarks::{self, Listen};
use crate::settings::former::{self, FORMER};
use crate::settings::table::PARAMETERS;
use crate::settings::transform::REMARKS;
use crate::settings::{self, Settings};
use std::ffi::c_void;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpwise_analysis::divergence::hypothesis::conditions;
use warpwise_analysis::divergence::print::Printer;
use warpwise_analysis::divergence::{Facts, ModuleAnalysis};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::{self, RawModule, RawValue};
use warpwise_ir::llvm::remark::{PassManager, RawPassManager};
use warpwise_ir::llvm::text::{Sink, Text};

fn say(sink: Sink, context: *mut c_void, text: &str) {
    sink(context, Text::of(text));
}

/// Whether nothing is wrong; says what is.
fn is_right(error: Option<String>, sink: Sink, context: *mut c_void) -> bool {
    error.iter().for_each(|error| say(sink, context, error));
    error.is_none()
}

/// Runs a read-only entry; a panic becomes the fallback.
fn guarded<T>(what: &str, fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        eprintln!("warpwise: internal error in {what}; nothing was changed (please report it)");
        fallback
    })
}

/// Runs an entry that edits: after a panic the module may be half edited, so nobody may go on with it.
fn editing(what: &str, body: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        eprintln!("warpwise: internal error in {what}; the module may be half edited, giving up (please report it)");
        std::process::abort()
    })
}

/// An answer that should not be one: said, and taken for the fallback.
fn expected<T>(what: &str, fallback: T, answer: Result<T, impl std::fmt::Display>) -> T {
    answer.unwrap_or_else(|error| {
        eprintln!("warpwise: internal error in {what}: {error}; nothing was changed (please report it)");
        fallback
    })
}

/// `WarpwiseOptionRow` of `passes/abi.h`.
#[repr(C)]
pub struct RawOptionRow {
    name: Text,
    value: Text,
    help: Text,
    wants_value: u32,
    is_former: u32,
}

/// `WarpwiseOption` of `passes/abi.h`.
#[repr(C)]
pub struct RawOption {
    name: Text,
    value: Text,
}

// passes/abi.h asserts the same
const _: () = {
    assert!(
        size_of::<RawOptionRow>() == 56 && offset_of!(RawOptionRow, name) == 0 && offset_of!(RawOptionRow, value) == 16
    );
    assert!(offset_of!(RawOptionRow, help) == 32 && offset_of!(RawOptionRow, wants_value) == 48);
    assert!(offset_of!(RawOptionRow, is_former) == 52);
    assert!(size_of::<RawOption>() == 32 && offset_of!(RawOption, name) == 0 && offset_of!(RawOption, value) == 16);
};

/// One option of the command line, by number from 0; false behind the last.
///
/// # Safety
/// `row` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_option_row(number: u32, row: *mut RawOptionRow) -> bool {
    let present = PARAMETERS.iter().filter(|row| !row.option.is_empty());
    let present = present.map(|row| ([row.option, row.value, row.help], row.takes, 0));
    let former = FORMER.iter().map(|former| ([former.option, "", ""], former.takes(), 1));
    // SAFETY: promised by the caller.
    match (present.chain(former).nth(number as usize), unsafe { row.as_mut() }) {
        (Some((texts, takes, is_former)), Some(row)) => {
            let [name, value, help] = texts.map(Text::of);
            *row = RawOptionRow { name, value, help, wants_value: takes.wants_value().into(), is_former };
            true
        }
        _ => false,
    }
}

/// Says of an option that is not called that any more what takes its place.
///
/// # Safety
/// As [`warpwise_check_option`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_former_option(name: Text, sink: Sink, context: *mut c_void) {
    // SAFETY: the text lives for this call.
    let name = unsafe { name.get() };
    guarded("former_option", (), || {
        if let Some(former) = former::of_name(&name) {
            say(sink, context, &former.sentence());
        }
    });
}

/// Checks the value of one option.
///
/// # Safety
/// Called from `passes/` with valid text and a sink that takes `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_check_option(name: Text, value: Text, sink: Sink, context: *mut c_void) -> bool {
    // SAFETY: both texts live for this call.
    let (name, value) = unsafe { (name.get(), value.get()) };
    guarded("check_option", false, || is_right(settings::check_option(&name, &value), sink, context))
}

/// Checks the text between the angle brackets of a pass.
///
/// # Safety
/// As [`warpwise_check_option`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_check_parameters(
    pass: Text,
    parameters: Text,
    sink: Sink,
    context: *mut c_void,
) -> bool {
    // SAFETY: both texts live for this call.
    let (pass, parameters) = unsafe { (pass.get(), parameters.get()) };
    guarded("check_parameters", false, || {
        let error = Settings::parse(&pass, &parameters).err().map(|error| error.to_string());
        is_right(error, sink, context)
    })
}

/// What is kept while one module is compiled with these options of the command line.
///
/// # Safety
/// `options` has `count` elements whose texts live for this call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_session_new(options: *const RawOption, count: usize) -> *mut c_void {
    let given: Vec<(String, String)> = if options.is_null() {
        Vec::new()
    } else {
        // SAFETY: promised by the caller.
        let options = unsafe { std::slice::from_raw_parts(options, count) };
        // SAFETY: promised by the caller, for each of them.
        options.iter().map(|option| unsafe { (option.name.get(), option.value.get()) }).collect()
    };
    guarded("session_new", std::ptr::null_mut(), || {
        let mut settings = Settings::default();
        for (name, value) in &given {
            // checked when LLVM read the command line
            expected("session_new", (), settings.set_option(name, value));
        }
        Box::into_raw(Box::new(Session::new(settings))).cast()
    })
}

/// # Safety
/// `session` came from [`warpwise_session_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_session_free(session: *mut c_void) {
    if !session.is_null() {
        // SAFETY: made by Box::into_raw in warpwise_session_new, freed once.
        drop(unsafe { Box::from_raw(session.cast::<Session>()) });
    }
}

/// The session behind a pointer; one without options for null.
///
/// # Safety
/// `session` is null or came from [`warpwise_session_new`] and outlives `'a`.
unsafe fn session_of(session: *const c_void, none: &Session) -> &Session {
    // SAFETY: promised by the caller.
    unsafe { session.cast::<Session>().as_ref() }.unwrap_or(none)
}

/// `WarpwiseStep` of `passes/abi.h`.
#[repr(C)]
pub struct RawStep {
    point: u32,
    least_level: u32,
    most_level: u32,
    phases: u32,
    pass: u32,
}

const _: () = assert!(size_of::<RawStep>() == 20);

/// Writes a row of the schedule by its number; returns false past the last one.
///
/// # Safety
/// `step` may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_schedule(number: u32, step: *mut RawStep) -> bool {
    let Some(row) = SCHEDULE.get(number as usize) else { return false };
    let raw = RawStep {
        point: row.point as u32,
        least_level: *row.levels.start(),
        most_level: *row.levels.end(),
        phases: row.phases.mask(),
        pass: row.pass as u32,
    };
    // SAFETY: the caller's promise.
    unsafe { step.write(raw) };
    true
}

/// Whether clang's pipelines run a pass, given the options.
///
/// # Safety
/// `session` is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_session_wants(session: *const c_void, pass: u32) -> bool {
    let none = Session::default();
    // SAFETY: it is alive.
    let session = unsafe { session_of(session, &none) };
    guarded("session_wants", false, || {
        Pass::try_from(pass as i32).is_ok_and(|pass| (pass.info().is_wanted)(session.settings()))
    })
}

/// Starts the analysis of a module, with the parameters of a pass beside the options of the session.
///
/// # Safety
/// `module` is alive and unchanged until [`warpwise_module_free`]; session and text live for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_module_new(
    module: RawModule,
    pass: Text,
    parameters: Text,
    session: *const c_void,
) -> *mut c_void {
    let none = Session::default();
    // SAFETY: session and text live for this call.
    let (session, parameters) = unsafe { (session_of(session, &none), parameters.get()) };
    guarded("module_new", std::ptr::null_mut(), || {
        // SAFETY: the pass manager keeps the module alive as long as the analysis result.
        let Some(module) = (unsafe { handle::Module::<'static>::from_raw(module) }) else {
            return std::ptr::null_mut();
        };
        let options = if parameters.is_empty() {
            session.settings().analysis()
        } else {
            // SAFETY: the text lives for this call.
            let pass = unsafe { pass.get() };
            expected("module_new", session.settings().clone(), session.with(&pass, &parameters)).analysis()
        };
        Box::into_raw(Box::new(ModuleAnalysis::new(module, options))).cast()
    })
}

/// # Safety
/// `analysis` came from [`warpwise_module_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_module_free(analysis: *mut c_void) {
    if !analysis.is_null() {
        // SAFETY: made by Box::into_raw in warpwise_module_new, freed once.
        drop(unsafe { Box::from_raw(analysis.cast::<ModuleAnalysis<'static>>()) });
    }
}

struct FunctionFacts {
    facts: Facts,
    handles: Handles<'static>,
}

/// Facts of one function with a body.
///
/// # Safety
/// `analysis` is alive; `function` belongs to its module and is unchanged while the facts live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_new(analysis: *mut c_void, function: RawValue) -> *mut c_void {
    guarded("facts_new", std::ptr::null_mut(), || {
        // SAFETY: `analysis` came from warpwise_module_new and is alive.
        let Some(analysis) = (unsafe { analysis.cast::<ModuleAnalysis<'static>>().as_ref() }) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the pass manager hands out a live function of the module.
        let Some(function) = (unsafe { handle::Function::<'static>::from_raw(function) }) else {
            return std::ptr::null_mut();
        };
        let (facts, handles) = analysis.facts(function);
        Box::into_raw(Box::new(FunctionFacts { facts, handles })).cast()
    })
}

/// # Safety
/// `facts` came from [`warpwise_facts_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_free(facts: *mut c_void) {
    if !facts.is_null() {
        // SAFETY: made by Box::into_raw in warpwise_facts_new, freed once.
        drop(unsafe { Box::from_raw(facts.cast::<FunctionFacts>()) });
    }
}

/// Writes the facts as text.
///
/// # Safety
/// `facts` is alive and its function unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_print(facts: *mut c_void, sink: Sink, context: *mut c_void) {
    guarded("facts_print", (), || {
        // SAFETY: `facts` came from warpwise_facts_new and is alive.
        if let Some(known) = unsafe { facts.cast::<FunctionFacts>().as_ref() } {
            let conditions = conditions(None, &known.facts, &known.handles);
            let printer = Printer::new(&known.facts, &known.handles).with_conditions(conditions);
            say(sink, context, &printer.function());
        }
    });
}

/// Emits the analysis remarks of a function, with the parameters of `warpwise-remarks`.
///
/// # Safety
/// `facts` is alive, its function unchanged; the rest is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_remarks(
    facts: *mut c_void,
    parameters: Text,
    session: *const c_void,
    manager: *const RawPassManager,
) {
    let none = Session::default();
    // SAFETY: session and text live for this call.
    let (session, parameters) = unsafe { (session_of(session, &none), parameters.get()) };
    guarded("facts_remarks", (), || {
        // SAFETY: `facts` came from warpwise_facts_new, `manager` is on the caller's stack.
        let (Some(known), Some(manager)) = (unsafe { (facts.cast::<FunctionFacts>().as_ref(), manager.as_ref()) })
        else {
            return;
        };
        let settings = expected("facts_remarks", session.settings().clone(), session.with(REMARKS, &parameters));
        let listen = Listen { everything: settings.optimal_accesses };
        remarks::emit(
            &known.facts,
            &known.handles,
            &PassManager::new(manager, session.said(), Pass::Remarks.name()),
            listen,
        );
    });
}

/// Says the remarks of the analysis that waited for others of the same place.
///
/// # Safety
/// `session` and `manager` are valid for the call; no function was edited since [`warpwise_facts_remarks`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_remarks_finish(session: *const c_void, manager: *const RawPassManager) {
    let none = Session::default();
    guarded("remarks_finish", (), || {
        // SAFETY: `session` came from warpwise_session_new and is alive, `manager` is on the caller's stack.
        let (session, manager) = unsafe { (session_of(session, &none), manager.as_ref()) };
        if let Some(manager) = manager {
            PassManager::new(manager, session.said(), Pass::Remarks.name()).finish();
        }
    });
}
