#define assert(e) ((e) ? (void)0 : __litmus_assert(0, #e))
#define static_assert _Static_assert
