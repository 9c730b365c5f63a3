#include <stdint.h>
#define PRIu64 "lu"
#define PRId64 "ld"
#define PRIx64 "lx"
#define PRIu32 "u"
#define PRId32 "d"
