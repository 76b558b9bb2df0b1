// Edges in a photograph: a Gaussian blur against noise, then Sobel's operator, each a parallel loop over rows. What two rows
// write does not overlap, so there is nothing to reduce; only the strongest edge, which becomes white, is a reduction.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nopal/parallel.hpp>

struct image {
  image(int columns, int rows)
      : width(columns), height(rows),
        pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  float* row(int y) { return pixels.data() + static_cast<std::ptrdiff_t>(y) * width; }
  const float* row(int y) const { return pixels.data() + static_cast<std::ptrdiff_t>(y) * width; }
  /// A row or column beyond the edge looks like the one at the edge.
  float at(int x, int y) const { return row(std::clamp(y, 0, height - 1))[std::clamp(x, 0, width - 1)]; }

  int width;
  int height;
  std::vector<float> pixels;
};

image read_pgm(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  std::string magic;
  int width = 0;
  int height = 0;
  int white = 0;
  in >> magic >> width >> height >> white;
  in.get();
  if (!in || magic != "P5" || width < 1 || height < 1 || width > 1 << 15 || height > 1 << 15 || white != 255)
    throw std::runtime_error(path + " is not a binary PGM picture of 8 bits, without comments");
  image picture(width, height);
  std::vector<char> bytes(picture.pixels.size());
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error(path + " ends before its last row");
  std::transform(bytes.begin(), bytes.end(), picture.pixels.begin(),
                 [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)); });
  return picture;
}

void write_pgm(const std::string& path, const image& picture, float white) {
  std::vector<char> bytes(picture.pixels.size());
  std::transform(picture.pixels.begin(), picture.pixels.end(), bytes.begin(), [white](float value) {
    return static_cast<char>(static_cast<unsigned char>(std::lround(value / white * 255)));
  });
  std::ofstream out(path, std::ios::binary);
  out << "P5\n" << picture.width << ' ' << picture.height << "\n255\n";
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

/// A Gaussian's two-dimensional filter is one along the rows and one along the columns.
image blur(const image& in, float deviation) {
  const int radius = static_cast<int>(std::ceil(3 * deviation));
  std::vector<float> weights;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i)
    sum += weights.emplace_back(std::exp(-static_cast<float>(i * i) / (2 * deviation * deviation)));

  const auto filter = [&](const image& from, int step_x, int step_y) {
    image to(from.width, from.height);
    nopal::parallel_for(0, to.height, [&](int y) {
      for (int x = 0; x < to.width; ++x) {
        float value = 0;
        for (int i = -radius; const float weight : weights) {
          value += weight * from.at(x + i * step_x, y + i * step_y);
          ++i;
        }
        to.row(y)[x] = value / sum;
      }
    });
    return to;
  };
  return filter(filter(in, 1, 0), 0, 1);
}

image sobel(const image& in) {
  image out(in.width, in.height);
  nopal::parallel_for(0, out.height, [&](int y) {
    for (int x = 0; x < out.width; ++x) {
      const auto from_left = [&](int dy) { return in.at(x + 1, y + dy) - in.at(x - 1, y + dy); };
      const auto from_above = [&](int dx) { return in.at(x + dx, y + 1) - in.at(x + dx, y - 1); };
      out.row(y)[x] = std::hypot(from_left(-1) + 2 * from_left(0) + from_left(1),
                                 from_above(-1) + 2 * from_above(0) + from_above(1));
    }
  });
  return out;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: edges INPUT.pgm OUTPUT.pgm\n";
    return 2;
  }
  try {
    const image edges = sobel(blur(read_pgm(argv[1]), 1.5F));
    const float strongest = nopal::parallel_reduce(
        0, edges.height, 0.0F,
        [&](int y) { return *std::max_element(edges.row(y), edges.row(y) + edges.width); },
        [](float left, float right) { return std::max(left, right); });
    write_pgm(argv[2], edges, std::max(strongest, 1.0F));
    std::cout << edges.width << " x " << edges.height << " pixels, strongest edge " << strongest << '\n';
  } catch (const std::exception& failure) {
    std::cerr << "edges: " << failure.what() << '\n';
    return 1;
  }
}
