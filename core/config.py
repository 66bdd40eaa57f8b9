"""Every number that shapes an index or an answer, with its reason. Change them here only."""

from __future__ import annotations

# A mismatch of either rebuilds the index; there are no migrations.
SCHEMA_VERSION = 6  # 5: facts are not compressed; 6: the last commits
EXTRACTOR_VERSION = 20  # 19: what new containers hold; 20: deep Python is made flat

# --- limits of extraction -------------------------------------------------------------------------
MAX_FILE_BYTES = 4_000_000  # above: listed, not read (a kernel has 20 such files, all tables)
MAX_PROSE_BYTES = 1_000_000  # data and prose above this are listed only
FILE_CPU_SECONDS = 20.0  # one file may not stall the build (CASES 21)
BATCH_BYTES = 1_500_000  # of source per message to a worker: large enough to hide the pipe
BATCH_FILES = 64
ROOM_BYTES = 16_000_000  # shared memory for one worker's answer; what was never used costs nothing
MAX_DOC_CHARS = 2_000
MAX_SIGNATURE_CHARS = 400

# --- freshness ------------------------------------------------------------------------------------
RACY_NS = (
    2_000_000_000  # an mtime this close to the moment of reading proves nothing (git's "racy")
)
INLINE_REFRESH_FILES = 40  # more changed files than this are refreshed by a background build
FEW_FILES = 30  # a build that affects more resolves everything at once
FULL_RESOLVE_SHARE = 0.25  # above this share of affected files one full resolution is cheaper

# --- answers (DESIGN section 7) -------------------------------------------------------------------
DEFAULT_MAX_TOKENS = 6_000
MIN_MAX_TOKENS = 200
HARD_MAX_TOKENS = 40_000  # hosts replace longer results (CASES 14)
CHARS_PER_TOKEN = 4
MAX_QUERY_CHARS = 1_000_000
MAX_NAME_CHARS = 4_096  # of a path or qualified name that is looked up
DEFAULT_LIMIT = 20
MAX_LIMIT = 1_000
NEAREST_NAMES = 5

# --- search ---------------------------------------------------------------------------------------
# BM25 column weights: a hit in the name tells more than one in the body.
SYMBOL_COLUMNS = {
    "name": 10.0,
    "parts": 5.0,
    "path": 2.0,
    "signature": 3.0,
    "doc": 2.0,
    "body": 1.0,
}
FILE_COLUMNS = {"path": 4.0, "names": 3.0, "body": 1.0}
QUERY_TERMS = 30  # terms of a long report kept, by inverse document frequency
KEPT_SCORE_BYTES = 32_000_000  # of terms' BM25 in memory (12 bytes a row): a session's words
SEED_LIMIT = 40
LONG_SYMBOL = 120  # lines above which size tells no more
EXPLAINED = 100  # best files and symbols that keep what each feature added
LISTED_FILES = 60  # whose symbols are scored
LOOKED_AT = 48  # best functions whose source is read for a second score
READ_BYTES = 4_000  # of one function's source
WORDING_CHARS = 20_000  # of a report whose word pairs are sought in source
NO_SYMBOL = -8.0  # logit of a file without any symbol worth looking at
SYMBOLS_FOUND = 300  # best definitions by full text that take part in a ranking
FILES_FOUND = 120
DEMOTED_FOUND = 60  # tests, documents, examples... beside them, which must not crowd them out
NAMES_LOOKED_UP = 80  # identifiers of a report sought as exact names
ASKED_WORDS = 12  # the names in a query of at most so many words are what it asks for
WORDS_LOOKED_UP = 60  # plain words sought as exact names
LITERALS_LOOKED_UP = 12
DRIVERS_LOOKED_UP = 12
FOLDER_FILES = 400  # a folder of more files than this is not one driver's
COMMON = 12  # a name or phrase found more often than this points nowhere
UNSURE_FRAME = 0.5  # the kernel doubts it ("? func+0x1/0x2")
DEPTH_DECAY = 0.5  # a frame at depth d counts 1 / (1 + d) ** DEPTH_DECAY
# What a marked file's score is multiplied by: demoted, never dropped (CASES 20).
GENERATED_FACTOR = 0.1
VENDORED_FACTOR = 0.2
EXAMPLE_FACTOR = 0.2
TEST_FACTOR = 0.02  # tests repeat a report's words better than the code at fault does
DOCUMENTATION_FACTOR = 0.05
DATA_FACTOR = 0.1  # settings, tables and prose say the report's words without being at fault

