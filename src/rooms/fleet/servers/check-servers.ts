/**
 * Owns: the start check: whether the message servers retain what they acknowledge.
 *
 * A server that acknowledges before its disk has the message loses acknowledged claims in a power cut, and with them the
 * fence. Versions before 2.12.3 lost acknowledged messages when members of the cluster changed.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import { failedServers, hasSwitchedOff } from './failed-servers.ts';

/** The part of a server's /varz that is checked. */
export type ServerReport = {
  server_name?: string;
  version?: string;
  /** Both by the clock of the server. */
  start?: string;
  now?: string;
  jetstream?: { config?: { sync_always?: boolean } };
  cluster?: { urls?: readonly string[] };
};

type ServerProblem = { problem: string; fix: string };

const OLDEST = [2, 12, 3] as const;
/** A server reports on itself before it has read what it stores. */
const STARTING_MS = 30_000;

/** Refuses servers that could lose what they acknowledged, with the line to change. */
export async function checkServers(monitors: readonly string[], replicas: number): Promise<void> {
  const reports = await Promise.all(monitors.map(readReport));
  const answered = reports.flatMap((report) => (report === null || isStarting(report) ? [] : [report]));
  const needed = Math.floor(monitors.length / 2) + 1;
  if (answered.length < needed)
    throw new OkaError(
      'fleet-down',
      [
        `${answered.length} of ${monitors.length} servers answered at ${monitors.join(', ')}`,
        ...(await failedServers(monitors)),
      ].join('; '),
      {
        fix: 'Set `http_port: 8222` in the configuration of each server, or OKA_FLEET_MONITOR to where it listens.',
      },
    );
  const problems = answered.flatMap((report) => serverProblems(report, replicas));
  const [first] = problems;
  if (first === undefined) return;
  throw new OkaError('fleet-refused', problems.map(({ problem }) => problem).join('\n'), { fix: first.fix });
}

/** What is wrong with a server. */
export function serverProblems(report: ServerReport, replicas: number): ServerProblem[] {
  const { server_name: name = 'a server', version = '', jetstream, cluster } = report;
  const problems: ServerProblem[] = [];
  if (!isRecent(version))
    problems.push({
      problem: `${name} is nats-server ${version || 'of an unknown version'}; ${OLDEST.join('.')} or later is needed`,
      fix: 'Install nats-server 2.15.1 or later.',
    });
  if (jetstream?.config === undefined)
    problems.push({
      problem: `${name} runs without JetStream`,
      fix: 'Add `jetstream { store_dir: "/var/lib/nats", sync_interval: always }` to its configuration.',
    });
  else if (jetstream.config.sync_always !== true)
    problems.push({
      problem: `${name} acknowledges messages before they are on disk`,
      fix: 'Set `sync_interval: always` in the `jetstream` block of its configuration, and restart it.',
    });
  const members = (cluster?.urls?.length ?? 0) + 1;
  if (replicas > 1 && (cluster?.urls === undefined || members < replicas))
    problems.push({
      problem: `${name} is in a cluster of ${cluster?.urls === undefined ? 1 : members}; ${replicas} replicas are configured`,
      fix: `Add a \`cluster\` block with routes to ${replicas} servers, or set OKA_FLEET_REPLICAS=1.`,
    });
  return problems;
}

/** Whether a server that was just started may still get its JetStream ready; it counts as one that did not answer. */
export function isStarting({ start = '', now = '', jetstream }: ServerReport): boolean {
  return jetstream?.config === undefined && Date.parse(now) - Date.parse(start) < STARTING_MS;
}

function isRecent(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, oldest] of OLDEST.entries()) {
    const part = parts[index] ?? Number.NaN;
    if (Number.isNaN(part) || part < oldest) return false;
    if (part > oldest) return true;
  }
  return true;
}

/** Null for one that does not answer, or stores nothing until it is restarted: a majority goes on without it. */
async function readReport(monitor: string): Promise<ServerReport | null> {
  try {
    const answer = await fetch(`${monitor}/varz`, { signal: AbortSignal.timeout(3000) });
    if (!answer.ok) return null;
    const report = (await answer.json()) as ServerReport;
    return report.jetstream?.config === undefined && (await hasSwitchedOff(monitor)) ? null : report;
  } catch {
    return null;
  }
}
