/** What a model of a story says, by the part that it plays. */
import type { Json } from '../../src/core/schema/json.ts';
import { call, type WireReply, type WireRequest } from './wire-server-reply.ts';
import type { WireScript } from './wire-server.ts';

export type Parts = { planner?: WireScript; executor?: WireScript; critic?: WireScript };

export function inParts(parts: Parts): WireScript {
  return (request) => {
    const part = partOf(request);
    const script = parts[part] ?? (part === 'critic' && isAskedForWhole(request) ? agreeingOnWhole : undefined);
    if (script === undefined) throw new Error(`nobody speaks for the ${part}`);
    return script(request);
  };
}

/** Whether a critic is asked only for what oka asks beside a person's criteria: whether it is done as a whole. */
function isAskedForWhole({ text }: WireRequest): boolean {
  const criteria = [...text.matchAll(/^c\d+: (.*)$/gm)].map(([, criterion = '']) => criterion);
  return criteria.length === 1 && criteria[0]?.startsWith('What the task asks for is done') === true;
}

/** For stories that are about something else. */
const agreeingOnWhole: WireScript = ({ text }) => {
  const evidence = [...text.matchAll(/<data \w+ (E\d+) /g)].at(-1)?.[1] ?? 'E1';
  return verdict('done', [{ criterion: 'c1', holds: true, evidence, quote: '' }]);
};

export function partOf({ tools }: WireRequest): keyof Parts {
  if (tools.includes('submit_plan')) return 'planner';
  return tools.includes('submit_verdict') ? 'critic' : 'executor';
}

export type Step = { id: string; [key: string]: Json };

export function plan(steps: Step[], criteria: string[]): WireReply {
  return call('submit_plan', { title: 'A plan', criteria, steps: steps.map((step) => ({ title: step.id, ...step })) });
}

/** A step for a worker that decides as it goes. */
export const goal = (id: string, text: string, tools: string[], targets: string[] = ['**']): Step => ({
  id,
  goal: text,
  tools,
  targets,
});

/** A worker that makes these calls in order, and says that it is done. */
export function acting(...calls: WireReply[]): WireScript {
  return (request) => calls[turnOf(request) - 1] ?? call('finish', { output: 'it is done' });
}

/** What stands in a prompt outside of data marks: only this may be an instruction. */
export const outsideMarks = (text: string): string =>
  text.replaceAll(/<data ([0-9a-f]{8}) [^>\n]*>\n[\s\S]*?\n<\/data \1>/g, '[data]');

export const turnOf = ({ text }: WireRequest): number => Number(/Turn (\d+)\./.exec(text)?.[1] ?? 0);

/** A critic for stories in which it does not matter whether the task is done, only that it ends. */
export const refusing: WireScript = () => verdict('impossible', []);

/** A critic that finds every criterion met by what the last call of this tool returned in this field. */
export function agreeing(tool: string, field: string): WireScript {
  return ({ text }) => {
    const [, evidence = '', content = ''] =
      [...text.matchAll(new RegExp(String.raw`\b(E\d+) ${tool} [^\n]*\n([\s\S]*?)</data`, 'g'))].at(-1) ?? [];
    const quote = new RegExp(String.raw`^${field}: (.+)$`, 'm').exec(content)?.[1] ?? '';
    const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
    return verdict(
      'done',
      criteria.map((criterion) => ({ criterion, holds: true, evidence, quote })),
    );
  };
}

export type Claimed = { criterion: string; holds: boolean; evidence: string; quote: string };

export function verdict(name: string, criteria: Claimed[], reason = 'I looked at it'): WireReply {
  return call('submit_verdict', { criteria, verdict: name, reason });
}

/** Asks for the same thing for ever, in words that differ, so that nothing but a limit ends it. */
export function readingForever(): WireScript {
  let turn = 0;
  return (request) => {
    turn += 1;
    if (partOf(request) === 'planner') return plan([goal('look', 'Read everything', ['files.list'])], ['It was read.']);
    if (partOf(request) === 'critic') return verdict('replan', [], 'read it once more');
    return call('files_list', { path: `folder-${turn}` });
  };
}
