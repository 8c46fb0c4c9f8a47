/* Printing is Schubfach (R. Giulietti, "The Schubfach way to render doubles"). Reading tries what doubles do exactly (Clinger),
 * then 128 bits of the power of ten (as Eisel and Lemire do, but with bounds in place of a proof), then big integers. */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "powers.h"

typedef struct wide {
    uint64_t high, low;
} wide;

static inline wide multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)cross;
    return (wide){a1 * b1 + (cross >> 32) + (other >> 32), other << 32 | (uint32_t)low};
#endif
}

static inline int leading_zeros(uint64_t value)
{
    return __builtin_clzll(value);
}

/* floor(log2(10 ^ exponent)), right for all exponents of the table */
static inline int binary_exponent(int exponent)
{
    return (exponent * 217706) >> 16;
}

static inline wide power_of_ten(int exponent)
{
    const uint64_t *p = powers_of_ten[exponent - POWERS_LEAST];
    return (wide){p[0], p[1]};
}

/* ---- Printing ---- */

typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* The middle and both ends of the interval that reads back as the number, in quarters of 10 ^ exponent, rounded to odd. */
typedef struct interval {
    uint64_t low, middle, high;
    int exponent;
} interval;

/* With a multiple of ten if one lies in the interval, otherwise with the nearest number that does. Which it is changes from
 * number to number, and no processor can foresee it: everything is computed, and then chosen without a branch. */
static inline decimal shortest_in(interval i)
{
    uint64_t digits = i.middle / 4, tens = digits / 10, half = 4 * digits + 2;
    bool below = i.low <= 4 * digits, above = 4 * digits + 4 <= i.high;
    bool tens_below = i.low <= 40 * tens, tens_above = 40 * tens + 40 <= i.high;
    bool up = (i.middle > half) | ((i.middle == half) & (digits % 2));
    uint64_t by_ones = digits + (below != above ? above : up), by_tens = 10 * (tens + tens_above);
    uint64_t choose = 0 - (uint64_t)((tens_below != tens_above) & (digits >= 10));
    return (decimal){(by_tens & choose) | (by_ones & ~choose), i.exponent};
}

/* floor(log10(2 ^ q)), or that of 3/4 of it: how far apart the numbers beside a power of two are */
static inline int decimal_exponent(int q, bool power_of_two)
{
    return (q * 1262611 - (power_of_two ? 524031 : 0)) >> 22;
}

/* The table is rounded down, and Schubfach wants powers rounded up. */
static inline uint64_t odd_product_32(int exponent, uint32_t factor)
{
    wide power = power_of_ten(exponent);
    wide product = multiply(power.high + (power.low != 0), factor);
    return product.high | ((product.low >> 32) > 1);
}

enum { LAST_EXACT_POWER = 55 };

static inline uint64_t odd_product_64(int exponent, uint64_t factor)
{
    wide power = power_of_ten(exponent);
    bool exact = exponent >= 0 && exponent <= LAST_EXACT_POWER;
    wide low = multiply(power.low + !exact, factor), high = multiply(power.high, factor);
    uint64_t middle = high.low + low.high;
    return (high.high + (middle < high.low)) | (middle > 1);
}

static inline decimal shortest_32(uint32_t fraction, int biased)
{
    uint32_t c = biased ? fraction | 1u << 23 : fraction;
    int q = (biased ? biased : 1) - 150;
    if (q <= 0 && q > -24 && !(c & ((1u << -q) - 1)))
        return (decimal){c >> -q, 0};
    bool power_of_two = !fraction && biased > 1, odd = c % 2;
    int k = decimal_exponent(q, power_of_two), h = q + binary_exponent(-k) + 1;
    return shortest_in((interval){odd_product_32(-k, (4 * c - 2 + power_of_two) << h) + odd, odd_product_32(-k, (4 * c) << h),
                                  odd_product_32(-k, (4 * c + 2) << h) - odd, k});
}

