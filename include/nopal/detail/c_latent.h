/* A latent fork out of C: nothing is recorded and nothing is pushed; the child is called. See
 * nopal/detail/latent_fork.hpp, and docs/latent-forks.md for the argument.
 *
 * What is called:
 *
 *   a function whose parameters are words, or numbers of type double: itself, with all of them in
 *     registers;
 *   any other with arguments of six words in all: an entry to which they travel as words;
 *   what is left: an entry that copies the arguments out of the forking function's frame, and says when.
 *
 * An exception that leaves a child ends the process, as at an eager fork of C: the personality routine
 * of the function that forks knows its calls of children. So the call is one in place.
 *
 * Included where the compiler can do it and NOPAL_FORKS_EAGER is not defined.
 */
#ifndef NOPAL_DETAIL_C_LATENT_H
#define NOPAL_DETAIL_C_LATENT_H

#include <nopal/detail/argument_list.h>
#include <nopal/detail/fast_path.h>
#include <nopal/detail/latent.h>
#include NOPAL_DETAIL_LATENT_ASSEMBLY

/* Old programs have an empty macro of this name. Then what travels would be anywhere. */
#pragma push_macro("register")
#undef register
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
static __attribute__((constructor, used)) void nopal_say_that_forks_are_latent(void) {
  nopal_use_latent_forks();
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

enum nopal_passing { nopal_pass_plainly, nopal_pass_words, nopal_pass_places };

/* Of a parameter, too, that is written as an array. */
#define NOPAL_DETAIL_SIZE(value) sizeof(((void)0, (value)))
#define NOPAL_DETAIL_IS_OF(value, type) __builtin_types_compatible_p(__typeof__(value), type)
/* Kinds of values, as __builtin_classify_type numbers them; a float would be made a double for it. */
#define NOPAL_DETAIL_KIND(value)                                                                             \
  __builtin_classify_type(__builtin_choose_expr(NOPAL_DETAIL_IS_OF(value, float), 0.0, (value)))
#define NOPAL_DETAIL_IS_WORD(value)                                                                          \
  (NOPAL_DETAIL_KIND(value) >= 1 && NOPAL_DETAIL_KIND(value) <= 5 && NOPAL_DETAIL_SIZE(value) <= 8)
#define NOPAL_DETAIL_IS_NUMBER(value) NOPAL_DETAIL_IS_OF(value, double)
#define NOPAL_DETAIL_AS_WORD(value) ((uint64_t)__builtin_choose_expr(NOPAL_DETAIL_IS_WORD(value), (value), 0))
#define NOPAL_DETAIL_AS_NUMBER(value)                                                                        \
  ((double)__builtin_choose_expr(NOPAL_DETAIL_IS_NUMBER(value), (value), 0.0))

/* How the call's own code stores what is returned; see NOPAL_DETAIL_STORE. 0: the child does. */
#define NOPAL_DETAIL_STORE_OF(value)                                                                         \
  (NOPAL_DETAIL_IS_OF(value, float)    ? 5                                                                   \
   : NOPAL_DETAIL_IS_OF(value, double) ? 6                                                                   \
   : !NOPAL_DETAIL_IS_WORD(value)      ? 0                                                                   \
   : sizeof(value) == 8                ? 4                                                                   \
   : sizeof(value) == 4                ? 3                                                                   \
   : sizeof(value) == 2                ? 2                                                                   \
                                       : 1)

#define NOPAL_DETAIL_WORDS_IN(size) ((int)(((size) + 7) / 8))
/* An index that is a constant, and means something only if it is within. */
#define NOPAL_DETAIL_WITHIN(index, size) ((index) >= 0 && (index) < (size) ? (index) : 0)
#define NOPAL_DETAIL_ADDRESS(object) ((void*)(uintptr_t)&(object))

/* --- What a fork passes. --- */

/* Of `f, (type, name)...`: what is added up, or has to hold, of each. */
#define NOPAL_DETAIL_AND_PLAIN(type, name) &&(NOPAL_DETAIL_IS_WORD(name) || NOPAL_DETAIL_IS_NUMBER(name))
#define NOPAL_DETAIL_PLUS_NUMBER(type, name) +(NOPAL_DETAIL_IS_NUMBER(name) ? 1 : 0)
#define NOPAL_DETAIL_PLUS_WORD(type, name) +(NOPAL_DETAIL_IS_NUMBER(name) ? 0 : 1)
#define NOPAL_DETAIL_PLUS_WORDS(type, name) +NOPAL_DETAIL_WORDS_IN(NOPAL_DETAIL_SIZE(name))

/* The places of an argument's first and last word, and of a number: enumerators count by themselves. */
#define NOPAL_DETAIL_WORD_PLACES(type, name)                                                                 \
  , nopal_word_##name,                                                                                       \
      nopal_last_word_##name =                                                                               \
          nopal_word_##name - 1 +                                                                            \
          (nopal_plainly && NOPAL_DETAIL_IS_NUMBER(name) ? 0                                                 \
                                                         : NOPAL_DETAIL_WORDS_IN(NOPAL_DETAIL_SIZE(name)))
#define NOPAL_DETAIL_NUMBER_PLACES(type, name)                                                               \
  , nopal_number_##name,                                                                                     \
      nopal_last_number_##name =                                                                             \
          nopal_number_##name - 1 + (nopal_plainly && NOPAL_DETAIL_IS_NUMBER(name) ? 1 : 0)

/* `first`: the words before the arguments', for an entry. */
#define NOPAL_DETAIL_PLAN(is_plain_function, first, list)                                                    \
  enum {                                                                                                     \
    nopal_all_numbers = 0 NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_PLUS_NUMBER, list),                              \
    nopal_other_words = 0 NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_PLUS_WORD, list),                                \
    nopal_all_words = (first)NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_PLUS_WORDS, list),                            \
    nopal_plainly = (is_plain_function)NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_AND_PLAIN, list) &&                 \
                    NOPAL_DETAIL_NUMBERS_FIT(nopal_other_words, nopal_all_numbers),                          \
    nopal_passing = nopal_plainly                                       ? nopal_pass_plainly                 \
                    : nopal_all_words <= NOPAL_DETAIL_MOST_LATENT_WORDS ? nopal_pass_words                   \
                                                                        : nopal_pass_places,                 \
    nopal_words = nopal_plainly                            ? nopal_other_words                               \
                  : (int)nopal_passing == nopal_pass_words ? nopal_all_words                                 \
                                                           : 1,                                              \
    nopal_numbers = nopal_plainly ? nopal_all_numbers : 0                                                    \
  };                                                                                                         \
  enum { nopal_before_words = (first) - 1 NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_WORD_PLACES, list) };            \
  enum { nopal_before_numbers = -1 NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_NUMBER_PLACES, list) }

