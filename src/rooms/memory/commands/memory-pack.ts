import { readEvents } from '../../../core/ledger/read-events.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { PackManifest } from '../../../core/schema/memory.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';

type ShownPack = PackManifest & { seq: number; run: string | null; at: string };
type Data = { run: string; packs: ShownPack[] };

/** What was packed into the prompts of a run, or of one node of it. */
export async function run(call: Call): Promise<Answer<Data>> {
  const { home, operands } = call;
  const [given, node] = operands;
  if (given === undefined || operands.length > 2) throw new OkaError('usage', 'say which run, and which node of it');
  const id = await findRunName(call, given);
  const packs: ShownPack[] = [];
  for await (const event of readEvents(home.ledgers.run, { run: id, type: 'context.packed' }))
    if (event.type === 'context.packed' && (node === undefined || event.data.node === node))
      packs.push({ ...event.data, seq: event.seq, run: event.run, at: event.at });
  if (packs.length > 0) return answer({ run: id, packs });
  throw new OkaError('refused', `nothing was packed for ${node === undefined ? '' : `${node} of `}"${id}"`, {
    fix: 'List the runs: oka runs',
  });
}

export function render({ packs }: Data, terminal: Terminal): string {
  return packs.map((pack) => renderPack(pack, terminal)).join('');
}

function renderPack(pack: ShownPack, { bold, dim, width }: Terminal): string {
  const { role, node, tokens, cap, counter, by, items, dropped, more, seq } = pack;
  const head = bold(`${role}${node === null ? '' : ` at ${node}`}`);
  const lines = [
    `${head}  ${tokens} of ${count(cap, 'token')} (${counter}), by ${by}, event ${seq}`,
    `  ${dim(fitText(plainText(pack.query), width - 2))}`,
    ...items.map((item) => `  in    ${itemText(item)}`),
    ...dropped.map((item) => `  ${dim(`out   ${itemText(item)}  ${item.why}`)}`),
    ...(more > 0 ? [`  ${dim(`and ${more} more were left out`)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function itemText({ id, section, score, tokens, evidence }: PackManifest['items'][number]): string {
  const from = evidence
    .map(({ seq }) => seq)
    .slice(0, 3)
    .join(',');
  const name = fitText(plainText(id), 32).padEnd(32);
  return `${section.padEnd(10)} ${score.toFixed(2)} ${String(tokens).padStart(5)}  ${name} ${from}`;
}
