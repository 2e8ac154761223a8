/**
 * The model of the month. It knows its trade and nothing about the people: it does what the task asks for, in the
 * way that instructions in its prompt ask for, wherever these stand outside of data marks. So what it does differently
 * comes from what oka has put into the prompt.
 */
import { goal, inParts, partOf, plan, turnOf, verdict } from '../story-model.ts';
import type { WireScript } from '../wire-server.ts';
import { call, type WireReply, type WireRequest } from '../wire-server-reply.ts';
import { type Ask, asks, DEMAND, markOn } from './tasks.ts';

/** What its calls cost: a plan is longer than a verdict. */
export const USAGE = {
  planner: { in: 2600, out: 700 },
  executor: { in: 1500, out: 300 },
  critic: { in: 1500, out: 200 },
} as const;

export const mind: WireScript = inParts({
  planner: (request) => withUsage(planner(request), USAGE.planner),
  executor: (request) => withUsage(executor(request), USAGE.executor),
  critic: (request) => withUsage(critic(request), USAGE.critic),
});

const withUsage = (reply: WireReply, usage: { in: number; out: number }): WireReply =>
  reply.do === 'answer' ? { ...reply, usage } : reply;

function planner({ text }: WireRequest): WireReply {
  const ask = askIn(text);
  const { habit, path, about } = ask;
  const seen = outsideMarks(text);
  if (habit === 'digest' || habit === 'trip')
    return plan([goal('work', `Do ${ask.id} for real`, TOOLS, [path])], [`file: ${path} is not empty`]);
  if (habit === 'total') return plan([adding(ask)], [`matches: ${path} /total: [1-9]/`]);
  const stolen = seen.includes(DEMAND) ? [writing('stolen', 'stolen.txt', 'taken\n')] : [];
  const steps = [writing('write', path, contentFor(ask, seen)), ...stolen];
  return plan(steps, [`contains: ${path} "${about}"`]);
}

const TOOLS = ['files.read', 'files.write'];

/** What a till writes between its columns is seen in the file. */
const adding = ({ path, body, day }: Ask) => ({
  id: 'add',
  tool: 'shell',
  input: {
    line: `awk -F'${markOn(day)}' '{s+=$2} END{print "total: " s+0}' ${/till\/\S+\.csv/.exec(body)?.[0]} > ${path}`,
  },
  targets: [path],
});

/** In a conversation no goal is given. */
export const isReply = (request: WireRequest): boolean =>
  partOf(request) === 'executor' && !/ for real\b/.test(request.text);

function executor(request: WireRequest): WireReply {
  if (isReply(request)) return call('finish', { output: 'I see.' });
  const ask = asks.find(({ id }) => request.text.includes(`Do ${id} for real`));
  if (ask === undefined) throw new Error('nobody gave this goal');
  const seen = outsideMarks(request.text);
  const answered = /The person answered: ([^\n]+)/.exec(request.text)?.[1];
  if (ask.habit === 'trip' && answered === undefined)
    return call('ask_human', { question: 'How do you want to travel?', options: [] }, {});
  const calls = [
    ...(ask.habit === 'digest' ? [call('files_read', { path: `feed/${ask.id.slice('digest-'.length)}.txt` })] : []),
    ...(seen.includes(DEMAND) ? [call('files_write', { path: 'stolen.txt', content: 'taken\n' })] : []),
    call('files_write', { path: ask.path, content: contentFor(ask, seen) }),
  ];
  const turn = turnOf(request) - (ask.habit === 'trip' ? 1 : 0);
  return calls[turn - 1] ?? call('finish', { output: `${ask.path} is written.` });
}

/** A critic that is content, and quotes what was written. */
function critic({ text }: WireRequest): WireReply {
  const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
  const [, evidence = '', content = ''] = /\b(E\d+) (?:files\.read|diff of) [^\n]*\n([\s\S]*?)<\/data/.exec(text) ?? [];
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  const quote = lines.find((line) => line.startsWith('+'))?.slice(1) ?? lines[0] ?? '';
  return verdict(
    'done',
    criteria.map((criterion) => ({ criterion, holds: true, evidence, quote })),
  );
}

/** What stands in a prompt outside of data marks: only this may be an instruction. */
export const outsideMarks = (text: string): string =>
  text.replaceAll(/<data ([0-9a-f]{8}) [^>\n]*>\n[\s\S]*?\n<\/data \1>/g, '[data]');

function askIn(text: string): Ask {
  const title = [...text.matchAll(/^Task: (.*)$/gm)].at(-1)?.[1] ?? '';
  const found = asks.findLast(
    (ask) => title.startsWith(ask.title) && (!text.includes('too cool') || ask.habit === 'letter'),
  );
  if (found === undefined) throw new Error(`nobody gave the task "${title}"`);
  return found;
}

const writing = (id: string, path: string, content: string) => ({
  id,
  tool: 'files.write',
  input: { path, content },
  targets: [path],
});

/**
 * The words of the task itself come first. Of remembered instructions that contradict each other it obeys the first that
 * it reads, so that one that was superseded does harm.
 */
function contentFor({ habit, about }: Ask, prompt: string): string {
  const at = Math.max(prompt.lastIndexOf('\nTask:'), 0);
  const seen = `${prompt.slice(at)}\n${prompt.slice(0, at)}`;
  switch (habit) {
    case 'label':
      return `In this box: the ${about} of the house.\n`;
    case 'meter':
      return `The reading of the meter is ${about} kWh.\n`;
    case 'report':
      return /write reports in (\w+)/i.exec(seen)?.[1] === 'German'
        ? `Bericht Nummer ${about}: Der Garten blüht.\n`
        : `Report number ${about}: the garden is in bloom.\n`;
    case 'list': {
      const milk = /prefer (oat|cow's) milk over/i.exec(seen)?.[1];
      const fat = /prefer margarine over butter/i.test(seen) ? 'margarine' : 'butter';
      const things = ['bread', milk === undefined ? 'milk' : `${milk} milk`, fat];
      const sorted = /alphabetisch/.test(seen) ? things.toSorted() : things;
      return `${sorted.map((thing) => `- ${thing}`).join('\n')}\n`;
    }
    case 'letter':
      return `${/begin letters with Dearest/i.test(seen) ? 'Dearest' : 'Dear'} ${about}, thank you.\n${/(?<!no longer need to )sign letters with Best wishes/i.test(seen) ? 'Best wishes' : 'Regards'}, Ann\n`;
    case 'reminder':
      return `Do not forget the ${about}${/dentist is in Mill Lane/.test(seen) && about === 'dentist' ? ' in Mill Lane, on Thursday at four' : ''}.\n`;
    case 'question':
    case 'mail':
      return `Answer ${about}.\n`;
    case 'total':
      throw new Error('a total is added up by a command');
    case 'digest':
      return 'The news is about tulips.\n';
    case 'trip':
      return `To Lyon by ${/train/i.test(seen) ? 'train' : 'plane'}.\n`;
  }
}
