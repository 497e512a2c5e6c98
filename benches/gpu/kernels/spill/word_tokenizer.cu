// Tokens of one line of text per thread: a state machine, counts of words by first letter, numbers, quotes, a hash.
//@ launch grid=400 block=512
//@ arg text in u8[1<<20] range(32,123,1)
//@ arg starts in u32[threads] range(0,1040000,2)
//@ arg lengths in u8[threads] range(100,255,3)
//@ arg out out u32[threads*4]
//@ arg longest i32 240
//@ small grid=1 longest=30

enum State { SPACE, WORD, NUMBER, QUOTE, OTHER };

extern "C" __global__ void word_tokenizer_plain(const unsigned char *text, const unsigned *starts,
                                                const unsigned char *lengths, unsigned *out, int longest) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char counts[26];
  for (int i = 0; i < 26; i++) counts[i] = 0;
  const unsigned char *line = text + starts[t];
  int length = min((int)lengths[t], longest);
  int state = SPACE, start = 0, widest = 0;
  unsigned words = 0, numbers = 0, quotes = 0, hash = 2166136261u, value = 0;
  for (int i = 0; i <= length; i++) {
    unsigned char c = i < length ? line[i] : ' ';
    bool letter = (c | 32) >= 'a' && (c | 32) <= 'z', digit = c >= '0' && c <= '9';
    int next;
    if (state == QUOTE && i < length)
      next = c == '"' || c == '\'' ? SPACE : QUOTE;
    else if (letter)
      next = WORD;
    else if (digit)
      next = state == WORD ? WORD : NUMBER;
    else if (c == '.' && state == NUMBER)
      next = NUMBER;
    else if (c == '"' || c == '\'')
      next = QUOTE;
    else
      next = c == ' ' || c == ',' ? SPACE : OTHER;
    if (next != state) {
      switch (state) {
        case WORD: {
          int first = (line[start] | 32) - 'a';
          if (counts[first] < 255) counts[first]++;
          widest = max(widest, i - start);
          words++;
          break;
        }
        case NUMBER:
          hash = (hash ^ value) * 16777619u;
          numbers++;
          break;
        case QUOTE:
          quotes++;
          break;
      }
      start = i;
      value = 0;
      state = next;
    }
    if (state == NUMBER && digit) value = value * 10 + (c - '0');
    if (state == WORD) hash = (hash ^ (c | 32)) * 16777619u;
  }
  int common = 0;
  for (int i = 0; i < 26; i++) {
    if (counts[i] > counts[common]) common = i;
    hash = (hash ^ counts[i]) * 16777619u;
  }
  out[4 * t] = words | numbers << 16;
  out[4 * t + 1] = quotes | widest << 16;
  out[4 * t + 2] = common << 8 | counts[common];
  out[4 * t + 3] = hash;
}
