//! What is reported about a module? Plain data, in the order in which it is read, with the wording already chosen.
//!
//! For each function with a body: how many values are uniform, affine and divergent; each divergent branch with the
//! chain of its causes; each memory access with its lane stride and cost; arrays in local memory; and for each line the
//! worst class of the values that it computes. Values without a source line count in the totals only.

use super::advice::{Advice, CycleCosts, Weights};
use super::times::Times;
use super::todo::{Action, actions, first};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use warpwise_analysis::access::lane_distance::LaneDistance;
use warpwise_analysis::access::{self, Cost, Pattern, Space, WarpAccess};
use warpwise_analysis::cost::grid_work::GridWork;
use warpwise_analysis::divergence::hypothesis::conditions;
use warpwise_analysis::divergence::{Class, Facts, ModuleAnalysis};
use warpwise_analysis::explain::causes::Causes;
use warpwise_analysis::explain::explain;
use warpwise_analysis::explain::expression::{ExpressionPrinter, Place, scope_words};
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::source::Sources;
use warpwise_ir::types::TypeKind;

/// Maximum number of values listed for one line.
const VALUES_A_LINE: usize = 4;

/// A module.
#[derive(Serialize, Clone, Debug)]
pub struct Report {
    /// The file as the user named it.
    pub input: String,
    /// What a reader must know about how the figures were obtained.
    pub notes: Vec<String>,
    /// What to do first.
    #[serde(serialize_with = "first")]
    pub todo: Vec<Action>,
    pub functions: Vec<FunctionReport>,
}

impl Report {
    /// Fills the list of what to do first, by measured times if there are any.
    pub fn rank(&mut self, times: Option<&Times>) {
        let subjects = self.functions.iter().map(|one| (&*one.name, &*one.symbol, &*one.advice));
        self.todo = actions(subjects, times);
    }
}

/// A function with a body.
#[derive(Serialize, Clone, Debug)]
pub struct FunctionReport {
    /// Unmangled name.
    pub name: String,
    pub symbol: String,
    /// Whether the host launches it.
    pub is_kernel: bool,
    pub place: Option<LineOf>,
    /// Shape of the block, if known.
    pub block: Option<String>,
    pub values: Counts,
    pub branches: Branches,
    pub accesses: Vec<AccessReport>,
    pub locals: Vec<Local>,
    pub lines: Vec<LineReport>,
    /// Estimated issue cycles of one warp.
    pub cycles: f64,
    /// What of them is lost.
    #[serde(skip)]
    pub costs: CycleCosts,
    /// What each line costs, for pages.
    #[serde(skip)]
    pub figures: BTreeMap<LineOf, Figures>,
    /// What to change, what is worth the most first.
    pub advice: Vec<Advice>,
    /// Work that all threads of the grid repeat, in a sentence.
    pub repeated: Option<String>,
}

/// A line of a file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineOf {
    pub file: String,
    pub line: u32,
}

impl From<Place> for LineOf {
    fn from(place: Place) -> LineOf {
        LineOf { file: place.file, line: place.line }
    }
}

/// Number of values by class.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub uniform: u32,
    pub affine: u32,
    pub divergent: u32,
}

/// Conditional branches and switches.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Branches {
    pub total: u32,
    pub divergent: Vec<BranchReport>,
}

/// One divergent branch.
#[derive(Serialize, Clone, Debug)]
pub struct BranchReport {
    pub place: Option<LineOf>,
    /// "`i < n` depends on threadIdx.x".
    pub why: String,
}

/// One load, store or atomic operation.
#[derive(Serialize, Clone, Debug)]
pub struct AccessReport {
    pub place: Option<LineOf>,
    pub action: String,
    pub space: String,
    pub bytes: u32,
    /// The address as an expression.
    pub address: String,
    /// Bytes between neighbouring lanes, if that is one number.
    pub stride: Option<i64>,
    pub sectors: Option<u32>,
    pub ideal_sectors: Option<u32>,
    pub bank_ways: Option<u32>,
    /// Description; absent if nothing is known.
    pub text: Option<String>,
    /// Whether the access could be cheaper.
    pub is_costly: bool,
}

