#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Whole numbers of any size as digits in [0, base), the least significant first. Pure functions; results are
// overwritten, and have no zeros after their most significant digit: 0 is one digit.
namespace lockstep {

// Makes `sum` a + b. REQUIRES: a and b are not empty.
void add_digits(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::int32_t base,
                std::vector<std::int32_t>& sum);

// Schoolbook multiplication, a.size() * b.size() products of digits. REQUIRES: a and b are not empty; (base - 1)^2
// times the digits of the shorter one stays below 2^30.
void multiply_digits(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::int32_t base,
                     std::vector<std::int32_t>& product);

}  // namespace lockstep
