#include "npy_files.h"

namespace lockstep {

Bytes npy_bytes(const std::string& header, const Bytes& values, int version) {
  const std::size_t before = version == 1 ? 10 : 12;
  std::string text = header;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  Bytes bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<std::uint8_t>(version), 0};
  for (std::size_t i = bytes.size(); i < before; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(text.size() >> (8 * (i - 8)) & 0xFF));
  }
  bytes.insert(bytes.end(), text.begin(), text.end());
  return joined(bytes, values);
}

std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + "), }";
}

}  // namespace lockstep