impl AccessReport {
    /// What it accesses, and what that costs.
    pub fn sentence(&self) -> String {
        let text = match &self.text {
            _ if self.space == "local" => "an object that is indexed in memory, not kept in registers",
            Some(text) => text,
            None => "lanes an unknown distance apart",
        };
        format!("{} {} `{}`: {text}", self.space, self.action, self.address)
    }
}

/// An object in local memory.
#[derive(Serialize, Clone, Debug)]
pub struct Local {
    pub place: Option<LineOf>,
    pub name: String,
    pub bytes: u64,
}

/// How much lanes agree, from most to least.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    Uniform,
    Affine,
    Divergent,
}

impl Agreement {
    /// One word.
    pub fn word(self) -> &'static str {
        ["uniform", "affine", "divergent"][self as usize]
    }
}

/// A source line.
#[derive(Serialize, Clone, Debug)]
pub struct LineReport {
    #[serde(flatten)]
    pub place: LineOf,
    /// Text of the line, if the file can be read.
    pub text: Option<String>,
    /// The worst class of the line's values.
    pub class: Agreement,
    pub values: Vec<ValueReport>,
    /// Problems on the line: divergent branches and expensive accesses.
    pub notes: Vec<String>,
}

/// Estimates of what a line costs, over all of its copies by inlining and unrolling.
#[derive(Serialize, Clone, Default, Debug)]
pub struct Figures {
    #[serde(flatten)]
    pub costs: CycleCosts,
    /// How often a warp executes its most frequent instruction.
    pub executions: f64,
    /// How often the same instruction stands there, by inlining and unrolling.
    pub copies: u32,
    /// Maximum number of 32-bit registers that are live.
    pub registers: u32,
    /// Sectors that a request of its worst access needs if lanes are side by side, and that it fetches.
    pub request: Option<[u32; 2]>,
    /// Phases of shared memory of its worst access.
    pub phases: Option<u32>,
    /// Whether an access has lanes an unknown distance apart.
    pub is_unknown: bool,
}

/// A value on a line.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct ValueReport {
    pub expression: String,
    pub class: Agreement,
    /// "4*threadIdx.x + uniform", "the same across the grid".
    pub detail: String,
}

/// Reports on every function of a file with a body.
pub fn build(analysis: &ModuleAnalysis<'_>, file: &Path) -> Report {
    let mut sources = Sources::beside(file);
    let defined = analysis.context.functions().iter().filter(|function| !function.is_declaration());
    let report = |&function: &_| {
        let (facts, handles) = analysis.facts(function);
        Builder::new(analysis, &facts, &handles).build(&mut sources)
    };
    let mut functions: Vec<FunctionReport> = defined.map(report).collect();
    // kernels first, otherwise in the order of the module
    functions.sort_by_key(|function| !function.is_kernel);
    Report { input: file.display().to_string(), notes: Vec::new(), todo: Vec::new(), functions }
}

/// Whether an expression is still meaningful after parts were omitted from it.
fn is_readable(expression: &str) -> bool {
    expression != "…" && expression.matches('…').count() < 2
}

/// What is said of an access like `in[min(i + 1, n - 1)]`.
const NEIGHBOURS: &str = "neighbouring lanes at neighbouring elements, except where the index is cut off or wraps";

struct Builder<'a, 'm> {
    analysis: &'a ModuleAnalysis<'m>,
    facts: &'a Facts,
    handles: &'a Handles<'m>,
    words: ExpressionPrinter<'a, 'm>,
    lines: BTreeMap<LineOf, LineReport>,
    figures: BTreeMap<LineOf, Figures>,
}

impl<'a, 'm> Builder<'a, 'm> {
    fn new(analysis: &'a ModuleAnalysis<'m>, facts: &'a Facts, handles: &'a Handles<'m>) -> Self {
        let (lines, figures) = Default::default();
        Builder { analysis, facts, handles, words: ExpressionPrinter::new(facts, handles), lines, figures }
    }

