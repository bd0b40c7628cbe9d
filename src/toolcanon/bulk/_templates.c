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
    Node *tool = next(&row->text) == '{' ? opened(row, NOTHING) : NULL;
    if (!tool) return 0;
    tool->value = tool->span.from;
    return part(row, 1) && ends(row, tool);
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
    if (!row->references != !row->definitions || !row->name.at) return 0;
    return settle_members(row, row->members, row->required) && !next(t) && t->at == t->end && cut(t, t->at, NULL);
}

/* What is left of a tool or a member without its holes. */
static PyObject *outline(const Row *row, const Node *of, int is_part) {
    char text[LONGEST_OUTLINE];
    Py_ssize_t length = 0, from = of->value;
    if (is_part) text[length++] = '.'; /* a member of a member may become something else */
    for (const Node *node = of + 1, *end = row->nodes + of->next;; node = row->nodes + node->next) {
        if (node < end && node->sort == NOTHING) continue;
        Py_ssize_t to = node < end ? node->span.from : of->span.to;
        if (length + to - from + 2 > LONGEST_OUTLINE) return NULL;
        memcpy(text + length, row->text.out + from, (size_t)(to - from));
        length += to - from;
        if (node >= end) break;
        text[length++] = (char)node->sort;
        from = node->span.to;
    }
    if (of->refers) {
        Span all = row->nodes[row->definitions].span;
        if (length + all.to - all.from + 2 > LONGEST_OUTLINE) return NULL;
        text[length++] = OF_DEFINITIONS;
        memcpy(text + length, row->text.out + all.from, (size_t)(all.to - all.from));
        length += all.to - all.from;
    }
    if (of->is_optional) text[length++] = OF_OPTIONAL;
    return PyBytes_FromStringAndSize(text, length);
}

/* Texts of one member that are equal may be written once. */
static int are_distinct(const Row *row, const Node *of) {
    const Node *nodes = row->nodes, *end = nodes + of->next;
    for (const Node *a = of + 1; a < end; a = nodes + a->next)
        for (const Node *b = of + 1; a->sort == OF_TEXT && b < a; b = nodes + b->next) {
            if (b->sort == NOTHING || a->span.to - a->span.from != b->span.to - b->span.from) continue;
            if (!memcmp(row->text.out + a->span.from, row->text.out + b->span.from, (size_t)(a->span.to - a->span.from))) return 0;
        }
    return 1;
}

/* --- what is written ------------------------------------------------------------------------- */

static int emit(Out *out, const char *from, Py_ssize_t length) {
    if (out->used + length >= out->room) {
        Py_ssize_t room = 2 * (out->used + length) + 64;
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

static int emit_pieces(Out *out, const Row *row, const Node *of, PyObject *pieces);

/* What is as it was, but for members inside it. */
static int emit_same(Out *out, const Row *row, const Node *of);

static int emit_members(Out *out, const Row *row, const Node *of) {
    if (of->is_same) return emit_span(out, row, of->span);
    const Node *nodes = row->nodes, *end = nodes + of->next;
    for (const Node *one = of + 1; one < end; one = nodes + one->next) {
        if (!emit(out, one > of + 1 ? "," : "{", 1)) return 0;
        if (!emit_span(out, row, (Span){one->span.from, one->value})) return 0;
        if (!(one->made == Py_True ? emit_same(out, row, one)
                                   : emit_pieces(out, row, one, PyTuple_GET_ITEM(one->made, 0)))) return 0;
    }
    return emit(out, "}", 1);
}

static int emit_same(Out *out, const Row *row, const Node *of) {
    const Node *nodes = row->nodes, *end = nodes + of->next;
    Py_ssize_t from = of->value;
    for (const Node *node = of + 1; node < end; node = nodes + node->next) {
        if (node->sort != OF_MEMBERS) continue;
        if (!emit_span(out, row, (Span){from, node->span.from}) || !emit_members(out, row, node)) return 0;
        from = node->span.to;
    }
    return emit_span(out, row, (Span){from, of->span.to});
}

/* The names of all members, in a list. */
static int emit_names(Out *out, const Row *row, int members) {
    const Node *nodes = row->nodes, *all = nodes + members;
    for (const Node *one = all + 1; members && one < nodes + all->next; one = nodes + one->next) {
        if (!emit(out, one > all + 1 ? ",\"" : "[\"", 2) || !emit(out, one->name.at, one->name.length)) return 0;
        if (!emit(out, "\"", 1)) return 0;
    }
    return members && emit(out, "]", 1);
}

/* Pieces of text, and numbers of holes. */
static int emit_pieces(Out *out, const Row *row, const Node *of, PyObject *pieces) {
    const Node *nodes = row->nodes, *end = nodes + of->next;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(pieces); i++) {
        PyObject *piece = PyTuple_GET_ITEM(pieces, i);
        if (PyBytes_Check(piece)) {
            if (!emit(out, PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece))) return 0;
            continue;
        }
        long number = PyLong_AsLong(piece), seen = -1;
        if (number == ALL_NAMES) {
            if (!emit_names(out, row, row->members)) return 0;
            continue;
        }
        const Node *hole = of + 1; /* those that count are numbered */
        while (hole < end && (hole->sort == NOTHING || ++seen != number)) hole = nodes + hole->next;
        if (hole >= end) return 0;
        int are_members = hole->sort == OF_MEMBERS || hole->sort == OF_OPTIONAL;
        if (!(are_members ? emit_members(out, row, hole) : emit_span(out, row, hole->span))) return 0;
    }
    return 1;
}

