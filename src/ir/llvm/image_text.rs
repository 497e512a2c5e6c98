//! What does LLVM print for each instruction? The module is printed once and split into lines, one per instruction, in
//! order.
//!
//! LLVM would number the whole function again for each single instruction. Splitting relies only on the printer's
//! indentation (two spaces: instruction; four: debug record or switch case); callers compare the counts and otherwise
//! print one by one.

/// For each function with a body, in module order, the text of its instructions without metadata attachments.
pub(super) fn instruction_texts(module: &str) -> Vec<Vec<&str>> {
    let mut functions = Vec::new();
    let mut current: Option<Vec<&str>> = None;
    for line in module.lines() {
        match &mut current {
            None if line.starts_with("define ") => current = Some(Vec::new()),
            None => {}
            Some(_) if line.starts_with('}') => functions.extend(current.take()),
            Some(texts) => {
                if let Some(body) = line.strip_prefix("  ")
                    && !body.starts_with([' ', ']'])
                {
                    texts.push(without_attachments(body));
                }
            }
        }
    }
    functions
}

/// Removes trailing `, !kind !number` attachments and `#number` attribute groups.
fn without_attachments(line: &str) -> &str {
    let mut rest = line.trim_end();
    while let Some((head, tail)) = rest.rsplit_once(", !") {
        let mut words = tail.split(' ');
        let kind = words.next().unwrap_or("");
        let node = words.next().unwrap_or("");
        let is_attachment = !kind.is_empty()
            && kind.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
            && node.starts_with('!')
            && words.next().is_none();
        if !is_attachment {
            break;
        }
        rest = head;
    }
    match rest.rsplit_once(" #") {
        Some((head, group)) if !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit()) => head,
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_attachments_records_and_switches() {
        let text = "define void @f() {\n  %x = add i32 1, 2, !dbg !5\n    #dbg_value(i32 0, !1, !2, !3)\n  switch i32 %x, label %d [\n    i32 1, label %a\n  ], !prof !6\n\na: ; preds\n  call void @g(metadata !7) #3, !srcloc !8\n  ret void\n}\n";
        let texts = instruction_texts(text);
        assert_eq!(
            texts,
            vec![vec!["%x = add i32 1, 2", "switch i32 %x, label %d [", "call void @g(metadata !7)", "ret void"]]
        );
    }
}
