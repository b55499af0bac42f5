#include "tensor/cpu/matmul_products.h"

#include <algorithm>
#include <cstddef>
#include <dnnl.hpp>
#include <list>

#include "tensor/allocator.h"
#include "tensor/cpu/onednn_call.h"

namespace lockstep::cpu {
namespace {

using dnnl::memory;

// Returns whether b is first brought into the order that oneDNN's kernel reads best. For bfloat16 that gains up to a
// tenth, unless b^T is already as the kernel wants it, with k along the rows, and is long.
bool packs_b(const ProductForm& form) {
  constexpr std::int64_t kLong = 512;
  return form.operands == DType::bfloat16 && (form.b_op == Transpose::no || form.k <= kLong);
}

memory::data_type type_of(const ProductForm& form) {
  return form.operands == DType::bfloat16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::format_tag order(Transpose op) {
  return op == Transpose::yes ? memory::format_tag::ba : memory::format_tag::ab;
}

}  // namespace

class MatmulProducts::Product {
 public:
  Product(const ProductForm& form, const dnnl::engine& engine) : form_(form) {
    const auto f32 = memory::data_type::f32;
    const memory::desc a({form.m, form.k}, type_of(form), order(form.a_op));
    const memory::desc b({form.k, form.n}, type_of(form), order(form.b_op));
    const memory::desc bias({1, form.n}, f32, memory::format_tag::ab);
    const memory::desc c({form.m, form.n}, f32, memory::format_tag::ab);
    const memory::desc b_read =
        packs_b(form) ? memory::desc({form.k, form.n}, type_of(form), memory::format_tag::any) : b;
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (form.write == Write::add) {
      dnnl::post_ops sum;
      sum.append_sum(1.0F);
      attributes.set_post_ops(sum);
    }
    const dnnl::matmul::desc wanted =
        form.has_bias ? dnnl::matmul::desc(a, b_read, bias, c) : dnnl::matmul::desc(a, b_read, c);
    const dnnl::matmul::primitive_desc found(wanted, attributes, engine);
    primitive_ = dnnl::matmul(found);
    a_ = memory(a, engine, nullptr);
    b_ = memory(b, engine, nullptr);
    bias_ = memory(bias, engine, nullptr);
    c_ = memory(c, engine, nullptr);
    scratchpad_ = memory(found.scratchpad_desc(), engine, nullptr);
    packs_ = found.weights_desc() != b;
    if (!packs_) return;
    packed_ = memory(found.weights_desc(), engine, nullptr);
    dnnl::primitive_attr plain;
    plain.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc packing(engine, b, engine, found.weights_desc(), plain);
    pack_ = dnnl::reorder(packing);
    packing_scratchpad_ = memory(packing.scratchpad_desc(), engine, nullptr);
  }

  const ProductForm& form() const { return form_; }

  // Bytes for the packed b, then for a primitive's scratchpad while it runs.
  std::size_t scratch_bytes() const {
    const std::size_t packing = packs_ ? packing_scratchpad_.get_desc().get_size() : 0;
    return packed_bytes() + std::max(packing, scratchpad_.get_desc().get_size());
  }

  // oneDNN's interface has no constant operands.
  void run(const void* a, const void* b, const float* bias, float* c, std::byte* scratch, const dnnl::stream& stream) {
    std::byte* const rest = scratch + packed_bytes();
    a_.set_data_handle(const_cast<void*>(a), stream);
    b_.set_data_handle(const_cast<void*>(b), stream);
    c_.set_data_handle(c, stream);
    scratchpad_.set_data_handle(rest, stream);
    if (packs_) pack(scratch, rest, stream);
    const dnnl_memory_t b_read = packs_ ? packed_.get() : b_.get();
    if (form_.has_bias) {
      bias_.set_data_handle(const_cast<float*>(bias), stream);
      execute<5>(primitive_, stream,
                 {{{DNNL_ARG_SRC, a_.get()},
                   {DNNL_ARG_WEIGHTS, b_read},
                   {DNNL_ARG_DST, c_.get()},
                   {DNNL_ARG_SCRATCHPAD, scratchpad_.get()},
                   {DNNL_ARG_BIAS, bias_.get()}}},
                 kRefusal);
      return;
    }
    execute<4>(primitive_, stream,
               {{{DNNL_ARG_SRC, a_.get()},
                 {DNNL_ARG_WEIGHTS, b_read},
                 {DNNL_ARG_DST, c_.get()},
                 {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}}},
               kRefusal);
  }

 private:
  static constexpr char kRefusal[] = "oneDNN refused to run a matrix product";

  // The size is rounded up, so that the scratchpad after it begins at a cache line.
  std::size_t packed_bytes() const {
    return packs_ ? (packed_.get_desc().get_size() + kAlignment - 1) / kAlignment * kAlignment : 0;
  }

  void pack(std::byte* to, std::byte* scratch, const dnnl::stream& stream) {
    packed_.set_data_handle(to, stream);
    packing_scratchpad_.set_data_handle(scratch, stream);
    execute<3>(
        pack_, stream,
        {{{DNNL_ARG_FROM, b_.get()}, {DNNL_ARG_TO, packed_.get()}, {DNNL_ARG_SCRATCHPAD, packing_scratchpad_.get()}}},
        "oneDNN refused to reorder a matrix");
  }

  static constexpr std::size_t kAlignment = 64;

  ProductForm form_;
  bool packs_ = false;
  dnnl::matmul primitive_;
  dnnl::reorder pack_;
  memory a_, b_, packed_, bias_, c_, scratchpad_, packing_scratchpad_;
};

struct MatmulProducts::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::list<Product> products;  // the one used last comes first
  HostAllocator allocator;
  Buffer scratch;

  Product& of(const ProductForm& form) {
    for (auto product = products.begin(); product != products.end(); ++product) {
      if (product->form() != form) continue;
      products.splice(products.begin(), products, product);
      return products.front();
    }
    require_memory_for_primitive();
    Product& made = products.emplace_front(form, engine);
    if (made.scratch_bytes() > scratch.bytes()) scratch = allocator.allocate(made.scratch_bytes());
    if (products.size() > kMostForms) products.pop_back();
    return made;
  }
};

MatmulProducts::MatmulProducts() : state_(std::make_unique<State>()) {}
MatmulProducts::~MatmulProducts() = default;

std::string MatmulProducts::no_bfloat16() {
  // oneDNN's names for instruction sets are sets of bits, in which an older one is part of a newer one.
  constexpr auto kNeeded = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_bf16);
  const auto available = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  if ((available & kNeeded) == kNeeded) return "";
  return "this processor has no products of bfloat16 (avx512_bf16 or amx_bf16 in /proc/cpuinfo)";
}

bool MatmulProducts::is_faster(const ProductForm& form) {
  return form.operands == DType::float32 && form.a_op == Transpose::no && form.b_op == Transpose::yes &&
         form.write == Write::replace && !form.has_bias && form.m <= kMostRows;
}

void MatmulProducts::run(const ProductForm& form, const void* a, const void* b, const float* bias, float* c) {
  state_->of(form).run(a, b, bias, c, static_cast<std::byte*>(state_->scratch.data()), state_->stream);
}

}  // namespace lockstep::cpu
