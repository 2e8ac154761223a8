/** A home with MCP servers, and graphs that call one tool after the other. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import { oka } from '../../support/cli.ts';
import { openStory, type Story, type StoryOptions } from '../../support/story.ts';

export const modules = realpathSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)));
export const serverFile = (name: string): string => join(modules, '@modelcontextprotocol', name, 'dist/index.js');
export const here = import.meta.dirname;

export const temporaryFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'oka-outside-')));

export const ALLOW = "rules:\n  - { effect: allow, tool: 'mcp.*' }";

export async function openServerHome({
  allow = true,
  ...options
}: StoryOptions & { allow?: boolean } = {}): Promise<Story> {
  const policy = (text: string): string => (allow ? text.replace('rules: []', ALLOW) : text);
  return openStory({ policy, ...options });
}

/** Words before -- are options, those behind it the command. */
export async function addServer(story: Story, name: string, ...words: string[]): Promise<void> {
  expect(await oka('mcp', 'add', '--dir', story.home.dir, name, ...words)).toMatchObject({ code: 0, err: '' });
}

export async function accept(story: Story, name: string): Promise<void> {
  expect(await story.oka('mcp', 'tools', name, '--accept')).toMatchObject({ code: 0, err: '' });
}

/** A graph with one node for each call, in a row. */
export function writeGraph(
  story: Story,
  id: string,
  calls: readonly [tool: string, input: Json][],
  seconds = 60,
): void {
  const nodes = calls.map(([tool, input], index) => ({
    kind: 'tool',
    id: `n${index}`,
    tool,
    input,
    timeout_seconds: seconds,
    max_retries: 0,
    ...(index === 0 ? {} : { needs: [`n${index - 1}`] }),
  }));
  story.write(`workspace/graphs/${id}.json`, JSON.stringify({ id, title: id, nodes }));
}

export type CallEnd = { status: string; output: Json; error: string };

/** Runs one call of a tool in a graph, and returns how it ended. */
export async function callOnce(story: Story, tool: string, input: Json, seconds = 60): Promise<CallEnd> {
  const id = `g${Math.random().toString(36).slice(2, 8)}`;
  writeGraph(story, id, [[tool, input]], seconds);
  const ran = await story.oka('graph', 'run', id);
  const started = (await story.eventsOf('call.started')).filter(
    ({ data, run }) => data.tool === tool && run?.startsWith(id) === true,
  );
  const last = started.at(-1)?.data.call;
  const ended = (await story.eventsOf('call.ended')).find(({ data }) => data.call === last)?.data;
  if (ended === undefined) throw new Error(`there was no call of ${tool}: ${ran.out} ${ran.err}`);
  return { status: ended.status, output: ended.output, error: ended.error ?? '' };
}