/* Without optimization GCC would warn of what is inlined, and never reached. */
#ifdef __OPTIMIZE__
#define NOPAL_DETAIL_INLINE_IF_OPTIMIZED NOPAL_ALWAYS_INLINE
#else
#define NOPAL_DETAIL_INLINE_IF_OPTIMIZED inline
#endif

/* A word of an object, made in a register: written in parts and read as a whole it would wait for the
 * stores. */
static NOPAL_DETAIL_INLINE_IF_OPTIMIZED uint64_t nopal_make_word(const char* from, size_t size) {
  uint64_t word = 0;
  if (size >= 8) {
    __builtin_memcpy(&word, from, 8);
  } else if (size == 4) {
    uint32_t part;
    __builtin_memcpy(&part, from, 4);
    word = part;
  } else if (size == 2) {
    uint16_t part;
    __builtin_memcpy(&part, from, 2);
    word = part;
  } else {
    __builtin_memcpy(&word, from, size);
  }
  return word;
}
static NOPAL_DETAIL_INLINE_IF_OPTIMIZED void nopal_put_words(uint64_t* to, const void* object, size_t size) {
  const char* const from = (const char*)object;
  if (size > 0) to[0] = nopal_make_word(from, size);
  if (size > 8) to[1] = nopal_make_word(from + 8, size - 8);
  if (size > 16) to[2] = nopal_make_word(from + 16, size - 16);
  if (size > 24) to[3] = nopal_make_word(from + 24, size - 24);
  if (size > 32) to[4] = nopal_make_word(from + 32, size - 32);
  if (size > 40) to[5] = nopal_make_word(from + 40, size - 40);
}

