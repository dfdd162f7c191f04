/* NCCL in software, for tests of what is above it: it has the functions' signatures, records which are called, and returns
   what a test wants. One process, any number of ranks; nothing is reduced. Of a gather, every rank's part is this rank's. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

typedef int result;
enum { SUCCESS = 0, INVALID_USAGE = 5, IN_PROGRESS = 7 };
enum { LIVE = 0x600d600d };

typedef struct comm {
  unsigned magic;
  int rank, size, blocking, split_share;
  atomic_int polls;            /* how many times it is still in progress */
  atomic_int *aborted;         /* shared with what it was split into */
} comm;

/* What tests set. */
#ifndef FAKE_VERSION
#define FAKE_VERSION 23203
#endif
atomic_int fake_version = FAKE_VERSION;
atomic_int fake_polls;         /* polls until something non-blocking is done; negative: never */
atomic_int fake_async;         /* the asynchronous error of blocking communicators */
atomic_int fake_result;        /* what the next collective returns; then none */
atomic_int fake_started;       /* what the next start of a group returns; then none */
atomic_int fake_ended;         /* what the next end of a group returns; then none */
atomic_int fake_hang;          /* the next collective waits until it is aborted */
atomic_int fake_differs;       /* other ranks' words differ: this is added to the third */
atomic_int fake_apart;         /* the ranks below this have another color in a split */
atomic_int fake_partner;       /* what partners tell of sends and receives: 1 what fits, 2 that they make none */
atomic_int fake_silent;        /* calls are not recorded, which takes time */
atomic_int fake_live;          /* communicators that are neither destroyed nor aborted */
atomic_int fake_depth;         /* of groups, of all threads */
atomic_int fake_wrong;         /* calls that can't be right: dead communicators, groups that don't end */
static char log_text[1 << 16];
static atomic_int log_length;
static atomic_flag log_lock = ATOMIC_FLAG_INIT;

static void say(const char *name) {
  if (fake_silent) return;
  while (atomic_flag_test_and_set(&log_lock)) {}
  int length = log_length;
  if (length + strlen(name) + 2 < sizeof log_text)
    log_length = length + snprintf(log_text + length, sizeof log_text - length, "%s ", name);
  atomic_flag_clear(&log_lock);
}

/* The arguments of the calls that were made since the last time. A call may leave some of them out: those are 0. */
typedef unsigned long long number;
static char arguments_text[1 << 16];
static int arguments_length;

static void note(const char *name, const void *from, const void *to, size_t count, int type, int op, int root) {
  if (fake_silent) return;
  while (atomic_flag_test_and_set(&log_lock)) {}
  size_t left = sizeof arguments_text - arguments_length;
  if (left > 200)
    arguments_length += snprintf(arguments_text + arguments_length, left, "%s(%llu,%llu,%zu,%d,%d,%d) ", name,
                                 (number)(uintptr_t)from, (number)(uintptr_t)to, count, type, op, root);
  atomic_flag_clear(&log_lock);
}

void fake_arguments(char *out, size_t size) {
  while (atomic_flag_test_and_set(&log_lock)) {}
  snprintf(out, size, "%s", arguments_text);
  arguments_text[0] = 0;
  arguments_length = 0;
  atomic_flag_clear(&log_lock);
}

/* The context that was current in the last collective. */
static int (*get_current)(void **);
_Atomic(void *) fake_context;
void fake_current(void *get) { get_current = (int (*)(void **))get; }

/* What was called since the last time, into `out`. */
void fake_calls(char *out, size_t size) {
  while (atomic_flag_test_and_set(&log_lock)) {}
  snprintf(out, size, "%s", log_text);
  log_text[0] = 0;
  log_length = 0;
  atomic_flag_clear(&log_lock);
}

static result check(comm *c) {
  if (c && c->magic == LIVE) return SUCCESS;
  fake_wrong++;
  return INVALID_USAGE;
}

static comm *make(int rank, int size, int blocking, int share, atomic_int *aborted) {
  comm *c = calloc(1, sizeof *c);
  c->magic = LIVE;
  c->rank = rank;
  c->size = size;
  c->blocking = blocking;
  c->split_share = share;
  c->polls = fake_polls;
  c->aborted = aborted ? aborted : calloc(1, sizeof *aborted);
  fake_live++;
  return c;
}

/* The head of ncclConfig_t. */
typedef struct {
  size_t size;
  unsigned magic, version;
  int blocking, cga, min, max;
  const char *net;
  int share;
} config;

