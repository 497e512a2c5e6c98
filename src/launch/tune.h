// Which alternative of a kernel is the fastest? Part of launch.c in programs compiled with -warpwise-tune
// (docs/TUNING.md).
//
// For each kernel, block shape and dynamic shared memory, launches take turns in rounds: in each round the kernel
// itself (number 0) and every alternative that may run are launched once, in a random order, with an event before and
// one behind. Events are asked at later launches whether they have happened; nothing ever waits for them. Of each round
// the time of every alternative is noted, and by how much it was less than the kernel's own: what a program's data and
// load do to neighbouring launches then does not count as a difference. The first round loads code and does not count.
//
// With WARPWISE_TUNE=online a round begins only if what rounds cost stays within 2 % of what the launches so far have
// taken, and alternatives that are slower for certain have no more turns. In other launches runs what a build that is
// not tuned would have: the alternative of the models.
//
// One thread at a time takes turns; the launches of others meanwhile have none. So it is with all launches when the
// rounds whose events are still awaited are many. After anything has failed the kernel itself runs.

int atexit(void (*function)(void));
int getpid(void);
int open(const char *path, int flags, ...);
int close(int file);
long write(int file, const void *bytes, size_t count);
int snprintf(char *text, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *text, size_t bytes, const char *format, va_list values);

#define TUNING_MAGIC UINT64_C(0x3230454e55545757)

enum {
  OUR_ROUNDS = 16, // rounds whose events are awaited at a time
  LAST_ROUND = 4096,
  FIRST_LOOK = 16, // rounds after which WARPWISE_TUNE=online looks for a winner first, then after twice as many
  LAST_LOOK = 256, // and after which it goes on with the kernel itself
  SHARE = 50,      // of the time of launches so far, what its rounds may cost
  HOPELESS = 2,    // times the kernel's time: one turn is enough to know
  WRITE_ONLY_CREATE_APPEND = 02101, // open: O_WRONLY | O_CREAT | O_APPEND on Linux
  MAX_PATH = 4096,
  MAX_LINE = 4096,
};

// Times of an alternative in microseconds: mean, and sum of the squares of distances from the mean.
typedef struct {
  uint64_t count;
  double mean, squares;
} Sample;

enum TurnState { NOT_LAUNCHED, AWAITED, NOT_MEASURED };
typedef struct {
  Event begin, end;
  enum TurnState state;
} Turn;

// What the two events of a turn take on the GPU, in microseconds.
static const double EVENTS = 1;

typedef struct {
  unsigned char order[MAX_ALTERNATIVES + 1];
  unsigned count;    // of those that have a turn
  unsigned launched; // how many of them have had it
  Turn turns[MAX_ALTERNATIVES + 1];
} Round;

typedef struct Tuning {
  struct Tuning *next; // of the program's
  const Stub *stub;
  const Kernel *kernel;
  const Choice *choice;
  atomic_uint busy;        // whether a thread is taking a turn
  atomic_ullong launches;  // all of them
  uint64_t random;         // state of the generator of orders
  unsigned first, awaited; // the oldest of the rounds that are not over, and how many there are
  unsigned rounds_over;
  atomic_int has_failed;
  int is_settled;    // no more rounds
  double spent, due; // what rounds have cost, and what the next one may, in microseconds; 0: nothing is known
  atomic_int usual;  // what has no turn runs: the number of the alternative of the models, later of the fastest, or 0
  double of_usual;   // its time
  int is_dropped[MAX_ALTERNATIVES + 1];
  int capability; // of the device: 90 is sm_90
  Round rounds[OUR_ROUNDS];
  Sample times[MAX_ALTERNATIVES + 1];
  Sample gains[MAX_ALTERNATIVES + 1]; // the kernel's time minus the alternative's, in one round
} Tuning;

