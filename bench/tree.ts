/**
 * What a context tree costs: the first scan of many files against reading and hashing them with plain Node, a scan after a
 * few changes against a bare stat walk, memory, reading a node, and how many frames one change renews.
 * Ratios are of processor time. OKA_BENCH_FILES sets how many files there are (100,000, of 10 KB each, unless set).
 */
import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAgents } from '../src/kit/agents/open-agents.ts';
import { setUp } from '../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../src/kit/settings.ts';
import { openStores } from '../src/kit/house/stores.ts';
import { openSynthesis } from '../src/rooms/context/synthesis/open-synthesis.ts';
import { type OpenTree, openContextTree } from '../src/rooms/context/tree/open-tree.ts';
import { viewPorts } from '../src/rooms/context/tree/tree-queries.ts';
import { ContextView } from '../src/core/schema/frame.ts';
import type { Home } from '../src/core/schema/home.ts';
import { RegenerationRequest, SynthesisRequest } from '../src/core/schema/synthesis.ts';
import { TreeConfig } from '../src/core/schema/tree.ts';
import { composeNode } from '../src/rooms/context/model/compose-view.ts';
import { type Figure, median } from './figure.ts';

const FILES = Number(process.env['OKA_BENCH_FILES'] ?? 100_000);
const FEW = 1000;
const FILE_BYTES = 10_000;
const CHANGES = 100;
const ROUNDS = 5;
/** Files stand in folders of a hundred, ten folders in each folder above. */
const pathOf = (index: number): string => {
  const folder = Math.floor(index / 100);
  return `${Math.floor(folder / 100)}/${Math.floor(folder / 10) % 10}/${folder % 10}/file-${index}.txt`;
};

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const few = await measureTree(FEW, note);
  const many = await measureTree(FILES, note);
  const rss = measureMemory(note);
  const { made, depth } = await measureRegeneration();
  return [
    {
      name: 'tree_first_scan',
      value: many.first,
      unit: '×',
      bar: { most: 1.5 },
      about: `first scan of ${FILES} files, reading and hashing them = 1`,
    },
    {
      name: 'tree_rescan',
      value: many.rescan,
      unit: '×',
      bar: { most: 1.2 },
      about: `scan after ${CHANGES} changes, a bare stat walk and reading those = 1`,
    },
    {
      name: 'tree_memory',
      value: rss,
      unit: 'MB',
      bar: { most: 300 },
      about: `most memory of a process that scans ${FILES} files`,
    },
    { name: 'tree_node_p99', value: many.p99, unit: 'ms', bar: { most: 5 }, about: 'get-node, 99th percentile' },
    {
      name: 'tree_flat_scan',
      value: many.perFile / few.perFile,
      unit: '×',
      bar: { most: 1.5 },
      about: `first scan a file, ${FEW} files = 1`,
    },
    {
      name: 'tree_flat_node',
      value: many.p50 / few.p50,
      unit: '×',
      bar: { most: 2 },
      about: `get-node, median, ${FEW} files = 1`,
    },
    {
      name: 'tree_regenerated',
      value: made - depth,
      unit: 'frames',
      bar: { most: 0 },
      about: 'renewed after one change, beyond the path to it',
    },
  ];
}

type Measured = { first: number; rescan: number; p50: number; p99: number; perFile: number };

async function measureTree(files: number, note: (text: string) => void): Promise<Measured> {
  return withTree(async ({ home, tree }) => {
    const root = home.workspace;
    const body = randomBytes(FILE_BYTES + files);
    writeMany(root, files, body);
    readAll(root);
    const before = await cpu(() => readAll(root));
    const scan = await cpu(() => tree.scan('workspace'));
    const base = Math.min(before, await cpu(() => readAll(root)));
    await tree.scan('workspace', { force: true });
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await rescan(tree, root, files, body, round));
    const reads = await readNodes(home, tree, files);
    note(
      `${files} files: read and hashed in ${base.toFixed(0)} ms, first scan ${scan.toFixed(0)} ms; rescans ${rounds.map((r) => r.toFixed(2)).join(' ')} ×`,
    );
    return { first: scan / base, rescan: median(rounds), perFile: scan / files, ...reads };
  });
}

