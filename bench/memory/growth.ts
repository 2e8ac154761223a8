/** The same questions over a history that grows: what is found, what it costs, how long it takes, how much memory it needs. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../figure.ts';
import type { Sized } from './sized.ts';

const WORKER = 'of a worker after 120 questions about 100,000 events';
const SIZES = [1000, 10_000, 100_000];

export function growthFigures(note: (text: string) => void, seed = 21): Figure[] {
  return (['vectors', 'words'] as const).flatMap((way) => {
    const sized = SIZES.map((events) => {
      const each = at(events, way, seed);
      note(`${events} events, ${way}: ${JSON.stringify(each)}`);
      return each;
    });
    return figuresOf(way, sized);
  });
}

function at(events: number, way: 'vectors' | 'words', seed: number): Sized {
  const file = fileURLToPath(new URL('./sized.ts', import.meta.url));
  const args = ['--expose-gc', file, String(events), way, String(seed)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Sized;
}

function figuresOf(way: 'vectors' | 'words', sized: readonly Sized[]): Figure[] {
  const tokens = sized.map((each) => each.tokens);
  const [first, last] = [sized[0] as Sized, sized.at(-1) as Sized];
  const spread = (100 * (Math.max(...tokens) - Math.min(...tokens))) / Math.max(...tokens);
  const lost = first.recall - last.recall;
  const figure = (name: string, value: number, unit: string, most: number, about: string): Figure => ({
    name: `${way}_${name}`,
    value,
    unit,
    bar: { most },
    about,
  });
  return [
    figure('growth_tokens', spread, '%', 5, 'between the tokens used at 1,000 and at 100,000 events'),
    figure('growth_recall_lost', lost, 'points', 5, `of planted facts; ${first.recall.toFixed(1)} % at 1,000 events`),
    figure('pack_p50', last.p50, 'ms', 100, 'a pack at 100,000 events'),
    figure('pack_p99', last.p99, 'ms', 200, 'a pack at 100,000 events, for questions and whole tasks'),
    figure('growth_rss', last.rss - first.rss, 'MB', 400, 'more memory at 100,000 events than at 1,000'),
    figure('pack_cpu_p50', last.cpu50, 'ms', 25, 'of processor time for a pack at 100,000 events; the goal is 20'),
    figure('pack_cpu_p99', last.cpu99, 'ms', 90, 'of processor time, for questions and whole tasks; the goal is 60'),
    ...(last.worker === null ? [] : [figure('worker_rss', last.worker, 'MB', 350, WORKER)]),
    { name: `${way}_task_ms`, value: last.task, unit: 'ms', about: 'a pack for a task of 4,000 characters' },
    { name: `${way}_index_1000`, value: last.indexMs / 100, unit: 'ms', about: 'to index 1,000 events by words' },
  ];
}