enum TuneMode { TUNE_UNKNOWN, TUNE_MEASURE, TUNE_ONLINE, TUNE_OFF };
static atomic_int tune_mode_known;
static _Atomic(Tuning *) all_tunings;
static atomic_uint is_exit_awaited;
static int measuring_process;

static enum TuneMode tune_mode(void) {
  int known = atomic_load_explicit(&tune_mode_known, memory_order_relaxed);
  if (known)
    return (enum TuneMode)known;
  const char *text = getenv("WARPWISE_TUNE");
  known = !text ? TUNE_MEASURE : !strcmp(text, "online") ? TUNE_ONLINE : !strcmp(text, "off") ? TUNE_OFF : TUNE_MEASURE;
  atomic_store_explicit(&tune_mode_known, known, memory_order_relaxed);
  return (enum TuneMode)known;
}

// --- The table ------------------------------------------------------------------------------------------------------

// Whether a name of an alternative can be written as it is.
static int is_name(const char *name) {
  for (const char *at = name; *at; at++)
    if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9'))
      return 0;
  return *name != 0;
}

// Reads the alternatives from the words of a table; false if they are not a table of ours.
static int read_alternatives(Kernel *kernel, const uint64_t *words, size_t length) {
  if (length < 3 || words[0] != TUNING_MAGIC || words[2] > MAX_ALTERNATIVES)
    return 0;
  const uint64_t *at = words + 3, *end = words + length;
  for (unsigned i = 0; i < words[2]; i++) {
    char name[17] = {0};
    if (end - at < 2)
      return 0;
    memcpy(name, at, 16);
    if (!is_name(name) || !(at = read_version(&kernel->versions[i], at + 2, end)))
      return 0;
    memcpy(kernel->versions[i].name, name, sizeof name);
  }
  kernel->hash = words[1];
  kernel->count = (unsigned)words[2];
  return 1;
}

// --- What was measured ----------------------------------------------------------------------------------------------

static void add(Sample *sample, double value) {
  double from_old = value - sample->mean;
  sample->mean += from_old / (double)++sample->count;
  sample->squares += from_old * (value - sample->mean);
}

// Whether a gain is more than noise: more than three standard errors, and more than one percent of the kernel's time.
static int is_more_than_noise(const Sample *gain, const Sample *time) {
  if (gain->count < 8 || gain->mean <= 0)
    return 0;
  double count = (double)gain->count, variance_of_mean = gain->squares / (count - 1) / count;
  return gain->mean * gain->mean > 9 * variance_of_mean && gain->mean > 0.01 * (time->mean + gain->mean);
}

// The number of the fastest: of those whose gain is more than noise the one with the largest, or 0.
static int winner(const Tuning *tuning) {
  int best = 0;
  for (int i = 1; i <= MAX_ALTERNATIVES; i++)
    if (is_more_than_noise(&tuning->gains[i], &tuning->times[i]) &&
        (!best || tuning->gains[i].mean > tuning->gains[best].mean))
      best = i;
  return best;
}

// Whether an alternative is slower for certain: twice as slow as the usual one in its last turn, or slower than the
// kernel itself by more than three standard errors.
static int is_hopeless(const Sample *gain, double time, double of_usual) {
  double count = (double)gain->count;
  return count > 0 &&
         (time >= HOPELESS * of_usual ||
          (count >= 4 && gain->mean < 0 && gain->mean * gain->mean > 9 * gain->squares / (count - 1) / count));
}

