#include "tensor/cpu/transposed_products.h"

#include <array>
#include <dnnl.hpp>
#include <list>

#include "tensor/allocator.h"
#include "tensor/cpu/onednn_call.h"

namespace lockstep::cpu {
namespace {

using dnnl::memory;
using ProductExtents = std::array<std::int64_t, 3>;  // m, n, k

}  // namespace

class TransposedProducts::Product {
 public:
  Product(const ProductExtents& extents, const dnnl::engine& engine) : extents_(extents) {
    const auto f32 = memory::data_type::f32;
    const auto [m, n, k] = extents;
    const memory::desc a({m, k}, f32, memory::format_tag::ab);
    const memory::desc b({k, n}, f32, memory::format_tag::ba);
    const memory::desc c({m, n}, f32, memory::format_tag::ab);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::primitive_desc found({a, b, c}, attributes, engine);
    primitive_ = dnnl::matmul(found);
    a_ = memory(a, engine, nullptr);
    b_ = memory(b, engine, nullptr);
    c_ = memory(c, engine, nullptr);
    scratchpad_ = memory(found.scratchpad_desc(), engine, nullptr);
  }

  const ProductExtents& extents() const { return extents_; }
  std::size_t scratch_bytes() const { return scratchpad_.get_desc().get_size(); }

  // oneDNN's interface knows no constant operands.
  void run(const float* a, const float* b, float* c, void* scratch, const dnnl::stream& stream) {
    a_.set_data_handle(const_cast<float*>(a), stream);
    b_.set_data_handle(const_cast<float*>(b), stream);
    c_.set_data_handle(c, stream);
    scratchpad_.set_data_handle(scratch, stream);
    execute<4>(primitive_, stream,
               {{{DNNL_ARG_SRC, a_.get()},
                 {DNNL_ARG_WEIGHTS, b_.get()},
                 {DNNL_ARG_DST, c_.get()},
                 {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}}},
               "oneDNN refused to run a matrix product");
  }

 private:
  ProductExtents extents_;
  dnnl::matmul primitive_;
  memory a_, b_, c_, scratchpad_;
};

struct TransposedProducts::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::list<Product> products;  // the one used last comes first
  HostAllocator allocator;
  Buffer scratch;

  Product& of(const ProductExtents& extents) {
    for (auto product = products.begin(); product != products.end(); ++product) {
      if (product->extents() != extents) continue;
      products.splice(products.begin(), products, product);
      return products.front();
    }
    Product& made = products.emplace_front(extents, engine);
    if (made.scratch_bytes() > scratch.bytes()) scratch = allocator.allocate(made.scratch_bytes());
    if (products.size() > kMostShapes) products.pop_back();
    return made;
  }
};

TransposedProducts::TransposedProducts() : state_(std::make_unique<State>()) {}
TransposedProducts::~TransposedProducts() = default;

void TransposedProducts::run(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k) {
  state_->of({m, n, k}).run(a, b, c, state_->scratch.data(), state_->stream);
}

}  // namespace lockstep::cpu
