// What the two halves of the library share: which calls are counted, and which of them fail. See
// fail_calls.c.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

enum Kind {
    Open,
    Read,
    Write,
    Close,
    Fsync,
    Rename,
    Unlink,
    Thread,
    Alloc,
    Mkdir,
    Lock,
    Stat,
    Truncate,
    Random,
    ShortRead,
    ShortWrite,
    Kinds
};

#pragma GCC visibility push(hidden)

extern int failure;  // what errno becomes

// Count a call, and say whether it is one that fails; errno is set then.
bool fails(enum Kind kind, const char* function, const char* file);
bool path_fails(enum Kind kind, const char* function, const char* path);
bool place_fails(enum Kind kind, const char* function, int folder, const char* path);
bool descriptor_fails(enum Kind kind, const char* function, int descriptor);
bool stream_fails(enum Kind kind, const char* function, FILE* stream);

// Whether calls with this name or this descriptor count.
bool below_prefix(const char* path);
bool is_watched(int descriptor);
void watch(int descriptor, bool on);

#pragma GCC visibility pop

// The real function of this name. (dlsym returns an object pointer; POSIX says that it can be called.)
#define REAL(name)                 \
    static __typeof__(&name) real; \
    if (real == NULL) *(void**)(&real) = dlsym(RTLD_NEXT, #name)
