/* Lists of parameters and of arguments out of a macro's `f, (type, name)...`.
 *
 * C has no other way to write a function's parameters once and get a declaration, a call and a
 * pointer type from them. Each macro takes the name of the function first, so that no list is ever
 * empty: ISO C wants that.
 */
#ifndef NOPAL_DETAIL_ARGUMENT_LIST_H
#define NOPAL_DETAIL_ARGUMENT_LIST_H

#define NOPAL_DETAIL_FIRST(first, ...) first
#define NOPAL_DETAIL_PASTE(left, right) NOPAL_DETAIL_PASTE_EXPANDED(left, right)
#define NOPAL_DETAIL_PASTE_EXPANDED(left, right) left##right

/* What stands behind 17 others: with a row of answers behind the list, the one for the list's
 * length. */
#define NOPAL_DETAIL_EIGHTEENTH(f, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16,    \
                                answer, ...)                                                                 \
  answer

/* The number of pairs, 0 to 16, and whether there are any. */
#define NOPAL_DETAIL_COUNT(...)                                                                              \
  NOPAL_DETAIL_EIGHTEENTH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define NOPAL_DETAIL_ANY(...)                                                                                \
  NOPAL_DETAIL_EIGHTEENTH(__VA_ARGS__, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME,     \
                          SOME, SOME, SOME, SOME, SOME, NONE, ~)

