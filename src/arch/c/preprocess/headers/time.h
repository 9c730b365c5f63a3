#include <stddef.h>
typedef long time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
static inline time_t time(time_t *t) { return 0; }
