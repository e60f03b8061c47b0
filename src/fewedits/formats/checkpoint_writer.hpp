// SPDX-License-Identifier: MIT
// Writes a state dict so that PyTorch (torch.load), the safetensors library and our own
// reader can read it.
#pragma once

#include <filesystem>
#include <string>

#include "fewedits/base/tensor.hpp"

namespace fewedits {

std::string to_pytorch_zip(const StateDict& tensors);
std::string to_safetensors(const StateDict& tensors);

/// True if write_checkpoint knows the extension, in any case.
bool has_checkpoint_extension(const std::filesystem::path& path);

/// The format follows the extension: .safetensors, or .pt/.pth; atomic. Throws Error for others.
void write_checkpoint(const std::filesystem::path& path, const StateDict& tensors);

}  // namespace fewedits
