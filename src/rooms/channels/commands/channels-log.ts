import type { Line } from '../../../core/schema/event.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import { listEvents } from '../../../kit/views/events-query.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Entry = { at: string; channel: string; event: string; text: string; data: Line['data'] };
type Data = { entries: Entry[] };

export async function run(call: Call<{ limit: number }>): Promise<Answer<Data>> {
  const { home, operands, options } = call;
  const [name] = operands;
  await requireHome(home);
  const lines = await readViews(call, async (rows) => {
    const found = await Promise.all(
      (['delivery.*', 'channel.*'] as const).map((type) =>
        listEvents(rows, home.ledgers, { type, limit: name === undefined ? options.limit : 0 }, call.signal),
      ),
    );
    return found.flat().toSorted((a, b) => a.seq - b.seq);
  });
  const entries = lines.flatMap(toEntry).filter(({ channel }) => name === undefined || channel === name);
  return answer({ entries: options.limit === 0 ? entries : entries.slice(-options.limit) });
}

function toEntry(line: Line): Entry[] {
  const { at, type, data } = line;
  return 'channel' in data && typeof data.channel === 'string'
    ? [{ at, channel: data.channel, event: type, text: describeEvent(line), data }]
    : [];
}

export const jsonLines = ({ entries }: Data): Entry[] => entries;

export function render({ entries }: Data, { dim, toMinute }: Terminal): string {
  if (entries.length === 0) return 'Nothing was sent or received yet.\n';
  return entries.map(({ at, text }) => `${dim(toMinute(at))}  ${plainText(text)}\n`).join('');
}
