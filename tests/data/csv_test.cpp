#include "dsnn/data/csv.h"

#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "support/gzip.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using Strings = std::vector<std::string>;

class CsvTest : public ::testing::Test {
 protected:
  // The files are plain text.
  CsvOptions files(const std::string& edges, const std::string& nodes = "") {
    CsvOptions options;
    options.edges = testing::write_text(dir_ / "edges.csv", edges);
    if (!nodes.empty()) options.nodes = testing::write_text(dir_ / "nodes.csv", nodes);
    return options;
  }
  Dataset read(const std::string& edges, const std::string& nodes = "") {
    return read_csv_dataset(files(edges, nodes));
  }
  std::string error_of(const CsvOptions& options) {
    return message_of<Error>([&] { read_csv_dataset(options); });
  }
  static Strings arcs(const Dataset& dataset) {
    Strings shown;
    for (const Arc& arc : dataset.graph.arcs()) {
      shown.push_back(dataset.node_name(arc.source) + ">" + dataset.node_name(arc.target));
    }
    return shown;
  }
  static bool has_note(const Dataset& dataset, const std::string& part) {
    for (const std::string& note : dataset.notes) {
      if (note.find(part) != std::string::npos) return true;
    }
    return false;
  }

  testing::TempDir dir_;
};

TEST_F(CsvTest, DatesAreDays) {
  const Dataset dataset = read("source,target\nann,bob\n",
                               "id,joined,label\nann,1970-01-11,x\nbob,1970-01-21 12:00,y\n");
  EXPECT_EQ(dataset.feature_names, (Strings{"joined"}));
  EXPECT_EQ(dataset.features.values.at(0), 10);
  EXPECT_EQ(dataset.features.values.at(1), 20.5);
  EXPECT_TRUE(has_note(dataset, "column 'joined' has dates, read as days since 1970-01-01"));
}

TEST_F(CsvTest, UnderstandsTwoUsualFiles) {
  const Dataset dataset = read("source,target,weight,since\nann,bob,2,1999\nbob,eve,0.5,2001\n",
                               "id,age,colour,label,split\n"
                               "bob,31,red,cat,train\n"
                               "ann,,blue,dog,val\n"
                               "eve,35,red,,test\n");
  EXPECT_EQ(dataset.name, "edges");
  EXPECT_EQ(dataset.node_ids, (Strings{"bob", "ann", "eve"}));
  EXPECT_EQ(arcs(dataset), (Strings{"bob>eve", "ann>bob"}));
  EXPECT_EQ(dataset.graph.arc_weights(), (std::vector<double>{0.5, 2}));
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{0, 1, -1}));
  EXPECT_EQ(dataset.label_names, (Strings{"cat", "dog"}));
  EXPECT_EQ(dataset.feature_names, (Strings{"age", "age=missing", "colour=blue", "colour=red"}));
  EXPECT_EQ(dataset.features.to_dense(),
            Features::dense(3, 4, {31, 0, 0, 1, 33, 1, 1, 0, 35, 0, 0, 1}));
  ASSERT_EQ(dataset.splits.size(), 1u);
  EXPECT_EQ(dataset.splits[0].train, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(dataset.splits[0].validation, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(dataset.splits[0].test, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_TRUE(has_note(dataset, "ids in column 'id', labels in 'label', splits in 'split'"));
  EXPECT_TRUE(has_note(dataset, "weights in 'weight', 1 other column(s) ignored"));
  EXPECT_TRUE(has_note(
      dataset,
      "column 'age': 1 value is missing, replaced by the mean 33 and marked in 'age=missing'"));
}

TEST_F(CsvTest, DoesWithoutHeadings) {
  const Dataset dataset = read("7,5\n5,9\n", "5,0.5,1\n7,1,2\n9,2,3\n");
  EXPECT_EQ(dataset.node_ids, (Strings{"5", "7", "9"}));
  EXPECT_EQ(arcs(dataset), (Strings{"5>9", "7>5"}));
  EXPECT_EQ(dataset.features, Features::dense(3, 2, {0.5, 1, 1, 2, 2, 3}));
  EXPECT_TRUE(dataset.feature_names.empty());
  EXPECT_TRUE(dataset.labels.empty());
  EXPECT_TRUE(has_note(dataset, "no heading; ids in column 1, no labels"));
}

TEST_F(CsvTest, TakesColumnsByNumberAndByName) {
  CsvOptions options = files("x,a,w,b\n1,p,3,q\n", "1,q,z\n2,p,y\n");
  options.source_column = "b";
  options.target_column = "2";
  options.weight_column = "w";
  options.id_column = "2";
  options.label_column = "3";
  const Dataset dataset = read_csv_dataset(options);
  EXPECT_EQ(arcs(dataset), (Strings{"q>p"}));
  EXPECT_EQ(dataset.graph.arc_weights(), (std::vector<double>{3}));
  EXPECT_EQ(dataset.label_name(dataset.labels[0]), "z");
  EXPECT_EQ(dataset.features, Features::dense(2, 1, {1, 2}));
}

TEST_F(CsvTest, IdsThatAreNumbersInOrderNeedNoNames) {
  const Dataset dataset = read("0,2\n", "id,y\n0,1\n1,0\n2,1\n");
  EXPECT_TRUE(dataset.node_ids.empty());
  EXPECT_TRUE(dataset.label_names.empty());
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{1, 0, 1}));
  // The id 00 differs from 0.
  EXPECT_EQ(read("0,00\n", "id,y\n0,1\n00,0\n").node_ids, (Strings{"0", "00"}));
}

