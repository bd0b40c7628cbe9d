/* Rows of JSON written like a row that was converted before.

   The tools of a catalog differ in little but names, texts and members. What is left of a tool
   without them is its outline. Python converts one example of each outline, and one of each member,
   and keeps what they became: the templates. Here a line is read, its outline and its members are
   looked up, and the row is put together.

   Nothing here knows a provider, a dialect or what a keyword means to them. The reader knows JSON,
   and where texts and members are in a schema. The answer to anything unusual is None, and Python
   converts the row: errors, keys that occur twice, long numbers, escaped keys, references, deep and
   wide values are its business alone. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_text.h"
#include "_table.h"

enum { MOST_HOLES = 12, MOST_TEXTS = 160, LONGEST_OUTLINE = 2048, LONGEST_MEMBER = 4096 };
enum { WRAPPED = 2, DEEPEST_ROOT = 5 }; /* how deep a tool and its schema may be inside others */

/* What is cut out of a tool; as in `templates`. No text has such a byte. */
enum { NOTHING, OF_NAME, OF_TEXT, OF_MEMBERS, OF_REQUIRED, OF_VALUES };
/* What may be one of these, until its object was read. */
enum { TITLE = 16, DESCRIPTION, NEEDED, MAYBE, PENDING };
/* Words of types; as in `template_reader`. */
enum { BEGINS = 1, WHOLE = 2 };

typedef struct { Py_ssize_t from, to; } Span;
typedef struct { int sort; Span span; } Hole;
typedef struct { Slice name; Span key, value; int text, texts; } Member;

