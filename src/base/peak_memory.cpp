#include "base/peak_memory.hpp"

#include <fstream>
#include <string>

#include <sys/resource.h>

namespace hwgcn {

// From /proc, because getrusage carries the peak of the calling process over into this one: it has to do
// where /proc cannot be read.
double peak_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kilobytes = 0;
        if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024.0;
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace hwgcn
