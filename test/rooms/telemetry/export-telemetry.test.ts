import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { exportTelemetry, telemetryFindings } from '../../../src/rooms/telemetry/export-telemetry.ts';
import type { OtlpSpan } from '../../../src/rooms/telemetry/otlp.ts';
import { openStory } from '../../support/story.ts';

const PRIVATE = 'a-word-of-the-task';
const TASK = `# Notes\n\n\`\`\`bash\necho ${PRIVATE} > kept.txt\n\`\`\`\n\n\`\`\`bash\ncat kept.txt; exit 3\n\`\`\`\n`;

it('runs arrive as one trace each, whole and once, over a collector that fails, refuses and comes back; no content of calls leaves', async () => {
  await using story = await openStory({ config: {} });
  await using collector = await openCollector();
  const first = exportTelemetry(story.home, { otlp: collector.url, texts: false, firstPauseMs: 5 });
  const file = join(story.home.dir, 'task.md');
  writeFileSync(file, TASK);
  await story.oka('run', file); // nobody listens to `oka run`, only the ledger is read
  collector.answers.push(503, 429, 500);
  collector.pauseMs = 50;
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-']);
  await first.end();

  await story.oka('run', file); // while nothing is exported
  const second = exportTelemetry(story.home, { otlp: collector.url, texts: false, firstPauseMs: 5 });
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-', 'task-']);
  await second.end();

  const ids = collector.spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const span of collector.spans) {
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
    expect([span.name, parent?.traceId]).toEqual([
      span.name,
      span.parentSpanId === undefined ? undefined : span.traceId,
    ]);
  }
  const failed = collector.spans.filter(({ status }) => status.code === 2).map(({ name }) => name.split(' ')[0]);
  expect(failed).toEqual(expect.arrayContaining(['run', 'node', 'shell']));
  expect(collector.logs).toEqual(expect.arrayContaining(['task.received', 'run.started', 'run.ended']));
  expect(collector.bodies.join('\n')).not.toContain(PRIVATE);
  expect(telemetryFindings(story.home, collector.url)).toMatchObject([{ state: 'good' }]);
});

it('what the collector refuses for good is left out and found by the doctor; the next run is sent', async () => {
  await using story = await openStory({ config: {} });
  await using collector = await openCollector();
  const file = join(story.home.dir, 'task.md');
  writeFileSync(file, TASK);
  const sending = exportTelemetry(story.home, { otlp: collector.url, texts: true, firstPauseMs: 5 });
  collector.refusesTraces = true;
  await story.oka('run', file);
  await expect
    .poll(() => telemetryFindings(story.home, collector.url), { timeout: 30_000 })
    .toMatchObject([{ state: 'odd', found: expect.stringContaining('answered 400') as string }]);
  collector.refusesTraces = false;
  await story.oka('run', file);
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-']);
  await sending.end();
  expect(collector.logs.join('\n')).toContain('Ended');
});

it('an error that nobody expected ends nothing: it is found by the doctor, and what happened meanwhile is sent afterwards', async () => {
  await using story = await openStory({ config: {} });
  await using collector = await openCollector();
  const file = join(story.home.dir, 'task.md');
  const note = join(story.home.oka, 'state', 'telemetry.json');
  writeFileSync(file, TASK);
  const sending = exportTelemetry(story.home, { otlp: collector.url, texts: false, firstPauseMs: 5 });
  await story.oka('run', file);
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-']);
  rmSync(note);
  mkdirSync(join(note, 'in-the-way'), { recursive: true });
  await story.oka('run', file);
  const found = (): unknown => telemetryFindings(story.home, collector.url)[0];
  await expect.poll(found, { timeout: 30_000 }).toMatchObject({ state: 'odd' });
  rmSync(note, { recursive: true });
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-', 'task-']);
  await story.oka('run', file);
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-', 'task-', 'task-']);
  await expect.poll(found).toMatchObject({ state: 'good' });
  await sending.end();
});

it('a run that cannot be read is left out and found by the doctor, and the next one is sent', async () => {
  await using story = await openStory({ config: {} });
  await using collector = await openCollector();
  const file = join(story.home.dir, 'task.md');
  writeFileSync(file, TASK);
  await story.oka('run', file);
  const ledger = story.home.ledgers.run;
  const lines = readFileSync(ledger, 'utf8').split('\n');
  const seqOf = (type: string): number => lines.findLastIndex((line) => line.includes(`"type":"${type}"`)) + 1;
  const whole = readFileSync(ledger);
  writeFileSync(ledger, lines.with(seqOf('run.started') - 1, '{').join('\n'));
  writeFileSync(join(story.home.oka, 'state', 'telemetry.json'), `{"seq":${seqOf('run.ended') - 1},"problem":null}`);
  const sending = exportTelemetry(story.home, { otlp: collector.url, texts: false, firstPauseMs: 5 });
  await expect
    .poll(() => telemetryFindings(story.home, collector.url)[0], { timeout: 30_000 })
    .toMatchObject({ state: 'odd', found: expect.stringContaining('was left out') as string });
  writeFileSync(ledger, whole);
  await story.oka('run', file);
  await expect.poll(() => rootsOf(collector.spans), { timeout: 30_000 }).toEqual(['task-']);
  await sending.end();
});

const rootsOf = (spans: readonly OtlpSpan[]): string[] =>
  spans
    .filter(({ parentSpanId }) => parentSpanId === undefined)
    .map(({ name }) => name.replace(/^run (task-).*$/, '$1'));

type Traces = { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
type Logs = { resourceLogs: { scopeLogs: { logRecords: { body: { stringValue: string } }[] }[] }[] };

/** A collector that takes traces and logs, or answers as it was told to. */
async function openCollector() {
  const bodies: string[] = [];
  const spans: OtlpSpan[] = [];
  const logs: string[] = [];
  const collector = { url: '', bodies, spans, logs, answers: [] as number[], refusesTraces: false, pauseMs: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await json(request);
    const isTraces = request.url === '/v1/traces';
    response.statusCode = collector.refusesTraces && isTraces ? 400 : (collector.answers.shift() ?? 200);
    if (response.statusCode === 200) {
      bodies.push(JSON.stringify(body));
      if (isTraces)
        spans.push(...(body as Traces).resourceSpans.flatMap((it) => it.scopeSpans.flatMap((in_) => in_.spans)));
      else
        logs.push(
          ...(body as Logs).resourceLogs.flatMap((it) =>
            it.scopeLogs.flatMap((in_) => in_.logRecords.map((record) => record.body.stringValue)),
          ),
        );
    }
    await pause(collector.pauseMs); // it has taken what the worker does not know of yet
    response.end('{}');
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(collector, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
