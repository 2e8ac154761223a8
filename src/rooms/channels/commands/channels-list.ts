import { type ChannelRow, type ChannelsStatus, readChannelsStatus } from '../channels-status.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

export async function run({ home }: Call): Promise<Answer<ChannelsStatus>> {
  await requireHome(home);
  return answer(await readChannelsStatus(home));
}

export function render({ channels, problems }: ChannelsStatus, terminal: Terminal): string {
  const wrong = problems.map(({ channel, problem }) =>
    terminal.red(plainText(channel === null ? problem : `${channel} cannot be used: ${problem}`)),
  );
  if (channels.length + wrong.length === 0)
    return 'There are no channels. Add one: oka channels add phone --kind ntfy --url URL --topic TOPIC\n';
  return `${[...channels.flatMap((row) => rowLines(row, terminal)), ...wrong].join('\n')}\n`;
}

function rowLines(row: ChannelRow, { bold, dim, red, yellow, toMinute }: Terminal): string[] {
  const { channel, kind, to, announces, disabled, last_sent, failing_since, problem } = row;
  const sent = last_sent === null ? 'nothing sent yet' : `last message ${toMinute(last_sent)}`;
  return [
    `${bold(channel)}  ${kind} to ${plainText(to)}${disabled ? yellow(' (disabled)') : ''}`,
    dim(`  announces ${announces.join(', ').replaceAll('_', ' ')}; ${sent}`),
    ...(failing_since === null
      ? []
      : [red(`  has failed since ${toMinute(failing_since)}: ${plainText(problem ?? '')}`)]),
  ];
}
