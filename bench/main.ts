/**
 * Runs suites of benches: `npm run -s bench -- [suite…] [--json] [--check]`. `bench -- budget [--write]` counts what does
 * not depend on the machine (budget.ts), `bench -- against <commit>` compares versions in turns (against.ts), and
 * `bench -- publish` writes docs/BENCHMARKS.md (publish.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, misses, tableOf } from './figure.ts';

const suites: Record<string, () => Promise<{ measure: (note: (text: string) => void) => Promise<Figure[]> }>> = {
  ledger: () => import('./ledger.ts'),
  engine: () => import('./engine.ts'),
  parts: () => import('./parts.ts'),
  classify: () => import('./classify.ts'),
  launch: () => import('./launch.ts'),
  memory: () => import('./memory.ts'),
  worker: () => import('./worker.ts'),
  together: () => import('./together.ts'),
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
  options: {
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    suite: { type: 'string', default: 'quick' },
    tolerance: { type: 'string', default: '5' },
  },
});
// What oka notes about the homes of a bench, outside of them, goes away with it.
const user = mkdtempSync(join(tmpdir(), 'oka-bench-user-'));
process.env['XDG_STATE_HOME'] = join(user, 'state');
process.env['XDG_CONFIG_HOME'] = join(user, 'config');
process.on('exit', () => rmSync(user, { recursive: true, force: true }));
if (positionals[0] === 'budget') process.exit(await (await import('./budget.ts')).showBudget(values));
if (positionals[0] === 'against') process.exit(await against(positionals.slice(1)));
if (positionals[0] === 'publish') process.exit(await (await import('./publish.ts')).publish(positionals.slice(1)));
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

async function against(commits: string[]): Promise<number> {
  const { measureAgainst } = await import('./against.ts');
  const { rounds, suite, tolerance, json, check } = values;
  const [most, least] = [Number(tolerance) / 100, Number(rounds)];
  if (!Number.isInteger(least) || least < 1 || !(most >= 0)) {
    process.stderr.write('--rounds takes a whole number from 1 on, and --tolerance a number of percent\n');
    return 2;
  }
  return measureAgainst({ commits, rounds: least, suites: suite.split(','), tolerance: most, json, check });
}

async function measure(name: string): Promise<Figure[]> {
  const load = suites[name];
  if (load === undefined) {
    process.stderr.write(`there is no suite "${name}"; there is: ${Object.keys(suites).join(', ')}\n`);
    process.exit(2);
  }
  return (await load()).measure((text) => process.stderr.write(`  ${name}: ${text}\n`));
}
