#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "launch/readers/python_text.h"

// What Python's operators and built-in functions make of values that json.loads() gave. Messages are CPython 3.11's.
// Pure; any thread.
namespace lockstep {

std::string python_type(const Json& value);              // type(value).__name__: "NoneType", "dict"
std::string python_repr(const Json& value);              // repr(): {'a': [1, None]}
std::string python_str(const Json& value);               // str(): a text as it is, else repr()
bool python_truth(const Json& value);                    // bool(): false of null, 0 and what is empty
bool is_text(const Json& value, std::string_view text);  // value == "text"

// int(value): an integer or, beyond 64 bits, a BigInteger. Throws PythonError: ValueError or TypeError.
Json python_int(const Json& value);
// Below, at or above zero as the integer, which python_int() returned, is less, equal or greater.
int python_compare(const Json& integer, std::int64_t with);
// REQUIRES: the summand is 0 or 1, and the integer at most 2^63 - 2.
Json python_sum(const Json& integer, std::int64_t summand);

// value.get(name): null if it has no such member. Throws PythonError, AttributeError, if it is no object.
const Json* python_get(const Json& value, std::string_view name);
Json python_get(const Json& value, std::string_view name, const Json& otherwise);  // value.get(name, otherwise)
// name in value: of an object, a list or a text. Throws PythonError, TypeError, of other values.
bool python_contains(const Json& value, std::string_view name);
// value[name]. REQUIRES: python_contains(value, name). Throws PythonError, TypeError, if it is no object.
const Json& python_item(const Json& value, std::string_view name);

}  // namespace lockstep
