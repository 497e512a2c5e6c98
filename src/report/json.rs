//! The report for programs: the model as it is, one JSON document.

use super::model::Report;

/// Indented JSON with a final newline.
pub fn render(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}
