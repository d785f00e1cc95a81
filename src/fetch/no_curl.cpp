#include "fetch/downloader.hpp"

namespace hwgcn {

std::unique_ptr<Downloader> make_downloader(const FetchOptions&, const ExecutionControl&) {
    throw InputError(
        "this build has no downloads; build it with -DHWGCN_WITH_FETCH=ON (Debian package "
        "libcurl4-openssl-dev)");
}

std::string libcurl_version() {
    return "not built in";
}

}  // namespace hwgcn
