/**
 * Whether an index of LanceDB pays against the exact scan: `node bench/memory/nearest.ts VECTORS scan|hnsw|ivf`, each in a
 * process of its own, prints the processor time of the nearest 50, which hardly depends on what else runs, the share of the true ones that are
 * found, and the memory.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVectorScan } from '../../src/rooms/memory/embedding/vector-scan.ts';
import { chance } from '../../test/support/chance.ts';
import { median } from '../figure.ts';

const DIMS = 384;
const TOPICS = 2000;
const NEAREST = 50;
const QUESTIONS = 60;
const BATCH = 10_000;

const [, , given = '100000', way = 'scan'] = process.argv;
const count = Number(given);
const random = chance(7);
const centres = Array.from({ length: TOPICS }, () => directions(1));
const questions = Array.from({ length: QUESTIONS }, () => near(Math.floor(random() * TOPICS)));
const exact = createVectorScan(DIMS);
const before = process.memoryUsage().rss;

const measured = way === 'scan' ? await byScan() : await byIndex(way);
process.stdout.write(`${JSON.stringify({ vectors: count, way, ...measured })}\n`);

/** A text about a topic: two thirds of it are its topic's, as sentences about one thing are similar. */
function near(topic: number): Float32Array {
  const own = directions(1);
  return unit(own.map((value, at) => 0.7 * value + (centres[topic]?.[at] ?? 0)));
}

function directions(scale: number): Float32Array {
  return unit(Float32Array.from({ length: DIMS }, () => (random() + random() + random() - 1.5) * scale));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

function vectorAt(row: number): Float32Array {
  return near(row % TOPICS);
}

function nearestByScan(question: Float32Array): number[] {
  const close = exact.similarities(question);
  const best: number[] = [];
  let least = -2;
  for (let row = 0; row < close.length; row += 1) {
    const value = close[row] ?? -1;
    if (best.length === NEAREST && value <= least) continue;
    const at = best.findLastIndex((other) => (close[other] ?? -1) >= value) + 1;
    best.splice(at, 0, row);
    if (best.length > NEAREST) best.pop();
    least = close[best.at(-1) ?? 0] ?? -1;
  }
  return best;
}

async function byScan(): Promise<object> {
  for (let row = 0; row < count; row += 1) exact.add(String(row), vectorAt(row));
  const times = questions.map((question) => {
    const start = process.cpuUsage();
    nearestByScan(question);
    return cpuSince(start);
  });
  return { cpu_ms: median(times), rss_mb: megabytes() };
}

async function byIndex(kind: string): Promise<object> {
  const { connect, Index } = await import('@lancedb/lancedb');
  const folder = mkdtempSync(join(tmpdir(), 'oka-nearest-'));
  try {
    const database = await connect(folder);
    const all: Float32Array[] = [];
    let table: Awaited<ReturnType<typeof database.createTable>> | null = null;
    for (let row = 0; row < count; row += BATCH) {
      const part = Array.from({ length: Math.min(BATCH, count - row) }, (_, index) => vectorAt(row + index));
      const rows = part.map((vector, index) => ({
        key: row + index,
        scope: (row + index) % 3,
        vector: Array.from(vector),
      }));
      if (table === null) table = await database.createTable('vectors', rows);
      else await table.add(rows);
      for (const vector of part) all.push(vector);
    }
    if (table === null) return {};
    const begun = performance.now();
    const shared = { distanceType: 'dot' as const };
    await table.createIndex('vector', {
      config:
        kind === 'hnsw' ? Index.hnswSq({ ...shared, numPartitions: 1 }) : Index.ivfPq({ ...shared, numSubVectors: 96 }),
    });
    await table.waitForIndex(['vector_idx'], 3600);
    const seconds = Math.round((performance.now() - begun) / 1000);
    const rss = megabytes();
    const truth = questions.map((question) => nearestOf(all, question));
    const figures: object[] = [];
    for (const effort of [1, 4, 16]) {
      const times: number[] = [];
      let found = 0;
      for (const [index, question] of questions.entries()) {
        const start = process.cpuUsage();
        const query = table.query().nearestTo(question).distanceType('dot').select(['key']).limit(NEAREST);
        const rows = await (kind === 'hnsw' ? query.ef(200 * effort) : query.nprobes(10 * effort))
          .refineFactor(4)
          .toArray();
        times.push(cpuSince(start));
        const keys = new Set(rows.map(({ key }: { key: number | bigint }) => Number(key)));
        found += (truth[index] ?? []).filter((row) => keys.has(row)).length / NEAREST;
      }
      figures.push({ effort, cpu_ms: median(times), recall: found / QUESTIONS });
    }
    return { build_s: seconds, rss_mb: rss, figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nearestOf(all: readonly Float32Array[], question: Float32Array): number[] {
  const close = all.map((vector) => vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0));
  return [...close.keys()].toSorted((one, other) => (close[other] ?? 0) - (close[one] ?? 0)).slice(0, NEAREST);
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function megabytes(): number {
  return Math.round((process.memoryUsage().rss - before) / 1e6);
}
