//! Texts of every kind that the command reads, small and full of constructs; the tests and models of the repository come on top.

/// Tests, besides those of `litmus/`.
pub const TESTS: &[&str] = &[
    "X86 RMW\n\"a doc string\"\nCom=Rf Fr\nUnroll=1\n{ x=1; int y[2]={1,2}; 0:EAX=x; uint8_t z=3; }\n P0            | P1         ;\n LOCK; XCHG [x],EAX | MFENCE  ;\n L0: MOV EBX,[y] | MOV EAX,$1 ;\n CMP EBX,$1 | MOV [y],EAX ;\n JNE L0 | ;\nlocations [x; 0:EBX; y;]\nfilter (x=1)\n~exists (0:EBX=1 /\\ not (x=0 \\/ y[0]=2) => 1:EAX=0)\n",
    "X86_64 WIDE\n{ uint64_t x=0; uint64_t 0:rax=1; }\n P0 | P1 ;\n movq %rax,(x) | movl $1,%ebx ;\n movq (x),%rcx | lock xaddl %ebx,(y) ;\n cmpq $0,%rcx | mfence ;\n jne L1 | ;\n movnti %rax,(y) | ;\n L1: | ;\nforall (0:rcx=1)\n",
    "AArch64 EXCL\n{ 0:X0=x; 0:X1=y; 1:X0=x; 1:X1=y; int64_t p=x; }\n P0             | P1           ;\n L0: LDXR W2,[X0] | LDAR W2,[X1] ;\n STXR W3,W2,[X0] | EOR W3,W2,W2 ;\n CBNZ W3,L0      | LDR W4,[X0,W3,SXTW] ;\n MOV W5,#1 | DMB ISHLD ;\n STLR W5,[X1] | LDADD W5,W6,[X0] ;\n CSEL W7,W2,W5,EQ | CAS W5,W6,[X1] ;\nexists (1:X2=1 /\\ 1:X4=0)\n",
    "ARM DEP\n{ %x0=x; %y0=y; %x1=x; %y1=y; }\n P0            | P1            ;\n MOV R0,#1     | LDR R0,[%y1]  ;\n STR R0,[%x0]  | CMP R0,#1     ;\n DMB           | BNE L         ;\n STR R0,[%y0]  | ISB           ;\n               | L:            ;\n               | LDRNE R1,[%x1];\nexists (1:R0=1 /\\ 1:R1=0)\n",
    "PPC LWSYNC\n{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }\n P0           | P1           ;\n li r1,1      | lwz r1,0(r2) ;\n stw r1,0(r2) | cmpw r1,r1   ;\n lwsync       | beq LC00     ;\n li r3,1      | LC00:        ;\n stw r3,0(r4) | isync        ;\n lwarx r5,r0,r2 | xor r6,r1,r1 ;\n stwcx. r5,r0,r2 | lwzx r3,r6,r4 ;\n | sync ;\nexists (1:r1=1 /\\ 1:r3=0)\n",
    "RISCV FENCES\n{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }\n P0          | P1           ;\n ori x5,x0,1 | lw x5,0(x6)  ;\n sw x5,0(x6) | fence r,rw   ;\n fence w,w   | bne x5,x0,LC ;\n amoswap.w.aq x7,x5,(x8) | LC: ;\n lr.w x9,(x6) | lw x7,0(x8) ;\n sc.w x10,x5,(x6) | fence.tso ;\nexists (1:x5=1 /\\ 1:x7=0)\n",
    "MIPS SYNC\n{ 0:$2=x; 0:$4=y; 1:$2=y; 1:$4=x; }\n P0          | P1          ;\n ori $1,$0,1 | lw $1,0($2) ;\n sw $1,0($2) | sync        ;\n sync        | lw $3,0($4) ;\n ll $5,0($2) | bne $1,$0,L ;\n sc $5,0($2) | L:          ;\nexists (1:$1=1 /\\ 1:$3=0)\n",
    "LISA SCOPES\n{ x=0; 0:r1=1; }\n P0            | P1          ;\n w[] x r1      | r[] r1 y    ;\n f[]           | b[] r1 L0   ;\n w[] y 1       | r[] r2 x    ;\n rmw[] r3 (add r1 1) x | L0: ;\n mov r4 (xor r1 r1) | f[] ;\nscopes: (system (device 0) (device 1))\nexists (1:r1=1 /\\ 1:r2=0)\n",
    "BPF ATOMICS\n{ 0:r1=x; 0:r3=y; 1:r1=x; 1:r3=y; 1:r2=1; }\n P0 | P1 ;\n r0 = *(u32 *)(r1 + 0) | store_release((u32 *)(r3 + 0), r2) ;\n if r0 >= 1 goto L0 | r2 = atomic_fetch_add((u64 *)(r1 + 0), r2) ;\n *(u32 *)(r3 + 0) = 5 | r0 = cmpxchg_64(r1 + 0, r0, r2) ;\n L0: r4 = load_acquire((u32 *)(r3 + 0)) | lock *(u64 *)(r1 + 0) += r2 ;\nexists (0:r0=1 /\\ 0:r4=0)\n",
    "AArch64 PTE\nVariant=vmsa\nTTHM=HA\n{ [PTE(x)]=(oa:PA(x), valid:0); 0:X1=PTE(x); 0:X0=(oa:PA(y)); 1:X1=x; }\n P0 | P1 ;\n STR X0,[X1] | L0: LDR W0,[X1] ;\n DSB ISH | ;\n TLBI VMALLE1IS | ;\nexists (1:X0=1 \\/ fault(P1:L0,x))\n",
    "AArch64 TAGS\nVariant=mte,sync\n{ 0:X1=x:red; 0:X2=x:green; }\n P0 ;\n STG X2,[X1] ;\n LDG X3,[X1] ;\n L0: LDR W4,[X2] ;\nexists (~fault(P0:L0,x))\n",
    "AArch64 SIGN\nVariant=pauth2\n{ 0:X0=x; 0:X1=1; }\n P0 ;\n PACDA X0,X1 ;\n AUTDA X0,X1 ;\n LDR W2,[X0] ;\nexists (0:X2=0)\n",
    "C MP\n{ [x]=0; atomic_int y=0; int *p=&x; }\nP0 (int *x, atomic_int *y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_release);\n  for (int i = 0; i < 2; i++) { if (i == 1) break; else continue; }\n}\nP1 (int *x, atomic_int *y) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n  int r1 = 0;\n  while (r0 && r1 < 2) { r1 = *x + (r1 ? 1 : 2); do { r1++; } while (0); }\n  int expected = 0;\n  atomic_compare_exchange_strong_explicit(y, &expected, 2, memory_order_seq_cst, memory_order_relaxed);\n}\nexists (1:r0=1 /\\ 1:r1=0)\n",
    "C LK\n{}\nP0 (int *x, int *y, spinlock_t *l) {\n  spin_lock(l);\n  WRITE_ONCE(*x, 1);\n  smp_wmb();\n  smp_store_release(y, 1);\n  spin_unlock(l);\n}\nP1 (int *x, int *y) {\n  int r0; int r1;\n  rcu_read_lock();\n  r0 = READ_ONCE(*y);\n  smp_rmb();\n  r1 = READ_ONCE(*x);\n  rcu_read_unlock();\n  r1 = atomic_add_return(1, x);\n}\nexists (1:r0=1 /\\ 1:r1=0)\n",
];

