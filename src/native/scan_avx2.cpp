// Compiled for processors with AVX2; used only where there is one.

#if defined(LEADLINE_AVX2)

#include "scan_kernel.hpp"

namespace leadline {

void index_avx2(const char *from, size_t blocks, uint32_t at, Indexing &out) { index_blocks(from, blocks, at, out); }

}  // namespace leadline

#endif
