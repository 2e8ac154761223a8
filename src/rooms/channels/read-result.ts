/** What a message says about a run that ended, and about a day: read from the files that people read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageFile } from '../../core/schema/channel-port.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Redact } from '../../core/schema/ports.ts';
import { resultAttachments } from './result-attachments.ts';

const RESULT = 'RESULT.md';
/** More than a message has: it is cut after it was redacted, never before. */
const MOST_CHARACTERS = 500_000;
const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/;

/** RESULT.md of a run without its front matter, and the files that it links; null when there is none yet. */
export function readResult(home: Home, run: string, redact: Redact): { text: string; files: MessageFile[] } | null {
  const text = readText(join(home.workspace, 'outbox', run, RESULT));
  if (text === null) return null;
  return { text: text.replace(FRONT_MATTER, '').trim(), files: resultAttachments(home, run, text, redact) };
}

/** The page of a day, without its front matter. */
export function readDayPage(home: Home, date: string): string | null {
  return (
    readText(join(home.oka, 'memory', `${date}.md`))
      ?.replace(FRONT_MATTER, '')
      .trim() ?? null
  );
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').slice(0, MOST_CHARACTERS);
  } catch {
    return null; // not written yet, or tidied away
  }
}
