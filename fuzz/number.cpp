// libFuzzer target: numbers. The quick way, the slow way and the C library must agree on value and on refusal.

#include "number.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace leadline;

namespace {

[[noreturn]] void fail(const std::string &text, double got, double expected) {
    std::fprintf(stderr, "disagreement on \"%s\": %.17g and %.17g\n", text.c_str(), got, expected);
    std::abort();
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

void check_integer(const std::string &text) {
    int64_t got = 0;
    const Integer read = parse_integer(text.data(), text.data() + text.size(), INT32_MIN, INT32_MAX, got);
    const size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-');
    const bool digits = text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
    if (digits != (read != Integer::none)) fail(text, 0, 1);
    if (!digits) return;
    errno = 0;
    const long long expected = std::strtoll(text.c_str(), nullptr, 10);
    const bool fits = errno == 0 && expected >= INT32_MIN && expected <= INT32_MAX;
    if (fits != (read == Integer::fine) || (fits && got != expected)) fail(text, static_cast<double>(got), static_cast<double>(expected));
}

}  // namespace

// The first byte chooses what follows the column: a blank and the rest of the line must not matter.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const char behind = static_cast<char>(data[0]);
    const std::string text(reinterpret_cast<const char *>(data + 1), size - 1);
    if (text.find_first_of(std::string(" \t\n\v\f\r\0", 7)) != std::string::npos) return 0;  // a column holds none of these
    check_integer(text);
    char *room = static_cast<char *>(std::malloc(text.size() + PAD));
    std::memcpy(room, text.data(), text.size());
    std::memset(room + text.size(), behind, PAD);
    room[text.size()] = ' ';
    double quick = 0, slow = 0;
    const bool a = parse_real(room, room + text.size(), quick);
    const bool b = parse_real_slowly(room, room + text.size(), slow);
    std::free(room);
    if (a != b || (a && !same(quick, slow))) fail(text, quick, slow);
    if (!a || text.find_first_of("xXpP(") != std::string::npos) return 0;  // C also reads hexadecimal and nan(…)
    char *end = nullptr;
    const double expected = std::strtod(text.c_str(), &end);
    if (*end || !same(quick, expected)) fail(text, quick, expected);
    return 0;
}
