/* What a fork of the Fibril interface in C asks of its arguments where a processor passes large ones by the address of a copy
 * in the caller's frame. Included by fibril_c.h for such processors.
 *
 * A thief of the parent's continuation fills that copy anew at its next fork, maybe before the child has read it. In the scope
 * interface the child's entry takes the argument before it offers the continuation. Here an assembly routine enters the child
 * by the child's own type, and knows no argument's size: so large ones are refused. Compilers tell the types of
 * arguments, not of parameters. A small argument that becomes a large number (_Complex long double, _BitInt) is not seen.
 */
#ifndef NOPAL_DETAIL_FIBRIL_ARGUMENTS_H
#define NOPAL_DETAIL_FIBRIL_ARGUMENTS_H

#include <nopal/detail/argument_list.h>
#include <nopal/detail/machine.h>

/* Of an array the pointer's size. Never evaluated, since the type is no array of variable length. */
#define NOPAL_DETAIL_FIBRIL_FITS(...) &&(sizeof(((void)0, (__VA_ARGS__))) <= NOPAL_DETAIL_LARGE_BY_REFERENCE)

/* What stands behind 64 others. */
#define NOPAL_DETAIL_FIBRIL_BEHIND_64(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                                      a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30,  \
                                      a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44,  \
                                      a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58,  \
                                      a59, a60, a61, a62, a63, a64, answer, ...)                             \
  answer

/* The number of arguments from 2 to 32; 1 for none too, and MANY for more. */
#define NOPAL_DETAIL_FIBRIL_COUNT(...)                                                                       \
  NOPAL_DETAIL_FIBRIL_BEHIND_64(__VA_ARGS__, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY,     \
                                MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY,      \
                                MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, 32, 31, 30, 29,  \
                                28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,  \
                                9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define NOPAL_DETAIL_FIBRIL_HAS_COMMA(...)                                                                   \
  NOPAL_DETAIL_FIBRIL_BEHIND_64(__VA_ARGS__, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES,     \
                                YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES,   \
                                YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES,   \
                                YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES,   \
                                YES, YES, YES, YES, YES, YES, NO, ~)

/* One argument, or none: that has no parentheses in front, and with a pair behind it calls this macro. */
#define NOPAL_DETAIL_FIBRIL_TO_COMMA(...) ,
#define NOPAL_DETAIL_FIBRIL_FITS_1(...)                                                                      \
  NOPAL_DETAIL_PASTE(NOPAL_DETAIL_FIBRIL_FITS_IN_FRONT_,                                                     \
                     NOPAL_DETAIL_FIBRIL_HAS_COMMA(NOPAL_DETAIL_FIBRIL_TO_COMMA __VA_ARGS__))(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_IN_FRONT_YES(...) NOPAL_DETAIL_FIBRIL_FITS(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_IN_FRONT_NO(...)                                                            \
  NOPAL_DETAIL_PASTE(NOPAL_DETAIL_FIBRIL_FITS_BEHIND_,                                                       \
                     NOPAL_DETAIL_FIBRIL_HAS_COMMA(NOPAL_DETAIL_FIBRIL_TO_COMMA __VA_ARGS__()))(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_BEHIND_YES(...)
#define NOPAL_DETAIL_FIBRIL_FITS_BEHIND_NO(...) NOPAL_DETAIL_FIBRIL_FITS(__VA_ARGS__)

/* Two arguments and more, one after the other. */
#define NOPAL_DETAIL_FIBRIL_FITS_LAST(argument) NOPAL_DETAIL_FIBRIL_FITS(argument)
#define NOPAL_DETAIL_FIBRIL_FITS_2(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_LAST(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_3(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_2(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_4(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_3(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_5(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_4(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_6(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_5(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_7(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_6(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_8(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_7(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_9(argument, ...)                                                            \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_8(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_10(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_9(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_11(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_10(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_12(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_11(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_13(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_12(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_14(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_13(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_15(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_14(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_16(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_15(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_17(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_16(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_18(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_17(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_19(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_18(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_20(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_19(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_21(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_20(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_22(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_21(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_23(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_22(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_24(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_23(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_25(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_24(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_26(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_25(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_27(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_26(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_28(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_27(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_29(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_28(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_30(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_29(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_31(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_30(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_32(argument, ...)                                                           \
  NOPAL_DETAIL_FIBRIL_FITS(argument) NOPAL_DETAIL_FIBRIL_FITS_31(__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FITS_MANY(...) &&0

#define NOPAL_DETAIL_FIBRIL_ALL_FIT(...)                                                                     \
  (1 NOPAL_DETAIL_PASTE(NOPAL_DETAIL_FIBRIL_FITS_, NOPAL_DETAIL_FIBRIL_COUNT(__VA_ARGS__))(__VA_ARGS__))

/* Clang warns of effects of what is not evaluated, and of arrays that are seen as pointers. */
#ifdef __clang__
#define NOPAL_DETAIL_FIBRIL_UNEVALUATED(...)                                                                 \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunevaluated-expression\"")          \
      _Pragma("clang diagnostic ignored \"-Wsizeof-array-decay\"")                                           \
          __VA_ARGS__ _Pragma("clang diagnostic pop")
#else
#define NOPAL_DETAIL_FIBRIL_UNEVALUATED(...) __VA_ARGS__
#endif

#define NOPAL_DETAIL_FIBRIL_ACCEPT(arguments)                                                                \
  NOPAL_DETAIL_FIBRIL_UNEVALUATED(                                                                           \
      _Static_assert(NOPAL_DETAIL_FIBRIL_ALL_FIT arguments,                                                  \
                     "fibril_fork: on this processor a child takes up to 32 arguments of up to 16 bytes "    \
                     "each: pass a pointer, or use NOPAL_FORKABLE");)

#endif
