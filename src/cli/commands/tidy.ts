import { join } from 'node:path';
import { requests } from '../../daemon/maintain/request-tidy.ts';
import { loadConfig } from '../../daemon/settings.ts';
import type { Home } from '../../schema/home.ts';
import { openStores } from '../../daemon/stores.ts';
import { tidiedEvents } from '../../daemon/home/tidied-events.ts';
import { tidy } from '../../daemon/tidy.ts';
import type { Tidied, Tidying } from '../../schema/room.ts';
import { submit } from '../../intake/submit-request.ts';
import { peek } from '../../ledger/peek.ts';
import { penHolder } from '../../ledger/pen.ts';
import { type TaskGraph, taskGraph } from '../../ledger/task-graph.ts';
import type { Config } from '../../schema/config.ts';
import { type Call, exits } from '../command.ts';
import { bytes, count, plainText } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const { home, json, out } = call;
  const config = await loadConfig(home);
  const limits = requests(config.maintenance, Date.now()).find((intake) => intake.kind === 'tidy');
  if (limits === undefined) {
    out(
      json ? '{"tidied":null}\n' : 'config.json says that everything stays (maintenance: artifact_days, outbox_…).\n',
    );
    return exits.ok;
  }
  if (call.flag('dry-run')) return told(call, await foreseen(call, limits));
  if (penHolder(home.ledgers.run) === null) return told(call, await done(call, config, limits));
  const id = submit(join(home.oka, 'intake'), limits);
  out(json ? `${JSON.stringify({ submitted: id })}\n` : `A worker holds the pen; it was asked to tidy (${id}).\n`);
  return exits.ok;
}

async function foreseen({ home, signal }: Call, limits: Tidying['limits']): Promise<Tidied> {
  const { state } = await peek(home.ledgers.run, home.oka, taskGraph);
  return tidy(tidyingOf(home, limits, state, true, signal));
}

async function done({ home, signal }: Call, config: Config, limits: Tidying['limits']): Promise<Tidied> {
  const stores = await openStores(home, config);
  try {
    const tidied = await tidy(tidyingOf(home, limits, stores.taskGraph(), false, signal));
    await stores.ledger.append(tidiedEvents(tidied));
    return tidied;
  } finally {
    await stores.close();
  }
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

function told({ json, out, flag }: Call, tidied: Tidied): number {
  if (json) out(`${JSON.stringify({ tidied })}\n`);
  else {
    const what = `${count(tidied.artifacts, 'artifact')} that nothing names, ${count(tidied.outbox.length, 'result')} and ${count(tidied.tools.length, 'old version')} of tools`;
    out(`${flag('dry-run') ? 'Would remove' : 'Removed'} ${what}, ${bytes(tidied.bytes)}.\n`);
    for (const name of tidied.outbox) out(`  workspace/outbox/${plainText(name)}\n`);
    for (const name of tidied.tools) out(`  .oka/tools/${plainText(name)}\n`);
  }
  return exits.ok;
}