typedef struct { char bytes[128]; } id;

result ncclGetVersion(int *version) { *version = fake_version; return SUCCESS; }
const char *ncclGetLastError(comm *c) { (void)c; return fake_async ? "the network is down" : ""; }
const char *ncclGetErrorString(result r) { (void)r; return "an error"; }

result ncclGetUniqueId(id *out) {
  say("GetUniqueId");
  static atomic_int count;
  memset(out, 7, sizeof *out);
  int number = ++count;
  memcpy(out, &number, sizeof number);
  return SUCCESS;
}

result ncclCommInitRankConfig(comm **out, int size, id unique, int rank, config *c) {
  say("InitRankConfig");
  int number_of_id;
  memcpy(&number_of_id, &unique, sizeof number_of_id);
  note("InitRankConfig", NULL, NULL, size, number_of_id, unique.bytes[127], rank);
  if (c->magic != 0xcafebeef || c->size < sizeof *c) return 4;
  *out = make(rank, size, c->blocking, c->share, NULL);
  return c->blocking ? SUCCESS : IN_PROGRESS;
}

result ncclCommSplit(comm *from, int color, int key, comm **out, config *c) {
  say("Split");
  (void)color;
  if (check(from)) return INVALID_USAGE;
  from->polls = fake_polls;
  *out = make(key, from->size, c->blocking, c->share, from->split_share == 1 ? from->aborted : NULL);
  return from->blocking ? SUCCESS : IN_PROGRESS;
}

result ncclCommShrink(comm *from, int *list, int count, comm **out, config *c, int flags) {
  say("Shrink");
  for (int place = 0; place < count; place++) note("Excluded", NULL, NULL, count, place, flags, list[place]);
  if (check(from)) return INVALID_USAGE;
  from->polls = fake_polls;
  *out = make(0, from->size - count, c->blocking, c->share, NULL);
  return from->blocking ? SUCCESS : IN_PROGRESS;
}

result ncclCommGetAsyncError(comm *c, result *state) {
  if (check(c)) return INVALID_USAGE;
  *state = SUCCESS;
  if (c->polls != 0) {
    if (c->polls > 0) c->polls--;
    *state = IN_PROGRESS;
  } else if (c->blocking) {
    *state = fake_async;
  }
  return SUCCESS;
}

static result end(comm *c, const char *name) {
  say(name);
  if (check(c)) return INVALID_USAGE;
  c->magic = 0;
  fake_live--;
  /* The memory stays: a use after the end is noticed by its number. */
  return SUCCESS;
}

result ncclCommFinalize(comm *c) { say("Finalize"); return check(c); }
result ncclCommDestroy(comm *c) { return end(c, c && c->blocking ? "Destroy" : "DestroyControl"); }

result ncclCommAbort(comm *c) {
  if (!check(c)) *c->aborted = 1;
  return end(c, c && c->blocking ? "Abort" : "AbortControl");
}

static _Thread_local int depth;

result ncclGroupStart(void) {
  say("GroupStart");
  int r = fake_started;
  fake_started = 0;
  if (r) return r;
  depth++;
  fake_depth++;
  return SUCCESS;
}

result ncclGroupEnd(void) {
  say("GroupEnd");
  if (depth == 0) { fake_wrong++; return INVALID_USAGE; }
  depth--;
  fake_depth--;
  int r = fake_ended;
  fake_ended = 0;
  return r;
}

static result collective(const char *name, comm *c) {
  say(name);
  if (check(c)) return INVALID_USAGE;
  void *context = NULL;
  if (get_current && get_current(&context) == 0) fake_context = context;
  if (fake_hang) {
    fake_hang = 0;
    while (!*c->aborted) usleep(1000);
    return 3;
  }
  int r = fake_result;
  fake_result = 0;
  return r;
}

result ncclAllReduce(const void *a, void *b, size_t n, int t, int op, comm *c, void *s) {
  (void)s;
  note("AllReduce", a, b, n, t, op, 0);
  return collective("AllReduce", c);
}
result ncclReduce(const void *a, void *b, size_t n, int t, int op, int root, comm *c, void *s) {
  (void)s;
  note("Reduce", a, b, n, t, op, root);
  return collective("Reduce", c);
}
result ncclBroadcast(const void *a, void *b, size_t n, int t, int root, comm *c, void *s) {
  (void)s;
  note("Broadcast", a, b, n, t, 0, root);
  return collective("Broadcast", c);
}
result ncclReduceScatter(const void *a, void *b, size_t n, int t, int op, comm *c, void *s) {
  (void)s;
  note("ReduceScatter", a, b, n, t, op, 0);
  return collective("ReduceScatter", c);
}
/* The program's driver, which the test gives. */
static int (*copy)(unsigned long long to, unsigned long long from, size_t bytes, void *stream);
static int (*set)(unsigned long long to, unsigned value, size_t count, void *stream);
static int (*allocate)(unsigned long long *, size_t);
static int (*release)(unsigned long long);

