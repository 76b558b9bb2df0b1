// Sorting in parallel, as the page on patterns shows it.
#include <nopal/sort.hpp>

#include <string>
#include <vector>

namespace {

struct person {
  std::string name;
  int year = 0;
};

// snippet: sort
void by_name_then_year(std::vector<person>& people) {
  nopal::parallel_sort(people.begin(), people.end(),
                       [](const person& a, const person& b) { return a.name < b.name; });
  nopal::parallel_stable_sort(people, {}, &person::year);  // people of one year stay in the order of names
}
// end snippet

}  // namespace

int main() {
  std::vector<person> people;
  for (int i = 0; i < 10'000; ++i) people.push_back({std::to_string(i * 7919 % 10'000), 1950 + i % 50});
  by_name_then_year(people);
  for (std::size_t i = 1; i < people.size(); ++i) {
    const person& a = people[i - 1];
    const person& b = people[i];
    if (a.year > b.year || (a.year == b.year && a.name >= b.name)) return 1;
  }
}
