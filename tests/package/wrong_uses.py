"""Uses that do not compile, and what the compiler says of each: the tables of refused_test.py."""

PATTERN_HEADERS = """
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>
#include <nopal/waiting.hpp>
#include <functional>
#include <list>
#include <memory>
#include <vector>
"""
PATTERN_PROGRAM = """
struct unlike {};
void take(int, int);
void change(int&);
long change_second(const char*, std::vector<int>&);
struct moved { moved() = default; moved(moved&&) = default; };
void change_beside(moved, int&);
int changed;
int values[10];
std::vector<int> numbers(10);
std::list<int> listed;
void use() { USE }
"""

# Children have copies, which no reference to what may change refers to.
BY_REFERENCE = ("nopal: {} gives the child copies of its arguments: for a parameter that is a reference pass std::ref(x),"
                " or capture x in a lambda")
FORKS_BY_REFERENCE = [
    ("nopal::scope s; s.fork(change, changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; s.fork([](auto& each) { each = 3; }, changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; s.fork(change_beside, moved(), changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; s.fork([](int& a, int& b) { a = b; }, changed, changed);", BY_REFERENCE.format("fork")),
    ("nopal::scope s; long out; s.fork_into(out, change_second, \"text\", numbers);", BY_REFERENCE.format("fork_into")),
    ("nopal::scope s; int out; s.fork_into(out, [](int& a) { return a++; }, changed);", BY_REFERENCE.format("fork_into")),
]

