//! Which options were called something else, or are gone? They are accepted for one release, with a sentence that names what
//! takes their place; `--help` and docs/PASSES.md do not list them.

use super::table::Takes;

/// An option that there is no longer.
#[derive(Debug)]
pub struct Former {
    /// Its name after `-warpwise-`.
    pub option: &'static str,
    /// What it still sets.
    pub takes: Takes,
    /// What takes its place, as the end of a sentence that begins with its name.
    now: &'static str,
}

/// All of them.
pub const FORMER: &[Former] = &[
    Former { option: "divergence-map", takes: Takes::Profile, now: "is now called -warpwise-profile-generate" },
    Former {
        option: "map",
        takes: Takes::Path(|settings, path| settings.map_file = Some(path.into())),
        now: "is now called -warpwise-profile-use",
    },
    Former {
        option: "map-all",
        takes: Takes::Switch(|settings, on| settings.map_all = on),
        now: "is now -warpwise-profile-generate=all",
    },
    Former {
        option: "map-name",
        takes: Takes::Suffix(|settings, suffix| settings.map_name = Some(suffix.to_owned())),
        now: "is now -warpwise-profile-generate=name:SUFFIX",
    },
    Former {
        option: "remark-all",
        takes: Takes::Switch(|settings, on| settings.optimal_accesses = on),
        now: "is now -warpwise-remarks=optimal",
    },
    Former {
        option: "victims",
        takes: Takes::SpillCandidates(|settings, candidates| settings.candidates = candidates),
        now: "is now -warpwise-steer=CLASS+...",
    },
    Former {
        option: "ptxas-smem",
        takes: Takes::Switch(|settings, on| settings.ptxas_smem = on),
        now: "will go: -warpwise-tune measures where it pays",
    },
    Former {
        option: "hoist-grid",
        takes: Takes::Switch(|_, _| ()),
        now: "does nothing any more: the remark GridUniformWork says what the host could do once",
    },
    Former {
        option: "idioms",
        takes: Takes::Switch(|_, _| ()),
        now: "does nothing any more: it is always on, unless -warpwise-off is given",
    },
    Former {
        option: "inline",
        takes: Takes::Switch(|settings, on| settings.no_arrays = !on),
        now: "is now part of -warpwise-arrays",
    },
    Former { option: "ptxas", takes: Takes::Path(|_, _| ()), now: "does nothing any more: warpwise compare measures" },
    Former {
        option: "whole-program",
        takes: Takes::Switch(|_, _| ()),
        now: "does nothing any more: inline-calls inlines the functions that it was for",
    },
];

impl Former {
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
            for name in former.now.split("-warpwise-").skip(1).filter_map(|rest| rest.split(['=', ' ', ':']).next()) {
                assert!(of_option(name).is_some(), "{name}");
            }
        }
    }
}