    fn build(mut self, sources: &mut Sources) -> FunctionReport {
        let kernel = &self.facts.func;
        let values = self.values();
        let found = access::accesses(self.facts);
        let mut weights = Weights::new(self.facts, self.handles, &found);
        let branches = self.branches(&mut weights);
        let accesses = self.accesses(&found, &mut weights);
        let locals = self.locals();
        let repeated = GridWork::of(self.facts, self.handles);
        if let Some(work) = &repeated {
            weights.repeated(work, self.words.place(work.place).map(LineOf::from));
        }
        self.weigh(&weights);
        let mut lines: Vec<LineReport> = std::mem::take(&mut self.lines).into_values().collect();
        for line in &mut lines {
            line.text = sources.line(&line.place.file, line.place.line).map(str::to_owned);
        }
        let first = lines.first().map(|line| line.place.clone());
        let symbol = self.handles.function.name();
        FunctionReport {
            name: kernel_symbol(&symbol),
            symbol,
            is_kernel: kernel.is_kernel,
            place: self.handles.function.place().map(|(file, line)| LineOf { file, line }).or(first),
            block: self.facts.geometry.exact.map(|shape| shape.to_string()),
            values,
            branches,
            accesses,
            locals,
            lines,
            cycles: weights.costs().cycles,
            costs: weights.costs(),
            figures: self.figures,
            advice: weights.advice(),
            repeated: repeated.map(|work| work.sentence()),
        }
    }

    /// Counts the values, and lists those with a source line on their line.
    fn values(&mut self) -> Counts {
        let kernel = &self.facts.func;
        let mut counts = [0; 3];
        for inst in kernel.insts.keys() {
            let data = &kernel.insts[inst];
            if !self.facts.is_reachable(data.block) {
                continue;
            }
            if data.opcode == Opcode::Store
                && let Some(place) = self.words.place(inst)
            {
                // what is stored is computed here or was before: the line is about it either way
                let class = self.agreement(kernel.operands(inst)[0]);
                let line = self.line(place.into());
                line.class = line.class.max(class);
            }
            if kernel.types[data.ty].kind == TypeKind::Void {
                continue;
            }
            let value = kernel.result(inst);
            let class = self.agreement(value);
            counts[class as usize] += 1;
            if let Some(place) = self.words.place(inst) {
                self.put(place.into(), inst, class);
            }
        }
        let [uniform, affine, divergent] = counts;
        Counts { uniform, affine, divergent }
    }

    /// Fills the figures of all lines, but for what accesses need.
    fn weigh(&mut self, weights: &Weights<'_, '_>) {
        let (func, pressure) = (&self.facts.func, Pressure::new(self.facts));
        let mut copies: HashMap<(LineOf, u32, Opcode), u32> = HashMap::new();
        for block in func.blocks.keys().filter(|&block| self.facts.is_reachable(block)) {
            pressure.each(self.facts, block, |inst, live| {
                let Some(place) = self.words.place(inst) else { return };
                let (column, place) = (place.column, LineOf::from(place));
                let (cycles, executions) = weights.inst(inst);
                let count = copies.entry((place.clone(), column, func.insts[inst].opcode)).or_default();
                *count += 1;
                let figures = self.figures.entry(place).or_default();
                figures.costs.cycles += cycles;
                figures.executions = figures.executions.max(executions);
                figures.copies = figures.copies.max(*count);
                figures.registers = figures.registers.max(live);
            });
        }
        for (place, figures) in &mut self.figures {
            figures.costs = weights.line(place, figures.costs.cycles);
        }
    }

    /// The line of a branch or access. LLVM takes the line from one that it makes of several; then it is the first line
    /// of the same block.
    fn place(&self, inst: Inst) -> Option<LineOf> {
        let own = self.words.place(inst);
        own.or_else(|| self.words.place_of_block(self.facts.func.insts[inst].block)).map(LineOf::from)
    }

    fn agreement(&self, value: Value) -> Agreement {
        match self.facts.class(value) {
            Class::Unreached | Class::Constant(_) | Class::Uniform(_) => Agreement::Uniform,
            Class::Affine(_) => Agreement::Affine,
            Class::Divergent => Agreement::Divergent,
        }
    }

