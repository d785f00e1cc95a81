// Asks the part that downloads for a dataset that is not there, without a network.
#include <cstdio>

#include <hwgcn/fetch/fetch.hpp>
#include <hwgcn/base/error.hpp>

bool cora_is_known_but_not_here() {
    hwgcn::FetchOptions options;
    options.directory = "no such folder";
    options.offline = true;
    try {
        hwgcn::fetch_dataset("cora", options);
    } catch (const hwgcn::InputError& error) {
        std::printf("libcurl %s: %s\n", hwgcn::libcurl_version().c_str(), error.what());
        return true;
    }
    return false;
}
