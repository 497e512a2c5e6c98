//! How is a run drawn?
//!
//! Two kinds of charts, written directly as SVG: for each section, one row of dots per kernel with its variants'
//! speed-ups over clang on a logarithmic scale, sorted ([`speedups`]); and time against size, both logarithmic
//! ([`scaling`]).

use crate::manifest::Results;
use crate::variants::{REFERENCE, SECTIONS, VARIANTS};
use anyhow::{Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One measurement of something whose cost grows with its input.
#[derive(Deserialize)]
pub struct Point {
    pub series: String,
    pub size: f64,
    pub seconds: f64,
}

/// Colours that are distinguishable in print and to most eyes (Okabe and Ito's).
const COLOURS: &[&str] =
    &["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#000000", "#999933", "#882255"];
const ROW: f64 = 18.0;
const LEFT: f64 = 170.0;
const WIDTH: f64 = 560.0;
const TOP: f64 = 64.0;

/// One chart for each section that was run: its name and the SVG. `only` lists the variants to show; empty means all.
pub fn speedups(results: &Results, only: &[String]) -> Vec<(&'static str, String)> {
    SECTIONS.iter().filter_map(|section| Some((*section, section_chart(results, section, only)?))).collect()
}

/// Variants that occur in most charts have the same colour in all of them; the others share the rest.
fn colour(variant: &str, place: usize) -> &'static str {
    match variant {
        "nvcc" => COLOURS[0],
        "smem" => COLOURS[1],
        "warpwise" => COLOURS[3],
        "by_hand" => COLOURS[6],
        _ => [COLOURS[2], COLOURS[4], COLOURS[5], COLOURS[7], COLOURS[8]][place % 5],
    }
}

fn section_chart(results: &Results, section: &str, only: &[String]) -> Option<String> {
    let is_wanted = |id: &str| id != REFERENCE && (only.is_empty() || only.iter().any(|wanted| wanted == id));
    let variants: Vec<_> = VARIANTS.iter().filter(|v| is_wanted(v.id) && v.sections.contains(&section)).collect();
    let gain = |kernel: &str, variant: &str| results.speedup(section, kernel, variant, REFERENCE);
    let kernels = results.manifest.kernels.iter().filter(|k| k.section == section).map(|k| k.name.as_str());
    let mut rows: Vec<&str> = kernels.filter(|k| variants.iter().any(|v| gain(k, v.id).is_some())).collect();
    if rows.is_empty() {
        return None;
    }
    // sorted by the speed-up with warpwise, or else by the best of the others
    let best = |kernel: &&str| {
        let others = variants.iter().filter_map(|v| gain(kernel, v.id)).fold(f64::MIN, f64::max);
        gain(kernel, "warpwise").unwrap_or(others)
    };
    rows.sort_by(|a, b| best(b).total_cmp(&best(a)).then(a.cmp(b)));
    let gains = rows.iter().flat_map(|k| variants.iter().filter_map(|v| gain(k, v.id)));
    let x = Scale::over(gains.chain([1.0]), LEFT, LEFT + WIDTH);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = Svg::new(LEFT + WIDTH + 24.0, bottom + 40.0);
    svg.text(LEFT, 20.0, "start", &format!("{section}: times as fast as clang -O3 ({})", results.device.name));
    for tick in x.ticks() {
        let colour = if tick == 1.0 { "#444" } else { "#ddd" };
        svg.line(x.at(tick), TOP - 6.0, x.at(tick), bottom, colour);
        svg.text(x.at(tick), bottom + 16.0, "middle", &format!("{tick}×"));
    }
    let shown = variants.iter().filter(|v| rows.iter().any(|k| gain(k, v.id).is_some()));
    let mut legend = LEFT;
    for (place, variant) in shown.enumerate() {
        let colour = colour(variant.id, place);
        svg.dot(legend, 40.0, colour, variant.label);
        svg.text(legend + 8.0, 44.0, "start", variant.label);
        legend += 24.0 + 7.0 * variant.label.len() as f64;
        for (i, kernel) in rows.iter().enumerate() {
            let Some(gain) = gain(kernel, variant.id) else { continue };
            let y = TOP + ROW * (i as f64 + 0.5);
            svg.dot(x.at(gain), y, colour, &format!("{kernel}, {}: {gain:.2}×", variant.label));
        }
    }
    for (i, kernel) in rows.iter().enumerate() {
        svg.text(LEFT - 10.0, TOP + ROW * (i as f64 + 0.5) + 4.0, "end", kernel);
    }
    svg.width = svg.width.max(legend);
    Some(svg.finish())
}

