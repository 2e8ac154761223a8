/** `npm run reliability -- --minutes N [--seed S] [--only NAME]… [--page FILE]`: runs the published trials and writes the page. */
import '../support/rooms-of-product.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { programVersion } from '../../src/kit/settings.ts';
import { messageOf } from '../../src/core/schema/errors.ts';
import useUserPlaces from '../support/user-places.ts';
import { badInput } from './bad-input.ts';
import { clockTrial } from './clock-trial.ts';
import { crashTrial } from './crash-trial.ts';
import { damageTrial } from './damage-trial.ts';
import { effectsTrial } from './effects-trial.ts';
import { floodTrial } from './flood-trial.ts';
import { growthTrial } from './growth-trial.ts';
import { powerCuts } from './power-cuts.ts';
import { type Finished, reliabilityPage } from './reliability-page.ts';
import { randomFrom, type Trial, type TrialReport } from './trial.ts';

const TRIALS: readonly Trial[] = [
  crashTrial,
  effectsTrial,
  powerCuts,
  damageTrial,
  clockTrial,
  badInput,
  floodTrial,
  growthTrial,
];
const PAGE = join(import.meta.dirname, '../../docs/RELIABILITY.md');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', multiple: true },
    page: { type: 'string', default: PAGE },
  },
});
const removeUserPlaces = useUserPlaces();
process.exitCode = await main();
removeUserPlaces();

async function main(): Promise<number> {
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0) || !Number.isInteger(seed)) {
    print('--minutes needs a number above 0, --seed a whole number');
    return 2;
  }
  const trials = TRIALS.filter(({ name }) => values.only?.some((some) => name.toLowerCase().includes(some)) ?? true);
  const shares = trials.reduce((sum, { share }) => sum + share, 0);
  const startedAt = new Date();
  const finished: Finished[] = [];
  mkdirSync(dirname(values.page), { recursive: true });
  for (const trial of trials) {
    finished.push(await runTrial(trial, (minutes * 60_000 * trial.share) / shares, seed));
    writeFileSync(values.page, reliabilityPage({ minutes, seed, startedAt, version: programVersion(), finished }));
  }
  const failures = finished.flatMap(({ report }) => report.failures);
  print(failures.length === 0 ? 'No failure.' : `${failures.length} failures; see ${values.page}`);
  return failures.length === 0 ? 0 : 1;
}

async function runTrial(trial: Trial, ms: number, seed: number): Promise<Finished> {
  print(`${trial.name}: ${Math.round(ms / 1000)} s`);
  const begun = Date.now();
  const log = (text: string): void => print(`  ${text}`);
  const report = await trial
    .run({ until: begun + ms, random: randomFrom(seed), log })
    .catch(
      (error: unknown): TrialReport => ({ counts: {}, failures: [`the trial itself failed: ${messageOf(error)}`] }),
    );
  if (report.skipped !== undefined) print(`  SKIPPED: ${report.skipped}`);
  for (const [what, times] of Object.entries(report.counts)) print(`  ${times} ${what}`);
  for (const row of report.table ?? []) print(`  ${row.join('  ')}`);
  for (const failure of report.failures) print(`  FAILED: ${failure}`);
  return { trial, report, seconds: (Date.now() - begun) / 1000 };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
