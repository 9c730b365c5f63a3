#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __litmus_assert(0, #e))
#endif
#define static_assert _Static_assert
