//! What is wrong with an option or a parameter? A sentence that says how to correct it.

use warpwise_ir::geometry::ShapeError;

/// Why a value was rejected: the first two in a sentence, the others as the continuation of one that begins with the name of
/// the option or parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ValueError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(
        "'{0}' is no class of spill candidates; there are all, none, constant, affine, uniform, divergent, stack and rare"
    )]
    SpillCandidates(String),
    #[error("is 0 or 1, not '{0}'")]
    Switch(String),
    #[error("takes a whole number from {least} to {most}, not '{text}'")]
    Number { text: String, least: u32, most: u32 },
    #[error("takes 0 or 1, or 'all' and 'name:SUFFIX' with '+' between them, not '{0}'")]
    Profile(String),
    #[error("takes letters, digits and underscores, not '{0}'")]
    Suffix(String),
    #[error("takes a path, but has none")]
    Path,
    #[error("is same or contract, not '{0}'")]
    Results(String),
}

/// Why the parameters of a pass or a command-line option were rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Value(ValueError),
    /// A value, of a parameter or an option.
    #[error("{of} {error}")]
    Of { of: String, error: ValueError },
    #[error("'{pass}' has no parameter '{name}'; it takes {known}")]
    UnknownParameter { pass: String, name: String, known: String },
    #[error("there is no option -warpwise-{name}; the options are {known}")]
    UnknownOption { name: String, known: String },
    #[error("parameter '{name}' of '{pass}' takes no value, but has '{value}'")]
    NoValue { pass: String, name: String, value: String },
    #[error("'{pass}' has an empty parameter in '{text}'; one ';' stands between two parameters")]
    Empty { pass: String, text: String },
}

impl SettingsError {
    /// The error for the value of a parameter or an option, which is called `of`.
    pub(super) fn of(error: ValueError, of: String) -> SettingsError {
        match error {
            ValueError::Shape(_) | ValueError::SpillCandidates(_) => SettingsError::Value(error),
            error => SettingsError::Of { of, error },
        }
    }
}
