// The table of `gondwana top`: a row for each rank, or for each node.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "observe/jobs/watch.hpp"

namespace gondwana::top {

struct View {
  std::size_t sorted_by = 0;  // index in columns()
  bool is_reversed = false;
  bool by_node = false;    // combine the ranks of a node into one row
  bool is_narrow = false;  // make columns as narrow as possible
};

struct Column {
  std::string_view name;  // "OPS/S"
  std::string_view narrow_name;
  std::string_view field;  // the name in JSON and for --sort: "operations"
  char key;                // the key that sorts by this column
};

const std::vector<Column>& columns();
Result<std::size_t> find_column(std::string_view field);

// Lines of text. The last header contains the column titles.
struct Table {
  std::vector<std::string> headers;
  std::vector<std::string> rows;
};

Table table_of(const jobs::JobSeen& job, const View& view);
std::string to_json(const jobs::JobSeen& job);

}  // namespace gondwana::top
