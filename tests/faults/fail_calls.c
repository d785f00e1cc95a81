// A library for LD_PRELOAD that lets the n-th call of one kind fail, as a full disk, a broken one, a small
// machine or a strict administrator would. It counts from main() on, and the calls of main()'s own libraries
// as well.
//
//   FAULT_KIND    open read write close fsync rename unlink thread alloc; mkdir lock stat truncate random;
//                 short-read short-write (fewer bytes than asked for); anything else: only count
//   FAULT_N       which call fails, from 1
//   FAULT_MODE    once, or on: this call and every later one
//   FAULT_ERRNO   its number (default EIO)
//   FAULT_PREFIX  only files below this folder, of relative names, and standard output; without it: all
//   FAULT_COUNTS  a file that gets one line "KIND COUNT" per kind at the end
//   FAULT_HIT     a file that gets the name of the first function that failed, and of its file
#include "fail_calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char* const kind_names[Kinds] = {
    "open",  "read",  "write", "close", "fsync",    "rename", "unlink",     "thread",
    "alloc", "mkdir", "lock",  "stat",  "truncate", "random", "short-read", "short-write"};

static atomic_long counts[Kinds];
static atomic_bool counting;
static int failing = -1;
static long failing_number;
static bool and_later;
int failure;
static const char* prefix;
static const char* counts_file;
static const char* hit_file;

enum { MostDescriptors = 4096 };
static atomic_bool watched[MostDescriptors];

static void note(const char* file, const char* text, const char* more) {
    if (file == NULL) return;
    const int saved = errno;
    const long descriptor =
        syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
        char line[512];
        const int length = snprintf(line, sizeof line, "%.100s %.380s\n", text, more == NULL ? "" : more);
        syscall(SYS_write, descriptor, line, (size_t)length);
        syscall(SYS_close, descriptor);
    }
    errno = saved;
}

// Counts a call, and says whether it is one that fails.
bool fails(enum Kind kind, const char* function, const char* file) {
    if (!atomic_load(&counting)) return false;
    const long number = atomic_fetch_add(&counts[kind], 1) + 1;
    if ((int)kind != failing || (and_later ? number < failing_number : number != failing_number))
        return false;
    if (number == failing_number) note(hit_file, function, file);
    errno = failure;
    return true;
}

bool below_prefix(const char* path) {
    return prefix == NULL || (path != NULL && (path[0] != '/' || strncmp(path, prefix, strlen(prefix)) == 0));
}

bool is_watched(int descriptor) {
    return prefix == NULL ||
           (descriptor >= 0 && descriptor < MostDescriptors && atomic_load(&watched[descriptor]));
}

void watch(int descriptor, bool on) {
    if (descriptor >= 0 && descriptor < MostDescriptors) atomic_store(&watched[descriptor], on);
}

bool path_fails(enum Kind kind, const char* function, const char* path) {
    return below_prefix(path) && fails(kind, function, path);
}

bool descriptor_fails(enum Kind kind, const char* function, int descriptor) {
    if (!is_watched(descriptor)) return false;
    char name[16];
    snprintf(name, sizeof name, "%d", descriptor);
    return fails(kind, function, name);
}

bool place_fails(enum Kind kind, const char* function, int folder, const char* path) {
    const bool concerns = path[0] == '/' || folder == AT_FDCWD ? below_prefix(path) : is_watched(folder);
    return concerns && fails(kind, function, path);
}

bool stream_fails(enum Kind kind, const char* function, FILE* stream) {
    if (stream == NULL || !descriptor_fails(kind, function, fileno(stream))) return false;
    stream->_flags |= 0x20;  // what ferror() looks at
    return true;
}

// From main() on
// ------------------------------------------------------------------------------------------------------

static int (*program)(int, char**, char**);

static void read_settings(void) {
    const char* const kind = getenv("FAULT_KIND");
    for (int k = 0; kind != NULL && k < Kinds; ++k) {
        if (strcmp(kind, kind_names[k]) == 0) failing = k;
    }
    const char* const number = getenv("FAULT_N");
    failing_number = number == NULL ? 1 : atol(number);
    const char* const mode = getenv("FAULT_MODE");
    and_later = mode != NULL && strcmp(mode, "on") == 0;
    const char* const code = getenv("FAULT_ERRNO");
    failure = code == NULL ? EIO : atoi(code);
    prefix = getenv("FAULT_PREFIX");
    counts_file = getenv("FAULT_COUNTS");
    hit_file = getenv("FAULT_HIT");
    watch(STDOUT_FILENO, true);
}

static int counted_main(int argc, char** argv, char** environment) {
    read_settings();
    atomic_store(&counting, true);
    return program(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
    int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
                void*) = NULL;
    *(void**)(&real) = dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void write_counts(void) {
    atomic_store(&counting, false);
    for (int kind = 0; kind < Kinds; ++kind) {
        char number[32];
        snprintf(number, sizeof number, "%ld", atomic_load(&counts[kind]));
        note(counts_file, kind_names[kind], number);
    }
}

// Allocation
// ----------------------------------------------------------------------------------------------------------

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
    return fails(Alloc, "malloc", NULL) ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    return fails(Alloc, "calloc", NULL) ? NULL : __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
    return fails(Alloc, "realloc", NULL) ? NULL : __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    return fails(Alloc, "aligned_alloc", NULL) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
    if (fails(Alloc, "posix_memalign", NULL)) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
    REAL(pthread_create);
    return fails(Thread, "pthread_create", NULL) ? failure : real(thread, attributes, start, argument);
}

int getentropy(void* bytes, size_t size) {
    REAL(getentropy);
    return fails(Random, "getentropy", NULL) ? -1 : real(bytes, size);
}

ssize_t getrandom(void* bytes, size_t size, unsigned flags) {
    REAL(getrandom);
    return fails(Random, "getrandom", NULL) ? -1 : real(bytes, size, flags);
}
