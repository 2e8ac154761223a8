import { openRowsReader } from '../../../kit/house/open-views.ts';
import type { Line } from '../../../core/schema/event.ts';
import { changes, knownNow } from '../../../kit/views/changes.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { type WatchedLine, watchedLine } from '../../../kit/views/watched-events.ts';
import { type Answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = { since: number | undefined };

/** Follows the ledger until Ctrl-C; what it printed last is where `--since` goes on. */
export async function run({ home, signal, options, emit }: Call<Options, WatchedLine>): Promise<Answer<WatchedLine>> {
  await requireHome(home);
  const from = options.since ?? knownNow(home.ledgers, ['run']).run ?? 0;
  const reader = openRowsReader(home);
  const depths = new Map<string, number>();
  const depthOf = async (name: string): Promise<number> =>
    depths.get(name) ?? (await reader.read((rows) => storedRun(rows, name)?.depth ?? 0));
  try {
    for await (const event of changes(home.ledgers, { run: from }, { signal })) {
      if (event.type === 'run.started' && event.run !== null) depths.set(event.run, event.data.depth);
      const line = watchedLine(event);
      if (line !== null && !(isAboutRun(event) && (await depthOf(event.run ?? '')) > 0)) emit(line);
      if (event.type === 'run.ended') depths.delete(event.run ?? '');
    }
  } finally {
    await reader.close();
  }
  return { code: exits.interrupted };
}

/** Always JSON: it is for scripts. */
export const render = (line: WatchedLine): string => `${JSON.stringify(line)}\n`;

/** Runs inside others are steps of theirs; only the outermost are reported. Their questions are. */
const isAboutRun = ({ type }: Line): boolean => type.startsWith('run.');
