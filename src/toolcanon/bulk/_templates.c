/* Rows of JSON converted from text to text, by examples.

   The tools of a catalog differ in little but names, remarks and members. What is left without
   them, the outline, says all that a conversion depends on, as long as the members can stay as they
   are. So Python converts one tool of each outline, and the others are made like it: here members
   are looked at byte by byte, as `quick` and `closing` look at objects, and copied as orjson would
   write them.

   The answer to anything unusual is None, and Python reads the row once more: errors, keys that
   stand twice, long numbers, escaped keys, deep and wide values are its business alone. Tests hold
   what is written here to what the long way writes. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_text.h"
#include "_table.h"
#include "_look.h"

enum { MOST_HOLES = 8, LONGEST_OUTLINE = 2048 };

/* What stands under a key of a tool; as in `outline_reader`. */
enum { NAME = 1, REMARK, WRAPPER, ROOT, WITHIN };
/* What is taken out of a tool, as in `outlines`: no text has such a byte. */
enum { OF_NAME = 1, OF_REMARK, OF_MEMBERS, OF_REQUIRED, OF_DEFINITIONS };

typedef struct { int sort; Py_ssize_t from, to; } Hole;

typedef struct {
    PyObject_HEAD
    Rules rules;
    Table places;
    Names tools, members;
    PyObject *known;     /* outline: None, a reader that looks otherwise, or (pieces, anything) */
    PyObject *rewritten; /* member: None, or (what it becomes, anything) */
} Reader;

typedef struct {
    Look look;
    const Reader *reader;
    Hole holes[MOST_HOLES];
    int count;
    Slice name;
    int is_declared;     /* the schema says which draft it is of */
    PyObject *told;      /* of members that were rewritten */
    PyObject *odd;       /* members that nobody has rewritten yet */
    Py_ssize_t from, to; /* where the tool is in what was copied of the row */
} Row;

/* --- a tool and its holes -------------------------------------------------------------------- */

/* How much was copied up to here. */
static int reach(Text *t, Py_ssize_t *used) {
    int done = cut(t, t->at, t->at);
    *used = t->used;
    return done;
}

static Hole *hole_of(Row *row, int sort) {
    if (row->count == MOST_HOLES) return NULL;
    Hole *hole = &row->holes[row->count++];
    hole->sort = sort;
    return reach(&row->look.text, &hole->from) ? hole : NULL;
}

static int is_empty(const Text *t) {
    const char *at = t->at + 1;
    while (at < t->end && is_blank(*at)) at++;
    return at < t->end && (*at == '}' || *at == ']' || *at == '"') && (*at != '"' || *t->at == '"');
}

static int name_of(Row *row) {
    Text *t = &row->look.text;
    int is_escaped;
    Hole *hole = row->name.at ? NULL : hole_of(row, OF_NAME);
    return hole && raw_string(t, &row->name, &is_escaped) && !is_escaped &&
           allows(&row->reader->tools, row->name) && reach(t, &hole->to);
}

static int remark(Row *row) {
    Text *t = &row->look.text;
    Slice slice;
    if (*t->at != '"' || t->at + 1 >= t->end || t->at[1] == '"') return value(t);
    Hole *hole = hole_of(row, OF_REMARK);
    return hole && string(t, &slice) && reach(t, &hole->to);
}

static int noted(PyObject **list, PyObject *one) {
    if (!*list) *list = PyList_New(0);
    return *list && !PyList_Append(*list, one);
}

/* A member that cannot stay as it is: what it became before, if that is known. */
static int rewritten(Row *row) {
    Text *t = &row->look.text;
    Py_ssize_t from, to;
    if (!reach(t, &from) || !value(t) || !reach(t, &to)) return 0;
    PyObject *text = PyBytes_FromStringAndSize(t->out + from, to - from), *found = NULL;
    if (text) found = PyDict_GetItemWithError(row->reader->rewritten, text);
    int done = text && (found ? PyTuple_Check(found) : noted(&row->odd, text));
    Py_XDECREF(text);
    if (!done || !found) return done;
    PyObject *made = PyTuple_GET_ITEM(found, 0);
    t->used = from;
    return PyBytes_Check(made) && put(t, PyBytes_AS_STRING(made), PyBytes_GET_SIZE(made)) &&
           noted(&row->told, PyTuple_GET_ITEM(found, 1));
}

static int members(Row *row, Keys *names) {
    Text *t = &row->look.text;
    const Names *allowed = &row->reader->members;
    Slice name;
    int more;
    if (*t->at != '{' || is_empty(t)) return value(t);
    Hole *hole = hole_of(row, OF_MEMBERS);
    if (!hole || !enter(t, '}', &more)) return 0;
    while (more) {
        Py_ssize_t used;
        if (!key(t, names, &name) || (allowed->longest && !allows(allowed, name)) || !reach(t, &used)) return 0;
        Text begin = *t;
        Met met = row->look.met;
        int led = row->look.led.count;
        if (!schema(&row->look)) { /* back to where it began */
            t->at = t->mark = begin.at;
            t->used = used;
            t->depth = begin.depth;
            row->look.met = met;
            row->look.led.count = led;
            if (!rewritten(row)) return 0;
        }
        if (!goes_on(t, '}', &more)) return 0;
    }
    return reach(t, &hole->to);
}

