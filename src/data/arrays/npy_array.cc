#include "data/arrays/npy_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "data/arrays/npy_header.h"
#include "data/file_stamp.h"

namespace lockstep {
namespace {

class NpyArray final : public ArraySource {
 public:
  NpyArray(ArrayForm form, InputFile file, const NpyHeader& header)
      : ArraySource(std::move(form)),
        file_(std::move(file)),
        stamp_(file_),
        begin_(static_cast<std::int64_t>(header.bytes)),
        other_byte_order_(header.other_byte_order) {}

  void read(std::int64_t first, std::int64_t count, std::span<std::byte> into) const override {
    LS_CHECK(first >= 0 && count >= 0 && first + count <= form().rows(), "rows outside the array");
    LS_CHECK(std::ssize(into) == count * form().row_bytes(), "room for the rows");
    const std::size_t found = file_.read_at(begin_ + first * form().row_bytes(), into);
    stamp_.check_unchanged();
    LS_CHECK(found == into.size(), "the file's size was checked");
    if (other_byte_order_) swap_byte_order(form().type, into);
  }

 private:
  InputFile file_;
  FileStamp stamp_;
  std::int64_t begin_;  // file offset of the elements
  bool other_byte_order_;
};

// Returns whether C and Fortran order differ: they are the same if at most one axis is longer than 1.
bool order_matters(const Shape& extents) {
  return std::ranges::count_if(extents.extents(), [](std::int64_t extent) { return extent > 1; }) > 1;
}

}  // namespace

std::unique_ptr<ArraySource> open_npy(const std::string& path) {
  InputFile file(path);
  const std::int64_t bytes = file.bytes();
  std::vector<std::byte> beginning(static_cast<std::size_t>(std::min<std::int64_t>(bytes, kMaxNpyHeaderBytes)));
  beginning.resize(file.read_at(0, beginning));
  const NpyHeader header = parse_npy_header(path, beginning);

  ArrayForm form{.name = fmt::format("'{}'", path), .type = header.type, .extents = {}};
  form.extents = checked_extents(form.name, header.extents, header.type);
  if (header.fortran_order && order_matters(form.extents)) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}' is in Fortran order, in which no sample lies in one piece; save it again with "
                            "numpy.save('{}', numpy.ascontiguousarray(array))",
                            path, path));
  }
  const std::int64_t announced = static_cast<std::int64_t>(header.bytes) + form.rows() * form.row_bytes();
  if (bytes != announced) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}' {}: its header says {} of {}, {} bytes, it has {}; get or save it again", path,
                            bytes < announced ? "is cut off" : "goes on after its elements", form.extents.text(),
                            name(form.type), announced, bytes));
  }
  return std::make_unique<NpyArray>(std::move(form), std::move(file), header);
}

}  // namespace lockstep
