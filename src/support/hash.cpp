#include "support/hash.hpp"

#include <array>
#include <new>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "hwgcn/support/error.hpp"

namespace hwgcn {

struct Sha256::Context {
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> digest{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
#if OPENSSL_VERSION_MAJOR >= 3
    // OpenSSL sets itself up at its first use; if that found no memory, it would crash.
    if (OSSL_LIB_CTX_get0_global_default() == nullptr) throw std::bad_alloc();
#endif
    if (context_->digest == nullptr ||
        EVP_DigestInit_ex(context_->digest.get(), EVP_sha256(), nullptr) != 1) {
        throw ExecutionError("SHA-256 is not available in this OpenSSL");
    }
}

Sha256::~Sha256() = default;

Sha256& Sha256::bytes(const void* data, std::size_t size) {
    if (EVP_DigestUpdate(context_->digest.get(), data, size) != 1) throw ExecutionError("SHA-256 failed");
    return *this;
}

Sha256& Sha256::text(std::string_view text) {
    value(static_cast<std::uint64_t>(text.size()));
    return bytes(text.data(), text.size());
}

std::string Sha256::hex() {
    std::array<unsigned char, 32> digest{};
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context_->digest.get(), digest.data(), &length) != 1)
        throw ExecutionError("SHA-256 failed");
    std::string result;
    for (const unsigned char byte : digest)
        result += fmt::format("{:02x}", byte);
    return result;
}

}  // namespace hwgcn
