// Gravity among many bodies by Barnes and Hut's method: in every step an octree over the bodies is built,
// its larger cells forked, and each body is pulled by cells instead of single bodies where they are far
// away, half of the bodies forked down to the grain.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "fork_join.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr int steps = 2;
constexpr double step_time = 0.01;
constexpr double opening = 0.5;     ///< greatest width over distance of a cell that pulls as a whole
constexpr double softening = 0.01;  ///< keeps close bodies from pulling without bound
constexpr std::ptrdiff_t leaf_bodies = 8;
constexpr int deepest = 60;  ///< level of cells, for bodies in one place

struct vector3 {
  double x = 0;
  double y = 0;
  double z = 0;

  vector3& operator+=(vector3 b) { return *this = *this + b; }
  friend vector3 operator+(vector3 a, vector3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vector3 operator-(vector3 a, vector3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vector3 operator*(double f, vector3 a) { return {f * a.x, f * a.y, f * a.z}; }
};

double square(vector3 a) { return a.x * a.x + a.y * a.y + a.z * a.z; }
double length(vector3 a) { return std::sqrt(square(a)); }

struct body {
  vector3 position;
  vector3 velocity;
  vector3 acceleration;
  double mass;
};

/// A cube of space.
struct box {
  vector3 centre;
  double half_width;

  [[nodiscard]] box octant(int which) const {
    const double quarter = half_width / 2;
    const auto side = [&](int bit) { return (which & bit) != 0 ? quarter : -quarter; };
    return {centre + vector3{side(4), side(2), side(1)}, quarter};
  }
};

box box_around(const std::vector<body>& bodies) {
  double farthest = 0;
  for (const body& b : bodies) {
    farthest = std::max({farthest, std::abs(b.position.x), std::abs(b.position.y), std::abs(b.position.z)});
  }
  return {{}, farthest};
}

/// The bodies in a box, and what they are from afar.
struct cell {
  const body* first;
  const body* last;
  double width;
  double mass = 0;
  vector3 centre_of_mass;
  bool is_leaf = true;
  std::array<std::unique_ptr<cell>, 8> children;  ///< by octant; null where there are no bodies
};

vector3 weighted(const body& b) { return b.mass * b.position; }
vector3 weighted(const cell& c) { return c.mass * c.centre_of_mass; }

/// Where each octant's bodies begin, after moving them there, and where the last one's end.
std::array<body*, 9> sort_into_octants(body* first, body* last, vector3 centre) {
  std::array<body*, 9> begin{};
  begin[0] = first;
  begin[8] = last;
  const auto split = [&](std::size_t from, std::size_t to, double vector3::* axis) {
    begin[(from + to) / 2] = std::partition(begin[from], begin[to],
                                            [&](const body& b) { return b.position.*axis < centre.*axis; });
  };
  split(0, 8, &vector3::x);
  for (std::size_t from = 0; from < 8; from += 4) split(from, from + 4, &vector3::y);
  for (std::size_t from = 0; from < 8; from += 2) split(from, from + 2, &vector3::z);
  return begin;
}

std::unique_ptr<cell> build(body* first, body* last, box around, int level, std::ptrdiff_t grain) {
  auto made = std::make_unique<cell>();
  made->first = first;
  made->last = last;
  made->width = 2 * around.half_width;
  made->is_leaf = last - first <= leaf_bodies || level == deepest;
  vector3 sum;
  if (made->is_leaf) {
    for (const body* b = first; b != last; ++b) {
      made->mass += b->mass;
      sum += weighted(*b);
    }
  } else {
    const std::array<body*, 9> begin = sort_into_octants(first, last, around.centre);
    scope s;
    for (std::size_t i = 0; i < 8; ++i) {
      if (begin[i] == begin[i + 1]) continue;
      const box octant = around.octant(static_cast<int>(i));
      if (begin[i + 1] - begin[i] <= grain) {
        made->children[i] = build(begin[i], begin[i + 1], octant, level + 1, grain);
      } else {
        s.fork_into(made->children[i], build, begin[i], begin[i + 1], octant, level + 1, grain);
      }
    }
    s.join();
    for (const std::unique_ptr<cell>& child : made->children) {
      if (child == nullptr) continue;
      made->mass += child->mass;
      sum += weighted(*child);
    }
  }
  made->centre_of_mass = 1 / made->mass * sum;
  return made;
}

vector3 pull(vector3 to, vector3 from, double mass) {
  const vector3 way = from - to;
  const double distance_squared = square(way) + softening * softening;
  return mass / (distance_squared * std::sqrt(distance_squared)) * way;
}

vector3 pull_of_bodies(vector3 at, const body* first, const body* last) {
  vector3 sum;
  for (const body* b = first; b != last; ++b) sum += pull(at, b->position, b->mass);
  return sum;
}

// The opening is narrow enough that no body takes a cell as a whole that it lies in.
vector3 pull_of_cell(vector3 at, const cell& from) {
  if (from.is_leaf) return pull_of_bodies(at, from.first, from.last);
  if (from.width * from.width < opening * opening * square(from.centre_of_mass - at)) {
    return pull(at, from.centre_of_mass, from.mass);
  }
  vector3 sum;
  for (const std::unique_ptr<cell>& child : from.children) {
    if (child != nullptr) sum += pull_of_cell(at, *child);
  }
  return sum;
}

/// The bodies are in the tree's order, so that those of one half walk much the same of it.
void accelerate(body* first, body* last, const cell* root, std::ptrdiff_t grain) {
  if (last - first <= grain) {
    for (body* b = first; b != last; ++b) {
      b->acceleration = pull_of_cell(b->position, *root);
      b->velocity += step_time * b->acceleration;
    }
    return;
  }
  body* const middle = first + (last - first) / 2;
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { accelerate(first, middle, root, grain); }, [=] { accelerate(middle, last, root, grain); });
#else
  scope s;
  s.fork(accelerate, first, middle, root, grain);
  accelerate(middle, last, root, grain);
  s.join();
#endif
}

/// A Plummer sphere, the usual model of a star cluster, at rest as a whole.
std::vector<body> make_cluster(std::size_t count, std::uint64_t seed) {
  random_sequence random(seed);
  const auto uniform = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  const auto in_any_direction = [&](double length) {
    const double z = 2 * uniform() - 1;
    const double angle = 2 * std::numbers::pi * uniform();
    const double across = std::sqrt(1 - z * z);
    return length * vector3{across * std::cos(angle), across * std::sin(angle), z};
  };
  std::vector<body> bodies(count);
  vector3 drift;
  for (body& b : bodies) {
    b.mass = 1 / static_cast<double>(count);
    // 0.99 of the mass lies within about twelve radii; the rest is left out.
    const double radius = 1 / std::sqrt(std::pow(0.99 * uniform() + 1e-6, -2.0 / 3) - 1);
    b.position = in_any_direction(radius);
    // Of the escape velocity's fraction q, the density is q^2 (1 - q^2)^(7/2), never above 0.1.
    double fraction = 0;
    double density = 0;
    do {
      fraction = uniform();
      density = fraction * fraction * std::pow(1 - fraction * fraction, 3.5);
    } while (0.1 * uniform() > density);
    b.velocity = in_any_direction(fraction * std::sqrt(2.0) * std::pow(1 + radius * radius, -0.25));
    drift += 1 / static_cast<double>(count) * b.velocity;
  }
  for (body& b : bodies) b.velocity = b.velocity - drift;
  return bodies;
}

class barnes_hut_instance final : public instance {
public:
  explicit barnes_hut_instance(const input& with)
      : bodies_(make_cluster(static_cast<std::size_t>(with.size), with.seed)),
        grain_(std::max<std::ptrdiff_t>(with.grain, 1)) {}

