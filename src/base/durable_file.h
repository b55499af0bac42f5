#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace lockstep {

// Puts a file in its place so that, whatever happens meanwhile (a kill, a full disk, a power cut), a reader finds the
// old file or the new one, each whole: writes PATH.tmp in the same folder, fsync, rename, fsync of the folder. When it
// returns the file is durable.
//
// before_rename, if any, is called when the bytes are safe and not yet visible; what it throws leaves the old file.
// Throws Error(cannot_write) that names the path, the call that failed, the reason and the cure; PATH.tmp is removed
// then, so a full disk has its room back.
void replace_file(const std::string& path, std::span<const std::byte> bytes,
                  const std::function<void()>& before_rename = {});

// Makes durable what was renamed or removed in a folder. Throws Error(cannot_write).
void sync_folder(const std::string& folder);

// The whole file. Throws Error(missing_input) if it cannot be opened or read.
std::string read_file(const std::string& path);

}  // namespace lockstep
