//! Gravity among many bodies by Barnes and Hut's method.

use std::f64::consts::{PI, SQRT_2};
use std::ops::{Add, AddAssign, Mul, Range, Sub};

use super::{Input, Instance};
use crate::fork_join::{for_each, in_halves};
use crate::random::RandomSequence;
use crate::ForkJoin;

const STEPS: usize = 2;
const STEP_TIME: f64 = 0.01;
/// Greatest width over distance of a cell that pulls as a whole.
const OPENING: f64 = 0.5;
/// Keeps close bodies from pulling without bound.
const SOFTENING: f64 = 0.01;
const LEAF_BODIES: usize = 8;
/// Level of cells, for bodies in one place.
const DEEPEST: u32 = 60;

#[derive(Clone, Copy, Default)]
struct Vector3 {
    x: f64,
    y: f64,
    z: f64,
}

impl Add for Vector3 {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl AddAssign for Vector3 {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Sub for Vector3 {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl Mul<Vector3> for f64 {
    type Output = Vector3;
    fn mul(self, a: Vector3) -> Vector3 {
        Vector3 { x: self * a.x, y: self * a.y, z: self * a.z }
    }
}

impl Vector3 {
    fn square(self) -> f64 {
        self.x * self.x + self.y * self.y + self.z * self.z
    }
}

#[derive(Clone, Copy, Default)]
struct Body {
    position: Vector3,
    velocity: Vector3,
    acceleration: Vector3,
    mass: f64,
}

/// A cube of space.
#[derive(Clone, Copy)]
struct Cube {
    centre: Vector3,
    half_width: f64,
}

impl Cube {
    fn around(bodies: &[Body]) -> Self {
        let farthest = |far: f64, at: Vector3| far.max(at.x.abs()).max(at.y.abs()).max(at.z.abs());
        let half_width = bodies.iter().fold(0.0, |far, body| farthest(far, body.position));
        Self { centre: Vector3::default(), half_width }
    }

