import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vaultOf } from '../../src/kit/vault/home-vault.ts';
import { vaultPlaces } from '../../src/kit/settings.ts';
import { withValue } from '../../src/kit/vault/vault-contents.ts';
import { temporaryFolder } from '../support/cli.ts';
import { openStory } from '../support/story.ts';

const config = temporaryFolder();

beforeAll(() => void vi.stubEnv('XDG_CONFIG_HOME', config.dir));
afterAll(() => {
  vi.unstubAllEnvs();
  config[Symbol.dispose]();
});

describe('a vault whose key is missing', () => {
  it('stops only what needs a secret, and its values reach neither the ledger nor a result', async () => {
    const value = 'zK9-wQ2_vX7.pL4+mN8';
    await using story = await openStory();
    const { key } = vaultPlaces(story.home);
    const rules = { tools: ['shell'], hosts: [] };
    await (await vaultOf(story.home)).change((all) =>
      withValue(all, 'TOKEN', value, '2030-01-01T00:00:00.000Z', rules),
    );
    renameSync(key, join(config.dir, 'away'));
    story.write('workspace/desk/notes.txt', `it is ${value}\n`);
    story.drop('plain.md', '---\nid: plain\n---\n```bash\ncat notes.txt; touch here\n```\n');
    story.work();
    const { status, page } = await story.ended('plain');
    expect(status).toBe('done');
    expect(page).not.toContain(value);
    expect(JSON.stringify(await story.events())).toContain('it is [redacted:TOKEN]');
    expect(JSON.stringify(await story.events())).not.toContain(value);
    expect(story.told.join('\n')).toContain('vault: ');
  });
});
