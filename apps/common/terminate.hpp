#pragma once

namespace hwgcn::cli {

/// From now on, an error that nothing can catch ends the program with a message and the status of a failed
/// run, not with a signal. Such is memory that runs out in a destructor: that of a JSON value allocates.
void exit_instead_of_abort();

}  // namespace hwgcn::cli
