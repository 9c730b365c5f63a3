#include <stddef.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; long tv_usec; };
#define CLOCKS_PER_SEC 1000000
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
/* No time passes. */
static inline time_t time(time_t *t) { if (t) *t = 0; return 0; }
static inline clock_t clock(void) { return 0; }
static inline int clock_gettime(clockid_t id, struct timespec *t) { t->tv_sec = 0; t->tv_nsec = 0; return 0; }
#define TIME_UTC 1
static inline int timespec_get(struct timespec *t, int base) { t->tv_sec = 0; t->tv_nsec = 0; return base; }
#include <litmus/cancel.h>
static inline int nanosleep(const struct timespec *t, struct timespec *left) { __litmus_testcancel(); return 0; }
static inline int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *left) { __litmus_testcancel(); return 0; }
static inline int gettimeofday(struct timeval *t, void *zone) { t->tv_sec = 0; t->tv_usec = 0; return 0; }
