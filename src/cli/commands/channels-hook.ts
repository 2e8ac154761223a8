import { addHook } from '../../daemon/channels/inbound-hooks.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { onlyOperand } from '../operands.ts';
import { requireHome } from '../require-home.ts';

type Data = { hook: string; path: string; key: string; template: string };

export function run(call: Call): Promise<Answer<Data>> {
  const hook = onlyOperand(call, 'name');
  requireHome(call.home);
  return Promise.resolve(answer({ hook, path: `/hooks/${hook}`, ...addHook(call.home, hook) }));
}

export function render({ path, key, template }: Data, { bold }: Terminal): string {
  return [
    `POST to ${bold(path)} of the dashboard, signed as Standard Webhooks describe it.`,
    `Key (shown once): ${key}`,
    `What is to be done with a call: edit ${template}`,
    '',
  ].join('\n');
}
