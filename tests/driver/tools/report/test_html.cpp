// SPDX-License-Identifier: Apache-2.0
// The page as a file: complete, safe and self-contained. test_pages.py tests it in a browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "page_data.hpp"
#include "report_html.hpp"

namespace systole::report {
namespace {

using test::layer_json;
using test::network_json;
using test::parsed;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "</script><script>alert('&')</script><!--\"@SCRIPT@";

/// The embedded data, as the browser reads them.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Page, HoldsTheData) {
  const RunFile run = parsed(network_json({layer_json("conv1"), layer_json("pool1")}));
  const auto data = data_of(html_report(run, nullptr));
  EXPECT_EQ(data, nlohmann::json::parse(page_data(run, nullptr).dump()));
  EXPECT_EQ(data["run"]["layers"][1]["name"], "pool1");
  EXPECT_EQ(data["causes"].size(), 11u);
  EXPECT_TRUE(data["comparison"].is_null());
  EXPECT_TRUE(data["run"]["layers"][1]["window"].is_null());
  EXPECT_EQ(data_of(html_report(run, &run))["comparison"]["layers"].size(), 2u);
}

TEST(Page, EscapesHostileNames) {
  const RunFile harmless = parsed(network_json({layer_json("conv1")}));
  auto json = network_json({layer_json(kHostile)});
  json["name"] = kHostile;
  const std::string page = html_report(parsed(json), nullptr);
  for (const char* mark : {"<script", "</script", "<!--", "<title>"}) {
    EXPECT_EQ(occurrences(page, mark), occurrences(html_report(harmless, nullptr), mark)) << mark;
  }
  EXPECT_EQ(data_of(page)["run"]["layers"][0]["name"], kHostile);
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script&gt;"));
}

TEST(Page, NeedsNoNetwork) {
  const std::string page = html_report(parsed(layer_json()), nullptr);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* way :
       {"src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "WebSocket", "<link", "<img", "<iframe"}) {
    EXPECT_THAT(page, Not(HasSubstr(way)));
  }
  for (const char* mark : {"@TITLE@", "@STYLE@", "@TEXT@", "@DATA@", "@SCRIPT@"}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST(Page, UsesNoInnerHtml) {
  EXPECT_THAT(html_report(parsed(layer_json()), nullptr),
              Not(testing::AnyOf(HasSubstr("innerHTML"), HasSubstr("document.write"))));
}

TEST(Escapes, RoundTrip) {
  EXPECT_EQ(escaped("a<b>&\"c"), "a&lt;b&gt;&amp;&quot;c");
  const nlohmann::json value = {{"x", kHostile}};
  EXPECT_EQ(nlohmann::json::parse(script_safe(value.dump())), value);
  EXPECT_THAT(script_safe(value.dump()), Not(HasSubstr("<")));
}

}  // namespace
}  // namespace systole::report
