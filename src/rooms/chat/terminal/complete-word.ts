/** What the tab key does: it completes @agents, and commands at the beginning of the line. */
import { cellsOf, type Draft, draftText, insertCells } from './draft-editor.ts';
import { SLASH_NAMES } from './slash-commands.ts';

export function completeWord(draft: Draft, agents: readonly string[]): Draft {
  const text = draftText({ ...draft, cells: draft.cells.slice(0, draft.cursor) });
  const isCommand = text.startsWith('/') && !/\s/.test(text);
  const isMention = /(?:^|\s)@[\w-]*$/.test(text);
  if (!isCommand && !isMention) return draft;
  const word = isCommand ? text.slice(1) : text.slice(text.lastIndexOf('@') + 1);
  const found = (isCommand ? SLASH_NAMES : [...agents, 'all']).filter((name) => name.startsWith(word));
  const end = commonStart(found).slice(word.length);
  if (end === '' && found.length !== 1) return draft;
  return insertCells(draft, cellsOf(`${end}${found.length === 1 ? ' ' : ''}`));
}

function commonStart(names: readonly string[]): string {
  const [first = '', ...others] = names;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}