# Forks of what is no call, and what is said about them.
FORKS = [
    ("nopal::cancel_scope s; s.fork();", "fork takes a callable and its arguments: s.fork(f, arguments...)"),
    ("nopal::cancel_scope s; s.fork_into(&changed, [] { return 1; });",
     "fork_into: the first argument is the variable for the result, not its address"),
    ("nopal::cancel_scope s; s.fork_inlet();", "fork_inlet takes what gets the result, then a callable and its arguments"),
    ("nopal::cancel_scope s; s.fork_inlet([](int) {});", "fork_inlet takes what gets the result, then a callable"),
    ("nopal::cancel_scope s; s.fork_inlet([](int) {}, take, 1);", "fork: the function takes another number of arguments"),
    ("nopal::scope s; s.fork();", "fork takes a callable and its arguments: s.fork(f, arguments...)"),
    ("nopal::scope s; s.fork(take, 1);", "fork: the function takes another number of arguments"),
    ("nopal::scope s; s.fork(5);", "fork: the first argument cannot be called: s.fork(f, arguments...)"),
    ("nopal::scope s; s.fork(changed, [](int) {}, 3);", "fork: the callable comes first; for its result there is fork_into:"),
    ("nopal::scope s; s.fork(&changed, take, 1, 2);", "fork: the callable comes first; for its result there is fork_into:"),
    ("nopal::scope s; s.fork(numbers, [] { return std::vector<int>(); });", "fork: the callable comes first"),
    ("nopal::scope s; s.fork([](int, auto&& f) { f(); }, [] {});", "fork: the callable cannot be called with these"),
    ("nopal::scope s; s.fork([](int) {});", "fork: the callable cannot be called with these arguments, of which it gets copies"),
    ("nopal::scope s; s.fork(take, 1, unlike());", "fork: the callable cannot be called with these arguments, of which it gets copies"),
    ("nopal::scope s; std::unique_ptr<int> p; s.fork([](std::unique_ptr<int>) {}, p);",
     "fork: the callable and its arguments must be copyable or movable"),
    ("nopal::scope s; int out; s.fork_into(out, [](int) { return 1; });",
     "fork_into: the callable cannot be called with these arguments, of which it gets copies"),
    ("nopal::scope s; s.fork_into(changed, change_second, \"text\");",
     "fork_into: the function takes another number of arguments"),
    ("nopal::scope s; s.fork_into();", "fork_into takes what the result is assigned to, a callable and its arguments"),
    ("nopal::scope s; s.fork_into([] {});", "fork_into takes what the result is assigned to, a callable and its arguments"),
    ("nopal::scope s; s.fork_into(&changed, [] { return 1; });",
     "fork_into: the first argument is the variable for the result, not its address"),
    ("nopal::scope s; s.fork_into(3, [] { return 1; });", "fork_into: the first argument must be a variable, which has"),
    ("nopal::scope s; s.fork_into(changed, 5, 3);", "fork_into: the second argument cannot be called"),
    ("nopal::scope s; int out; s.fork_into(out, [] { return unlike(); });",
     "fork_into: the callable's result cannot be assigned to the first argument"),
    ("nopal::scope s; int out; s.fork_into(out, [] {});", "fork_into: the callable returns nothing: use fork"),
    ("nopal::scope s; s.fork_into(take, 1);", "fork_into: the second argument cannot be called: s.fork_into(out, f, arguments...)"),
]
# Calls of patterns that lack an argument, and the first words of what is said about it.
MISSING = [
    ("nopal::parallel_invoke();", "parallel_invoke takes one function or more"),
    ("nopal::parallel_for();", "parallel_for takes a range or two ends"),
    ("nopal::parallel_for(numbers);", "parallel_for takes a range or two ends"),
    ("nopal::parallel_for(0, 10);", "parallel_for: after two ends comes the body"),
    ("nopal::parallel_for(numbers.begin(), numbers.end());", "parallel_for: after two ends comes the body"),
    ("nopal::parallel_for_each(numbers);", "parallel_for_each takes a range or two ends"),
    ("nopal::parallel_for_each(listed.begin(), listed.end());", "parallel_for_each takes a range or two ends"),
    ("nopal::parallel_for_each(values, values + 10);", "parallel_for_each takes a range or two ends"),
    ("changed = nopal::parallel_reduce(numbers);", "parallel_reduce takes a range or two ends"),
    ("nopal::parallel_transform(numbers);", "parallel_transform takes a range or two ends"),
    ("nopal::parallel_transform(numbers, [](int i) { return i; });", "parallel_transform takes a range or two ends"),
    ("nopal::parallel_transform(numbers.begin(), numbers.end(), values);",
     "parallel_transform: after two ends come where the output begins, and the function"),
    ("nopal::parallel_inclusive_scan(numbers);", "parallel_inclusive_scan takes a range or two ends"),
    ("nopal::parallel_inclusive_scan(numbers.begin(), numbers.end());", "parallel_inclusive_scan takes a range or two ends"),
    ("nopal::parallel_exclusive_scan(numbers, values);", "parallel_exclusive_scan takes a range or two ends"),
    ("nopal::parallel_exclusive_scan(numbers.begin(), numbers.end(), values);",
     "parallel_exclusive_scan takes a range or two ends"),
    ("nopal::parallel_exclusive_scan(values, values + 10, values);", "parallel_exclusive_scan takes a range or two ends"),
    ("auto found = nopal::parallel_find_if(numbers);", "parallel_find_if takes a range or two ends"),
    ("auto found = nopal::parallel_find_if(numbers.begin(), numbers.end());", "parallel_find_if takes a range or two ends"),
    ("int* found = nopal::parallel_find_if(values, values + 10);", "parallel_find_if takes a range or two ends"),
    ("bool any = nopal::parallel_any_of(numbers);", "parallel_any_of takes a range or two ends"),
    ("if (nopal::parallel_all_of(numbers.begin(), numbers.end())) return;", "parallel_all_of takes a range or two ends"),
    ("bool none = nopal::parallel_none_of(numbers);", "parallel_none_of takes a range or two ends"),
]
OF_ARENAS = [
    ("nopal::arena a; a.execute(5);", "arena: what is executed must be callable without arguments, as a lambda is"),
    ("nopal::arena a; changed = a.execute([](int i) { return i; });", "arena: what is executed must be callable without"),
    ("nopal::arena a; a.enqueue(5);", "arena: what is enqueued must be callable without arguments, as a lambda is"),
    ("nopal::arena a; a.enqueue([](int) {});", "arena: what is enqueued must be callable without arguments"),
]
WITHOUT_UNIT = [
    ("nopal::sleep_for(5);", "sleep_for: a duration has a unit, as std::chrono::milliseconds(5) has"),
    ("if (nopal::wait_readable(0, 5)) return;", "wait_readable: the limit has a unit, as std::chrono::milliseconds(5) has"),
    ("if (nopal::wait_writable(0, 0.5)) return;", "wait_writable: the limit has a unit, as std::chrono::milliseconds(5) has"),
]