void fake_driver(void *copies, void *sets, void *allocates, void *releases) {
  copy = (int (*)(unsigned long long, unsigned long long, size_t, void *))copies;
  set = (int (*)(unsigned long long, unsigned, size_t, void *))sets;
  allocate = (int (*)(unsigned long long *, size_t))allocates;
  release = (int (*)(unsigned long long))releases;
}

/* Of NCCL's types. */
static const int sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

/* What ranks tell each other of sends and receives: so many bytes, one half for each way. */
enum { RECORD = 64 };
static _Thread_local unsigned long long told;

result ncclSend(const void *a, size_t n, int t, int peer, comm *c, void *s) {
  (void)s;
  note("Send", a, NULL, n, t, 0, peer);
  told = (unsigned long long)(uintptr_t)a;
  return collective("Send", c);
}
result ncclRecv(void *a, size_t n, int t, int peer, comm *c, void *s) {
  note("Recv", NULL, a, n, t, 0, peer);
  unsigned long long to = (unsigned long long)(uintptr_t)a;
  if (fake_partner == 1 && n * sizes[t] == RECORD) {
    copy(to, told + RECORD / 2, RECORD / 2, s);
    copy(to + RECORD / 2, told, RECORD / 2, s);
  }
  if (fake_partner == 2 && n * sizes[t] == RECORD) set(to, ~0u, RECORD / 4, s);
  return collective("Recv", c);
}

result ncclAllGather(const void *a, void *b, size_t n, int t, comm *c, void *s) {
  note("AllGather", a, b, n, t, 0, 0);
  result r = collective("AllGather", c);
  if (r) return r;
  size_t bytes = n * sizes[t];
  for (int rank = 0; rank < c->size; rank++) {
    unsigned long long to = (unsigned long long)(uintptr_t)b + rank * bytes;
    copy(to, (unsigned long long)(uintptr_t)a, bytes, s);
    /* What a split begins with: two words, of which the first is the color. */
    if (rank < fake_apart && bytes == 16) set(to, 77, 1, s);
    if (fake_differs && rank != c->rank && bytes >= 24) set(to + 16, fake_differs, 1, s);
  }
  return SUCCESS;
}

result ncclRedOpCreatePreMulSum(int *op, void *scalar, int type, int residence, comm *c) {
  (void)scalar; (void)type; (void)residence;
  say("RedOpCreate");
  *op = 77;
  int r = fake_result;
  fake_result = 0;
  return r ? r : check(c);
}
result ncclRedOpDestroy(int op, comm *c) {
  say("RedOpDestroy");
  if (op != 77) fake_wrong++;
  return check(c);
}

#ifndef FAKE_OLD
result ncclMemAlloc(void **out, size_t bytes) {
  unsigned long long p = 0;
  say("MemAlloc");
  note("MemAlloc", NULL, NULL, bytes, 0, 0, 0);
  int e = allocate(&p, bytes);
  *out = (void *)(uintptr_t)p;
  return e ? 1 : SUCCESS;
}
result ncclMemFree(void *p) {
  say("MemFree");
  return release((unsigned long long)(uintptr_t)p) ? 1 : SUCCESS;
}
result ncclCommRegister(comm *c, void *p, size_t bytes, void **handle) {
  say("Register");
  note("Register", p, NULL, bytes, 0, 0, 0);
  int r = fake_result;
  fake_result = 0;
  if (r) return r;
  *handle = p;
  return check(c);
}
result ncclCommDeregister(comm *c, void *handle) {
  say("Deregister");
  note("Deregister", handle, NULL, 0, 0, 0, 0);
  return check(c);
}
result ncclAlltoAll(const void *a, void *b, size_t n, int t, comm *c, void *s) {
  (void)s;
  note("AlltoAll", a, b, n, t, 0, 0);
  return collective("AlltoAll", c);
}
#endif
