// SPDX-License-Identifier: Apache-2.0
// Calls on errors and events.
#include "api.hpp"

namespace systole::pjrt {
namespace {

pjrt::Error* copied(const std::optional<Error>& error) { return error ? new Error(*error) : nullptr; }

// Errors are returned by the calls below, so these do not fail.
pjrt::Error* destroy_error(void* arguments) {
  delete static_cast<On<Error>*>(arguments)->object;
  return nullptr;
}

pjrt::Error* message(void* arguments) {
  auto& text = *static_cast<Text<const Error>*>(arguments);
  give(text, text.object->message);
  return nullptr;
}

void code(Get<const Error, ErrorCode>& arguments) { arguments.result = arguments.object->code; }

void destroy(On<Event>& arguments) { delete arguments.object; }

void is_ready(Get<Event, bool>& arguments) { arguments.result = arguments.object->completion->done(); }

/// Waits, and returns the error of what the event is of.
pjrt::Error* await(void* arguments) { return copied(static_cast<On<Event>*>(arguments)->object->completion->wait()); }

void on_ready(EventOnReady& arguments) {
  arguments.event->completion->on_done([callback = arguments.callback, user = arguments.user_arg](
                                           const std::optional<Error>& error) { callback(copied(error), user); });
}

}  // namespace

void add_events(Api& api) {
  api.calls[slot("Error_Destroy")] = &destroy_error;
  api.calls[slot("Error_Message")] = &message;
  set<&code>(api, slot("Error_GetCode"));
  set<&destroy>(api, slot("Event_Destroy"));
  set<&is_ready>(api, slot("Event_IsReady"));
  api.calls[slot("Event_Error")] = &await;
  api.calls[slot("Event_Await")] = &await;
  set<&on_ready>(api, slot("Event_OnReady"));
}

}  // namespace systole::pjrt
