/**
 * Runs suites of benches: `npm run -s bench -- [suite…] [--json] [--check]`. `bench -- budget [--write]` counts what does
 * not depend on the machine (budget.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, misses, tableOf } from './figure.ts';

const suites: Record<string, () => Promise<{ measure: (note: (text: string) => void) => Promise<Figure[]> }>> = {
  ledger: () => import('./ledger.ts'),
  engine: () => import('./engine.ts'),
  classify: () => import('./classify.ts'),
  launch: () => import('./launch.ts'),
  memory: () => import('./memory.ts'),
  worker: () => import('./worker.ts'),
  maintain: () => import('./maintain.ts'),
  replica: () => import('./replica.ts'),
  views: () => import('./views.ts'),
  schedule: () => import('./schedule.ts'),
  month: () => import('./month.ts'),
  tools: () => import('./tools.ts'),
  web: () => import('./web.ts'),
  tree: () => import('./tree.ts'),
  chat: () => import('./chat.ts'),
  fleet: () => import('./fleet.ts'),
  'fleet-sim': () => import('./fleet-sim.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, check: { type: 'boolean' }, write: { type: 'boolean' } },
});
// What oka notes about the homes of a bench, outside of them, goes away with it.
const user = mkdtempSync(join(tmpdir(), 'oka-bench-user-'));
process.env['XDG_STATE_HOME'] = join(user, 'state');
process.env['XDG_CONFIG_HOME'] = join(user, 'config');
process.on('exit', () => rmSync(user, { recursive: true, force: true }));
if (positionals[0] === 'budget') {
  const { showBudget } = await import('./budget.ts');
  process.exit(await showBudget({ write: values.write ?? false, check: values.check ?? false }));
}
const names = positionals.length === 0 ? Object.keys(suites) : positionals;
const figures: Figure[] = [];
for (const name of names) figures.push(...(await measure(name)));
const missed = figures.filter(misses);
process.stdout.write(
  values.json
    ? `${JSON.stringify(Object.fromEntries(figures.map(({ name, value }) => [name, value])))}\n`
    : tableOf(figures),
);
if (missed.length > 0) process.stderr.write(`missed: ${missed.map((figure) => figure.name).join(', ')}\n`);
process.exitCode = values.check && missed.length > 0 ? 1 : 0;

async function measure(name: string): Promise<Figure[]> {
  const load = suites[name];
  if (load === undefined) {
    process.stderr.write(`there is no suite "${name}"; there is: ${Object.keys(suites).join(', ')}\n`);
    process.exit(2);
  }
  return (await load()).measure((text) => process.stderr.write(`  ${name}: ${text}\n`));
}
