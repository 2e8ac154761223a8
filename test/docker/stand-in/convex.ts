/** Takes the place of a Convex backend: keeps what it is sent, in order, and gives it back. Run in a container. */
import { createServer } from 'node:http';

type Sent = { seq: number; hash: string };
type Asked = { path: string; args: [{ ledger: string; pen: string; key?: string; events: Sent[]; from: number }] };

const kept = new Map<string, Sent[]>();

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    process.stdout.write(`${request.headers.host} ${asked.path} by key ${asked.args[0].key ?? 'none'}\n`);
    response.end(JSON.stringify({ status: 'success', value: answerTo(asked), logLines: [] }));
  });
}).listen(3210);

function answerTo({ path, args: [{ ledger, pen, events, from }] }: Asked): unknown {
  const known = kept.get(`${ledger} ${pen}`) ?? [];
  const last = known.at(-1);
  if (path === 'replica:head') return last === undefined ? null : { seq: last.seq, hash: last.hash };
  if (path === 'replica:page') return known.filter(({ seq }) => seq >= from).slice(0, 100);
  const fresh = events.filter(({ seq }) => seq > (last?.seq ?? 0));
  kept.set(`${ledger} ${pen}`, [...known, ...fresh]);
  return { kind: 'ok', next: ((fresh.at(-1) ?? last)?.seq ?? 0) + 1 };
}
