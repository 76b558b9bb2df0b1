// Sample sort: sorts keys that are distributed over the ranks, of which none has room for all. Each rank sorts
// its own, samples of all ranks say which keys go where, and the parts that arrive are merged, two at a time,
// while others are on their way.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace {

using key = std::uint64_t;
using keys = std::vector<key>;

struct arguments {
  std::int64_t total = 1'000'000;
  std::int64_t samples = 256;
  std::int64_t room = 150;
  std::int64_t seed = 1;
  std::int64_t level = MPI_THREAD_MULTIPLE;
};

/// What is the same before and after: how many, their sum, and a sum that tells most multisets apart.
struct fingerprint {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t mixed = 0;
  friend bool operator==(const fingerprint&, const fingerprint&) = default;
};

fingerprint fingerprint_of(const keys& all) {
  fingerprint own;
  own.count = all.size();
  for (const key one : all) {
    own.sum += one;
    own.mixed += program::random_at(one, 7);
  }
  fingerprint sums;
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        return MPI_Iallreduce(&own, &sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Iallreduce");
  return sums;
}

keys made(const nopal::mpi::session& session, const arguments& with) {
  const std::int64_t first = program::first_of(with.total, session.size(), session.rank());
  const std::int64_t last = program::first_of(with.total, session.size(), session.rank() + 1);
  keys own(static_cast<std::size_t>(last - first));
  nopal::parallel_for(std::int64_t{0}, last - first, [&](std::int64_t i) {
    own[static_cast<std::size_t>(i)] =
        program::random_at(static_cast<std::uint64_t>(with.seed), static_cast<std::uint64_t>(first + i));
  });
  return own;
}

/// The least keys of ranks 1, 2, ...: evenly out of the sorted samples of all, between two of them. A rank's samples
/// are the middles of as many parts of its sorted keys.
keys splitters(const keys& sorted, int ranks, std::int64_t samples) {
  keys own(static_cast<std::size_t>(samples), ~key{0});
  for (std::size_t i = 0; i < own.size() && !sorted.empty(); ++i)
    own[i] = sorted[sorted.size() * (2 * i + 1) / (2 * own.size())];
  keys all(own.size() * static_cast<std::size_t>(ranks));
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        const int count = static_cast<int>(samples);
        return MPI_Iallgather(own.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T,
                              MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Iallgather");
  nopal::parallel_sort(all);
  keys chosen;
  for (int rank = 1; rank < ranks; ++rank) {
    const std::size_t at = all.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
    chosen.push_back(std::midpoint(all[at - 1], all[at]));
  }
  return chosen;
}

/// Where each rank's part of the sorted keys begins, and the end of the last.
std::vector<std::size_t> bounds_of(const keys& sorted, const keys& chosen) {
  std::vector<std::size_t> bounds = {0};
  for (const key one : chosen) {
    bounds.push_back(
        static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), one) - sorted.begin()));
  }
  bounds.push_back(sorted.size());
  return bounds;
}

class exchange {
public:
  exchange(const keys& sorted, std::vector<std::size_t> bounds)
      : sorted_(sorted), bounds_(std::move(bounds)) {}

  /// How many keys come from each rank.
  std::vector<std::int64_t> counts() {
    std::vector<std::int64_t> out;
    for (std::size_t rank = 0; rank + 1 < bounds_.size(); ++rank) {
      out.push_back(static_cast<std::int64_t>(bounds_[rank + 1] - bounds_[rank]));
      if (out.back() > INT_MAX)
        throw nopal::error("sample_sort: --keys: accepted: at most 2^31 to one rank from each");
    }
    std::vector<std::int64_t> in(out.size());
    nopal::mpi::complete(
        [&](MPI_Request* r) {
          return MPI_Ialltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, MPI_COMM_WORLD, r);
        },
        nullptr, "MPI_Ialltoall");
    return in;
  }

  void send_to(int rank) {
    const auto at = static_cast<std::size_t>(rank);
    nopal::mpi::complete(
        [&](MPI_Request* r) {
          return MPI_Isend(sorted_.data() + bounds_[at], static_cast<int>(bounds_[at + 1] - bounds_[at]),
                           MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, r);
        },
        nullptr, "MPI_Isend");
  }

