import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { LiveHome } from './live-home.ts';
import type { Random, Trial } from './trial.ts';

const PER_BATCH = 12;
const PATIENCE_MS = 90_000;

export const badInput: Trial = {
  name: 'Bad input',
  about:
    'Files that are no tasks, or hostile ones, are dropped into the inbox of a running worker: random bytes, broken and huge front matter, YAML bombs, megabytes on one line, thousands of fences, links out of the inbox, pipes, odd names. The worker must not end, a good task dropped behind them must be done, and every file must be found again: as a task with its result, rejected with the reason, or still in the inbox.',
  share: 10,
  run: async ({ until, random }) => {
    const counts: Record<string, number> = {};
    const failures: string[] = [];
    await using live = new LiveHome();
    live.start();
    await ended(live, 'welcome');
    const worker = live.processes().workers[0]?.pid;
    for (let batch = 0; Date.now() < until; batch += 1) {
      const names = Array.from({ length: PER_BATCH }, (_, index) => {
        const kind = random.pick(KINDS);
        counts[kind] = (counts[kind] ?? 0) + 1;
        return dropBad(live, kind, `bad-${batch}-${index}`, random);
      });
      live.drop(`good${batch}.md`, `---\nid: good${batch}\n---\n\`\`\`bash\necho good > good${batch}\n\`\`\`\n`);
      const page = await ended(live, `good${batch}`);
      if (page?.includes('✅ Done') !== true) failures.push(`batch ${batch}: the good task was not done`);
      if (live.processes().workers[0]?.pid !== worker) failures.push(`batch ${batch}: the worker ended`);
      for (const name of await vanished(live, names))
        failures.push(`batch ${batch}: ${JSON.stringify(name)} has vanished`);
      if (failures.length > 20) break;
    }
    return { counts, failures };
  },
};

const KINDS = [
  'random bytes',
  'empty files',
  'front matter that is not YAML',
  'fields of the wrong kind',
  'YAML bombs',
  'megabytes on one line',
  'thousands of fences',
  'fences without an end',
  'deeply nested quotations',
  'UTF-16',
  'only carriage returns',
  'links out of the inbox',
  'pipes',
  'folders without a task',
  'names of 200 bytes',
  'names with line breaks',
  'invisible characters in a command',
] as const;
type Kind = (typeof KINDS)[number];

function dropBad(live: LiveHome, kind: Kind, name: string, random: Random): string {
  const at = (file: string): string => join(live.home.workspace, 'inbox', file);
  const put = (content: string | Buffer, file = `${name}.md`): string => {
    writeFileSync(at(file), content);
    return file;
  };
  switch (kind) {
    case 'random bytes':
      return put(randomBytes(random.between(1, 20_000)));
    case 'empty files':
      return put('');
    case 'front matter that is not YAML':
      return put('---\nid: [unclosed\n  : : :\n---\ntext\n');
    case 'fields of the wrong kind':
      return put('---\nid: {a: 1}\nbudget: many\ncriteria: 7\n---\n```bash\ntrue\n```\n');
    case 'YAML bombs':
      return put(`---\na: &a [x,x,x,x,x,x,x,x,x]\n${yamlLayers()}---\ntext\n`);
    case 'megabytes on one line':
      return put(`# Long\n${'* '.repeat(random.between(100_000, 1_000_000))}\n`);
    case 'thousands of fences':
      return put('```bash\ntrue\n```\n\n'.repeat(5000));
    case 'fences without an end':
      return put(`${'```bash\n'.repeat(50)}echo never\n`);
    case 'deeply nested quotations':
      return put(`${'> '.repeat(20_000)}deep\n`);
    case 'UTF-16':
      return put(Buffer.from('\uFEFF---\nid: wide\n---\n```bash\ntrue\n```\n', 'utf16le'));
    case 'only carriage returns':
      return put(`---\rid: ${name}\r---\r\`\`\`bash\rtrue\r\`\`\`\r`);
    case 'links out of the inbox':
      symlinkSync('/etc/passwd', at(`${name}.md`));
      return `${name}.md`;
    case 'pipes':
      execFileSync('mkfifo', [at(`${name}.md`)]);
      return `${name}.md`;
    case 'folders without a task':
      mkdirSync(join(at(name), 'data'), { recursive: true });
      writeFileSync(join(at(name), 'data', 'a.bin'), randomBytes(100));
      return name;
    case 'names of 200 bytes':
      return put('```bash\ntrue\n```\n', `${name}-${'n'.repeat(200 - name.length)}.md`);
    case 'names with line breaks':
      return put('```bash\ntrue\n```\n', `${name}\nline\tbreak.md`);
    case 'invisible characters in a command':
      return put('```bash\necho a\u202Eb\u200B\n```\n');
  }
}

const yamlLayers = (): string =>
  Array.from({ length: 9 }, (_, index) => {
    const [from, to] = ['abcdefghij'[index], 'abcdefghij'[index + 1]];
    return `${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(',')}]\n`;
  }).join('');

/** Files that are neither in the inbox, nor rejected, nor a task that has a result. */
async function vanished(live: LiveHome, names: readonly string[]): Promise<string[]> {
  let gone: readonly string[] = names;
  for (const end = Date.now() + PATIENCE_MS; gone.length > 0 && Date.now() < end; await sleep(300)) {
    const inbox = join(live.home.workspace, 'inbox');
    const rejected = existsSync(join(inbox, 'rejected'))
      ? readdirSync(join(inbox, 'rejected'), { recursive: true })
      : [];
    const results = new Set<string>();
    for await (const event of readEvents(live.home.ledgers.run))
      if (event.type === 'task.received' && event.run !== null && live.page(event.run) !== null)
        results.add(event.data.name);
    const isFound = (name: string): boolean => {
      const stem = /^bad-\d+-\d+/.exec(name)?.[0] ?? name; // odd characters of a name are replaced when it is rejected
      const isRejected = rejected.some((path) => new RegExp(`^${stem}(?!\\d)`).test(String(path)));
      return readdirSync(inbox).includes(name) || results.has(name) || isRejected;
    };
    gone = gone.filter((name) => !isFound(name));
  }
  return [...gone];
}

async function ended(live: LiveHome, id: string): Promise<string | null> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const run = live.results().find((name) => name === id || name.startsWith(`${id}-`));
    if (run !== undefined) return live.page(run);
  }
  return null;
}
