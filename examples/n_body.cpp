// A cluster of stars under gravity, each pulled by all others, by the leapfrog method. Forces are a parallel loop over stars.
// Energy and momentum, which must not change, are reductions with a grain: their tree does not depend on the schedule, so although
// floating-point addition is not associative the digits are those of the serial program, on any number of workers.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <nopal/parallel.hpp>

struct vector {
  double x = 0, y = 0, z = 0;
  friend vector operator+(vector a, vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vector operator-(vector a, vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vector operator*(double factor, vector a) { return {factor * a.x, factor * a.y, factor * a.z}; }
  friend double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

struct star {
  double mass;
  vector place;
  vector speed;
  vector pull = {};
};
using cluster = std::vector<star>;

constexpr double softening = 0.05;  // no two stars come closer than that, as it were
constexpr double step = 1.0 / 256;  // of time, where gravity's constant and the cluster's mass are 1
constexpr std::size_t grain =
    16;  // stars that are not worth a fork: some microseconds, with hundreds of others

double distance_squared(const star& one, const star& other) {
  const vector way = other.place - one.place;
  return dot(way, way) + softening * softening;
}

void find_pulls(cluster& stars) {
  nopal::parallel_for_each(stars, [&stars](star& one) {
    one.pull = {};
    for (const star& other : stars) {
      const double square = distance_squared(one, other);
      one.pull = one.pull + other.mass / (square * std::sqrt(square)) * (other.place - one.place);
    }
  });
}

void advance(cluster& stars) {
  nopal::parallel_for_each(stars, [](star& one) {
    one.speed = one.speed + step / 2 * one.pull;
    one.place = one.place + step * one.speed;
  });
  find_pulls(stars);
  nopal::parallel_for_each(stars, [](star& one) { one.speed = one.speed + step / 2 * one.pull; });
}

double energy(const cluster& stars) {
  const auto of_star = [&stars](std::size_t i) {
    double potential = 0;
    for (std::size_t j = i + 1; j < stars.size(); ++j)
      potential -= stars[j].mass / std::sqrt(distance_squared(stars[i], stars[j]));
    return stars[i].mass * (dot(stars[i].speed, stars[i].speed) / 2 + potential);
  };
  return nopal::parallel_reduce(0, stars.size(), grain, 0.0, of_star, std::plus<>());
}

double momentum(const cluster& stars) {
  const auto of_star = [](const star& one) { return one.mass * one.speed; };
  const vector sum =
      nopal::parallel_reduce(stars.begin(), stars.end(), grain, vector(), of_star, std::plus<>());
  return std::sqrt(dot(sum, sum));
}

/// Stars here and there in a ball, with momentum 0.
cluster make_cluster(int count) {
  std::mt19937_64 random(1687);
  const auto in_ball = [&random](double radius) {
    vector v;
    const auto coordinate = [&random] { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1; };
    do v = {coordinate(), coordinate(), coordinate()};
    while (dot(v, v) > 1);
    return radius * v;
  };
  cluster stars;
  for (int i = 0; i < count / 2; ++i) {
    const vector speed = in_ball(0.5);
    stars.push_back({1.0 / count, in_ball(1), speed});
    stars.push_back({1.0 / count, in_ball(1), -1 * speed});
  }
  find_pulls(stars);
  return stars;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 128;
  if (argc > 3 || count < 2 || count % 2 != 0 || steps < 1) {
    std::fprintf(stderr, "usage: n_body [STARS [STEPS]]\nSTARS is even and 2 at least, STEPS 1 at least.\n");
    return 2;
  }
  cluster stars = make_cluster(count);
  const double before = energy(stars);
  for (int i = 0; i < steps; ++i) advance(stars);
  const double after = energy(stars);
  std::printf("%d stars, %d steps\nenergy   %.17g, before %.17g\nmomentum %.3g\n", count, steps, after,
              before, momentum(stars));
  const bool kept = std::abs(after - before) < 1e-3 * std::abs(before) && momentum(stars) < 1e-12;
  if (!kept)
    std::fprintf(stderr,
                 "n_body: energy or momentum changed more than rounding and the step's length explain\n");
  return kept ? 0 : 1;
}
