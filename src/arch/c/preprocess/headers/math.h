#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define HUGE_VAL (1.0 / 0.0)
#define INFINITY (1.0f / 0.0f)
#define NAN (0.0f / 0.0f)
#define isnan(x) ((x) != (x))
#define isinf(x) (fabs(x) == 1.0 / 0.0)
#define isfinite(x) (fabs(x) < 1.0 / 0.0)
#define signbit(x) (1.0 / (x) < 0 || (x) < 0)
static inline double fabs(double x) { return x < 0 ? -x : x; }
static inline float fabsf(float x) { return x < 0 ? -x : x; }
static inline double fmin(double x, double y) { return x < y || y != y ? x : y; }
static inline double fmax(double x, double y) { return x > y || y != y ? x : y; }
static inline float fminf(float x, float y) { return x < y || y != y ? x : y; }
static inline float fmaxf(float x, float y) { return x > y || y != y ? x : y; }
static inline double trunc(double x) { return fabs(x) < 4503599627370496.0 ? (double)(long)x : x; }
static inline double floor(double x) { double t = trunc(x); return t > x ? t - 1 : t; }
static inline double ceil(double x) { double t = trunc(x); return t < x ? t + 1 : t; }
static inline float truncf(float x) { return (float)trunc(x); }
static inline float floorf(float x) { return (float)floor(x); }
static inline float ceilf(float x) { return (float)ceil(x); }
static inline double sqrt(double x) { return __litmus_math("sqrt", x, 0.0); }
static inline double cbrt(double x) { return __litmus_math("cbrt", x, 0.0); }
static inline double exp(double x) { return __litmus_math("exp", x, 0.0); }
static inline double log(double x) { return __litmus_math("log", x, 0.0); }
static inline double log2(double x) { return __litmus_math("log2", x, 0.0); }
static inline double log10(double x) { return __litmus_math("log10", x, 0.0); }
static inline double sin(double x) { return __litmus_math("sin", x, 0.0); }
static inline double cos(double x) { return __litmus_math("cos", x, 0.0); }
static inline double tan(double x) { return __litmus_math("tan", x, 0.0); }
static inline double asin(double x) { return __litmus_math("asin", x, 0.0); }
static inline double acos(double x) { return __litmus_math("acos", x, 0.0); }
static inline double atan(double x) { return __litmus_math("atan", x, 0.0); }
static inline double round(double x) { return __litmus_math("round", x, 0.0); }
static inline double pow(double x, double y) { return __litmus_math("pow", x, y); }
static inline double fmod(double x, double y) { return __litmus_math("fmod", x, y); }
static inline double atan2(double x, double y) { return __litmus_math("atan2", x, y); }
static inline double hypot(double x, double y) { return __litmus_math("hypot", x, y); }
/* In `float`: what it is in `double`, rounded. */
static inline float sqrtf(float x) { return (float)sqrt(x); }
static inline float cbrtf(float x) { return (float)cbrt(x); }
static inline float expf(float x) { return (float)exp(x); }
static inline float logf(float x) { return (float)log(x); }
static inline float log2f(float x) { return (float)log2(x); }
static inline float log10f(float x) { return (float)log10(x); }
static inline float sinf(float x) { return (float)sin(x); }
static inline float cosf(float x) { return (float)cos(x); }
static inline float tanf(float x) { return (float)tan(x); }
static inline float asinf(float x) { return (float)asin(x); }
static inline float acosf(float x) { return (float)acos(x); }
static inline float atanf(float x) { return (float)atan(x); }
static inline float roundf(float x) { return (float)round(x); }
static inline float powf(float x, float y) { return (float)pow(x, y); }
static inline float fmodf(float x, float y) { return (float)fmod(x, y); }
static inline float atan2f(float x, float y) { return (float)atan2(x, y); }
static inline float hypotf(float x, float y) { return (float)hypot(x, y); }
static inline long lround(double x) { return (long)round(x); }