TEST_F(CsvTest, ClassesAreSortedAsNumbersOrAsText) {
  EXPECT_EQ(read("a,b\n", "id,label\na,10\nb,9\n").label_names, (Strings{"9", "10"}));
  EXPECT_EQ(read("a,b\n", "id,label\na,10\nb,9x\n").label_names, (Strings{"10", "9x"}));
  EXPECT_EQ(read("a,b\n", "id,label\na,-1\nb,1\n").label_names, (Strings{"-1", "1"}));
}

TEST_F(CsvTest, KnowsLabelsThatAreMissing) {
  CsvOptions options = files("a,b\n", "id,label\na,NA\nb,-1\nc,?\nd,x\ne,\n");
  options.missing_label = "-1";
  const Dataset dataset = read_csv_dataset(options);
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{-1, -1, -1, 0, -1}));
  EXPECT_EQ(dataset.num_classes, 1);
}

TEST_F(CsvTest, NodesOfEdgesAloneAreNumberedByTheirIds) {
  const Dataset numbers = read("# a SNAP file\n# FromNodeId\tToNodeId\n30\t7\n7\t100\n");
  EXPECT_EQ(numbers.node_ids, (Strings{"7", "30", "100"}));
  EXPECT_EQ(arcs(numbers), (Strings{"7>100", "30>7"}));
  const Dataset words = read("zoe eve\neve ann\n");
  EXPECT_EQ(words.node_ids, (Strings{"zoe", "eve", "ann"}));
  EXPECT_EQ(arcs(words), (Strings{"zoe>eve", "eve>ann"}));
  EXPECT_TRUE(read("1,0\n2,1\n").node_ids.empty());
  EXPECT_EQ(arcs(read("1,0\n2,1\n")), (Strings{"1>0", "2>1"}));
}

// Further down they would be names.
TEST_F(CsvTest, OnlyTheStartHasComments) {
  const Dataset dataset = read("# who follows whom\nfrom,to\n#a,b\nb,#c\n%d,b\n");
  EXPECT_EQ(arcs(dataset), (Strings{"#a>b", "b>#c", "%d>b"}));
  EXPECT_TRUE(has_note(dataset, "edges.csv: 1 line(s) at the start, which begin with # or %"));
}

TEST_F(CsvTest, WhatIsNotUtf8IsLatin1) {
  const Dataset dataset = read("K\xf6ln,Bonn\n", "id,label\nK\xf6ln,gr\xfcn\nBonn,ro\xc3\xbf\n");
  EXPECT_EQ(dataset.node_ids, (Strings{"K\xc3\xb6ln", "Bonn"}));
  EXPECT_EQ(dataset.label_names, (Strings{"gr\xc3\xbcn", "ro\xc3\xbf"}));
  EXPECT_TRUE(has_note(dataset, "nodes.csv: is not UTF-8; it was read as Latin-1"));
  EXPECT_TRUE(has_note(dataset, "edges.csv: is not UTF-8; it was read as Latin-1"));
  EXPECT_FALSE(has_note(read("K\xc3\xb6ln,Bonn\n"), "Latin-1"));
}