// Notes what a round has cost, and which alternatives have no more turns.
static void count_cost(Tuning *tuning, const double *times) {
  // where the usual one may not run, the kernel itself does
  int usual = times[tuning->usual] >= 0 ? tuning->usual : 0;
  double of_usual = times[usual];
  tuning->due = 0;
  for (int i = 0; i <= MAX_ALTERNATIVES; i++) {
    if (times[i] < 0)
      continue;
    double cost = EVENTS + (of_usual >= 0 && times[i] > of_usual ? times[i] - of_usual : 0);
    tuning->spent += cost;
    tuning->is_dropped[i] = i && of_usual >= 0 && is_hopeless(&tuning->gains[i], times[i], of_usual);
    tuning->due += tuning->is_dropped[i] ? 0 : cost;
  }
  if (of_usual >= 0)
    tuning->of_usual = tuning->times[usual].count ? tuning->times[usual].mean : of_usual;
  if (tuning->is_dropped[tuning->usual])
    tuning->usual = 0;
  unsigned dropped = 0;
  for (int i = 1; i <= MAX_ALTERNATIVES; i++)
    dropped += tuning->is_dropped[i] != 0;
  if (dropped == tuning->choice->count)
    tuning->is_settled = 1;
}

// Notes what a round has measured.
static void count_round(Tuning *tuning, const double *times) {
  tuning->rounds_over++;
  if (tuning->rounds_over == 1) {
    if (tune_mode() == TUNE_ONLINE)
      count_cost(tuning, times);
    return;
  }
  for (int i = 0; i <= MAX_ALTERNATIVES; i++) {
    if (times[i] < 0)
      continue;
    add(&tuning->times[i], times[i]);
    if (i && times[0] >= 0)
      add(&tuning->gains[i], times[0] - times[i]);
  }
  unsigned counted = tuning->rounds_over - 1;
  if (tune_mode() == TUNE_ONLINE && !tuning->is_settled) {
    count_cost(tuning, times);
    int best = counted >= FIRST_LOOK && !(counted & (counted - 1)) ? winner(tuning) : 0;
    if (best)
      tuning->usual = best;
    tuning->is_settled |= best || counted >= LAST_LOOK;
    if (tuning->is_settled && mode() == SAY)
      dprintf(2, "warpwise: %s, block %ux%ux%u, %llu bytes of dynamic shared memory: settled on %s\n",
              tuning->stub->name, tuning->choice->block.x, tuning->choice->block.y, tuning->choice->block.z,
              (unsigned long long)tuning->choice->own,
              tuning->usual ? tuning->kernel->versions[tuning->usual - 1].name : "plain");
  }
  tuning->is_settled |= counted >= LAST_ROUND;
}

// Whether the events of a round have happened, and its times in microseconds; negative for what was not measured.
static int read_round(const Driver *cu, Tuning *tuning, Round *round, double *times) {
  for (int i = 0; i <= MAX_ALTERNATIVES; i++) {
    times[i] = -1;
    if (round->turns[i].state != AWAITED)
      continue;
    Status status = cu->cuEventQuery(round->turns[i].end);
    float milliseconds = -1;
    if (!status)
      status = cu->cuEventElapsedTime(&milliseconds, round->turns[i].begin, round->turns[i].end);
    if (status == NOT_READY)
      return 0;
    if (status) {
      tuning->has_failed = 1;
      return 0;
    }
    times[i] = milliseconds * 1e3;
  }
  return 1;
}

// Notes the rounds that are over, the oldest first.
static void read_rounds(const Driver *cu, Tuning *tuning) {
  while (tuning->awaited && !tuning->has_failed) {
    Round *round = &tuning->rounds[tuning->first];
    double times[MAX_ALTERNATIVES + 1];
    if (round->launched < round->count || !read_round(cu, tuning, round, times))
      return;
    tuning->first = (tuning->first + 1) % OUR_ROUNDS;
    tuning->awaited--;
    count_round(tuning, times);
  }
}

// --- Turns ----------------------------------------------------------------------------------------------------------

// A number below a limit, by xorshift64*.
static unsigned random_below(Tuning *tuning, unsigned limit) {
  uint64_t x = tuning->random;
  x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
  tuning->random = x;
  return (unsigned)((x * UINT64_C(2685821657736338717) >> 33) % limit);
}

