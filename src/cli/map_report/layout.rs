//! Where is each block of a control-flow graph drawn?
//!
//! 1. **Layers** (Sugiyama 1981): back edges (to a block on the stack of a depth-first walk) are ignored; the layer of
//!    a block is the length of the longest path to it.
//! 2. **Order** within a layer: by the mean position of the neighbours above, then below, for a few rounds.
//! 3. **Positions**: layers are centred rows. Edges between neighbouring layers are straight; longer ones and back
//!    edges curve to the side, so that they do not run through blocks.
//!
//! Cost: blocks plus edges, times [`ROUNDS`], times a logarithm.

use serde::Serialize;

/// Number of sweeps down and up.
const ROUNDS: usize = 4;
/// Width and height of a block, in pixels.
pub const SIZE: [u32; 2] = [132, 44];
/// Horizontal and vertical space between blocks, in pixels.
const GAP: [u32; 2] = [28, 40];

/// A drawing.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    pub width: u32,
    pub height: u32,
    /// Top left corner of each block in pixels; `None` if the block is unreachable.
    pub blocks: Vec<Option<[u32; 2]>>,
    pub edges: Vec<Edge>,
}

/// An edge.
#[derive(Clone, Debug, Serialize)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    /// Whether it leads back to a block above.
    pub is_back: bool,
}

/// Draws a graph given by the successors of each block, the entry first.
pub fn draw(next: &[Vec<u32>]) -> Drawing {
    let layers = layers_of(next);
    let depth = layers.iter().flatten().max().map_or(0, |&most| most as usize + 1);
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); depth];
    for (block, layer) in (0u32..).zip(&layers) {
        if let Some(layer) = layer {
            rows[*layer as usize].push(block);
        }
    }
    order(&mut rows, next, &layers);
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0) as u32;
    // space for edges that curve to the side
    let margin = SIZE[0] / 2;
    let inner = widest * (SIZE[0] + GAP[0]);
    let mut blocks = vec![None; next.len()];
    for (number, row) in (0u32..).zip(&rows) {
        let indent = margin + (inner - row.len() as u32 * (SIZE[0] + GAP[0])) / 2;
        for (position, &block) in (0u32..).zip(row) {
            blocks[block as usize] =
                Some([indent + position * (SIZE[0] + GAP[0]), GAP[1] / 2 + number * (SIZE[1] + GAP[1])]);
        }
    }
    let edges = (0u32..)
        .zip(next)
        .filter(|(block, _)| layers[*block as usize].is_some())
        .flat_map(|(from, targets)| {
            let mut targets = targets.clone();
            targets.sort_unstable();
            targets.dedup();
            targets.into_iter().map(move |to| (from, to))
        })
        .map(|(from, to)| Edge { from, to, is_back: layers[to as usize] <= layers[from as usize] })
        .collect();
    Drawing { width: inner + 2 * margin, height: depth as u32 * (SIZE[1] + GAP[1]), blocks, edges }
}

/// Length of the longest path from the entry without back edges.
fn layers_of(next: &[Vec<u32>]) -> Vec<Option<u32>> {
    let count = next.len();
    let mut layers = vec![None; count];
    if count == 0 {
        return layers;
    }
    // post-order of a depth-first walk, iterative: graphs may be deep
    let (mut state, mut post, mut back) = (vec![0u8; count], Vec::with_capacity(count), Vec::new());
    let mut stack = vec![(0usize, 0usize)];
    state[0] = 1;
    while let Some((block, at)) = stack.last_mut() {
        match next[*block].get(*at) {
            Some(&target) => {
                *at += 1;
                let target = target as usize;
                match state[target] {
                    0 => {
                        state[target] = 1;
                        stack.push((target, 0));
                    }
                    1 => back.push((*block, target)),
                    _ => {}
                }
            }
            None => {
                state[*block] = 2;
                post.push(*block);
                stack.pop();
            }
        }
    }
    layers[0] = Some(0);
    for &block in post.iter().rev() {
        let Some(layer) = layers[block] else { continue };
        for &target in &next[block] {
            if !back.contains(&(block, target as usize)) {
                let known = layers[target as usize].unwrap_or(0);
                layers[target as usize] = Some(known.max(layer + 1));
            }
        }
    }
    layers
}

fn order(rows: &mut [Vec<u32>], next: &[Vec<u32>], layers: &[Option<u32>]) {
    let mut above: Vec<Vec<u32>> = vec![Vec::new(); next.len()];
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); next.len()];
    for (from, targets) in (0u32..).zip(next) {
        for &to in targets.iter().filter(|&&to| layers[to as usize] > layers[from as usize]) {
            above[to as usize].push(from);
            below[from as usize].push(to);
        }
    }
    let mut place = vec![0.0f64; next.len()];
    let set_places = |row: &[u32], place: &mut [f64]| {
        for (position, &block) in row.iter().enumerate() {
            place[block as usize] = (position as f64 + 0.5) / row.len() as f64;
        }
    };
    rows.iter().for_each(|row| set_places(row, &mut place));
    for round in 0..ROUNDS {
        let down = round % 2 == 0;
        let neighbours = if down { &above } else { &below };
        for step in 0..rows.len() {
            let row = if down { step } else { rows.len() - 1 - step };
            let mean = |block: u32| {
                let known = &neighbours[block as usize];
                let sum: f64 = known.iter().map(|&other| place[other as usize]).sum();
                if known.is_empty() { place[block as usize] } else { sum / known.len() as f64 }
            };
            let mut keyed: Vec<(f64, u32)> = rows[row].iter().map(|&block| (mean(block), block)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = keyed.into_iter().map(|(_, block)| block).collect();
            let row = rows[row].clone();
            set_places(&row, &mut place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_has_three_rows_and_a_loop_leads_back() {
        // 0 → 1, 2 → 3 → 0; 4 is not reached
        let drawing = draw(&[vec![1, 2], vec![3], vec![3], vec![0], vec![3]]);
        let row = |block: usize| drawing.blocks[block].unwrap()[1];
        assert_eq!(row(1), row(2));
        assert!(row(0) < row(1) && row(2) < row(3));
        assert!(drawing.blocks[4].is_none());
        let back: Vec<(u32, u32)> = drawing.edges.iter().filter(|e| e.is_back).map(|e| (e.from, e.to)).collect();
        assert_eq!(back, [(3, 0)]);
    }

    #[test]
    fn no_two_blocks_overlap() {
        let next: Vec<Vec<u32>> =
            (0..60u32).map(|block| vec![(block * 7 + 1) % 60, (block + 1).min(59), (block * 3) % 60]).collect();
        let drawing = draw(&next);
        let places: Vec<[u32; 2]> = drawing.blocks.iter().flatten().copied().collect();
        for (i, a) in places.iter().enumerate() {
            assert!(a[0] + SIZE[0] <= drawing.width && a[1] + SIZE[1] <= drawing.height);
            for b in &places[i + 1..] {
                assert!(a[0].abs_diff(b[0]) >= SIZE[0] || a[1].abs_diff(b[1]) >= SIZE[1]);
            }
        }
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert!(draw(&[]).blocks.is_empty());
        assert_eq!(draw(&[vec![0]]).edges.len(), 1);
    }
}