# --- ranking (core/rank.py) -----------------------------------------------------------------------
# Logit weights, fitted by benchmarks/fit_weights.py; channels not named here do not count.
FILE_WEIGHTS: dict[str, float] = {
    "file.path": 1.8,  # the report names the file
    "file.text": 1.8,  # BM25 of the whole report over the whole file
    "file.title": 1.75,  # of its title alone
    "file.code": 0.8,  # of its names, code, traces and messages
    "file.frame_top": 0.8,  # the innermost frame in it
    "file.literal": 0.45,  # the file holds a message of the report
    "file.module": 0.1,
    "file.driver": 1.5,  # of the driver or kernel module that the report names
    "file.driver_folder": 0.5,  # in the folder of its name
    "field.said": 1.0,  # words of a tracker's field that the path holds
    "header": -0.9,
    "file.message": 1.65,  # changed by the commit whose message is most like the report
    "file.together": 3.0,  # changed together with the best files of the first pass
    "file.imported": 1.5,  # imported by one of them
    "best.text": 0.65,  # the same over definitions: the file's best one...
    "best.title": 0.5,
    "best.asked": 2.0,
    "best.line": 0.6,
    "best.own_name": 0.35,  # a name that the report's code defines
    "best.tested": 0.2,  # called by tests that have the report's words
    "best.dotted": 0.3,
    "best.literal": 0.3,
    "best.frame": 0.1,
    "best.stack": 2.0,  # frames without a path
    "best.fault": 2.0,  # the function in which the machine stopped
    "next.text": 0.2,  # ...and the next three
    "next.frame": 1.25,
    "stem.said": 5.1,  # the share of the report's weight that the file's own name holds...
    "directory.said": 10.7,  # ...and its directories'
    "symbol.best": 0.22,  # what its best symbol is worth by itself, once its source was read
    "walk": 0.2,  # 0 in the fit on reports; kept for what a trace leads to
    "size": 2.05,  # BM25 divides by length, yet long files hold more faults
    "package": 0.2,
    "bench": -0.7,
}
SYMBOL_WEIGHTS: dict[str, float] = {
    "walk": 1.25,
    "text": 1.7,
    "title": 1.15,
    "code": 0.26,
    "asked": 3.0,  # a short query's own names
    "line": 1.0,
    "frame": 0.9,
    "dotted": 0.55,
    "literal": 0.3,
    "tested": 0.2,  # called by tests that have the report's words
    "name.said": 3.8,  # the share of the report's weight that the name holds
    "source.pairs": 0.42,  # log of the word pairs that the source and the report share
    "source.runs": 0.32,  # of runs of four words
    "source.names": 0.2,  # of the report's names inside the source
    "caller.said": 0.6,  # named in the report, and calls this
    "method.said": 0.4,  # its class is named too
    "undocumented": 0.55,
    "branches": 0.39,  # log of the decisions and exits in the source
    "private": 0.38,
    "owner.said": 0.7,  # how much of the class's name is said
    "owner.own_name": 1.85,  # a name that the report's code defines: maybe the library's source
    "owner.word_name": 0.8,  # a plain word of the report is the class's name
    "owner.literal": 0.1,
    "owner.title": 0.4,
    "owner.text": 0.3,
    "owner.code": 0.27,
    "file": 0.25,  # log-probability of the file
    "crowd": -0.14,  # log of the file's lines: its share falls on more functions
    "size": 0.19,
    "nested": -2.3,
    "method": -0.36,
    "dunder": 0.7,
    "initializer": -0.24,
    "type": -1.5,  # a fix is in a body; the class stands behind its members
    "value": -2.0,
    "declaration": -2.0,
}
# How much a channel makes a symbol (or a file's own symbol) a place to restart from.
SEED_CHANNELS: dict[str, float] = {
    "text": 1.0,
    "title": 0.5,
    "code": 0.3,
    "frame": 1.0,
    "dotted": 1.0,
    "asked": 2.0,
    "line": 1.0,
    "literal": 1.0,
    "name": 0.3,
    "own_name": 0.3,
}
FILE_SEED_CHANNELS: dict[str, float] = {
    "text": 1.0,
    "title": 0.5,
    "path": 2.0,
    "frame_top": 1.0,
    "module": 0.5,
}
SEED_POWER = 2.0  # sharpens: the walk should start at the few best