typedef struct {
    PyObject_HEAD
    Table types;         /* words by which a text may be the name of a type */
    Table columns;       /* keys of a row that may hold a conversation or calls */
    Table reserved;      /* names that are not kept although their letters are fine */
    Names tools, members;
    PyObject *known;     /* outline: None, or (pieces, anything, members) */
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

/* Whether what was copied is a list of words: of two or more, which differ and have no escapes. */
static int are_words(const Row *row, Span span) {
    const char *at = row->text.out + span.from + 1, *end = row->text.out + span.to - 1;
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
    if (row->text.out[span.from] != '[' || !are_words(row, span) || row->text_count == MOST_TEXTS) return 1;
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

/* --- rows ------------------------------------------------------------------------------------ */

static int whole_tool(Row *row) {
    Text *t = &row->text;
    return next(t) == '{' && reach(t, &row->tool.from) && part(row, 1) && reach(t, &row->tool.to);
}

/* What is beside a tool: nothing that may be a conversation. */
static int column(Row *row, Slice name) {
    Text *t = &row->text;
    const char *from = t->at;
    if (number_of(&row->reader->columns, name, 0) || !value(t)) return 0;
    for (; t->at - from >= 4; from++)
        if (!(from = memchr(from, 'r', (size_t)(t->at - from - 3)))) return 1;
        else if (!memcmp(from, "role", 4)) return 0;
    return 1;
}

/* An object with a tool in one of its fields; or a tool, where no field is asked for. */
static int read_row(Row *row, Slice field) {
    Text *t = &row->text;
    Keys keys;
    Slice name;
    int more = !!field.at;
    keys.count = 0;
    t->mark = t->at;
    if (next(t) != '{' || !(more ? enter(t, '}', &more) : whole_tool(row))) return 0;
    while (more) {
        if (!key(t, &keys, &name) || !next(t)) return 0;
        if (!(same(name, field) ? whole_tool(row) : column(row, name)) || !goes_on(t, '}', &more)) return 0;
    }
    for (int i = 0; i < row->required.count; i++)
        if (!holds(&row->names, row->required.keys[i])) return 0;
    return row->name.at && !next(t) && t->at == t->end && cut(t, t->at, NULL);
}

/* What is left of a text without its holes. */
static PyObject *outline(const Row *row) {
    const Text *t = &row->text;
    char text[LONGEST_OUTLINE];
    Py_ssize_t length = 0, from = row->tool.from;
    for (int i = 0; i <= row->count; i++) {
        if (i < row->count && row->holes[i].sort == NOTHING) continue;
        Py_ssize_t to = i < row->count ? row->holes[i].span.from : row->tool.to;
        if (length + to - from >= LONGEST_OUTLINE) return NULL;
        memcpy(text + length, t->out + from, (size_t)(to - from));
        length += to - from;
        if (i == row->count) break;
        text[length++] = (char)row->holes[i].sort;
        from = row->holes[i].span.to;
    }
    return PyBytes_FromStringAndSize(text, length);
}

static PyObject *member_outline(const Row *row, const Member *member) {
    const Text *t = &row->text;
    Py_ssize_t length = member->value.to - member->value.from, from = member->value.from;
    if (length >= LONGEST_MEMBER) return NULL;
    if (!member->texts) return PyBytes_FromStringAndSize(t->out + from, length);
    char text[LONGEST_MEMBER + MOST_TEXTS];
    length = 0;
    for (int i = 0; i <= member->texts; i++) {
        const Hole *hole = &row->texts[member->text + i];
        Py_ssize_t to = i < member->texts ? hole->span.from : member->value.to;
        memcpy(text + length, t->out + from, (size_t)(to - from));
        length += to - from;
        if (i == member->texts) break;
        text[length++] = (char)hole->sort;
        from = hole->span.to;
    }
    return PyBytes_FromStringAndSize(text, length);
}

/* Texts of one member that are equal may be written once. */
static int are_distinct(const Row *row, const Member *member) {
    for (int i = 1; i < member->texts; i++)
        for (int j = 0; j < i; j++) {
            Span a = row->texts[member->text + i].span, b = row->texts[member->text + j].span;
            if (row->texts[member->text + i].sort != OF_TEXT) continue;
            if (a.to - a.from == b.to - b.from && !memcmp(row->text.out + a.from, row->text.out + b.from, (size_t)(a.to - a.from))) return 0;
        }
    return 1;
}

/* --- what is written ------------------------------------------------------------------------- */

typedef struct { char *at; Py_ssize_t used, room; } Out;

static int emit(Out *out, const char *from, Py_ssize_t length) {
    if (out->used + length > out->room) {
        Py_ssize_t room = 2 * (out->used + length);
        char *more = PyMem_Realloc(out->at, (size_t)room);
        if (!more) return 0;
        out->at = more;
        out->room = room;
    }
    memcpy(out->at + out->used, from, (size_t)length);
    out->used += length;
    return 1;
}

static int emit_span(Out *out, const Row *row, Span span) {
    return emit(out, row->text.out + span.from, span.to - span.from);
}

/* Pieces of text, and numbers of the texts of a member. */
static int emit_member(Out *out, const Row *row, const Member *member, PyObject *pieces) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(pieces); i++) {
        PyObject *piece = PyTuple_GET_ITEM(pieces, i);
        if (PyBytes_Check(piece)) {
            if (!emit(out, PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece))) return 0;
            continue;
        }
        long number = PyLong_AsLong(piece);
        if (number < 0 || number >= member->texts) return 0;
        if (!emit_span(out, row, row->texts[member->text + number].span)) return 0;
    }
    return 1;
}

/* What members became: True as they are, or (pieces, anything). */
static int emit_members(Out *out, const Row *row, Span whole, PyObject **made) {
    int is_same = 1;
    for (int i = 0; i < row->names.count; i++) is_same &= made[i] == Py_True;
    if (is_same) return emit_span(out, row, whole);
    for (int i = 0; i < row->names.count; i++) {
        const Member *member = &row->members[i];
        if (!emit(out, i ? "," : "{", 1) || !emit_span(out, row, member->key)) return 0;
        if (!(made[i] == Py_True ? emit_span(out, row, member->value)
                                 : emit_member(out, row, member, PyTuple_GET_ITEM(made[i], 0)))) return 0;
    }
    return emit(out, "}", 1);
}