#define NOPAL_DETAIL_PUT(type, name)                                                                         \
  if (nopal_plainly && NOPAL_DETAIL_IS_NUMBER(name)) {                                                       \
    nopal_passed_numbers[NOPAL_DETAIL_WITHIN(nopal_number_##name, NOPAL_DETAIL_MOST_LATENT_NUMBERS)] =       \
        NOPAL_DETAIL_AS_NUMBER(name);                                                                        \
  } else if (NOPAL_DETAIL_IS_WORD(name)) {                                                                   \
    nopal_passed_words[NOPAL_DETAIL_WITHIN(nopal_word_##name, NOPAL_DETAIL_MOST_LATENT_WORDS)] =             \
        NOPAL_DETAIL_AS_WORD(name);                                                                          \
  } else {                                                                                                   \
    nopal_put_words(                                                                                         \
        &nopal_passed_words[NOPAL_DETAIL_WITHIN(nopal_word_##name, NOPAL_DETAIL_MOST_LATENT_WORDS)],         \
        NOPAL_DETAIL_ADDRESS(name), NOPAL_DETAIL_SIZE(name));                                                \
  }

/* What was put, for an eager fork; what was not is still in its place. */
#define NOPAL_DETAIL_AS_PUT(type, name)                                                                      \
  __builtin_choose_expr((int)nopal_passing == nopal_pass_places, name, __extension__({                       \
                          __typeof__(((void)0, name)) nopal_put;                                             \
                          __builtin_memcpy(&nopal_put,                                                       \
                                           nopal_plainly&& NOPAL_DETAIL_IS_NUMBER(name)                      \
                                               ? (const void*)&nopal_passed_numbers[NOPAL_DETAIL_WITHIN(     \
                                                     nopal_number_##name, NOPAL_DETAIL_MOST_LATENT_NUMBERS)] \
                                               : &nopal_passed_words[NOPAL_DETAIL_WITHIN(                    \
                                                     nopal_word_##name, NOPAL_DETAIL_MOST_LATENT_WORDS)],    \
                                           sizeof nopal_put);                                                \
                          nopal_put;                                                                         \
                        }))
#define NOPAL_DETAIL_AS_PUT_NONE
#define NOPAL_DETAIL_MORE_PUT(...)                                                                           \
  NOPAL_DETAIL_COMMA(__VA_ARGS__) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_PUT, __VA_ARGS__)

/* --- The entries of children. --- */

/* The type that a parameter of `type` has: in an array's place a pointer. */
#define NOPAL_DETAIL_PASSED_TYPE(type, at) __typeof__(((void)0, *(__typeof__(type)*)(at)))

/* Nothing where the words are too many, which are not passed then. */
static NOPAL_DETAIL_INLINE_IF_OPTIMIZED void nopal_get_words(void* object, const uint64_t* words, int at,
                                                             size_t size) {
  if (at + NOPAL_DETAIL_WORDS_IN(size) <= NOPAL_DETAIL_MOST_LATENT_WORDS) {
    __builtin_memcpy(object, words + at, size);
  }
}
#define NOPAL_DETAIL_TAKE(type, name)                                                                        \
  NOPAL_DETAIL_PASSED_TYPE(type, nopal_first_passed) name;                                                   \
  nopal_get_words(&name, nopal_passed_words, nopal_at, sizeof name);                                         \
  nopal_at += NOPAL_DETAIL_WORDS_IN(sizeof name);

#define NOPAL_DETAIL_COPY(type, name)                                                                        \
  NOPAL_DETAIL_PASSED_TYPE(type, *nopal_places) name;                                                        \
  __builtin_memcpy(&name, *nopal_places++, sizeof name);
#define NOPAL_DETAIL_AS_PLACE(type, name) , NOPAL_DETAIL_ADDRESS(name)

#define NOPAL_DETAIL_WORD_PARAMETERS                                                                         \
  uint64_t nopal_w0, uint64_t nopal_w1, uint64_t nopal_w2, uint64_t nopal_w3, uint64_t nopal_w4,             \
      uint64_t nopal_w5
#define NOPAL_DETAIL_WORDS_BY_INDEX                                                                          \
  uint64_t nopal_passed_words[NOPAL_DETAIL_MOST_LATENT_WORDS] = {nopal_w0, nopal_w1, nopal_w2,               \
                                                                 nopal_w3, nopal_w4, nopal_w5};              \
  void* const nopal_first_passed = nopal_passed_words

/* Until the child says so, the continuation is not to be had: it may end what is copied. Relaxed: read
 * by this thread alone, in a signal's handler. resume_address means nothing at a latent fork before it
 * is promoted. */
static NOPAL_ALWAYS_INLINE void nopal_set_copied(struct nopal_frame* frame, int copied) {
  __atomic_store_n(&frame->resume_address, copied ? (void*)frame : NULL, __ATOMIC_RELAXED);
  __asm__ volatile("" : : : "memory");
}

/* An entry for words that returns what `f` does, one that stores it, one that copies. Which of them is
 * needed is known where all types are. */
#define NOPAL_DETAIL_ENTRIES(result, f, list)                                                                \
  NOPAL_DETAIL_ENTRY(result, f, list, return)                                                                \
  static __attribute__((unused)) void nopal_storing_entry_##f(NOPAL_DETAIL_WORD_PARAMETERS) {                \
    NOPAL_DETAIL_WORDS_BY_INDEX;                                                                             \
    int nopal_at = 1;                                                                                        \
    NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_TAKE, list)                                                            \
    (void)nopal_at;                                                                                          \
    (void)nopal_first_passed;                                                                                \
    *(__typeof__(result)*)nopal_passed_words[0] = f(NOPAL_DETAIL_ARGUMENTS list);                            \
  }                                                                                                          \
  NOPAL_DETAIL_COPYING_ENTRY(f, list, *(__typeof__(result)*)nopal_out =)
#define NOPAL_DETAIL_ENTRIES_VOID(f, list)                                                                   \
  NOPAL_DETAIL_ENTRY(void, f, list, )                                                                        \
  NOPAL_DETAIL_COPYING_ENTRY(f, list, )

#define NOPAL_DETAIL_ENTRY(result, f, list, give)                                                            \
  static __attribute__((unused)) result nopal_entry_##f(NOPAL_DETAIL_WORD_PARAMETERS) {                      \
    NOPAL_DETAIL_WORDS_BY_INDEX;                                                                             \
    int nopal_at = 0;                                                                                        \
    NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_TAKE, list)                                                            \
    (void)nopal_at;                                                                                          \
    (void)nopal_first_passed;                                                                                \
    give f(NOPAL_DETAIL_ARGUMENTS list);                                                                     \
  }
#define NOPAL_DETAIL_COPYING_ENTRY(f, list, give)                                                            \
  static __attribute__((unused)) void nopal_copying_entry_##f(void** nopal_places) {                         \
    struct nopal_frame* const nopal_parent = (struct nopal_frame*)*nopal_places++;                           \
    void* const nopal_out = *nopal_places++;                                                                 \
    NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_COPY, list)                                                            \
    nopal_set_copied(nopal_parent, 1);                                                                       \
    (void)nopal_out;                                                                                         \
    give f(NOPAL_DETAIL_ARGUMENTS list);                                                                     \
  }

/* --- The fork. --- */

#define NOPAL_DETAIL_TEXT_OF(...) #__VA_ARGS__
#define NOPAL_DETAIL_TEXT(...) NOPAL_DETAIL_TEXT_OF(__VA_ARGS__)
#define NOPAL_DETAIL_REGISTERS                                                                               \
  __extension__ _Static_assert(sizeof(NOPAL_DETAIL_TEXT(register)) == sizeof "register",                     \
                               "nopal: register is a macro here: #undef it before NOPAL_FORKABLE, or "       \
                               "compile with NOPAL_FORKS_EAGER");                                            \
  uint64_t nopal_w0;                                                                                         \
  uint64_t nopal_w1;                                                                                         \
  uint64_t nopal_w2;                                                                                         \
  uint64_t nopal_w3;                                                                                         \
  register uint64_t nopal_w4 __asm__("r8");                                                                  \
  register uint64_t nopal_w5 __asm__("r9");                                                                  \
  register double nopal_x0 __asm__("xmm0");                                                                  \
  register double nopal_x1 __asm__("xmm1");                                                                  \
  register double nopal_x2 __asm__("xmm2");                                                                  \
  register double nopal_x3 __asm__("xmm3");                                                                  \
  register double nopal_x4 __asm__("xmm4");                                                                  \
  register double nopal_x5 __asm__("xmm5");                                                                  \
  register double nopal_x6 __asm__("xmm6");                                                                  \
  register double nopal_x7 __asm__("xmm7")

#define NOPAL_DETAIL_PASS_NUMBERS                                                                            \
  if (nopal_numbers > 0) {                                                                                   \
    nopal_x0 = nopal_passed_numbers[0];                                                                      \
    NOPAL_DETAIL_PASS(nopal_x1, nopal_numbers > 1, nopal_passed_numbers[1], "=x");                           \
    NOPAL_DETAIL_PASS(nopal_x2, nopal_numbers > 2, nopal_passed_numbers[2], "=x");                           \
    NOPAL_DETAIL_PASS(nopal_x3, nopal_numbers > 3, nopal_passed_numbers[3], "=x");                           \
    NOPAL_DETAIL_PASS(nopal_x4, nopal_numbers > 4, nopal_passed_numbers[4], "=x");                           \
    NOPAL_DETAIL_PASS(nopal_x5, nopal_numbers > 5, nopal_passed_numbers[5], "=x");                           \
    NOPAL_DETAIL_PASS(nopal_x6, nopal_numbers > 6, nopal_passed_numbers[6], "=x");                           \
    NOPAL_DETAIL_PASS(nopal_x7, nopal_numbers > 7, nopal_passed_numbers[7], "=x");                           \
  }
#define NOPAL_DETAIL_READ_NUMBERS                                                                            \
  NOPAL_DETAIL_READ(nopal_numbers > 0, nopal_passed_numbers[0], nopal_x0, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 1, nopal_passed_numbers[1], nopal_x1, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 2, nopal_passed_numbers[2], nopal_x2, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 3, nopal_passed_numbers[3], nopal_x3, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 4, nopal_passed_numbers[4], nopal_x4, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 5, nopal_passed_numbers[5], nopal_x5, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 6, nopal_passed_numbers[6], nopal_x6, "+x");                             \
  NOPAL_DETAIL_READ(nopal_numbers > 7, nopal_passed_numbers[7], nopal_x7, "+x")

/* Puts what travels where the call has it; `out` is where the result goes. */
#define NOPAL_DETAIL_PUT_ALL(out, list)                                                                      \
  uint64_t nopal_passed_words[NOPAL_DETAIL_MOST_LATENT_WORDS];                                               \
  double nopal_passed_numbers[NOPAL_DETAIL_MOST_LATENT_NUMBERS];                                             \
  void* const nopal_places[] = {&nopal_parent->frame,                                                        \
                                (out)NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_AS_PLACE, list)};                     \
  NOPAL_DETAIL_REGISTERS;                                                                                    \
  if ((int)nopal_passing == nopal_pass_places) {                                                             \
    nopal_passed_words[0] = (uint64_t)nopal_places;                                                          \
    nopal_set_copied(&nopal_parent->frame, 0);                                                               \
  } else {                                                                                                   \
    if (nopal_before_words == 0) nopal_passed_words[0] = (uint64_t)(out);                                    \
    NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_PUT, list)                                                             \
  }                                                                                                          \
  NOPAL_DETAIL_PASS_NUMBERS                                                                                  \
  NOPAL_DETAIL_PASS_WORDS((int)nopal_words, nopal_passed_words)

/* The call, whose output is `output`. `nopal_eager` says what came of it. */
#define NOPAL_DETAIL_CALL_LATENTLY(store, output, child, how)                                                \
  NOPAL_DETAIL_LATENT_BY_PASSED(store, NOPAL_DETAIL_OPERANDS(output), (int)nopal_words, (int)nopal_numbers,  \
                                nopal_parent->frame, child, how, nopal_eagerly)
#define NOPAL_DETAIL_UNLESS_CALLED                                                                           \
  int nopal_called; /* no initializer: GCC can be asked to warn of jumps past one */                         \
  nopal_called = 1;                                                                                          \
  if (0) {                                                                                                   \
  nopal_eagerly:                                                                                             \
    nopal_called = 0;                                                                                        \
  }                                                                                                          \
  nopal_forget_stack_pointer();                                                                              \
  if (NOPAL_UNLIKELY(!nopal_called))

/* See call_latently: what was passed is told anew. */
#define NOPAL_DETAIL_READ_ALL                                                                                \
  __asm__ volatile("");                                                                                      \
  NOPAL_DETAIL_READ_WORDS((int)nopal_words, nopal_passed_words);                                             \
  NOPAL_DETAIL_READ_NUMBERS

#define NOPAL_DETAIL_IS_PLAIN_FUNCTION(result, f, list)                                                      \
  __builtin_types_compatible_p(__typeof__(&f), __typeof__(result) (*)(NOPAL_DETAIL_TYPES list))

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_CHILD(result, f, list)                                                                        \
  NOPAL_DETAIL_ENTRIES(result, f, list)                                                                      \
  static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((unused)) void nopal_fork_##f(        \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    enum { nopal_store = NOPAL_DETAIL_STORE_OF(*nopal_out) };                                                \
    NOPAL_DETAIL_PLAN(NOPAL_DETAIL_IS_PLAIN_FUNCTION(result, f, list) && nopal_store != 0, nopal_store == 0, \
                      list);                                                                                 \
    nopal_check_function(&nopal_parent->frame);                                                              \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    NOPAL_DETAIL_PUT_ALL((void*)(uintptr_t)nopal_out, list);                                                 \
    if ((int)nopal_passing == nopal_pass_places) {                                                           \
      NOPAL_DETAIL_CALL_LATENTLY(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(""), , nopal_copying_entry_##f,        \
                                 1 << 4)                                                                     \
    } else if (nopal_store == 0) {                                                                           \
      NOPAL_DETAIL_CALL_LATENTLY(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(""), , nopal_storing_entry_##f, 0)     \
    } else {                                                                                                 \
      NOPAL_DETAIL_CALL_LATENTLY(                                                                            \
          NOPAL_DETAIL_WITH_RESULT(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(NOPAL_DETAIL_STORE)),                \
          NOPAL_DETAIL_OPERANDS(, [nopal_out] "=m"(*nopal_out)),                                             \
          __builtin_choose_expr(nopal_plainly, &f, nopal_entry_##f), nopal_store)                            \
    }                                                                                                        \
    NOPAL_DETAIL_UNLESS_CALLED {                                                                             \
      NOPAL_DETAIL_READ_ALL;                                                                                 \
      NOPAL_DETAIL_ENTER(nopal_child_##f, NOPAL_DETAIL_CHILD_TYPES(result, list), ,                          \
                         nopal_out NOPAL_DETAIL_MORE_PUT list);                                              \
    }                                                                                                        \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_CHILD_VOID(f, list)                                                                           \
  NOPAL_DETAIL_ENTRIES_VOID(f, list)                                                                         \
  static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((unused)) void nopal_fork_##f(        \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    NOPAL_DETAIL_PLAN(NOPAL_DETAIL_IS_PLAIN_FUNCTION(void, f, list), 0, list);                               \
    nopal_check_function(&nopal_parent->frame);                                                              \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    NOPAL_DETAIL_PUT_ALL(NULL, list);                                                                        \
    if ((int)nopal_passing == nopal_pass_places) {                                                           \
      NOPAL_DETAIL_CALL_LATENTLY(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(""), , nopal_copying_entry_##f,        \
                                 1 << 4)                                                                     \
    } else {                                                                                                 \
      NOPAL_DETAIL_CALL_LATENTLY(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(""), ,                                 \
                                 __builtin_choose_expr(nopal_plainly, &f, nopal_entry_##f), 0)               \
    }                                                                                                        \
    NOPAL_DETAIL_UNLESS_CALLED {                                                                             \
      NOPAL_DETAIL_READ_ALL;                                                                                 \
      NOPAL_DETAIL_ENTER(nopal_child_##f, NOPAL_DETAIL_CHILD_VOID_TYPES(list), NOPAL_DETAIL_MORE_PUT list);  \
    }                                                                                                        \
  }

static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD void
nopal_fork(nopal_scope* nopal_parent, void (*function)(void*), void* argument) {
  enum { nopal_words = 1, nopal_numbers = 0 };
  uint64_t nopal_passed_words[NOPAL_DETAIL_MOST_LATENT_WORDS] = {(uint64_t)argument};
  NOPAL_DETAIL_REGISTERS;
  nopal_check_function(&nopal_parent->frame);
  NOPAL_DETAIL_MARK_PARENT();
  NOPAL_DETAIL_PASS_WORDS((int)nopal_words, nopal_passed_words);
  NOPAL_DETAIL_CALL_LATENTLY(NOPAL_DETAIL_CALL_WITHOUT_EXCEPTIONS(""), , function, 0)
  NOPAL_DETAIL_UNLESS_CALLED {
    __asm__ volatile("");
    NOPAL_DETAIL_READ_WORDS((int)nopal_words, nopal_passed_words);
    nopal_untyped_fork(nopal_parent, function, (void*)nopal_passed_words[0]);
  }
}

#pragma pop_macro("register")

#endif
