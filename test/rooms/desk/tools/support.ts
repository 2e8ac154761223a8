/** Desks, stores and calls for the tests of the built-in tools: real folders, a real artifact store. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { redactShapes } from '../../../../src/core/guard/redact.ts';
import { openArtifacts } from '../../../../src/core/ledger/artifact-store.ts';
import type { Json } from '../../../../src/core/schema/json.ts';
import type { ArtifactStore } from '../../../../src/core/schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../../../src/core/schema/tool.ts';
import { testFolder } from '../../../support/test-folders.ts';

export type Ground = { root: string; desk: string; outside: string; artifacts: ArtifactStore };

/** A desk, a folder beside it with a secret in it, and a store. */
export function ground(folder = testFolder): Ground {
  const root = realpathSync(folder('oka-tools-'));
  const [desk, outside] = [join(root, 'desk'), join(root, 'outside')];
  mkdirSync(desk);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'outside');
  return { root, desk, outside, artifacts: openArtifacts(join(root, 'artifacts'), redactShapes) };
}

export function put(folder: string, path: string, content: string | Uint8Array = path): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export function callOf(tool: Tool, input: Json, signal = new AbortController().signal): ToolCall {
  return {
    run: 'r1',
    node: 'n1',
    call: 'r1.n1.1',
    attempt: 1,
    tool: tool.name,
    class: tool.classOf(input),
    input,
    key: null,
    signal,
  } as ToolCall;
}

/** Invokes a tool and holds an ok outcome against the tool's own output schema. */
export async function use(tool: Tool | undefined, input: Json, signal?: AbortSignal): Promise<Outcome> {
  if (tool === undefined) throw new Error('no such tool');
  const outcome = await tool.invoke(input, callOf(tool, input, signal));
  if (outcome.status === 'ok') expect(tool.output.parse(outcome.output)).toEqual(outcome.output);
  return outcome;
}

export function errorOf(outcome: Outcome): string {
  return 'error' in outcome ? outcome.error : `no error but ${JSON.stringify(outcome)}`;
}