/* The row, with its tool made of pieces of text and of what was cut out. */
static PyObject *written(const Row *row, PyObject *pieces, PyObject **made) {
    const Text *t = &row->text;
    Out out = {.room = t->used + 512};
    if (!(out.at = PyMem_Malloc((size_t)out.room))) return NULL;
    int done = emit(&out, t->out, row->tool.from);
    for (Py_ssize_t i = 0; done && i < PyTuple_GET_SIZE(pieces); i++) {
        PyObject *piece = PyTuple_GET_ITEM(pieces, i);
        if (PyBytes_Check(piece)) {
            done = emit(&out, PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece));
            continue;
        }
        long number = PyLong_AsLong(piece), seen = -1;
        int at = 0; /* holes that count are numbered */
        for (; at < row->count; at++)
            if (row->holes[at].sort != NOTHING && ++seen == number) break;
        if (number < 0 || at == row->count) done = 0;
        else if (row->holes[at].sort == OF_MEMBERS) done = emit_members(&out, row, row->holes[at].span, made);
        else done = emit_span(&out, row, row->holes[at].span);
    }
    done = done && emit(&out, t->out + row->tool.to, t->used - row->tool.to) && emit(&out, "\n", 1);
    PyObject *text = done ? PyBytes_FromStringAndSize(out.at, out.used) : NULL;
    PyMem_Free(out.at);
    return text;
}

static int is_utf8(const Text *t) {
    if (!t->high) return 1;
    PyObject *whole = PyUnicode_DecodeUTF8(t->out, t->used, NULL);
    Py_XDECREF(whole);
    return whole != NULL;
}

static int append(PyObject **list, PyObject *one) {
    if (!*list) *list = PyList_New(0);
    return *list && one && !PyList_Append(*list, one);
}

/* Look the members up. 0 for what is not answered; `odd` has those that are not known. */
static int look_up(const Row *row, PyObject *known, PyObject **made, PyObject **odd, PyObject **beside) {
    for (int i = 0; i < row->names.count; i++) {
        const Member *member = &row->members[i];
        PyObject *text = member_outline(row, member);
        PyObject *found = made[i] = text ? PyDict_GetItemWithError(known, text) : NULL;
        int done = text != NULL;
        if (done && !found) {
            PyObject *one = Py_BuildValue("s#O", member->name.at, member->name.length, text);
            done = append(odd, one);
            Py_XDECREF(one);
        } else if (done && found != Py_True) {
            done = PyTuple_Check(found) && are_distinct(row, member);
            if (done && PyTuple_GET_ITEM(found, 1) != Py_None) done = append(beside, PyTuple_GET_ITEM(found, 1));
        }
        Py_XDECREF(text);
        if (!done) return 0;
    }
    return 1;
}

static PyObject *like(const Row *row, PyObject *template) {
    PyObject *made[WIDEST], *odd = NULL, *beside = NULL, *answer = NULL;
    PyObject *anything = PyTuple_GET_ITEM(template, 1);
    if (look_up(row, PyTuple_GET_ITEM(template, 2), made, &odd, &beside)) {
        if (odd) answer = Py_BuildValue("[OO]", anything, odd);
        else {
            PyObject *text = written(row, PyTuple_GET_ITEM(template, 0), made);
            if (text) answer = Py_BuildValue("(Ns#OO)", text, row->name.at, row->name.length, anything, beside ? beside : Py_None);
        }
    }
    Py_XDECREF(odd);
    Py_XDECREF(beside);
    return answer;
}

