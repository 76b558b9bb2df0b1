// Walks a thread's own stack outwards: what the scheduler asks of every machine. Included by a machine's
// unwinding.hpp, behind its `registers`, which have `ip` and `sp`.
#ifndef NOPAL_ARCH_WALKS_HPP
#define NOPAL_ARCH_WALKS_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// What the tables say of one latent call: offsets from the record's own address.
struct fork_record {
  std::int32_t first;    ///< begins as the tables of exceptions do, at which some unwinders look
  std::int32_t landing;  ///< where an exception of the child arrives; 0: it may not, see c_personality.cpp
  std::int32_t continuation;     ///< where the fork goes on; 0 in the record of a promoted return
  std::int32_t promoted_return;  ///< what becomes of the return address
  std::int32_t scope;            ///< a routine that returns the scope's address
  std::int32_t copies;           ///< 1: the scope says whether the child has copied its arguments
  std::int32_t called;           ///< where the child returns to; 0 in the record of a promoted return

  [[nodiscard]] std::uint64_t at(std::int32_t offset) const noexcept {
    return reinterpret_cast<std::uint64_t>(this) + static_cast<std::uint64_t>(std::int64_t{offset});
  }
};

/// What the code is that a function goes on in.
enum class code : std::uint8_t {
  ordinary = 1,     ///< of a function
  latent_call,      ///< the function beneath was called by a latent fork
  promoted,         ///< the same, and that fork has been promoted
  outermost,        ///< nothing called it
  latent_in_place,  ///< ordinary, and the function beneath was called by a latent fork of this one
  unwinder,         ///< throws an exception, or ends a thread: it may have read the frames further out
  unknown,          ///< there are no tables, or none that are understood
  not_looked_up,    ///< only what was kept was to be used, and this was not
};

struct place {
  code kind;
  const fork_record* record;  ///< of a latent call
  std::uint64_t way_out;      ///< of ordinary code, in one word; 0: it is to be worked out again
};

/// Where the unwind table of the code at an address begins; null: it has none. `lasts`: whether that
/// code cannot be unloaded. Safe in a handler.
using table_finder = const unsigned char* (*)(std::uint64_t address, bool& lasts) noexcept;
void find_tables_by(table_finder find) noexcept;
/// Takes the memory of the steps that are kept, before other threads run: a page that was read first costs an
/// interrupt of every processor when it is written.
void prepare_kept_steps() noexcept;

/// What `at.ip` is. `exact`: it was interrupted there; otherwise it is a return address.
/// `looks_up`: also where nothing was kept, which may use vector registers.
place look(const registers& at, bool exact, bool looks_up) noexcept;

enum class step : std::uint8_t {
  done,
  off_stack,  ///< the caller's frame lies on another stack: the strand began here
  unknown,    ///< the tables are not understood
};

/// From ordinary code, which is `here`, to what called its function, whose frame ends between the stack
/// pointer and `end`.
step step_out(registers& at, const place& here, bool exact, bool looks_up, std::uint64_t end) noexcept;

/// Whether a latent fork's look is over there, and its child not called yet. `at.ip` was interrupted,
/// and is in code that has tables.
bool is_between_look_and_call(const registers& at) noexcept;

/// Whether a latent fork's child was called in place right before `address`, which is code that goes on.
bool is_behind_call_in_place(std::uint64_t address) noexcept;

/// From a latent call to the function that forks.
inline void step_to_forker(registers& at, const fork_record& record) noexcept {
  at.ip = record.at(record.continuation);
}

/// The scope of a latent call whose child returns with these registers.
extern "C" void* nopal_scope_of(std::uint64_t routine, const registers* at) noexcept;

/// The caller's registers, as it goes on.
extern "C" void nopal_registers_here(registers* here) noexcept;

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
