/** How the channels of a home are doing, for whoever has no pen. */
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { PairedPerson } from '../../core/schema/channel-port.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ChannelSettings } from './channel-definition.ts';
import { kindOf } from './channel-kinds.ts';
import { loadChannels } from './channels-file.ts';
import { reachingProjection } from './delivery-state.ts';
import { withDesktop } from './desktop-here.ts';
import { isDesktopServed } from './desktop/desktop-note.ts';
import { type ConnectionProblem, readConnectionProblems } from './connection-problems.ts';
import { type ChannelState, channelState } from './reaching-state.ts';

export type ChannelRow = {
  channel: string;
  kind: ChannelSettings['kind'];
  /** The server, the program or the addresses. */
  to: string;
  announces: readonly string[];
  disabled: boolean;
  last_sent: string | null;
  failing_since: string | null;
  problem: string | null;
  /** Whom a messenger listens to, the owner first. */
  paired: readonly Pick<PairedPerson, 'person' | 'name'>[];
};

type ChannelsStatus = { channels: ChannelRow[]; problems: { channel: string | null; problem: string }[] };

export async function readChannelsStatus(home: Home): Promise<ChannelsStatus> {
  const loaded = loadChannels(home);
  const alone = isDesktopServed(home) ? withDesktop(loaded) : null;
  const { policy, channels, disabled, problems } = alone ?? loaded;
  if (channels.size + disabled.size === 0) return { channels: [], problems };
  const { state } = await peekProjection(home.ledgers.run, home.oka, reachingProjection);
  const connections = readConnectionProblems(home);
  const rows = [...channels, ...disabled].map(([name, settings]) =>
    toRow(name, settings, policy.announce, channelState(state, name), connections[name]),
  );
  const byItself = 'this desktop, as long as there is no channel in channels.json';
  return { channels: alone === null ? rows : rows.map((row) => ({ ...row, to: byItself })), problems };
}

export type FailingChannel = { channel: string; since: string; problem: string };

/** Channels that are configured and fail, and since when. */
export async function readFailingChannels(home: Home): Promise<FailingChannel[]> {
  const { channels } = await readChannelsStatus(home);
  return channels.flatMap(({ channel, failing_since: since, problem, disabled }) =>
    since === null || disabled ? [] : [{ channel, since, problem: problem ?? '' }],
  );
}

function toRow(
  name: string,
  settings: ChannelSettings,
  announced: readonly string[],
  { lastSent, failingSince, problem, paired = [] }: ChannelState,
  connection: ConnectionProblem | undefined,
): ChannelRow {
  const toInstant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  const since = [toInstant(failingSince), connection?.since ?? null].filter((at) => at !== null).toSorted();
  const deaf = connection === undefined ? [] : [`nothing can be received: ${connection.problem}`];
  const problems = [...(problem === null ? [] : [problem]), ...deaf];
  return {
    channel: name,
    kind: settings.kind,
    to: kindOf(settings).addressOf(settings),
    announces: settings.announce ?? announced,
    disabled: settings.disabled,
    last_sent: toInstant(lastSent),
    failing_since: since[0] ?? null,
    problem: problems.length === 0 ? null : problems.join('; '),
    paired: paired.map(({ person, name: called }) => ({ person, name: called })),
  };
}

/** What `oka doctor` reports. Sends nothing. */
export async function channelFindings(home: Home): Promise<Finding[]> {
  const { channels, problems } = await readChannelsStatus(home);
  const what = 'channels';
  const wrong = problems.map(
    ({ channel, problem }): Finding => ({
      state: 'odd',
      what,
      found: channel === null ? problem : `${channel} cannot be used: ${problem}`,
      fix: 'Correct .oka/rules/channels.json.',
    }),
  );
  const failing = channels
    .filter(({ failing_since, disabled }) => failing_since !== null && !disabled)
    .map(
      ({ channel, failing_since: since, problem }): Finding => ({
        state: 'odd',
        what,
        found: `${channel} has failed since ${since}: ${problem}`,
        fix: `Try it: oka channels test ${channel}`,
      }),
    );
  const settings = settingsFindings(home);
  const found = [...wrong, ...settings, ...failing];
  if (channels.length === 0 || found.length > 0) return found;
  return [{ state: 'good', what, found: channels.map(({ channel }) => channel).join(', ') }];
}

/** Settings that would never work, or would be less safe than they look. */
const settingsFindings = (home: Home): Finding[] =>
  [...loadChannels(home).channels].flatMap(([name, settings]) =>
    (kindOf(settings).problems?.(settings) ?? []).map(
      ({ problem, fix }): Finding => ({ state: 'odd', what: 'channels', found: `${name}: ${problem}`, fix }),
    ),
  );
