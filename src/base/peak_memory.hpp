#pragma once

namespace hwgcn {

/// The most memory that this process has held so far, in MB.
double peak_megabytes();

}  // namespace hwgcn
