# GPU code that is compiled twice: with nvcc into the cuda module, and with g++ for tests without a GPU
# (tests/support/gpu), where other files take the place of those that call CUDA's libraries.
set(LOCKSTEP_GPU_FOLDER ${CMAKE_CURRENT_LIST_DIR})
set(LOCKSTEP_GPU_SOURCES
  attention_call.cc
  attention_plan.cc
  cuda_allocator.cc
  cuda_backend.cc
  cuda_copy_stream.cc
  cuda_graph.cc
  memory_books.cc
  norms.cc
  products.cc
  sliding_window.cc
  uploaded_lists.cc)
set(LOCKSTEP_GPU_KERNELS
  activations.cu
  adafactor.cu
  adafactor_means.cu
  attention_backward.cu
  attention_forward.cu
  clip_factor.cu
  convolution.cu
  dropout.cu
  elementwise.cu
  embedding.cu
  fill.cu
  group_norm.cu
  layer_norm.cu
  layerwise_updates.cu
  library_convolution.cu
  losses.cu
  metrics.cu
  pooling.cu
  reductions.cu
  sample_sums.cu
  sigmoid_loss.cu
  softmax_loss.cu
  sorted_ids.cu
  updates.cu)
list(TRANSFORM LOCKSTEP_GPU_SOURCES PREPEND ${LOCKSTEP_GPU_FOLDER}/)
list(TRANSFORM LOCKSTEP_GPU_KERNELS PREPEND ${LOCKSTEP_GPU_FOLDER}/)
