// Fuzzes tagged sentences (csrc/tags/tagged.hpp). Each line of the input is the sentence of one example.
#include "tags/tagged.hpp"

#include "tags/spaced.hpp"
#include "text/messages.hpp"
#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "", "<ARG0>大雨</ARG0><SIG0>导致</SIG0>\u3099a<ARG1>道路</ARG1>。",
    "<ARG0>Heavy rain</ARG0> <SIG0>caused</SIG0> <ARG1>floods</ARG1> .",
    "<ARG1>Roads closed</ARG1> <SIG0>because</SIG0> of <ARG0>it</ARG0>\nno tags at all",
    "<SIG12>as</SIG12> <ARG0><SIG1>a</SIG1> b</ARG0>c  d\t<ARG1>e</ARG1>",
    "<ARG0>one word</ARG0> that goes on for more than sixty-four bytes of text <ARG1>x</ARG1>"};
const std::vector<std::string> PIECES{"<ARG0>",  "</ARG0>", "<ARG1>",  "</ARG1>", "<SIG0>",
                                      "</SIG0>", "<SIG10>", "<SIG",    "</",      "<",
                                      ">",       " ",  "大", "\u3000",     "\t",      "\n",      "\xc2\xa0",
                                      "<ARG",    "<SIG٣>",  "</SIG10>"};

namespace {

using fastcausal::Tags;

struct Reading {
  std::vector<int32_t> lengths, n_tokens, widths;
  std::vector<fastcausal::PackedSpan> spans;
};

Reading read(const std::vector<std::string>& sentences, Tags tags) {
  std::string joined;
  std::vector<int32_t> offsets{0};
  std::vector<int64_t> examples{0};
  for (const std::string& sentence : sentences) {
    joined += sentence;
    offsets.push_back(static_cast<int32_t>(joined.size()));
    examples.push_back(static_cast<int64_t>(examples.size()));
  }
  const Exact text(joined);
  const size_t n = sentences.size();
  Reading reading{
      std::vector<int32_t>(n, -1), std::vector<int32_t>(n), std::vector<int32_t>(n), {}};
  fastcausal::TaggedSpans found;
  fastcausal::read_tagged(text.data(), offsets.data(), examples.data(), static_cast<int64_t>(n),
                          tags, reading.lengths.data(), reading.n_tokens.data(),
                          reading.widths.data(), found, [] { return false; });
  reading.spans = found.spans;
  return reading;
}

// Checks one sentence alone and appends its reading to the earlier ones.
void check_alone(const std::string& sentence, Tags tags, Reading& all) {
  const Reading alone = read({sentence}, tags);
  const int32_t n = alone.n_tokens[0];
  require(n >= -1 && n <= static_cast<int32_t>(sentence.size()) + 1, "more tokens than bytes");
  require(alone.widths[0] == (n < 0 ? -1 : static_cast<int32_t>(alone.spans.size())), "lost spans");
  require(std::is_sorted(alone.spans.begin(), alone.spans.end()), "spans out of order");
  for (const fastcausal::PackedSpan span : alone.spans) {
    const fastcausal::Row row = fastcausal::unpacked(span);
    require(row.role <= fastcausal::signal && row.start < row.stop && row.stop <= n, "a bad span");
  }
  if (tags != Tags::strict) {
    const auto size = static_cast<int64_t>(sentence.size());
    require(n == fastcausal::count_tokens(sentence.data(), size, tags), "another number of tokens");
  }
  all.n_tokens.push_back(n);
  all.widths.push_back(alone.widths[0]);
  all.spans.insert(all.spans.end(), alone.spans.begin(), alone.spans.end());
}

// Compares a sentence with its own words and with those of the sentence before it.
void check_words(const std::string& sentence, const std::string& before) {
  std::string bare(sentence.size(), ' ');
  const int64_t offsets[]{0, static_cast<int64_t>(sentence.size())};
  int32_t places[2];
  fastcausal::write_bare(sentence.data(), offsets, 1, bare.data(), places);
  bare.resize(static_cast<size_t>(places[1]));
  const Exact tagged(sentence), text(bare), other(before);
  const std::string_view own(tagged.data(), sentence.size()), words(text.data(), bare.size());
  fastcausal::Copies copies;
  require(copies.unlike(own, own, true) == 0, "a sentence is unlike itself");
  if (bare.find('<') == std::string::npos)
    require(copies.unlike(own, words, true) == 0, "a sentence is unlike its text");
  const std::string_view others(other.data(), before.size());
  const auto differs = [&](std::string_view a, std::string_view b) {
    return copies.unlike(a, b, true) & (fastcausal::OTHER_WORDS | fastcausal::OTHER_SENTENCE);
  };
  require(differs(own, others) == differs(others, own), "words differ in one direction alone");
}

// Returns a sentence without tags.
std::string bare_of(const std::string& sentence) {
  std::string bare;
  fastcausal::all_pieces(sentence, [&bare](std::string_view piece) {
    bare += piece;
    return true;
  });
  return bare;
}

// Puts blanks between tokens by letters: they are those of the bare sentence, and its tags stay.
void check_letters(const std::string& sentence) {
  const Exact text(sentence);
  std::string spaced, again, memory;
  fastcausal::add_spaced({text.data(), sentence.size()}, spaced);
  fastcausal::is_cut_by_tag({text.data(), sentence.size()}, memory);
  if (read({sentence}, Tags::strict).n_tokens[0] < 0) return;  // a tag without its end takes blanks
  fastcausal::add_spaced(spaced, again);
  require(spaced == again, "blanks are put twice");
  const std::string bare = bare_of(sentence), words = bare_of(spaced);
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const bool is_split = sentence.find("><") != std::string::npos;
  if (std::all_of(sentence.begin(), sentence.end(), is_ascii) && !is_split)
    require(words == bare, "a sentence of ASCII changes");
  if (fastcausal::checked::not_utf8(sentence) >= 0) return;  // readers refuse it
  const auto size = static_cast<int64_t>(words.size());
  require(fastcausal::count_words(words.data(), size) == fastcausal::count_letters(words),
          "blanks and letters make other tokens");
}

}  // namespace

void check(const std::string& input) {
  std::vector<std::string> sentences;
  for (size_t at = 0; at <= input.size();) {
    const size_t stop = std::min(input.find('\n', at), input.size());
    sentences.push_back(input.substr(at, stop - at));
    at = stop + 1;
  }
  for (const std::string& sentence : sentences) check_letters(sentence);
  for (size_t k = 0; k < sentences.size(); ++k) check_words(sentences[k], sentences[k ? k - 1 : 0]);
  for (const Tags tags : {Tags::strict, Tags::official, Tags::relaxed}) {
    const Reading together = read(sentences, tags);
    Reading apart;
    for (const std::string& sentence : sentences) check_alone(sentence, tags, apart);
    require(together.n_tokens == apart.n_tokens && together.widths == apart.widths &&
                together.spans == apart.spans,
            "a sentence depends on those before");
  }
}
