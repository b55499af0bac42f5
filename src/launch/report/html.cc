#include "launch/report/html.h"

namespace lockstep {

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char each : text) {
    switch (each) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += each;
    }
  }
  return escaped;
}

std::string json_in_html(std::string json) {
  // In JSON these stand within texts only.
  for (std::size_t at = 0; (at = json.find_first_of("<>&", at)) != std::string::npos; at += 6) {
    const char* const code = json[at] == '<' ? "\\u003c" : json[at] == '>' ? "\\u003e" : "\\u0026";
    json.replace(at, 1, code);
  }
  return json;
}

}  // namespace lockstep
