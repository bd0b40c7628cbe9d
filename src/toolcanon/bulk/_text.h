/* JSON text scanned strictly, and copied as orjson would write it.

   What is read stands between `mark` and `at` until it is copied, so that whatever is spelled as
   usual is copied in one piece. Every function returns whether all is as usual: anything else
   ends the reading, and is Python's business. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Threads may have stacks of 128 kB, and a level takes up to five. */
enum { DEEPEST = 20, WIDEST = 64, LONGEST_INTEGER = 18, MOST_DIGITS = 15 };

/* What stands between two quotes. */
typedef struct { const char *at; Py_ssize_t length; } Slice;

typedef struct {
    const char *at, *end;
    const char *mark;           /* what comes next in the copy; NULL while nothing is copied */
    char *out;
    Py_ssize_t used, room;
    int depth;
    uint64_t high;              /* whether anything but ASCII was met */
} Text;

static inline int same(Slice a, Slice b) {
    return a.length == b.length && !memcmp(a.at, b.at, (size_t)a.length);
}

static inline int is(Slice a, const char *word) {
    return same(a, (Slice){word, (Py_ssize_t)strlen(word)});
}

static int put(Text *t, const char *from, Py_ssize_t length) {
    if (t->used + length >= t->room) {
        Py_ssize_t room = 2 * (t->used + length) + 64;
        char *more = PyMem_Realloc(t->out, (size_t)room);
        if (!more) return 0;
        t->out = more;
        t->room = room;
    }
    memcpy(t->out + t->used, from, (size_t)length);
    t->used += length;
    return 1;
}

/* Copy what was read up to `from`; it goes on at `to`. */
static int cut(Text *t, const char *from, const char *to) {
    if (!t->mark) return 1;
    int done = put(t, t->mark, from - t->mark);
    t->mark = to;
    return done;
}

static inline int is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* The next character that is no blank; 0 at the end. */
static inline char next(Text *t) {
    if (t->at < t->end && is_blank(*t->at)) {
        const char *from = t->at;
        while (t->at < t->end && is_blank(*t->at)) t->at++;
        if (!cut(t, from, t->at)) return 0;
    }
    return t->at < t->end ? *t->at : 0;
}

static inline int take(Text *t, char one) {
    if (next(t) != one) return 0;
    t->at++;
    return 1;
}

/* Into a list or an object; whether it has any part. */
static inline int enter(Text *t, char closing, int *more) {
    if (++t->depth > DEEPEST) return 0;
    t->at++;
    *more = next(t) != closing;
    if (!*more) t->at++, t->depth--;
    return 1;
}

/* Behind a part: whether another one follows. */
static inline int goes_on(Text *t, char closing, int *more) {
    char found = next(t);
    *more = found == ',';
    if (!*more) t->depth--;
    t->at++;
    return *more || found == closing;
}

/* A string as it stands. */
static inline int raw_string(Text *t, Slice *slice, int *is_escaped) {
    const uint64_t ones = ~(uint64_t)0 / 255, tops = ones << 7;
    const char *at = t->at + 1, *end = t->end;
    if (t->at >= end || *t->at != '"') return 0;
    slice->at = at;
    *is_escaped = 0;
    for (;;) {
        uint64_t eight, ends;
        while (end - at >= 8) { /* eight characters at once: no quote, backslash or control */
            memcpy(&eight, at, 8);
            uint64_t quotes = eight ^ ones * '"', slashes = eight ^ ones * '\\';
            ends = ((quotes - ones) | (slashes - ones) | (eight - ones * 0x20)) & ~eight & tops;
            if (ends) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                int before = __builtin_ctzll(ends) >> 3; /* the first of them is certain */
                t->high |= eight & tops & (((uint64_t)1 << 8 * before) - 1);
                at += before;
#endif
                break;
            }
            t->high |= eight & tops;
            at += 8;
        }
        while (at < end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\') t->high |= *at++ & 0x80;
        if (at >= end || (unsigned char)*at < 0x20) return 0;
        if (*at == '"') break;
        *is_escaped = 1;
        at += 2;
    }
    slice->length = at - slice->at;
    t->at = at + 1;
    return 1;
}

static int hex4(const char *at, const char *end, uint32_t *value) {
    *value = 0;
    if (end - at < 4) return 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)at[i], low = c | 0x20;
        int value_of = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (value_of < 0) return 0;
        *value = *value << 4 | (uint32_t)value_of;
    }
    return 1;
}

static int put_code(Text *t, uint32_t code) {
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    char utf8[4];
    for (int i = length - 1; i > 0; i--, code >>= 6) utf8[i] = (char)(0x80 | (code & 0x3F));
    utf8[0] = (char)(first[length] | code);
    return put(t, utf8, length);
}

