#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sluice {

template <class Signature>
class UniqueFunction;

/// A callable that is moved, never copied; callables of up to 48 bytes live inside it, so that the
/// completion handler of a coroutine costs no allocation. Calling an empty one is a bug.
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction>)
  UniqueFunction(F&& callable) {  // NOLINT(google-explicit-constructor): a function is a function
    using Callable = std::decay_t<F>;
    if constexpr (fits<Callable>()) {
      new (storage_) Callable(std::forward<F>(callable));
      table_ = &kInline<Callable>;
    } else {
      new (storage_) Callable*(new Callable(std::forward<F>(callable)));
      table_ = &kAllocated<Callable>;
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { reset(); }

  explicit operator bool() const noexcept { return table_ != nullptr; }

  R operator()(Args... args) { return table_->call(storage_, std::forward<Args>(args)...); }

 private:
  static constexpr std::size_t kInlineBytes = 48;

  struct Table {
    R (*call)(void*, Args&&...);
    void (*move)(void*, void*) noexcept;
    void (*destroy)(void*) noexcept;
  };

  template <class Callable>
  static constexpr bool fits() {
    return sizeof(Callable) <= kInlineBytes && alignof(Callable) <= alignof(std::max_align_t) &&
           std::is_nothrow_move_constructible_v<Callable>;
  }

  template <class Callable>
  static constexpr Table kInline{
      [](void* self, Args&&... args) -> R {
        return (*static_cast<Callable*>(self))(std::forward<Args>(args)...);
      },
      [](void* from, void* to) noexcept {
        new (to) Callable(std::move(*static_cast<Callable*>(from)));
        static_cast<Callable*>(from)->~Callable();
      },
      [](void* self) noexcept { static_cast<Callable*>(self)->~Callable(); }};

  template <class Callable>
  static constexpr Table kAllocated{
      [](void* self, Args&&... args) -> R {
        return (**static_cast<Callable**>(self))(std::forward<Args>(args)...);
      },
      [](void* from, void* to) noexcept { new (to) Callable*(*static_cast<Callable**>(from)); },
      [](void* self) noexcept { delete *static_cast<Callable**>(self); }};

  void take(UniqueFunction& other) noexcept {
    table_ = std::exchange(other.table_, nullptr);
    if (table_ != nullptr) table_->move(other.storage_, storage_);
  }

  void reset() noexcept {
    const Table* table = std::exchange(table_, nullptr);
    if (table != nullptr) table->destroy(storage_);
  }

  const Table* table_ = nullptr;
  alignas(std::max_align_t) std::byte storage_[kInlineBytes];
};

}  // namespace sluice
