#include "terminate.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <unistd.h>

#include "command.hpp"
#include "program_name.hpp"

namespace hwgcn::cli {
namespace {

// Without memory of its own. A message that cannot be written has no other place to go.
void print(const char* text) noexcept {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] void exit_with_message() noexcept {
    print(program_name());
    print(": error: ");
    try {
        if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
        print("ended without a reason");
    } catch (const std::bad_alloc&) {
        print("out of memory");
    } catch (const std::exception& error) {
        print(error.what());
    } catch (...) {
        print("ended by an unknown error");
    }
    print("\n");
    std::_Exit(exit_status::failed_run);
}

}  // namespace

void exit_instead_of_abort() {
    std::set_terminate(exit_with_message);
}

}  // namespace hwgcn::cli