// Whether a round may begin. As long as nothing is known of the alternatives, each is taken to be twice as slow.
static int may_begin(const Tuning *tuning) {
  double launches = (double)atomic_load_explicit(&tuning->launches, memory_order_relaxed);
  if (tune_mode() != TUNE_ONLINE)
    return tuning->awaited < OUR_ROUNDS;
  if (tuning->of_usual <= 0)
    return !tuning->awaited && launches > SHARE * tuning->choice->count;
  return tuning->awaited < OUR_ROUNDS &&
         (tuning->spent + tuning->due * (tuning->awaited + 1)) * SHARE <= launches * tuning->of_usual;
}

// The round in which there are turns left, or a new one; null if none may begin.
static Round *current_round(Tuning *tuning) {
  Round *last = &tuning->rounds[(tuning->first + tuning->awaited + OUR_ROUNDS - 1) % OUR_ROUNDS];
  if (tuning->awaited && last->launched < last->count)
    return last;
  if (!may_begin(tuning))
    return NULL;
  Round *round = &tuning->rounds[(tuning->first + tuning->awaited++) % OUR_ROUNDS];
  round->launched = 0;
  for (unsigned i = 0; i <= MAX_ALTERNATIVES; i++)
    round->turns[i].state = NOT_LAUNCHED;
  round->count = 0;
  for (unsigned i = 0; i <= tuning->choice->count; i++) {
    // index 0 of the choice is alternative 1
    if (i && tuning->is_dropped[tuning->choice->versions[i - 1].number])
      continue;
    unsigned at = random_below(tuning, round->count + 1);
    round->order[round->count++] = round->order[at];
    round->order[at] = (unsigned char)i;
  }
  return round;
}

// What is launched: the kernel itself (0), or a version of the choice, counted from 1.
static int launch_number(const Driver *cu, const Tuning *tuning, unsigned number, Dim3 grid, void **arguments,
                         Stream stream) {
  const Choice *choice = tuning->choice;
  Function function = number ? choice->versions[number - 1].function : tuning->kernel->function;
  unsigned dynamic = number ? choice->versions[number - 1].dynamic : (unsigned)choice->own;
  if (number)
    set_carveout(cu, choice, number - 1, grid);
  return !cu->cuLaunchKernel(function, grid.x, grid.y, grid.z, choice->block.x, choice->block.y, choice->block.z,
                             dynamic, stream, arguments, NULL);
}

// Launches what has no turn; false if the kernel itself is to be launched.
static int launch_usual(const Driver *cu, const Tuning *tuning, Dim3 grid, void **arguments, Stream stream) {
  const Choice *choice = tuning->choice;
  unsigned usual = tuning->has_failed ? 0 : (unsigned)tuning->usual;
  for (unsigned i = 0; i < choice->count; i++)
    if (choice->versions[i].number == usual && may_launch(choice, i, grid))
      return launch_number(cu, tuning, i + 1, grid, arguments, stream);
  return 0;
}

static int record(const Driver *cu, Event *event, Stream stream) {
  return (*event || !cu->cuEventCreate(event, 0)) && !cu->cuEventRecord(*event, stream);
}

// Launches whose turn it is, with an event on each side; false if the kernel itself is to be launched, unmeasured.
static int launch_next(const Driver *cu, Tuning *tuning, Round *round, Dim3 grid, void **arguments, Stream stream) {
  unsigned number = round->order[round->launched];
  while (number && !may_launch(tuning->choice, number - 1, grid)) {
    round->turns[tuning->choice->versions[number - 1].number].state = NOT_MEASURED;
    if (++round->launched == round->count)
      return 0;
    number = round->order[round->launched];
  }
  Turn *turn = &round->turns[number ? tuning->choice->versions[number - 1].number : 0];
  round->launched++;
  if (!record(cu, &turn->begin, stream) || !launch_number(cu, tuning, number, grid, arguments, stream)) {
    tuning->has_failed = 1; // what the program sees is the error of its own launch, if there is one
    return 0;
  }
  if (record(cu, &turn->end, stream))
    turn->state = AWAITED;
  else
    tuning->has_failed = 1;
  return 1;
}

