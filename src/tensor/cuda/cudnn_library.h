#pragma once

#include <cudnn.h>

#include <string>

namespace lockstep {

// The functions of cuDNN that Lockstep calls, looked up in the library that the loader finds when it is first asked:
// the cuda module does not depend on it. Never unloaded. Any thread may call.
class CudnnLibrary {
 public:
  // Null if there is no cuDNN of the major version that this was compiled with, or it lacks one of the functions.
  static const CudnnLibrary* find();

  std::string version() const;  // "9.19.0"

 private:
  CudnnLibrary();
  template <class Function>
  Function look_up(const char* name);

  void* library_;
  bool complete_;

 public:
#define LS_CUDNN_FUNCTION(name) decltype(&::name) name = look_up<decltype(&::name)>(#name)
  LS_CUDNN_FUNCTION(cudnnGetVersion);
  LS_CUDNN_FUNCTION(cudnnGetErrorString);
  LS_CUDNN_FUNCTION(cudnnCreate);
  LS_CUDNN_FUNCTION(cudnnDestroy);
  LS_CUDNN_FUNCTION(cudnnSetStream);
  LS_CUDNN_FUNCTION(cudnnCreateTensorDescriptor);
  LS_CUDNN_FUNCTION(cudnnDestroyTensorDescriptor);
  LS_CUDNN_FUNCTION(cudnnSetTensor4dDescriptor);
  LS_CUDNN_FUNCTION(cudnnCreateFilterDescriptor);
  LS_CUDNN_FUNCTION(cudnnDestroyFilterDescriptor);
  LS_CUDNN_FUNCTION(cudnnSetFilter4dDescriptor);
  LS_CUDNN_FUNCTION(cudnnCreateConvolutionDescriptor);
  LS_CUDNN_FUNCTION(cudnnDestroyConvolutionDescriptor);
  LS_CUDNN_FUNCTION(cudnnSetConvolution2dDescriptor);
  LS_CUDNN_FUNCTION(cudnnSetConvolutionMathType);
  LS_CUDNN_FUNCTION(cudnnGetConvolutionForwardAlgorithm_v7);
  LS_CUDNN_FUNCTION(cudnnGetConvolutionForwardWorkspaceSize);
  LS_CUDNN_FUNCTION(cudnnConvolutionForward);
  LS_CUDNN_FUNCTION(cudnnGetConvolutionBackwardDataAlgorithm_v7);
  LS_CUDNN_FUNCTION(cudnnGetConvolutionBackwardDataWorkspaceSize);
  LS_CUDNN_FUNCTION(cudnnConvolutionBackwardData);
  LS_CUDNN_FUNCTION(cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  LS_CUDNN_FUNCTION(cudnnGetConvolutionBackwardFilterWorkspaceSize);
  LS_CUDNN_FUNCTION(cudnnConvolutionBackwardFilter);
#undef LS_CUDNN_FUNCTION
};

}  // namespace lockstep
