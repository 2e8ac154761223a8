/** Settings that are tried together, in one home, on the real command. */
import { expect } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import { openStory, type Story, type StoryOptions } from '../story.ts';
import { settings } from './setting-names.ts';

type Config = { [key: string]: Json };

/** `act` starts commands and gives what is seen; each row says what is seen of one setting from outside. */
export type SettingGroup<Seen = unknown> = {
  name: string;
  model?: StoryOptions['model'];
  config: (story: Story, stack: AsyncDisposableStack) => Config | Promise<Config>;
  act: (story: Story, stack: AsyncDisposableStack) => Promise<Seen>;
  rows: Readonly<Record<string, (seen: Seen) => void | Promise<void>>>;
};

/** What vitest runs: the types of what is seen stay within a group. */
export type OpenGroup = {
  name: string;
  settings: string[];
  open: () => Promise<{ expectEffect: (setting: string) => Promise<void> } & AsyncDisposable>;
};

export function settingGroup<Seen>(group: SettingGroup<Seen>): OpenGroup {
  return { name: group.name, settings: Object.keys(group.rows), open: () => openGroup(group) };
}

async function openGroup<Seen>({ model, config, act, rows }: SettingGroup<Seen>) {
  const stack = new AsyncDisposableStack();
  try {
    const story = stack.use(await openStory(model === undefined ? {} : { model }));
    const set = await config(story, stack);
    story.write('.oka/rules/config.json', JSON.stringify(set));
    const seen = await act(story, stack);
    const expectEffect = async (setting: string): Promise<void> => {
      const value = valueAt(set, setting);
      expect(value, 'it is set').toBeDefined();
      expect(value, 'to something else than its default').not.toEqual(settings.get(setting));
      await rows[setting]?.(seen);
    };
    return { expectEffect, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function valueAt(config: Config, path: string): Json | undefined {
  let at: Json | undefined = config;
  for (const key of path.split('.')) at = (at as Config | undefined)?.[key];
  return at;
}

/** The command in a process of its own; gives what it printed and how it ended. */
export async function command(story: Story, ...words: string[]): Promise<{ code: number | null; text: string }> {
  return commandIn(story, {}, ...words);
}

export async function commandIn(
  story: Story,
  env: Record<string, string>,
  ...words: string[]
): Promise<{ code: number | null; text: string }> {
  const child = story.start(words, env);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: string) => (text += part));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, text };
}
