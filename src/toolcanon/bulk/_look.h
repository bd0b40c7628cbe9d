/* The look at the members of a schema: what `quick` and `closing` ask of objects, asked of text. */

/* As in `quick`. */
enum { FINE, STOP, TYPE, SCHEMA, LIST, MAP, BOUND, ENUM, CONST, REQUIRED, FORMAT, TEXT, REFERENCE,
       COUNT, FACTOR, FLAG, VALUES };
/* As in `outline_reader`. */
enum {
    TYPED = 1, BOOLEANS = 2, NEEDS_ITEMS = 4, BARE_OBJECTS = 8, TYPE_LISTS = 16, PICKY = 32,
    EMPTY_MAPS = 64, OTHERS = 128, CLOSED = 256,
};
enum { OBJECT, ARRAY, STRING };
static const char *const TYPES[] = {"object", "array", "string", "integer", "number", "boolean", "null"};
static const char CLOSING[] = ",\"additionalProperties\":false";

/* What a dialect asks. */
typedef struct {
    Table acts, words, formats;
    int flags;
} Rules;

/* What was met so far. */
typedef struct {
    Py_ssize_t words, closed; /* how many were replaced, and how many objects were closed */
    int leads, is_based;      /* references; a place that has a name of its own */
} Met;

/* A text that is looked at. */
typedef struct {
    Text text;
    const Rules *rules;
    Met met;
    int depth; /* of definitions; none of them may lead on by itself */
    Keys led;  /* those that references lead to */
} Look;

/* What a schema says that depends on what else it says. */
typedef struct {
    int kind, kinds; /* its only type, and all of them as bits */
    int has_items, has_enum, has_const, is_const_shaped, is_of_words, is_about_objects, is_closed;
    Keys required, members;
} Node;

static int schema(Look *look);

/* A reference to a definition of the root, which has to be there. */
static int reference(Look *look) {
    static const char PLACE[] = "#/$defs/";
    const Py_ssize_t length = sizeof PLACE - 1;
    Slice slice;
    int is_escaped;
    if (!raw_string(&look->text, &slice, &is_escaped) || slice.length <= length) return 0;
    if (memcmp(slice.at, PLACE, (size_t)length) || look->text.depth == look->depth) return 0;
    slice = (Slice){slice.at + length, slice.length - length};
    for (Py_ssize_t i = 0; i < slice.length; i++)
        if (strchr("/~%\\", slice.at[i])) return 0; /* it leads further, or is spelled otherwise */
    look->met.leads = 1;
    return holds(&look->led, slice) || add(&look->led, slice);
}

static int kind_of(Look *look, int *kind) {
    Text *t = &look->text;
    Slice word;
    int is_escaped;
    next(t);
    if (!raw_string(t, &word, &is_escaped)) return 0;
    if ((*kind = number_of(&look->rules->words, word, -1)) < 0) return 0;
    const char *today = TYPES[*kind];
    if (is(word, today)) return 1;
    look->met.words++;
    return cut(t, word.at, word.at + word.length) && put(t, today, (Py_ssize_t)strlen(today));
}

static int type(Look *look, Node *node) {
    Text *t = &look->text;
    Py_ssize_t words = look->met.words;
    int kind, count = 0, more;
    if (next(t) != '[') {
        if (!kind_of(look, &node->kind)) return 0;
        node->kinds = 1 << node->kind;
        return 1;
    }
    if (!(look->rules->flags & TYPE_LISTS) || !enter(t, ']', &more)) return 0;
    for (; more; count++) {
        if (!kind_of(look, &kind) || node->kinds & 1 << kind || !goes_on(t, ']', &more)) return 0;
        node->kinds |= 1 << kind;
    }
    return count > 1 && look->met.words == words;
}

static int map(Look *look, Keys *keys) {
    Text *t = &look->text;
    Slice name;
    int more;
    keys->count = 0;
    if (next(t) != '{' || !enter(t, '}', &more)) return 0;
    if (!more) return look->rules->flags & EMPTY_MAPS;
    while (more)
        if (!key(t, keys, &name) || !schema(look) || !goes_on(t, '}', &more)) return 0;
    return 1;
}

