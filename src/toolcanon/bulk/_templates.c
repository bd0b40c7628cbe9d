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
#include "_row.h"

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

/* Which members are not required, where that is told. */
static void settle_optional(Row *row) {
    for (int i = 0; i < row->names.count; i++) {
        Member *member = &row->members[i];
        member->is_optional = row->reader->tells_optional && !holds(&row->required, member->name);
        row->has_optional |= member->is_optional;
    }
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
    settle_optional(row);
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
        int is_loose = row->holes[i].sort == OF_MEMBERS && row->has_optional;
        text[length++] = (char)(is_loose ? OF_OPTIONAL : row->holes[i].sort);
        from = row->holes[i].span.to;
    }
    return PyBytes_FromStringAndSize(text, length);
}

static PyObject *member_outline(const Row *row, const Member *member) {
    const Text *t = &row->text;
    Py_ssize_t length = member->value.to - member->value.from, from = member->value.from;
    if (length >= LONGEST_MEMBER) return NULL;
    if (!member->texts && !member->is_optional) return PyBytes_FromStringAndSize(t->out + from, length);
    char text[LONGEST_MEMBER + MOST_TEXTS + 1];
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
    if (member->is_optional) text[length++] = OF_OPTIONAL;
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

/* The names of all members, in a list. */
static int emit_names(Out *out, const Row *row) {
    for (int i = 0; i < row->names.count; i++) {
        Slice name = row->members[i].name;
        if (!emit(out, i ? ",\"" : "[\"", 2) || !emit(out, name.at, name.length) || !emit(out, "\"", 1)) return 0;
    }
    return row->names.count && emit(out, "]", 1);
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
        if (number == ALL_NAMES) done = emit_names(&out, row);
        else if (number < 0 || at == row->count) done = 0;
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
    row->has_members = row->has_required = row->has_optional = 0;
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
    static char *names[] = {"types", "columns", "reserved", "tools", "members", "known", "tells_optional", NULL};
    PyObject *types, *columns, *reserved, *tools, *members, *known;
    Py_ssize_t longest_tool, longest_member;
    int tells_optional;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!O!O!(Sn)(Sn)O!p:Reader", names, &PyDict_Type, &types, &PyDict_Type, &columns, &PyDict_Type,
            &reserved, &tools, &longest_tool, &members, &longest_member, &PyDict_Type, &known,
            &tells_optional))
        return NULL;
    if (PyBytes_GET_SIZE(tools) != 256 || PyBytes_GET_SIZE(members) != 256)
        return PyErr_SetString(PyExc_ValueError, "the letters of names are 256 bytes"), NULL;
    Reader *self = (Reader *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->tools = (Names){Py_NewRef(tools), longest_tool};
    self->members = (Names){Py_NewRef(members), longest_member};
    self->known = Py_NewRef(known);
    self->tells_optional = tells_optional;
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
