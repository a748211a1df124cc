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
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <mutex>
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

bool Text::changed() const { return false; }

#else

namespace {

// A mapped file that someone shortens meanwhile is answered by a signal that would end the program. Mappings are
// watched instead: what is gone reads as zeros, and the text counts as changed.
struct Watch {
    std::atomic<bool> taken{false}, hurt{false};
    std::atomic<char *> from{nullptr};
    std::atomic<size_t> length{0};
};
constexpr int WATCHES = 256;
Watch watches[WATCHES];
struct sigaction before;
size_t page_size = 4096;

void pass_on(int number, siginfo_t *about, void *context) {
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, about, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
    ::sigaction(number, &before, nullptr);  // the access is tried again, and ends the program
}

void on_bus_error(int number, siginfo_t *about, void *context) {
    char *at = static_cast<char *>(about->si_addr);
    for (Watch &w : watches) {
        char *from = w.from;
        const size_t length = w.length;
        if (!from || at < from || at >= from + length) continue;
        const size_t whole = static_cast<size_t>(at - from) / page_size * page_size;
        w.hurt = true;
        if (::mmap(from + whole, length - whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED)
            return;
    }
    pass_on(number, about, context);
}

// The number of a watch over a mapping, -1 if all are taken.
int begin_watch(char *from, size_t length) {
    static std::once_flag once;
    std::call_once(once, [] {
        page_size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action{};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigaction(SIGBUS, &action, &before);
    });
    for (int i = 0; i < WATCHES; ++i)
        if (!watches[i].taken.exchange(true)) {
            watches[i].hurt = false, watches[i].length = length, watches[i].from = from;
            return i;
        }
    return -1;
}

void end_watch(int i) {
    watches[i].from = nullptr, watches[i].length = 0;
    watches[i].taken = false;
}

int64_t last_write(const struct stat &about) {
#if defined(__APPLE__)
    const struct timespec &t = about.st_mtimespec;
#else
    const struct timespec &t = about.st_mtim;
#endif
    return static_cast<int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

}  // namespace

int Text::open(const std::string &path) {
    close();
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    struct stat about{};
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
            watch_ = begin_watch(data_, length);
        }
    }
    if (failed)
        ::close(file);
    else
        file_ = file, written_ = last_write(about);
    return failed;
}

bool Text::changed() const {
    if (file_ < 0) return false;
    struct stat about{};
    return (watch_ >= 0 && watches[watch_].hurt) || ::fstat(file_, &about) != 0 ||
           static_cast<size_t>(about.st_size) != size_ || last_write(about) != written_;
}

void Text::close() {
    if (watch_ >= 0) end_watch(watch_);
    if (file_ >= 0) ::close(file_);
    if (mapped_)
        ::munmap(data_, mapped_);
    else
        std::free(data_);
    data_ = nullptr, size_ = mapped_ = 0;
    file_ = watch_ = -1;
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