/// Models, besides those of `cat/`.
pub const MODELS: &[&str] = &[
    "\"m\"\ninclude \"cos.cat\"\nlet rec r = po | r;rf and s = r & loc\nacyclic r | s | co as a\nflag ~empty (W*W) & loc & ext as race\nundefined_unless irreflexive po;po as u\n",
    "AArch64 model\ninclude \"cross.cat\"\nwith co from generate_cos(0)\nlet fr = rf^-1;co\nprocedure p(x,y) = acyclic x | y as inner end\ncall p(po,rf) as outer\nlet f(r) = match r with || {} -> 0 || e ++ s -> e end\nshow fr\nunshow co\nif \"mixed\" acyclic po else acyclic rf end\n",
    "enum e = 'a || 'b\nlet g t = match t with 'a -> po || _ -> rf end\nforall t in e do acyclic g t as each end\nlet h = try nosuch with W\nempty [h];po;[R] \\ po as none\nassert ~empty W as writes\n",
];

/// Bell files, besides those of `cat/`.
pub const BELLS: &[&str] = &[
    "enum Accesses = 'ONCE || 'RELEASE || 'ACQUIRE\ninstructions R[{'ONCE,'ACQUIRE}]\ninstructions W[{'ONCE,'RELEASE}]\nenum Barriers = 'wmb || 'rmb\ninstructions F[Barriers]\nenum scopes = 'cta || 'gpu\nlet narrower(t) = match t with || 'gpu -> {'cta} || 'cta -> {} end\nlet wider(t) = match t with || 'cta -> {'gpu} || 'gpu -> {} end\ndefault R['ONCE]\n",
];

/// Macro files, besides those of `cat/`.
pub const DEFS: &[&str] = &[
    "smp_store_release(X,V) { __store{release}(*X,V); }\nsmp_load_acquire(X) __load{acquire}(*X)\nREAD_ONCE(X) __load{once}(X)\nWRITE_ONCE(X,V) { __store{once}(X,V); }\nsmp_wmb() { __fence{wmb}; }\nxchg(X,V) __xchg{mb}(X,V)\ncmpxchg(X,V,W) __cmpxchg{mb}(X,V,W)\natomic_add_return(V,X) __atomic_op_return{mb}(X,+,V)\n",
];

