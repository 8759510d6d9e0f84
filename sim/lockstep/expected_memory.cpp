// SPDX-License-Identifier: Apache-2.0
#include "expected_memory.hpp"

#include <algorithm>
#include <cstring>

namespace systole::lockstep {

template <class Part>
void ExpectedMemory::by_page(std::uint64_t address, std::size_t bytes, Part part) {
  for (std::size_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const std::size_t count = std::min<std::size_t>(bytes - done, kPage - at % kPage);
    part(at / kPage, static_cast<std::size_t>(at % kPage), done, count);
    done += count;
  }
}

void ExpectedMemory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  live_.read(address, to, bytes);
  if (pages_.empty()) {
    return;
  }
  by_page(address, bytes, [&](std::uint64_t number, std::size_t in_page, std::size_t done, std::size_t count) {
    if (const auto page = pages_.find(number); page != pages_.end()) {
      std::memcpy(static_cast<std::uint8_t*>(to) + done, page->second->data() + in_page, count);
    }
  });
}

void ExpectedMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  capture(address, bytes);
  by_page(address, bytes, [&](std::uint64_t number, std::size_t in_page, std::size_t done, std::size_t count) {
    std::memcpy(pages_[number]->data() + in_page, static_cast<const std::uint8_t*>(from) + done, count);
  });
}

std::size_t ExpectedMemory::existing(std::uint64_t address, std::size_t bytes) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size() - std::min(address, size())));
}

void ExpectedMemory::capture(std::uint64_t address, std::size_t bytes) {
  by_page(address, existing(address, bytes), [&](std::uint64_t number, std::size_t, std::size_t, std::size_t) {
    auto& page = pages_[number];
    if (!page) {
      page = std::make_unique<Page>();
      live_.read(number * kPage, page->data(), kPage);
    }
  });
}

void ExpectedMemory::refresh(std::uint64_t address, std::size_t bytes) {
  by_page(address, existing(address, bytes),
          [&](std::uint64_t number, std::size_t in_page, std::size_t done, std::size_t count) {
            if (const auto page = pages_.find(number); page != pages_.end()) {
              live_.read(address + done, page->second->data() + in_page, count);
            }
          });
}

std::optional<ExpectedMemory::Difference> ExpectedMemory::difference(std::uint64_t address, std::size_t bytes) const {
  std::optional<Difference> first;
  Page live;
  by_page(address, existing(address, bytes),
          [&](std::uint64_t number, std::size_t in_page, std::size_t done, std::size_t count) {
            const auto page = pages_.find(number);
            if (first || page == pages_.end()) {
              return;
            }
            const std::uint8_t* expected = page->second->data() + in_page;
            live_.read(address + done, live.data(), count);
            if (std::memcmp(live.data(), expected, count) == 0) {
              return;
            }
            const std::size_t at =
                static_cast<std::size_t>(std::mismatch(live.data(), live.data() + count, expected).first - live.data());
            first = Difference{address + done + at, expected[at], live[at]};
          });
  return first;
}

}  // namespace systole::lockstep
