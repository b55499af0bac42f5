#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/temporary_file.h"

namespace lockstep {

// Replaces a file so that, whatever happens meanwhile (a kill, a full disk, a power cut), a reader finds the old file
// or the new one, each whole: writes PATH.tmp in the same folder, fsync, rename, fsync of the folder. The file is
// durable on return.
//
// before_rename, if any, is called when the bytes are safe and not yet visible; if it throws, the old file stays.
// Throws Error(cannot_write), or Error(internal) for too many open files, that names the path, the call that failed,
// the reason and the cure; PATH.tmp is removed then, which frees its space on a full disk. flag: see TemporaryFile.
void replace_file(const std::string& path, std::span<const std::byte> bytes,
                  const std::function<void()>& before_rename = {}, std::string_view flag = kOutputFlag);

// Gives a second name, `to`, to a durable file that is replaced but never written into: as a link, or as a copy if the
// file system has no links; durable on return. The second name keeps its contents whatever becomes of the first.
// before_rename and errors as for replace_file(), and Error(missing_input) that names `from` if it cannot be read.
void duplicate_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename = {});

// Throws Error(usage) that begins with `named`, e.g. "--output=FILE", if the path is known to be anything but a regular
// file: a device, a pipe or a link (/dev/stdout is one) would be replaced by the file, for everybody on this machine.
void check_file_place(const std::string& path, const std::string& named);

// Makes renames and removals in a folder durable. Throws as replace_file() does.
void sync_folder(const std::string& folder, std::string_view flag = kOutputFlag);

}  // namespace lockstep
