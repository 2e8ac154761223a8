import { readEvents } from '../../ledger/read.ts';
import { OkaError } from '../../schema/errors.ts';
import type { PackManifest } from '../../schema/memory.ts';
import { type Call, exits } from '../command.ts';
import { bold, count, dim, fitted, plain, WIDTH } from '../terminal.ts';

type Shown = PackManifest & { seq: number; run: string | null; at: string };

/** Packs of a run, and of the node that is named; the last one in full. */
export async function run(call: Call): Promise<number> {
  const [id, node] = call.operands;
  if (id === undefined || call.operands.length > 2) throw new OkaError('usage', 'say which run, and which node of it');
  const packs: Shown[] = [];
  for await (const line of readEvents(call.home.ledgers.run, { run: id, type: 'context.packed' }))
    if (line.type === 'context.packed' && (node === undefined || line.data.node === node))
      packs.push({ ...line.data, seq: line.seq, run: line.run, at: line.at });
  if (packs.length === 0)
    throw new OkaError('no-such-run', `nothing was packed for ${node === undefined ? '' : `${node} of `}"${id}"`, {
      fix: 'See which runs there are: oka runs',
    });
  if (call.json) call.out(`${JSON.stringify({ run: id, packs })}\n`);
  else for (const pack of packs) tell(call, pack);
  return exits.ok;
}

function tell({ out }: Call, pack: Shown): void {
  const { role, node, tokens, cap, counter, by, items, dropped, more, seq } = pack;
  out(
    `${bold(`${role}${node === null ? '' : ` at ${node}`}`)}  ${tokens} of ${count(cap, 'token')} (${counter}), by ${by}, event ${seq}\n`,
  );
  out(`  ${dim(fitted(plain(pack.query), WIDTH - 2))}\n`);
  for (const item of items) out(`  in    ${line(item)}\n`);
  for (const item of dropped) out(`  ${dim(`out   ${line(item)}  ${item.why}`)}\n`);
  if (more > 0) out(`  ${dim(`and ${more} more were left out`)}\n`);
}

function line({ id, section, score, tokens, evidence }: PackManifest['items'][number]): string {
  const from = evidence
    .map(({ seq }) => seq)
    .slice(0, 3)
    .join(',');
  return `${section.padEnd(10)} ${score.toFixed(2)} ${String(tokens).padStart(5)}  ${fitted(plain(id), 32).padEnd(32)} ${from}`;
}
