// SPDX-License-Identifier: Apache-2.0
// The table of calls, and what turns functions into calls.
#pragma once

#include <algorithm>
#include <string_view>

#include "event.hpp"
#include "pjrt.hpp"

namespace systole::pjrt {

/// The place of a call in the table. Does not compile for a name that is not in it.
consteval std::size_t slot(std::string_view name) {
  return static_cast<std::size_t>(std::find(kCalls.begin(), kCalls.end(), name) - kCalls.begin());
}

/// A function that throws as a call that returns an error.
template <class Arguments, void (*function)(Arguments&)>
pjrt::Error* guarded(void* arguments) noexcept {
  try {
    function(*static_cast<Arguments*>(arguments));
    return nullptr;
  } catch (...) {
    return new Error(current_error());
  }
}

/// Deduces the arguments of a function.
template <auto function>
struct Guarded;
template <class Arguments, void (*function)(Arguments&)>
struct Guarded<function> {
  static constexpr Function call = &guarded<Arguments, function>;
};

template <auto function>
void set(Api& api, std::size_t slot) {
  api.calls.at(slot) = Guarded<function>::call;
}

template <class Object, class Element>
void give(List<Object, Element>& arguments, const Element* elements, std::size_t size) {
  arguments.elements = elements;
  arguments.size = size;
}
template <class Object, class Element>
void give_none(List<Object, Element>& arguments) {
  arguments.elements = nullptr;
  arguments.size = 0;
}
template <class Object>
void give(Text<Object>& arguments, std::string_view text) {
  give(arguments, text.data(), text.size());
}

// The calls on each object.
void add_events(Api& api);
void add_client(Api& api);
void add_devices(Api& api);
void add_buffers(Api& api);
void add_executables(Api& api);

}  // namespace systole::pjrt
