#include "collective/nccl/nccl_module.h"

#include "collective/nccl/nccl_calls.h"
#include "collective/nccl/nccl_communicator.h"

extern "C" {
// Found by name (kNcclModuleSymbol), hence C's linkage.
extern const lockstep::NcclModule lockstep_nccl_module;
const lockstep::NcclModule lockstep_nccl_module{lockstep::compiled_nccl_version(), &lockstep::loaded_nccl_version,
                                                &lockstep::make_nccl_communicator};
}
