#include "records.hpp"

#include "collect.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

table<record> records;

void make_records() noexcept { records.make(std::size_t{end_of_records - first_of_records}); }

std::uint32_t record_at(address at) noexcept {
  const std::uint64_t hashed = calls_hashed();
  cached_record& cached = self.cache[((at ^ hashed) * hash_step >> 40) % cached_records];
  if (cached.at == at && cached.hashed == hashed) {
    if (cached.record >= self.first_record) return cached.record;
    const std::uint32_t site = record_of(cached.record).site;
    if (records.count < records_to_collect()) {
      cached.record = first_of_records + records.add({self.strand, site});
      return cached.record;
    }
  }
  if (records.count >= records_to_collect()) collect();
  const std::uint32_t site = site_at(at);
  cached = {at, hashed, first_of_records + records.add({self.strand, site})};
  return cached.record;
}

}  // namespace nopal_check
