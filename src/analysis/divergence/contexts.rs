//! What does a call of a device function return, given what is known of its arguments?
//!
//! The body of a function is solved for the arguments of a call: their forms, as far as these mean something in the
//! callee. What then holds for its returned value holds for every call with such arguments. The body must be the one
//! that runs, or access no memory and have the same source wherever the linker may take it from.
//!
//! Results are kept by function and arguments, so calls alike cost one solve. At most [`MAX_CONTEXTS`] sets of
//! arguments are distinguished for a function, and only one (all arguments uniform in the grid) for functions of more
//! than [`MAX_BODY`] instructions. Beyond that, a call has a uniform result if the function maps uniform arguments to
//! one and its arguments are uniform.
//!
//! Members of a recursion get no claim about each other: a call of a function that is being solved is *refused*, and so are
//! calls nested deeper than [`MAX_DEPTH`]. What was found meanwhile holds, but may be less than what the same call would
//! yield by itself: it is not kept, so that results do not depend on who asks first, except after [`MAX_PARTIAL`] such
//! solves of one function.
//!
//! Nothing is assumed of the frame's address or of the lanes that enter together: facts about values rest on neither.

use crate::affine::{Form, Scope};
use crate::cfg::Cfg;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use warpwise_ir::Func;

/// Maximum number of sets of arguments for which one function is solved.
const MAX_CONTEXTS: usize = 8;
/// Largest function that is solved for sets of arguments, in instructions.
const MAX_BODY: usize = 1000;
/// Maximum number of calls within calls that are followed; each takes part of the machine's stack.
const MAX_DEPTH: usize = 48;

/// Maximum number of solves of one function whose results are not kept.
const MAX_PARTIAL: u32 = 4;

/// What is known of the arguments of a call; `None` if lanes may differ in an unknown way.
type Arguments = [Option<Form>];

/// A function's body, as it is solved for each context.
pub struct Body {
    pub func: Func,
    pub cfg: Rc<Cfg>,
}

/// The contexts of one function.
#[derive(Default)]
struct Known {
    /// `None` until the function is first called; then whether something can be derived from its body, and the body.
    body: Option<Option<Rc<Body>>>,
    /// The result for each set of arguments.
    results: Vec<(Box<Arguments>, Option<Form>)>,
    /// The result for arguments that are uniform in the grid.
    uniform: Option<Option<Form>>,
    /// Number of solves whose results were not kept.
    partial: u32,
}

/// What calls of the functions of a module return, as far as it was asked.
#[derive(Default)]
pub struct Contexts {
    functions: RefCell<FxHashMap<u32, Known>>,
    /// The functions that are being solved, outermost first.
    active: RefCell<Vec<u32>>,
    /// The outermost of them on account of which a call was refused, by its position.
    refused_for: Cell<Option<usize>>,
}

impl Contexts {
    /// The result of a call. `read` reads the body of the function, if something can be derived from it; `solve` finds
    /// what a body returns, and may ask for other functions.
    pub fn returned(
        &self,
        function: u32,
        arguments: &Arguments,
        read: impl FnOnce() -> Option<Body>,
        solve: impl Fn(&Body, &Arguments) -> Option<Form>,
    ) -> Option<Form> {
        if self.refuses(function) {
            return None;
        }
        let (body, exact) = {
            let mut functions = self.functions.borrow_mut();
            let known = functions.entry(function).or_default();
            if let Some((_, result)) = known.results.iter().find(|(seen, _)| **seen == *arguments) {
                return result.clone();
            }
            let body = known.body.get_or_insert_with(|| read().map(Rc::new)).clone()?;
            let exact = known.results.len() < MAX_CONTEXTS && body.func.insts.len() <= MAX_BODY;
            if !exact && let Some(result) = &known.uniform {
                return for_uniform(result.as_ref(), arguments);
            }
            (body, exact)
        };
        let uniform: Vec<Option<Form>>;
        let wanted = if exact {
            arguments
        } else {
            uniform = vec![Some(Form::uniform(Scope::Grid)); arguments.len()];
            &uniform
        };
        let (result, is_whole) = self.within(function, || solve(&body, wanted));
        let mut functions = self.functions.borrow_mut();
        let known = functions.entry(function).or_default();
        if !is_whole && known.partial < MAX_PARTIAL {
            known.partial += 1;
            return if exact { result } else { for_uniform(result.as_ref(), arguments) };
        }
        if exact {
            known.results.push((arguments.into(), result.clone()));
            return result;
        }
        known.uniform = Some(result.clone());
        for_uniform(result.as_ref(), arguments)
    }

    /// Whether nothing is said of a call because of the functions that are being solved.
    fn refuses(&self, function: u32) -> bool {
        let active = self.active.borrow();
        let itself = active.iter().position(|&other| other == function);
        // deep inside, the answer depends on all of them
        let cause = itself.or((active.len() >= MAX_DEPTH).then_some(0));
        if let Some(cause) = cause {
            self.refused_for.set(Some(self.refused_for.get().map_or(cause, |known| known.min(cause))));
        }
        cause.is_some()
    }

    /// What `solve` finds about a function, and whether it would find the same if nothing else were being solved.
    fn within<T>(&self, function: u32, solve: impl FnOnce() -> T) -> (T, bool) {
        let position = self.active.borrow().len();
        let before = self.refused_for.take();
        self.active.borrow_mut().push(function);
        let result = solve();
        self.active.borrow_mut().pop();
        let inside = self.refused_for.get().filter(|&cause| cause < position);
        self.refused_for.set(before.into_iter().chain(inside).min());
        (result, inside.is_none())
    }
}

/// The result of a call with these arguments, if it is `result` for arguments that are uniform in the grid.
fn for_uniform(result: Option<&Form>, arguments: &Arguments) -> Option<Form> {
    let narrowest = arguments.iter().try_fold(Scope::Grid, |narrowest, argument| {
        let argument = argument.as_ref().filter(|form| form.terms.is_empty())?;
        Some(narrowest.min(argument.rest.scope()))
    })?;
    let result = result?;
    match result.as_constant() {
        Some(_) => Some(result.clone()),
        None if result.terms.is_empty() => Some(Form::uniform(narrowest.min(result.rest.scope()))),
        None => None,
    }
}
