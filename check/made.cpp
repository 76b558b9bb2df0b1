#include "made.hpp"

#include "copies.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

made_tables made_reads;
made_tables made_writes;
std::uint64_t made_mark = mark_step;
std::uint64_t latest_mark = mark_step;

void empty_made() noexcept {
  fill(&made_reads, 0, sizeof made_reads);
  fill(&made_writes, 0, sizeof made_writes);
  latest_mark = made_mark = mark_step;
}

}  // namespace nopal_check
