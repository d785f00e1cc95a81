// The calls that have to do with files: opening, reading, writing, closing and names.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fail_calls.h"

static size_t fewer(bool now, size_t size) {
    return now && size > 1 ? size / 2 : size;
}

// Opening
// -------------------------------------------------------------------------------------------------------------

static int opened(int descriptor, bool watch_it) {
    watch(descriptor, watch_it);
    return descriptor;
}

#define OPEN(name)                                                  \
    int name(const char* path, int flags, ...) {                    \
        REAL(name);                                                 \
        va_list more;                                               \
        va_start(more, flags);                                      \
        const mode_t mode = va_arg(more, mode_t);                   \
        va_end(more);                                               \
        if (path_fails(Open, #name, path)) return -1;               \
        return opened(real(path, flags, mode), below_prefix(path)); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                    \
    int name(int folder, const char* path, int flags, ...) {                            \
        REAL(name);                                                                     \
        va_list more;                                                                   \
        va_start(more, flags);                                                          \
        const mode_t mode = va_arg(more, mode_t);                                       \
        va_end(more);                                                                   \
        if (place_fails(Open, #name, folder, path)) return -1;                          \
        const bool mine = folder == AT_FDCWD ? below_prefix(path) : is_watched(folder); \
        return opened(real(folder, path, flags, mode), mine);                           \
    }
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char* path, int flags) {
    return open(path, flags, 0);
}

int __open64_2(const char* path, int flags) {
    return open64(path, flags, 0);
}

int __openat_2(int folder, const char* path, int flags) {
    return openat(folder, path, flags, 0);
}

int creat(const char* path, mode_t mode) {
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

#define FOPEN(name)                                                    \
    FILE* name(const char* path, const char* mode) {                   \
        REAL(name);                                                    \
        if (path_fails(Open, #name, path)) return NULL;                \
        FILE* const stream = real(path, mode);                         \
        if (stream != NULL) watch(fileno(stream), below_prefix(path)); \
        return stream;                                                 \
    }
FOPEN(fopen)
FOPEN(fopen64)

#define MAKE_TEMPORARY(name, parameters, arguments)        \
    int name parameters {                                  \
        REAL(name);                                        \
        if (path_fails(Open, #name, path)) return -1;      \
        return opened(real arguments, below_prefix(path)); \
    }
MAKE_TEMPORARY(mkstemp, (char* path), (path))
MAKE_TEMPORARY(mkstemp64, (char* path), (path))
MAKE_TEMPORARY(mkostemp, (char* path, int flags), (path, flags))
MAKE_TEMPORARY(mkostemp64, (char* path, int flags), (path, flags))

FILE* fdopen(int descriptor, const char* mode) {
    REAL(fdopen);
    return descriptor_fails(Open, "fdopen", descriptor) ? NULL : real(descriptor, mode);
}

DIR* opendir(const char* path) {
    REAL(opendir);
    if (path_fails(Open, "opendir", path)) return NULL;
    DIR* const folder = real(path);
    if (folder != NULL) watch(dirfd(folder), below_prefix(path));
    return folder;
}

int dup(int descriptor) {
    REAL(dup);
    if (descriptor_fails(Open, "dup", descriptor)) return -1;
    return opened(real(descriptor), is_watched(descriptor));
}

// Reading
// -------------------------------------------------------------------------------------------------------------

ssize_t read(int descriptor, void* bytes, size_t size) {
    REAL(read);
    if (descriptor_fails(Read, "read", descriptor)) return -1;
    return real(descriptor, bytes, fewer(descriptor_fails(ShortRead, "read", descriptor), size));
}

ssize_t __read_chk(int descriptor, void* bytes, size_t size, size_t room) {
    return read(descriptor, bytes, size < room ? size : room);
}

#define PREAD(name, offset_type)                                                                             \
    ssize_t name(int descriptor, void* bytes, size_t size, offset_type offset) {                             \
        REAL(name);                                                                                          \
        if (descriptor_fails(Read, #name, descriptor)) return -1;                                            \
        return real(descriptor, bytes, fewer(descriptor_fails(ShortRead, #name, descriptor), size), offset); \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

ssize_t readv(int descriptor, const struct iovec* parts, int count) {
    REAL(readv);
    if (descriptor_fails(Read, "readv", descriptor)) return -1;
    return real(descriptor, parts,
                (int)fewer(descriptor_fails(ShortRead, "readv", descriptor), (size_t)count));
}

size_t fread(void* bytes, size_t size, size_t count, FILE* stream) {
    REAL(fread);
    return stream_fails(Read, "fread", stream) ? 0 : real(bytes, size, count, stream);
}

size_t __fread_chk(void* bytes, size_t room, size_t size, size_t count, FILE* stream) {
    (void)room;
    return fread(bytes, size, count, stream);
}

#define GET(name, type, none, parameters, arguments)                      \
    type name parameters {                                                \
        REAL(name);                                                       \
        return stream_fails(Read, #name, stream) ? none : real arguments; \
    }
GET(fgets, char*, NULL, (char* text, int size, FILE* stream), (text, size, stream))
GET(getline, ssize_t, -1, (char** text, size_t* size, FILE* stream), (text, size, stream))
GET(fgetc, int, EOF, (FILE * stream), (stream))
GET(getc, int, EOF, (FILE * stream), (stream))

struct dirent* readdir(DIR* folder) {
    REAL(readdir);
    return descriptor_fails(Read, "readdir", dirfd(folder)) ? NULL : real(folder);
}

struct dirent64* readdir64(DIR* folder) {
    REAL(readdir64);
    return descriptor_fails(Read, "readdir64", dirfd(folder)) ? NULL : real(folder);
}

// Writing
// -------------------------------------------------------------------------------------------------------------

ssize_t write(int descriptor, const void* bytes, size_t size) {
    REAL(write);
    if (descriptor_fails(Write, "write", descriptor)) return -1;
    return real(descriptor, bytes, fewer(descriptor_fails(ShortWrite, "write", descriptor), size));
}

#define PWRITE(name, offset_type)                                                                    \
    ssize_t name(int descriptor, const void* bytes, size_t size, offset_type offset) {               \
        REAL(name);                                                                                  \
        if (descriptor_fails(Write, #name, descriptor)) return -1;                                   \
        return real(descriptor, bytes, fewer(descriptor_fails(ShortWrite, #name, descriptor), size), \
                    offset);                                                                         \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
    REAL(writev);
    if (descriptor_fails(Write, "writev", descriptor)) return -1;
    if (descriptor_fails(ShortWrite, "writev", descriptor))
        return syscall(SYS_write, descriptor, parts[0].iov_base, fewer(true, parts[0].iov_len));
    return real(descriptor, parts, count);
}

ssize_t sendfile(int target, int source, off_t* offset, size_t size) {
    REAL(sendfile);
    return descriptor_fails(Write, "sendfile", target) ? -1 : real(target, source, offset, size);
}

size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
    REAL(fwrite);
    return stream_fails(Write, "fwrite", stream) ? 0 : real(bytes, size, count, stream);
}

#define PUT(name, parameters, arguments)                                  \
    int name parameters {                                                 \
        REAL(name);                                                       \
        return stream_fails(Write, #name, stream) ? EOF : real arguments; \
    }
PUT(fputs, (const char* text, FILE* stream), (text, stream))
PUT(fputc, (int character, FILE* stream), (character, stream))
PUT(putc, (int character, FILE* stream), (character, stream))
PUT(vfprintf, (FILE * stream, const char* format, va_list arguments), (stream, format, arguments))

int fflush(FILE* stream) {
    REAL(fflush);
    const bool writes = stream != NULL && __fpending(stream) > 0;
    return writes && stream_fails(Write, "fflush", stream) ? EOF : real(stream);
}

#define TRUNCATE(name, offset_type)                                                         \
    int name(int descriptor, offset_type size) {                                            \
        REAL(name);                                                                         \
        return descriptor_fails(Truncate, #name, descriptor) ? -1 : real(descriptor, size); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

// What it does not do, for speed, is to wait for the disk.
int fsync(int descriptor) {
    return descriptor_fails(Fsync, "fsync", descriptor) ? -1 : 0;
}

int fdatasync(int descriptor) {
    return descriptor_fails(Fsync, "fdatasync", descriptor) ? -1 : 0;
}

// Closing: the descriptor is gone even where it fails, as in Linux
// ----------------------------------------------------

int close(int descriptor) {
    REAL(close);
    const bool failed = descriptor_fails(Close, "close", descriptor);
    watch(descriptor, false);
    const int status = real(descriptor);
    if (failed) errno = failure;
    return failed ? -1 : status;
}

int fclose(FILE* stream) {
    REAL(fclose);
    const int descriptor = fileno(stream);
    const bool lost = __fpending(stream) > 0 && stream_fails(Write, "fclose", stream);
    if (lost) __fpurge(stream);
    const bool failed = descriptor_fails(Close, "fclose", descriptor) || lost;
    watch(descriptor, false);
    const int status = real(stream);
    if (failed) errno = failure;
    return failed ? EOF : status;
}

int closedir(DIR* folder) {
    REAL(closedir);
    watch(dirfd(folder), false);
    return real(folder);
}

// Names
// ---------------------------------------------------------------------------------------------------------------

#define NAMES(name, kind, path, parameters, arguments)              \
    int name parameters {                                           \
        REAL(name);                                                 \
        return path_fails(kind, #name, path) ? -1 : real arguments; \
    }
#define PLACES(name, kind, folder, path, parameters, arguments)              \
    int name parameters {                                                    \
        REAL(name);                                                          \
        return place_fails(kind, #name, folder, path) ? -1 : real arguments; \
    }
NAMES(rename, Rename, to, (const char* from, const char* to), (from, to))
NAMES(link, Rename, to, (const char* from, const char* to), (from, to))
NAMES(symlink, Rename, to, (const char* from, const char* to), (from, to))
PLACES(renameat, Rename, in, to, (int at, const char* from, int in, const char* to), (at, from, in, to))
PLACES(renameat2, Rename, in, to, (int at, const char* from, int in, const char* to, unsigned flags),
       (at, from, in, to, flags))
PLACES(linkat, Rename, in, to, (int at, const char* from, int in, const char* to, int flags),
       (at, from, in, to, flags))
NAMES(unlink, Unlink, path, (const char* path), (path))
NAMES(rmdir, Unlink, path, (const char* path), (path))
NAMES(remove, Unlink, path, (const char* path), (path))
PLACES(unlinkat, Unlink, at, path, (int at, const char* path, int flags), (at, path, flags))
NAMES(mkdir, Mkdir, path, (const char* path, mode_t mode), (path, mode))
PLACES(mkdirat, Mkdir, at, path, (int at, const char* path, mode_t mode), (at, path, mode))
NAMES(stat, Stat, path, (const char* path, struct stat* status), (path, status))
NAMES(stat64, Stat, path, (const char* path, struct stat64* status), (path, status))
NAMES(lstat, Stat, path, (const char* path, struct stat* status), (path, status))
NAMES(lstat64, Stat, path, (const char* path, struct stat64* status), (path, status))
NAMES(access, Stat, path, (const char* path, int mode), (path, mode))
PLACES(fstatat, Stat, at, path, (int at, const char* path, struct stat* status, int flags),
       (at, path, status, flags))

#define STATUS(name, parameters, arguments)                                     \
    int name parameters {                                                       \
        REAL(name);                                                             \
        return descriptor_fails(Stat, #name, descriptor) ? -1 : real arguments; \
    }
STATUS(fstat, (int descriptor, struct stat* status), (descriptor, status))
STATUS(fstat64, (int descriptor, struct stat64* status), (descriptor, status))

int flock(int descriptor, int operation) {
    REAL(flock);
    return descriptor_fails(Lock, "flock", descriptor) ? -1 : real(descriptor, operation);
}

static bool is_lock(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

#define FCNTL(name)                                                                   \
    int name(int descriptor, int command, ...) {                                      \
        REAL(name);                                                                   \
        va_list more;                                                                 \
        va_start(more, command);                                                      \
        void* const argument = va_arg(more, void*);                                   \
        va_end(more);                                                                 \
        if (is_lock(command) && descriptor_fails(Lock, #name, descriptor)) return -1; \
        return real(descriptor, command, argument);                                   \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
