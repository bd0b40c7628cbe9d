/* One row while it is read: its tool without what is taken out, and the texts and members taken out.
   Nothing here knows what a target accepts. */

enum { MOST_HOLES = 12, MOST_TEXTS = 160, LONGEST_OUTLINE = 2048, LONGEST_MEMBER = 4096 };
enum { WRAPPED = 2, DEEPEST_ROOT = 5 }; /* how deep a tool and its schema may be inside others */

/* What is cut out of a tool; as in `templates`. No text has such a byte. */
enum { NOTHING, OF_NAME, OF_TEXT, OF_MEMBERS, OF_REQUIRED, OF_VALUES, OF_OPTIONAL };
/* Not in an outline, but where the names of all members are written. */
enum { ALL_NAMES = -1 };
/* What may be one of these, until its object was read. */
enum { TITLE = 16, DESCRIPTION, NEEDED, MAYBE, PENDING };
/* Words of types; as in `template_reader`. */
enum { BEGINS = 1, WHOLE = 2 };

typedef struct { Py_ssize_t from, to; } Span;
typedef struct { int sort; Span span; } Hole;
typedef struct { Slice name; Span key, value; int text, texts, is_optional; } Member;

typedef struct {
    PyObject_HEAD
    Table types;         /* words by which a text may be the name of a type */
    Table columns;       /* keys of a row that may hold a conversation or calls */
    Table reserved;      /* names that are not kept although their letters are fine */
    Names tools, members;
    PyObject *known;     /* outline: None, or (pieces, anything, members) */
    int tells_optional;  /* whether members that are not required are others than those that are */
} Reader;

typedef struct {
    Text text;
    const Reader *reader;
    Hole holes[MOST_HOLES];
    int count;
    Hole texts[MOST_TEXTS]; /* inside of members: texts, and lists of values */
    int text_count;
    Member members[WIDEST];
    Keys names, required;
    int has_members, has_required;
    int has_optional;       /* whether a member is not required, where that is told */
    Slice name;
    Span tool;              /* where the tool is in what was copied of the row */
} Row;

/* --- texts and members ----------------------------------------------------------------------- */

/* How much was copied up to here. */
static int reach(Text *t, Py_ssize_t *used) {
    int done = cut(t, t->at, t->at);
    *used = t->used;
    return done;
}

/* A string to be copied, and where the copy is without its quotes. */
static int copied_string(Text *t, Span *inside) {
    Slice slice;
    if (!reach(t, &inside->from) || !string(t, &slice) || !reach(t, &inside->to)) return 0;
    inside->from++;
    inside->to--;
    return 1;
}

/* Whether a byte may be of a blank, in any script. */
static inline int is_edge(char c) {
    unsigned char byte = (unsigned char)c;
    return byte == ' ' || byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3) || (byte >= 0x80 && byte <= 0x8A) ||
           byte == 0x9A || byte == 0x9F || byte == 0xA0 || byte == 0xA8 || byte == 0xA9 || byte == 0xAF;
}

/* Whether a text is a remark: OF_TEXT, NOTHING where it may be a type, or MAYBE where that depends on
   what is around it. */
