//! How is a kernel launched? Inputs go in, blocks run one after another, and buffers and a report come out.
//!
//! Blocks run in order, each to its end; the warps of a block take turns. A program in which one block waits for
//! another is stopped by the step limit. Everything is deterministic for a given configuration, including the seed.

use super::code::{BarrierKind, FunctionCode, LANES};
use super::constants::{self, Pool};
use super::control::{Arrival, Site, completed};
use super::decode;
use super::fault::{Fault, FaultKind, Trap, element};
use super::independent;
use super::launch::{Arg, Bytes, GlobalAfter, Inputs, LaunchConfig, LaunchError, LaunchReport, Scheduler, check_shape};
use super::layout::Shapes;
use super::lockstep::{LockstepWarp, Yield};
use super::memory::{AllocationKind, Arena, DeviceMemory, read_bytes};
use super::observe::{Observer, mix};
use super::races::Races;
use super::versions;
use super::warp::Warp;
use smallvec::smallvec;
use warpwise_ir::llvm::image::{FuncId, ModuleImage, ParamImage, TypeKind};
use warpwise_ir::phrase::counted;
use warpwise_timer::names::{demangled, short};

/// Number of instructions that a warp executes before the next one gets its turn.
const TURN: u64 = 50_000;

/// A decoded module.
#[derive(Debug)]
pub(super) struct Program {
    pub pool: Pool,
    pub functions: Vec<FunctionCode>,
}

/// Bytes and undefined bits of a global before a launch.
type Initial = (Vec<u8>, Vec<u8>);

/// A module ready to run.
#[derive(Debug)]
pub struct Machine<'i> {
    image: &'i ModuleImage,
    program: Program,
    /// Initial bytes and undefined bits of every global in device memory; an error if its initialiser is not supported.
    initial: Vec<Result<Initial, String>>,
}

/// The state that all warps share during a launch.
#[derive(Debug)]
pub struct World<'p> {
    pub image: &'p ModuleImage,
    pub device: DeviceMemory,
    pub shared: Arena,
    pub races: Races,
    pub config: LaunchConfig,
    pub block: [u32; 3],
    pub block_number: u32,
    pub heap_used: u64,
    /// What is known of the results so far.
    pub report: LaunchReport,
    shared_names: Vec<(u64, u64, String)>,
}

/// A launch that goes on: what runs, the state that its warps share, and who watches.
pub(super) struct Run<'r, 'p, O> {
    pub program: &'r Program,
    pub world: &'r mut World<'p>,
    pub observer: &'r mut O,
}

impl<O> Run<'_, '_, O> {
    /// The warps of a block that begins.
    pub fn warps(&self, kernel: FuncId, args: &[u64]) -> impl Iterator<Item = Warp> {
        let (block, slots) = (self.world.config.block, self.program.functions[kernel.index()].slots);
        (0..warps_of(block)).map(move |index| Warp::new(index, block, slots, args))
    }
}

impl World<'_> {
    /// The shared variable and the element that lie at an offset, for accesses of `size` bytes.
    pub fn shared_element(&self, offset: usize, size: usize) -> String {
        let below = self.shared_below(offset);
        below.map_or_else(String::new, |(start, _, name)| element(name, offset as u64 - start, size))
    }

    /// The last shared variable that begins at an offset or below: its offset, size and name.
    fn shared_below(&self, offset: usize) -> Option<&(u64, u64, String)> {
        self.shared_names.iter().filter(|(start, _, _)| *start <= offset as u64).max_by_key(|entry| entry.0)
    }

    /// Describes a shared offset, for messages.
    pub fn describe_shared(&self, offset: usize) -> String {
        match self.shared_below(offset) {
            Some((start, size, name)) => {
                format!("offset {} of shared variable {name} ({size} bytes)", offset as u64 - start)
            }
            None => "no shared variable is there".to_owned(),
        }
    }
}