/// Seconds against size, a line a series.
pub fn scaling(points: &[Point]) -> Result<String> {
    ensure!(!points.is_empty(), "there are no points to draw");
    ensure!(points.iter().all(|p| p.size > 0.0 && p.seconds > 0.0), "sizes and seconds must be above zero");
    let (right, bottom) = (LEFT + WIDTH, TOP + 360.0);
    let x = Scale::over(points.iter().map(|p| p.size), LEFT, right);
    let y = Scale::over(points.iter().map(|p| p.seconds), bottom, TOP);
    let mut svg = Svg::new(right + 24.0, bottom + 48.0);
    for tick in x.ticks() {
        svg.line(x.at(tick), TOP, x.at(tick), bottom, "#ddd");
        svg.text(x.at(tick), bottom + 16.0, "middle", &tick.to_string());
    }
    for tick in y.ticks() {
        svg.line(LEFT, y.at(tick), right, y.at(tick), "#ddd");
        svg.text(LEFT - 8.0, y.at(tick) + 4.0, "end", &format!("{tick} s"));
    }
    svg.text((LEFT + right) / 2.0, bottom + 36.0, "middle", "instructions");
    let mut series: BTreeMap<&str, Vec<&Point>> = BTreeMap::new();
    points.iter().for_each(|p| series.entry(&p.series).or_default().push(p));
    let mut legend = LEFT;
    for ((name, mut points), colour) in series.into_iter().zip(COLOURS.iter().cycle()) {
        points.sort_by(|a, b| a.size.total_cmp(&b.size));
        svg.dot(legend, 40.0, colour, name);
        svg.text(legend + 8.0, 44.0, "start", name);
        legend += 24.0 + 7.0 * name.len() as f64;
        for pair in points.windows(2) {
            let [a, b] = pair else { continue };
            svg.line(x.at(a.size), y.at(a.seconds), x.at(b.size), y.at(b.seconds), colour);
        }
        for p in points {
            svg.dot(x.at(p.size), y.at(p.seconds), colour, &format!("{name}: {}, {} s", p.size, p.seconds));
        }
    }
    Ok(svg.finish())
}

/// A logarithmic scale.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        // some margin, so that no dot is on the frame, and even if all values are equal
        Scale { low: low / 1.1, high: high * 1.1, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value / self.low).ln() / (self.high / self.low).ln()
    }

    /// Round numbers in range: powers of ten; with halves and fifths where the range is short.
    fn ticks(&self) -> Vec<f64> {
        let short = self.high / self.low < 300.0;
        let steps: &[f64] = if self.high / self.low < 4.0 {
            &[0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 2.0, 3.0, 4.0]
        } else if short {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let decades = self.low.log10().floor() as i32 - 1..=self.high.log10().ceil() as i32;
        let mut ticks: Vec<f64> = decades
            .flat_map(|d| steps.iter().map(move |s| if d < 0 { s / 10f64.powi(-d) } else { s * 10f64.powi(d) }))
            .filter(|t| (self.low..=self.high).contains(t))
            .collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        ticks
    }
}

struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let text = escape(text);
        writeln!(self.body, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#).expect(STRING);
    }

    fn line(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, colour: &str) {
        writeln!(self.body, r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}"/>"#)
            .expect(STRING);
    }

    /// With a title, which browsers show under the pointer.
    fn dot(&mut self, x: f64, y: f64, colour: &str, title: &str) {
        let title = escape(title);
        writeln!(
            self.body,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}" fill-opacity="0.8"><title>{title}</title></circle>"#
        )
        .expect(STRING);
    }

    fn finish(self) -> String {
        let Svg { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
        )
    }
}

const STRING: &str = "writing to a string";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_logarithmic_and_ticks_round() {
        let scale = Scale { low: 1.0, high: 100.0, from: 0.0, to: 10.0 };
        assert!((scale.at(10.0) - 5.0).abs() < 1e-12);
        assert_eq!(scale.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        let near = Scale::over([0.9, 1.3].into_iter(), 0.0, 1.0);
        assert_eq!(near.ticks(), [0.9, 1.0, 1.2, 1.4]);
    }

    #[test]
    fn a_scaling_chart_has_all_its_points() {
        let point = |size, seconds| Point { series: "a < b".into(), size, seconds };
        let svg = scaling(&[point(1000.0, 0.02), point(10.0, 0.001), point(100.0, 0.004)]).unwrap();
        assert_eq!(svg.matches("<circle").count(), 4, "three points and the legend's");
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
        assert!(scaling(&[]).is_err() && scaling(&[point(0.0, 1.0)]).is_err());
    }
}
