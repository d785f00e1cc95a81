#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn::testing {

/// Expects that `work` throws InputError with a message on one line that holds every one of `parts`.
inline void expect_input_error(const std::function<void()>& work,
                               std::initializer_list<std::string_view> parts) {
    try {
        work();
        ADD_FAILURE() << "no error, expected one with '" << *parts.begin() << "'";
    } catch (const InputError& error) {
        const std::string message = error.what();
        for (const std::string_view part : parts)
            EXPECT_THAT(message, ::testing::HasSubstr(std::string(part)));
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

}  // namespace hwgcn::testing