/* The row, with its tool made of pieces of text and of what was cut out. */
static PyObject *written(Row *row, PyObject *pieces) {
    const Text *t = &row->text;
    const Node *tool = row->nodes;
    Out *out = &row->made;
    out->used = 0;
    int done = emit(out, t->out, tool->span.from) && emit_pieces(out, row, tool, pieces) &&
               emit(out, t->out + tool->span.to, t->used - tool->span.to) && emit(out, "\n", 1);
    return done ? PyBytes_FromStringAndSize(out->at, out->used) : NULL;
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

/* Look members up. 0 for what is not answered; `odd` has those that are not known. */
static int look_up(Row *row, Node *members, PyObject *known, PyObject **odd, PyObject **beside) {
    Node *nodes = row->nodes, *end = nodes + members->next;
    members->is_same = 1;
    for (Node *one = members + 1; one < end; one = nodes + one->next) {
        PyObject *text = outline(row, one, members != nodes + row->members);
        PyObject *found = one->made = text ? PyDict_GetItemWithError(known, text) : NULL;
        int done = found != NULL;
        if (text && !found) done = append(odd, text);
        else if (done && found != Py_True) {
            done = PyTuple_Check(found) && are_distinct(row, one);
            if (done && PyTuple_GET_ITEM(found, 1) != Py_None) done = append(beside, PyTuple_GET_ITEM(found, 1));
        }
        members->is_same &= found == Py_True;
        Py_XDECREF(text);
        for (Node *node = one + 1; done && node < nodes + one->next; node = nodes + node->next) {
            if (node->sort != OF_MEMBERS) continue;
            done = look_up(row, node, known, odd, beside);
            members->is_same &= node->is_same;
        }
        if (!done) return 0;
    }
    return 1;
}

static PyObject *like(Row *row, PyObject *template) {
    PyObject *odd = NULL, *beside = NULL, *answer = NULL;
    PyObject *anything = PyTuple_GET_ITEM(template, 1), *known = PyTuple_GET_ITEM(template, 2);
    if (!row->members || look_up(row, &row->nodes[row->members], known, &odd, &beside)) {
        if (odd) answer = Py_BuildValue("[OO]", anything, odd);
        else {
            PyObject *text = written(row, PyTuple_GET_ITEM(template, 0));
            PyObject *name = PyUnicode_DecodeUTF8(row->name.at, row->name.length, NULL);
            if (text && name) answer = PyTuple_Pack(4, text, name, anything, beside ? beside : Py_None);
            Py_XDECREF(text);
            Py_XDECREF(name);
        }
    }
    Py_XDECREF(odd);
    Py_XDECREF(beside);
    return answer;
}

static PyObject *answer(Reader *self, PyObject *line, Slice field) {
    const char *at = PyBytes_AS_STRING(line);
    Row *row = self->row;
    row->text = (Text){.at = at, .end = at + PyBytes_GET_SIZE(line), .out = row->text.out, .room = row->text.room};
    row->count = row->members = row->required = row->definitions = row->references = row->maps = 0;
    row->name = (Slice){0};
    PyObject *found, *made = NULL;
    if (read_row(row, field) && is_utf8(&row->text) && (made = outline(row, row->nodes, 0))) {
        found = PyDict_GetItemWithError(self->known, made);
        if (found) {
            Py_DECREF(made);
            made = PyTuple_Check(found) ? like(row, found) : NULL;
        }
    }
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
    "outlines of members that are not known]; or None for what is unusual.");

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
    forget(&self->apart);
    Py_XDECREF(self->tools.bytes);
    Py_XDECREF(self->members.bytes);
    Py_XDECREF(self->known);
    if (self->row) {
        PyMem_Free(self->row->text.out);
        PyMem_Free(self->row->made.at);
        PyMem_Free(self->row);
    }
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"types", "columns", "reserved", "apart", "tools", "members", "known", "tells_optional", NULL};
    PyObject *types, *columns, *reserved, *apart, *tools, *members, *known;
    Py_ssize_t longest_tool, longest_member;
    int tells_optional;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!O!O!O!(Sn)(Sn)O!p:Reader", names, &PyDict_Type, &types, &PyDict_Type, &columns, &PyDict_Type,
            &reserved, &PyDict_Type, &apart, &tools, &longest_tool, &members, &longest_member, &PyDict_Type, &known,
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
    if (!(self->row = PyMem_Calloc(1, sizeof(Row)))) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    self->row->reader = self;
    if (!learn(&self->types, types) || !learn(&self->columns, columns) || !learn(&self->reserved, reserved) ||
        !learn(&self->apart, apart)) {
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
