#include "dsnn/util/error.h"

#include "kernels/cuda/gpu_data.h"
#include "kernels/cuda/launch.h"
#include "kernels/gpu.h"

#include <cuda_runtime.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::kernels {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw Error(std::string("device cuda: ") + what + ": " + cudaGetErrorString(error));
}

std::string megabytes(std::size_t bytes) { return std::to_string(bytes / 1000000) + " MB"; }

}  // namespace

class Recording {
 public:
  explicit Recording(cudaGraph_t graph) {
    check(cudaGraphInstantiate(&runnable_, graph, 0), "recording an epoch");
  }
  ~Recording() { cudaGraphExecDestroy(runnable_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  cudaGraphExec_t runnable() const { return runnable_; }

 private:
  cudaGraphExec_t runnable_ = nullptr;
};

namespace {

struct CudaData final : Gpu::Data {
  int number = 0;
  cudaStream_t stream = nullptr;
  bool is_recording = false;

  // Of a recording: the streams of branches and of parts of steps, and the marks.
  std::map<std::pair<int, int>, cudaStream_t> streams;
  cudaStream_t current = nullptr;
  std::vector<cudaEvent_t> marks;
  std::size_t num_marks = 0;

  cudaStream_t stream_in_use() const { return is_recording ? current : stream; }
  cudaStream_t stream_of(int of_branch, int of_part) {
    if (of_branch == 0 && of_part == 0) return stream;
    cudaStream_t& result = streams[{of_branch, of_part}];
    if (result == nullptr) {
      check(cudaStreamCreateWithFlags(&result, cudaStreamNonBlocking), "opening a stream");
    }
    return result;
  }
};

CudaData& data_of(const Gpu& gpu) { return static_cast<CudaData&>(gpu.data()); }

}  // namespace

int Gpu::count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // it is not an error of what follows
    return 0;
  }
  return count;
}

std::string Gpu::why_none() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return {};
  cudaGetLastError();
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    return "this machine has no NVIDIA driver";
  }
  return error == cudaSuccess ? "this machine has no GPU" : cudaGetErrorString(error);
}

Gpu::Gpu(int number) : data_(std::make_unique<CudaData>()) {
  const std::string why = why_none();
  if (!why.empty()) throw Error("device cuda: no GPU can be used: " + why);
  if (number < 0 || number >= count()) {
    throw Error("device cuda:" + std::to_string(number) + ": this machine has " +
                std::to_string(count()) + " GPUs, numbered from 0");
  }
  data_of(*this).number = number;
  check(cudaSetDevice(number), "choosing the GPU");
  check(cudaStreamCreateWithFlags(&data_of(*this).stream, cudaStreamNonBlocking),
        "opening the GPU");
  data_->open(*this);
}

Gpu::~Gpu() {
  CudaData& data = data_of(*this);
  cudaSetDevice(data.number);
  cudaStreamSynchronize(data.stream);
  data.close(*this);
  for (const auto& [place, stream] : data.streams) cudaStreamDestroy(stream);
  for (const cudaEvent_t event : data.marks) cudaEventDestroy(event);
  cudaStreamDestroy(data.stream);
}

std::string Gpu::name() const {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, data_of(*this).number), "asking for its name");
  return std::string(properties.name) + ", " +
         std::to_string(properties.totalGlobalMem / 1000000000) + " GB";
}

void* Gpu::allocate(std::size_t bytes) const {
  check(cudaSetDevice(data_of(*this).number), "choosing the GPU");
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "asking for free memory");
    throw Error("device cuda: " + megabytes(bytes) + " of memory are needed, but only " +
                megabytes(available) + " of " + megabytes(total) + " are free");
  }
  check(error, "allocating memory");
  return memory;
}

void Gpu::release(void* memory) const noexcept { cudaFree(memory); }

void Gpu::upload(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, data_of(*this).stream_in_use()),
        "copying");
}

void Gpu::download(void* to, const void* from, std::size_t bytes) const {
  if (bytes > 0) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, data_of(*this).stream_in_use()),
          "copying");
  }
  wait();
}

void Gpu::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, data_of(*this).stream_in_use()),
        "copying");
}

void Gpu::clear(void* memory, std::size_t bytes) const {
  if (bytes > 0)
    check(cudaMemsetAsync(memory, 0, bytes, data_of(*this).stream_in_use()), "clearing memory");
}

void Gpu::wait() const {
  check(cudaStreamSynchronize(data_of(*this).stream_in_use()), "running kernels");
}

void Gpu::start_recording() const {
  CudaData& data = data_of(*this);
  check(cudaSetDevice(data.number), "choosing the GPU");
  check(cudaStreamBeginCapture(data.stream, cudaStreamCaptureModeRelaxed), "recording an epoch");
  data.is_recording = true;
  data.num_marks = 0;
  use_branch(0);
}

std::shared_ptr<Recording> Gpu::finish_recording() const {
  CudaData& data = data_of(*this);
  cudaGraph_t graph = nullptr;
  data.is_recording = false;
  data.branch = 0;
  check(cudaStreamEndCapture(data.stream, &graph), "recording an epoch");
  auto recording = std::make_shared<Recording>(graph);
  cudaGraphDestroy(graph);
  return recording;
}

void Gpu::use_branch(int branch) const {
  CudaData& data = data_of(*this);
  data.branch = branch;
  data.num_parts = 1;
  return_to_part(0);
}

int Gpu::part() const { return data_of(*this).part; }
void Gpu::start_part() const { return_to_part(data_of(*this).num_parts++); }
void Gpu::return_to_part(int part) const {
  CudaData& data = data_of(*this);
  data.part = part;
  if (data.is_recording) data.current = data.stream_of(data.branch, part);
}

int Gpu::mark() const {
  CudaData& data = data_of(*this);
  if (!data.is_recording) return -1;
  if (data.num_marks == data.marks.size()) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "marking work");
    data.marks.push_back(event);
  }
  check(cudaEventRecord(data.marks[data.num_marks], data.current), "marking work");
  return static_cast<int>(data.num_marks++);
}

void Gpu::after(int mark) const {
  CudaData& data = data_of(*this);
  if (mark < 0 || !data.is_recording) return;
  const cudaEvent_t event = data.marks[static_cast<std::size_t>(mark)];
  check(cudaStreamWaitEvent(data.current, event, 0), "waiting for a mark");
}

bool Gpu::is_recording() const { return data_of(*this).is_recording; }

void Gpu::replay(const Recording& recording) const {
  check(cudaGraphLaunch(recording.runnable(), data_of(*this).stream_in_use()), "running an epoch");
}

namespace cuda {

cudaStream_t stream_of(const Gpu& gpu) { return data_of(gpu).stream_in_use(); }
void check_launch(const Gpu&) { check(cudaGetLastError(), "starting a kernel"); }

}  // namespace cuda
}  // namespace dsnn::kernels
