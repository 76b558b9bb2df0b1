#include "records.hpp"

#include "collect.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

table<record> records;

void make_records() noexcept { records.make(std::size_t{end_of_records - first_of_records}); }

std::uint32_t record_anew(address at, cached_record& cached) noexcept {
  if (records.count >= record_limit) collect();
  const std::uint64_t key = site_key(at);
  const std::uint32_t site = site_at(at);
  cached = {key, no_word, first_of_records + records.add({self.strand, site}), site};
  return cached.record;
}

}  // namespace nopal_check
