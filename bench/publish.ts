/**
 * `npm run -s bench -- publish [part…]` measures what docs/BENCHMARKS.md says and writes it there: all parts, or those that
 * are named. Below each stands its commit, its day and how busy the machine was.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, formatValue, misses } from './figure.ts';
import { processCpuMs } from './fleet/process-times.ts';
import type { PeerRow } from './peers/row.ts';
import { temporaryHome } from './support/home.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'BENCHMARKS.md');
const SETTLE_MS = 60_000;
const IDLE_MS = 60_000;

/** By the name of their place in the page. */
const parts: Readonly<Record<string, () => Promise<string>>> = {
  steps: async () => {
    const engine = await (await import('./engine.ts')).measure(note);
    return figureTable([...engine, ...(await (await import('./ledger.ts')).measure(note))]);
  },
  sizes: async () => figureTable(await measureSizes()),
  tasks: async () => figureTable(await (await import('./worker.ts')).measure(note)),
  idle: idleTable,
  memory: async () => figureTable(await (await import('./memory.ts')).measureRecall(note)),
  verdicts: verdictTable,
  peers: peerTable,
};

export async function publish(wanted: readonly string[]): Promise<number> {
  const names = wanted.length === 0 ? Object.keys(parts) : wanted;
  for (const name of names) {
    const measure = parts[name];
    if (measure === undefined) {
      process.stderr.write(`there is no part "${name}"; there is: ${Object.keys(parts).join(', ')}\n`);
      return 2;
    }
    note(name);
    const [load] = loadavg();
    const table = await measure();
    const place = new RegExp(`(<!-- ${name} -->\\n)[^]*(<!-- end of ${name} -->)`);
    const text = readFileSync(PAGE, 'utf8');
    writeFileSync(
      PAGE,
      text.replace(
        place,
        (_, begin: string, end: string) => `${begin}\n${table}\n\n${circumstances(load ?? 0)}\n\n${end}`,
      ),
    );
  }
  return 0;
}

/** Figures of a busy machine are those of a busy machine. */
function circumstances(load: number): string {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const all = cpus();
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  const before = `${load.toFixed(1)} before it began`;
  return `*${commit}, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${all.length} × ${all[0]?.model ?? 'unknown'}, ${memory}; load of the machine ${before}.*`;
}

function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, unit, bar, about } = figure;
    const limit = bar === undefined ? '' : 'most' in bar ? `≤ ${bar.most}` : `≥ ${bar.least}`;
    return [`\`${name}\``, `${formatValue(value)} ${unit}`, `${limit}${misses(figure) ? ', missed' : ''}`, about];
  });
  return markdownTable(['figure', 'measured', 'limit', 'what it is'], rows);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** What an installation takes on disk; the image only where it was built (docker compose build). */
async function measureSizes(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oka-sizes-'));
  const run = (cwd: string, program: string, ...words: string[]): string =>
    execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
  const megabytes = (path: string): number => Number(run(folder, 'du', '-sk', path).split('\t')[0]) / 1000;
  try {
    note('sizes: packed, installed, and what a checkout needs to run');
    run(ROOT, 'npm', 'run', '-s', 'pack', '--', folder);
    const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    const install = ['install', '--global', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    run(folder, 'npm', ...install, '--prefix', join(folder, 'whole'), tarball);
    const whole = megabytes(join(folder, 'whole'));
    const packages = join(folder, 'whole/lib/node_modules/oka/node_modules');
    for (const name of readdirSync(packages))
      if (name.startsWith('node-linux-')) rmSync(join(packages, name), { recursive: true });
    const checkout = join(folder, 'checkout');
    mkdirSync(checkout);
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(ROOT, name), join(checkout, name));
    run(checkout, 'npm', 'ci', '--ignore-scripts', '--omit=dev', '--omit=optional', '--no-audit', '--no-fund');
    const image = spawnSync('docker', ['image', 'inspect', 'oka:local', '--format', '{{.Size}}'], { encoding: 'utf8' });
    const unit = 'MB';
    return [
      {
        name: 'tarball',
        value: megabytes(tarball),
        unit,
        about: 'what is fetched, with the packages that everybody needs',
      },
      {
        name: 'package',
        value: whole,
        unit,
        bar: { most: 350 },
        about: 'installed with its own Node; 1,046 before',
      },
      {
        name: 'package_lean',
        value: megabytes(join(folder, 'whole')),
        unit,
        about: 'the same without that Node, where the machine has its own',
      },
      {
        name: 'checkout',
        value: megabytes(join(checkout, 'node_modules')),
        unit,
        bar: { most: 400 },
        about: 'packages of `npm ci --omit=dev --omit=optional`',
      },
      ...(image.status === 0
        ? [
            {
              name: 'image',
              value: Number(image.stdout) / 1e6,
              unit,
              bar: { most: 450 },
              about: 'the image `oka:local`; 733 before',
            },
          ]
        : []),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What runs on a laptop all day: a home whose inbox is empty. */
async function idleTable(): Promise<string> {
  using temporary = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  const args = [join(ROOT, 'bin', 'oka'), 'up', '--no-setup', '--dir', temporary.home.dir];
  const up = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, CI: '1' } });
  try {
    note(`idle: a minute to settle, and one that is measured`);
    await sleep(SETTLE_MS);
    const before = processCpuMs(up.pid ?? 0);
    await sleep(IDLE_MS);
    const share = (100 * (processCpuMs(up.pid ?? 0) - before)) / IDLE_MS;
    const about = 'of a core: worker, maintenance, dashboard and their supervisor together';
    return figureTable([{ name: 'idle_share', value: share, unit: '%', about }]);
  } finally {
    up.kill('SIGTERM');
    await once(up, 'close');
  }
}

async function verdictTable(): Promise<string> {
  const good = evals('good', '1') as {
    tasks: number;
    right: number;
    right_accepted: number;
    calls: number;
    prompt_tokens: number;
  };
  const bad = evals('bad', '60') as { runs: number; false_done: number; reported_clearly: number };
  return markdownTable(
    ['mind', 'tasks or runs', 'verdicts', 'requests a task', 'prompt tokens a task'],
    [
      [
        'does the work',
        `${good.tasks}`,
        `${good.right} right, ${good.right_accepted} of them accepted`,
        (good.calls / good.tasks).toFixed(1),
        `${Math.round(good.prompt_tokens / good.tasks)}`,
      ],
      [
        'does not',
        `${bad.runs}`,
        `${bad.false_done} wrongly called done, ${bad.reported_clearly} reported clearly`,
        '',
        '',
      ],
    ],
  );
}

function evals(mind: string, runs: string): unknown {
  note(`verdicts: ${mind}`);
  const args = [join(ROOT, 'test/evals/main.ts'), '--mind', mind, '--runs', runs, '--json'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

async function peerTable(): Promise<string> {
  const args = [join(ROOT, 'bench/peers/main.ts'), '--json'];
  const rows = JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] }),
  ) as PeerRow[];
  return markdownTable(
    ['', 'µs a step', 'flushes a step', 'a power cut loses', 'versions'],
    rows.map(({ name, us_per_step, flushes_per_step, lost_steps, note: versions }) => [
      name,
      known(us_per_step, 0),
      known(flushes_per_step, 2),
      known(lost_steps, 0),
      versions,
    ]),
  );
}

/** JSON has no NaN: what is not known is null there. */
function known(value: number | null | undefined, digits: number): string {
  return typeof value === 'number' && !Number.isNaN(value) ? value.toFixed(digits) : 'not known';
}

function note(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
