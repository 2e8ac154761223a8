/** Parses imported messages: lines of JSON {id, text, at, who, namespace}, all of them or none. */
import { OkaError } from '../../schema/errors.ts';
import { Episode } from '../../schema/memory.ts';

export type ImportedEpisode = { episode: Episode; line: number };

const MOST_PROBLEMS = 5;

export function parseEpisodes(text: string, name: string): ImportedEpisode[] {
  const imported: ImportedEpisode[] = [];
  const problems: string[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const read = parseEpisode(line);
    if ('problem' in read) problems.push(`  line ${index + 1}: ${read.problem}`);
    else imported.push({ episode: read.episode, line: index + 1 });
  });
  if (problems.length > 0) throw unreadable(name, problems);
  return imported;
}

function parseEpisode(line: string): { episode: Episode } | { problem: string } {
  const given = parseJsonObject(line);
  if (given === null) return { problem: 'it is not a JSON object' };
  const { id, text, at, who, namespace } = given;
  const moment = parseInstant(at);
  if (moment === null)
    return { problem: `"at" is not a date and time: ${JSON.stringify(at)}; write it like 2026-01-31T09:30:00Z` };
  const read = Episode.safeParse({
    id: typeof id === 'number' ? String(id) : id,
    text,
    at: moment,
    ...(who === undefined || who === null ? {} : { who }),
    ...(namespace === undefined || namespace === null ? {} : { namespace }),
  });
  if (read.success) return { episode: read.data };
  return { problem: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
}

function parseJsonObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** A date in any common notation as an instant in UTC; without a time zone it counts as UTC. */
function parseInstant(at: unknown): string | null {
  if (typeof at !== 'string' && typeof at !== 'number') return null;
  const zoned = typeof at === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(at);
  const date = new Date(zoned ? `${at.replace(' ', 'T')}Z` : at);
  const year = date.getUTCFullYear();
  return Number.isNaN(year) || year < 0 || year > 9999 ? null : date.toISOString();
}

function unreadable(name: string, problems: readonly string[]): OkaError {
  const shown = problems.slice(0, MOST_PROBLEMS).join('\n');
  const more = problems.length > MOST_PROBLEMS ? `\n  and ${problems.length - MOST_PROBLEMS} more` : '';
  return new OkaError('invalid-file', `${name} cannot be imported:\n${shown}${more}`, {
    fix: 'Write one object per line: {"id": "1", "text": "…", "at": "2026-01-31T09:30:00Z", "who": "Ann", "namespace": "chat"}',
  });
}