// A launch with a choice that is being measured; false if the kernel itself is to be launched.
static int launch_in_turn(const Driver *cu, const Choice *choice, Dim3 grid, void **arguments, Stream stream) {
  Tuning *tuning = choice->tuning;
  enum TuneMode known = tune_mode();
  if (known == TUNE_OFF)
    return 0;
  atomic_fetch_add_explicit(&tuning->launches, 1, memory_order_relaxed);
  if (atomic_exchange_explicit(&tuning->busy, 1, memory_order_acquire))
    return launch_usual(cu, tuning, grid, arguments, stream);
  int is_launched = 0, capture = CAPTURE_RELAXED;
  // to ask an event would end another thread's capture
  if (!tuning->has_failed && !cu->cuThreadExchangeStreamCaptureMode(&capture)) {
    read_rounds(cu, tuning);
    if (!tuning->has_failed) {
      Round *round = tuning->is_settled ? NULL : current_round(tuning);
      is_launched = round ? launch_next(cu, tuning, round, grid, arguments, stream)
                          : launch_usual(cu, tuning, grid, arguments, stream);
    }
    cu->cuThreadExchangeStreamCaptureMode(&capture);
  }
  atomic_store_explicit(&tuning->busy, 0, memory_order_release);
  return is_launched;
}

// --- The choice file ------------------------------------------------------------------------------------------------

typedef struct {
  char text[MAX_LINE];
  size_t length;
  int is_full;
} Line;

__attribute__((format(printf, 2, 3))) static void append(Line *line, const char *format, ...) {
  size_t room = sizeof line->text - line->length;
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line->text + line->length, room, format, values);
  va_end(values);
  if (length < 0 || (size_t)length >= room)
    line->is_full = 1;
  else
    line->length += (size_t)length;
}

static void append_number(Line *line, const char *before, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.9g", value);
  for (char *at = text; *at; at++)
    if (*at == ',') // the program's locale
      *at = '.';
  append(line, "%s%s", before, text);
}

static void append_alternative(Line *line, const Tuning *tuning, unsigned number) {
  const Sample *time = &tuning->times[number], *gain = &tuning->gains[number];
  if (!time->count)
    return;
  append(line, "%s{\"name\":\"%s\",\"n\":%llu", number ? "," : "",
         number ? tuning->kernel->versions[number - 1].name : "plain", (unsigned long long)time->count);
  append_number(line, ",\"mean\":", time->mean);
  append_number(line, ",\"m2\":", time->squares);
  if (number) {
    append(line, ",\"gain_n\":%llu", (unsigned long long)gain->count);
    append_number(line, ",\"gain\":", gain->mean);
    append_number(line, ",\"gain_m2\":", gain->squares);
  }
  append(line, "}");
}

// A line of the choice file; false if there is nothing to say.
static int write_tuning(const Tuning *tuning, Line *line) {
  *line = (Line){.length = 0};
  for (const char *at = tuning->stub->name; *at; at++)
    if (*at == '"' || *at == '\\' || *at < ' ')
      return 0;
  if (!tuning->times[0].count)
    return 0;
  const Choice *choice = tuning->choice;
  append(line, "{\"kernel\":\"%s\",\"hash\":\"%016llx\",\"gpu\":\"sm_%d\",\"block\":[%u,%u,%u],", tuning->stub->name,
         (unsigned long long)tuning->kernel->hash, tuning->capability, choice->block.x, choice->block.y,
         choice->block.z);
  append(line, "\"shared\":%llu,\"launches\":%llu,\"alternatives\":[", (unsigned long long)choice->own,
         atomic_load(&tuning->launches));
  for (unsigned i = 0; i <= MAX_ALTERNATIVES; i++)
    append_alternative(line, tuning, i);
  append(line, "]}\n");
  return !line->is_full;
}

