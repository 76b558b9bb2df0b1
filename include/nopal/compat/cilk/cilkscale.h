/* Cilkscale's work and span, measured by `nopal profile`; zeros in a program that is not profiled. In nanoseconds. */
#ifndef NOPAL_COMPAT_CILK_CILKSCALE_H
#define NOPAL_COMPAT_CILK_CILKSCALE_H

#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
#include <fstream>
#include <iostream>
#endif

#include <nopal/detail/plain_cast.h>
#include <nopal/detail/work_span.h>

typedef int64_t raw_duration_t;
typedef struct wsp_t {
  raw_duration_t work;
  raw_duration_t span;
  raw_duration_t bspan;
} wsp_t;

static inline wsp_t wsp_getworkspan(void) {
  nopal_work_span now;
  nopal_work_span_begin(&now);
  wsp_t result = {NOPAL_DETAIL_AS(raw_duration_t, now.work_ns), NOPAL_DETAIL_AS(raw_duration_t, now.span_ns),
                  NOPAL_DETAIL_AS(raw_duration_t, now.burdened_span_ns)};
  return result;
}
static inline wsp_t wsp_zero(void) {
  wsp_t result = {0, 0, 0};
  return result;
}
static inline wsp_t wsp_add(wsp_t left, wsp_t right) {
  wsp_t result = {left.work + right.work, left.span + right.span, left.bspan + right.bspan};
  return result;
}
static inline wsp_t wsp_sub(wsp_t left, wsp_t right) {
  wsp_t result = {left.work - right.work, left.span - right.span, left.bspan - right.bspan};
  return result;
}
/* Work, span, parallelism, burdened span and parallelism as a line of CSV; times in seconds. */
static inline void nopal_wsp_text(wsp_t of, char* text, size_t bytes) {
  const double work = NOPAL_DETAIL_AS(double, of.work) * 1e-9;
  const double span = NOPAL_DETAIL_AS(double, of.span) * 1e-9;
  const double burdened = NOPAL_DETAIL_AS(double, of.bspan) * 1e-9;
  snprintf(text, bytes, "%g,%g,%g,%g,%g", work, span, span > 0 ? work / span : 0.0, burdened,
           burdened > 0 ? work / burdened : 0.0);
}
/* The tag and that line, on standard output. */
static inline void wsp_dump(wsp_t of, const char* tag) {
  char text[96];
  nopal_wsp_text(of, text, sizeof text);
  printf("%s,%s\n", tag, text);
}

#ifdef __cplusplus
static inline wsp_t operator+(wsp_t left, wsp_t right) { return wsp_add(left, right); }
static inline wsp_t operator-(wsp_t left, wsp_t right) { return wsp_sub(left, right); }
static inline wsp_t& operator+=(wsp_t& to, wsp_t what) { return to = to + what; }
static inline wsp_t& operator-=(wsp_t& from, wsp_t what) { return from = from - what; }
static inline std::ostream& operator<<(std::ostream& to, wsp_t of) {
  char text[96];
  nopal_wsp_text(of, text, sizeof text);
  return to << text;
}
static inline std::ofstream& operator<<(std::ofstream& to, wsp_t of) {
  static_cast<std::ostream&>(to) << of;
  return to;
}
#endif

#endif