TEST_F(CsvTest, NamesTheColumnsOfFeatures) {
  std::string nodes = "id,age,city,height\n";
  for (int i = 0; i < 40; ++i) {
    nodes += fmt::format("n{},{},{},{}\n", i, i == 30 ? "4O" : fmt::format("{}", 20 + i % 25),
                         i % 3 == 0 ? "Bonn" : "Oslo", i);
  }
  const Dataset dataset = read("n0,n1\n", nodes);
  EXPECT_TRUE(has_note(dataset, "features: 1 numeric ('height'), 2 categorical ('age', 'city')"));
  EXPECT_TRUE(
      has_note(dataset, "column 'age' was read as categorical because of '4O'; most of its 26"));
  EXPECT_FALSE(has_note(dataset, "column 'city' was read as categorical"));
}

TEST_F(CsvTest, UnderstandsQuotesSeparatorsAndLineEnds) {
  const std::string nodes =
      "\xef\xbb\xbfid;label;x\r\n"
      "\"a;1\";\"cat \"\"big\"\"\";1,5\r\n"
      "\r\n"
      " \"b\nc\" ;cat; +2e1 \r\n"
      "d ; dog;\"-0,5\"";
  const Dataset dataset = read("\"a;1\"\t\"b\nc\"\nd\t\"a;1\"", nodes);
  EXPECT_EQ(dataset.node_ids, (Strings{"a;1", "b\nc", "d"}));
  EXPECT_EQ(dataset.label_names, (Strings{"cat", "cat \"big\"", "dog"}));
  EXPECT_EQ(dataset.features.values, (std::vector<float>{1.5, 20, -0.5}));
  EXPECT_EQ(arcs(dataset), (Strings{"a;1>b\nc", "d>a;1"}));
}

TEST_F(CsvTest, ReadsGzip) {
  CsvOptions options;
  options.edges =
      testing::write_text(dir_ / "e.gz", testing::gzip("a,b\n") + testing::gzip("b,a\n"));
  EXPECT_EQ(arcs(read_csv_dataset(options)), (Strings{"a>b", "b>a"}));
  const std::string packed = testing::gzip("a,b\nb,c\n");
  testing::write_text(options.edges, packed.substr(0, packed.size() - 9));
  EXPECT_TRUE(contains(error_of(options), "e.gz: is truncated (the gzip stream has no end)"));
  testing::write_text(options.edges, packed.substr(0, 10) + "\xff\xff\xff");
  EXPECT_TRUE(contains(error_of(options), "e.gz: is damaged (gzip: "));
}

TEST_F(CsvTest, ColumnsWithTextAreCategories) {
  CsvOptions options = files("a,b\n", "id,zip,size,note\na,1001,L,x\nb,2002,S,y\nc,1001,,z\n");
  options.categorical_columns = {"zip"};
  options.drop_columns = {"note"};
  const Dataset dataset = read_csv_dataset(options);
  EXPECT_EQ(dataset.feature_names, (Strings{"zip=1001", "zip=2002", "size=L", "size=S"}));
  EXPECT_EQ(dataset.features.to_dense().values,
            (std::vector<float>{1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0}));
}

// Column types are detected from the first rows; here text follows much later.
TEST_F(CsvTest, FindsTextBelowThousandsOfNumbers) {
  std::string nodes = "id,a,b,c\n";
  for (int i = 0; i < 5000; ++i) {
    nodes += fmt::format("{},{},{},{}\n", i, i % 3, i == 3000 ? "word" : "007",
                         i == 4000 ? "other" : "7");
  }
  const Dataset dataset = read("0,1\n", nodes);
  EXPECT_EQ(dataset.feature_names, (Strings{"a", "b=007", "b=word", "c=7", "c=other"}));
  EXPECT_EQ(dataset.features.num_rows, 5000);
  EXPECT_EQ(dataset.graph.num_nodes(), 5000);
}

