#include <hdf5.h>

#include <cstdint>
#include <utility>

#include "checkpoint/format.h"
#include "data/arrays/hdf5_handle.h"
#include "hostile/hostile_forms.h"

namespace lockstep {
namespace {

void put(hid_t file, const std::string& name, hid_t type, const Hdf5Handle& space, const void* value) {
  if (H5Aexists(file, name.c_str()) > 0) H5Adelete(file, name.c_str());
  const Hdf5Handle made(H5Acreate2(file, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (value != nullptr) H5Awrite(made.id(), type, value);
}

Hdf5Handle scalar() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

void put_text(hid_t file, const std::string& name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  const char* const begin = text.c_str();
  put(file, name, type.id(), scalar(), static_cast<const void*>(&begin));
}

void put_integer(hid_t file, const std::string& name, std::int64_t value) {
  put(file, name, H5T_NATIVE_INT64, scalar(), &value);
}

class Forms {
 public:
  explicit Forms(std::vector<HostileForm>& forms) : forms_(forms) {}

  void add(const std::string& attribute, const std::string& what, std::function<void(hid_t)> change) {
    forms_.push_back({"attribute " + attribute + ": " + what, std::move(change)});
  }
  void add_text(const std::string& attribute, const std::string& what, const std::string& text) {
    add(attribute, what, [attribute, text](hid_t file) { put_text(file, attribute, text); });
  }
  void add_integer(const std::string& attribute, std::int64_t value) {
    add(attribute, std::to_string(value), [attribute, value](hid_t file) { put_integer(file, attribute, value); });
  }

  // Adds kinds of values that are wrong for every attribute.
  void add_wrong_kinds(const std::string& name) {
    add(name, "two values", [name](hid_t file) {
      const hsize_t two = 2;
      const std::int64_t values[2] = {1, 2};
      put(file, name, H5T_NATIVE_INT64, {H5Screate_simple(1, &two, nullptr), H5Sclose}, values);
    });
    add(name, "no value", [name](hid_t file) {
      put(file, name, H5T_NATIVE_INT64, {H5Screate(H5S_NULL), H5Sclose}, nullptr);
    });
    add(name, "a float", [name](hid_t file) {
      const double value = 1.5;
      put(file, name, H5T_NATIVE_DOUBLE, scalar(), &value);
    });
    add(name, "a record", [name](hid_t file) {
      const Hdf5Handle type(H5Tcreate(H5T_COMPOUND, 8), H5Tclose);
      H5Tinsert(type.id(), "value", 0, H5T_STD_I64LE);
      const std::int64_t value = 1;
      put(file, name, type.id(), scalar(), &value);
    });
  }

  void add_missing(const std::string& name) {
    add(name, "missing", [name](hid_t file) { H5Adelete(file, name.c_str()); });
  }

 private:
  std::vector<HostileForm>& forms_;
};

std::string config_of_items(int count) {
  std::string items;
  for (int i = 0; i < count; ++i) items += (i == 0 ? "\"h" : ",\"h") + std::to_string(i) + R"(":"1")";
  return R"({"ranks": 1, "on_any_ranks": {)" + items + R"(}, "on_these_ranks": {}})";
}

std::string text_in(hid_t file, const char* name) {
  const Hdf5Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);  // of variable length
  char* begin = nullptr;
  H5Aread(attribute.id(), type.id(), static_cast<void*>(&begin));
  std::string text = begin;
  H5free_memory(begin);
  return text;
}

// Adds attributes that are valid by themselves, but contradict others.
void add_contradictions(Forms& forms) {
  forms.add_integer(kConsumedAttribute, 5);
  forms.add_integer(kEpochAttribute, 6);
  forms.add(kReplicasAttribute, "1, with a slot that no optimizer has", [](hid_t file) {
    put_integer(file, kReplicasAttribute, 1);
    const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    const Hdf5Handle space = scalar();
    H5Dclose(H5Dcreate2(file, "replicas/0/zz/yy", H5T_IEEE_F32LE, space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT));
  });
  for (const std::string item : {"model", "problem", "random_seed"}) {
    forms.add(kConfigAttribute, "without " + item, [item](hid_t file) {
      std::string text = text_in(file, kConfigAttribute);
      const std::size_t begin = text.find("\"" + item + "\":");
      text.erase(begin, text.find(',', begin) + 1 - begin);
      put_text(file, kConfigAttribute, text);
    });
  }
  for (const std::string steps : {R"("abc")", "-5", "6.0"}) {
    forms.add(kHparamsAttribute, "train_steps " + steps, [steps](hid_t file) {
      std::string text = text_in(file, kHparamsAttribute);
      const std::string name = R"("train_steps":)";
      const std::size_t begin = text.find(name) + name.size();
      text.replace(begin, text.find_first_of(",}", begin) - begin, steps);
      put_text(file, kHparamsAttribute, text);
    });
  }
}

void add_texts(Forms& forms) {
  for (const char* const name :
       {kFormatAttribute, kModelAttribute, kProblemAttribute, kHparamsAttribute, kConfigAttribute, kShapeAttribute}) {
    forms.add_wrong_kinds(name);
    forms.add_integer(name, 1);
    forms.add_text(name, "an empty text", "");
    forms.add_text(name, "escapes", "\x1b[31mred");
    forms.add_text(name, "60000 letters", std::string(60'000, 'a'));
  }
  for (const char* const name : {kHparamsAttribute, kConfigAttribute, kShapeAttribute}) {
    forms.add_text(name, "a list", "[1]");
    forms.add_text(name, "an empty object", "{}");
    forms.add_text(name, "half an object", R"({"a":)");
    forms.add_text(name, "a name twice", R"({"a": 1, "a": 2})");
    forms.add_text(name, "100000 lists in each other", std::string(100'000, '['));
    forms.add_text(name, "a name that nobody knows", R"({"zz": 1})");
  }
  forms.add_text(kHparamsAttribute, "a text for a number", R"({"learning_rate": "abc"})");
  forms.add_text(kConfigAttribute, "no ranks", R"({"on_any_ranks": {"model": "mlp"}, "on_these_ranks": {}})");
  forms.add_text(kConfigAttribute, "2^40 ranks",
                 R"({"ranks": 1099511627776, "on_any_ranks": {}, "on_these_ranks": {}})");
  forms.add_text(kConfigAttribute, "100000 items", config_of_items(100'000));
  forms.add_text(kTakenAttribute, "batches of no tokens",
                 R"([{"batch_tokens": 0, "max_length": 9, "first_bound": 8, "step": 1.1, "shards": 1, "batches": 1}])");
  forms.add_text(kTakenAttribute, "an object", R"({"batches": 1})");
  forms.add_text(kShapeAttribute, "an input of 2^62 numbers",
                 R"({"input": [4611686018427387904], "type": "float32", "target": "class_label", "outputs": 10,)"
                 R"( "normalised": false})");
}

void add_integers(Forms& forms) {
  for (const char* const name :
       {kFormatVersionAttribute, kStepAttribute, kEpochAttribute, kConsumedAttribute, kRandomSeedAttribute,
        kEmaUpdatesAttribute, kOptimizerBegunAttribute, kReplicasAttribute}) {
    forms.add_wrong_kinds(name);
    forms.add_text(name, "a text", "12");
    forms.add_integer(name, -1);
    forms.add_integer(name, std::int64_t{1} << 62);
    forms.add_integer(name, std::int64_t{1} << 32);
    forms.add(name, "2^64 - 1", [name](hid_t file) {
      const std::uint64_t value = ~std::uint64_t{0};
      put(file, name, H5T_NATIVE_UINT64, scalar(), &value);
    });
  }
  forms.add_integer(kFormatVersionAttribute, 0);
  forms.add_integer(kStepAttribute, 0);  // does not match the file name
}

}  // namespace

void add_attribute_forms(std::vector<HostileForm>& into) {
  Forms forms(into);
  for (const char* const name : {kFormatAttribute, kFormatVersionAttribute, kStepAttribute, kRandomSeedAttribute,
                                 kModelAttribute, kProblemAttribute, kHparamsAttribute, kConfigAttribute}) {
    forms.add_missing(name);
  }
  add_texts(forms);
  add_integers(forms);
  add_contradictions(forms);
}

}  // namespace lockstep
