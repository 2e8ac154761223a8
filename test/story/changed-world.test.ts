import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { Procedure, type Usual } from '../../src/core/schema/procedure.ts';
import { stableShare } from '../../src/rooms/procedures/choose-procedure.ts';
import { openStory, type Story } from '../support/story.ts';
import { inParts, partOf, plan, verdict } from '../support/story-model.ts';
import type { WireScript } from '../support/wire-server.ts';

const ID = 'total-aaaaaaaaaaaa-bbbbbbbb';
const LINE = `awk -F, '{s+=$2} END{print "total: " s+0}' {{input.path}} > total.txt`;

const total = Procedure.parse({
  id: ID,
  title: 'Total of a file',
  trigger: ['Write the total of a.csv to total.txt'],
  task: 'Write the total of {{path}} to total.txt',
  parameters: [{ name: 'path', kind: 'path', from: 'task', examples: ['a.csv'] }],
  shape: '0'.repeat(64),
  graph: {
    id: 'plan',
    author: 'model',
    nodes: [{ kind: 'tool', id: 'sum', tool: 'shell', input: { line: LINE }, timeout_seconds: 60, max_retries: 1 }],
  },
  criteria: [{ text: 'matches: total.txt /total: \\d/', author: 'model' }],
  tools: ['shell'],
  targets: ['total.txt'],
  steps: ['add it up'],
  evidence: [{ run: 'one', seq: 1 }],
});

const usual: Usual = {
  inputs: { '{{input.path}}': [{ mark: ',', columns: ['shop', 'sum'], values: ['text', 'decimal point'], rows: 2 }] },
  result: {
    files: { least: 1, most: 1 },
    bytes: { least: 10, most: 14 },
    same_rows: false,
    columns: [],
    not_zero: true,
  },
};

/** It has proven itself: its own checks are enough. */
async function proven({ home }: Story): Promise<void> {
  const side = { runs: 30, fine: 30, seconds: 1, tokens: 0 };
  const numbers = { successes: 30, with: side, without: side, wins: 30, losses: 0, e_value: 25, contradictions: 0 };
  const ledger = await openLedger(home.ledgers.maintenance, 'maintenance', { redact: (text) => text });
  await ledger.append({ type: 'procedure.drafted', data: { procedure: total } });
  await ledger.append({
    type: 'procedure.moved',
    data: {
      procedure: ID,
      from: 'candidate',
      to: 'promoted',
      by: 'gate',
      numbers: { ...numbers, last_validated: null },
      usual,
      reason: 'better',
    },
  });
  await ledger.close();
}

/** A run that is not held back, and whose use the critic judges, or does not. */
function runThat(isJudged: boolean): string {
  for (let at = 0; ; at += 1) {
    const [held, judged] = [stableShare(`run-${at}`, ID), stableShare(`run-${at}`, `${ID} judged`)];
    if (held >= 0.1 && judged < 0.1 === isJudged) return `run-${at}`;
  }
}

/** A critic that finds a total right unless it is 0, and a planner that knows what to do with a semicolon. */
const model: WireScript = inParts({
  planner: () =>
    plan(
      [
        {
          id: 'sum',
          tool: 'shell',
          input: { line: `awk -F';' '{s+=$2} END{print "total: " s}' b.csv > total.txt` },
          targets: ['total.txt'],
        },
      ],
      ['matches: total.txt /total: [1-9]/'],
    ),
  critic: ({ text }) => {
    const shown = /\b(E\d+) [^\n]*total\.txt[^\n]*\n[^]*?(total: [\d.]+)/.exec(text);
    const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
    const holds = shown !== null && shown[2] !== 'total: 0';
    const claims = criteria.map((criterion) => ({
      criterion,
      holds,
      evidence: shown?.[1] ?? '',
      quote: shown?.[2] ?? '',
    }));
    return holds ? verdict('done', claims) : verdict('rework', claims, 'the total is not 0');
  },
});

async function given(run: string, text: string): Promise<{ story: Story; parts: string[] }> {
  const parts: string[] = [];
  const story = await openStory({
    model: (request) => {
      parts.push(partOf(request));
      return model(request);
    },
  });
  await proven(story);
  writeFileSync(join(story.home.workspace, 'desk', 'b.csv'), text);
  story.drop('t.md', `---\nid: ${run}\n---\nWrite the total of b.csv to total.txt\n`);
  story.work();
  return { story, parts };
}

describe('a procedure that has proven itself', () => {
  const sales = 'shop,sum\nBern,12.50\nThun,7.25\n';

  it('does its work without a model while its world stays as it was', async () => {
    const { story, parts } = await given(runThat(false), sales);
    await using _ = story;
    expect((await story.ended(runThat(false))).status).toBe('done');
    expect([story.deskText('total.txt'), parts]).toEqual(['total: 19.75\n', []]);
  });

  it('is judged by the critic all the same in a share of its uses', async () => {
    const { story, parts } = await given(runThat(true), sales);
    await using _ = story;
    expect((await story.ended(runThat(true))).status).toBe('done');
    expect([story.deskText('total.txt'), parts]).toEqual(['total: 19.75\n', ['critic']]);
  });

  it('leaves a file with other marks to a model, which is told why', async () => {
    const run = runThat(false);
    const { story, parts } = await given(run, sales.replaceAll(',', ';'));
    await using _ = story;
    expect((await story.ended(run)).status).toBe('done');
    expect(story.deskText('total.txt')).toBe('total: 19.75\n');
    expect(parts).toContain('planner');
    const chosen = (await story.events()).find(({ type }) => type === 'procedure.chosen');
    expect(JSON.stringify(chosen?.data)).toContain('is not like before: its lines have \\";\\", not \\",\\" as before');
  });

  it('gets a result that is not like those before judged, and a wrong one done anew', async () => {
    const run = runThat(false);
    const { story, parts } = await given(run, 'shop,sum\nBern,\nThun,\n');
    await using _ = story;
    await story.ended(run);
    expect(parts).toContain('critic');
    const judged = (await story.events()).find(({ type }) => type === 'run.judged');
    expect(judged).toMatchObject({
      data: { verdict: 'rework', result: { zero: true, odd: ['every number in it is 0'] } },
    });
  });
});
