/**
 * Owns: texts in a fold store that are found by their words: a full-text index of SQLite, which stores no text itself.
 *
 * 1. As with rows, whoever may not write puts newer texts into a layer in memory; it hides what the file has under the
 *    same key.
 * 2. Texts are found from the last one put to the first, without sorting: the first few cost the same in a long history.
 */
import type { Texts } from '../schema/rows.ts';
import { type Database, guardDatabase } from './fold-database.ts';

/** Part of the version of a store that has texts. */
export const TEXT_FORMAT = 'texts.1';

/** A key without an entry in the index is one whose text was removed. */
export const TEXT_TABLES = `
CREATE TABLE text_key (id INTEGER PRIMARY KEY, key TEXT UNIQUE);
CREATE VIRTUAL TABLE text USING
  fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2');
`;

const FIND = `SELECT text_key.key AS key FROM text JOIN text_key ON text_key.id = text.rowid
  WHERE text MATCH ? ORDER BY text.rowid DESC`;

/** Rewrites the index without the words of texts that were removed, which it keeps until it happens to be merged. */
export const forgetRemovedWords = (database: Database): unknown =>
  database.prepare("INSERT INTO text (text) VALUES ('optimize')").run();

/** `layers` gives the databases to read, the newest last, which is also the one to write. */
export function openTexts(file: string, layers: () => readonly Database[], onRemoved: () => void): Texts {
  return {
    put: (key, text) => {
      if (text === null) onRemoved();
      guardDatabase(file, () => putText(layers(), key, text));
    },
    find: function* (words) {
      if (words.length === 0) return;
      const query = words.map((word) => `"${word.replaceAll('"', '')}"*`).join(' AND ');
      const [newest, ...older] = layers().toReversed();
      if (newest === undefined) return;
      yield* keysIn(file, newest, query);
      for (const layer of older)
        for (const key of keysIn(file, layer, query)) if (idOf(newest, key) === undefined) yield key;
    },
  };
}

function putText(layers: readonly Database[], key: string, text: string | null): void {
  const top = layers.at(-1);
  if (top === undefined) return;
  const before = idOf(top, key);
  if (before !== undefined) {
    top.prepare('DELETE FROM text WHERE rowid = ?').run(before);
    top.prepare('DELETE FROM text_key WHERE id = ?').run(before);
  }
  if (text === null && layers.length === 1) return;
  const { lastInsertRowid } = top.prepare('INSERT INTO text_key (id, key) VALUES (?, ?)').run(nextId(top), key);
  if (text !== null) top.prepare('INSERT INTO text (rowid, words) VALUES (?, ?)').run(lastInsertRowid, text);
}

function idOf(layer: Database, key: string): number | undefined {
  return layer.prepare('SELECT id FROM text_key WHERE key = ?').get(key)?.['id'] as number | undefined;
}

/** A text that is put again comes last again. */
const nextId = (layer: Database): number =>
  Number(layer.prepare('SELECT coalesce(max(id), 0) + 1 AS next FROM text_key').get()?.['next']);

/** The statement is its own: several searches may go on at once. */
function* keysIn(file: string, layer: Database, query: string): Generator<string> {
  const found = guardDatabase(file, () => layer.db.prepare(FIND).iterate(query));
  for (;;) {
    const next = guardDatabase(file, () => found.next());
    if (next.done === true) return;
    yield String(next.value['key']);
  }
}