TEST_F(CsvTest, UnknownNodes) {
  CsvOptions options =
      files("source,target\na,b\nb,x\ny,x\n", "id,age,kind,label\na,1,k,0\nb,3,l,1\n");
  EXPECT_TRUE(contains(error_of(options), "edges.csv:3: 'x' is not a node of nodes.csv"));
  options.unknown_nodes = UnknownNodes::kDrop;
  Dataset dataset = read_csv_dataset(options);
  EXPECT_EQ(arcs(dataset), (Strings{"a>b"}));
  EXPECT_TRUE(
      has_note(dataset, "2 edges were dropped because nodes.csv does not list their nodes"));
  options.unknown_nodes = UnknownNodes::kAdd;
  dataset = read_csv_dataset(options);
  EXPECT_EQ(arcs(dataset), (Strings{"a>b", "b>x", "y>x"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{0, 1, -1, -1}));
  EXPECT_EQ(dataset.features.to_dense(),
            Features::dense(4, 4, {1, 0, 1, 0, 3, 0, 0, 1, 2, 1, 0, 0, 2, 1, 0, 0}));
  EXPECT_TRUE(has_note(dataset, "2 nodes that occur only in edges.csv were added"));
}

TEST_F(CsvTest, SeveralColumnsAreSeveralSplits) {
  CsvOptions options = files("a,b\n", "id,s1,s2\na,train,test\nb,valid,\nc,test,dev\n");
  options.split_columns = {"s1", "s2"};
  const Dataset dataset = read_csv_dataset(options);
  ASSERT_EQ(dataset.splits.size(), 2u);
  EXPECT_EQ(dataset.splits[1].validation, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_EQ(dataset.splits[1].test, (std::vector<std::uint8_t>{1, 0, 0}));
}

TEST_F(CsvTest, TellsAHeadingFromARow) {
  // Text above numbers.
  EXPECT_EQ(read("a,b\n", "who,how much\na,1\nb,2\n").graph.num_nodes(), 2);
  // A first row with known nodes is not a heading, regardless of its form.
  EXPECT_EQ(read("source,target\n1,source\n", "id\nsource\ntarget\n1\n").graph.num_arcs(), 2);
  CsvOptions options = files("one,two\n", "one\ntwo\n");
  EXPECT_EQ(read_csv_dataset(options).graph.num_nodes(), 2);
  options.heading = Heading::kPresent;
  EXPECT_EQ(read_csv_dataset(options).graph.num_nodes(), 1);
  options = files("id,b\n", "id,red\nb,blue\n");
  options.heading = Heading::kAbsent;
  EXPECT_EQ(arcs(read_csv_dataset(options)), (Strings{"id>b"}));
}

// Words that are headings elsewhere.
TEST_F(CsvTest, ANumberAboveANumberIsNoHeading) {
  EXPECT_EQ(arcs(read("to,be,7\nor,not,8\n")), (Strings{"to>be", "or>not"}));
  EXPECT_EQ(read("name,y\n", "name,1\ny,2\n").node_ids, (Strings{"name", "y"}));
  EXPECT_EQ(read("a,b\n", "a,1,x\nb,2,3\n").graph.num_nodes(), 2);
  CsvOptions options = files("p,q\n", "p,7,2\nq,8,1\n");
  options.label_column = "2";  // the position, not the number in the third column
  EXPECT_EQ(read_csv_dataset(options).label_names, (Strings{"7", "8"}));
  EXPECT_EQ(read("p,q\n", "id,2019,2020\np,1,2\nq,3,4\n").feature_names, (Strings{"2019", "2020"}));
  options = files("p,q\n", "who,2019,2020\np,1,2\nq,3,4\n");
  options.label_column = "2020";
  EXPECT_EQ(read_csv_dataset(options).feature_names, (Strings{"2019"}));
}

TEST_F(CsvTest, AdvisesOnHeadingsWhereAnIdIsNotKnown) {
  const auto expect_advice = [&](const CsvOptions& options, const std::string& end) {
    EXPECT_TRUE(testing::ends_with(error_of(options), end));
  };
  const std::string unknown =
      " is not a node of nodes.csv (--unknown-nodes add or drop accepts such edges";
  expect_advice(files("p,q\na,b\n", "id\na\nb\n"),
                "edges.csv:1: 'p'" + unknown + "; use --heading yes if this row is a heading)");
  CsvOptions options = files("ann,bob\nann,eve\n", "bob,seven\nann,8\n");
  expect_advice(options, "edges.csv:1: 'bob'" + unknown +
                             "; use --heading no if the first row there is a node, not a heading)");
  options.heading = Heading::kAbsent;
  expect_advice(options, "edges.csv:2: 'eve'" + unknown + ")");
  options.edges = testing::write_text(dir_ / "edges.csv", "from,to\nann,bob\n");
  expect_advice(options, "edges.csv:1: 'from'" + unknown + ")");
}

TEST_F(CsvTest, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string edges, nodes, expected;
  };
  std::string texts = "id,title\n";
  for (int i = 0; i < 500; ++i) texts += fmt::format("n{},text {}\n", i, i);
  std::string typo = "id,age\n";
  for (int i = 0; i < 12000; ++i)
    typo += fmt::format("n{},{}\n", i, i == 11999 ? "4O" : fmt::format("{}", i));
  const Case cases[] = {
      {"a,b\n", "id,x\na,1\nb\n", "nodes.csv:3: found 1 fields, but the first row has 2"},
      {"a,b\n", "id,x\na,1\nb,2,3\n", "nodes.csv:3: found 3 fields, but the first row has 2"},
      {"a,b\n", "id,x\na,1\nb,2\na,3\n", "nodes.csv:4: node 'a' occurs twice"},
      {"a,b\n", "id,x\na,1\n,2\n", "nodes.csv:3: the node has no id"},
      {"a,b\n", "id,x\n", "nodes.csv: has a heading but no rows"},
      {"a,b\n", "id,x\n\"a,1\n", "nodes.csv:2: the quote that begins here is not closed"},
      {"a,b\n", "id,x\n\"a\"b,1\n", "nodes.csv:2: text follows a quoted field"},
      {"a,b\n", "id,split\na,trian\n", "nodes.csv:2: 'trian' in column 'split', expected train"},
      {"n0,n1\n", texts, "column 'title' is not numeric ('text 0') and has 500 or more different"},
      {"n0,n1\n", typo, "column 'age' is not numeric ('4O') and has 10001 or more different"},
      {"", "id,x\na,1\n", "edges.csv: is empty, expected rows of text"},
      {"a\n", "id,x\na,1\n", "edges.csv: has 1 column, expected source and target"},
      {"source,target,weight\na,b,x\n", "id\na\nb\n", "edges.csv:2: 'x' is not a weight"},
      {"source,target,weight\na,b,inf\n", "id\na\nb\n", "edges.csv:2: 'inf' is not a weight"},
      {"source,target\na,\n", "id\na\nb\n", "edges.csv:2: the edge has no source or no target"},
      {"p,q\na,b\n", "id\na\nb\n", "edges.csv:1: 'p' is not a node of nodes.csv"},
      {"source,target\ra,b\rb,c\r", "", "edges.csv:1: lines end with CR, expected LF"},
      {std::string("a,b\0c", 5), "", "edges.csv: binary data, expected text in columns (CSV)"},
  };
  for (const Case& c : cases) EXPECT_TRUE(contains(error_of(files(c.edges, c.nodes)), c.expected));

  CsvOptions options = files("a,b\n", "id,x\na,1\nb,2\n");
  options.label_column = "class";
  EXPECT_TRUE(contains(error_of(options), "nodes.csv: no column 'class' (has: id, x)"));
  options = files("a,b\n", "id,x\na,1\nb,2\n");
  options.drop_columns = {"id"};
  EXPECT_TRUE(contains(error_of(options), "column 'id' cannot be dropped: it is the id"));
  options = files("source,target\na,b\n");
  options.target_column = "source";
  EXPECT_TRUE(contains(error_of(options), "column 'source' is both source and target"));
  options = files("source,target\na,b\n");
  options.weight_column = "target";
  EXPECT_TRUE(
      contains(error_of(options), "column 'target' is both an edge endpoint and the edge weight"));
}

// --- against a plain writer, over many random tables ---

// A field in one of the forms that programs write.
std::string written(const std::string& field, char delimiter, Random& random) {
  const bool must_quote = field.find_first_of("\"\r\n \t") != std::string::npos ||
                          field.find(delimiter) != std::string::npos || field.empty();
  if (!must_quote && random.uniform() < 0.7) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string random_id(Random& random, int number) {
  constexpr std::array<const char*, 8> kParts = {"a", "\"", ",", ";", "\t", "\n", " ", "\xc3\xa9"};
  std::string id = fmt::format("{}", number);
  for (std::uint64_t i = random.below(5); i > 0; --i) id += kParts[random.below(kParts.size())];
  return id + "z";
}

TEST_F(CsvTest, ReadsWhatAPlainWriterWrote) {
  Random random(11);
  for (int trial = 0; trial < 60; ++trial) {
    const char delimiter = std::array{',', ';', '\t'}[random.below(3)];
    const std::string line_end = random.uniform() < 0.5 ? "\n" : "\r\n";
    // The last trials are longer than any buffer.
    const int n = trial < 58 ? 1 + static_cast<int>(random.below(30)) : 60'000;
    Strings ids;
    std::vector<float> numbers;
    std::string nodes = fmt::format("id{0}x{0}z{1}", delimiter, line_end);
    for (int i = 0; i < n; ++i) {
      ids.push_back(random_id(random, i));
      nodes += written(ids.back(), delimiter, random);
      for (int j = 0; j < 2; ++j) {
        numbers.push_back(static_cast<float>(random.uniform(-9, 9)));
        nodes += delimiter + written(fmt::format("{}", numbers.back()), delimiter, random);
      }
      if (i + 1 < n || random.uniform() < 0.5) nodes += line_end;
    }
    std::string edges = fmt::format("from{}to{}", delimiter, line_end);
    Strings expected_arcs;
    for (int u = 0; u + 1 < n; ++u) {
      edges += written(ids[u], delimiter, random) + delimiter +
               written(ids[u + 1], delimiter, random) + line_end;
      expected_arcs.push_back(ids[u] + ">" + ids[u + 1]);
    }
    const Dataset dataset = read(edges, nodes);
    ASSERT_EQ(dataset.node_ids, ids);
    ASSERT_EQ(dataset.features, Features::dense(n, 2, numbers));
    ASSERT_EQ(arcs(dataset), expected_arcs);
  }
}

TEST_F(CsvTest, ArcsHaveSplitsOfTheirOwn) {
  CsvOptions options = files(
      "from,to,first,second\nann,bob,train,test\nbob,cat,test,train\nann,bob,train,test\n"
      "cat,ann,val,val\ncat,cat,train,train\nann,cat,,train\n");
  options.edge_split_columns = {"first", "second"};
  const Dataset dataset = read_csv_dataset(options);
  const auto shown = [&](const std::vector<Arc>& part) {
    Strings names;
    for (const Arc arc : part) {
      names.push_back(dataset.node_name(arc.source) + ">" + dataset.node_name(arc.target));
    }
    return names;
  };
  ASSERT_EQ(dataset.link_splits.size(), 2u);
  EXPECT_EQ(shown(dataset.link_splits[0].train), Strings{"ann>bob"});
  EXPECT_EQ(shown(dataset.link_splits[0].validation), Strings{"cat>ann"});
  EXPECT_EQ(shown(dataset.link_splits[0].test), Strings{"bob>cat"});
  EXPECT_EQ(shown(dataset.link_splits[1].train), (Strings{"bob>cat", "ann>cat"}));
  EXPECT_TRUE(has_note(dataset, "no weights, splits in 'first', 'second'"));
  // The numbers of nodes that are integers are sorted.
  options = files("from,to,part\n9,2,train\n2,5,val\n5,9,test\n");
  options.edge_split_columns = {"3"};
  const Dataset numbers = read_csv_dataset(options);
  EXPECT_EQ(numbers.node_name(numbers.link_splits[0].train[0].source), "9");
  EXPECT_EQ(numbers.node_name(numbers.link_splits[0].train[0].target), "2");
}

TEST_F(CsvTest, BadSplitsOfArcsAreRefused) {
  const auto error = [&](const std::string& edges, const std::string& column) {
    CsvOptions options = files(edges);
    options.edge_split_columns = {column};
    return error_of(options);
  };
  EXPECT_TRUE(contains(error("from,to,part\na,b,train\nb,c,val\na,b,test\n", "part"),
                       "the arc a -> b is in two parts of a split"));
  EXPECT_TRUE(contains(error("from,to,part\na,b,train\nb,c,val\n", "part"),
                       "a split of the arcs has no train, no val or no test"));
  EXPECT_TRUE(contains(error("from,to,part\na,b,often\n", "part"),
                       "edges.csv:2: 'often' in column 'part', expected train, val, test or an"));
  EXPECT_TRUE(contains(error("from,to,part\na,b,train\n", "to"),
                       "column 'to' is both a split and an edge endpoint or weight"));
}

}  // namespace
}  // namespace dsnn
