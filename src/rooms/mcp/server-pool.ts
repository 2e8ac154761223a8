/**
 * Owns: the servers that are running: started when they are needed, stopped when nobody uses them, and calls of their tools.
 * Does not own: how a server is reached (connect-server.ts), whether a call may be made (the guard).
 *
 * S1 A tool is called only while it is as a person accepted it: the server is asked for its tools before the first call and
 *    whenever it says that they have changed.
 * S2 A server that failed is left alone for a while, which doubles with every failure up to five minutes.
 * S3 A server that hangs, floods or dies ends the calls that it was given, and nothing else: whether they had their effect
 *    is unseen.
 * S4 A call that the server refuses for want of a login waits until a person has logged in.
 */
import { mcpToolName } from './client/mcp-tool.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';
import type { McpServer, ToolDefinition } from '../../core/schema/mcp.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { LiveSteps } from '../../core/schema/live-port.ts';
import type { Act, Outcome, ToolCall } from '../../core/schema/tool.ts';
import { toCallOutcome } from './client/call-outcome.ts';
import { compareTools } from './client/compare-tools.ts';
import type { Elicitation, ElicitationAnswer } from './client/client-session.ts';
import { toElicitationAnswer, toQuestion } from './client/elicitation.ts';
import {
  openAccount,
  reserveSampling,
  type Sampling,
  type SamplingAccount,
  type SamplingAnswer,
  toModelInput,
  toSamplingAnswer,
} from './client/sampling.ts';
import type { ReadDefinitions } from './client/read-definitions.ts';
import { type Connection, connectServer, type ConnectPorts } from './connect-server.ts';
import { findLoginNeeded, loginQuestion } from './login-question.ts';
import { readPins, writeNote } from './mcp-pins.ts';

export type PoolPorts = ConnectPorts & {
  artifacts: ArtifactStore;
  /** The answers that people gave to questions of this call, by the text of the question. */
  answersFor: (call: ToolCall) => Promise<ReadonlyMap<string, string>>;
  live?: Pick<LiveSteps, 'output' | 'end'>;
};

type ServerPool = {
  call: (server: string, tool: ToolDefinition, args: Record<string, Json>, call: ToolCall) => Promise<Outcome>;
  /** The servers there are from now on; one that has another entry is stopped, and started anew when it is needed. */
  update: (servers: ReadonlyMap<string, McpServer>) => void;
  close: () => Promise<void>;
};

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
const LONGEST_CALL_MS = 3_600_000;

export function openPool(ports: PoolPorts): ServerPool {
  const slots = new Map<string, ServerSlot>();
  let servers: ReadonlyMap<string, McpServer> = new Map();
  return {
    call: async (name, tool, args, call) => {
      const server = servers.get(name);
      if (server === undefined) return failed(`there is no server "${name}" in .oka/rules/mcp.json`);
      let slot = slots.get(name);
      if (slot === undefined) slots.set(name, (slot = new ServerSlot(name, server, ports)));
      return slot.call(tool, args, call);
    },
    update: (now) => {
      for (const [name, slot] of slots)
        if (JSON.stringify(now.get(name)) !== JSON.stringify(slot.server)) {
          slots.delete(name);
          void slot.stop();
        }
      servers = now;
    },
    close: async () => void (await Promise.all([...slots.values()].map((slot) => slot.stop()))),
  };
}

const failed = (error: string, temporary = false): Outcome => ({
  status: 'failed',
  error,
  temporary,
});

const unseen = (how: string): Outcome => ({
  status: 'failed',
  error: `${how}; the call may have had its effect`,
  temporary: false,
  unseen: true,
});

/** A call in progress, and the question that its server asked a person, if it did. */
type OpenCall = {
  tool: string;
  act: Act;
  answers: ReadonlyMap<string, string>;
  asked: Elicitation | null;
  sampling: SamplingAccount | null;
};