impl<'i> Machine<'i> {
    /// Decodes a module.
    pub fn new(image: &'i ModuleImage) -> Machine<'i> {
        let mut pool = Pool::place(image);
        let functions = decode::decode(image, &mut pool);
        let mut initial = Vec::new();
        for global in &image.globals {
            let size = if global.address_space == 3 { 0 } else { image.ty(global.ty).size as usize };
            let (mut data, mut undef) = (vec![0; size], vec![0; size]);
            let filled = match global.initializer {
                Some(id) if size > 0 => pool.write(image, id, &mut data, &mut undef),
                _ => Ok(()),
            };
            initial.push(filled.map(|()| (data, undef)));
        }
        Machine { image, program: Program { pool, functions }, initial }
    }

    /// Finds a kernel: by name, or the only one.
    pub fn kernel(&self, name: Option<&str>) -> Result<FuncId, LaunchError> {
        let all = self.image.kernels().map(|id| self.image.functions[id.index()].name.as_str());
        let names: Vec<&str> = all.filter(|symbol| !versions::is_version(self.image, symbol)).collect();
        let list = names.iter().map(|symbol| short(&demangled(symbol))).collect::<Vec<_>>().join(", ");
        let of_name = |name: &str| self.image.kernels().find(|id| self.image.functions[id.index()].name == name);
        let module = &self.image.name;
        let found = match (name, names.as_slice()) {
            (Some(name), _) | (None, &[name]) => of_name(name),
            _ => None,
        };
        found.ok_or_else(|| {
            LaunchError::Request(match name {
                _ if names.is_empty() => format!("{module} has no kernel"),
                Some(name) => format!("there is no kernel named {name} in {module}; it has {list}"),
                None => format!("{module} has several kernels, so name one: {list}"),
            })
        })
    }

    /// Runs a kernel.
    pub fn launch<O: Observer>(
        &self,
        kernel: FuncId,
        config: &LaunchConfig,
        inputs: &Inputs,
        observer: &mut O,
    ) -> Result<LaunchReport, LaunchError> {
        check_shape(config)?;
        let version = versions::choose(self.image, kernel, config);
        let (kernel, dynamic_shared) = version.unwrap_or((kernel, config.dynamic_shared));
        let config = &LaunchConfig { dynamic_shared, ..*config };
        let mut world = self.world(config, inputs)?;
        world.report.version = version.map(|(version, _)| self.image.functions[version.index()].name.clone());
        let (slots, buffers) = self.arguments(kernel, inputs, &mut world.device)?;
        if O::ACTIVE {
            observer.start(kernel, &slots);
        }
        let [gx, gy, gz] = config.grid;
        for number in block_order(gx * gy * gz, config.scheduler) {
            world.block = [number % gx, number / gx % gy, number / (gx * gy)];
            world.block_number = number;
            self.start_block(&mut world);
            let mut cx = Run { program: &self.program, world: &mut world, observer };
            let ran = match config.scheduler {
                Scheduler::Lockstep => block_in_lockstep(&mut cx, kernel, &slots),
                Scheduler::Independent(seed) => independent::block(&mut cx, kernel, &slots, seed),
            };
            if let Err(stop) = ran {
                return Err(LaunchError::Fault(Box::new(self.fault(kernel, &world, *stop))));
            }
        }
        let mut report = world.report;
        for found in &buffers {
            report.buffers.push(found.map(|number| bytes_of(&world.device, number)));
        }
        for (i, buffer) in report.buffers.iter().enumerate() {
            if let Some(bytes) = buffer.iter().find(|bytes| bytes.undef.iter().any(|&bits| bits != 0)) {
                let count = bytes.undef.iter().filter(|&&bits| bits != 0).count();
                report.warnings.push(format!("argument {i} ends with {count} bytes that hold undefined values"));
            }
        }
        for (global, number) in self.image.globals.iter().zip(0..) {
            if global.address_space != 3 && !global.constant && global.address_space != 4 {
                let bytes = bytes_of(&world.device, number);
                let changed = self.initial[number].as_ref().is_ok_and(|(data, _)| *data != bytes.data);
                report.globals.push(GlobalAfter { name: global.name.clone(), bytes, changed });
            }
        }
        Ok(report)
    }

    fn world(&self, config: &LaunchConfig, inputs: &Inputs) -> Result<World<'i>, LaunchError> {
        let mut device = DeviceMemory::default();
        let mut shared_names = Vec::new();
        for ((global, placed), initial) in self.image.globals.iter().zip(&self.program.pool.globals).zip(&self.initial)
        {
            if global.address_space == 3 {
                let size = if placed.address == self.program.pool.dynamic_shared {
                    config.dynamic_shared.into()
                } else {
                    placed.size
                };
                shared_names.push((placed.address, size, global.name.clone()));
                // so that allocation numbers equal global numbers
                device.add(None, Vec::new(), None, AllocationKind::Plain, global.name.clone());
                continue;
            }
            let unknown =
                |what| format!("the initialiser of @{} holds what the machine does not know: {what}", global.name);
            let (data, undef) = initial.clone().map_err(unknown).map_err(LaunchError::Request)?;
            let kind = if global.constant { AllocationKind::Constant } else { AllocationKind::Plain };
            let undef = undef.iter().any(|&bits| bits != 0).then_some(undef);
            device.add(Some(placed.address), data, undef, kind, format!("@{}", global.name));
        }
        for (name, bytes) in &inputs.globals {
            let number = self.image.globals.iter().position(|global| global.name == *name && global.address_space != 3);
            let missing = || format!("there is no global variable named {name} outside shared memory");
            let number = number.ok_or_else(missing).map_err(LaunchError::Request)?;
            let allocation = &mut device.allocations[number];
            if bytes.len() > allocation.data.len() {
                let (have, want) = (bytes.len(), allocation.data.len());
                let text = format!("global variable {name} has {want} bytes, but {have} are given");
                return Err(LaunchError::Request(text));
            }
            allocation.data[..bytes.len()].copy_from_slice(bytes);
            if let Some(undef) = &mut allocation.undef {
                undef[..bytes.len()].fill(0);
            }
        }
        let mut races = Races::default();
        (races.shared_enabled, races.global_enabled) = (config.races.shared, config.races.global);
        Ok(World {
            image: self.image,
            device,
            shared: Arena::default(),
            races,
            config: *config,
            block: [0; 3],
            block_number: 0,
            heap_used: 0,
            report: LaunchReport { dynamic_shared: config.dynamic_shared, ..LaunchReport::default() },
            shared_names,
        })
    }

