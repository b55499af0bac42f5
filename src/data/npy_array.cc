#include "data/npy_array.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "data/file_stamp.h"
#include "data/npy_header.h"

namespace lockstep {
namespace {

// A file that can be read at any place by any thread.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : stamp_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) cannot_read(errno);
  }
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  OpenFile(OpenFile&& other) noexcept : stamp_(std::move(other.stamp_)), number_(std::exchange(other.number_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;

  const FileStamp& stamp() const { return stamp_; }

  // Returns how many bytes; fewer than asked for only at the end of the file.
  std::size_t read(std::int64_t offset, std::span<std::byte> into) const {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t count =
          ::pread(number_, into.data() + done, into.size() - done, offset + static_cast<std::int64_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) cannot_read(errno);
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  [[noreturn]] void cannot_read(int error) const {
    throw Error(ExitCode::missing_input,
                fmt::format("cannot read '{}': {}", stamp_.path(), std::generic_category().message(error)));
  }

  FileStamp stamp_;
  int number_;
};

class NpyArray final : public ArraySource {
 public:
  NpyArray(ArrayForm form, OpenFile file, const NpyHeader& header)
      : ArraySource(std::move(form)),
        file_(std::move(file)),
        begin_(static_cast<std::int64_t>(header.bytes)),
        other_byte_order_(header.other_byte_order) {}

  void read(std::int64_t first, std::int64_t count, std::span<std::byte> into) const override {
    LS_CHECK(first >= 0 && count >= 0 && first + count <= form().rows(), "rows outside the array");
    LS_CHECK(std::ssize(into) == count * form().row_bytes(), "room for the rows");
    const std::size_t found = file_.read(begin_ + first * form().row_bytes(), into);
    file_.stamp().check_unchanged();
    LS_CHECK(found == into.size(), "the file's size was checked");
    if (other_byte_order_) swap_byte_order(form().type, into);
  }

 private:
  OpenFile file_;
  std::int64_t begin_;  // of the elements
  bool other_byte_order_;
};

// Of an array with one axis that is not 1, both orders are the same.
bool order_matters(const Shape& extents) {
  return std::ranges::count_if(extents.extents(), [](std::int64_t extent) { return extent > 1; }) > 1;
}

}  // namespace

std::unique_ptr<ArraySource> open_npy(const std::string& path) {
  OpenFile file(path);
  const std::int64_t bytes = file.stamp().bytes();
  std::vector<std::byte> beginning(static_cast<std::size_t>(std::min<std::int64_t>(bytes, kMostNpyHeaderBytes)));
  beginning.resize(file.read(0, beginning));
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
