/* One row while it is read: its tool without what is taken out, and the texts and members taken out.
   Nothing here knows what a target accepts. */

enum { MOST_NODES = 320, LONGEST_OUTLINE = 4096 };
enum { WRAPPED = 2, DEEPEST_ROOT = 5 }; /* how deep a tool and its schema may be inside others */

/* What is cut out of a tool or a member; as in `template_pieces`. No text has such a byte. */
enum { NOTHING, OF_NAME, OF_TEXT, OF_MEMBERS, OF_REQUIRED, OF_VALUES, OF_OPTIONAL, OF_DEFINITIONS, ONE_MEMBER };
/* Not in an outline, but where the names of all members are written. */
enum { ALL_NAMES = -1 };
/* What may be one of these, until its object was read. */
enum { TITLE = 16, DESCRIPTION, NEEDED, DEFINED, MAYBE, PENDING };
/* Words of types; as in `template_pieces`. */
enum { BEGINS = 1, WHOLE = 2 };

typedef struct { Py_ssize_t from, to; } Span;
/* A tool, a hole in it, a member in a hole, a hole in that: each is followed by what is inside it. */
typedef struct {
    int sort, next;      /* `next`: the number of the first node that is not inside */
    Span span;
    Py_ssize_t value;    /* where the value of a member begins, behind its key */
    Slice name;
    int is_optional;     /* of a member: whether it is not required, where that counts */
    int refers;          /* of a member: whether it refers to definitions */
    int is_same;         /* of members: whether all of them are written as they are */
    PyObject *made;      /* of a member: what it became, borrowed */
} Node;

typedef struct {
    PyObject_HEAD
    Table types;         /* words by which a text may be the name of a type */
    Table columns;       /* keys of a row that may hold a conversation or calls */
    Table reserved;      /* names that are not kept although their letters are fine */
    Table apart;         /* keywords of an object that say nothing about its members */
    Names tools, members;
    PyObject *known;     /* outline: None, or (pieces, anything, members) */
    int tells_optional;  /* whether members that are not required are others than those that are */
    struct Row *row;     /* the one that is read now; no Python code runs meanwhile */
} Reader;

typedef struct { char *at; Py_ssize_t used, room; } Out;

typedef struct Row {
    Text text;
    Out made;
    const Reader *reader;
    Node nodes[MOST_NODES]; /* the first is the tool */
    int count;
    int members, required, definitions; /* the holes at the root of the schema; 0 for none */
    int references, maps;   /* to definitions, and members inside members, so far */
    Slice name;
} Row;

/* --- texts and members ----------------------------------------------------------------------- */

/* How much is copied up to here, once that is done. */
static inline Py_ssize_t reach(const Text *t) { return t->used + (t->at - t->mark); }

/* Copy all up to here, to be looked at. */
static inline int copied(Text *t) { return cut(t, t->at, t->at); }

/* A node that begins here. */
static Node *opened(Row *row, int sort) {
    if (row->count == MOST_NODES) return NULL;
    Node *node = &row->nodes[row->count++];
    *node = (Node){.sort = sort, .next = row->count, .span.from = reach(&row->text)};
    return node;
}

static int ends(Row *row, Node *node) {
    node->next = row->count;
    node->span.to = reach(&row->text);
    return 1;
}

/* Leave out the marks around what was copied. */
static int inside(Node *node) {
    node->span.from++;
    node->span.to--;
    return 1;
}

/* A string to be copied, as a node without its quotes. */
static Node *copied_string(Row *row, int sort) {
    Slice slice;
    Node *node = opened(row, sort);
    return node && string(&row->text, &slice) && ends(row, node) && inside(node) ? node : NULL;
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
    Node *node = copied_string(row, MAYBE);
    if (!node || !copied(&row->text)) return 0;
    node->sort = sort_of(row, node->span);
    if (node->sort == NOTHING) row->count--;
    return 1;
}

/* The words that were copied of a list, without its brackets. 0 where one is escaped or there twice. */
static int listed(const Row *row, Span span, Keys *words) {
    const char *at = row->text.out + span.from, *end = row->text.out + span.to;
    words->count = 0;
    for (; at < end; at++) {
        const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        Slice word = {at + 1, close ? close - at - 1 : 0};
        if (!close || memchr(word.at, '\\', (size_t)word.length) || !add(words, word)) return 0;
        at = close + 1;
    }
    return 1;
}

/* Whether there are two or more words, none of which has a blank at its ends. */
static int are_words(const Row *row, Span span) {
    Keys words;
    if (!listed(row, span, &words) || words.count < 2) return 0;
    for (int i = 0; i < words.count; i++) {
        Slice word = words.keys[i];
        if (!word.length || is_edge(*word.at) || is_edge(word.at[word.length - 1])) return 0;
    }
    return 1;
}

