/** For programs: what changes, and how fast this machine is. */
import { openRowsReader } from '../../../kit/house/open-views.ts';
import type { Line } from '../../../core/schema/event.ts';
import { changes, knownNow } from '../../../kit/views/changes.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { type WatchedLine, watchedLine } from '../../../kit/views/watched-events.ts';
import { type Answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programFolder } from '../../../kit/settings.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { flag, number } from '../../../kit/cli/options.ts';

type Options = { since: number | undefined };

export const commands: Commands = {
  watch: command({
    summary: 'Print one line of JSON for each event of interest, until Ctrl-C: tasks, runs, questions',
    options: {
      since: number(
        'CURSOR',
        'Begin behind this cursor of an earlier line; 0 for all of history. Without it: from now on.',
      ),
    },
    example: 'oka watch --since 1200',
    json: false,
    run: watch,
    /** Always JSON: it is for scripts. */
    render: (line) => `${JSON.stringify(line)}\n`,
  }),
  bench: command({
    summary: 'Measure against a floor or a peer in the same run',
    operands: '[suite…]',
    options: { check: flag('Exit 1 when a figure misses its bar.') },
    example: 'oka bench ledger --json',
    /** Benches are not part of the program: they run in a process of their own, from the checkout, and print themselves. */
    run: async ({ operands, options, json, signal }) => {
      const main = join(programFolder, 'bench', 'main.ts');
      if (!existsSync(main))
        throw new OkaError('not-set-up', 'the benches are only in a checkout of oka', {
          fix: 'Clone the project and run: npm run bench',
        });
      const flags = [...(json ? ['--json'] : []), ...(options.check ? ['--check'] : [])];
      const child = spawn(process.execPath, ['--expose-gc', main, ...operands, ...flags], {
        stdio: 'inherit',
        signal,
        killSignal: 'SIGINT',
      });
      const { promise, resolve } = Promise.withResolvers<Answer<never>>();
      child.on('error', () => resolve({ code: exits.interrupted }));
      child.on('exit', (code) => resolve({ code: code ?? exits.interrupted }));
      return promise;
    },
    render: () => '',
  }),
};

/** Runs inside others are steps of theirs; only the outermost are reported. Their questions are. */
const isAboutRun = ({ type }: Line): boolean => type.startsWith('run.');

/** Follows the ledger until Ctrl-C; what it printed last is where `--since` goes on. */
async function watch({ home, signal, options, emit }: Call<Options, WatchedLine>): Promise<Answer<WatchedLine>> {
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