  void run() override {
    if (bodies_.empty()) return;
    body* const first = bodies_.data();
    body* const last = first + bodies_.size();
    for (int step = 0; step < steps; ++step) {
      for (body& b : bodies_) b.position += step_time * b.velocity;
      const std::unique_ptr<cell> root = build(first, last, box_around(bodies_), 0, grain_);
      accelerate(first, last, root.get(), grain_);
    }
  }

  // The last accelerations are those at the last positions: some of them are computed anew, body by body.
  // And what pulls is pulled, so that the cluster as a whole stays at rest but for the approximation.
  [[nodiscard]] bool verify() const override {
    return acceleration_error() <= 0.01 && total_momentum() <= 1e-5;
  }

private:
  /// Root mean square of the sampled bodies' errors, relative to that of their accelerations.
  [[nodiscard]] double acceleration_error() const {
    constexpr std::size_t samples = 256;
    double error = 0;
    double exact = 0;
    for (std::size_t i = 0; i < bodies_.size(); i += 1 + bodies_.size() / samples) {
      const vector3 direct =
          pull_of_bodies(bodies_[i].position, bodies_.data(), bodies_.data() + bodies_.size());
      error += square(bodies_[i].acceleration - direct);
      exact += square(direct);
    }
    return exact == 0 ? error : std::sqrt(error / exact);
  }

  /// Of a cluster whose mass is 1 and whose velocities are below 1.5.
  [[nodiscard]] double total_momentum() const {
    vector3 sum;
    for (const body& b : bodies_) sum += b.mass * b.velocity;
    return length(sum);
  }

  std::vector<body> bodies_;
  std::ptrdiff_t grain_;
};

}  // namespace

const program barnes_hut_program = {
    .name = "barnes-hut",
    .summary = "gravity among bodies of a star cluster by an octree",
    .size = {.meaning = "bodies", .usual = 30000, .quick = 1500, .paper = 65536, .largest = 50'000'000},
    .grain = {.meaning = "bodies treated serially", .usual = 16},
    .prepare = prepare<barnes_hut_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