/** Both walk the same tree with the same files to read; whoever comes first in a round alternates. */
async function rescan(tree: OpenTree, root: string, files: number, body: Buffer, round: number): Promise<number> {
  const changed = Array.from({ length: Math.min(CHANGES, files) }, (_, n) => pathOf(Math.floor((n * files) / CHANGES)));
  for (const path of changed) writeFileSync(join(root, path), body.subarray(round, round + FILE_BYTES));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const bare = (): void => {
    statAll(root);
    for (const path of changed) hashFile(join(root, path));
  };
  const own = (): Promise<unknown> => tree.scan('workspace');
  const first = round % 2 === 0 ? await cpu(bare) : 0;
  const scan = await cpu(own);
  const plain = first === 0 ? await cpu(bare) : first;
  return scan / plain;
}

async function readNodes(home: Home, tree: OpenTree, files: number): Promise<{ p50: number; p99: number }> {
  const paths = Array.from({ length: 200 }, (_, n) => pathOf(Math.floor((n * files) / 200)));
  await tree.read('workspace', () => null);
  const drafts = await tree.read('workspace', (reader) =>
    paths.map((path) => ({ path, node: reader.node(path)?.id ?? '' })),
  );
  for (const { path, node } of drafts)
    await tree.put('workspace', [
      { path, node, type: 'note', content: `about ${path}`, origin: 'person', basis: { node } },
    ]);
  const view = ContextView.parse({ sources: ['node', 'parent'] });
  const ports = viewPorts(home);
  const times: number[] = [];
  for (let n = 0; n < 2000; n += 1) {
    const path = paths[(n * 7) % paths.length] ?? '';
    times.push(await ms(() => tree.read('workspace', (reader) => composeNode(reader, path, view, ports))));
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: sorted[1000] ?? 0, p99: sorted[1980] ?? 0 };
}

/** A process that does nothing but a first scan. */
function measureMemory(note: (text: string) => void): number {
  const dir = mkdtempSync(join(tmpdir(), 'oka-bench-tree-'));
  try {
    const home = homeAt(dir);
    setUp(home);
    writeMany(home.workspace, FILES, randomBytes(FILE_BYTES + FILES));
    const out = execFileSync(process.execPath, [join(import.meta.dirname, 'support/scan-child.ts'), dir]).toString();
    const { rss, root } = JSON.parse(out) as { rss: number; root: string };
    note(`a process of its own scans ${FILES} files with ${rss.toFixed(0)} MB (root ${root.slice(0, 8)})`);
    return rss;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measureRegeneration(): Promise<{ made: number; depth: number }> {
  return withTree(async ({ home, tree, stores }) => {
    const body = randomBytes(FILE_BYTES + FEW);
    writeMany(home.workspace, FEW, body);
    await tree.scan('workspace');
    const { artifacts, vault } = stores;
    const synthesis = openSynthesis({
      tree,
      artifacts,
      agents: openAgents(home, Date.now),
      redact: vault.redact,
      contextOf: () => null,
    });
    const asking = { act: null, signal: new AbortController().signal };
    await synthesis.synthesize(SynthesisRequest.parse({ workspace: 'workspace', node: '.' }), asking);
    const path = pathOf(123);
    writeFileSync(join(home.workspace, path), 'changed');
    await tree.scan('workspace');
    const { made } = await synthesis.regenerate(
      RegenerationRequest.parse({ workspace: 'workspace', node: '.', recursive: true }),
      asking,
    );
    return { made: made.length, depth: path.split('/').length + 1 };
  });
}

type Opened = { home: Home; tree: OpenTree; stores: Awaited<ReturnType<typeof openStores>> };

async function withTree<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'oka-bench-tree-'));
  try {
    const home = homeAt(dir);
    setUp(home);
    const stores = await openStores(home, await loadConfig(home));
    const { ledger, artifacts, vault } = stores;
    const config = TreeConfig.parse({});
    const tree = openContextTree({
      home,
      config,
      ledger,
      artifacts,
      agents: openAgents(home, Date.now),
      redact: vault.redact,
    });
    try {
      return await work({ home, tree, stores });
    } finally {
      await tree.close();
      await stores.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function writeMany(root: string, files: number, body: Buffer): void {
  for (let index = 0; index < files; index += 1) {
    const file = join(root, pathOf(index));
    if (index % 100 === 0) mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, body.subarray(index, index + FILE_BYTES));
  }
}

const buffer = Buffer.allocUnsafeSlow(1024 * 1024);

function hashFile(file: string): string {
  const fd = openSync(file, 'r');
  const length = readSync(fd, buffer, 0, buffer.length, null);
  closeSync(fd);
  return hash('sha256', buffer.subarray(0, length));
}

function readAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) readAll(path);
    else hashFile(path);
  }
}

function statAll(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    if (lstatSync(path).isDirectory()) statAll(path);
  }
}

/** Milliseconds of processor time, of all threads: a busy neighbour does not count. */
async function cpu(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function ms(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