# --- history (core/history.py) --------------------------------------------------------------------
HISTORY_COMMITS = 3_000  # newest ones kept, merges and first commits left out
HISTORY_SECONDS = 10.0  # of git; what it told until then is kept
HISTORY_BYTES = 64_000_000  # of what git may write
COMMIT_FILES = 30  # a commit of more files says nothing about which belong together
COMMIT_CHARS = 2_000  # of a message
COMMITS_FOUND = 300  # commits whose messages match a report best
COMMIT_AGE = 1_000.0  # commits after which one counts 1/e as a sign of what changes together
COMMIT_PRIOR = 0.5  # commits' weight that a pair of files must exceed to count
LEADERS = 5  # best files of the first pass, whose companions are sought
COMPANIONS = 60  # companions found that take part in a ranking

# --- walk -----------------------------------------------------------------------------------------
RESTART = 0.3  # probability of jumping back to a seed: high keeps the walk near the question
WALK_ITERATIONS = 30
WALK_TOLERANCE = 1e-6
WALK_NODES = 500  # neighbourhood bound: its edges are most of what a short question costs
NODE_FANOUT = 60  # edges followed per node and direction: above it the node is a hub
TIER_WEIGHT = {"A": 1.0, "B": 0.9, "C": 0.5, "D": 0.3}
KIND_WEIGHT = {
    "calls": 1.0,
    "implicit": 0.5,
    "inherits": 0.8,
    "overrides": 0.8,
    "decorates": 0.5,
    "references": 0.4,
    "registers": 0.7,
    "imports": 0.4,
    "contains": 0.6,
}

# --- syntax trees on request (core/trees.py) ---------------------------------------------------
TREE_SECONDS = 5.0  # a query over many files may take this long, then says how far it came
TREE_MATCHES = 65_536  # matches in progress: above it a query explodes
MAX_TREE_QUERY_CHARS = 20_000  # deeper nesting than this could hold overflows the C stack
TREE_LINES = 20_000  # of one tree; the token budget cuts long before
TREE_MEMORY_BYTES = 1 << 30  # address space of the child that runs queries

# --- background builds ----------------------------------------------------------------------------
BUILD_NICENESS = 5  # a build must not slow the editor or the agent down
LOCK_WAIT_S = 0.4  # how long an answer waits for another writer before it says "stale"
FLOW_QUIET_S = 5.0  # after the last edit, before other files' value flow is solved again
REBUILD_PAUSE_S = 20.0  # between two background builds of one server
FIRST_WAIT_S = 2.5  # how long the first answer waits for a build: enough for a small tree

# --- Reading a report (core/report.py) ------------------------------------------------------------
# What one mention weighs by the place it stands in; prose is the unit.
ORIGIN_WEIGHT: dict[str, float] = {
    "title": 2.0,  # people put the thing itself into the title
    "prose": 1.0,
    "code": 0.6,  # mostly set-up of the reporter's own
    "trace": 0.5,  # frames are read separately; these are their source lines
    "log": 0.6,
    "field": 1.0,  # of a tracker
    "hardware": 0.2,  # lspci and the like list everything that did not fail
    "error": 1.2,  # the message comes from the program
}
TICKED_FACTOR = 1.5  # between back-ticks: meant as a name
CALLED_FACTOR = 1.2  # called in the reporter's code: reaches the library
EXCEPTION_FACTOR = 0.5  # the class of an exception names a symptom
PREFIX_FACTOR = 0.6  # ``models`` in ``models.Model.save``
DIRECTORY_FACTOR = 0.5  # a path that names no file
PIECE_FACTOR = 0.5  # ``query`` out of ``QuerySet``
REPEAT_BONUS = 0.15  # each repetition adds this share...
MAX_REPEATS = 6  # ...up to this many times
MIN_LITERAL_WORDS = 3  # shorter phrases are found as words
MAX_CLUES = 200  # of each kind, strongest first
MAX_CLUES_READ = 20_000  # distinct mentions kept while reading: bounds memory on a megabyte of log
MAX_FRAMES = 60  # of one trace