static inline decimal shortest_64(uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | 1ull << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    if (q <= 0 && q > -53 && !(c & ((1ull << -q) - 1)))
        return (decimal){c >> -q, 0};
    bool power_of_two = !fraction && biased > 1, odd = c % 2;
    int k = decimal_exponent(q, power_of_two), h = q + binary_exponent(-k) + 1;
    return shortest_in((interval){odd_product_64(-k, (4 * c - 2 + power_of_two) << h) + odd, odd_product_64(-k, (4 * c) << h),
                                  odd_product_64(-k, (4 * c + 2) << h) - odd, k});
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "4950515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
    "99";

static inline int count_digits(uint64_t value)
{
    static const uint64_t powers[] = {0,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000};
    int about = ((64 - leading_zeros(value | 1)) * 1233) >> 12; /* 1233 / 4096 is a little more than log10(2) */
    return about + (value >= powers[about]);
}

static inline void write_pair(char *end, uint32_t below_100)
{
    memcpy(end - 2, pairs + 2 * (size_t)below_100, 2);
}

/* All count digits of a number; they end at end. */
static inline void write_digits(char *end, uint64_t value, int count)
{
    for (; count > 8; count -= 8, end -= 8) {
        uint32_t eight = (uint32_t)(value % 100000000), high = eight / 10000, low = eight % 10000;
        value /= 100000000;
        write_pair(end, low % 100);
        write_pair(end - 2, low / 100);
        write_pair(end - 4, high % 100);
        write_pair(end - 6, high / 100);
    }
    uint32_t rest = (uint32_t)value;
    for (; count > 1; count -= 2, end -= 2, rest /= 100)
        write_pair(end, rest % 100);
    if (count)
        end[-1] = (char)('0' + rest);
}

/* Plain notation where it is not much longer. */
enum { LEAST_PLAIN = -5, MOST_PLAIN = 15 };

static inline char *write_exponent(char *out, int exponent)
{
    *out++ = 'e';
    if (exponent < 0)
        *out++ = '-';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size >= 100)
        *out++ = (char)('0' + size / 100);
    if (size >= 10)
        *out++ = (char)('0' + size / 10 % 10);
    *out++ = (char)('0' + size % 10);
    return out;
}

static inline char *write_decimal(char *out, decimal d)
{
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    int count = count_digits(d.digits), leading = d.exponent + count - 1;
    if (leading < 0 && leading >= LEAST_PLAIN) {
        memcpy(out, "0.000000", 8);
        out += 1 - leading + count;
        write_digits(out, d.digits, count);
        return out;
    }
    if (d.exponent >= 0 && leading <= MOST_PLAIN) {
        write_digits(out + count, d.digits, count);
        memset(out + count, '0', (size_t)d.exponent);
        return out + count + d.exponent;
    }
    /* the digits one place too far to the right, then those before the point where they belong */
    bool plain = leading >= 0 && leading <= MOST_PLAIN;
    int before = plain ? leading + 1 : 1;
    write_digits(out + 1 + count, d.digits, count);
    for (int i = 0; i < before; i++)
        out[i] = out[i + 1];
    out[before] = '.';
    out += count > before ? count + 1 : count;
    return plain ? out : write_exponent(out, leading);
}

/* ---- Printing floats fast: eight digits in a word ---- */

static inline void write_word(char *out, uint64_t word)
{
    word = HOST_IS_BIG_ENDIAN ? __builtin_bswap64(word) : word;
    memcpy(out, &word, sizeof word);
}

/* How many of the last bytes are 0: all eight of none. Counting from below is one step on all processors, from above not. */
static inline int zero_bytes_at_end(uint64_t word)
{
    return __builtin_ctzll(__builtin_bswap64(word) | 1ull << 63) / 8 + !word;
}

static const uint64_t zeros = 0x3030303030303030;

/* Nine digits, of which the last may be zeros, are written wherever they belong; what is not needed is not counted. */
static inline char *write_nine(char *out, uint32_t nine, int leading)
{
    uint64_t rest = number_eight_digits(nine % 100000000);
    int count = 9 - zero_bytes_at_end(rest);
    char first = (char)('0' + nine / 100000000);
    if (leading < 0) {
        memcpy(out, "0.000000", 8);
        out += 1 - leading;
        *out = first;
        write_word(out + 1, rest + zeros);
        return out + count;
    }
    *out = first;
    write_word(out + 1, rest + zeros);
    int before = leading + 1; /* the point */
    if (count <= before)
        return out + before;
    out[before] = '.';
    write_word(out + before + 1, (rest + zeros) >> 8 * leading);
    return out + count + 1;
}

enum { MOST_NINE = 8 };