static int list(Look *look, int act, Node *node) {
    Text *t = &look->text;
    Slice word;
    int more, is_escaped;
    if (next(t) != '[' || !enter(t, ']', &more)) return 0;
    if (!more) return act != LIST;
    while (more) {
        char first = next(t);
        if (act == LIST) {
            if (!schema(look)) return 0;
        } else if (act == REQUIRED) {
            if (!raw_string(t, &word, &is_escaped) || is_escaped || !add(&node->required, word)) return 0;
        } else {
            node->is_of_words &= first == '"' && t->end - t->at > 1 && t->at[1] != '"';
            if (!value(t)) return 0;
        }
        if (!goes_on(t, ']', &more)) return 0;
    }
    return 1;
}

static int keyword(Look *look, Slice name, Node *node) {
    Text *t = &look->text;
    const Rules *rules = look->rules;
    Keys others;
    Slice slice;
    int is_integer, act = number_of(&rules->acts, name, rules->flags & OTHERS ? FINE : STOP);
    char first = next(t);
    switch (act) {
        case FINE: return value(t);
        case TEXT:
            look->met.is_based |= is(name, "$id");
            return string(t, &slice);
        case REFERENCE: return reference(look);
        case TYPE: return type(look, node);
        case SCHEMA:
            node->has_items |= is(name, "items");
            if (!(rules->flags & CLOSED) || !is(name, "additionalProperties")) return schema(look);
            node->is_about_objects = node->is_closed = 1;
            return literal(t, "false");
        case MAP:
            if (!is(name, "properties")) return map(look, &others);
            node->is_about_objects = 1;
            return map(look, &node->members);
        case LIST: return list(look, act, node);
        case REQUIRED:
            node->is_about_objects = 1;
            return list(look, act, node);
        case ENUM:
            node->has_enum = node->is_of_words = 1;
            return list(look, act, node);
        case CONST:
            node->has_const = 1;
            node->is_const_shaped = first == '{' || first == '[';
            return first != 'n' && value(t);
        case BOUND: return number(t, &slice, &is_integer);
        case COUNT: return first != '-' && number(t, &slice, &is_integer) && is_integer;
        case FACTOR: return first > '0' && number(t, &slice, &is_integer);
        case FLAG: return first == 't' ? literal(t, "true") : literal(t, "false");
        case VALUES: return first == '[' && value(t);
        case FORMAT: return string(t, &slice) && number_of(&rules->formats, slice, 0);
        default: return 0;
    }
}

static int declares(const Keys *members, const Keys *required) {
    for (int i = 0; i < required->count; i++)
        if (!holds(members, required->keys[i])) return 0;
    return 1;
}

/* Whether all that was said goes together, and all was said that has to be. */
static int agrees(Look *look, const Node *node) {
    Text *t = &look->text;
    int flags = look->rules->flags;
    if (flags & TYPED && !node->kinds) return 0;
    if (flags & NEEDS_ITEMS && node->kinds & 1 << ARRAY && !node->has_items) return 0;
    if (!(flags & BARE_OBJECTS)) {
        if (node->kind < 0 && node->kinds & (1 << OBJECT | 1 << ARRAY)) return 0;
        if (node->kind == OBJECT && !node->members.count) return 0;
    }
    if (flags & PICKY) {
        if (node->has_enum && !(node->kind == STRING && node->is_of_words)) return 0;
        if (node->has_const && (!node->kinds || node->is_const_shaped)) return 0;
    }
    if (!(flags & CLOSED)) return 1;
    if (node->kind != OBJECT) return !node->is_about_objects;
    if (!node->members.count) return 0;
    if (!declares(&node->members, &node->required)) return 0;
    if (node->is_closed) return 1;
    look->met.closed++;
    return cut(t, t->at - 1, t->at - 1) && put(t, CLOSING, sizeof CLOSING - 1);
}

static int schema(Look *look) {
    Text *t = &look->text;
    char first = next(t);
    if (first != '{')
        return look->rules->flags & BOOLEANS && (first == 't' ? literal(t, "true") : literal(t, "false"));
    Keys keys;
    Slice name;
    Node node;
    int more;
    memset(&node, 0, offsetof(Node, required));
    keys.count = node.required.count = node.members.count = 0;
    node.kind = -1;
    if (!enter(t, '}', &more)) return 0;
    while (more)
        if (!key(t, &keys, &name) || !keyword(look, name, &node) || !goes_on(t, '}', &more)) return 0;
    return agrees(look, &node);
}

