//! Why is a call not inlined? One variant, and one remark, for each reason.

use warpwise_analysis::gpu::prices::INLINE_MAX_INSTRUCTIONS;

/// Why a call that takes the address of a stack object stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error(
        "no object would be in registers then, as each is accessed at variable places, or its address goes elsewhere, too"
    )]
    FreesNothing,
    #[error("kernels reach {calls} calls of the function, and each would be a copy of it")]
    Often { calls: usize },
    #[error("the function is not optimised, marked noinline or switched off, or its address is taken")]
    Forbidden,
    #[error("the function has {instructions} instructions, more than {INLINE_MAX_INSTRUCTIONS}")]
    Large { instructions: usize },
    #[error("a product goes through the call or the object to a sum, and the back end would join the two")]
    Contraction,
}

impl Reject {
    /// Name of the remark.
    pub fn name(self) -> &'static str {
        match self {
            Reject::FreesNothing => "CallFreesNothing",
            Reject::Often { .. } => "CalledOften",
            Reject::Forbidden => "CallForbidden",
            Reject::Large { .. } => "CalleeLarge",
            Reject::Contraction => "CallContraction",
        }
    }
}