static inline char *write_float(char *out, decimal d)
{
    static const uint32_t powers[] = {1, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    /* nearly all have eight or nine digits */
    int count = d.digits >= 10000000 ? 8 + (d.digits >= 100000000) + (d.digits >= 1000000000) : count_digits(d.digits);
    int leading = d.exponent + count - 1;
    if (leading >= LEAST_PLAIN && leading <= MOST_NINE && count <= 9)
        return write_nine(out, (uint32_t)d.digits * powers[count], leading);
    return write_decimal(out, d);
}

/* A number, taken apart and with its digits. */
typedef struct readied {
    bool negative, zero;
    decimal decimal;
} readied;

static inline readied ready_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits << 1 == 0)
        return (readied){bits >> 31, true, {0, 0}};
    return (readied){bits >> 31, false, shortest_32(bits & 0x7fffff, (int)(bits >> 23 & 0xff))};
}

static inline char *write_readied(char *out, const readied *r)
{
    *out = '-';
    out += r->negative;
    *out = '0';
    return r->zero ? out + 1 : write_float(out, r->decimal);
}

size_t st_print_f32(char *out, float value)
{
    readied r = ready_float(value);
    return (size_t)(write_readied(out, &r) - out);
}

/* Finding digits and writing them are long chains of dependent steps: of several numbers together they overlap. */
char *st_print_row(char *out, const float *values, size_t count)
{
    readied r[MOST_IN_ROW];
    for (size_t i = 0; i < count; i++)
        r[i] = ready_float(values[i]);
    for (size_t i = 0; i < count; i++) {
        *out++ = ' ';
        out = write_readied(out, &r[i]);
    }
    return out;
}

size_t st_print_f64(char *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    char *at = out;
    *at = '-';
    at += bits >> 63;
    *at = '0';
    if (bits << 1 == 0)
        return (size_t)(at + 1 - out);
    return (size_t)(write_decimal(at, shortest_64(bits & 0xfffffffffffff, (int)(bits >> 52 & 0x7ff))) - out);
}

size_t st_print_u32(char *out, uint32_t value)
{
    size_t length = 0;
    if (value >= 100000000) {
        uint32_t high = value / 100000000;
        length = high >= 10 ? 2 : 1;
        write_digits(out + length, high, (int)length);
        write_word(out + length, number_eight_digits(value % 100000000) + zeros);
        return length + 8;
    }
    uint64_t text;
    length = number_text(value, &text);
    memcpy(out, &text, sizeof text);
    return length;
}

/* ---- Reading: the text ---- */

/* Its value is digits * 10 ^ exponent, and if truncated, less than one more digit. */
typedef struct scanned {
    bool negative, truncated;
    uint64_t digits;
    int64_t exponent;
    const char *mantissa, *mantissa_end;
} scanned;

enum { MOST_DIGITS = 19 }; /* that always fit in 64 bits */
static const int64_t ABSURD_EXPONENT = 1000000000000000000;

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Of short runs, such as what is usual before the point. */
static inline const char *scan_digits(const char *p, const char *end, uint64_t *value)
{
    uint64_t v = *value;
    for (; p < end && is_digit(*p); p++)
        v = 10 * v + (uint64_t)(*p - '0');
    *value = v;
    return p;
}

/* Of longer ones. */
static inline const char *scan_fraction(const char *p, const char *end, uint64_t *value)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (end - p >= 8) {
        uint64_t eight = load_u64((const uint8_t *)p);
        unsigned count = number_digits_of(eight);
        if (!count)
            return p;
        *value = *value * powers[count] + number_value_of(eight, count);
        p += count;
        if (count < 8)
            return p;
    }
    return scan_digits(p, end, value);
}

static const char *scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    const char *e = p + 1;
    bool negative = e < end && *e == '-';
    e += e < end && (*e == '-' || *e == '+');
    if (e == end || !is_digit(*e))
        return p; /* no exponent: whatever follows the number */
    int64_t value = 0;
    for (; e < end && is_digit(*e); e++)
        value = value < ABSURD_EXPONENT / 10 ? 10 * value + (*e - '0') : ABSURD_EXPONENT;
    *exponent += negative ? -value : value;
    return e;
}

/* More digits than 64 bits hold: only the first ones, without leading zeros. */
static void scan_long(scanned *s)
{
    const char *p = s->mantissa;
    int64_t fraction = 0; /* digits taken after the point */
    int taken = 0;
    bool point = false;
    s->digits = 0;
    for (; p < s->mantissa_end && taken < MOST_DIGITS; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        s->digits = 10 * s->digits + (uint64_t)(*p - '0');
        taken += s->digits != 0;
        fraction += point;
    }
    int64_t dropped = 0; /* digits before the point */
    for (; p < s->mantissa_end; p++) {
        s->truncated |= *p != '0' && *p != '.';
        point |= *p == '.';
        dropped += !point;
    }
    s->exponent += dropped - fraction;
}