/* A character as orjson writes it in a string. */
static int put_spelled(Text *t, uint32_t code) {
    static const char *const LETTERS = "btn.fr"; /* from 0x08 */
    char spelled[7] = {'\\', (char)code};
    if (code == '"' || code == '\\') return put(t, spelled, 2);
    if (code >= 0x20) return put_code(t, code);
    if (code >= 0x08 && code <= 0x0D && code != 0x0B) {
        spelled[1] = LETTERS[code - 0x08];
        return put(t, spelled, 2);
    }
    snprintf(spelled, sizeof spelled, "\\u%04x", (unsigned)code);
    return put(t, spelled, 6);
}

/* What a string with escapes says; or how orjson would write that. */
static int put_string(Text *t, Slice slice, int is_spelled) {
    const char *at = slice.at, *end = slice.at + slice.length;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        if (!put(t, at, (slash ? slash : end) - at)) return 0;
        if (!slash) return 1;
        if (end - slash < 2) return 0;
        uint32_t code = (unsigned char)slash[1], low;
        at = slash + 2;
        switch (slash[1]) {
            case '"': case '\\': case '/': break;
            case 'b': code = 0x08; break;
            case 't': code = 0x09; break;
            case 'n': code = 0x0A; break;
            case 'f': code = 0x0C; break;
            case 'r': code = 0x0D; break;
            case 'u':
                if (!hex4(at, end, &code) || code >> 10 == 0x37) return 0;
                at += 4;
                if (code >> 10 == 0x36) { /* the first half of a pair */
                    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return 0;
                    if (!hex4(at + 2, end, &low) || low >> 10 != 0x37) return 0;
                    code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
                    at += 6;
                }
                break;
            default: return 0;
        }
        if (!(is_spelled ? put_spelled(t, code) : put_code(t, code))) return 0;
    }
    return 1;
}

/* A string to be copied. */
static inline int string(Text *t, Slice *slice) {
    int is_escaped;
    if (!raw_string(t, slice, &is_escaped)) return 0;
    return !is_escaped || (cut(t, slice->at, slice->at + slice->length) && put_string(t, *slice, 1));
}

/* The keys of an object, none of which stands twice and none of which is escaped. */
typedef struct { Slice keys[WIDEST]; int count; } Keys;

static inline int holds(const Keys *keys, Slice sought) {
    for (int i = 0; i < keys->count; i++)
        if (same(keys->keys[i], sought)) return 1;
    return 0;
}

static inline int add(Keys *keys, Slice found) {
    if (keys->count == WIDEST || holds(keys, found)) return 0;
    keys->keys[keys->count++] = found;
    return 1;
}

static inline int key(Text *t, Keys *keys, Slice *found) {
    int is_escaped;
    next(t);
    return raw_string(t, found, &is_escaped) && !is_escaped && add(keys, *found) && take(t, ':');
}

/* A number that every program writes alike. */
static int number(Text *t, Slice *slice, int *is_integer) {
    slice->at = t->at;
    if (t->at < t->end && *t->at == '-') t->at++;
    const char *digits = t->at, *point = NULL;
    for (; t->at < t->end && ((*t->at >= '0' && *t->at <= '9') || (*t->at == '.' && !point)); t->at++)
        if (*t->at == '.') point = t->at;
    slice->length = t->at - slice->at;
    *is_integer = !point;
    Py_ssize_t whole = (point ? point : t->at) - digits;
    if (whole < 1 || (t->at < t->end && (*t->at == 'e' || *t->at == 'E' || *t->at == '.'))) return 0;
    if (*digits == '0' && (whole > 1 || digits != slice->at)) return 0; /* -0.5, too */
    if (!point) return whole <= LONGEST_INTEGER;
    Py_ssize_t fraction = t->at - point - 1;
    if (fraction < 1 || whole + fraction > MOST_DIGITS) return 0;
    if (t->at[-1] == '0') return fraction == 1;
    return *digits != '0' || point[1] != '0' || fraction < 3; /* none that needs a power of ten */
}

static inline int literal(Text *t, const char *word) {
    Py_ssize_t length = (Py_ssize_t)strlen(word);
    if (t->end - t->at < length || memcmp(t->at, word, (size_t)length)) return 0;
    t->at += length;
    return 1;
}

/* Any value, to be copied. */
static int value(Text *t) {
    char first = next(t), closing = first == '[' ? ']' : '}';
    Slice slice;
    int more, is_integer;
    Keys keys;
    switch (first) {
        case '"': return string(t, &slice);
        case 't': return literal(t, "true");
        case 'f': return literal(t, "false");
        case 'n': return literal(t, "null");
        default: return number(t, &slice, &is_integer);
        case '[': case '{': break;
    }
    keys.count = 0;
    if (!enter(t, closing, &more)) return 0;
    while (more) {
        if (first == '{' && !key(t, &keys, &slice)) return 0;
        if (!value(t) || !goes_on(t, closing, &more)) return 0;
    }
    return 1;
}
