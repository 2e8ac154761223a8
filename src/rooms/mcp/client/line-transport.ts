/**
 * Owns: messages to and from the process of a server, one JSON object a line.
 *
 * T1 A message has at most 4 MB, and at most 2,000 messages or 32 MB come in a second: a server that sends more is ended.
 * T2 A line that begins like a message and is none ends the connection. Other lines are taken for a log and ignored: many
 *    servers print something when they start.
 * T3 Why the connection ended is known to whoever waits for an answer (`whyClosed`).
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerProcess } from './server-process.ts';

const MB = 1_048_576;
const LIMITS = { messageBytes: 4 * MB, messagesPerSecond: 2000, bytesPerSecond: 32 * MB };
const NEWLINE = 10;
const BRACE = 123;

type LineTransport = Transport & {
  /** What ended the connection, in words; null while it is open. */
  whyClosed(): string | null;
};

export function lineTransport(server: ServerProcess, limits: Partial<typeof LIMITS> = {}): LineTransport {
  return new PipeTransport(server, { ...LIMITS, ...limits });
}

class PipeTransport implements LineTransport {
  /** The SDK takes a transport with `pid` and `stderr` for one over pipes. */
  readonly stderr = null;
  readonly pid: number | null;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: ServerProcess;
  readonly #limits: typeof LIMITS;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #window = { until: 0, messages: 0, bytes: 0 };
  #why: string | null = null;
  #isClosed = false;

  constructor(server: ServerProcess, limits: typeof LIMITS) {
    this.#server = server;
    this.#limits = limits;
    this.pid = server.pid;
  }

  whyClosed(): string | null {
    return this.#why;
  }

  start(): Promise<void> {
    this.#server.output.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#server.output.on('error', () => undefined);
    void this.#server.ended.then((how) => {
      const errors = this.#server.lastErrors();
      this.#why ??= errors === '' ? how : `${how}; the last it wrote: ${errors}`;
      this.#close();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#why !== null) return Promise.reject(new Error(`the server ${this.#why}`));
    return new Promise((resolve) => {
      this.#server.input.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  async close(): Promise<void> {
    this.#why ??= 'was stopped';
    await this.#server.end();
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  #read(bytes: Buffer): void {
    if (this.#why !== null) return;
    if (!this.#isWithinRate(0, bytes.length)) return this.#fail('sent too much at once');
    for (let from = 0; from < bytes.length && this.#why === null; ) {
      const end = bytes.indexOf(NEWLINE, from);
      const part = bytes.subarray(from, end < 0 ? bytes.length : end);
      this.#unread.push(part);
      this.#unreadBytes += part.length;
      if (this.#unreadBytes > this.#limits.messageBytes)
        return this.#fail(`sent a message of more than ${Math.floor(this.#limits.messageBytes / MB)} MB`);
      if (end < 0) return;
      this.#readLine();
      from = end + 1;
    }
  }

  #readLine(): void {
    const line = this.#unread.length === 1 ? (this.#unread[0] as Buffer) : Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    if (line[0] !== BRACE) return;
    if (!this.#isWithinRate(1, 0)) return this.#fail('sent too many messages at once');
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line.toString('utf8')) as JSONRPCMessage;
    } catch {
      return this.#fail('sent a message that is not JSON');
    }
    this.onmessage?.(message);
  }

  #isWithinRate(messages: number, bytes: number): boolean {
    const now = performance.now();
    if (now >= this.#window.until) this.#window = { until: now + 1000, messages: 0, bytes: 0 };
    this.#window.messages += messages;
    this.#window.bytes += bytes;
    const { messagesPerSecond, bytesPerSecond } = this.#limits;
    return this.#window.messages <= messagesPerSecond && this.#window.bytes <= bytesPerSecond;
  }

  /** Ends the connection and the server. */
  #fail(why: string): void {
    this.#why = why;
    this.#unread = [];
    this.onerror?.(new Error(`the server ${why}`));
    void this.#server.end('at once');
    this.#close();
  }
}
