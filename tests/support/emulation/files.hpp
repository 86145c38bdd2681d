// Reads and writes arrays in files, like NumPy's fromfile and tofile.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

template <class T>
std::vector<T> load(const std::string& path) {
  std::vector<T> values;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) std::exit(3);
  std::fseek(file, 0, SEEK_END);
  values.resize(static_cast<size_t>(std::ftell(file)) / sizeof(T));
  std::rewind(file);
  if (std::fread(values.data(), sizeof(T), values.size(), file) != values.size()) std::exit(4);
  std::fclose(file);
  return values;
}

template <class T>
void save(const std::string& path, const std::vector<T>& values) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(values.data(), sizeof(T), values.size(), file);
  std::fclose(file);
}
