#define __VERIFIER_assert(e) ((e) ? (void)0 : __litmus_assert(0, #e))
