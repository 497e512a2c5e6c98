//! What is wrong with an option or a parameter? A sentence that says how to correct it.

use super::spill_candidates::SpillCandidatesError;
use warpwise_ir::geometry::ShapeError;

/// Why a value was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ValueError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    SpillCandidates(#[from] SpillCandidatesError),
    /// A sentence that continues after the name of the option or parameter.
    #[error(transparent)]
    Form(#[from] FormError),
}

/// Why a value was rejected, as the continuation of a sentence that begins with the name of its option or parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormError {
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
    Shape(ShapeError),
    #[error(transparent)]
    SpillCandidates(SpillCandidatesError),
    #[error("parameter '{name}' of '{pass}' {error}")]
    Parameter { pass: String, name: String, error: FormError },
    #[error("option -warpwise-{name} {error}")]
    Option { name: String, error: FormError },
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
    /// The error for the value of a pass parameter.
    pub(super) fn of_parameter(pass: &str, name: &str, error: ValueError) -> SettingsError {
        match error {
            ValueError::Shape(error) => SettingsError::Shape(error),
            ValueError::SpillCandidates(error) => SettingsError::SpillCandidates(error),
            ValueError::Form(error) => SettingsError::Parameter { pass: pass.to_owned(), name: name.to_owned(), error },
        }
    }

    /// The error for the value of a command-line option.
    pub(super) fn of_option(name: &str, error: ValueError) -> SettingsError {
        match error {
            ValueError::Shape(error) => SettingsError::Shape(error),
            ValueError::SpillCandidates(error) => SettingsError::SpillCandidates(error),
            ValueError::Form(error) => SettingsError::Option { name: name.to_owned(), error },
        }
    }
}
