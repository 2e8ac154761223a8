/** Removing what is old, and making again what is derived. */
import { existsSync } from 'node:fs';
import { loadRoomsConfig } from '../../../kit/house/room-config.ts';
import { takeAsCommand, withStores } from '../../../kit/house/await-pen.ts';
import { rebuildStores } from '../../../kit/house/stores.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { bytes, count, plainText } from '../../../kit/cli/plain-text.ts';
import { requests } from '../request-tidy.ts';
import type { Home } from '../../../core/schema/home.ts';
import { tidiedEvents } from '../../../kit/house/tidied-events.ts';
import { tidy } from '../../../kit/house/tidy.ts';
import type { Tidied, Tidying } from '../../../core/schema/room.ts';
import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { type TaskGraph, taskGraph } from '../../../core/ledger/task-graph.ts';
import type { Config } from '../../../core/schema/config.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { flag } from '../../../kit/cli/options.ts';

type RebuildData = { rebuilt: { ledger: string; events: number; files: string[] }[] };

type TidyData = { kind: 'nothing' } | { kind: 'tidied'; tidied: Tidied; dryRun: boolean };

export const commands: Commands = {
  rebuild: command({
    summary: 'Delete everything derived from the ledger and rebuild it',
    example: 'oka rebuild',
    run: async ({ home, signal, notify, rooms }) => {
      const config = await loadRoomsConfig(home, rooms);
      const rebuilt: RebuildData['rebuilt'] = [];
      if (existsSync(home.ledgers.run))
        rebuilt.push({
          ledger: 'run_ledger',
          ...(await takeAsCommand(home, { signal, notify }, () => rebuildStores(home, config, 'run'))),
        });
      if (existsSync(home.ledgers.maintenance)) {
        const { rebuildMaintenance } = await import('../rebuild.ts');
        rebuilt.push({ ledger: 'maintenance_ledger', ...(await rebuildMaintenance(home, config, signal)) });
      }
      return answer({ rebuilt });
    },
    render: ({ rebuilt }) => {
      if (rebuilt.length === 0) return 'There is no ledger yet; nothing to rebuild.\n';
      return rebuilt
        .map(({ ledger, events, files }) =>
          [`${ledger}: ${count(events, 'event')} folded again`, ...files.map((file) => `  .oka/${file}`), ''].join(
            '\n',
          ),
        )
        .join('');
    },
  }),
  tidy: command({
    summary: 'Remove old results, and artifacts that no event names',
    options: { 'dry-run': flag('Only say what would be removed.') },
    example: 'oka tidy --dry-run',
    run: async (call: Call<{ dryRun: boolean }>): Promise<Answer<TidyData>> => {
      const { home, options, signal, rooms } = call;
      const { dryRun } = options;
      const config = await loadRoomsConfig(home, rooms);
      const limits = requests(config.maintenance, Date.now()).find((intake) => intake.kind === 'tidy');
      if (limits === undefined) return answer({ kind: 'nothing' });
      if (dryRun) return answer({ kind: 'tidied', tidied: await previewTidy(home, limits, signal), dryRun });
      const tidied = (await carryOut(call, limits, () => tidyNow(call, config, limits))) as Tidied;
      return answer({ kind: 'tidied', tidied, dryRun });
    },
    render: (data: TidyData): string => {
      switch (data.kind) {
        case 'nothing':
          return 'config.json says that nothing is removed (maintenance: artifact_days, outbox_…).\n';
        case 'tidied':
          return renderTidied(data.tidied, data.dryRun);
      }
    },
    jsonLines: (data: TidyData): object[] => {
      switch (data.kind) {
        case 'nothing':
          return [{ tidied: null }];
        case 'tidied':
          return [{ tidied: data.tidied }];
      }
    },
  }),
};

function renderTidied({ artifacts, outbox, tools, bytes: size }: Tidied, dryRun: boolean): string {
  const versions = `${count(tools.length, 'old version')} of tools`;
  const what = `${count(artifacts, 'artifact')} that no event names, ${count(outbox.length, 'result')} and ${versions}`;
  const lines = [
    `${dryRun ? 'Would remove' : 'Removed'} ${what}, ${bytes(size)}.`,
    ...outbox.map((name) => `  workspace/outbox/${plainText(name)}`),
    ...tools.map((name) => `  .oka/tools/${plainText(name)}`),
  ];
  return `${lines.join('\n')}\n`;
}

async function previewTidy(home: Home, limits: Tidying['limits'], signal: AbortSignal): Promise<Tidied> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  return tidy(tidyingOf(home, limits, state, true, signal));
}

async function tidyNow(
  { home, signal, notify }: Pick<Call, 'home' | 'signal' | 'notify'>,
  config: Config,
  limits: Tidying['limits'],
): Promise<Tidied> {
  return withStores(home, config, { signal, notify }, async ({ taskGraph: goals, ledger }) => {
    const tidied = await tidy(tidyingOf(home, limits, goals(), false, signal));
    await ledger.append(tidiedEvents(tidied));
    return tidied;
  });
}

function tidyingOf(
  home: Home,
  limits: Tidying['limits'],
  { goals }: TaskGraph,
  isDry: boolean,
  signal: AbortSignal,
): Tidying {
  return { home, limits, isDry, signal, isActive: (run) => goals.some((goal) => goal.run === run) };
}
