/* The table of the runtime's counters. What is done to each of them alike is generated from here:
 * in the library the workers' own counters, sums, the table of NOPAL_STATS=1 and both interfaces;
 * the benchmark's record of a run, whose names in JSON are these. The public structures are written
 * out for their comments, and the library checks them against the table. A new counter is a line
 * here, one in each of these structures, and the record of the binary interface.
 *
 * For C and C++; no public header includes it.
 */
#ifndef NOPAL_DETAIL_COUNTERS_H
#define NOPAL_DETAIL_COUNTERS_H

/* Of each worker, in the order of nopal_worker_statistics: name; whether the benchmark records it;
 * heading and width of its column in the table of NOPAL_STATS=1, where a width of 0 says that it
 * has none. */
#define NOPAL_DETAIL_WORKER_COUNTERS(counter)                                                                \
  counter(steals, recorded, "steals", 10) counter(failed_steals, recorded, "failed", 10)                     \
      counter(suspensions, recorded, "suspended", 10) counter(resumptions, unrecorded, "", 0)                \
          counter(publishes, recorded, "published", 10) counter(forced_publishes, recorded, "forced", 8)     \
              counter(parks, recorded, "parks", 8) counter(wakes, unrecorded, "wakes", 8)                    \
                  counter(stacks_taken, unrecorded, "", 0) counter(stacks_returned, unrecorded, "", 0)       \
                      counter(pages_reclaimed, recorded, "pages", 8)                                         \
                          counter(promotions, recorded, "promoted", 10)                                      \
                              counter(signals_sent, recorded, "signals", 8)                                  \
                                  counter(walks_cut_short, unrecorded, "", 0)

/* Of the whole runtime, in the order of nopal_statistics, behind the workers' number and sums:
 * name; whether the benchmark records it. */
#define NOPAL_DETAIL_RUNTIME_COUNTERS(counter)                                                               \
  counter(joins_with_children, unrecorded) counter(stacks_in_use, unrecorded) counter(stacks_peak, recorded) \
      counter(stacks_mapped, unrecorded) counter(stack_pages_in_use, unrecorded)                             \
          counter(stack_pages_peak, recorded) counter(view_sets_in_use, unrecorded)                          \
              counter(view_sets_peak, unrecorded)

#endif
