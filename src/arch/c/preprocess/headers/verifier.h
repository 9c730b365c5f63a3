#define __VERIFIER_assert(e) ((e) ? (void)0 : __litmus_assert(0, #e))

/* Threads of GenMC. Those of the same code are not taken for each other: every execution is shown. */
typedef unsigned long __VERIFIER_thread_t;
#define __VERIFIER_spawn(f, arg) ({ __VERIFIER_thread_t __new; __litmus_spawn(&__new, f, (void *)(arg)); __new; })
#define __VERIFIER_spawn_symmetric(f, arg, other) __VERIFIER_spawn(f, arg)
#define __VERIFIER_join(t) __litmus_join(t)
#define __VERIFIER_join_symmetric(t) ((void)__litmus_join(t))

/* What it is told to spare itself work. */
#define __VERIFIER_local_write(...) do { __VERIFIER_ARGS(__VA_ARGS__); } while (0)
#define __VERIFIER_final_write(...) do { __VERIFIER_ARGS(__VA_ARGS__); } while (0)
#define __VERIFIER_helped_CAS(...) do { __VERIFIER_ARGS(__VA_ARGS__); } while (0)
#define __VERIFIER_helping_CAS(...) do { __VERIFIER_ARGS(__VA_ARGS__); } while (0)
#define __VERIFIER_speculative_read(...) (__VA_ARGS__)
#define __VERIFIER_confirming_read(...) (__VA_ARGS__)
#define __VERIFIER_confirming_CAS(...) (__VA_ARGS__)
#define __VERIFIER_final_CAS(...) (__VA_ARGS__)
#define __VERIFIER_ARGS(...) __VA_ARGS__
/* Code that need not be run: that others do it is enough. */
#define __VERIFIER_optional(...) do { } while (0)
static inline void __VERIFIER_method_begin(const char *name, int argument) { }
static inline void __VERIFIER_method_end(const char *name, int result) { }

/* Hazard pointers: an object that was given up lives as long as somebody may look at it, so to the end. */
typedef struct { void *__protected; } __VERIFIER_hp_t;
#define __VERIFIER_hp_alloc() ((__VERIFIER_hp_t *)0)
#define __VERIFIER_hp_protect(hp, p) __atomic_load_n((void **)(p), __ATOMIC_ACQUIRE)
#define __VERIFIER_hp_clear(hp) ((void)(hp))
#define __VERIFIER_hp_free(hp) ((void)(hp))
#define __VERIFIER_hp_retire(p) ((void)(p))
typedef struct { int __held; } __VERIFIER_plock_t;
static inline int __VERIFIER_plock_lock(__VERIFIER_plock_t *l) { __litmus_acquire(&l->__held); return 0; }
static inline int __VERIFIER_plock_unlock(__VERIFIER_plock_t *l) { __litmus_release(&l->__held); return 0; }

/* Of Dartagnan. */
#define await_while(cond) while (cond)
