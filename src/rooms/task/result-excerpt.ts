/** The first line of what a task has to say for itself: of its answer, else of why it ended as it did. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { ANSWER } from '../../kit/text/languages.ts';

const MOST_BYTES = 8192;
const ANSWER_HEADING = new RegExp(`^## ${ANSWER}\\b`);
const LONGEST = 300;

/** Null when there is no page, or nothing on it; reads only the beginning of RESULT.md. */
export function readResultLine({ workspace }: Pick<Home, 'workspace'>, run: string): string | null {
  const text = readBeginning(join(workspace, 'outbox', run, 'RESULT.md'));
  return text === null ? null : resultLine(text);
}

/** The first sentence of a page that a task has delivered; null when there is none. */
export function readFirstLine({ workspace }: Pick<Home, 'workspace'>, run: string, path: string): string | null {
  const text = readBeginning(join(workspace, 'outbox', run, path)) ?? '';
  const line = text.split('\n').find((each) => hasWords(each.trim()) && !/^\s*(?:#|[|!])/.test(each));
  return line === undefined ? null : plainLine(line.trim());
}

export function resultLine(page: string): string | null {
  const lines = page.split('\n').map((line) => line.trim());
  const answerAt = lines.findIndex((line) => ANSWER_HEADING.test(line));
  const answered = answerAt === -1 ? undefined : lines.slice(answerAt + 1).find(hasWords);
  const reason = lines.find((line) => line.startsWith('> ') && hasWords(line));
  const line = answered ?? reason;
  return line === undefined ? null : plainLine(line);
}

const plainLine = (line: string): string =>
  line
    .replace(/^(?:[>#*-]|\d+\.)+\s+/, '')
    .replaceAll(/[*_`]{1,3}(\S.*?)[*_`]{1,3}/g, '$1')
    .slice(0, LONGEST);

/** Fences, rules and rows of tables that only separate say nothing. */
const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line) && !/^(?:```|~~~|<)/.test(line);

function readBeginning(file: string): string | null {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(MOST_BYTES);
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, MOST_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}
