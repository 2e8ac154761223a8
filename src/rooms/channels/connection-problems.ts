/**
 * Owns: .oka/state/channel-connections.json: the channels that can receive nothing now, why, and since when. It is the
 * condition of a running worker, as a heartbeat is, and no history: it is gone when the connection stands, and empty
 * after a start.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';

export type ConnectionProblem = { since: string; problem: string };
type ConnectionProblems = Readonly<Record<string, ConnectionProblem>>;

const fileOf = (home: Home): string => join(home.oka, 'state', 'channel-connections.json');

/** Empty where there is no such file, or it cannot be read. */
export function readConnectionProblems(home: Home): ConnectionProblems {
  try {
    return JSON.parse(readFileSync(fileOf(home), 'utf8')) as ConnectionProblems;
  } catch {
    return {};
  }
}

/** Returns what notes a problem of a channel, or with null that there is none. A disk that is full loses the note, no more. */
export function openConnectionProblems(home: Home): (channel: string, problem: ConnectionProblem | null) => void {
  let known: Record<string, ConnectionProblem> = {};
  const write = (): void => {
    try {
      makeFolder(dirname(fileOf(home)), 0o700);
      replaceFile(fileOf(home), `${JSON.stringify(known)}\n`, { mode: 0o600 });
    } catch {
      // the log has it
    }
  };
  if (Object.keys(readConnectionProblems(home)).length > 0) write();
  return (channel, problem) => {
    if (problem === null && known[channel] === undefined) return;
    const { [channel]: before, ...others } = known;
    known = problem === null ? others : { ...others, [channel]: { ...problem, since: before?.since ?? problem.since } };
    write();
  };
}
