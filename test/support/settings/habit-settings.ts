/** What is seen of habits: one that was drafted, one that was promoted, and a run that went wrong with the first. */
import { expect } from 'vitest';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import { Procedure } from '../../../src/core/schema/procedure.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { stableShare } from '../../../src/rooms/procedures/choose-procedure.ts';
import type { Story } from '../story.ts';
import { inParts, plan, verdict } from '../story-model.ts';
import { clockIn } from './set-clock-in.ts';
import { commandIn, settingGroup } from './setting-group.ts';

type Seen = { why: string; lacks: string; retired: string; chosen: Event[]; packs: string };

const DAY_MS = 86_400_000;

/** `lost` is a parameter that no task fills, so that the habit is only shown to a planner. */
const habit = (verb: string, lost: Json[] = []): Procedure =>
  Procedure.parse({
    id: `${verb}-aaaaaaaaaaaa-bbbbbbbb`,
    title: `${verb} a text`,
    trigger: [`${verb} "hello" into a.txt`],
    task: `${verb} "{{text}}" into {{path}}`,
    parameters: [
      { name: 'text', kind: 'text', from: 'task', examples: ['hello'] },
      { name: 'path', kind: 'path', from: 'task', examples: ['a.txt'] },
      ...lost,
    ],
    shape: '0'.repeat(64),
    graph: {
      id: 'plan',
      author: 'model',
      nodes: [
        {
          kind: 'tool',
          id: 'write',
          tool: 'files.write',
          input: { path: '{{input.path}}', content: '{{input.text}}' },
          timeout_seconds: 60,
          max_retries: 1,
        },
      ],
    },
    criteria: [{ text: 'matches: {{path}} /[a-z]/', author: 'model' }],
    tools: ['files.write'],
    targets: ['{{path}}'],
    steps: ['write it'],
    evidence: [{ run: 'one', seq: 1 }],
  });

const [tried, used, fresh] = [
  habit('Compose'),
  habit('Engrave'),
  habit('Whisper', [{ name: 'value_1', kind: 'text', from: 'task', examples: ['x'] }]),
];

/** A name for a run whose share for a habit is between these. */
function runBetween(least: number, most: number, { id }: Procedure): string {
  for (let at = 0; ; at += 1) {
    const share = stableShare(`run-${at}`, id);
    if (share >= least && share < most) return `run-${at}`;
  }
}
/** Without the settings neither would be so: half of the tasks try one, and a tenth is held back. */
const [trial, heldBack] = [runBetween(0.6, 1, tried), runBetween(0.15, 0.45, used)];

export async function rememberHabits({ home }: Story): Promise<void> {
  const ledger = await openLedger(home.ledgers.maintenance, 'maintenance', { redact: (text) => text });
  for (const procedure of [tried, used, fresh]) await ledger.append({ type: 'procedure.drafted', data: { procedure } });
  const side = { runs: 4, fine: 4, seconds: 1, tokens: 0 };
  const numbers = {
    successes: 4,
    with: side,
    without: side,
    wins: 4,
    losses: 0,
    e_value: 25,
    contradictions: 0,
    last_validated: null,
  };
  await ledger.append({
    type: 'procedure.moved',
    data: { procedure: used.id, from: 'candidate', to: 'promoted', by: 'gate', numbers, reason: 'better' },
  });
  await ledger.close();
}

export const habitSettings = settingGroup<Seen>({
  name: 'habits',
  model: inParts({
    planner: () =>
      plan(
        [{ id: 'write', tool: 'files.write', input: { path: 'b.txt', content: 'x' }, targets: ['b.txt'] }],
        ['contains: b.txt "x"'],
      ),
    critic: ({ text }) => {
      const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
      return verdict(
        'impossible',
        criteria.map((criterion) => ({ criterion, holds: false, evidence: '', quote: '' })),
      );
    },
  }),
  config: ({ model }): { [key: string]: Json } => ({
    inbox: { settle_ms: 20, rescan_ms: 200 },
    memory: { vectors: false, procedures: 0 },
    models: { use: 'custom:story', settings: { 'custom:story': { base_url: `${model.url}/v1` } } },
    maintenance: {
      procedures: {
        least_successes: 9,
        e_value: 1,
        trial_share: 1,
        hold_back: 0.5,
        recent_runs: 7,
        recent_days: 3,
        retire_days: 20,
      },
    },
  }),
  act: async (story) => {
    await rememberHabits(story);
    const worker = story.start(['worker']);
    for (const [id, habitOf] of [
      [trial, 'Compose'],
      [heldBack, 'Engrave'],
      ['shown', 'Whisper'],
    ] as const) {
      story.drop(`${id}.md`, `---\nid: ${id}\nbudget: { replans: 0 }\n---\n${habitOf} "hello you" into c.txt\n`);
      await story.ended(id);
    }
    worker.kill('SIGTERM');
    await new Promise((done) => worker.once('exit', done));
    await commandIn(story, {}, 'maintain', '--once');
    const why = (await commandIn(story, {}, 'procedures', 'why', tried.id)).text;
    const lacks = (await commandIn(story, {}, 'procedures', 'why', fresh.id)).text;
    await commandIn(story, clockIn(story)(Date.now() + 40 * DAY_MS), 'maintain', '--once');
    const retired = (await commandIn(story, {}, 'procedures', 'why', used.id)).text;
    const events = await story.events();
    return {
      why,
      lacks,
      retired,
      chosen: events.filter(({ type }) => type === 'procedure.chosen'),
      packs: JSON.stringify(events.filter(({ type }) => type === 'context.packed')),
    };
  },
  rows: {
    'maintenance.procedures.least_successes': ({ why }) => expect(why).toMatch(/\b9 more successes/),
    'maintenance.procedures.e_value': ({ lacks }) => expect(lacks).not.toContain('a run without it to compare with'),
    'maintenance.procedures.recent_runs': ({ why }) => expect(why).toContain('its last 7 runs'),
    'maintenance.procedures.recent_days': ({ why }) => expect(why).toContain('and 3 days'),
    'maintenance.procedures.trial_share': ({ chosen }) =>
      expect(chosen.find(({ run }) => run === trial)?.data).toMatchObject({ arm: 'trial' }),
    'maintenance.procedures.hold_back': ({ chosen }) =>
      expect(chosen.find(({ run }) => run === heldBack)?.data).toMatchObject({ arm: 'held_back' }),
    'maintenance.procedures.retire_days': ({ retired }) => expect(retired).toMatch(/retired/),
    'memory.procedures': ({ packs }) => expect(packs).toMatch(/"section":"procedures".{0,200}"too many"/),
  },
});