/* Any value, as a node. */
static Node *whole(Row *row, int sort) {
    Node *node = opened(row, sort);
    return node && value(&row->text) && ends(row, node) ? node : NULL;
}

/* An enum. Whether its values may be any others is known at the end of its object. */
static int values(Row *row) {
    Node *node = whole(row, PENDING);
    if (!node || !copied(&row->text)) return 0;
    int is_list = row->text.out[node->span.from] == '[' && inside(node); /* others may be written behind */
    if (!is_list || !are_words(row, node->span)) row->count--;
    return 1;
}

/* Whether all names that are required are those of members. Marks the others, where that counts. */
static int settle_members(Row *row, int members, int required) {
    Node *nodes = row->nodes, all = nodes[required];
    Keys words;
    words.count = 0;
    if (required && (!copied(&row->text) || !inside(&all) || !listed(row, all.span, &words))) return 0;
    int found = 0;
    for (int i = members + 1; members && i < nodes[members].next; i = nodes[i].next) {
        int is_required = holds(&words, nodes[i].name);
        found += is_required;
        nodes[i].is_optional = row->reader->tells_optional && !is_required;
        if (nodes[i].is_optional) nodes[members].sort = OF_OPTIONAL;
    }
    return found == words.count;
}

/* What the holes of an object are, now that all of it was read. Members inside it that are not to be
   taken apart are part of what is around them. */
static void settle_texts(Row *row, int begin, int has_type, int has_words, int is_apart) {
    for (int i = begin; i < row->count; i++) {
        Node *node = &row->nodes[i];
        if (node->sort == MAYBE) node->sort = has_type ? OF_TEXT : NOTHING;
        if (node->sort == PENDING) node->sort = has_words ? OF_VALUES : NOTHING;
        if (is_apart) continue;
        node->next = i + 1;
        if (node->sort == OF_MEMBERS || node->sort == OF_REQUIRED || node->sort == ONE_MEMBER) node->sort = NOTHING;
    }
}

