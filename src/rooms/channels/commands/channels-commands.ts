/** Channels, and what went through them. */
import { type ChannelRow, readChannelsStatus } from '../channels-status.ts';
import { answer, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import type { DeliveryOutcome, PairedPerson } from '../../../core/schema/channel-port.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import type { Line } from '../../../core/schema/event.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import { listEvents } from '../../../kit/views/events-query.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { numberOr } from '../../../kit/cli/options.ts';

type Entry = { at: string; channel: string; event: string; text: string; data: Line['data'] };

export const commands: Commands = {
  'channels list': command({
    summary: 'List the channels by which oka reaches you, and whether they work',
    example: 'oka channels list',
    run: async ({ home }) => {
      await requireHome(home);
      return answer(await readChannelsStatus(home));
    },
    render: ({ channels, problems }, terminal) => {
      const wrong = problems.map(({ channel, problem }) =>
        terminal.red(plainText(channel === null ? problem : `${channel} cannot be used: ${problem}`)),
      );
      if (channels.length + wrong.length === 0)
        return 'There are no channels. Add one: oka channels add phone --kind ntfy --url URL --topic TOPIC\n';
      return `${[...channels.flatMap((row) => rowLines(row, terminal)), ...wrong].join('\n')}\n`;
    },
  }),
  'channels test': command({
    summary: 'Send a test message through a channel; exit 1 when it does not arrive',
    operands: '<name>',
    example: 'oka channels test phone',
    run: async (call) => {
      const { home } = call;
      const channel = onlyOperand(call, 'channel');
      await requireHome(home);
      const outcome = toOutcome(await carryOut(call, { kind: 'test_channel', channel }));
      const problem = outcome.status === 'failed' ? outcome.reason : null;
      return answer({ channel, arrived: problem === null, problem }, problem === null ? exits.ok : exits.no);
    },
    render: ({ channel, arrived, problem }, { green, red }) => {
      if (arrived) return `${green('ok')} a test message went through ${channel}\n`;
      return `${red('failed')} ${channel}: ${plainText(problem ?? '')}\n`;
    },
  }),
  'channels unpair': command({
    summary: 'Stop listening to a person in a messenger; nothing is sent to their chat any more',
    operands: '<name> [person]',
    example: 'oka channels unpair telegram Ann',
    run: async (call) => {
      const [channel, person, ...others] = call.operands;
      if (channel === undefined || others.length > 0)
        throw new OkaError('usage', 'this needs the name of a messenger, and at most one person');
      await requireHome(call.home);
      const asked = { kind: 'unpair', channel, ...(person === undefined ? {} : { person }) } as const;
      const ended = (await carryOut(call, asked)) as PairedPerson[];
      return answer({ channel, ended });
    },
    render: ({ channel, ended: [who] }) =>
      `${plainText(who?.name ?? '')} is not heard in ${channel} any more, and gets nothing there.\n`,
  }),
  'channels log': command({
    summary: 'Show what was sent, what failed, and what came in',
    operands: '[name]',
    options: { limit: numberOr(50, 'N', 'Show the latest N (default 50).') },
    example: 'oka channels log phone',
    run: async (call) => {
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
    },
    render: ({ entries }, { dim, toMinute }) => {
      if (entries.length === 0) return 'Nothing was sent or received yet.\n';
      return entries.map(({ at, text }) => `${dim(toMinute(at))}  ${plainText(text)}\n`).join('');
    },
    jsonLines: ({ entries }) => entries,
  }),
};

function rowLines(row: ChannelRow, { bold, dim, red, yellow, toMinute }: Terminal): string[] {
  const { channel, kind, to, announces, disabled, last_sent, failing_since, problem, paired } = row;
  const sent = last_sent === null ? 'nothing sent yet' : `last message ${toMinute(last_sent)}`;
  return [
    `${bold(channel)}  ${kind} to ${plainText(to)}${disabled ? yellow(' (disabled)') : ''}`,
    dim(`  announces ${announces.join(', ').replaceAll('_', ' ')}; ${sent}`),
    ...(paired.length === 0
      ? []
      : [dim(`  listens to ${paired.map(({ name, person }) => plainText(`${name} (${person})`)).join(', ')}`)]),
    ...(failing_since === null
      ? []
      : [red(`  has failed since ${toMinute(failing_since)}: ${plainText(problem ?? '')}`)]),
  ];
}

const toOutcome = (done: Json | undefined): DeliveryOutcome =>
  done === undefined ? { status: 'failed', reason: 'the worker has not answered in time' } : (done as DeliveryOutcome);

function toEntry(line: Line): Entry[] {
  const { at, type, data } = line;
  return 'channel' in data && typeof data.channel === 'string'
    ? [{ at, channel: data.channel, event: type, text: describeEvent(line), data }]
    : [];
}
