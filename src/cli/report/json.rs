//! How is the report written for programs? As one JSON document, the model unchanged.

use super::model::Report;

/// Indented JSON with a final newline.
pub fn render(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}
