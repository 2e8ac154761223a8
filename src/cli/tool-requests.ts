/** A request about tools: to the worker if one holds the pen, else done here and now. */
import { join } from 'node:path';
import { withHost } from '../daemon/host.ts';
import { submit } from '../intake/submit-request.ts';
import { penHolder } from '../ledger/pen.ts';
import { OkaError } from '../schema/errors.ts';
import type { Intake } from '../schema/intake.ts';
import { type Call, exits } from './command.ts';
import { tellOutcome } from './run-outcome.ts';
import { plainText } from './plain-text.ts';

type Request = Extract<Intake, { kind: 'install' | 'remove' }>;

export async function requestTools(call: Call, requests: readonly Request[]): Promise<number> {
  const { home, json, out, signal } = call;
  if (penHolder(home.ledgers.run) !== null) {
    const submitted = requests.map((request) => submit(join(home.oka, 'intake'), request));
    out(json ? `${JSON.stringify({ submitted })}\n` : 'A worker holds the pen; it was asked to. See: oka tools list\n');
    return exits.ok;
  }
  let worst: number = exits.ok;
  await withHost(home, signal, async (host) => {
    for (const request of requests) {
      const going = await host.handle(request);
      await going?.done;
      const run = going === null ? null : await host.engine.stateOf(going.run.id);
      const code = run === null ? told(call, request) : tellOutcome(call, run);
      worst = Math.max(worst, code);
    }
  });
  return worst;
}

function told({ json, out }: Call, { kind, what }: Request): number {
  out(
    json
      ? `${JSON.stringify({ [kind]: what })}\n`
      : `${kind === 'remove' ? 'removed' : 'installed'} ${plainText(what)}\n`,
  );
  return exits.ok;
}

/** 30d, 12h: how long ago. */
export function agoOption(text: string): number {
  const [, amount, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  if (amount === undefined)
    throw new OkaError('usage', `--unused: "${text}" is not a time`, { fix: 'Write 30d or 12h.' });
  return Number(amount) * (unit === 'd' ? 86_400_000 : 3_600_000);
}
