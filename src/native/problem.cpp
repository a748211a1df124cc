#include "problem.hpp"

#include <cstring>

namespace leadline {

void only_changed(Problems &problems) {
    problems = Problems();
    problems.add(Wrong::changed, 0, [] { return Problem{Wrong::changed, 0, 0, 0, {}, {}}; });
}

void number_lines(Problems &problems, const char *begin, const char *end) {
    std::vector<int64_t *> places;
    for (Problem &p : problems.kept) {
        if (p.wrong == Wrong::empty || p.wrong == Wrong::open || p.wrong == Wrong::too_long) continue;
        places.push_back(&p.place);
        if (p.wrong == Wrong::duplicate || p.wrong == Wrong::differing) places.push_back(&p.other);
    }
    std::sort(places.begin(), places.end(), [](const int64_t *a, const int64_t *b) { return *a < *b; });
    int64_t line = 1;
    const char *at = begin;
    for (int64_t *place : places) {
        const char *to = begin + std::min<int64_t>(*place, end - begin);
        while (at < to) {
            const void *next = std::memchr(at, '\n', static_cast<size_t>(to - at));
            if (!next) break;
            at = static_cast<const char *>(next) + 1, ++line;
        }
        if (at < to) at = to;
        *place = line;
    }
}

std::string excerpt(const char *p, size_t n) {
    constexpr size_t most = 100;
    while (n && (p[n - 1] == '\r' || p[n - 1] == '\n')) --n;
    if (n <= most) return std::string(p, n);
    n = most;
    while (n > most - 4 && (static_cast<unsigned char>(p[n]) & 0xc0) == 0x80) --n;  // no half characters
    return std::string(p, n) + "\xe2\x80\xa6";
}

}  // namespace leadline
