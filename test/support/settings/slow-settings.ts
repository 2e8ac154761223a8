/** What is seen only after a while: a task that is not taken up yet, and states that are not written yet. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Story } from '../story.ts';
import { settingGroup } from './setting-group.ts';

type Seen = { settledAfterMs: number; behind: number };

const SETTLE_MS = 9000;

const runbook = (id: string): string => `---\nid: ${id}\n---\n\`\`\`bash\necho ${id} > ${id}.txt\n\`\`\`\n`;

function writtenSeq({ home }: Story): number {
  const file = join(home.oka, 'active_task_graph.json');
  return existsSync(file) ? ((JSON.parse(readFileSync(file, 'utf8')) as { seq?: number }).seq ?? 0) : 0;
}

export const slowSettings = settingGroup<Seen>({
  name: 'a worker that takes its time',
  config: () => ({
    inbox: { settle_ms: SETTLE_MS, rescan_ms: 200 },
    ledger: { snapshot_ms: 60_000 },
    memory: { cap: 0, vectors: false },
  }),
  act: async (story) => {
    story.start(['worker']);
    await story.until('a worker', async () => (await story.eventsOf('worker.started'))[0]);
    const written = Date.now();
    story.drop('one.md', runbook('one'));
    await story.ended('one');
    const [received] = (await story.events()).filter(({ type, run }) => type === 'task.received' && run === 'one');
    await sleep(2000);
    const behind = ((await story.events()).at(-1)?.seq ?? 0) - writtenSeq(story);
    return { settledAfterMs: Date.parse(received?.at ?? '') - written, behind };
  },
  rows: {
    'inbox.settle_ms': ({ settledAfterMs }) => expect(settledAfterMs).toBeGreaterThan(SETTLE_MS - 500),
    'ledger.snapshot_ms': ({ behind }) => expect(behind).toBeGreaterThan(0),
  },
});
