// Heat in a plate: each step, a point becomes the mean of its four neighbours. The rows are distributed over
// the ranks, and the rows next to another rank's, the halo, are exchanged behind the work on the others.
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "program.hpp"
#ifdef EXAMPLE_HAS_IO
#include <nopal/io.hpp>
#endif

#include <ctime>

namespace {

struct arguments {
  std::int64_t size = 512;
  std::int64_t steps = 100;
  std::int64_t in_place = 0;
  std::int64_t latency_us = 0;
  std::int64_t no_check = 0;
  std::int64_t level = MPI_THREAD_MULTIPLE;
};

/// Rows of the plate, and one more at each end.
class part {
public:
  part(std::int64_t first, std::int64_t rows, std::int64_t width) : rows_(rows), width_(width) {
    for (auto& one : values_) one.resize(static_cast<std::size_t>((rows + 2) * width));
    for (std::int64_t row = 0; row < rows + 2; ++row) {
      for (std::int64_t column = 0; column < width; ++column) {
        const auto place = static_cast<std::uint64_t>((first - 1 + row) * width + column);
        const double value = static_cast<double>(program::random_at(1, place) >> 40);
        values_[0][at(row, column)] = value;
        values_[1][at(row, column)] = value;
      }
    }
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] int width() const { return static_cast<int>(width_); }
  [[nodiscard]] double* row(std::int64_t which) { return &values_[0][at(which, 0)]; }

  /// The next values of rows `first` to `last`, which is not one of them.
  void compute(std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    nopal::parallel_for(first, last, [this](std::int64_t row) {
      const double* const old = values_[0].data();
      double* const next = values_[1].data();
      for (std::int64_t column = 1; column < width_ - 1; ++column) {
        next[at(row, column)] = 0.25 * (old[at(row - 1, column)] + old[at(row + 1, column)] +
                                        old[at(row, column - 1)] + old[at(row, column + 1)]);
      }
    });
  }
  void step() { std::swap(values_[0], values_[1]); }

private:
  [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * width_ + column);
  }

  std::int64_t rows_;
  std::int64_t width_;
  std::array<std::vector<double>, 2> values_;
};

/// Above and below: sends its outermost rows, and receives theirs.
class halo {
public:
  halo(part& of, const nopal::mpi::session& session)
      : above_(session.rank() > 0 ? session.rank() - 1 : MPI_PROC_NULL),
        below_(session.rank() + 1 < session.size() ? session.rank() + 1 : MPI_PROC_NULL), of_(&of) {}

  void start() {
    constexpr int up = 0;
    constexpr int down = 1;
    const int width = of_->width();
    const auto begin = [&](auto call, std::int64_t row, int rank, int tag, std::size_t which) {
      nopal::mpi::check(call(of_->row(row), width, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD, &requests_[which]),
                        "MPI_Isend or MPI_Irecv");
    };
    nopal::mpi::start([&] {
      begin(MPI_Irecv, 0, above_, down, 0);
      begin(MPI_Irecv, of_->rows() + 1, below_, up, 1);
      begin(MPI_Isend, 1, above_, up, 2);
      begin(MPI_Isend, of_->rows(), below_, down, 3);
    });
  }
  void wait() { nopal::mpi::wait_all(requests_); }
  void wait_in_place() {
    nopal::mpi::call([&] {
      nopal::mpi::check(
          MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    });
  }

private:
  int above_;
  int below_;
  part* of_;
  std::array<MPI_Request, 4> requests_{};
};

/// What a slower network would take, in which the strand waits, or the thread.
void wait_longer(const arguments& with) {
  if (with.latency_us == 0) return;
#ifdef EXAMPLE_HAS_IO
  if (with.in_place == 0) {
    nopal::sleep_for(std::chrono::microseconds(with.latency_us));
    return;
  }
#endif
  timespec left{with.latency_us / 1'000'000, with.latency_us % 1'000'000 * 1000};
  while (nanosleep(&left, &left) != 0) {
  }
}

void step_behind(part& own, halo& edges, const arguments& with) {
  nopal::scope s;
  s.fork([&] {
    edges.start();
    wait_longer(with);
    edges.wait();
  });
  own.compute(2, own.rows());
  s.join();
}

void step_in_place(part& own, halo& edges, const arguments& with) {
  edges.start();
  wait_longer(with);
  edges.wait_in_place();
  own.compute(2, own.rows());
}

bool run(const nopal::mpi::session& session, const arguments& with) {
  if (with.size - 2 < session.size())
    throw nopal::error("heat: --size: accepted: two more than ranks, or larger");
  const std::int64_t inner = with.size - 2;
  const std::int64_t first = 1 + program::first_of(inner, session.size(), session.rank());
  const std::int64_t last = 1 + program::first_of(inner, session.size(), session.rank() + 1);
  part own(first, last - first, with.size);
  halo edges(own, session);
  nopal::mpi::barrier();
  const program::stopwatch time;
  for (std::int64_t i = 0; i < with.steps; ++i) {
    with.in_place != 0 ? step_in_place(own, edges, with) : step_behind(own, edges, with);
    own.compute(1, 2);
    if (own.rows() > 1) own.compute(own.rows(), own.rows() + 1);
    own.step();
  }
  const double seconds = program::largest_of(time.seconds());
  if (session.rank() == 0) {
    std::printf("heat: %d ranks x %d workers, %lld x %lld points, %lld steps: %.4f s\n", session.size(),
                nopal::workers(), static_cast<long long>(with.size), static_cast<long long>(with.size),
                static_cast<long long>(with.steps), seconds);
  }
  if (with.no_check != 0) return true;

  part whole(1, inner, with.size);
  for (std::int64_t i = 0; i < with.steps; ++i) {
    whole.compute(1, inner + 1);
    whole.step();
  }
  bool is_same = true;
  for (std::int64_t row = first; row < last; ++row) {
    is_same &= std::memcmp(own.row(row - first + 1), whole.row(row),
                           sizeof(double) * static_cast<std::size_t>(with.size)) == 0;
  }
  return program::everywhere(is_same);
}

}  // namespace

int main(int argc, char** argv) {
  arguments with;
#ifdef EXAMPLE_HAS_IO
  constexpr std::int64_t most_latency = 1'000'000;
#else
  constexpr std::int64_t most_latency = 0;  // needs libnopal-io
#endif
  return program::run(
      argc, argv, "heat", "Heat in a plate, with halos exchanged behind the interior's work.",
      {{"--size", "of the plate, in points each way", &with.size, 3, 100'000},
       {"--steps", "to compute", &with.steps, 1, 1'000'000'000},
       {"--in-place", "wait for the halo on the worker, before the interior", &with.in_place, 0, 1, true},
       {"--latency", "of an exchange at least, in microseconds", &with.latency_us, 0, most_latency},
       {"--no-check", "do not compare with one rank's result", &with.no_check, 0, 1, true},
       program::level_option(with.level)},
      with.level, [&](const nopal::mpi::session& session) { return run(session, with); });
}