    fn octant(self, which: usize) -> Self {
        let quarter = self.half_width / 2.0;
        let side = |bit| if which & bit != 0 { quarter } else { -quarter };
        Self { centre: self.centre + Vector3 { x: side(4), y: side(2), z: side(1) }, half_width: quarter }
    }
}

/// Where bodies lie. While `accelerate` runs, positions and masses are only read, and each body's
/// velocity and acceleration are written to by one thread, none reading them.
#[derive(Clone, Copy)]
struct Place(*mut Body);

// SAFETY: as said.
unsafe impl Send for Place {}
unsafe impl Sync for Place {}

/// The bodies in a cube, and what they are from afar.
struct Cell {
    bodies: Range<usize>,
    width: f64,
    mass: f64,
    centre_of_mass: Vector3,
    is_leaf: bool,
    /// By octant; none where there are no bodies.
    children: [Child; 8],
}

type Child = Option<Box<Cell>>;

/// Moves those to the front that are below; returns how many they are.
fn partition(bodies: &mut [Body], is_below: impl Fn(&Body) -> bool) -> usize {
    let (mut low, mut high) = (0, bodies.len());
    loop {
        while low < high && is_below(&bodies[low]) {
            low += 1;
        }
        while low < high && !is_below(&bodies[high - 1]) {
            high -= 1;
        }
        if low == high {
            return low;
        }
        bodies.swap(low, high - 1);
    }
}

/// Moves the bodies to their octants.
fn sort_into_octants(bodies: &mut [Body], centre: Vector3) -> [&mut [Body]; 8] {
    fn halve(bodies: &mut [Body], is_below: impl Fn(&Body) -> bool) -> [&mut [Body]; 2] {
        let middle = partition(bodies, is_below);
        bodies.split_at_mut(middle).into()
    }
    let [a, b] = halve(bodies, |body| body.position.x < centre.x);
    let [[a, b], [c, d]] = [a, b].map(|half| halve(half, |body| body.position.y < centre.y));
    let [[a, b], [c, d], [e, f], [g, h]] =
        [a, b, c, d].map(|quarter| halve(quarter, |body| body.position.z < centre.z));
    [a, b, c, d, e, f, g, h]
}

/// What a cell is built of.
struct Part<'a> {
    bodies: &'a mut [Body],
    /// The number of the first of them.
    first: usize,
    around: Cube,
    level: u32,
}

fn build<F: ForkJoin>(scope: &mut F::Scope<'_>, part: &mut Part, grain: usize) -> Box<Cell> {
    let count = part.bodies.len();
    let mut made = Box::new(Cell {
        bodies: part.first..part.first + count,
        width: 2.0 * part.around.half_width,
        mass: 0.0,
        centre_of_mass: Vector3::default(),
        is_leaf: count <= LEAF_BODIES || part.level == DEEPEST,
        children: Default::default(),
    });
    let mut sum = Vector3::default();
    let mut add = |mass: &mut f64, added: f64, centre: Vector3| {
        *mass += added;
        sum += added * centre;
    };
    if made.is_leaf {
        part.bodies.iter().for_each(|body| add(&mut made.mass, body.mass, body.position));
    } else {
        let mut larger: [Option<(&mut Child, Part)>; 8] = Default::default();
        let mut larger_count = 0;
        let mut first = part.first;
        let octants = sort_into_octants(part.bodies, part.around.centre).into_iter().enumerate();
        for ((i, bodies), child) in octants.zip(&mut made.children) {
            let count = bodies.len();
            let mut octant = Part { bodies, first, around: part.around.octant(i), level: part.level + 1 };
            first += count;
            if count > grain {
                larger[larger_count] = Some((child, octant));
                larger_count += 1;
            } else if count > 0 {
                *child = Some(build::<F>(scope, &mut octant, grain));
            }
        }
        for_each::<F, _, _>(scope, &mut larger[..larger_count], &|s: &mut F::Scope<'_>, task| {
            if let Some((child, octant)) = task {
                **child = Some(build::<F>(s, octant, grain));
            }
        });
        for child in made.children.iter().flatten() {
            add(&mut made.mass, child.mass, child.centre_of_mass);
        }
    }
    made.centre_of_mass = 1.0 / made.mass * sum;
    made
}

fn pull(to: Vector3, from: Vector3, mass: f64) -> Vector3 {
    let way = from - to;
    let distance_squared = way.square() + SOFTENING * SOFTENING;
    mass / (distance_squared * distance_squared.sqrt()) * way
}

unsafe fn pull_of_bodies(at: Vector3, some: Range<usize>, bodies: Place) -> Vector3 {
    let mut sum = Vector3::default();
    for i in some {
        let body = bodies.0.add(i);
        sum += pull(at, (*body).position, (*body).mass);
    }
    sum
}

/// The opening is narrow enough that no body takes a cell as a whole that it lies in.
unsafe fn pull_of_cell(at: Vector3, from: &Cell, bodies: Place) -> Vector3 {
    if from.is_leaf {
        return pull_of_bodies(at, from.bodies.clone(), bodies);
    }
    if from.width * from.width < OPENING * OPENING * (from.centre_of_mass - at).square() {
        return pull(at, from.centre_of_mass, from.mass);
    }
    let mut sum = Vector3::default();
    for child in from.children.iter().flatten() {
        sum += pull_of_cell(at, child, bodies);
    }
    sum
}

/// The bodies are in the tree's order, so that those of one half walk much the same of it.
fn accelerate<F: ForkJoin>(scope: &mut F::Scope<'_>, bodies: Place, root: &Cell, grain: usize) {
    in_halves::<F, _>(scope, root.bodies.clone(), grain, &|_: &mut F::Scope<'_>, some: Range<usize>| {
        for i in some {
            // SAFETY: what Place says; each call has its own bodies.
            unsafe {
                let body = bodies.0.add(i);
                let acceleration = pull_of_cell((*body).position, root, bodies);
                (*body).acceleration = acceleration;
                (*body).velocity += STEP_TIME * acceleration;
            }
        }
    });
}