/* What a type says: WORDS for a string, ANY for one that is no object, 0 for all else. */
enum { ANY = 1, WORDS };
static int type_of(Slice said) {
    static const char *const TYPES[] = {"string", "integer", "number", "boolean", "array"};
    Py_ssize_t length = said.length - 2; /* without its quotes */
    char word[8];
    if (length < 5 || length > 7 || *said.at != '"') return 0;
    for (Py_ssize_t i = 0; i < length; i++) word[i] = (char)(said.at[1 + i] | 0x20);
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

static int keeps(const Row *row, const Names *names, Slice name) {
    return (!names->longest || allows(names, name)) && !number_of(&row->reader->reserved, name, 0);
}

static int schema(Row *row, int in_map, int is_alone);

/* The members of an object; `are_usual`: whether they are schemas with names that are kept. */
static int members(Row *row, int *are_usual) {
    Text *t = &row->text;
    Keys keys;
    int more;
    Node *all = opened(row, OF_MEMBERS);
    keys.count = 0;
    if (!all || !enter(t, '}', &more)) return 0;
    while (more) {
        Node *one = next(t) ? opened(row, ONE_MEMBER) : NULL;
        if (!one || !key(t, &keys, &one->name)) return 0;
        *are_usual &= next(t) == '{' && keeps(row, &row->reader->members, one->name);
        *are_usual &= !one->name.length || *one->name.at != '$'; /* it may be taken for a keyword */
        int before = row->references;
        one->value = reach(t);
        if (!schema(row, 0, 1) || !ends(row, one) || !goes_on(t, '}', &more)) return 0;
        one->refers = row->references > before;
    }
    return ends(row, all);
}

/* Whether a keyword is known: one that refers to definitions, or a comment. */
static int is_known(Row *row, Slice keyword) {
    static const char to[] = "\"#/$defs/";
    Text *t = &row->text;
    if (!keyword.length || *keyword.at != '$' || is(keyword, "$comment")) return 1;
    row->references++;
    if (row->reader->tells_optional) return 0; /* all of them change */
    return is(keyword, "$ref") && next(t) && t->end - t->at > 9 && !memcmp(t->at, to, 9);
}

/* A value where a schema may be; `in_map`: its keys are names; `is_alone`: no other schema is about the
   same value. */
static int schema(Row *row, int in_map, int is_alone) {
    Text *t = &row->text;
    char first = next(t), closing = first == '[' ? ']' : '}';
    Slice name;
    Keys keys;
    int more, begin = row->count, type = 0, is_plain = is_alone, has_members = 0, has_others = 0;
    int is_apart = 1, is_typed = 0, inner = 0, needed = 0, before = row->maps;
    if (first != '{' && first != '[') return value(t);
    keys.count = 0;
    if (!enter(t, closing, &more)) return 0;
    while (more) {
        int is_keyword = 0, done;
        if (first == '{') {
            if (!key(t, &keys, &name)) return 0;
            is_keyword = !in_map;
            if (is_keyword && !is_known(row, name)) return 0;
        }
        char begins = next(t);
        if (!is_keyword) done = schema(row, 0, 0);
        else if (begins == '"' && is_text(name)) done = remark(row);
        else if (is_alone && is(name, "enum")) done = values(row);
        else if (is(name, "type")) {
            Slice said = {t->at, 0};
            done = schema(row, 0, 0);
            said.length = t->at - said.at;
            type = type_of(said);
            is_typed = begins == '"';
        } else {
            int is_full = is_alone && (begins == '{' || begins == '[') && !is_empty(t), at = row->count;
            is_plain = 0;
            has_members |= begins == '{' && is(name, "properties") && !is_empty(t);
            is_apart &= begins != '{' || is(name, "properties") || is(name, "items");
            has_others |= begins == '"' && !is(name, "default") && !is(name, "pattern");
            if (is_full && begins == '{' && is(name, "properties")) {
                row->maps++;
                done = members(row, &is_apart);
                inner = at;
            }
            else if (is_full && begins == '[' && is(name, "required")) done = !!whole(row, OF_REQUIRED), needed = at;
            else done = is_data(name) ? value(t) : schema(row, is_map(name), is_alone && is(name, "items"));
        }
        if (!done || !goes_on(t, closing, &more)) return 0;
    }
    for (int i = 0; is_alone && row->maps > before && i < keys.count; i++)
        is_apart &= number_of(&row->reader->apart, keys.keys[i], 0);
    if (inner) is_apart = is_apart && is_typed && !row->reader->tells_optional && settle_members(row, inner, needed);
    else if (needed) row->nodes[needed].sort = NOTHING;
    /* A text may be read as a type where nothing else says what its object is. */
    settle_texts(row, begin, (type || has_members) && !has_others, type == WORDS && is_plain, is_apart || row->maps == before);
    return 1;
}

/* --- a tool and its holes -------------------------------------------------------------------- */

static int name_of(Row *row) {
    int is_escaped;
    Node *node = opened(row, OF_NAME);
    if (!node || !raw_string(&row->text, &row->name, &is_escaped) || is_escaped) return 0;
    return keeps(row, &row->reader->tools, row->name) && ends(row, node) && inside(node);
}

static int root_members(Row *row) {
    int are_usual = 1;
    row->members = row->count;
    return members(row, &are_usual) && are_usual;
}

/* What the words of an object are, now that all of it was read. Elsewhere they may mean anything. */
static void settle(Row *row, int begin, int is_root, int is_tool) {
    for (int i = begin; i < row->count; i++) {
        int *sort = &row->nodes[i].sort;
        if (*sort == TITLE) *sort = is_root ? OF_TEXT : NOTHING;
        if (*sort == DESCRIPTION) *sort = is_root || is_tool ? OF_TEXT : NOTHING;
        if (*sort != NEEDED && *sort != DEFINED) continue;
        *(*sort == NEEDED ? &row->required : &row->definitions) = is_root ? i : 0;
        *sort = !is_root ? NOTHING : *sort == NEEDED ? OF_REQUIRED : OF_DEFINITIONS;
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
        if (!is_full) done = value(t), is_root |= first == '{' && is(name, "properties");
        else if (first == '"' && is_text(name)) done = !!copied_string(row, is(name, "title") ? TITLE : DESCRIPTION);
        else if (first == '"' && is(name, "name") && depth <= WRAPPED && !row->name.at) done = name_of(row);
        else if (first == '{' && is(name, "properties") && !row->members) done = is_root = root_members(row);
        else if (first == '[' && is(name, "required") && !row->required) {
            row->required = row->count;
            done = !!whole(row, NEEDED);
        } else if (first == '{' && is(name, "$defs") && !row->definitions) {
            row->definitions = row->count;
            done = !!whole(row, DEFINED);
        } else if (first == '{' && depth < DEEPEST_ROOT && leads_on(name)) done = part(row, depth + 1);
        else done = value(t);
        if (!done || !goes_on(t, '}', &more)) return 0;
    }
    settle(row, begin, is_root, depth <= WRAPPED && !had_name && row->name.at);
    return 1;
}
