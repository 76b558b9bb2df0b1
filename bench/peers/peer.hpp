// What the main program of a peer needs of the peer. Each peer is a program of its own, so that no
// runtime's threads are there while another is timed.
#ifndef NOPAL_BENCH_PEERS_PEER_HPP
#define NOPAL_BENCH_PEERS_PEER_HPP

#include <functional>
#include <string>

#include "runner/run_record.hpp"

namespace bench::peer {

/// Defined by each peer.
struct identity {
  std::string name;         ///< as --peers takes it
  std::string title;        ///< as tables print it
  std::string version;      ///< of the library
  std::string idiom;        ///< how the programs are written with it, in a few words
  bool is_variant = false;  ///< of this library, and not another one
};
[[nodiscard]] identity who();

/// Calls `timed` with `workers` threads at work, the caller among them, all of them started and warmed up before.
void run_with(int workers, const std::function<void()>& timed);

/// Adds what the library itself counted of that run; most count nothing.
void add_counts(run_record& record);

}  // namespace bench::peer

#endif
