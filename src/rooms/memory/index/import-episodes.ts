/** Parses imported messages: lines of JSON {id, text, at, who, role, thread, namespace}, all of them or none. */
import { OkaError } from '../../../core/schema/errors.ts';
import { Episode, type EpisodeRole } from '../../../core/schema/memory.ts';
import { isOperatorName } from './speaker.ts';

export type ImportedEpisode = { episode: Episode; line: number };

const MOST_PROBLEMS = 5;

/** `me` are the names of the operator in the conversations. */
export function parseEpisodes(text: string, name: string, me: readonly string[] = []): ImportedEpisode[] {
  const imported: ImportedEpisode[] = [];
  const problems: string[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const read = parseEpisode(line, me);
    if ('problem' in read) problems.push(`  line ${index + 1}: ${read.problem}`);
    else imported.push({ episode: read.episode, line: index + 1 });
  });
  if (problems.length > 0) throw unreadable(name, problems);
  return imported;
}

function parseEpisode(line: string, me: readonly string[]): { episode: Episode } | { problem: string } {
  const given = parseJsonObject(line);
  if (given === null) return { problem: 'it is not a JSON object' };
  const { id, text, at, who, role, thread, namespace } = given;
  const moment = parseInstant(at);
  if (moment === null)
    return { problem: `"at" is not a date and time: ${JSON.stringify(at)}; write it like 2026-01-31T09:30:00Z` };
  const read = Episode.safeParse({
    id: typeof id === 'number' ? String(id) : id,
    text,
    at: moment,
    ...present({ who, thread: typeof thread === 'number' ? String(thread) : thread, namespace }),
    ...present({ role: typeof role === 'string' ? (ROLES[role.toLowerCase()] ?? role) : role }),
  });
  if (read.success) return { episode: withOwner(read.data, me) };
  return { problem: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
}

/** Other names of the roles in exported conversations. Instructions of a system are no person's. */
const ROLES: Readonly<Record<string, EpisodeRole>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
  system: 'tool',
  developer: 'tool',
};

/** A user without a name is the operator: their own conversation with an assistant. */
function withOwner(episode: Episode, me: readonly string[]): Episode {
  if (episode.role === undefined ? me.length === 0 : episode.role !== 'user') return episode;
  const isNameless = episode.role === 'user' && episode.who === NOBODY;
  return { ...episode, own: isNameless || isOperatorName(episode.who, me) };
}

const NOBODY = 'someone';

/** Without what is missing. */
const present = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

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
    fix: 'Write one object per line: {"id": "1", "text": "…", "at": "2026-01-31T09:30:00Z", "who": "Ann", "role": "user", "namespace": "chat"}',
  });
}
