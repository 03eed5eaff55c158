// Files as readers and writers. Short reads and writes are errors.
#include "mlx/io/load.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mlx::core::io {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& label) {
  throw std::runtime_error("[io] " + what + " " + label + ": " + std::strerror(errno));
}

int whence(std::ios_base::seekdir way) {
  return way == std::ios_base::beg ? SEEK_SET : way == std::ios_base::cur ? SEEK_CUR : SEEK_END;
}

// The kernel moves at most about 2 GB a call.
constexpr size_t kMaxTransfer = size_t{1} << 30;

}  // namespace

ParallelFileReader::ParallelFileReader(std::string file_path)
    : fd_(open(file_path.c_str(), O_RDONLY | O_BINARY | O_CLOEXEC)), path_(std::move(file_path)) {}

ParallelFileReader::~ParallelFileReader() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

void ParallelFileReader::seek(int64_t off, std::ios_base::seekdir way) {
  int64_t base = 0;
  if (way == std::ios_base::cur) {
    base = static_cast<int64_t>(position_);
  } else if (way == std::ios_base::end) {
    struct stat info;
    if (fstat(fd_, &info) != 0) {
      fail("cannot examine", label());
    }
    base = info.st_size;
  }
  if (base + off < 0) {
    throw std::runtime_error("[io] cannot seek before the start of " + label());
  }
  position_ = static_cast<size_t>(base + off);
}

void ParallelFileReader::read(char* data, size_t n) {
  read(data, n, position_);
  position_ += n;
}

void ParallelFileReader::read(char* data, size_t n, size_t offset) {
  while (n > 0) {
    const ssize_t got = pread(fd_, data, std::min(n, kMaxTransfer), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("cannot read", label());
    }
    if (got == 0) {
      throw std::runtime_error("[io] " + label() + " ends " + std::to_string(n) +
                               " bytes too early");
    }
    data += got;
    offset += static_cast<size_t>(got);
    n -= static_cast<size_t>(got);
  }
}

FileWriter::FileWriter(std::string file_path)
    : fd_(open(file_path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_BINARY | O_CLOEXEC, 0644)),
      path_(std::move(file_path)) {}

FileWriter::FileWriter(FileWriter&& other) : fd_(other.fd_), path_(std::move(other.path_)) {
  other.fd_ = -1;
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

size_t FileWriter::tell() { return static_cast<size_t>(lseek(fd_, 0, SEEK_CUR)); }

void FileWriter::seek(int64_t off, std::ios_base::seekdir way) {
  if (lseek(fd_, off, whence(way)) < 0) {
    fail("cannot seek in", label());
  }
}

void FileWriter::write(const char* data, size_t n) {
  while (n > 0) {
    const ssize_t put = ::write(fd_, data, std::min(n, kMaxTransfer));
    if (put < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("cannot write", label());
    }
    data += put;
    n -= static_cast<size_t>(put);
  }
}

size_t stream_size(Reader& reader) {
  const size_t position = reader.tell();
  reader.seek(0, std::ios_base::end);
  const size_t size = reader.tell();
  reader.seek(static_cast<int64_t>(position));
  return size;
}

}  // namespace mlx::core::io
