//! What should be done first? At most ten lines, one action each, worth the most first.
//!
//! The worth of an advice is its share of its kernel's cycles times the kernel's weight: measured milliseconds if the
//! kernel was timed (`--times`), else the cycles of one warp. If there are times, kernels that were not
//! launched come last. Advice about one line is one action, whether it comes from several instantiations or from several
//! files that include a header. Lines of headers of CUDA, its libraries and the system are left out.

use super::advice::{Advice, AdviceKind};
use super::times::Times;
use serde::Serialize;
use warpwise_ir::source::is_own;

/// Maximum number of actions in the list.
const MAX_ACTIONS: usize = 10;
/// Maximum number of characters of a kernel's name in a line.
const MAX_NAME: usize = 60;

/// A kernel with its advice.
pub struct Subject<'a> {
    pub name: &'a str,
    pub symbol: &'a str,
    pub advice: &'a [Advice],
}

/// One line of the list.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Action {
    pub place: String,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    pub kind: AdviceKind,
    pub what: String,
    pub action: &'static str,
    /// Share of the kernel's estimated cycles, 0 to 1; the largest of several kernels.
    pub share: f64,
    /// Cycles of one warp.
    pub cycles: f64,
    /// Milliseconds of the measured run, if the kernel was measured.
    pub milliseconds: Option<f64>,
}

/// The list.
pub fn actions(subjects: &[Subject<'_>], times: Option<&Times>) -> Vec<Action> {
    let mut list: Vec<Action> = Vec::new();
    for subject in subjects {
        let time = times.and_then(|times| times.of(subject.symbol));
        // nobody edits the headers of CUDA
        let is_own = |advice: &&Advice| advice.place.as_ref().is_none_or(|place| is_own(&place.file));
        for advice in subject.advice.iter().filter(is_own) {
            let place = advice.place.as_ref();
            let place = place.map_or_else(|| subject.name.to_owned(), |place| format!("{}:{}", place.file, place.line));
            let milliseconds = time.map(|time| time * advice.share);
            let known = list.iter_mut().find(|known| known.kind == advice.kind && known.place == place);
            let Some(known) = known else {
                list.push(Action {
                    place,
                    kernels: vec![subject.name.to_owned()],
                    kind: advice.kind,
                    what: advice.what.clone(),
                    action: advice.kind.action(),
                    share: advice.share,
                    cycles: advice.cycles,
                    milliseconds,
                });
                continue;
            };
            if !known.kernels.iter().any(|name| name == subject.name) {
                known.kernels.push(subject.name.to_owned());
            }
            known.share = known.share.max(advice.share);
            known.cycles = known.cycles.max(advice.cycles);
            known.milliseconds = match (known.milliseconds, milliseconds) {
                (Some(a), Some(b)) => Some(a + b),
                (one, other) => one.or(other),
            };
        }
    }
    let worth = |action: &Action| (action.milliseconds.unwrap_or(-1.0), action.cycles);
    list.sort_by(|a, b| {
        let ((ma, ca), (mb, cb)) = (worth(a), worth(b));
        mb.total_cmp(&ma).then(cb.total_cmp(&ca)).then_with(|| a.place.cmp(&b.place))
    });
    list.truncate(MAX_ACTIONS);
    list
}

impl Action {
    /// How much it is worth, in words.
    pub fn worth(&self) -> String {
        let name = match self.kernels[0].char_indices().nth(MAX_NAME) {
            Some((end, _)) => format!("{}…", &self.kernels[0][..end]),
            None => self.kernels[0].clone(),
        };
        let share = format!("{:.0} % of {name}", 100.0 * self.share);
        let more = match self.kernels.len() {
            1 => String::new(),
            several => format!(" and {} more", several - 1),
        };
        match self.milliseconds {
            Some(time) => format!("{time:.3} ms, up to {share}{more}"),
            None => format!("up to {share}{more}"),
        }
    }
}

/// The list as text, one line for each action.
pub fn text(actions: &[Action], is_measured: bool) -> String {
    if actions.is_empty() {
        return "to do: nothing that is worth a per cent of any kernel was found\n".to_owned();
    }
    let unit = match is_measured {
        true => "by measured time",
        false => "by estimated cycles of one warp; --times takes measurements of warpwise time or ncu",
    };
    let mut text = format!("to do, worth the most first ({unit})\n");
    for (number, action) in (1..).zip(actions) {
        text += &format!("{number:>3}. {} ({}): {} -> {}\n", action.place, action.worth(), action.what, action.action);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::LineOf;

    fn advice(line: u32, cycles: f64, share: f64) -> Advice {
        let place = Some(LineOf { file: "a.cu".to_owned(), line });
        Advice { kind: AdviceKind::Stride, place, what: "lanes apart".to_owned(), cycles, share, copies: 1 }
    }

    #[test]
    fn measured_kernels_come_first_and_instantiations_are_one_action() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        let times = r#"{"format": "warpwise-times", "kernels": [
            {"mangled": "_Z5scalePffi", "total_ns": 4e6}, {"mangled": "_Z4axpyIfEvT_", "total_ns": 1e6}]}"#;
        std::fs::write(&path, times).unwrap();
        let (short, long) = ([advice(1, 10.0, 0.5)], [advice(2, 1000.0, 0.5), advice(3, 100.0, 0.1)]);
        let both = [advice(4, 1.0, 0.2)];
        let of = |name, symbol, advice| Subject { name, symbol, advice };
        let subjects = [
            of("never", "_Z5neverv", &long),
            of("scale", "_Z5scalePffi", &short),
            of("axpy<float>", "_Z4axpyIfEvT_", &both),
            of("axpy<double>", "_Z4axpyIdEvT_", &both),
        ];
        let places = |times: Option<&Times>| -> Vec<String> {
            actions(&subjects, times).into_iter().map(|action| action.place).collect()
        };
        assert_eq!(places(None), ["a.cu:2", "a.cu:3", "a.cu:1", "a.cu:4"]);
        let times = Times::read(&path).unwrap();
        assert_eq!(places(Some(&times)), ["a.cu:1", "a.cu:4", "a.cu:2", "a.cu:3"]);
        let text = text(&actions(&subjects, Some(&times)), true);
        assert!(text.contains("1. a.cu:1 (2.000 ms, up to 50 % of scale): lanes apart -> let neighbouring"), "{text}");
        assert!(text.contains("axpy<float> and 1 more"), "{text}");
    }

    #[test]
    fn lines_of_cudas_headers_are_no_actions() {
        let mut of_a_library = advice(7, 100.0, 0.9);
        of_a_library.place = Some(LineOf { file: "/opt/cuda-13.0/include/cub/block.cuh".to_owned(), line: 7 });
        let both = [of_a_library, advice(1, 10.0, 0.5)];
        let list = actions(&[Subject { name: &"k".repeat(99), symbol: "k", advice: &both }], None);
        assert_eq!(list.iter().map(|action| action.place.as_str()).collect::<Vec<_>>(), ["a.cu:1"]);
        assert_eq!(list[0].worth(), format!("up to 50 % of {}…", "k".repeat(MAX_NAME)));
    }

    #[test]
    fn the_list_is_ten_lines_long() {
        let many: Vec<Advice> = (0..40).map(|line| advice(line, f64::from(line), 0.1)).collect();
        let list = actions(&[Subject { name: "k", symbol: "k", advice: &many }], None);
        assert_eq!((list.len(), list[0].cycles), (10, 39.0));
        assert_eq!(text(&list, false).lines().count(), 11);
    }
}