    /// A parameter's type as it is given on the command line.
    fn type_word(&self, param: &ParamImage) -> String {
        match (param.by_value, &self.image.ty(param.ty).kind) {
            (Some((inner, _)), _) => format!("{} bytes", self.image.ty(inner).size),
            (None, TypeKind::Ptr(_)) => "pointer".to_owned(),
            (None, TypeKind::Int(bits)) => format!("i{bits}"),
            (None, TypeKind::Half | TypeKind::Float | TypeKind::Double) => {
                format!("f{}", 8 * self.image.ty(param.ty).size)
            }
            _ => format!("{} bytes", self.image.ty(param.ty).size),
        }
    }

    /// The slots of the kernel's frame that hold arguments, and the allocation of each buffer argument.
    fn arguments(
        &self,
        kernel: FuncId,
        inputs: &Inputs,
        device: &mut DeviceMemory,
    ) -> Result<(Vec<u64>, Vec<Option<usize>>), LaunchError> {
        let function = &self.image.functions[kernel.index()];
        let (want, have) = (function.params.len(), inputs.args.len());
        if want != have {
            let shown = |param: &ParamImage| format!("{} {}", self.type_word(param), param.name);
            let names: Vec<String> = function.params.iter().map(shown).collect();
            let text = format!(
                "kernel {} takes {} ({}), but {have} {} given",
                short(&demangled(&function.name)),
                counted(want, "argument"),
                names.join(", "),
                if have == 1 { "is" } else { "are" },
            );
            return Err(LaunchError::Request(text));
        }
        let mut shapes = Shapes::new(self.image);
        let (mut slots, mut buffers) = (Vec::new(), Vec::new());
        for (i, (param, arg)) in function.params.iter().zip(&inputs.args).enumerate() {
            let ty = self.image.ty(param.ty);
            let name = format!("argument {i} ({})", param.name);
            let refuse = |text: String| Err(LaunchError::Request(format!("{name}: {text}")));
            match (arg, param.by_value, &ty.kind) {
                (Arg::Buffer(data), None, TypeKind::Ptr(_)) => {
                    slots.push(device.add(None, data.clone(), None, AllocationKind::Plain, name));
                    buffers.push(Some(device.allocations.len() - 1));
                }
                (Arg::Buffer(_), _, _) => return refuse("a buffer is given, but the parameter is no pointer".into()),
                (Arg::Value(bytes), Some((inner, _)), _) => {
                    let size = self.image.ty(inner).size;
                    if bytes.len() as u64 != size {
                        return refuse(format!("{} bytes are given for a struct of {size} bytes", bytes.len()));
                    }
                    slots.push(device.add(None, bytes.clone(), None, AllocationKind::Constant, name));
                    buffers.push(None);
                }
                (Arg::Value(bytes), None, kind) => {
                    if bytes.len() as u64 != ty.store && matches!(kind, TypeKind::Ptr(_)) {
                        return refuse("it is a pointer: give a buffer, such as f32[1024]:zero, or null".into());
                    }
                    if bytes.len() as u64 != ty.store {
                        return refuse(format!("{} bytes are given, but its type takes {}", bytes.len(), ty.store));
                    }
                    let shape = shapes.of(param.ty).map_err(LaunchError::Request)?;
                    for at in &shape.leaves {
                        for word in 0..at.leaf.slots() {
                            let bits = (at.leaf.bits() - 64 * word).min(64);
                            let raw = read_bytes(bytes, (at.offset + 8 * word) as usize, bits.div_ceil(8) as usize);
                            slots.push(raw & (u64::MAX >> (64 - bits)));
                        }
                    }
                    buffers.push(None);
                }
            }
        }
        Ok((slots, buffers))
    }

