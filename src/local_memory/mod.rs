//! Which stack objects leave local memory, by which remedy, and what is said of one that stays?
//!
//! An object is in local memory unless every access goes to a constant place in it: then LLVM makes registers of it. The
//! remedies, best first, and what stands in the way of registers where each can help:
//!
//! 1. registers, by [`split`]: it is copied as a whole;
//! 2. registers, by [`inline`]: its address goes through a call;
//! 3. registers, by [`arrays`]: loops of constant trip count index it;
//! 4. a constant of the program, or shared memory, by [`stack`]: any other use that can be followed.
//!
//! What is known of an object is asked in two places. [`inventory`] follows LLVM's own use lists, across calls, and costs
//! little; so it is asked before LLVM inlines, of all functions. The objects that an imported function
//! [has](crate::analyses::FunctionAnalyses::objects) are known with every index; only they can be moved. When objects move
//! to shared memory, all that could be in registers has left; each that stays is [reported](report) once, with the best
//! remedy that failed and its reason ([`reject`]).

pub mod arrays;
pub(crate) mod copies;
pub mod inline;
pub mod inventory;
pub mod reject;
mod report;
pub mod split;
pub mod stack;
