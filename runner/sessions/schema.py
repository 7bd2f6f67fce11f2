"""The tables of the database of sessions, as the steps from each version to the next."""

# The number of a step is its place, from 1. One that was released is never changed: databases out there have taken it.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY,
            began TEXT NOT NULL,
            changed TEXT NOT NULL,
            agent TEXT NOT NULL DEFAULT '',
            file TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL DEFAULT '',
            text TEXT,
            runs INTEGER NOT NULL DEFAULT 0,
            entries INTEGER NOT NULL DEFAULT 0,
            status TEXT,
            head TEXT NOT NULL DEFAULT ''
        )
        """,
        """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            number INTEGER NOT NULL,
            at TEXT NOT NULL,
            kind TEXT NOT NULL,
            json TEXT NOT NULL,
            digest TEXT NOT NULL,
            UNIQUE (session, number)
        )
        """,
        """
        CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
        BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END
        """,
        # INSERT OR REPLACE would take an entry out without the other triggers.
        """
        CREATE TRIGGER entries_are_not_replaced BEFORE INSERT ON entries
        WHEN EXISTS (
            SELECT 1 FROM entries WHERE id = NEW.id OR (session = NEW.session AND number = NEW.number)
        )
        BEGIN SELECT RAISE(ABORT, 'entries are never replaced'); END
        """,
        """
        CREATE TRIGGER entries_go_with_their_session BEFORE DELETE ON entries
        WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.id = OLD.session)
        BEGIN SELECT RAISE(ABORT, 'entries are only deleted with their whole session'); END
        """,
    ),
    (
        # Beside each other for what is compared: no correction is kept twice.
        """
        CREATE TABLE feedback (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            agent TEXT NOT NULL,
            tool TEXT NOT NULL,
            arguments TEXT NOT NULL,
            edited TEXT NOT NULL DEFAULT '',
            reason TEXT NOT NULL DEFAULT '',
            made_by TEXT NOT NULL,
            at TEXT NOT NULL,
            UNIQUE (agent, tool, arguments, edited, reason)
        )
        """,
        "CREATE VIRTUAL TABLE feedback_words USING fts5(tool, arguments, reason, tokenize = 'unicode61')",
    ),
)