static int definitions(Row *row, Keys *names) {
    Text *t = &row->look.text;
    if (*t->at != '{' || is_empty(t)) return value(t);
    Hole *hole = hole_of(row, OF_DEFINITIONS);
    row->look.depth = t->depth + 2;
    int done = hole && map(&row->look, names) && reach(t, &hole->to);
    row->look.depth = 0;
    return done;
}

static int required(Row *row, Node *node) {
    Text *t = &row->look.text;
    if (*t->at != '[' || is_empty(t)) return value(t);
    Hole *hole = hole_of(row, OF_REQUIRED);
    return hole && list(&row->look, REQUIRED, node) && reach(t, &hole->to);
}

/* The root of a schema, or an object with nothing but one. */
static int root(Row *row, int is_inside) {
    Text *t = &row->look.text;
    const Reader *reader = row->reader;
    Keys keys, defined;
    Node node;
    Slice name;
    int more, done, is_around = 0;
    keys.count = defined.count = node.required.count = node.members.count = 0;
    if (!enter(t, '}', &more)) return 0;
    while (more) {
        if (!key(t, &keys, &name)) return 0;
        char first = next(t);
        row->is_declared |= is(name, "$schema");
        row->look.met.is_based |= is(name, "$id");
        if (is(name, "properties")) done = members(row, &node.members);
        else if (is(name, "$defs")) done = definitions(row, &defined);
        else if (is(name, "required")) done = required(row, &node);
        else if (is(name, "title") || is(name, "description")) done = remark(row);
        else if (first == '{' && !is_inside && keys.count == 1 && number_of(&reader->places, name, 0) == WITHIN)
            done = is_around = root(row, 1);
        else done = value(t);
        if (!done || !goes_on(t, '}', &more) || (is_around && more)) return 0; /* it is the only key */
    }
    if (reader->rules.flags & CLOSED && !declares(&node.members, &node.required)) return 0;
    done = declares(&defined, &row->look.led);
    row->look.led.count = 0; /* another root has definitions of its own */
    return done;
}

static int tool(Row *row, int is_inside) {
    Text *t = &row->look.text;
    Keys keys;
    Slice name;
    int more, done;
    keys.count = 0;
    if (*t->at != '{' || !enter(t, '}', &more)) return 0;
    while (more) {
        if (!key(t, &keys, &name)) return 0;
        char first = next(t);
        int place = number_of(&row->reader->places, name, 0);
        if (place == NAME) done = name_of(row);
        else if (place == REMARK) done = remark(row);
        else if (place == ROOT && first == '{') done = root(row, 0);
        else if (place == WRAPPER && first == '{' && !is_inside) done = tool(row, 1);
        else done = value(t);
        if (!done || !goes_on(t, '}', &more)) return 0;
    }
    return 1;
}

/* --- rows ------------------------------------------------------------------------------------ */

static int whole_tool(Row *row) {
    Text *t = &row->look.text;
    return reach(t, &row->from) && tool(row, 0) && reach(t, &row->to);
}

/* An object with a tool in one of its fields; or a tool, where no field is asked for. */
static int read_row(Row *row, Slice field) {
    Text *t = &row->look.text;
    Keys keys;
    Slice name;
    int more = !!field.at;
    keys.count = 0;
    t->mark = t->at;
    if (next(t) != '{' || !(more ? enter(t, '}', &more) : whole_tool(row))) return 0;
    while (more) {
        if (!key(t, &keys, &name) || !next(t)) return 0;
        if (!(same(name, field) ? whole_tool(row) : value(t)) || !goes_on(t, '}', &more)) return 0;
    }
    /* What is rewritten is of another draft; some drafts, and some places, read things otherwise. */
    if (row->is_declared && (row->look.met.words || row->look.met.leads || row->told || row->odd)) return 0;
    if (row->look.met.is_based && row->look.met.leads) return 0;
    return row->name.at && !next(t) && t->at == t->end && cut(t, t->at, NULL);
}

static PyObject *outline(const Row *row) {
    const Text *t = &row->look.text;
    char text[LONGEST_OUTLINE];
    Py_ssize_t length = 0, from = row->from;
    for (int i = 0; i <= row->count; i++) {
        Py_ssize_t to = i < row->count ? row->holes[i].from : row->to;
        if (length + to - from >= LONGEST_OUTLINE) return NULL;
        memcpy(text + length, t->out + from, (size_t)(to - from));
        length += to - from;
        if (i == row->count) break;
        text[length++] = (char)row->holes[i].sort;
        from = row->holes[i].to;
    }
    return PyBytes_FromStringAndSize(text, length);
}

static Slice piece(const Row *row, PyObject *part) {
    if (PyBytes_Check(part)) return (Slice){PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part)};
    long number = PyLong_AsLong(part);
    if (number < 0 || number >= row->count) return (Slice){0};
    const Hole *hole = &row->holes[number];
    return (Slice){row->look.text.out + hole->from, hole->to - hole->from};
}