/// A Plummer sphere, the usual model of a star cluster, at rest as a whole.
fn make_cluster(count: usize, seed: u64) -> Vec<Body> {
    let mut random = RandomSequence::new(seed);
    let mut uniform = || (random.draw() >> 11) as f64 / (1u64 << 53) as f64;
    let in_any_direction = |length: f64, uniform: &mut dyn FnMut() -> f64| {
        let z = 2.0 * uniform() - 1.0;
        let angle = 2.0 * PI * uniform();
        let across = (1.0 - z * z).sqrt();
        length * Vector3 { x: across * angle.cos(), y: across * angle.sin(), z }
    };
    let mass = 1.0 / count as f64;
    let mut bodies = vec![Body { mass, ..Body::default() }; count];
    let mut drift = Vector3::default();
    for body in &mut bodies {
        // 0.99 of the mass lies within about twelve radii; the rest is left out.
        let radius = 1.0 / ((0.99 * uniform() + 1e-6).powf(-2.0 / 3.0) - 1.0).sqrt();
        body.position = in_any_direction(radius, &mut uniform);
        // Of the escape velocity's fraction q, the density is q^2 (1 - q^2)^(7/2), never above 0.1.
        let fraction = loop {
            let fraction = uniform();
            let density = fraction * fraction * (1.0 - fraction * fraction).powf(3.5);
            if 0.1 * uniform() <= density {
                break fraction;
            }
        };
        let speed = fraction * SQRT_2 * (1.0 + radius * radius).powf(-0.25);
        body.velocity = in_any_direction(speed, &mut uniform);
        drift += mass * body.velocity;
    }
    for body in &mut bodies {
        body.velocity = body.velocity - drift;
    }
    bodies
}

pub struct BarnesHut {
    bodies: Vec<Body>,
    grain: usize,
}

impl BarnesHut {
    /// Root mean square of the sampled bodies' errors, relative to that of their accelerations.
    fn acceleration_error(&self) -> f64 {
        const SAMPLES: usize = 256;
        let (mut error, mut exact) = (0.0, 0.0);
        for body in self.bodies.iter().step_by(1 + self.bodies.len() / SAMPLES) {
            let pulls = self.bodies.iter().map(|other| pull(body.position, other.position, other.mass));
            let direct = pulls.fold(Vector3::default(), Vector3::add);
            error += (body.acceleration - direct).square();
            exact += direct.square();
        }
        if exact == 0.0 {
            error
        } else {
            (error / exact).sqrt()
        }
    }

    /// Of a cluster whose mass is 1 and whose velocities are below 1.5.
    fn total_momentum(&self) -> f64 {
        let momenta = self.bodies.iter().map(|body| body.mass * body.velocity);
        momenta.fold(Vector3::default(), Vector3::add).square().sqrt()
    }
}

impl Instance for BarnesHut {
    const LARGEST_SIZE: usize = 50_000_000;

    fn prepare(input: &Input) -> Self {
        Self { bodies: make_cluster(input.size, input.seed), grain: input.grain.max(1) }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        if self.bodies.is_empty() {
            return;
        }
        for _ in 0..STEPS {
            for body in &mut self.bodies {
                body.position += STEP_TIME * body.velocity;
            }
            let around = Cube::around(&self.bodies);
            let mut all = Part { bodies: &mut self.bodies, first: 0, around, level: 0 };
            let root = build::<F>(scope, &mut all, self.grain);
            accelerate::<F>(scope, Place(self.bodies.as_mut_ptr()), &root, self.grain);
        }
    }

    /// The last accelerations are those at the last positions: some of them are computed anew, body by
    /// body. And what pulls is pulled, so that the cluster as a whole stays at rest but for the
    /// approximation.
    fn verify(&self) -> bool {
        self.acceleration_error() <= 0.01 && self.total_momentum() <= 1e-3
    }
}