    /// New shared memory.
    fn start_block(&self, world: &mut World<'_>) {
        let pool = &self.program.pool;
        let end = (pool.dynamic_shared + u64::from(world.config.dynamic_shared)).max(pool.shared_end) as usize;
        world.shared = Arena::default();
        world.shared.grow(end);
        for placed in pool.globals.iter().filter(|placed| placed.space == constants::space::SHARED) {
            if placed.address != pool.dynamic_shared {
                world.shared.mark(placed.address as usize, placed.size as usize, true);
            }
        }
        world.shared.mark(pool.dynamic_shared as usize, world.config.dynamic_shared as usize, true);
        world.races.start_block(warps_of(world.config.block) as usize, end);
    }

    fn fault(&self, kernel: FuncId, world: &World<'_>, stop: Stop) -> Fault {
        let Stop { trap, tid, place: (func, inst), origin } = stop;
        let function = &self.image.functions[func.index()];
        let shown = |inst: u32| {
            let inst = function.insts.get(inst as usize)?;
            let location = inst.loc.map(|loc| format!("\n  at {}", self.image.describe_location(loc)));
            Some(inst.text.clone() + &location.unwrap_or_default())
        };
        let names = [&self.image.functions[kernel.index()].name, &function.name];
        let [kernel, name] = names.map(|symbol| short(&demangled(symbol)));
        let [block, thread] = [world.block, tid[trap.lane as usize & 31]].map(|[x, y, z]| format!("({x},{y},{z})"));
        let text = shown(inst).unwrap_or_default();
        let origin = origin.and_then(shown).map(|origin| format!("\n  the value is undefined since: {origin}"));
        let place = format!("kernel {kernel}, block {block}, thread {thread}\n  in {name}: {text}");
        Fault { kind: trap.kind, place: place + &origin.unwrap_or_default() }
    }
}

/// A trap with the threads of its warp and the instruction.
#[derive(Debug)]
pub(super) struct Stop {
    pub trap: Box<Trap>,
    pub tid: [[u32; 3]; LANES],
    pub place: (FuncId, u32),
    /// The instruction of the same function at which a value became undefined that this one uses.
    pub origin: Option<u32>,
}

impl Stop {
    /// A trap of a warp at a micro-operation of an activation.
    pub fn new(
        program: &Program,
        image: &ModuleImage,
        warp: &Warp,
        at: Option<(Site, u32)>,
        trap: Box<Trap>,
    ) -> Stopped {
        let place = at.map_or((FuncId(0), 0), |(site, pc)| site.place(program, pc));
        let undefined = at.filter(|_| matches!(trap.kind, FaultKind::Undef { .. }));
        let origin = undefined.and_then(|(site, _)| site.origin(program, image, &warp.regs, place.1, trap.lane));
        Box::new(Stop { trap, tid: warp.tid, place, origin })
    }
}

