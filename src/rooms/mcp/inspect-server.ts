/** Owns: asking a server for its tools outside of any run, for a person who is about to accept them. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { McpPins, McpServer, ToolDefinition } from '../../core/schema/mcp.ts';
import { compareTools, type ToolChange } from './client/compare-tools.ts';
import type { RefusedTool } from './client/read-definitions.ts';
import { classifierOf, lineClassifierOf } from '../../kit/policy/classifier.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';
import { openSandbox } from '../../kit/sandbox/sandbox.ts';
import { egressRoutes } from '../../kit/egress/egress-routes.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { connectServer } from './connect-server.ts';
import { loadServers } from './mcp-file.ts';
import { type Accepted, readPins, writeNote } from './mcp-pins.ts';
import { revealForServer } from './server-secrets.ts';
import { storedLogins } from './stored-logins.ts';

export type Inspection = {
  server: string;
  /** How it calls itself. */
  says: string;
  era: 'legacy' | 'modern';
  ms: number;
  identity: string;
  tools: ToolDefinition[];
  refused: RefusedTool[];
  accepted: Accepted;
  /** Whether it is another server than the one whose tools were accepted. */
  isOther: boolean;
  changes: ToolChange[];
};

/** The entry of a server; throws when there is none, or when it cannot be used. */
export function requireServer(home: Home, name: string): McpServer {
  const { servers, problems } = loadServers(home);
  const found = servers.get(name);
  if (found !== undefined) return found;
  const problem = problems.find(({ server }) => server === name || server === null);
  throw new OkaError('usage', problem?.problem ?? `there is no server "${name}" in .oka/rules/mcp.json`, {
    fix: problem === undefined ? 'See which there are: oka mcp list' : 'Correct .oka/rules/mcp.json.',
  });
}

export async function inspectServer(
  home: Home,
  name: string,
  { signal, rooms }: { signal: AbortSignal; rooms?: readonly HouseRoom[] | undefined },
): Promise<Inspection> {
  const server = requireServer(home, name);
  const config = await loadRoomsConfig(home, rooms);
  const vault = await openHomeVault(home, config.credentials);
  await vault.refresh();
  const { policy } = loadPolicy(home.policy, lineClassifierOf(home));
  const egress = egressRoutes({ home, policy: () => policy, decided: () => undefined, clock: Date.now });
  const sandbox = openSandbox({ home, sandbox: config.sandbox, classify: classifierOf(home), egress: egress.steps });
  const begun = performance.now();
  const reveal = revealForServer((secret) => vault.find(secret));
  const logins = storedLogins(home, (secret) => vault.find(secret));
  const ports = { home, sandbox, egress: egress.steps, reveal, logins, clock: Date.now };
  try {
    const connection = await connectServer(name, server, ports, {
      signal,
      ask: () => Promise.resolve({ action: 'decline' }),
      ...(server.sampling === undefined ? {} : { sample: () => Promise.reject(new Error('nobody is asked here')) }),
    });
    try {
      const { tools, refused } = await connection.tools(signal);
      const { identity, session } = connection;
      const { accepted, pins, isOther } = acceptedBy(home, name, identity);
      const changes = compareTools(pins, tools);
      const changed = changes.flatMap(({ kind, tool }) => (kind === 'same' ? [] : [tool.name]));
      writeNote(home, name, { identity, at: new Date().toISOString(), era: session.era, changed });
      const says =
        session.server === null ? 'nothing about itself' : `${session.server.name} ${session.server.version}`;
      const ms = Math.round(performance.now() - begun);
      return { server: name, says, era: session.era.kind, ms, identity, tools, refused, accepted, isOther, changes };
    } finally {
      await connection.close();
    }
  } finally {
    await egress.steps[Symbol.asyncDispose]();
  }
}

function acceptedBy(
  home: Home,
  name: string,
  identity: string,
): { accepted: Accepted; pins: McpPins | null; isOther: boolean } {
  const accepted = readPins(home, name);
  const pins = accepted.kind === 'accepted' ? accepted.pins : null;
  return { accepted, pins, isOther: pins !== null && pins.identity !== identity };
}
