/** Remembering, forgetting, and taking that back. */
import { hasExpired } from '../fact-view.ts';
import { findFact } from '../facts-query.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { requestMemory, withRecall } from '../memory-access.ts';
import type { Recorded } from '../record-memory.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { hash } from 'node:crypto';
import { FactGiven } from '../../../core/schema/memory.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { recordRequest } from '../../../kit/cli/carry-out.ts';
import { listChanges, type MemoryChange } from '../memory-change.ts';
import { openRecall } from '../open-recall.ts';
import { parsedText, text, texts } from '../../../kit/cli/options.ts';
import { parseDuration, parseShare } from '../../../kit/cli/option-values.ts';

const namespace = text('NAME', 'Only of this namespace, or into it.');

type ForgetData = Recorded & { forgot: string[] };

const renderForget = (data: ForgetData): string =>
  `Forgot ${data.forgot.join(', ')}; the ledger still says that it was known.\n`;

type Options = {
  namespace: string | undefined;
  importance: number | undefined;
  ttl: number | undefined;
  id: string | undefined;
  supersedes: readonly string[];
};

const AT_ONCE = 1000;

type UndoCall = Call<{ reason: string | undefined }>;

type UndoData = { change: number; undone: true } | { change: number; requested: true; text: string };

export const commands: Commands = {
  'memory forget': command({
    summary: 'Forget something that oka knows, by the name that oka memory about shows',
    operands: '<fact>',
    example: 'oka memory forget standing-1a2b3c4d5e',
    run: memoryForget,
    render: renderForget,
  }),
  'memory fact add': command({
    summary: 'Remember a fact or a preference; namespace standing is in every prompt',
    operands: '<text>',
    options: {
      namespace,
      importance: parsedText('SHARE', 'From 0 to 1 (default 0.5).', parseShare),
      ttl: parsedText('TIME', 'How long it is valid, such as 12h or 30d (default for ever).', parseDuration),
      id: text('ID', 'Its name (default: made from the text).'),
      supersedes: texts('ID', 'A fact that it replaces.'),
    },
    example: 'oka memory fact add "Invoices go to Carla" --importance 0.8',
    run: async (call) => {
      const fact = factOf(call);
      return answer({ fact, ...(await requestMemory(call, { kind: 'remember', fact })) });
    },
    render: ({ fact }) => `Remembered: ${fact.id}\n`,
  }),
  'memory fact delete': command({
    summary: 'Forget a fact',
    operands: '<fact>',
    example: 'oka memory fact delete fact-1a2b3c4d5e',
    run: memoryForget,
    render: renderForget,
  }),
  'memory fact prune': command({
    summary: 'Forget the facts that have expired',
    example: 'oka memory fact prune',
    run: async (call) => {
      const { home } = call;
      const facts = await withRecall(home, (recall) => [...recall.facts.values()].map(({ fact }) => fact));
      const expired = facts.filter((fact) => hasExpired(fact, Date.now())).map(({ id }) => id);
      if (expired.length === 0) return answer({ forgot: expired });
      const asked = { kind: 'forget', facts: expired.slice(0, AT_ONCE), why: 'expired' } as const;
      const { seqs, forgot = [] } = await requestMemory(call, asked);
      return answer({ forgot, seqs });
    },
    render: (data) => {
      if (data.forgot.length === 0) return 'No fact has expired.\n';
      return `Forgot ${count(data.forgot.length, 'expired fact')}.\n`;
    },
  }),
  'memory undo': command({
    summary: 'Undo something that maintenance has learned, by the number of the change',
    operands: '<change>',
    options: { reason: text('TEXT', 'Why.') },
    example: 'oka memory undo 12 --reason "that was about one report only"',
    /** Maintenance finds the request in the worker's ledger, and acts on it. */
    run: async (call: UndoCall): Promise<Answer<UndoData>> => {
      const { home, options } = call;
      await requireHome(home);
      const { change, text, undone } = await findChange(call);
      if (undone) return answer({ change, undone });
      const reason = (options.reason ?? '').slice(0, 500);
      await recordRequest(call, { kind: 'take_back', change, reason });
      return answer({ change, requested: true, text });
    },
    render: (data: UndoData): string => {
      if ('undone' in data) return `Change ${data.change} was undone already.\n`;
      return `Requested to undo: ${data.text}\nThis happens at the next pass of maintenance (oka maintain --once).\n`;
    },
  }),
  'rebuild index': command({
    summary: 'Delete the memory index and rebuild it',
    example: 'oka rebuild index',
    run: async ({ home, signal }) => {
      const recall = await openRecall(home);
      try {
        const events = await recall.rebuild();
        await recall.embedAll(signal);
        return answer({ rebuilt: 'index', events, pieces: recall.corpus.now.alive });
      } finally {
        await recall.close();
      }
    },
    render: ({ events, pieces }) =>
      `The memory index was rebuilt from ${count(events, 'event')}: ${count(pieces, 'entry', 'entries')}.\n`,
  }),
};

async function memoryForget(call: Call): Promise<Answer<ForgetData>> {
  const { home } = call;
  const id = onlyOperand(call, 'the name of a fact');
  await requireHome(home);
  if ((await readViews(call, (rows) => findFact(rows, id))) === undefined)
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'List the facts: oka memory about' });
  const { seqs } = await requestMemory(call, { kind: 'forget', facts: [id], why: 'deleted' });
  return answer({ forgot: [id], seqs });
}

/** The same text in the same namespace is the same fact. */
function factOf(call: Call<Options>): FactGiven {
  const text = onlyOperand(call, 'the fact').trim();
  const { namespace = 'general', importance = 0.5, ttl, id, supersedes } = call.options;
  const read = FactGiven.safeParse({
    id: id ?? `fact-${hash('sha256', `${namespace}\n${text}`).slice(0, 10)}`,
    namespace,
    text,
    source: 'person',
    confidence: 1,
    importance,
    supersedes,
    ...(ttl === undefined ? {} : { expires: new Date(Date.now() + ttl).toISOString() }),
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new OkaError('usage', `the fact cannot be stored: ${issue?.path.join('.')}: ${issue?.message}`);
}

async function findChange(call: UndoCall): Promise<MemoryChange> {
  const given = onlyOperand(call, 'the number of a change');
  const number = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  const found = (await listChanges(call, 0)).find(({ change }) => change === number);
  const fix = 'List the changes: oka memory changes';
  if (found === undefined) throw new OkaError('usage', `there is no change "${given}"`, { fix });
  if (found.undoable) return found;
  const isProcedure = found.type === 'procedure.moved' || found.type === 'procedure.drafted';
  throw new OkaError('usage', `change ${number} cannot be undone: ${found.text}`, {
    fix: isProcedure ? 'To no longer use a procedure: oka procedures demote' : fix,
  });
}
