#include <algorithm>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/files/atomic_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/gzip_for_tests.hpp"
#include "test_data.hpp"

namespace hwgcn::catalog_test {
namespace {

using testing::expect_input_error;
using testing::TemporaryDirectory;
using Names = std::vector<std::string>;

const std::string graph = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";

Names listed(const std::filesystem::path& folder) {
    Names names;
    for (const CatalogEntry& entry : list_datasets(folder))
        names.push_back(entry.name + " " + entry.format);
    return names;
}

TEST(Catalog, BuiltInDatasetsAreAlwaysThere) {
    const Names built_in = {"karate built-in", "synthetic built-in"};
    EXPECT_EQ(listed(""), built_in);
    EXPECT_EQ(listed("/no/such/folder"), built_in);
    EXPECT_EQ(load_dataset("karate", "").nodes, 34);
    EXPECT_EQ(load_dataset("Karate", "/no/such/folder").name, "karate");
    EXPECT_EQ(load_dataset("synthetic", "").nodes, SyntheticOptions{}.nodes);
}

TEST(Catalog, FindsEveryKindOfDataset) {
    const TemporaryDirectory folder;
    for (const std::string file :
         {"planetoid/ind.cora.graph", "planetoid/ind.cora.x", "ind.Tiny.graph", "npz/photo.npz", "ml.npz",
          "web.mtx", "road.mtx.gz", "club/edges.csv", "club/nodes.csv", "mail/edges.tsv.gz", "mail/nodes.csv",
          "grid/adjacency.mtx", "half/edges.csv", "notes.txt", "photo.npz.1-2.partial"})
        write_text_atomically(folder / file, "");
    EXPECT_EQ(listed(folder.path()),
              (Names{"club csv", "cora planetoid", "grid matrix-market", "karate built-in", "mail csv",
                     "ml npz", "photo npz", "road matrix-market", "synthetic built-in", "Tiny planetoid",
                     "web matrix-market"}));
    const auto entries = list_datasets(folder.path());
    EXPECT_EQ(entries[1].path, folder / "planetoid/ind.cora");
    EXPECT_EQ(entries[0].path, folder / "club");
}

TEST(Catalog, ANameInSeveralFormatsStandsForOne) {
    const TemporaryDirectory folder;
    for (const std::string file : {"planetoid/ind.cora.graph", "npz/Cora.npz", "cora.mtx", "karate.npz"})
        write_text_atomically(folder / file, "");
    EXPECT_EQ(listed(folder.path()), (Names{"cora planetoid", "karate built-in", "synthetic built-in"}));
}

TEST(Catalog, LoadsByNameWithoutRegardToCaseAndByPath) {
    const TemporaryDirectory folder;
    write_csv_dataset(folder / "Club", make_karate());
    for (const std::string& name : {std::string("club"), std::string("CLUB"), (folder / "Club").string(),
                                    (folder / "Club").string() + "/"}) {
        const Dataset dataset = load_dataset(name, folder.path());
        EXPECT_EQ(dataset.name, "Club");
        EXPECT_EQ(dataset.nodes, 34);
        EXPECT_EQ(dataset.edges, make_karate().edges);
    }
}

TEST(Catalog, LoadsMatrixMarketFilesAndFolders) {
    const TemporaryDirectory folder;
    write_text_atomically(folder / "web.mtx", graph);
    write_text_atomically(folder / "road.mtx.gz", testing::gzip(graph));
    write_matrix_market_dataset(folder / "club", make_karate());
    EXPECT_EQ(load_dataset("web", folder.path()).edges, (std::vector<Edge>{{0, 1}}));
    EXPECT_EQ(load_dataset((folder / "road.mtx.gz").string(), "").name, "road");
    const Dataset club = load_dataset("club", folder.path());
    EXPECT_EQ(club.name, "club");
    EXPECT_EQ(club.features.columns, make_karate().features.columns);
    EXPECT_EQ(club.classes(), 2);
}

TEST(Catalog, PathsThatAreNoDatasetSayWhy) {
    const TemporaryDirectory folder;
    write_text_atomically(folder / "notes.txt", "x");
    write_text_atomically(folder / "half/edges.csv", "a,b\n");
    write_text_atomically(folder / "other/readme", "");
    const auto load = [&](const std::string& name) {
        return [path = (folder / name).string()] { load_dataset(path, ""); };
    };
    expect_input_error(load("notes.txt"),
                       {"notes.txt: is of no known kind", ".npz", "edges.csv and nodes.csv"});
    expect_input_error(load("half"), {"half: has edges.csv but no nodes.csv"});
    expect_input_error(load("other"),
                       {"other: is a folder with neither edges.csv and nodes.csv nor adjacency.mtx"});
    expect_input_error(load("absent"), {"absent: no such file or folder"});
    expect_input_error(load("absent.npz"), {"absent.npz: no such file or folder"});
    expect_input_error(load("ind.absent"), {"ind.absent: no such file or folder"});
    expect_input_error(load(std::string(5000, 'x')), {"no such file or folder"});
    expect_input_error([] { load_dataset("", ""); }, {"no dataset was given"});
}

TEST(Catalog, FetchableDatasetsSayHowToGetThem) {
    const TemporaryDirectory folder;
    expect_input_error([&] { load_dataset("cora", folder.path()); },
                       {"dataset 'cora' not found under " + folder.path().string(),
                        "download it with: hwgcn data fetch cora"});
    expect_input_error([&] { load_dataset("PubMed", ""); }, {"hwgcn data fetch pubmed"});
}

TEST(Catalog, UnknownNamesSuggestTheNearest) {
    const TemporaryDirectory folder;
    expect_input_error([&] { load_dataset("zzzzzz", folder.path()); },
                       {"unknown dataset 'zzzzzz' (", "holds no datasets", "hwgcn data fetch cora"});
    expect_input_error([&] { load_dataset("karat", folder.path()); },
                       {"unknown dataset 'karat', did you mean 'karate'?"});
    write_text_atomically(folder / "amazon_photo.npz", "");
    expect_input_error([&] { load_dataset("amazon_foto", folder.path()); },
                       {"unknown dataset 'amazon_foto', did you mean 'amazon_photo'?", "karate"});
}

TEST(Catalog, LoadsTheRealDatasetsByName) {
    const auto data = HWGCN_REAL_DATA();
    const Names names = listed(data);
    for (const std::string name : {"cora planetoid", "citeseer planetoid", "pubmed planetoid"})
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    const Dataset cora = load_dataset("Cora", data);
    EXPECT_EQ(cora.name, "cora");
    EXPECT_EQ(cora.nodes, 2708);
    EXPECT_EQ(cora.classes(), 7);
}

}  // namespace
}  // namespace hwgcn::catalog_test