/* `make (type, name), make (type, name)...`; for no pairs what `make` says for none. */
#define NOPAL_DETAIL_LIST(make, ...)                                                                         \
  NOPAL_DETAIL_PASTE(NOPAL_DETAIL_LIST_, NOPAL_DETAIL_COUNT(__VA_ARGS__))(make, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_0(make, f) make##_NONE
#define NOPAL_DETAIL_LIST_1(make, f, p) make p
#define NOPAL_DETAIL_LIST_2(make, f, p, ...) make p, NOPAL_DETAIL_LIST_1(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_3(make, f, p, ...) make p, NOPAL_DETAIL_LIST_2(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_4(make, f, p, ...) make p, NOPAL_DETAIL_LIST_3(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_5(make, f, p, ...) make p, NOPAL_DETAIL_LIST_4(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_6(make, f, p, ...) make p, NOPAL_DETAIL_LIST_5(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_7(make, f, p, ...) make p, NOPAL_DETAIL_LIST_6(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_8(make, f, p, ...) make p, NOPAL_DETAIL_LIST_7(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_9(make, f, p, ...) make p, NOPAL_DETAIL_LIST_8(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_10(make, f, p, ...) make p, NOPAL_DETAIL_LIST_9(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_11(make, f, p, ...) make p, NOPAL_DETAIL_LIST_10(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_12(make, f, p, ...) make p, NOPAL_DETAIL_LIST_11(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_13(make, f, p, ...) make p, NOPAL_DETAIL_LIST_12(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_14(make, f, p, ...) make p, NOPAL_DETAIL_LIST_13(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_15(make, f, p, ...) make p, NOPAL_DETAIL_LIST_14(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_LIST_16(make, f, p, ...) make p, NOPAL_DETAIL_LIST_15(make, f, __VA_ARGS__)

/* `make (type, name) make (type, name)...`, without commas. */
#define NOPAL_DETAIL_EACH(make, ...)                                                                         \
  NOPAL_DETAIL_PASTE(NOPAL_DETAIL_EACH_, NOPAL_DETAIL_COUNT(__VA_ARGS__))(make, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_0(make, f)
#define NOPAL_DETAIL_EACH_1(make, f, p) make p
#define NOPAL_DETAIL_EACH_2(make, f, p, ...) make p NOPAL_DETAIL_EACH_1(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_3(make, f, p, ...) make p NOPAL_DETAIL_EACH_2(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_4(make, f, p, ...) make p NOPAL_DETAIL_EACH_3(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_5(make, f, p, ...) make p NOPAL_DETAIL_EACH_4(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_6(make, f, p, ...) make p NOPAL_DETAIL_EACH_5(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_7(make, f, p, ...) make p NOPAL_DETAIL_EACH_6(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_8(make, f, p, ...) make p NOPAL_DETAIL_EACH_7(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_9(make, f, p, ...) make p NOPAL_DETAIL_EACH_8(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_10(make, f, p, ...) make p NOPAL_DETAIL_EACH_9(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_11(make, f, p, ...) make p NOPAL_DETAIL_EACH_10(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_12(make, f, p, ...) make p NOPAL_DETAIL_EACH_11(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_13(make, f, p, ...) make p NOPAL_DETAIL_EACH_12(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_14(make, f, p, ...) make p NOPAL_DETAIL_EACH_13(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_15(make, f, p, ...) make p NOPAL_DETAIL_EACH_14(make, f, __VA_ARGS__)
#define NOPAL_DETAIL_EACH_16(make, f, p, ...) make p NOPAL_DETAIL_EACH_15(make, f, __VA_ARGS__)
/* The same of a list in parentheses. */
#define NOPAL_DETAIL_EACH_OF(make, list) NOPAL_DETAIL_EACH_OF_EXPANDED(make, NOPAL_DETAIL_UNWRAPPED list)
#define NOPAL_DETAIL_EACH_OF_EXPANDED(make, ...) NOPAL_DETAIL_EACH(make, __VA_ARGS__)
#define NOPAL_DETAIL_UNWRAPPED(...) __VA_ARGS__

/* A comma if a list follows. */
#define NOPAL_DETAIL_COMMA(...) NOPAL_DETAIL_PASTE(NOPAL_DETAIL_COMMA_BEFORE_, NOPAL_DETAIL_ANY(__VA_ARGS__))
#define NOPAL_DETAIL_COMMA_BEFORE_NONE
#define NOPAL_DETAIL_COMMA_BEFORE_SOME ,

/* Through __typeof__ a pair may name any type, also one that is not written before its name. */
#define NOPAL_DETAIL_AS_PARAMETER(type, name) __typeof__(type) name
#define NOPAL_DETAIL_AS_PARAMETER_NONE
#define NOPAL_DETAIL_AS_TYPE(type, name) __typeof__(type)
#define NOPAL_DETAIL_AS_TYPE_NONE
#ifdef __cplusplus
#define NOPAL_DETAIL_AS_ARGUMENT(type, name) static_cast<decltype(name)&&>(name)
#define NOPAL_DETAIL_NO_PARAMETERS
#else
#define NOPAL_DETAIL_AS_ARGUMENT(type, name) name
#define NOPAL_DETAIL_NO_PARAMETERS void
#endif
#define NOPAL_DETAIL_AS_ARGUMENT_NONE
#define NOPAL_DETAIL_AS_OWN_ARGUMENT(type, name) nopal_own_##name
#define NOPAL_DETAIL_AS_OWN_ARGUMENT_NONE
#define NOPAL_DETAIL_AS_ALL_PARAMETERS(type, name) __typeof__(type) name
#define NOPAL_DETAIL_AS_ALL_PARAMETERS_NONE NOPAL_DETAIL_NO_PARAMETERS
#define NOPAL_DETAIL_AS_ALL_TYPES(type, name) __typeof__(type)
#define NOPAL_DETAIL_AS_ALL_TYPES_NONE NOPAL_DETAIL_NO_PARAMETERS

/* Of `f, (type, name)...`: the parameters of a function that has no others, their types, arguments for
 * it; and the same with a comma in front, to go on a list. */
#define NOPAL_DETAIL_PARAMETERS(...) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_ALL_PARAMETERS, __VA_ARGS__)
#define NOPAL_DETAIL_TYPES(...) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_ALL_TYPES, __VA_ARGS__)
#define NOPAL_DETAIL_ARGUMENTS(...) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_ARGUMENT, __VA_ARGS__)
#define NOPAL_DETAIL_OWN_ARGUMENTS(...) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_OWN_ARGUMENT, __VA_ARGS__)
#define NOPAL_DETAIL_MORE_PARAMETERS(...)                                                                    \
  NOPAL_DETAIL_COMMA(__VA_ARGS__) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_PARAMETER, __VA_ARGS__)
#define NOPAL_DETAIL_MORE_TYPES(...)                                                                         \
  NOPAL_DETAIL_COMMA(__VA_ARGS__) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_TYPE, __VA_ARGS__)
#define NOPAL_DETAIL_MORE_ARGUMENTS(...)                                                                     \
  NOPAL_DETAIL_COMMA(__VA_ARGS__) NOPAL_DETAIL_LIST(NOPAL_DETAIL_AS_ARGUMENT, __VA_ARGS__)

#endif
