-- One database per working tree. A version mismatch rebuilds; there are no migrations (core/config.py).
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS file (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    seen_ns INTEGER NOT NULL,          -- wall clock when it was read: an mtime this close is re-hashed
    hash BLOB NOT NULL,
    marks INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    note TEXT NOT NULL DEFAULT ''
);

-- size -1: refused before it was looked at (no permission, a link that leaves the tree)
CREATE TABLE IF NOT EXISTS skipped (
    path TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT -1,
    mtime_ns INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- What the file said when it was indexed: text for the FTS deletes (zlib), facts for its resolver.
CREATE TABLE IF NOT EXISTS content (
    file_id INTEGER PRIMARY KEY,
    text BLOB NOT NULL,
    facts BLOB NOT NULL
);

-- What other files' resolution needs of a file (marshal, zlib).
CREATE TABLE IF NOT EXISTS summary (file_id INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE IF NOT EXISTS symbol (
    id INTEGER PRIMARY KEY,            -- kept when the file changes but the qualified name stays
    file_id INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    name TEXT NOT NULL,
    qualname TEXT NOT NULL,
    kind TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT NOT NULL,
    parent_id INTEGER,
    parent_idx INTEGER NOT NULL,       -- the same within the file; -1: the file's own symbol
    flags INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS symbol_file ON symbol (file_id, idx);
CREATE INDEX IF NOT EXISTS symbol_name ON symbol (name);

CREATE TABLE IF NOT EXISTS edge (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    tier TEXT NOT NULL,
    rule TEXT NOT NULL,
    PRIMARY KEY (source, target, kind, line)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edge_target ON edge (target, kind);
CREATE INDEX IF NOT EXISTS edge_registered ON edge (rule) WHERE kind = 'registers';

CREATE TABLE IF NOT EXISTS unresolved (
    source INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,                -- as written
    last TEXT NOT NULL,                -- its last component, to be found by
    line INTEGER NOT NULL,
    reason TEXT NOT NULL,
    candidates INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS unresolved_source ON unresolved (source);
CREATE INDEX IF NOT EXISTS unresolved_last ON unresolved (last);

CREATE TABLE IF NOT EXISTS import (
    file_id INTEGER NOT NULL,
    target_id INTEGER,                 -- NULL: outside the repository
    module TEXT NOT NULL,
    line INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS import_file ON import (file_id);
CREATE INDEX IF NOT EXISTS import_target ON import (target_id);

CREATE VIRTUAL TABLE IF NOT EXISTS symbol_text USING fts5 (
    name, parts, path, signature, doc, body, content = '', tokenize = 'unicode61'
);
CREATE VIRTUAL TABLE IF NOT EXISTS file_text USING fts5 (
    path, names, body, content = '', tokenize = 'unicode61'
);

-- A row for each of the last commits, in order; paths as git wrote them, one a line.
CREATE VIRTUAL TABLE IF NOT EXISTS commit_text USING fts5 (
    message, paths UNINDEXED, tokenize = 'unicode61'
);
