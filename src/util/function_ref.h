#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace dsnn {

/// A non-owning reference to a function: std::function without a copy, and thus without an
/// allocation.
template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>) FunctionRef(
      Function&& function)  // NOLINT(bugprone-forwarding-reference-overload): constrained
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<Function>*>(object))(
              std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace dsnn
