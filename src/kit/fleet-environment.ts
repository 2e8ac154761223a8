/** Owns: what the environment says about the fleet. Pure: settings.ts reads the environment. */
import type { FleetAnswers } from '../core/schema/answer-rights.ts';
import { OkaError } from '../core/schema/errors.ts';

/** What is set about the fleet; null when this home works alone. */
export type FleetEnvironment = {
  servers: string[];
  /** Where the servers report on themselves. */
  monitors: string[];
  replicas: number;
  labels: string[];
  /** The name of this member; null for the id of its home. */
  name: string | null;
  ackWaitMs: number;
  /** Who may answer questions of the runs here. */
  answers: FleetAnswers;
  /** Topics whose facts are shared besides what tasks have shown; null when no facts are given or taken. */
  sharing: { topics: string[] } | null;
  authority: string | null;
};

type Variables = Readonly<Record<string, string | undefined>>;

export function readFleetEnvironment(variables: Variables): FleetEnvironment | null {
  const listOf = (name: string): string[] => (variables[name] ?? '').split(',').flatMap((each) => each.trim() || []);
  const servers = listOf('OKA_FLEET');
  if (servers.length === 0) return null;
  const monitors = listOf('OKA_FLEET_MONITOR');
  const { OKA_FLEET_NAME: name = '', OKA_FLEET_CA: authority = '' } = variables;
  return {
    servers,
    monitors: monitors.length > 0 ? monitors : servers.map((each) => `http://${hostOf(each)}:8222`),
    replicas: countOf(variables, 'OKA_FLEET_REPLICAS', servers.length >= 3 ? 3 : 1),
    labels: listOf('OKA_FLEET_LABELS'),
    name: name === '' ? null : name,
    ackWaitMs: countOf(variables, 'OKA_FLEET_ACK_SECONDS', 30) * 1000,
    answers: answersFrom(listOf('OKA_FLEET_ANSWERS')),
    sharing: sharingFrom(listOf('OKA_FLEET_MEMORY')),
    authority: authority === '' ? null : authority,
  };
}

/** An empty one is as good as none. */
function countOf(variables: Variables, name: string, usual: number): number {
  const set = variables[name] ?? '';
  const count = set === '' ? usual : Number(set);
  if (count > 0 && Number.isFinite(count)) return count;
  throw new OkaError('usage', `${name} is a number above 0, not "${set}"`, { fix: `Such as: ${name}=${usual}` });
}

const sharingFrom = (given: string[]): FleetEnvironment['sharing'] =>
  given.includes('own') ? null : { topics: given };

/** One word, or the names of members. */
function answersFrom(names: readonly string[]): FleetAnswers {
  const [first = 'home'] = names;
  if (names.length <= 1 && (first === 'here' || first === 'home' || first === 'fleet')) return first;
  if (names.every((name) => /^[\w.-]{1,120}$/.test(name) && name !== 'here' && name !== 'fleet')) return [...names];
  throw new OkaError('usage', `OKA_FLEET_ANSWERS cannot be "${names.join(',')}"`, {
    fix: 'Set it to here, home or fleet, or to the names of members, such as: OKA_FLEET_ANSWERS=laptop,desktop',
  });
}

function hostOf(server: string): string {
  const host = URL.parse(server.includes('://') ? server : `nats://${server}`)?.hostname ?? '';
  if (host !== '') return host;
  throw new OkaError('usage', `OKA_FLEET names message servers, not "${server}"`, {
    fix: 'Such as: OKA_FLEET=nats://a:4222,nats://b:4222,nats://c:4222',
  });
}
