/** A process that takes tasks: `work INBOX LEDGER` writes a line for each until it is killed, `once INBOX` prints what it saw. */
import './rooms-of-product.ts';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { openInbox } from '../../src/kit/inbox/inbox.ts';

const [what, dir = '', ledger = ''] = process.argv.slice(2);
if (what === 'work') await work();
else await once();

async function work(): Promise<void> {
  const known = new Set(
    readFileSync(ledger, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { id: string }).id),
  );
  const inbox = await openInbox({
    inbox: dir,
    settleMs: 0,
    isKnown: (id) => known.has(id),
    on: { rejected: async () => {}, problem: (text) => void process.stderr.write(`${text}\n`) },
  });
  process.stdout.write('ready\n');
  const fd = openSync(ledger, 'a');
  for (let claimed = await inbox.take(); claimed !== null; claimed = await inbox.take()) {
    if (!claimed.known) writeSync(fd, `${JSON.stringify({ id: claimed.id, name: claimed.name })}\n`);
    fsyncSync(fd);
    known.add(claimed.id);
    inbox.finish(claimed);
  }
  closeSync(fd);
  await inbox.close();
}

async function once(): Promise<void> {
  const rejected: unknown[] = [];
  const problems: string[] = [];
  const inbox = await openInbox({
    inbox: dir,
    settleMs: 0,
    patienceMs: 0,
    isKnown: () => false,
    on: {
      rejected: async (each) => {
        rejected.push(each);
      },
      problem: (text) => void problems.push(text),
    },
  });
  const taken: string[] = [];
  for (let claimed = await inbox.take(); claimed !== null; claimed = await inbox.take()) taken.push(claimed.name);
  await inbox.close();
  process.stdout.write(JSON.stringify({ taken, rejected, problems }));
}