static inline const char *scan(const char *p, const char *end, scanned *s)
{
    *s = (scanned){.negative = p < end && *p == '-'};
    p += p < end && (*p == '-' || *p == '+');
    s->mantissa = p;
    p = scan_digits(p, end, &s->digits);
    ptrdiff_t digits = p - s->mantissa, fraction = 0;
    if (p < end && *p == '.') {
        const char *start = ++p;
        p = scan_fraction(p, end, &s->digits);
        fraction = p - start;
        digits += fraction;
    }
    if (!digits)
        return NULL;
    s->mantissa_end = p;
    if (digits > MOST_DIGITS)
        scan_long(s);
    else
        s->exponent = -fraction;
    return p < end && (*p | 0x20) == 'e' ? scan_exponent(p, end, &s->exponent) : p;
}

/* ---- Reading: big integers, for what lies too near the middle of two numbers ---- */

/* The longest middle of two doubles has 767 significant digits: what comes later only matters by being there. */
enum { MOST_COMPARED = 800, BIG_WORDS = 96 };

typedef struct big {
    uint32_t words[BIG_WORDS]; /* the lowest first */
    int count;
} big;

static void big_multiply_add(big *b, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    for (int i = 0; i < b->count; i++) {
        sum += (uint64_t)b->words[i] * factor;
        b->words[i] = (uint32_t)sum;
        sum >>= 32;
    }
    if (sum)
        b->words[b->count++] = (uint32_t)sum;
}

static void big_multiply_power_of_five(big *b, int exponent)
{
    for (; exponent >= 13; exponent -= 13)
        big_multiply_add(b, 1220703125, 0);
    for (; exponent > 0; exponent--)
        big_multiply_add(b, 5, 0);
}

