#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <zip.h>

namespace hwgcn::testing {

struct ZipMember {
    std::string name;
    std::string bytes;
};

/// A zip archive in memory, members as they are or deflated; checksums are right, whatever the content.
inline std::string make_zip(const std::vector<ZipMember>& members, bool deflated = false) {
    zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
    zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
    if (archive == nullptr) throw std::runtime_error("no archive in memory");
    zip_source_keep(target);
    for (const ZipMember& member : members) {
        zip_source_t* source = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
        const zip_int64_t index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_OVERWRITE);
        if (index < 0) {
            zip_source_free(source);
            continue;
        }
        zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                                 deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }
    if (zip_close(archive) != 0) throw std::runtime_error(zip_strerror(archive));

    std::string bytes;
    if (zip_stat_t stat; zip_source_stat(target, &stat) == 0 && zip_source_open(target) == 0) {
        bytes.resize(stat.size);
        zip_source_read(target, bytes.data(), bytes.size());
        zip_source_close(target);
    }
    zip_source_free(target);
    return bytes;
}

}  // namespace hwgcn::testing