    fn line(&mut self, place: LineOf) -> &mut LineReport {
        let (class, values, notes) = (Agreement::Uniform, Vec::new(), Vec::new());
        self.lines.entry(place.clone()).or_insert(LineReport { place, text: None, class, values, notes })
    }

    fn put(&mut self, place: LineOf, inst: Inst, class: Agreement) {
        let kernel = &self.facts.func;
        let value = kernel.result(inst);
        let is_address = matches!(kernel.insts[inst].opcode, Opcode::Alloca | Opcode::Gep | Opcode::AddrSpaceCast);
        let shown = (!is_address && !self.is_inner(inst)).then(|| ValueReport {
            expression: self.expression(inst, class),
            class,
            detail: self.detail(value),
        });
        let line = self.line(place);
        if !is_address {
            line.class = line.class.max(class);
        }
        let room = line.values.len() < VALUES_A_LINE;
        let wanted = |report: &_| room && !line.values.contains(report);
        if let Some(report) = shown.filter(|report| is_readable(&report.expression) && wanted(report)) {
            line.values.push(report);
        }
    }

    /// The text of a value. A conversion is left out of expressions, unless lanes agree on its result in another way than
    /// on what is converted: then the same text would have two classes.
    fn expression(&self, inst: Inst, class: Agreement) -> String {
        let kernel = &self.facts.func;
        let value = kernel.result(inst);
        let text = self.words.value(value);
        let is_other = matches!(kernel.insts[inst].opcode, Opcode::SExt | Opcode::ZExt | Opcode::Trunc)
            && self.agreement(kernel.operands(inst)[0]) != class;
        match kernel.int_bits(value).filter(|_| is_other) {
            Some(bits) => format!("({text}) as {bits} bits"),
            None => text,
        }
    }

    /// Whether a value is only part of another expression on the same line.
    fn is_inner(&self, inst: Inst) -> bool {
        let kernel = &self.facts.func;
        if matches!(kernel.insts[inst].opcode, Opcode::Phi | Opcode::AtomicRmw | Opcode::CmpXchg) {
            return false;
        }
        let users = self.facts.users(kernel.result(inst));
        let line_of = |inst: Inst| self.words.place(inst).map(|place| (place.file, place.line));
        let line = line_of(inst);
        let is_part = |user: Inst| {
            let is_expression = !matches!(
                kernel.insts[user].opcode,
                Opcode::CondBr | Opcode::Switch | Opcode::Store | Opcode::Phi | Opcode::Ret
            );
            is_expression && line_of(user) == line
        };
        !users.is_empty() && users.iter().all(|&user| is_part(user))
    }

    fn detail(&self, value: Value) -> String {
        match self.facts.class(value) {
            Class::Unreached => "never computed".to_owned(),
            Class::Constant(number) => {
                let is_bool = self.facts.func.int_bits(value) == Some(1);
                if is_bool { (number != 0).to_string() } else { number.to_string() }
            }
            Class::Uniform(scope) => scope_words(scope).to_owned(),
            Class::Affine(form) => self.words.form(form),
            Class::Divergent => match self.facts.form(value) {
                Some(form) => self.words.form(form),
                None => "differs from lane to lane".to_owned(),
            },
        }
    }

    fn branches(&mut self, weights: &mut Weights<'_, '_>) -> Branches {
        let kernel = &self.facts.func;
        let mut branches = Branches::default();
        let causes = Causes::new(self.facts);
        let conditions = conditions(Some(self.analysis), self.facts, self.handles);
        for block in kernel.blocks.keys().filter(|&block| self.facts.is_reachable(block)) {
            if !kernel.graph.is_branch(block) {
                continue;
            }
            branches.total += 1;
            if !self.facts.is_divergent_branch(block) {
                continue;
            }
            let mut why = match causes.of_branch(block) {
                Some(chain) => explain(self.facts, &self.words, &chain, block),
                None => "warpwise does not know this kind of branch".to_owned(),
            };
            let condition = conditions.text(block, |value| self.words.value(value)).unwrap_or_default();
            if !condition.is_empty() {
                why += &format!("; {condition}");
            }
            let place = self.place(kernel.terminator(block));
            weights.branch(block, place.clone(), &why, condition.contains("blockDim"));
            if let Some(place) = &place {
                let line = self.line(place.clone());
                line.class = Agreement::Divergent;
                line.notes.push(format!("branch diverges: {why}"));
            }
            branches.divergent.push(BranchReport { place, why });
        }
        branches.divergent.sort_by(|a, b| a.place.cmp(&b.place));
        branches
    }

