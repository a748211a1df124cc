#include "records.hpp"

#include <stdexcept>

namespace leadline {

uint32_t Names::find(const char *p, size_t n, uint64_t h) const {
    if (slots_.empty()) return NONE;
    const size_t mask = slots_.size() - 1;
    for (size_t s = h & mask;; s = (s + 1) & mask) {
        const uint32_t i = slots_[s];
        if (i == NONE) return NONE;
        if (hashes_[i] == h && strings_.length(i) == n && std::memcmp(strings_.at(i), p, n) == 0) return i;
    }
}

uint32_t Names::add(const char *p, size_t n, uint64_t h, bool *fresh) {
    const uint32_t known = find(p, n, h);
    if (fresh) *fresh = known == NONE;
    if (known != NONE) return known;
    if (size() >= (size_t(1) << 31) - 2) throw std::length_error("more than 2,147,483,645 topics");
    if (2 * (size() + 1) > slots_.size()) grow();
    const uint32_t i = static_cast<uint32_t>(size());
    strings_.push(p, n);
    hashes_.push_back(h);
    const size_t mask = slots_.size() - 1;
    size_t s = h & mask;
    while (slots_[s] != NONE) s = (s + 1) & mask;
    slots_[s] = i;
    return i;
}

void Names::grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), NONE);
    const size_t mask = slots_.size() - 1;
    for (uint32_t i = 0; i < hashes_.size(); ++i) {
        size_t s = hashes_[i] & mask;
        while (slots_[s] != NONE) s = (s + 1) & mask;
        slots_[s] = i;
    }
}

}  // namespace leadline
