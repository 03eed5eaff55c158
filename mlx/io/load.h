// Readers and writers: what files, and objects of other languages, look like to
// the formats. The formats are in mlx/io.h.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ios>
#include <memory>
#include <sstream>
#include <string>

#include "mlx/api.h"
#include "mlx/threadpool.h"

#ifndef O_BINARY
#define O_BINARY 0
#endif

namespace mlx::core::io {

class Reader {
 public:
  virtual bool is_open() const = 0;
  virtual bool good() const = 0;
  virtual size_t tell() = 0;
  virtual void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) = 0;
  /// Exactly `n` bytes from the current position, or std::runtime_error.
  virtual void read(char* data, size_t n) = 0;
  /// Exactly `n` bytes from `offset`; any thread may call it.
  virtual void read(char* data, size_t n, size_t offset) = 0;
  virtual std::string label() const = 0;
  virtual ~Reader() = default;
};

class Writer {
 public:
  virtual bool is_open() const = 0;
  virtual bool good() const = 0;
  virtual size_t tell() = 0;
  virtual void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) = 0;
  virtual void write(const char* data, size_t n) = 0;
  virtual std::string label() const = 0;
  virtual ~Writer() = default;
};

/// A file, read by position.
class MLX_API ParallelFileReader : public Reader {
 public:
  explicit ParallelFileReader(std::string file_path);
  ~ParallelFileReader() override;
  ParallelFileReader(const ParallelFileReader&) = delete;
  ParallelFileReader& operator=(const ParallelFileReader&) = delete;
  bool is_open() const override { return fd_ >= 0; }
  bool good() const override { return is_open(); }
  size_t tell() override { return position_; }
  void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) override;
  void read(char* data, size_t n) override;
  void read(char* data, size_t n, size_t offset) override;
  std::string label() const override { return "file " + path_; }

 private:
  int fd_;
  size_t position_ = 0;
  std::string path_;
};

class MLX_API FileWriter : public Writer {
 public:
  explicit FileWriter() = default;
  explicit FileWriter(std::string file_path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  FileWriter(FileWriter&& other);
  ~FileWriter() override;
  bool is_open() const override { return fd_ >= 0; }
  bool good() const override { return is_open(); }
  size_t tell() override;
  void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) override;
  void write(const char* data, size_t n) override;
  std::string label() const override { return "file " + path_; }

 private:
  int fd_ = -1;
  std::string path_;
};

/// Bytes between the current end and the start; keeps the position.
MLX_API size_t stream_size(Reader& reader);

}  // namespace mlx::core::io