    fn accesses(&mut self, found: &[WarpAccess], weights: &mut Weights<'_, '_>) -> Vec<AccessReport> {
        let mut reports = Vec::new();
        let mut distances = LaneDistance::new(self.facts);
        for access in found {
            let mut report = self.access(access);
            let is_near = |bytes: u64| bytes > 0 && bytes <= u64::from(access.bytes);
            let mut apart = || distances.of(access.pointer, self.facts.func.insts[access.inst].block);
            if report.text.is_none() && access.space == Space::Global && apart().is_some_and(is_near) {
                report.text = Some(NEIGHBOURS.to_owned());
            } else {
                weights.access(access, report.place.clone(), || report.sentence());
            }
            if let Some(place) = &report.place {
                let is_unknown = access.space == Space::Global && report.text.is_none();
                let figures = self.figures.entry(place.clone()).or_default();
                figures.is_unknown |= is_unknown;
                let sectors = report.ideal_sectors.zip(report.sectors).filter(|_| access.space == Space::Global);
                let of_access = sectors.map(|(ideal, needed)| [ideal, needed]);
                let worse = |new: [u32; 2], old: [u32; 2]| new[1] * old[0].max(1) > old[1] * new[0].max(1);
                if let Some(new) = of_access.filter(|&new| figures.request.is_none_or(|known| worse(new, known))) {
                    figures.request = Some(new);
                }
                figures.phases = figures.phases.max(report.bank_ways);
            }
            if let (Some(place), Some(text), true) = (&report.place, &report.text, report.is_costly) {
                let note = format!("{} {}: {text}", report.space, report.action);
                let line = self.line(place.clone());
                if !line.notes.contains(&note) {
                    line.notes.push(note);
                }
            }
            reports.push(report);
        }
        reports.sort_by(|a, b| a.place.cmp(&b.place));
        reports
    }

    fn access(&self, access: &WarpAccess) -> AccessReport {
        let describe = |all| access::describe(access, |value| self.words.value(value), all);
        let (sectors, ideal_sectors, bank_ways) = match access.cost {
            Cost::Sectors { needed, ideal } => (Some(needed), Some(ideal), None),
            Cost::BankWays(ways) => (None, None, Some(ways)),
            Cost::None => (None, None, None),
        };
        let stride = match access.pattern {
            Pattern::Same => Some(0),
            Pattern::Stride(stride) => Some(stride),
            _ => None,
        };
        let address = self.words.value(access.pointer);
        AccessReport {
            place: self.place(access.inst),
            action: access.action.noun().to_owned(),
            space: access.space.to_string(),
            bytes: access.bytes,
            address: address.strip_prefix('&').map_or(address.clone(), str::to_owned),
            stride,
            sectors,
            ideal_sectors,
            bank_ways,
            text: describe(true),
            is_costly: access.pattern != Pattern::Same && describe(false).is_some(),
        }
    }

    fn locals(&self) -> Vec<Local> {
        let kernel = &self.facts.func;
        let allocas = kernel.insts.keys().filter(|&inst| kernel.insts[inst].opcode == Opcode::Alloca);
        let local = |inst: Inst| {
            let name = self.words.source_name(kernel.result(inst));
            let bytes = self.handles.inst(inst).allocated_bytes().unwrap_or(0);
            let place = self.words.place(inst).map(LineOf::from);
            Local { place, name: name.unwrap_or_else(|| "an unnamed object".to_owned()), bytes }
        };
        allocas.map(local).collect()
    }
}
