/** Databases in a file. */
import { rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal } from '../shell-state.ts';

export const databases: Table = {
  ...rows('sqlite3 duckdb', { class: 'read', operands: 'own', judge: judgeSqlite }),
};

const QUERIES =
  /^\s*(?:(?:select|with|explain|values|describe|show|summarize|from)\b[\s\S]*|pragma\s+(?:table_info|table_list|index_list|foreign_key_list|database_list|integrity_check|quick_check|user_version|page_count|journal_mode)\b[^=]*|\.(?:tables|schema|headers?|mode|width|indexes|indices|databases|dump|fullschema|separator|nullvalue|help|show|timer|stats|eqp|quit|exit)\b.*)$/i;

function judgeSqlite(use: Use): void {
  const operands = use.args.filter(
    ({ text }, at) =>
      !text.startsWith('-') &&
      !/^-(?:separator|nullvalue|newline|cmd|init|mode|vfs)$/.test(use.args[at - 1]?.text ?? ''),
  );
  const [database, ...statements] = operands;
  if (database && database.text !== ':memory:') use.reads(database);
  if (use.args.some(({ text }) => /^-(?:init|vfs)$/.test(text)))
    use.raise('write_local', 'it runs a script from the desk');
  const texts = [
    ...statements.map(({ text }) => text),
    ...use.args.filter((_, at) => /^-(?:cmd|c)$/.test(use.args[at - 1]?.text ?? '')).map(({ text }) => text),
    ...(use.stdin.from === 'text' ? [use.stdin.text] : []),
  ];
  for (const text of texts) {
    if (
      /^\s*\.(?:shell|system|load|restore|save|backup|clone|log|output|once|excel|import|read|cd|archive|ar)\b/im.test(
        text,
      )
    )
      sqliteFile(use, text);
    if (/load_extension|readfile|writefile|edit\s*\(|fts3_tokenizer/i.test(text))
      use.raise('deny', 'the statement reaches out of the database');
    if (
      /\battach\b[^;]*['"](?:\/|~|\.\.)|\b(?:copy|export)\b[^;]*['"](?:\/|~|\.\.)|https?:\/\/|s3:\/\/|install\s+\w|load\s+\w/i.test(
        text,
      )
    )
      use.raise('external_mutation', 'the statement reaches out of the desk');
    for (const { 0: all, 1: path = '', index } of text.matchAll(/['"]((?:\/|~|\.\.\/)[^'"]*)['"]/g))
      if (all.length > 3 && /(?:\b(?:from|join|into|to|attach|database)|\(|,|\.\w+)\s*$/i.test(text.slice(0, index)))
        (/(?:vacuum\s+into|\bto|\.\w+)\s*$/i.test(text.slice(0, index)) ? use.writes : use.reads)(literal(path));
    if (!text.split(/;|\n(?=\s*\.)/).every((part) => part.trim() === '' || QUERIES.test(part)))
      judgeStatements(use, database);
  }
  if (texts.length === 0 || use.stdin.from === 'file') judgeStatements(use, database);
}

function judgeStatements(use: Use, database: Arg | undefined): void {
  use.raise('write_local', 'it changes the database');
  if (database && database.text !== ':memory:') use.writes(database);
}

function sqliteFile(use: Use, text: string): void {
  if (/^\s*\.(?:shell|system|load|log)\b|["']?\|/im.test(text))
    return use.raise('deny', 'the statement runs a program');
  for (const [, command, name] of text.matchAll(/^\s*\.(\w+)\s+(?:--?\w+\s+)*["']?([^\s"']+)/gm))
    (command === 'import' || command === 'read' || command === 'restore' ? use.reads : use.writes)(literal(name ?? ''));
  use.raise('write_local', 'it writes on the desk');
}