/// herd7's configuration files.
pub const CFGS: &[&str] = &[
    "model x86tso.cat\nunroll 3\nspeedcheck fast\nvariant lkmmv2\ntimeout 1.0\nshow prop\n# a comment\nhexa true\nskipchecks A,B\nbell lkmm.bell\nmacros lkmm.def\n",
    "verbose 1\nsuffix -x\nI .\narchcheck false\nthrough all\ngraph cluster\nedgeattr rf,color,red\n",
];

/// Logs: ours, litmus7's, and expectations.
pub const LOGS: &[&str] = &[
    "Test SB Allowed\nStates 4\n0:EAX=0; 1:EAX=0;\n0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n0:EAX=1; 1:EAX=1;\nOk\nWitnesses\nPositive: 1 Negative: 3\nFlag race\nCondition exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Sometimes 1 3\nTime SB 0.01\nHash=edd4722437d708675ed921e7607e77f0\n\n",
    "Test MP Forbidden\nHistogram (3 states)\n500   :>1:R0=0; 1:R1=0;\n499   :>1:R0=1; 1:R1=1;\n1     *>1:R0=1; 1:R1=0;\nOk\n\nWitnesses\nPositive: 1, Negative: 999\nCondition exists (1:R0=1 /\\ 1:R1=0) is validated\nHash=0123456789abcdef0123456789abcdef\nObservation MP Sometimes 1 999\nTime MP 0.20\n\nTest SB Allowed\nStates 0\nLoop No\nWitnesses\nPositive: 0 Negative: 0\nCondition forall (true)\nObservation SB Never 0 0\n\n",
    "# expectations\nSB Allowed\nMP never\nLB forbidden\n",
    "{\"schema\":\"litmus-results/1\",\"name\":\"SB\",\"model\":\"sc\",\"hash\":[\"edd4722437d708675ed921e7607e77f0\"],\"qualifier\":{\"kind\":\"complete\"}}\n",
];

/// C programs, besides those of `litmus/programs`.
pub const PROGRAMS: &[&str] = &[
    "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#define N 2\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\ntypedef struct node { int value; struct node *next; } node_t;\nenum color { RED, GREEN = 3 };\nstatic atomic_int x, y[N];\nunion u { int i; char c[4]; };\nvoid *thread(void *arg) {\n  node_t n = { .value = 1, .next = 0 };\n  int *p = (int *)arg;\n  switch (n.value) { case 1: n.value += *p; break; default: goto out; }\n  for (int i = 0; i < N; i++) atomic_store_explicit(&y[i], MAX(i, n.value), memory_order_release);\nout:\n  return 0;\n}\nint main(void) {\n  pthread_t t; int a[2] = { 1, 2 };\n  pthread_create(&t, 0, thread, &a[1]);\n  do { a[0]--; } while (a[0] > 0);\n  pthread_join(t, 0);\n  assert(y[1] >= sizeof(int) - 4 && !x);\n  return 0;\n}\n",
    "#include <stdlib.h>\n#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint *p;\nint __VERIFIER_nondet_int(void);\nvoid f(int n) { if (n > 0) f(n - 1); }\nvoid *g(void *a) { pthread_mutex_lock(&m); p = malloc(sizeof *p); *p = 3; pthread_mutex_unlock(&m); return p; }\nint main() {\n  pthread_t t; void *r;\n  pthread_create(&t, NULL, g, NULL);\n  f(2);\n  pthread_join(t, &r);\n  int n = __VERIFIER_nondet_int();\n  if (n == 2) free(r);\n  return *p ? 1 << 2 : ~0;\n}\n",
];

/// Systems of processes, besides those of `litmus/dve`.
pub const SYSTEMS: &[&str] = &[
    "const int N = 2;\nbyte a[N] = {1, 0};\nint x = -1;\nprocess A {\n  byte i;\n  state p, q;\n  commit q;\n  init p;\n  assert p: x < 9;\n  trans p -> q { guard a[i] == 1 && x < 3; effect x = x + 1, i = (i + 1) % N; }, q -> p { guard not (x == 2); };\n}\nprocess B { state r; init r; trans r -> r { effect x = 0; }; }\nsystem async;\n",
];

/// Formulas of linear temporal logic, about [`super::SB`].
pub const FORMULAS: &[&str] = &[
    "G (x==1 -> F (0:EAX!=0 || y==1)) && !(x==0 U y==1)",
    "F (ended(P0) && ended(P1)) -> X X (0:EAX==1 R x<=1)",
    "G !(0:EAX==0 && 1:EAX==0 && empty(P0)) W ended(P1)",
    "true U (false || x>=0 && y<2)",
];
