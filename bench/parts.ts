/**
 * What each microsecond of a node pays for: samples where the processor is while a sequence of nodes runs, and gives every
 * sample to the innermost part of oka on its stack. Writes the table of docs/PERFORMANCE.md.
 */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { join } from 'node:path';
import type { Flush } from '../src/core/schema/ports.ts';
import { type Figure, median } from './figure.ts';
import { engineOn, sequence } from './support/engine.ts';
import { memoryFolder, storesIn, temporaryHome } from './support/home.ts';

const ROUNDS = 5;
const NODES = 10_000;
/** The first nodes are not counted: the run has just begun. */
const FIRST = 500;
const SAMPLE_US = 100;
const DOC = new URL('../docs/PERFORMANCE.md', import.meta.url);
const noFlush: Flush = { now: () => undefined, later: async () => undefined };

type Part = {
  name: string;
  /** Matches a function and its file. */
  frame: RegExp;
  about: string;
  /** Whether everything that it calls belongs to it, too; else a part inside it has its own time. */
  isWhole: boolean;
};

const whole = (name: string, frame: RegExp, about: string): Part => ({ name, frame, about, isWhole: true });
const around = (name: string, frame: RegExp, about: string): Part => ({ name, frame, about, isWhole: false });

/** A frame belongs to the first part that matches it; one that matches none to the part of its caller. */
const PARTS: readonly Part[] = [
  whole(
    'projections',
    /ledger\/projections\.ts/,
    'what the worker decides by, folded when read or when 256 events wait',
  ),
  whole(
    'write',
    /core\/ledger\/(?:live-file|disk|pen)\.ts/,
    'one write a node, and whether file and pen are still ours',
  ),
  whole('hash', /^hash node:internal\/crypto/, 'SHA-256 of both records'),
  whole('validate', /^checkEvent /, "the ledger's door: both events fit their schemas, and are copied"),
  whole('redact', /core\/guard\/redact|home-vault/, 'no secret in either record'),
  whole('fold', /^applyEvent .*fold-run/, 'what both events mean for the run'),
  whole('decide', /^decide .*engine\/decide/, 'which call comes next, with its input, its class and its name'),
  around('ledger', /core\/ledger\/|kit\/house\/stores/, 'number, stringify and seal two records; one commit'),
  around(
    'guard',
    /core\/(?:guard\/|chain\/middleware\/(?:authorize|eligible|check-budget))/,
    'eligible, authorize, budget',
  ),
  around(
    'chain',
    /core\/(?:chain\/|engine\/(?:middleware-chain|invoke-tool))/,
    'the other middlewares around the tool',
  ),
  around('drive', /core\/engine\//, 'the loop: messages, events of steps and outcomes, what a call is given'),
  whole('collector', /\(garbage collector\)/, 'garbage of all of them'),
];
const OTHER = 'other';

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  note('warming up');
  await runNodes();
  note('cost of a node');
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) costs.push((await runNodes()).cpuUs);
  note('where the processor is');
  const shares = await sampledShares();
  const cost = median(costs);
  const figures = [...PARTS, around(OTHER, /./, 'Node itself, and the bench')].map(({ name, about }) => ({
    name: `part_${name}_us`,
    value: cost * (shares.get(name) ?? 0),
    unit: 'µs',
    about,
  }));
  const floor = { name: 'part_floor_us', value: floorUs(), unit: 'µs', about: 'for comparison: a bare write of 2 KB' };
  const total = { name: 'part_node_us', value: cost, unit: 'µs', about: 'processor time of a node, without the flush' };
  writeTable([...figures, total, floor]);
  return [...figures, total, floor];
}

/** Processor time of this thread for a node, of 1 KB in and out; `onBegun` is called when counting begins. */
async function runNodes(onBegun: () => void = () => undefined): Promise<{ cpuUs: number }> {
  using temporary = temporaryHome(memoryFolder);
  const stores = await storesIn(temporary.home, noFlush);
  let calls = 0;
  let before = process.threadCpuUsage();
  const engine = engineOn(stores, (input) => {
    calls += 1;
    if (calls === FIRST) {
      onBegun();
      before = process.threadCpuUsage();
    }
    return input;
  });
  await (await engine.start(sequence(FIRST + NODES), { id: 'bench' })).done;
  const { user, system } = process.threadCpuUsage(before);
  await stores.close();
  return { cpuUs: (user + system) / NODES };
}

/** Of all samples, the share of each part. */
async function sampledShares(): Promise<Map<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  const time = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    await runNodes(() => void session.post('Profiler.start'));
    const { profile } = await session.post('Profiler.stop');
    for (const [part, us] of timeByPart(profile)) time.set(part, (time.get(part) ?? 0) + us);
  }
  session.disconnect();
  const all = time.values().reduce((sum, us) => sum + us, 0);
  return new Map(time.entries().map(([part, us]) => [part, us / all]));
}

function timeByPart({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = new Map<number, Part | undefined>();
  const visit = (id: number, caller: Part | undefined): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const own = caller?.isWhole === true ? caller : (partOfFrame(node.callFrame) ?? caller);
    partOf.set(id, own);
    for (const child of node.children ?? []) visit(child, own);
  };
  if (nodes[0] !== undefined) visit(nodes[0].id, undefined);
  const time = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = partOf.get(id)?.name ?? OTHER;
    const isIdle = IDLE.test(byId.get(id)?.callFrame.functionName ?? '');
    if (!isIdle) time.set(name, (time.get(name) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  }
  return time;
}

/** Not work: waiting, and the profiler itself. */
const IDLE = /^\((?:idle|program|root)\)$|^post$/;

function partOfFrame({ functionName, url }: { functionName: string; url: string }): Part | undefined {
  const text = `${functionName} ${url}`;
  return PARTS.find(({ frame }) => frame.test(text));
}

/** Microseconds of a write of what went in and what came out, without anything around it. */
function floorUs(): number {
  using temporary = temporaryHome(memoryFolder);
  const fd = openSync(join(temporary.home.dir, 'floor'), 'a');
  const record = Buffer.alloc(2048, 'x');
  const before = process.threadCpuUsage();
  for (let index = 0; index < NODES; index += 1) writeSync(fd, record);
  const { user, system } = process.threadCpuUsage(before);
  closeSync(fd);
  return (user + system) / NODES;
}

function writeTable(figures: readonly Figure[]): void {
  const total = figures.find(({ name }) => name === 'part_node_us')?.value ?? Number.NaN;
  const rows = figures.map(({ name, value, about }) => {
    const share = name === 'part_floor_us' ? '' : `${((100 * value) / total).toFixed(0)} %`;
    return `| ${name.replace(/^part_|_us$/g, '')} | ${value.toFixed(1)} | ${share} | ${about} |`;
  });
  const table = ['| part | µs | share | what for |', '|---|--:|--:|---|', ...rows].join('\n');
  const text = readFileSync(DOC, 'utf8');
  writeFileSync(DOC, text.replace(/(<!-- parts -->\n)[^]*(<!-- end of parts -->)/, `$1\n${table}\n\n$2`));
}
