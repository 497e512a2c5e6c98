//! Which options were called something else, or are gone? They are accepted for one release, with a sentence that names what
//! takes their place; `--help` and docs/PASSES.md do not list them.

use super::table::{PARAMETERS, Takes};
use Sets::*;

/// An option that there is no longer.
#[derive(Debug)]
pub struct Former {
    /// Its name after `-warpwise-`.
    pub option: &'static str,
    sets: Sets,
    /// What takes its place, as the end of a sentence that begins with its name.
    now: &'static str,
}

/// What a former option still sets.
#[derive(Debug)]
enum Sets {
    /// What the option or parameter of this name sets.
    Same(&'static str),
    /// Nothing, of these values.
    Nothing(Takes),
}

const NOTHING: Sets = Nothing(Takes::Switch(|_, _| ()));

const fn former(option: &'static str, sets: Sets, now: &'static str) -> Former {
    Former { option, sets, now }
}

/// All of them.
#[rustfmt::skip]
pub const FORMER: &[Former] = &[
    former("divergence-map", Same("profile-generate"), "is now called -warpwise-profile-generate"),
    former("map", Same("profile-use"), "is now called -warpwise-profile-use"),
    former("map-all", Same("all"), "is now -warpwise-profile-generate=all"),
    former("map-name", Same("name"), "is now -warpwise-profile-generate=name:SUFFIX"),
    former("remark-all", Same("optimal"), "is now -warpwise-remarks=optimal"),
    former("victims", Same("victims"), "is now -warpwise-steer=CLASS+..."),
    former("ptxas-smem", Same("ptxas-smem"), "will go: -warpwise-tune measures where it pays"),
    former("hoist-grid", NOTHING,
        "does nothing any more: the remark GridUniformWork says what the host could do once"),
    former("idioms", NOTHING, "does nothing any more: it is always on, unless -warpwise-off is given"),
    former("inline", Same("arrays"), "is now part of -warpwise-arrays"),
    former("ptxas", Nothing(Takes::Path(|_, _| ())), "does nothing any more: warpwise compare measures"),
    former("whole-program", NOTHING,
        "does nothing any more: inline-calls inlines the functions that it was for"),
];

impl Former {
    /// Its values, and what they still set.
    pub fn takes(&self) -> Takes {
        match self.sets {
            Nothing(takes) => takes,
            Same(name) => {
                let row = PARAMETERS.iter().find(|row| row.option == name || row.name == name);
                row.expect("a row of the table").takes
            }
        }
    }

    /// The sentence that answers its use.
    pub fn sentence(&self) -> String {
        format!("-warpwise-{} {}", self.option, self.now)
    }
}

/// The former option with this name.
pub fn of_name(name: &str) -> Option<&'static Former> {
    FORMER.iter().find(|former| former.option == name)
}

#[cfg(test)]
mod tests {
    use super::super::table::of_option;
    use super::*;

    #[test]
    fn what_takes_their_place_exists() {
        for former in FORMER {
            assert!(of_option(former.option).is_none(), "{}", former.option);
            former.takes();
            for name in former.now.split("-warpwise-").skip(1).filter_map(|rest| rest.split(['=', ' ', ':']).next()) {
                assert!(of_option(name).is_some(), "{name}");
            }
        }
    }
}
