#include "case.h"

#include <array>
#include <bit>

#include "tensor/half_types.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kPeriod = 7;

// Bits of a small non-negative number in the given type.
std::uint64_t bits_of(std::uint32_t number, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    case DType::float64:
      return std::bit_cast<std::uint64_t>(static_cast<double>(number));
    case DType::bfloat16:
      return narrowed<BFloat16>(static_cast<float>(number)).bits;
    case DType::float16:
      return narrowed<Float16>(static_cast<float>(number)).bits;
    default:
      return number;
  }
}

// Calls use(elements) with the elements as unsigned numbers of their width.
template <class Use>
void as_bits(const Tensor& values, Use use) {
  const auto count = static_cast<std::size_t>(values.count());
  switch (size_of(values.dtype())) {
    case 1:
      return use(std::span(static_cast<std::uint8_t*>(values.data()), count));
    case 2:
      return use(std::span(static_cast<std::uint16_t*>(values.data()), count));
    case 4:
      return use(std::span(static_cast<std::uint32_t*>(values.data()), count));
    default:
      return use(std::span(static_cast<std::uint64_t*>(values.data()), count));
  }
}

using Table = std::array<std::uint64_t, kPeriod + 1>;  // number -> bits

Table table_of(DType dtype) {
  Table table{};
  for (std::uint32_t number = 0; number < table.size(); ++number) table[number] = bits_of(number, dtype);
  return table;
}

std::size_t result_at(std::int64_t i) { return static_cast<std::size_t>(1 + i % kPeriod); }

}  // namespace

const std::vector<std::string>& collective_names() {
  static const std::vector<std::string> names{"allreduce", "reduce_scatter", "all_gather", "broadcast"};
  return names;
}

const std::string& name(Collective op) { return collective_names()[static_cast<std::size_t>(op)]; }

bool sums(Collective op) { return op == Collective::all_reduce || op == Collective::reduce_scatter; }

double bus_factor(const Case& c) {
  const double others = static_cast<double>(c.ranks - 1) / c.ranks;
  switch (c.op) {
    case Collective::all_reduce:
      return 2 * others;
    case Collective::broadcast:
      return 1;
    default:
      return others;
  }
}

double least_bytes_moved(const Case& c) {
  const auto bytes = static_cast<double>(c.bytes);
  switch (c.op) {
    case Collective::all_reduce:
      return 2 * bytes;
    case Collective::reduce_scatter:
      return bytes * (1 + 1.0 / c.ranks);
    default:
      return 2 * bytes * (c.ranks - 1) / c.ranks;
  }
}

void fill(const Case& c, const Tensor& values, std::span<const FlatRange> slices) {
  const Table table = table_of(c.dtype);
  const auto part_of_sum = [&](std::int64_t i) {
    return static_cast<std::size_t>((c.rank == 0 ? i % kPeriod : 0) + (i % c.ranks == c.rank ? 1 : 0));
  };
  FlatRange owned{.begin = 0, .end = c.rank == 0 ? values.count() : 0};
  if (c.op == Collective::all_gather) owned = slices[static_cast<std::size_t>(c.rank)];
  as_bits(values, [&](auto elements) {
    for (std::size_t at = 0; at < elements.size(); ++at) {
      const auto i = static_cast<std::int64_t>(at);
      const std::size_t moved = i >= owned.begin && i < owned.end ? result_at(i) : 0;
      const std::uint64_t bits = table[sums(c.op) ? part_of_sum(i) : moved];
      elements[at] = static_cast<std::remove_reference_t<decltype(elements[at])>>(bits);
    }
  });
}

std::int64_t count_wrong(const Tensor& part, std::int64_t first) {
  const Table table = table_of(part.dtype());
  std::int64_t wrong = 0;
  as_bits(part, [&](auto elements) {
    for (std::size_t at = 0; at < elements.size(); ++at) {
      if (elements[at] != table[result_at(first + static_cast<std::int64_t>(at))]) ++wrong;
    }
  });
  return wrong;
}

}  // namespace lockstep::bench