private:
  const keys& sorted_;
  std::vector<std::size_t> bounds_;
};

keys received_from(int rank, std::int64_t count) {
  keys part(static_cast<std::size_t>(count));
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        return MPI_Irecv(part.data(), static_cast<int>(count), MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Irecv");
  return part;
}

/// The parts of ranks `first` to `last`, which is not one of them, as one. A strand waits for each part.
keys received_and_merged(const std::vector<std::int64_t>& counts, int first, int last) {
  if (last - first == 1) return received_from(first, counts[static_cast<std::size_t>(first)]);
  const int middle = first + (last - first) / 2;
  keys lower;
  nopal::scope s;
  s.fork([&] { lower = received_and_merged(counts, first, middle); });
  const keys upper = received_and_merged(counts, middle, last);
  s.join();
  keys both(lower.size() + upper.size());
  std::merge(lower.begin(), lower.end(), upper.begin(), upper.end(), both.begin());
  return both;
}

keys sorted_over_ranks(keys own, const nopal::mpi::session& session, const arguments& with) {
  nopal::parallel_sort(own);
  if (session.size() == 1) return own;
  exchange parts(own, bounds_of(own, splitters(own, session.size(), with.samples)));
  const std::vector<std::int64_t> counts = parts.counts();
  keys result;
  nopal::scope s;
  // Not all to rank 0 first.
  for (int i = 0; i < session.size(); ++i) {
    s.fork([&parts, to = (session.rank() + i) % session.size()] { parts.send_to(to); });
  }
  result = received_and_merged(counts, 0, session.size());
  s.join();
  return result;
}

/// Whether each rank's keys are sorted, and none is before the last of the ranks before.
bool is_sorted_over_ranks(const keys& own, int rank) {
  // The largest of the ranks before: those without keys have 0.
  const key largest = own.empty() ? 0 : own.back();
  key before = 0;
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        return MPI_Iexscan(&largest, &before, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Iexscan");
  if (rank == 0) before = 0;  // MPI leaves it as it was
  return std::is_sorted(own.begin(), own.end()) && (own.empty() || before <= own.front());
}

bool run(const nopal::mpi::session& session, const arguments& with) {
  keys own = made(session, with);
  const fingerprint before = fingerprint_of(own);
  nopal::mpi::barrier();
  const program::stopwatch time;
  own = sorted_over_ranks(std::move(own), session, with);
  const double seconds = program::largest_of(time.seconds());
  const double largest = program::largest_of(static_cast<double>(own.size()));
  const double mean = static_cast<double>(with.total) / session.size();
  if (session.rank() == 0) {
    std::printf(
        "sample_sort: %d ranks x %d workers, %lld keys, %.0f at most on a rank (%.2f of the mean): %.4f s\n",
        session.size(), nopal::workers(), static_cast<long long>(with.total), largest, largest / mean,
        seconds);
  }
  // Nobody has all of them: each has room for its share and somewhat more.
  const bool fits =
      largest <= mean * static_cast<double>(with.room) / 100 + static_cast<double>(with.samples);
  if (!program::everywhere(is_sorted_over_ranks(own, session.rank())) || fingerprint_of(own) != before)
    return false;
  if (!fits) {
    throw program::wrong_result("a rank has more keys than --room " + std::to_string(with.room) +
                                " allows; accepted: more --samples, or more --room");
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  arguments with;
  return program::run(
      argc, argv, "sample_sort", "Sorts keys of which no rank has room for all.",
      {{"--keys", "of all ranks together", &with.total, 1, std::int64_t{1} << 40},
       {"--samples", "that each rank gives to choose the parts by", &with.samples, 1, 1'000'000},
       {"--room", "of a rank, in hundredths of its share: more is a wrong result", &with.room, 100, 10'000},
       {"--seed", "of the keys", &with.seed, 0, 1'000'000'000},
       program::level_option(with.level)},
      with.level, [&](const nopal::mpi::session& session) { return run(session, with); });
}
