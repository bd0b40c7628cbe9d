/* Words and their numbers. */

typedef struct { Slice key; int value; } Entry;
typedef struct { Entry *entries; size_t mask; } Table;

static inline size_t hashed(Slice key) {
    uint32_t hash = (uint32_t)key.length;
    for (Py_ssize_t i = 0; i < key.length; i++) hash = (hash ^ (unsigned char)key.at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static int number_of(const Table *table, Slice key, int otherwise) {
    for (size_t i = hashed(key) & table->mask;; i = (i + 1) & table->mask) {
        const Entry *entry = &table->entries[i];
        if (!entry->key.at) return otherwise;
        if (same(entry->key, key)) return entry->value;
    }
}

static void forget(Table *table) {
    for (size_t i = 0; table->entries && i <= table->mask; i++) PyMem_Free((void *)table->entries[i].key.at);
    PyMem_Free(table->entries);
}

static int learn(Table *table, PyObject *words) {
    size_t room = 8;
    while (room < 3 * (size_t)PyDict_GET_SIZE(words)) room *= 2;
    table->mask = room - 1;
    if (!(table->entries = PyMem_Calloc(room, sizeof(Entry)))) return PyErr_NoMemory(), 0;
    PyObject *word, *number;
    for (Py_ssize_t at = 0; PyDict_Next(words, &at, &word, &number);) {
        Slice key;
        const char *text = PyUnicode_AsUTF8AndSize(word, &key.length);
        int value = text ? (int)PyLong_AsLong(number) : -1;
        if (value == -1 && PyErr_Occurred()) return 0;
        char *own = PyMem_Malloc((size_t)key.length + 1);
        if (!own) return PyErr_NoMemory(), 0;
        key.at = memcpy(own, text, (size_t)key.length + 1);
        size_t i = hashed(key) & table->mask;
        while (table->entries[i].key.at) i = (i + 1) & table->mask;
        table->entries[i] = (Entry){key, value};
    }
    return 1;
}

/* Which names are fine as they are: where each byte may stand, and how many there may be. */
enum { ANYWHERE = 1, AT_FIRST = 2 };
typedef struct { PyObject *bytes; Py_ssize_t longest; } Names;

static int allows(const Names *names, Slice name) {
    const char *bytes = PyBytes_AS_STRING(names->bytes);
    if (name.length < 1 || name.length > names->longest) return 0;
    for (Py_ssize_t i = 0; i < name.length; i++)
        if (!(bytes[(unsigned char)name.at[i]] & (i ? ANYWHERE : AT_FIRST))) return 0;
    return 1;
}
