/**
 * Every setting of every room has an effect that is seen from outside, on the command that a person starts. CI tries a third
 * of the homes on each change.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { groupsToTry } from '../support/settings/setting-groups.ts';
import type { OpenGroup } from '../support/settings/setting-group.ts';

const PATIENCE_MS = 240_000;

describe.each(groupsToTry)('$name has these settings', { timeout: PATIENCE_MS }, ({ settings, open }) => {
  let opened: Awaited<ReturnType<OpenGroup['open']>> | undefined;
  beforeAll(async () => {
    opened = await open();
  }, PATIENCE_MS);
  afterAll(() => opened?.[Symbol.asyncDispose]());

  it.each(settings)('%s', (setting) => opened?.expectEffect(setting));
});
