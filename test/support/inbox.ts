/** A real inbox folder with a clock that tests move by hand. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Claimed } from '../../src/kit/inbox/claim-task.ts';
import type { Inbox, InboxOptions } from '../../src/kit/inbox/inbox-options.ts';
import { openInbox } from '../../src/kit/inbox/inbox.ts';
import type { Rejected } from '../../src/kit/inbox/reject-task.ts';

/** Flushing costs nothing there, and it is not what these tests are about. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export class TestInbox implements AsyncDisposable {
  readonly home = mkdtempSync(join(inMemory, 'oka-inbox-'));
  readonly dir = join(this.home, 'inbox');
  readonly rejected: Rejected[] = [];
  readonly troubles: string[] = [];
  readonly known = new Set<string>();
  readonly options: Partial<InboxOptions>;
  now = 1_000_000;
  inbox!: Inbox;

  constructor(options: Partial<InboxOptions> = {}) {
    this.options = options;
    mkdirSync(this.dir);
  }

  async open(): Promise<this> {
    this.inbox = await openInbox({
      inbox: this.dir,
      rescanMs: 600_000,
      clock: () => this.now,
      isKnown: (id) => this.known.has(id),
      on: {
        rejected: async (rejected) => {
          this.rejected.push(rejected);
        },
        problem: (text) => {
          this.troubles.push(text);
        },
      },
      ...this.options,
    });
    return this;
  }

  at(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  /** Scans, advances the clock by `ms`, scans again. */
  async settle(ms = 2000): Promise<void> {
    await this.inbox.rescan();
    this.now += ms;
    await this.inbox.rescan();
  }

  /** Everything that is ready, received by the ledger and finished. */
  async takeAll(): Promise<Claimed[]> {
    const all: Claimed[] = [];
    for (let claimed = await this.inbox.take(); claimed !== null; claimed = await this.inbox.take()) {
      all.push(claimed);
      this.known.add(claimed.id);
      this.inbox.finish(claimed);
    }
    return all;
  }

  ls(...parts: string[]): string[] {
    return readdirSync(this.at(...parts)).toSorted();
  }

  /** Claims that are not finished. */
  claims(): string[] {
    return this.ls('.claimed').filter((name) => !name.startsWith('.finished-'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.inbox?.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export async function testInbox(options: Partial<InboxOptions> = {}): Promise<TestInbox> {
  return await new TestInbox(options).open();
}
