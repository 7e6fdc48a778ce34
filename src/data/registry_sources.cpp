#include "data/registry_sources.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <array>

namespace dsnn {
namespace {

// Commits, not branches, so that the downloaded files are the ones that were checked.
constexpr const char* kGeomGcn = "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn";
constexpr const char* kGeomGcnCommit = "1c4c04f93fa6ada91976cda8d7577eec0e3e5cce";
constexpr const char* kGeomGcnCorrected = "1124af17444d7fd09686504ec46caa3f39f4f632";
constexpr const char* kHeterophilous =
    "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs/"
    "a431395582e929d88271309716bea4fe24ce6318/data";
constexpr const char* kLinqs = "https://linqs-data.soe.ucsc.edu/public";

struct Checksum {
  std::int64_t bytes = 0;
  const char* sha256 = "";
};

// --- Geom-GCN: two text files and ten splits ---

constexpr std::array<Checksum, 10> kTexasSplits = {{
    {698, "7ba77bf7a8856fcc0ab15623a611b8cdce994e820f577da914123fb4f45272b0"},
    {701, "21cc244a96e3c51ad7993afb4dd227f90e467d82b964bb42d7d9fc500a6ef87f"},
    {756, "b9e96a699ccf3a4c31ffbd03e52b25570889833425d20fa44e06c37b327cf61e"},
    {759, "1a7deeb1285009789d5e6045d7e39f7d019c9223d9a75a2b7ce5e26d33b51f63"},
    {702, "b5419ff3fe31adcae66fdb085d4f47d0b188e9436ab59f438632af969aafc674"},
    {691, "68405fd1b9ff6105d99717220ecbd198785e338bf4a73abee722bbc9703d2667"},
    {756, "8ad78b973164e70e5ac0d282e79adcbc6006e373909fbdfd72a13131e09040b8"},
    {693, "a84bcbf997365bddf5fdf72ed49dc7e435e475f8c6210f8cdee7c8581a2bd6df"},
    {762, "65ba65f296f91d40d2d7d3c9369b67415094a7e254c6eee48cd6d6531c586fdf"},
    {693, "4306981d654ad8835c000c1f73fb6c1e60dfe99e26c13a6073f3b0f4cc3ce6ee"},
}};
constexpr std::array<Checksum, 10> kWisconsinSplits = {{
    {805, "f66f641e191d35d491cd3b63d6c2cd93c4b436da398984b44c19a8d4d7e7b1a5"},
    {739, "534aeb97266bd5a85a8587adf8eebad3f2e001c1240610f24b62c0ad0c2466ee"},
    {747, "047a5b641778ec3a4c76055fd7f18ecb2424c0952f20dfff7e1b17749d8acbdd"},
    {810, "706c27b4c51d046c0316f1e915f093e4a1fff48b3436b3e7c421eab596a99e77"},
    {812, "7ee813605eec086457aaff022cf3837f2f893fcf8bd37e3a8d2ff0c80e4c4f87"},
    {749, "8094ac2bdaf2cbea8f7a48df66a0800c809b2fd5942740e6b0441b660d3a0dd5"},
    {735, "c423a8deea9b18f9ecb6cfd703578e2159df167de01fe7e6195b88995010252d"},
    {733, "57ad808c8d4dd94dc4404124370bbcebb3dcc597c2bea6457bf05f220adf1527"},
    {741, "27d4d62a2a6aea2cdc399302237512ab0d64fb0c84e648112f97c5896274e42f"},
    {744, "3c149cd124a19021031609e0d7743a7be59aae4f88c8d38410138e8f06f5daaf"},
}};
constexpr std::array<Checksum, 10> kCornellSplits = {{
    {704, "14022a1e19ec7fc0a07a2c06a785a2f9dc52809dbcd1c14fc318f7800675d73f"},
    {700, "5568fa27e968a724c92211bf97026a36a08893cf94b218043e49b4c973c35cfb"},
    {695, "763fc1f423395e4172617fa5b6bc0d7adad2241e5fedd1a4f0a098a67f9dc8e9"},
    {701, "4334321cd9ec42de9d51107fb9a6dc310512e0921bc1cff0f390301ee37315fa"},
    {759, "2b6b3ef396f4dc7fcdc276fb16b88bb87409b25879dd672b3a506eca844dd8d7"},
    {754, "1a40ef8b20aa9e1aa850e1abdaba3efac1f66c98ef2c6a59eadefa21136ece6b"},
    {758, "bcddf4ab59eae4c7d47b8a6cec9025a54ec0e6d3f3bdcd7678e201f25ace4642"},
    {693, "2b497e12dfc123d7e7c9bb4fc4a82b5bee18409e109a3e3a04da439cacec964d"},
    {701, "5c4e110d252d7ad156b2e4cd34b6dbd1cecbcc1755f8d72e932cc2a54f2b643c"},
    {704, "80f1531807194d301affbf6f879a4ab4f56a19bdccb62d192e3ecd1b5275f052"},
}};
constexpr std::array<Checksum, 10> kFilmSplits = {{
    {4214, "4505a41d4e90abd94d1ec22571ce528b09ad7cf20d87f764aebd4177590767f5"},
    {4231, "1871b0d24e3977c41e378fd24acc8025b63f86b77739be77a5b558d1287f207d"},
    {4224, "d26680e911ef3ecc9fc2a26d90c9d35028c63aadd7a5aea774649d1496c282cb"},
    {4207, "6755ad5f6a0be8594b344af3d2261eed935b83b73c4d70136e1a7beea7f78cb0"},
    {4233, "328fdca62b25074f21f2922518e042f24b3b8a1fc378f9dfb2cae36439aed902"},
    {4224, "5b3161a8dc8de4b2e651ebd56d68e768d1377044895b325566117fe26ab81cb7"},
    {4221, "e251b38abd4d7931b5e9ae5aba99dcdf87f0be283bdf6e65421274a1c9ef1df6"},
    {4205, "12164ef9f5620a2f12a387f4f2b8636859d42201101d6d32829ade62d5a98326"},
    {4217, "405cd1f7f631f678119f8bf2405809e86614d532985beb59566fcf95abd35b3f"},
    {4208, "505691c5d41bb37b20d085415dcdde2e8e68b5bc4e1feb2c0e361308002012bb"},
}};

struct GeomGcnFiles {
  const char* name;
  const char* folder;
  const char* commit;
  Checksum nodes, edges;
  const std::array<Checksum, 10>& splits;
};

constexpr GeomGcnFiles kGeomGcnFiles[] = {
    {"texas",
     "texas",
     kGeomGcnCommit,
     {624308, "cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3"},
     {2172, "0fe85183243a78cbee9b85a684f8240963d04d1020d10e9cd2b8cfb25e33b476"},
     kTexasSplits},
    {"wisconsin",
     "wisconsin",
     kGeomGcnCommit,
     {856324, "a32b0aa38d42f0d36841e8a8cb646d197f0ff33a182ac75a2b4476aeed3c7e4b"},
     {3606, "ebd213511c88fce1eda450c2f920600c4b8cbb38f02384856bcc47c6ec1807ae"},
     kWisconsinSplits},
    {"film",
     "film",
     kGeomGcnCommit,
     {207718, "1d5cdd094f8b91e770f6decfca85b35cf42f75d1efb51055fd6af16e11820ff8"},
     {323820, "997cdce67ea9c29257d3ffe796328391931901cf823830affa453178b60e2c3e"},
     kFilmSplits},
    {"cornell",
     "cornell",
     kGeomGcnCommit,
     {624308, "cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3"},
     {2001, "c4522a00cc40873c8a04a3a07c49e24a48a507eb284ac9c9f2d3e0590351bbb7"},
     kCornellSplits},
    {"cornell_corrected",
     "cornell",
     kGeomGcnCorrected,
     {624308, "38561ad44e29199a826ccef7f94f469b94a912076f83fbc453a69b8ac2b4b858"},
     {1989, "12dc60defc4f8a1f18499e3695bfd62ef0421f9b722297276e7f02dec7ae3dca"},
     kCornellSplits},
};

std::vector<DatasetSource> geom_gcn_sources(const GeomGcnFiles& files) {
  std::vector<DatasetSource> sources;
  const auto add = [&](const std::string& url, const std::string& file, const Checksum& checksum) {
    sources.push_back({fmt::format("{}/{}", url, file), file, checksum.bytes, checksum.sha256});
  };
  const std::string data = fmt::format("{}/{}/new_data/{}", kGeomGcn, files.commit, files.folder);
  add(data, "out1_node_feature_label.txt", files.nodes);
  add(data, "out1_graph_edges.txt", files.edges);
  const std::string splits = fmt::format("{}/{}/splits", kGeomGcn, kGeomGcnCommit);
  for (std::size_t i = 0; i < files.splits.size(); ++i) {
    add(splits, fmt::format("{}_split_0.6_0.2_{}.npz", files.folder, i), files.splits[i]);
  }
  return sources;
}

// --- one file a dataset ---

struct SingleFile {
  const char* name;
  const char* folder;
  const char* file;
  Checksum checksum = {};
};

constexpr SingleFile kSingleFiles[] = {
    {"squirrel_filtered",
     kHeterophilous,
     "squirrel_filtered.npz",
     {208215, "f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7"}},
    {"chameleon_filtered",
     kHeterophilous,
     "chameleon_filtered.npz",
     {58924, "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5"}},
    {"squirrel_filtered_directed",
     kHeterophilous,
     "squirrel_filtered_directed.npz",
     {249855, "0526e53252f0b052124f7390829c32e923d432acaf64206191a1144a07b39620"}},
    {"chameleon_filtered_directed",
     kHeterophilous,
     "chameleon_filtered_directed.npz",
     {69275, "5a2d40701407188f1661d37a326484b49cc15251e0dedaa7bd380873dac80f21"}},
    {"minesweeper",
     kHeterophilous,
     "minesweeper.npz",
     {135045, "e664c8dacf1e8ac466c2c09ed4b237bd2c5541f47a6eae9c6092cb87f16412b3"}},
    {"tolokers",
     kHeterophilous,
     "tolokers.npz",
     {1329769, "dacf3ac94cec53d03cd2adb5255c08b33dee1656c33ca8164a464bd9450a1667"}},
    // No published hashes exist for these.
    {"roman_empire", kHeterophilous, "roman_empire.npz"},
    {"amazon_ratings", kHeterophilous, "amazon_ratings.npz"},
    {"questions", kHeterophilous, "questions.npz"},
    {"cora", kLinqs, "lbc/cora.tgz"},
    {"citeseer", kLinqs, "lbc/citeseer.tgz"},
    {"pubmed", kLinqs, "Pubmed-Diabetes.tgz"},
};

}  // namespace

std::vector<DatasetSource> dataset_sources(std::string_view name, SourceKind kind) {
  if (kind == SourceKind::kNone) return {};
  for (const GeomGcnFiles& files : kGeomGcnFiles) {
    if (name == files.name) return geom_gcn_sources(files);
  }
  for (const SingleFile& file : kSingleFiles) {
    if (name != file.name) continue;
    const std::string url = fmt::format("{}/{}", file.folder, file.file);
    return {{url, url.substr(url.rfind('/') + 1), file.checksum.bytes, file.checksum.sha256}};
  }
  throw Error(fmt::format("{}: no download is known for this dataset", name));
}

}  // namespace dsnn
