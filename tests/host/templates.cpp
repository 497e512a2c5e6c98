// PassManager code that leans on the standard library: tens of thousands of lines of templates, of which the optimiser sees
// loops of every shape, switches, exceptions and virtual calls. What it computes does not matter.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

struct Disc : Shape {
  double radius;
  explicit Disc(double r) : radius(r) {}
  double area() const override { return 3.14159265358979 * radius * radius; }
};

struct Box : Shape {
  double width, height;
  Box(double w, double h) : width(w), height(h) {}
  double area() const override { return width * height; }
};

using Token = std::variant<long, double, std::string>;

std::vector<Token> tokens(const std::string &text) {
  static const std::regex pattern("([0-9]+\\.[0-9]*)|([0-9]+)|([A-Za-z_][A-Za-z_0-9]*)");
  std::vector<Token> out;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at) {
    if ((*at)[1].matched)
      out.emplace_back(std::stod((*at)[1]));
    else if ((*at)[2].matched)
      out.emplace_back(std::stol((*at)[2]));
    else
      out.emplace_back((*at)[3].str());
  }
  return out;
}

template <typename Map> long tally(const std::vector<std::string> &words) {
  Map counts;
  for (const auto &word : words)
    ++counts[word];
  long most = 0;
  for (const auto &[word, count] : counts)
    most = std::max<long>(most, count * long(word.size()));
  return most;
}

std::optional<double> solve(std::vector<std::vector<double>> a) {
  const std::size_t n = a.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row)
      if (std::abs(a[row][column]) > std::abs(a[pivot][column]))
        pivot = row;
    if (std::abs(a[pivot][column]) < 1e-12)
      return std::nullopt;
    std::swap(a[pivot], a[column]);
    for (std::size_t row = column + 1; row < n; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (std::size_t k = column; k < n; ++k)
        a[row][k] -= factor * a[column][k];
    }
  }
  double product = 1;
  for (std::size_t i = 0; i < n; ++i)
    product *= a[i][i];
  return product;
}

int machine(const std::string &code) {
  std::deque<int> stack;
  for (std::size_t at = 0; at < code.size(); ++at) {
    switch (code[at]) {
    case '+':
    case '-': {
      if (stack.size() < 2)
        throw std::runtime_error("empty at " + std::to_string(at));
      const int b = stack.back();
      stack.pop_back();
      stack.back() += code[at] == '+' ? b : -b;
      break;
    }
    case '*':
      stack.back() *= stack.front();
      break;
    case '!':
      while (!stack.empty() && stack.back() > 0)
        stack.pop_back();
      break;
    case ' ':
      continue;
    default:
      stack.push_back(code[at] - '0');
    }
  }
  return stack.empty() ? 0 : stack.back();
}

} // namespace

int main(int count, char **arguments) {
  std::vector<std::string> words(arguments, arguments + count);
  std::mt19937 random(count);
  std::uniform_real_distribution<double> spread(-1, 1);
  std::vector<std::unique_ptr<Shape>> shapes;
  std::vector<std::vector<double>> matrix(8, std::vector<double>(8));
  for (auto &row : matrix)
    for (auto &cell : row)
      cell = spread(random);
  for (int i = 0; i < 16; ++i)
    if (i % 3)
      shapes.push_back(std::make_unique<Disc>(spread(random)));
    else
      shapes.push_back(std::make_unique<Box>(spread(random), spread(random)));
  std::stable_sort(shapes.begin(), shapes.end(), [](auto &a, auto &b) { return a->area() < b->area(); });
  std::sort(words.begin(), words.end(), [](auto &a, auto &b) { return a.size() < b.size() || (a.size() == b.size() && a < b); });
  std::list<double> areas;
  std::transform(shapes.begin(), shapes.end(), std::back_inserter(areas), [](auto &shape) { return shape->area(); });
  areas.sort(std::greater<>());
  std::set<std::complex<double>, bool (*)(const std::complex<double> &, const std::complex<double> &)> roots(
      [](auto &a, auto &b) { return std::abs(a) < std::abs(b); });
  for (double area : areas)
    roots.insert(std::sqrt(std::complex<double>(area, -1)));
  std::atomic<long> total{0};
  std::ostringstream out;
  for (const auto &token : tokens(words.front()))
    std::visit([&](const auto &value) { out << value << ' '; }, token);
  total += tally<std::map<std::string, int>>(words) + tally<std::unordered_map<std::string, int>>(words);
  try {
    total += machine(out.str());
  } catch (const std::runtime_error &error) {
    out << error.what();
  }
  out << solve(matrix).value_or(0) << std::accumulate(areas.begin(), areas.end(), 0.0) << roots.size();
  std::cout << out.str() << total << '\n';
}