static void big_shift(big *b, int bits)
{
    int words = bits / 32;
    big_multiply_add(b, 1u << bits % 32, 0);
    memmove(b->words + words, b->words, (size_t)b->count * sizeof *b->words);
    memset(b->words, 0, (size_t)words * sizeof *b->words);
    b->count += words;
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

/* All digits of the text; returns the exponent of the last one taken. */
static int big_of_digits(big *b, const scanned *s)
{
    int taken = 0, kept = 0;
    bool more = false;
    b->count = 0;
    for (const char *p = s->mantissa; p < s->mantissa_end; p++) {
        if (*p == '.' || (!taken && *p == '0'))
            continue;
        if (taken++ < MOST_COMPARED)
            big_multiply_add(b, 10, (uint32_t)(*p - '0'));
        else
            more |= *p != '0';
        /* s->digits has this many of them: how far the exponent goes down from there */
        kept = taken < MOST_COMPARED ? taken : MOST_COMPARED;
        if (taken > MOST_COMPARED && more)
            break;
    }
    if (more)
        big_multiply_add(b, 10, 1);
    int in_digits = 0;
    for (uint64_t d = s->digits; d; d /= 10)
        in_digits++;
    return (int)s->exponent + in_digits - kept - more;
}

/* How the text compares with odd * 2 ^ exponent. */
static int compare_exactly(const scanned *s, uint64_t odd, int exponent)
{
    big text, middle = {{(uint32_t)odd, (uint32_t)(odd >> 32)}, odd >> 32 ? 2 : 1};
    int decimal = big_of_digits(&text, s);
    if (decimal >= 0)
        big_multiply_power_of_five(&text, decimal);
    else
        big_multiply_power_of_five(&middle, -decimal);
    if (decimal > exponent)
        big_shift(&text, decimal - exponent);
    else
        big_shift(&middle, exponent - decimal);
    return big_compare(&text, &middle);
}

/* ---- Reading: rounding ---- */

/* A binary format: bits of a number, seen as an integer, grow with it, from 0 to infinity. */
typedef struct binary {
    int fraction_bits;
    int least_exponent; /* of the last bit of the least numbers */
    uint64_t infinity;
} binary;

static const binary single_precision = {23, -149, 0xffull << 23};
static const binary double_precision = {52, -1074, 0x7ffull << 52};

/* The nearest number to high * 2 ^ exponent, or a little more if there is more; high has its highest bit set. */
static uint64_t round_to(const binary *b, uint64_t high, bool more, int exponent)
{
    int last = exponent + 63 - b->fraction_bits;
    last = last > b->least_exponent ? last : b->least_exponent;
    int shift = last - exponent; /* at least 11 */
    if (shift > 64)
        return 0;
    uint64_t mantissa = shift < 64 ? high >> shift : 0, half = 1ull << (shift - 1);
    uint64_t rest = shift < 64 ? high & (2 * half - 1) : high;
    mantissa += rest > half || (rest == half && (more || mantissa % 2));
    uint64_t bits = ((uint64_t)(last - b->least_exponent) << b->fraction_bits) + mantissa;
    return bits < b->infinity ? bits : b->infinity;
}

static uint64_t round_wide(const binary *b, wide value, bool more, int exponent)
{
    if (value.high >> 63)
        return round_to(b, value.high, more || value.low, exponent);
    return round_to(b, value.high << 1 | value.low >> 63, more || value.low << 1, exponent - 1);
}

/* Below and above are neighbours, and the text lies near their middle. */
static uint64_t round_exactly(const binary *b, const scanned *s, uint64_t below, uint64_t above)
{
    uint64_t fraction = below & ((1ull << b->fraction_bits) - 1);
    int biased = (int)(below >> b->fraction_bits);
    uint64_t mantissa = biased ? fraction | 1ull << b->fraction_bits : fraction;
    int order = compare_exactly(s, 2 * mantissa + 1, b->least_exponent + (biased ? biased - 1 : 0) - 1);
    return order < 0 || (order == 0 && below % 2 == 0) ? below : above;
}

static uint64_t nearest(const binary *b, const scanned *s)
{
    if (!s->digits || s->exponent < POWERS_LEAST)
        return 0;
    if (s->exponent > POWERS_MOST)
        return b->infinity;
    int exponent = (int)s->exponent, shift = leading_zeros(s->digits);
    wide power = power_of_ten(exponent);
    uint64_t digits = s->digits << shift;
    wide upper = multiply(digits, power.high), lower = multiply(digits, power.low);
    wide product = {upper.high, upper.low + lower.high};
    product.high += product.low < upper.low;
    bool exact = exponent >= 0 && exponent <= LAST_EXACT_POWER && !s->truncated;
    int scale = binary_exponent(exponent) - shift + 1;
    uint64_t below = round_wide(b, product, lower.low != 0, scale);
    if (exact)
        return below;
    /* the truth is below this: one more in the table's last bit, and as the case may be one more digit */
    wide most = {product.high, product.low + 1};
    most.high += most.low == 0;
    if (s->truncated) {
        wide digit = {shift ? power.high >> (64 - shift) : 0, power.high << shift};
        digit.low += 1ull << shift;
        digit.high += digit.low < 1ull << shift;
        most.low += digit.low + 1;
        most.high += digit.high + (most.low <= digit.low);
    }
    uint64_t above = round_wide(b, most, true, scale);
    return below == above ? below : round_exactly(b, s, below, above);
}

/* Doubles hold these exactly, and one operation rounds correctly. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline bool in_one_step(const scanned *s, double *value)
{
    if (s->truncated || s->digits >> 53 || s->exponent < -22 || s->exponent > 22)
        return false;
    double digits = (double)s->digits;
    *value = s->exponent < 0 ? digits / exact_powers[-s->exponent] : digits * exact_powers[s->exponent];
    return true;
}

const char *st_parse_f64(const char *p, const char *end, double *value)
{
    scanned s;
    const char *rest = scan(p, end, &s);
    if (!rest)
        return NULL;
    if (!in_one_step(&s, value)) {
        uint64_t bits = nearest(&double_precision, &s);
        memcpy(value, &bits, sizeof *value);
    }
    *value = s.negative ? -*value : *value;
    return rest;
}

/* A double between two floats rounds as the number that it came from does, unless it is just in the middle. */
static inline bool rounds_once(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x1fffffff) != 0x10000000 && value >= 0x1p-126 && value < 0x1p127;
}

const char *st_parse_f32(const char *p, const char *end, float *value)
{
    scanned s;
    double first;
    const char *rest = scan(p, end, &s);
    if (!rest)
        return NULL;
    if (in_one_step(&s, &first) && (rounds_once(first) || first == 0)) {
        *value = (float)first;
    } else {
        uint32_t bits = (uint32_t)nearest(&single_precision, &s);
        memcpy(value, &bits, sizeof *value);
    }
    *value = s.negative ? -*value : *value;
    return rest;
}