static int sort_of(const Row *row, Span span) {
    const char *at = row->text.out + span.from, *end = row->text.out + span.to;
    char word[32];
    Py_ssize_t length = 0, first = 0;
    if (end - at < 40 && memchr(at, '\\', (size_t)(end - at))) return NOTHING;
    while (at < end && is_edge(*at)) at++;
    while (at < end && is_edge(end[-1])) end--;
    if (at == end) return NOTHING;
    for (; at + length < end && length < (Py_ssize_t)sizeof word; length++) {
        char c = at[length];
        word[length] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    if (at + length == end && number_of(&row->reader->types, (Slice){word, length}, 0)) return NOTHING;
    while (first < length && word[first] >= 'a' && word[first] <= 'z') first++;
    return number_of(&row->reader->types, (Slice){word, first}, 0) == BEGINS ? MAYBE : OF_TEXT;
}

static int remark(Row *row) {
    Span span;
    if (!copied_string(&row->text, &span)) return 0;
    int sort = sort_of(row, span);
    if (sort == NOTHING) return 1;
    if (row->text_count == MOST_TEXTS) return 0;
    row->texts[row->text_count++] = (Hole){sort, span};
    return 1;
}

/* Whether what was copied are words of a list: two or more, which differ and have no escapes. */
static int are_words(const Row *row, Span span) {
    const char *at = row->text.out + span.from, *end = row->text.out + span.to;
    Keys words;
    words.count = 0;
    for (; at < end; at++) {
        const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        if (!close || close - at < 2 || at[1] <= ' ' || close[-1] <= ' ') return 0;
        Slice word = {at + 1, close - at - 1};
        if (memchr(word.at, '\\', (size_t)word.length) || !add(&words, word)) return 0;
        at = close + 1;
    }
    return words.count > 1;
}

/* An enum. Whether its values may be any others is known at the end of its object. */
static int values(Row *row) {
    Span span;
    if (!reach(&row->text, &span.from) || !value(&row->text) || !reach(&row->text, &span.to)) return 0;
    if (row->text.out[span.from++] != '[') return 1;
    span.to--; /* others may be written behind them */
    if (!are_words(row, span) || row->text_count == MOST_TEXTS) return 1;
    row->texts[row->text_count++] = (Hole){PENDING, span};
    return 1;
}

/* What the holes of an object are, now that all of it was read. */
static void settle_texts(Row *row, int begin, int has_type, int has_words) {
    int count = begin;
    for (int i = begin; i < row->text_count; i++) {
        Hole hole = row->texts[i];
        if (hole.sort == MAYBE) hole.sort = has_type ? OF_TEXT : NOTHING;
        if (hole.sort == PENDING) hole.sort = has_words ? OF_VALUES : NOTHING;
        if (hole.sort != NOTHING) row->texts[count++] = hole;
    }
    row->text_count = count;
}

/* What a type says: WORDS for a string, ANY for one that is no object, 0 for all else. */
enum { ANY = 1, WORDS };
static int type_of(const Row *row, Py_ssize_t from) {
    static const char *const TYPES[] = {"string", "integer", "number", "boolean", "array"};
    Py_ssize_t length = row->text.used - from - 2;
    char word[8];
    if (length < 5 || length > 7 || row->text.out[from] != '"') return 0;
    for (Py_ssize_t i = 0; i < length; i++) word[i] = (char)(row->text.out[from + 1 + i] | 0x20);
    for (int i = 0; i < 5; i++)
        if (is((Slice){word, length}, TYPES[i])) return i ? ANY : WORDS;
    return 0;
}

static int is_text(Slice key) { return is(key, "description") || is(key, "title"); }

static int is_data(Slice key) {
    return is(key, "enum") || is(key, "default") || is(key, "const") || is(key, "examples") || is(key, "example");
}

static int is_map(Slice key) { return is(key, "properties") || is(key, "patternProperties"); }

static int is_empty(const Text *t) {
    const char *at = t->at + 1;
    while (at < t->end && is_blank(*at)) at++;
    return at < t->end && (*at == '}' || *at == ']' || *at == '"') && (*at != '"' || *t->at == '"');
}

/* A value where a schema may be; `in_map`: its keys are names; `is_alone`: no other schema is about the
   same value. References are for others. */
static int schema(Row *row, int in_map, int is_alone) {
    Text *t = &row->text;
    char first = next(t), closing = first == '[' ? ']' : '}';
    Slice name;
    Keys keys;
    int more, begin = row->text_count, type = 0, is_plain = is_alone, has_members = 0, has_others = 0;
    if (first != '{' && first != '[') return value(t);
    keys.count = 0;
    if (!enter(t, closing, &more)) return 0;
    while (more) {
        int is_keyword = 0, done;
        if (first == '{') {
            if (!key(t, &keys, &name)) return 0;
            is_keyword = !in_map;
            if (is_keyword && name.length && *name.at == '$' && !is(name, "$comment")) return 0;
        }
        char begins = next(t);
        if (!is_keyword) done = schema(row, 0, is_alone && in_map);
        else if (begins == '"' && is_text(name)) done = remark(row);
        else if (is_alone && is(name, "enum")) done = values(row);
        else if (is(name, "type")) {
            Py_ssize_t from, to;
            done = reach(t, &from) && schema(row, 0, 0) && reach(t, &to);
            type = type_of(row, from);
        } else {
            is_plain = 0;
            has_members |= begins == '{' && is(name, "properties") && !is_empty(t);
            has_others |= begins == '"' && !is(name, "default") && !is(name, "pattern");
            done = is_data(name) ? value(t) : schema(row, is_map(name), is_alone && (is_map(name) || is(name, "items")));
        }
        if (!done || !goes_on(t, closing, &more)) return 0;
    }
    /* A text may be read as a type where nothing else says what its object is. */
    settle_texts(row, begin, (type || has_members) && !has_others, type == WORDS && is_plain);
    return 1;
}

/* --- a tool and its holes -------------------------------------------------------------------- */

static Hole *hole_of(Row *row, int sort) {
    if (row->count == MOST_HOLES) return NULL;
    Hole *hole = &row->holes[row->count++];
    hole->sort = sort;
    return reach(&row->text, &hole->span.from) ? hole : NULL;
}

static int keeps(const Row *row, const Names *names, Slice name) {
    return (!names->longest || allows(names, name)) && !number_of(&row->reader->reserved, name, 0);
}

static int name_of(Row *row) {
    Text *t = &row->text;
    int is_escaped;
    Hole *hole = hole_of(row, OF_NAME);
    if (!hole || !raw_string(t, &row->name, &is_escaped) || is_escaped || !keeps(row, &row->reader->tools, row->name)) return 0;
    if (!reach(t, &hole->span.to)) return 0;
    hole->span.from++;
    hole->span.to--;
    return 1;
}

static int text_of(Row *row, Slice key) {
    Hole *hole = hole_of(row, is(key, "title") ? TITLE : DESCRIPTION);
    return hole && copied_string(&row->text, &hole->span);
}

static int members(Row *row) {
    Text *t = &row->text;
    int more;
    row->has_members = 1;
    Hole *hole = hole_of(row, OF_MEMBERS);
    if (!hole || !enter(t, '}', &more)) return 0;
    while (more) {
        Member *member = &row->members[row->names.count];
        if (row->names.count == WIDEST || next(t) != '"' || !reach(t, &member->key.from)) return 0;
        if (!key(t, &row->names, &member->name) || next(t) != '{' || !reach(t, &member->key.to)) return 0;
        if (!keeps(row, &row->reader->members, member->name)) return 0;
        if (member->name.length && *member->name.at == '$') return 0; /* it may be taken for a keyword */
        member->value.from = member->key.to;
        member->text = row->text_count;
        if (!schema(row, 0, 1) || !reach(t, &member->value.to)) return 0;
        member->texts = row->text_count - member->text;
        if (!goes_on(t, '}', &more)) return 0;
    }
    return reach(t, &hole->span.to);
}

static int required(Row *row) {
    Text *t = &row->text;
    Slice name;
    int more, is_escaped;
    row->has_required = 1;
    Hole *hole = hole_of(row, NEEDED);
    if (!hole || !enter(t, ']', &more)) return 0;
    while (more) {
        next(t);
        if (!raw_string(t, &name, &is_escaped) || is_escaped || !add(&row->required, name)) return 0;
        if (!goes_on(t, ']', &more)) return 0;
    }
    return reach(t, &hole->span.to);
}

/* What the words of an object are, now that all of it was read. Elsewhere they may mean anything. */
static void settle(Row *row, int begin, int is_root, int is_tool) {
    for (int i = begin; i < row->count; i++) {
        int *sort = &row->holes[i].sort;
        if (*sort == TITLE) *sort = is_root ? OF_TEXT : NOTHING;
        if (*sort == DESCRIPTION) *sort = is_root || is_tool ? OF_TEXT : NOTHING;
        if (*sort != NEEDED) continue;
        *sort = is_root ? OF_REQUIRED : NOTHING;
        if (!is_root) row->has_required = row->required.count = 0;
    }
}

/* Whether a tool, or its schema, may be under a key. */
static int leads_on(Slice key) { return !is_data(key) && *key.at != '$' && !is(key, "definitions"); }

/* An object of a tool that is no member: the tool, what is around it, or its schema. */
static int part(Row *row, int depth) {
    Text *t = &row->text;
    Keys keys;
    Slice name;
    int more, done, begin = row->count, is_root = 0, had_name = !!row->name.at;
    keys.count = 0;
    if (!enter(t, '}', &more)) return 0;
    while (more) {
        if (!key(t, &keys, &name)) return 0;
        char first = next(t);
        int is_full = (first == '"' || first == '{' || first == '[') && !is_empty(t);
        if (!is_full) done = value(t);
        else if (first == '"' && is_text(name)) done = text_of(row, name);
        else if (first == '"' && is(name, "name") && depth <= WRAPPED && !row->name.at) done = name_of(row);
        else if (first == '{' && is(name, "properties") && !row->has_members) done = is_root = members(row);
        else if (first == '[' && is(name, "required") && !row->has_required) done = required(row);
        else if (first == '{' && depth < DEEPEST_ROOT && leads_on(name)) done = part(row, depth + 1);
        else done = value(t);
        if (!done || !goes_on(t, '}', &more)) return 0;
    }
    settle(row, begin, is_root, depth <= WRAPPED && !had_name && row->name.at);
    return 1;
}
