/* A fake NCCL library for tests of the code that uses it. It has NCCL's signatures, records the calls, and returns results
   that a test sets. It supports one process with any number of ranks. It reduces nothing, and in a gather every rank's part
   is this rank's part. */
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
  atomic_int polls;            /* number of polls that report "in progress" */
  atomic_int *aborted;         /* shared with communicators split from it */
} comm;

/* Settings of the tests. */
#ifndef FAKE_VERSION
#define FAKE_VERSION 23203
#endif
atomic_int fake_version = FAKE_VERSION;
atomic_int fake_polls;         /* polls until a non-blocking call is done; negative: never */
atomic_int fake_async;         /* asynchronous error of blocking communicators */
atomic_int fake_result;        /* result of the next collective, then reset */
atomic_int fake_started;       /* result of the next start of a group, then reset */
atomic_int fake_ended;         /* result of the next end of a group, then reset */
atomic_int fake_hang;          /* the next collective waits until it is aborted */
atomic_int fake_differs;       /* if not 0, the length in the records of other ranks */
atomic_int fake_apart;         /* ranks below this have another color in a split */
atomic_int fake_sends;         /* elements that each other rank sends to rank 0 in an exchange of three ranks */
atomic_int fake_receives;      /* elements that each other rank receives from rank 0 there */
atomic_int fake_slow;          /* microseconds that a check for asynchronous errors takes */
atomic_int fake_partner;       /* records of partners: 1 matching, 2 no call */
atomic_int fake_silent;        /* calls are not recorded, to save time */
atomic_int fake_live;          /* communicators that are neither destroyed nor aborted */
atomic_int fake_depth;         /* nesting of groups, of all threads */
atomic_int fake_wrong;         /* invalid calls: dead communicators, unfinished groups */
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

/* The arguments of the calls since the last time. Arguments that a call does not have are 0. */
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

/* Writes the calls since the last time to `out`. */
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

/* The first fields of ncclConfig_t. */
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
  if (fake_slow) usleep(fake_slow);
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
  /* The memory is not freed, so that `magic` detects a use after the end. */
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
/* The program's driver functions, set by the test. */
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

/* Sizes of NCCL's types. */
static const int sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

/* Bytes in a record of sends and receives that partners exchange, one half for each direction. */
enum { RECORD = 24 * 8, LENGTH = 6 * 8 };
static _Thread_local unsigned long long message;

result ncclSend(const void *a, size_t n, int t, int peer, comm *c, void *s) {
  (void)s;
  note("Send", a, NULL, n, t, 0, peer);
  message = (unsigned long long)(uintptr_t)a;
  return collective("Send", c);
}
result ncclRecv(void *a, size_t n, int t, int peer, comm *c, void *s) {
  note("Recv", NULL, a, n, t, 0, peer);
  unsigned long long to = (unsigned long long)(uintptr_t)a;
  if (fake_partner == 1 && n * sizes[t] == RECORD) {
    copy(to, message + RECORD / 2, RECORD / 2, s);
    copy(to + RECORD / 2, message, RECORD / 2, s);
  }
  if (fake_partner == 2 && n * sizes[t] == RECORD) {
    set(to, 0, RECORD / 4, s);
    set(to, ~0u, 2, s);
  }
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
    /* A split begins with two words, of which the first is the color. */
    if (rank < fake_apart && bytes == 16) set(to, 77, 1, s);
    /* Then the ids are exchanged. A rank of another color creates none. */
    if (rank < fake_apart && bytes == 17 * 8) set(to, 0, bytes / 4, s);
    /* The lengths that each of three ranks sends to rank 0 in an exchange, and receives from it. */
    if (rank != c->rank && bytes == 3 * RECORD) {
      if (fake_sends) set(to + LENGTH, fake_sends, 1, s);
      if (fake_receives) set(to + RECORD / 2 + LENGTH, fake_receives, 1, s);
    }
    if (fake_differs && rank != c->rank && bytes == 13 * 8) set(to + LENGTH, fake_differs, 1, s);
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
  int r = fake_result;
  fake_result = 0;
  return release((unsigned long long)(uintptr_t)p) ? 1 : r;
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
