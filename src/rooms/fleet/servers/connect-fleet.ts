/** Owns: the connection to the message servers of a fleet. It reconnects by itself for as long as it is open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, type JetStreamClient, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import {
  type Authenticator,
  credsAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/nats-core';
import { connect, type NodeConnectionOptions } from '@nats-io/transport-node';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { inboxOf } from './member-permissions.ts';

type FleetAddress = {
  /** Such as nats://a:4222; with tls:// the connection is encrypted and the certificate of the server is checked. */
  servers: readonly string[];
  /** A credentials file, `user:password`, or a token; null when the servers ask for none. */
  credentials: string | null;
  /** A file with the authority that signed the certificates of the servers, if it is not one of the system. */
  authority: string | null;
  /** How the servers see this member. */
  name: string;
};

export type FleetConnection = {
  js: JetStreamClient;
  manager: JetStreamManager;
  /** The version of the server that answered. */
  version: string;
  isConnected: () => boolean;
  close: () => Promise<void>;
};

const CONNECT_MS = 5000;
const RECONNECT_MS = 250;
/** How long an answer of a server is waited for; a new leader is elected within about five seconds. */
export const ANSWER_MS = 5000;

export async function connectFleet(address: FleetAddress): Promise<FleetConnection> {
  try {
    const connection = await connect(optionsFor(address));
    const state = { isConnected: true };
    void (async () => {
      for await (const { type } of connection.status()) {
        if (type === 'disconnect') state.isConnected = false;
        if (type === 'reconnect') state.isConnected = true;
      }
    })();
    return {
      js: jetstream(connection, { timeout: ANSWER_MS }),
      manager: await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false }),
      version: connection.info?.version ?? '0.0.0',
      isConnected: () => state.isConnected,
      close: () => connection.close(),
    };
  } catch (error) {
    throw new OkaError(
      'fleet-down',
      `the fleet at ${address.servers.join(', ')} does not answer: ${messageOf(error)}`,
      {
        fix: 'Check OKA_FLEET, that the servers run, and the secret "fleet" in the vault if they ask for credentials.',
        cause: error,
      },
    );
  }
}

const RETRY_MS = 500;
const MOST_TRIES = 60;

/** Servers that elect a leader do not answer for some seconds; a refusal is final. */
export async function retryWhileDown<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await act();
    } catch (error) {
      if (error instanceof OkaError && error.code === 'fleet-refused') throw error;
      if (tries >= MOST_TRIES)
        throw new OkaError('fleet-down', `the message servers do not answer: ${messageOf(error)}`, {
          fix: 'Check that a majority of them runs, and can reach each other.',
          cause: error,
        });
      await sleep(RETRY_MS);
    }
}

function optionsFor({ servers, credentials, authority, name }: FleetAddress): NodeConnectionOptions {
  const isEncrypted = servers.some((server) => server.startsWith('tls://'));
  return {
    servers: servers.map((server) => server.replace(/^(nats|tls):\/\//, '')),
    name,
    inboxPrefix: inboxOf(name),
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    ...(credentials === null ? {} : { authenticator: authenticatorFor(credentials) }),
    ...(isEncrypted ? { tls: authority === null ? {} : { caFile: authority } } : {}),
  };
}

function authenticatorFor(credentials: string): Authenticator {
  if (credentials.includes('BEGIN NATS USER JWT')) return credsAuthenticator(new TextEncoder().encode(credentials));
  const colon = credentials.indexOf(':');
  return colon < 0
    ? tokenAuthenticator(credentials.trim())
    : usernamePasswordAuthenticator(credentials.slice(0, colon), credentials.slice(colon + 1).trim());
}