/* The row, with its tool made like another one: of pieces of text, and of what was taken out. */
static PyObject *written(const Row *row, PyObject *parts) {
    const Text *t = &row->look.text;
    Py_ssize_t rest = t->used - row->to, size = row->from + rest + 1, count = PyTuple_GET_SIZE(parts);
    for (Py_ssize_t i = 0; i < count; i++) {
        Slice next = piece(row, PyTuple_GET_ITEM(parts, i));
        if (!next.at) return NULL;
        size += next.length;
    }
    PyObject *made = PyBytes_FromStringAndSize(NULL, size);
    if (!made) return NULL;
    char *to = PyBytes_AS_STRING(made);
    to = (char *)memcpy(to, t->out, (size_t)row->from) + row->from;
    for (Py_ssize_t i = 0; i < count; i++) {
        Slice next = piece(row, PyTuple_GET_ITEM(parts, i));
        to = (char *)memcpy(to, next.at, (size_t)next.length) + next.length;
    }
    memcpy(to, t->out + row->to, (size_t)rest);
    to[rest] = '\n';
    return made;
}

static int is_utf8(const Text *t) {
    if (!t->high) return 1;
    PyObject *whole = PyUnicode_DecodeUTF8(t->out, t->used, NULL);
    Py_XDECREF(whole);
    return whole != NULL;
}

static PyObject *told(const Row *row, PyObject *known) {
    PyObject *text = written(row, PyTuple_GET_ITEM(known, 0));
    if (!text) return NULL;
    return Py_BuildValue(
        "(Ns#OnnO)", text, row->name.at, row->name.length, PyTuple_GET_ITEM(known, 1), row->look.met.words,
        row->look.met.closed, row->told ? row->told : Py_None);
}

static PyObject *answer(Reader *self, PyObject *line, Slice field) {
    const char *at = PyBytes_AS_STRING(line);
    Py_ssize_t size = PyBytes_GET_SIZE(line);
    Row row = {.reader = self};
    row.look = (Look){.rules = &self->rules, .text = {.at = at, .end = at + size, .room = size + 64}};
    Text *t = &row.look.text;
    PyObject *like = NULL, *found = NULL, *made = NULL;
    if (!(t->out = PyMem_Malloc((size_t)t->room))) return PyErr_NoMemory();
    if (read_row(&row, field) && is_utf8(t)) like = outline(&row);
    if (like) found = PyDict_GetItemWithError(self->known, like);
    if (found && PyTuple_Check(found)) made = row.odd ? Py_BuildValue("[OO]", self->rewritten, row.odd) : told(&row, found);
    PyMem_Free(t->out);
    Py_XDECREF(row.told);
    Py_XDECREF(row.odd);
    PyErr_Clear(); /* whoever reads the row again finds the same, and tells it */
    if (like && !found) return like;
    Py_XDECREF(like);
    if (made) return made;
    if (found && Py_IS_TYPE(found, Py_TYPE(self)) && found != (PyObject *)self)
        return answer((Reader *)found, line, field);
    Py_RETURN_NONE;
}

/* --- for Python ------------------------------------------------------------------------------ */

PyDoc_STRVAR(
    read_doc,
    "read(line, field, /)\n--\n\n"
    "The row as it goes on, the tool's name, what is known of its outline, how many words were replaced\n"
    "and how many objects closed, and what is known of members that were rewritten; or an outline that\n"
    "nobody knows; or [who remembers members, those to be rewritten]; or None for what is unusual.");

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
    forget(&self->rules.acts);
    forget(&self->rules.words);
    forget(&self->rules.formats);
    forget(&self->places);
    Py_XDECREF(self->tools.bytes);
    Py_XDECREF(self->members.bytes);
    Py_XDECREF(self->known);
    Py_XDECREF(self->rewritten);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"acts", "words", "formats", "flags", "places", "tools", "members", "known", "rewritten", NULL};
    PyObject *acts, *words, *formats, *places, *tools, *members, *known, *rewritten;
    Py_ssize_t longest_tool, longest_member;
    int flags;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!O!O!iO!(Sn)(Sn)O!O!:Reader", names, &PyDict_Type, &acts, &PyDict_Type, &words,
            &PyDict_Type, &formats, &flags, &PyDict_Type, &places, &tools, &longest_tool, &members,
            &longest_member, &PyDict_Type, &known, &PyDict_Type, &rewritten))
        return NULL;
    if (PyBytes_GET_SIZE(tools) != 256 || PyBytes_GET_SIZE(members) != 256)
        return PyErr_SetString(PyExc_ValueError, "names are told by 256 bytes"), NULL;
    Reader *self = (Reader *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->rules.flags = flags;
    self->tools = (Names){Py_NewRef(tools), longest_tool};
    self->members = (Names){Py_NewRef(members), longest_member};
    self->known = Py_NewRef(known);
    self->rewritten = Py_NewRef(rewritten);
    if (!learn(&self->rules.acts, acts) || !learn(&self->rules.words, words) ||
        !learn(&self->rules.formats, formats) || !learn(&self->places, places))
        Py_CLEAR(self);
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