static PyObject *answer(Reader *self, PyObject *line, Slice field) {
    const char *at = PyBytes_AS_STRING(line);
    Py_ssize_t size = PyBytes_GET_SIZE(line);
    Row *row = PyMem_Malloc(sizeof(Row));
    if (!row) return PyErr_NoMemory();
    row->text = (Text){.at = at, .end = at + size, .room = size + 64};
    row->reader = self;
    row->count = row->text_count = row->names.count = row->required.count = 0;
    row->has_members = row->has_required = 0;
    row->name = (Slice){0};
    PyObject *found, *made = NULL;
    if (!(row->text.out = PyMem_Malloc((size_t)row->text.room))) {
        PyMem_Free(row);
        return PyErr_NoMemory();
    }
    if (read_row(row, field) && is_utf8(&row->text) && (made = outline(row))) {
        found = PyDict_GetItemWithError(self->known, made);
        if (found) {
            Py_DECREF(made);
            made = PyTuple_Check(found) ? like(row, found) : NULL;
        }
    }
    PyMem_Free(row->text.out);
    PyMem_Free(row);
    PyErr_Clear(); /* Python reads the row again, meets the same error and reports it */
    if (made) return made;
    Py_RETURN_NONE;
}

/* --- for Python ------------------------------------------------------------------------------ */

PyDoc_STRVAR(
    read_doc,
    "read(line, field, /)\n--\n\n"
    "The row as it is written, the tool's name, what is kept with its template, and what is kept with\n"
    "members that were rewritten; or an outline that is not known; or [what is kept with the template,\n"
    "pairs of names and outlines of members that are not known]; or None for what is unusual.");

static PyObject *reader_read(Reader *self, PyObject *const *args, Py_ssize_t count) {
    Slice field = {0};
    if (count == 2 && PyUnicode_Check(args[1])) field.at = PyUnicode_AsUTF8AndSize(args[1], &field.length);
    if (PyErr_Occurred()) PyErr_Clear();
    if (count == 2 && PyBytes_Check(args[0]) && (field.at || args[1] == Py_None))
        return answer(self, args[0], field);
    PyErr_SetString(PyExc_TypeError, "read takes a line of bytes, and the name of a field or None");
    return NULL;
}

static void reader_dealloc(Reader *self) {
    PyTypeObject *type = Py_TYPE(self);
    forget(&self->types);
    forget(&self->columns);
    forget(&self->reserved);
    Py_XDECREF(self->tools.bytes);
    Py_XDECREF(self->members.bytes);
    Py_XDECREF(self->known);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"types", "columns", "reserved", "tools", "members", "known", NULL};
    PyObject *types, *columns, *reserved, *tools, *members, *known;
    Py_ssize_t longest_tool, longest_member;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!O!O!(Sn)(Sn)O!:Reader", names, &PyDict_Type, &types, &PyDict_Type, &columns, &PyDict_Type,
            &reserved, &tools, &longest_tool, &members, &longest_member, &PyDict_Type, &known))
        return NULL;
    if (PyBytes_GET_SIZE(tools) != 256 || PyBytes_GET_SIZE(members) != 256)
        return PyErr_SetString(PyExc_ValueError, "the letters of names are 256 bytes"), NULL;
    Reader *self = (Reader *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->tools = (Names){Py_NewRef(tools), longest_tool};
    self->members = (Names){Py_NewRef(members), longest_member};
    self->known = Py_NewRef(known);
    if (!learn(&self->types, types) || !learn(&self->columns, columns) || !learn(&self->reserved, reserved)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyMethodDef reader_methods[] = {
    {"read", (PyCFunction)(void (*)(void))reader_read, METH_FASTCALL, read_doc},
    {NULL},
};
static PyType_Slot reader_slots[] = {
    {Py_tp_new, reader_new}, {Py_tp_dealloc, reader_dealloc}, {Py_tp_methods, reader_methods}, {0},
};
static PyType_Spec reader_spec = {
    "toolcanon.bulk._templates.Reader", sizeof(Reader), 0, Py_TPFLAGS_DEFAULT, reader_slots,
};

static int filled(PyObject *module) {
    PyObject *type = PyType_FromSpec(&reader_spec);
    int failed = !type || PyModule_AddObjectRef(module, "Reader", type);
    Py_XDECREF(type);
    return failed ? -1 : 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, filled}, {0}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_templates", .m_slots = module_slots};

PyMODINIT_FUNC PyInit__templates(void) { return PyModuleDef_Init(&module); }
