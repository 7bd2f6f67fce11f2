-- A database as version 1 made it, with one session in it. It is never changed: such databases are out there.
BEGIN TRANSACTION;
CREATE TABLE entries (
            id INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            number INTEGER NOT NULL,
            at TEXT NOT NULL,
            kind TEXT NOT NULL,
            json TEXT NOT NULL,
            digest TEXT NOT NULL,
            UNIQUE (session, number)
        );
INSERT INTO "entries" VALUES(1,'old',1,'2026-11-30T07:09:40.577978+00:00','Began','{"type":"Began","agent":"desk","file":"/p/desk.yaml","model":"m/x","text":"Was früher?","inputs":{},"prompt":"Was früher?"}','153eee188ae31360acc33878268257b001de200240de2ced8b619267458d3bc4');
INSERT INTO "entries" VALUES(2,'old',2,'2026-11-30T07:09:40.578394+00:00','Finished','{"type":"Finished","finished":{"status":"completed","answer":"Alles.","output":null,"error":null,"signal":null,"steps":0,"tool_calls":0,"usage":{"input_tokens":0,"output_tokens":0,"cached_tokens":0,"reasoning_tokens":0,"estimated":false},"cost":null,"seconds":0.0,"sources":[],"session":null}}','6b0a075da92230e100645fc669e134106c3f95599e1d81e8309cf16abff502a5');
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
        );
INSERT INTO "sessions" VALUES('old','2026-11-30T07:09:40.577632+00:00','2026-11-30T07:09:40.578394+00:00','desk','/p/desk.yaml','m/x','Was früher?',1,2,'completed','6b0a075da92230e100645fc669e134106c3f95599e1d81e8309cf16abff502a5');
CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
        BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entries_are_not_replaced BEFORE INSERT ON entries
        WHEN EXISTS (
            SELECT 1 FROM entries WHERE id = NEW.id OR (session = NEW.session AND number = NEW.number)
        )
        BEGIN SELECT RAISE(ABORT, 'entries are never replaced'); END;
CREATE TRIGGER entries_go_with_their_session BEFORE DELETE ON entries
        WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.id = OLD.session)
        BEGIN SELECT RAISE(ABORT, 'entries are only deleted with their whole session'); END;
COMMIT;
PRAGMA user_version = 1;
