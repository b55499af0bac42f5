# NCCL's communicator, which is compiled twice: into the cuda module, and for tests without a GPU (tests/support/gpu),
# where another file takes the place of the one that calls NCCL.
set(LOCKSTEP_NCCL_FOLDER ${CMAKE_CURRENT_LIST_DIR})
set(LOCKSTEP_NCCL_SOURCES
  nccl_allocator.cc
  nccl_communicator.cc
  nccl_operations.cc
  nccl_rank.cc)
list(TRANSFORM LOCKSTEP_NCCL_SOURCES PREPEND ${LOCKSTEP_NCCL_FOLDER}/)