class ServerSlot {
  readonly server: McpServer;
  readonly #name: string;
  readonly #ports: PoolPorts;
  readonly #calls = new Set<OpenCall>();
  #connection: Promise<Connection> | null = null;
  /** Ends a connection that is still being made, to a server that does not answer. */
  #connecting = new AbortController();
  #listed: Promise<ReadDefinitions> | null = null;
  #idle: NodeJS.Timeout | undefined;
  #failures = 0;
  #retryAt = 0;

  constructor(name: string, server: McpServer, ports: PoolPorts) {
    this.#name = name;
    this.server = server;
    this.#ports = ports;
  }

  async call(tool: ToolDefinition, args: Record<string, Json>, call: ToolCall): Promise<Outcome> {
    const pauseMs = this.#retryAt - performance.now();
    if (this.#connection === null && pauseMs > 0)
      return failed(
        `the server ${this.#name} has failed ${this.#failures} times and is tried again in ${Math.ceil(pauseMs / 1000)} s`,
        true,
      );
    const { sampling } = this.server;
    const open: OpenCall = {
      tool: call.tool,
      act: call.act,
      answers: await this.#ports.answersFor(call),
      asked: null,
      sampling: sampling === undefined ? null : openAccount(sampling),
    };
    this.#calls.add(open);
    clearTimeout(this.#idle);
    try {
      const connection = await this.#connect();
      const refusal = await this.#whyRefused(connection, tool, call.signal);
      if (refusal !== null) return failed(refusal);
      if (call.signal.aborted) return { status: 'cancelled', error: `${call.tool} was stopped`, begun: false };
      return await this.#callTool(connection, tool, args, call, open);
    } catch (error) {
      if (findLoginNeeded(error) !== null) return { status: 'waiting', for: loginQuestion(this.#name) };
      return call.signal.aborted
        ? { status: 'cancelled', error: `${call.tool} was stopped`, begun: false }
        : failed(messageOf(error), true);
    } finally {
      this.#calls.delete(open);
      this.#stopWhenIdle();
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    this.#connecting.abort();
    const connection = this.#connection;
    this.#connection = null;
    this.#listed = null;
    await (await connection?.catch(() => null))?.close(); // it never connected
  }

  #connect(): Promise<Connection> {
    if (this.#connection !== null) return this.#connection;
    this.#connecting = new AbortController();
    const opening = connectServer(this.#name, this.server, this.#ports, {
      signal: this.#connecting.signal,
      onToolsChanged: () => void (this.#listed = null),
      onClose: () => this.#discard(opening),
      ask: (question) => this.#ask(question),
      ...(this.server.sampling === undefined ? {} : { sample: (request) => this.#sample(request) }),
    });
    this.#connection = opening;
    opening.catch((error: unknown) => {
      this.#discard(opening);
      if (findLoginNeeded(error) === null) this.#noteFailure(); // it can be used as soon as a person has logged in
    });
    return opening;
  }

  #discard(connection: Promise<Connection>): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#listed = null;
  }

  #noteFailure(): void {
    this.#failures += 1;
    this.#retryAt = performance.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
  }

  #stopWhenIdle(): void {
    if (this.#calls.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.stop(), this.server.idle * 1000);
    this.#idle.unref();
  }

  /** Why the tool may not be called; null when it is as it was accepted (S1). */
  async #whyRefused(connection: Connection, tool: ToolDefinition, signal: AbortSignal): Promise<string | null> {
    const { home, clock } = this.#ports;
    const accepted = readPins(home, this.#name);
    const see = `See the difference and decide: oka mcp tools ${this.#name}`;
    if (accepted.kind === 'unreadable') return `${accepted.problem}. ${see}`;
    if (accepted.kind === 'none') return `nobody has accepted the tools of ${this.#name}. ${see}`;
    if (accepted.pins.identity !== connection.identity)
      return `the server ${this.#name} is not the one that was accepted: its command, package or address has changed. ${see}`;
    this.#listed ??= connection.tools(signal);
    const listing = this.#listed;
    const { tools } = await listing.catch((error: unknown) => {
      if (this.#listed === listing) this.#listed = null;
      throw error;
    });
    const changes = compareTools(accepted.pins, tools);
    const changed = changes.flatMap(({ kind, tool: { name } }) => (kind === 'same' ? [] : [name]));
    const { identity, session } = connection;
    writeNote(home, this.#name, { identity, at: new Date(clock()).toISOString(), era: session.era, changed });
    const found = changes.find((change) => change.tool.name === tool.name);
    if (found?.kind === 'same') return null;
    const how =
      found === undefined || found.kind === 'removed' ? 'is no longer there' : 'has changed since it was accepted';
    return `${mcpToolName(this.#name, tool.name)} ${how}. ${see}`;
  }

  async #callTool(
    connection: Connection,
    tool: ToolDefinition,
    args: Record<string, Json>,
    call: ToolCall,
    open: OpenCall,
  ): Promise<Outcome> {
    const { artifacts, live } = this.#ports;
    const timeoutMs = this.server.timeout * 1000;
    try {
      const result = await connection.session.callTool(tool.name, args, {
        signal: call.signal,
        timeoutMs,
        totalMs: Math.min(call.bounds.timeoutMs ?? LONGEST_CALL_MS, LONGEST_CALL_MS),
        onProgress: (text) => live?.output(call, Buffer.from(`${text.slice(0, 500)}\n`)),
      });
      this.#failures = 0;
      if (open.asked !== null) return { status: 'waiting', for: toQuestion(open.tool, open.asked) };
      return await toCallOutcome(result, { from: this.#name, artifacts });
    } catch (error) {
      if (open.asked !== null) return { status: 'waiting', for: toQuestion(open.tool, open.asked) };
      if (findLoginNeeded(error) !== null) return { status: 'waiting', for: loginQuestion(this.#name) };
      return this.#failedCall(connection, error, call, timeoutMs);
    } finally {
      live?.end(call);
    }
  }

  #failedCall(connection: Connection, error: unknown, call: ToolCall, timeoutMs: number): Outcome {
    if (call.signal.aborted)
      return {
        status: 'cancelled',
        error: `${call.tool} was stopped, and so was the request to its server; it may have acted`,
      };
    const ended = connection.whyClosed();
    if (ended !== null) {
      this.#noteFailure();
      return unseen(`the server ${this.#name} ${ended} during the call`);
    }
    const code = error !== null && typeof error === 'object' && 'code' in error ? error.code : null;
    if (code === 'REQUEST_TIMEOUT')
      return unseen(`the server ${this.#name} did not answer within ${timeoutMs / 1000} s (timeout in mcp.json)`);
    return failed(`the server ${this.#name} refused the call: ${messageOf(error).slice(0, 2000)}`);
  }

  /** The model is asked as part of the only call in progress, whose run pays for it. */
  async #sample(request: Sampling): Promise<SamplingAnswer> {
    const [open, ...others] = [...this.#calls];
    if (open === undefined || open.sampling === null || others.length > 0)
      throw new Error('the model is asked only while one call of a tool is in progress');
    const tokens = reserveSampling(open.sampling, request);
    if (typeof tokens === 'string') throw new Error(tokens);
    return toSamplingAnswer(await open.act('model.complete', toModelInput(this.#name, request, tokens)));
  }

  /** A question is for the only call in progress; with several, nobody knows whose it is. */
  #ask(question: Elicitation): Promise<ElicitationAnswer> {
    const [open, ...others] = [...this.#calls];
    if (open === undefined || others.length > 0) return Promise.resolve({ action: 'decline' });
    const known = open.answers.get(toQuestion(open.tool, question).text);
    if (known !== undefined) return Promise.resolve(toElicitationAnswer(question, known));
    open.asked = question;
    return Promise.resolve({ action: 'cancel' });
  }
}
