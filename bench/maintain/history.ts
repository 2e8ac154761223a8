/** A history of tasks as the worker writes it: a dozen kinds, a few minutes apart, some of them reworked or failed. */
import type { NewEvent } from '../../src/core/schema/event.ts';
import type { ArtifactStore } from '../../src/core/schema/ports.ts';
import { chance } from '../../test/support/chance.ts';

export type Moment = { at: number; events: NewEvent[] };

const START = Date.UTC(2026, 0, 5, 8);
const MINUTE = 60_000;
const KINDS = [
  'report',
  'backup',
  'invoice',
  'photos',
  'notes',
  'export',
  'letter',
  'totals',
  'index',
  'archive',
  'plan',
  'digest',
];

/** Without end. */
export async function* history(seed: number, artifacts: ArtifactStore): AsyncGenerator<Moment> {
  const random = chance(seed);
  for (let number = 0, at = START; ; number += 1, at += 5 * MINUTE) {
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'report';
    const run = `${kind}-${number}`;
    const given = { name: `${kind}.md`, title: `Make the ${kind} for client ${number % 40}`, dir: null };
    const body = await artifacts.put(
      `Write ${kind}/client-${number % 40}.md with the ${kind} of client ${number % 40}.\n`,
    );
    const steps = graphOf(kind, number % 40);
    const plan = await artifacts.put(JSON.stringify(steps));
    yield { at, events: taskEvents(run, { ...given, body: body.sha256 }, plan.sha256, random() < 0.95) };
  }
}

function graphOf(kind: string, client: number): object {
  const input = { path: `${kind}/client-${client}.md`, content: `# ${kind} of client ${client}\n` };
  return { id: `plan-${kind}`, nodes: [{ id: 'write', kind: 'tool', tool: 'files.write', input }] };
}

type Given = { name: string; title: string; dir: null; body: string };

function taskEvents(run: string, given: Given, plan: string, isFine: boolean): NewEvent[] {
  const graph = { id: 'oka.task', sha256: plan };
  const inside = `${run}.execute`;
  const steps = { graph: 'plan', sha256: plan, input: null };
  const planned = { by: 'model', ...steps, criteria: [], tools: ['files.write'], targets: [] };
  const call = (id: string, tool: string, of: string): NewEvent => ({
    type: 'call.started',
    run: of,
    data: { call: `${of}-${id}-1`, node: id, tool, class: 'read', input: {} },
  });
  const end = (id: string, of: string, output: object): NewEvent => ({
    type: 'call.ended',
    run: of,
    data: {
      call: `${of}-${id}-1`,
      node: id,
      status: 'ok',
      settles: 'done',
      output: output as never,
      usage: { tokens_in: 900, tokens_out: 80 },
    },
  });
  const status = isFine ? 'done' : 'failed';
  return [
    {
      type: 'task.received',
      run,
      data: {
        name: given.name,
        body: { sha256: given.body, bytes: 80, media: 'text/markdown' },
        files: [],
        by: 'inbox',
      },
    },
    { type: 'run.started', run, data: { title: given.title, graph, input: { ...given, fields: {}, first_line: 1 } } },
    call('plan', 'task.plan', run),
    end('plan', run, planned),
    { type: 'run.started', run: inside, data: { title: given.title, graph, parent: run, depth: 1 } },
    call('write', 'files.write', inside),
    end('write', inside, { path: 'x', bytes: 40 }),
    {
      type: 'run.ended',
      run: inside,
      data: { status, reason: isFine ? 'all steps are done' : 'it could not be written' },
    },
    { type: 'run.judged', run, data: { verdict: isFine ? 'done' : 'impossible', criteria: [], reason: 'seen' } },
    { type: 'run.ended', run, data: { status, reason: isFine ? 'every criterion holds' : 'it could not be written' } },
  ];
}
