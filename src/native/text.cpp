#include "text.hpp"

#include "bytes.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(_WIN32)
#include <filesystem>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace leadline {

char *Text::make(size_t size) {
    close();
    char *p = static_cast<char *>(std::malloc(size + PAD));
    if (!p) throw std::bad_alloc();
    std::memset(p + size, 0, PAD);
    data_ = p, size_ = size;
    return p;
}

#if defined(_WIN32)

int Text::open(const std::string &path) {
    const std::filesystem::path where = std::filesystem::u8path(path);
    std::error_code error;
    const auto size = std::filesystem::file_size(where, error);
    std::FILE *file = _wfopen(where.c_str(), L"rb");
    if (!file) return errno;
    if (error) {
        std::fclose(file);
        return EINVAL;
    }
    char *p = make(static_cast<size_t>(size));
    const size_t got = std::fread(p, 1, size_, file);
    const int failed = std::ferror(file) ? EIO : 0;
    std::fclose(file);
    size_ = got;
    std::memset(p + got, 0, PAD);
    return failed;
}

void Text::close() {
    std::free(data_);
    data_ = nullptr, size_ = mapped_ = 0;
}

void Text::forget(const char *, const char *) const {}

#else

int Text::open(const std::string &path) {
    close();
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    struct stat about {};
    int failed = ::fstat(file, &about) ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    const size_t size = static_cast<size_t>(about.st_size);
    if (!failed && size == 0) {
        make(0);
    } else if (!failed) {
        // Reserve one page more than the file fills and put the file over its beginning: what follows the file's
        // last byte can then be read, whatever its length.
        const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        const size_t length = (size + page - 1) / page * page + page;
        void *p = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            failed = errno;
        } else if (::mmap(p, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
            failed = errno;
            ::munmap(p, length);
        } else {
            data_ = static_cast<char *>(p), size_ = size, mapped_ = length;
        }
    }
    ::close(file);
    return failed;
}

void Text::close() {
    if (mapped_)
        ::munmap(data_, mapped_);
    else
        std::free(data_);
    data_ = nullptr, size_ = mapped_ = 0;
}

void Text::forget(const char *from, const char *to) const {
    if (!mapped_) return;
    const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const size_t a = (static_cast<size_t>(from - data_) + page - 1) / page * page;
    const size_t b = static_cast<size_t>(to - data_) / page * page;
    if (a < b) ::madvise(data_ + a, b - a, MADV_DONTNEED);
}

#endif

}  // namespace leadline
