//! How are facts explained to a person? Values as expressions in the source, divergence as a chain of causes.
//!
//! ```text
//! expression   a value as the expression the source may have had
//! asm          what in inline PTX makes its results differ between lanes
//! causes       why a value differs between lanes: links from sources of divergence
//!  └ chain        such a chain as a sentence
//! symbol       a function by its name in the source
//! ```

mod asm;
pub mod causes;
mod chain;
pub mod expression;
pub mod symbol;

pub use causes::Causes;
pub use chain::explain;
pub use expression::ExpressionPrinter;