/// Boxed, because errors are rare and large.
pub(super) type Stopped = Box<Stop>;

/// The blocks in order, or shuffled by the seed with independent scheduling.
fn block_order(count: u32, scheduler: Scheduler) -> Box<dyn Iterator<Item = u32>> {
    let Scheduler::Independent(seed) = scheduler else { return Box::new(0..count) };
    let mut order: Vec<u32> = (0..count).collect();
    let mut state = mix(seed, u64::from(count));
    for i in (1..order.len()).rev() {
        state = mix(state, i as u64);
        order.swap(i, (state % (i as u64 + 1)) as usize);
    }
    Box::new(order.into_iter())
}

/// Warps of a block.
fn warps_of(block: [u32; 3]) -> u32 {
    block.iter().product::<u32>().div_ceil(LANES as u32)
}

/// Runs one block in lockstep.
fn block_in_lockstep<O: Observer>(cx: &mut Run<'_, '_, O>, kernel: FuncId, slots: &[u64]) -> Result<(), Stopped> {
    let mut warps: Vec<LockstepWarp> = cx.warps(kernel, slots).map(|warp| LockstepWarp::new(warp, kernel)).collect();
    let mut states = vec![Yield::Turn; warps.len()];
    // warps that arrived at a barrier without waiting: (id, threads)
    let mut early: Vec<(u32, u32)> = Vec::new();
    loop {
        let mut progress = false;
        for (warp, state) in warps.iter_mut().zip(&mut states) {
            while *state == Yield::Turn {
                progress = true;
                *state = warp.run(cx, TURN).map_err(|trap| warp.stop(cx.program, cx.world.image, trap))?;
                if let Yield::Barrier(Arrival { what: BarrierKind::Arrive, id, .. }) = *state {
                    early.push((id, LANES as u32));
                    warp.go_on(cx, None);
                    *state = Yield::Turn;
                    continue;
                }
                break;
            }
        }
        if states.iter().all(|state| *state == Yield::Done) {
            return Ok(());
        }
        if !release_barriers(cx, &mut warps, &mut states, &mut early) && !progress {
            let stuck = warps.iter().zip(&states).find_map(|(warp, state)| match state {
                Yield::Barrier(arrival) => Some((warp, *arrival)),
                _ => None,
            });
            let Some((warp, arrival)) = stuck else { return Ok(()) };
            let arrived: u32 =
                states.iter().map(|s| if let Yield::Barrier(a) = s { a.lanes.count_ones() } else { 0 }).sum();
            let expected = if arrival.count == 0 { cx.world.config.block.iter().product() } else { arrival.count };
            let kind = FaultKind::Deadlock { id: arrival.id, arrived, expected };
            let lane = arrival.lanes.trailing_zeros();
            let trap = Box::new(Trap { lane, kind });
            return Err(warp.stop(cx.program, cx.world.image, trap));
        }
    }
}

/// Releases every complete barrier; returns whether there was one.
fn release_barriers<O: Observer>(
    cx: &mut Run<'_, '_, O>,
    warps: &mut [LockstepWarp],
    states: &mut [Yield],
    early: &mut Vec<(u32, u32)>,
) -> bool {
    let at_barriers = |(warp, state): (&LockstepWarp, &Yield)| {
        (warp.core.running(), if let Yield::Barrier(arrival) = state { smallvec![*arrival] } else { smallvec![] })
    };
    let waiting: Vec<_> = warps.iter().zip(states.iter()).map(at_barriers).collect();
    let completed = completed(early, &waiting);
    for barrier in &completed {
        cx.world.races.barrier();
        for (warp, state) in warps.iter_mut().zip(states.iter_mut()) {
            if let Yield::Barrier(arrival) = *state
                && arrival.id == barrier.id
            {
                warp.go_on(cx, Some((barrier.result(arrival.what), barrier.undefined)));
                *state = Yield::Turn;
            }
        }
    }
    !completed.is_empty()
}

fn bytes_of(device: &DeviceMemory, number: usize) -> Bytes {
    let allocation = &device.allocations[number];
    let undef = allocation.undef.clone().filter(|undef| undef.iter().any(|&bits| bits != 0)).unwrap_or_default();
    Bytes { data: allocation.data.clone(), undef }
}