// The choice file's path: WARPWISE_TUNE_FILE, in which %p is the number of the process. Null if there is none.
static const char *choice_file(char *path) {
  const char *from = getenv("WARPWISE_TUNE_FILE");
  if (!from && tune_mode() == TUNE_ONLINE)
    return NULL;
  size_t length = 0;
  for (from = from ? from : "warpwise-choices.jsonl"; *from && length + 16 < MAX_PATH; from++) {
    if (from[0] == '%' && from[1] == 'p')
      length += (size_t)snprintf(path + length, 16, "%d", measuring_process), from++;
    else
      path[length++] = *from;
  }
  path[length] = 0;
  return path;
}

// At the end of the program: appends what was measured to the choice file, each line in one piece, so that processes
// and object files of a program may do so at the same time.
static void write_choices(void) {
  char path[MAX_PATH];
  static Line line;
  if (getpid() != measuring_process || !choice_file(path))
    return;
  const Driver *cu = driver();
  unsigned long long context;
  int file = -1, is_complete = 1;
  for (Tuning *tuning = atomic_load(&all_tunings); tuning; tuning = tuning->next) {
    // a thread that is still launching keeps its turn
    if (atomic_exchange_explicit(&tuning->busy, 1, memory_order_acquire))
      continue;
    // events of a context that is gone must not be asked for
    int capture = CAPTURE_RELAXED;
    if (cu && !cu->cuCtxGetId(NULL, &context) && context == tuning->kernel->context &&
        !cu->cuThreadExchangeStreamCaptureMode(&capture)) {
      read_rounds(cu, tuning);
      cu->cuThreadExchangeStreamCaptureMode(&capture);
    }
    if (!write_tuning(tuning, &line))
      continue;
    if (file < 0)
      file = open(path, WRITE_ONLY_CREATE_APPEND, 0666);
    if (file < 0) {
      dprintf(2, "warpwise: cannot write %s: nothing that was measured is kept; set WARPWISE_TUNE_FILE\n", path);
      return;
    }
    is_complete &= write(file, line.text, line.length) == (long)line.length;
  }
  if (!is_complete)
    dprintf(2, "warpwise: %s is not complete: is the disk full?\n", path);
  if (file >= 0)
    close(file);
  else
    dprintf(
        2,
        "warpwise: nothing was measured, and %s is not written: each kernel has alternatives, and none was launched "
        "often enough for two rounds of them; let the program compute more\n",
        path);
}

// Begins to measure a choice; null if that is not possible.
static Tuning *new_tuning(const Driver *cu, const Stub *stub, const Kernel *kernel, const Choice *choice) {
  int device, major, minor;
  if (tune_mode() == TUNE_OFF || cu->cuCtxGetDevice(&device) ||
      cu->cuDeviceGetAttribute(&major, CAPABILITY_MAJOR, device) ||
      cu->cuDeviceGetAttribute(&minor, CAPABILITY_MINOR, device))
    return NULL;
  Tuning *tuning = malloc(sizeof *tuning);
  if (!tuning)
    return NULL;
  *tuning = (Tuning){.stub = stub, .kernel = kernel, .choice = choice, .capability = major * 10 + minor};
  tuning->random = (kernel->hash ^ choice->own ^ size_of(choice->block) << 32) | 1;
  for (unsigned i = 0; i < choice->count && tune_mode() == TUNE_ONLINE; i++)
    if (!strcmp(kernel->versions[choice->versions[i].number - 1].name, "models"))
      tuning->usual = (int)choice->versions[i].number;
  // functions are called in the reverse order: ours before those of the CUDA runtime, which has begun long ago
  if (!atomic_exchange(&is_exit_awaited, 1)) {
    measuring_process = getpid();
    atexit(write_choices);
  }
  tuning->next = atomic_load(&all_tunings);
  while (!atomic_compare_exchange_weak(&all_tunings, &tuning->next, tuning))
    ;
  return tuning;
}