# What is written, and what is said about it.
WRONG = [
    *MISSING,
    *FORKS,
    ("nopal::fork(take, 1, 2);", "fork is a member of scopes: nopal::scope s; s.fork(f, arguments...); s.join();"),
    ("nopal::scope s; nopal::fork(s, take, 1, 2);", "fork is a member of scopes"),
    ("int out; nopal::fork_into(out, [](int i) { return i; }, 1);", "fork_into is a member of scopes"),
    *FORKS_BY_REFERENCE,
    ("nopal::blocking(3);", "blocking: the argument must be callable without arguments, as a lambda is"),
    ("nopal::blocking([](int) {});", "blocking: the argument must be callable without arguments"),
    ("nopal::promise<int> p; p.set_value();", "set_value: one value, or none for promise<void>"),
    ("nopal::promise<void> p; p.set_value(3);", "set_value: one value, or none for promise<void>"),
    ("static_cast<void>(nopal::parallel_find_best(1));", "parallel_find_best takes the root of a tree, a function that returns"),
    ("static_cast<void>(nopal::parallel_find_best(1, [](int) { return numbers; }, [](int) { return 1; }, 5));",
     "parallel_find_best: the bound must be callable with a node"),
    ("static_cast<void>(nopal::parallel_find_best(1, [](int) { return 2; }, [](int) { return 1; }, [](int) { return 1; }));",
     "parallel_find_best: what a node is expanded to must be a range of nodes"),
    ("static_cast<void>(nopal::parallel_find_best(1, [](int) { return numbers; }, [](int) { return 1.5; }, [](int) { return 1; }));",
     "parallel_find_best: the value must be of the bound's type, or a std::optional of it"),
    ("static_cast<void>(nopal::parallel_find_best(moved(), [](const moved&) { return std::vector<moved>(3); }, [](const moved&) { return 1; },"
     " [](const moved&) { return 1; }));", "parallel_find_best: the elements of the range must be nodes, which are copied"),
    ("static_cast<void>(nopal::parallel_find_best(1, [](int) { return numbers; }, [](int) { return unlike(); }, [](int) { return 1; }));",
     "parallel_find_best: the value must be of the bound's type, or a std::optional of it"),
    ("nopal::parallel_invoke([] {}, 3);", "parallel_invoke: every argument must be callable without arguments"),
    ("nopal::parallel_for(0, 10, [](unlike) {});", "parallel_for: the body must be callable with"),
    ("nopal::parallel_for(0, 10, 5, 7);", "parallel_for: the body must be callable with"),
    ("nopal::parallel_for(0, 10, [](int) {}, 100);", "parallel_for: the grain stands before the body"),
    ("nopal::parallel_for(numbers.begin(), numbers.end(), change, 100u);",
     "parallel_for: the grain stands before the body"),
    ("nopal::parallel_for(numbers, [](int) {}, 100);",
     "parallel_for: the grain must be a whole number, and stands before the body"),
    ("nopal::parallel_for(0.0, 10.0, [](double) {});", "parallel_for: the first two arguments must be whole numbers or"),
    ("nopal::parallel_for(listed.begin(), listed.end(), [](int) {});",
     "parallel_for: the first two arguments must be whole numbers or random-access iterators of one type"),
    ("nopal::parallel_for(numbers.begin(), numbers.cend(), [](int) {});",
     "parallel_for: the first two arguments must be whole numbers or random-access iterators of one type"),
    ("nopal::parallel_for(listed, [](int) {});",
     "parallel patterns: the range must have random-access iterators and a size that they tell; parallel_for_each takes any range"),
    ("nopal::parallel_for(5, [](int) {});", "parallel patterns: the first argument must be a range"),
    ("nopal::parallel_for(numbers, [](unlike) {});", "parallel_for: the body must be callable with"),
    ("nopal::parallel_for(numbers, 1.5, [](int) {});", "parallel_for: the grain must be a whole number"),
    ("nopal::parallel_for(nopal::range_2d{0, 1, 0, 1}, [](int) {});",
     "parallel_for: the body must be callable with a number for each side of the range, or with a part of the range"),
    ("nopal::range_2d{0.0, 1.0, 0, 1};", "range of several sides: the ends of each side must be whole numbers"),
    ("static_cast<void>(nopal::parallel_reduce(listed, 0, [](int a, int) { return a; }));",
     "parallel patterns: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_reduce(numbers, 0, [](unlike) { return 1; }, [](int a, int) { return a; }));",
     "parallel_reduce: the map must be callable with"),
    ("static_cast<void>(nopal::parallel_reduce(numbers, 0, [](int a) { return a; }));", "parallel_reduce: combine must take"),
    ("auto sum = nopal::parallel_reduce(numbers, std::plus<>()); changed = sum;",
     "parallel_reduce: after the range come an identity and how to combine"),
    ("changed = nopal::parallel_reduce(numbers, [](int i) { return i; }, std::plus<>());",
     "parallel_reduce: the identity is missing, which stands before the map"),
    ("changed = nopal::parallel_reduce(numbers.begin(), numbers.end(), std::plus<int>());",
     "parallel_reduce: the first argument must be a range, or the first of two ends, after which come an identity"),
    ("auto sum = nopal::parallel_reduce(0, 10, [](int i) { return i; }, [](int a, int b) { return a + b; });",
     "parallel_reduce: the identity is missing, which stands before the map"),
    ("static_cast<void>(nopal::parallel_reduce(0, 10, 0, [](int a) { return a; }));", "parallel_reduce: combine must take"),
    ("nopal::parallel_transform(listed, values, [](int i) { return i; });",
     "parallel patterns: the range must have random-access iterators"),
    ("nopal::parallel_transform(numbers, listed, values, [](int i, int) { return i; });",
     "parallel patterns: the range must have random-access iterators"),
    ("nopal::parallel_transform(numbers.begin(), numbers.cend(), values, [](int i) { return i; });",
     "parallel_transform: input and output must be random-access iterators"),
    ("nopal::parallel_inclusive_scan(listed, values);", "parallel patterns: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_find_if(listed, [](int) { return true; }));",
     "parallel patterns: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_find_if(std::vector<int>(3), [](int) { return true; }));",
     "parallel search: the range ends with the call, and what is found in it too: give it a name"),
    ("static_cast<void>(nopal::parallel_any_of(numbers, [](unlike) { return true; }));",
     "parallel search: the predicate must be callable with an element"),
    ("nopal::parallel_for_each(5, [](int) {});", "parallel_for_each: the first argument must be a range"),
    ("nopal::parallel_for_each(numbers, [](unlike) {});", "parallel_for_each: the body must be callable with an element"),
    ("nopal::parallel_for_each(listed.begin(), listed.end(), [](unlike) {});",
     "parallel_for_each: the body must be callable with an element"),
    ("static_cast<void>(nopal::parallel_reduce(0, 10, 0, [](unlike) { return 1; }, [](int a, int) { return a; }));",
     "parallel_reduce: the map must be callable with"),
    ("static_cast<void>(nopal::parallel_reduce(0, 10, 0, [](int i) { return i; }, [](int a) { return a; }));",
     "parallel_reduce: combine must take"),
    ("static_cast<void>(nopal::parallel_reduce(listed.begin(), listed.end(), 0, [](int i) { return i; },"
     " [](int a, int) { return a; }));", "parallel_reduce: the first two arguments must be"),
    ("nopal::parallel_transform(listed.begin(), listed.end(), values, [](int i) { return i; });",
     "parallel_transform: input and output must be random-access iterators"),
    ("nopal::parallel_transform(values, values + 10, values, [](int) { return unlike(); });",
     "parallel_transform: the function must be callable with an element, and its result assignable"),
    ("nopal::parallel_transform(values, values + 10, values, values, [](int) { return 1; });",
     "parallel_transform: the function must be callable with an element of each range"),
    ("nopal::parallel_inclusive_scan(listed.begin(), listed.end(), values);",
     "parallel scan: input and output must be random-access iterators"),
    ("nopal::parallel_inclusive_scan(values, values + 10, values, [](int) { return 1; });",
     "parallel scan: the operation must take"),
    ("nopal::parallel_exclusive_scan(values, values + 10, values, unlike());", "parallel scan: the operation must take"),
    ("static_cast<void>(nopal::parallel_find_if(listed.begin(), listed.end(), [](int) { return true; }));",
     "parallel search: the range must have random-access iterators"),
    ("static_cast<void>(nopal::parallel_any_of(values, values + 10, [](unlike) { return true; }));",
     "parallel search: the predicate must be callable with an element"),
    ("static_cast<void>(nopal::parallel_all_of(values, values + 10, 5));",
     "parallel search: the predicate must be callable with an element"),
    ("nopal::parallel_sort(listed);", "sort: parallel_sort takes two random-access iterators of one type, or a range"),
    ("nopal::parallel_sort(listed.begin(), listed.end());", "sort: parallel_sort takes two random-access iterators"),
    ("nopal::parallel_sort(numbers.begin(), numbers.cend());", "sort: parallel_sort takes two random-access iterators"),
    ("nopal::parallel_stable_sort(listed, std::less<>());",
     "sort: parallel_stable_sort takes two random-access iterators of one type, or a range"),
    ("nopal::parallel_stable_sort(listed.begin(), listed.end(), std::less<>());",
     "sort: parallel_stable_sort takes two random-access iterators"),
    ("std::vector<unlike> odd; nopal::parallel_sort(odd);", "sort: the comparator must be callable with two elements"),
    ("nopal::parallel_stable_sort(numbers, [](int) { return true; });",
     "sort: the comparator must be callable with two elements"),
    ("nopal::parallel_sort(numbers, {}, [](unlike) { return 1; });",
     "sort: the projection must be callable with an element"),
    ("std::vector<bool> bits; nopal::parallel_sort(bits);",
     "sort: the elements must not share memory, as those of std::vector<bool> do"),
    ("std::vector<bool> bits; nopal::parallel_transform(values, values + 10, bits.begin(), [](int i) { return i > 1; });",
     "parallel_transform: elements of the output must not share memory"),
    ("std::vector<bool> bits; nopal::parallel_inclusive_scan(bits.begin(), bits.end(), bits.begin(), std::logical_or<>());",
     "parallel scan: elements of the output must not share memory"),
    ("const std::vector<int> fixed; nopal::parallel_stable_sort(fixed, std::less<long>());",
     "sort: the elements must be movable, and not constant"),
]
