/* Functions that never reach a join: what C and C++ cases of them share. */
#ifndef NOPAL_TESTS_CODEGEN_ENDLESS_H
#define NOPAL_TESTS_CODEGEN_ENDLESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the process, once enough was stolen or something was wrong. The compiler knows of no end. */
void corpus_go_on(int right, long round);

/* A child: lingers. */
void corpus_child(long value);

/* Overwrites some stack below the caller. */
void corpus_scribble(void);

/* Whether `where` is a multiple of `to`. */
int corpus_is_aligned(const volatile void* where, unsigned long to);

/* The value, which the compiler then knows nothing about. */
long corpus_opaque(long value);

/* Of the C files. */
void corpus_endless_c(void);
void corpus_endless_c_typed(void);
void corpus_endless_c_fibril(void);
void corpus_endless_c_vectors(void);

/* Of the file without exceptions. */
void corpus_endless_no_exceptions(void);
void corpus_endless_no_exceptions_vectors(void);
void corpus_ended_no_exceptions(void);

#ifdef __cplusplus
}
#endif

#endif
