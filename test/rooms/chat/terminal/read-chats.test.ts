import { expect, it } from 'vitest';
import { oka, temporaryFolder } from '../../../support/cli.ts';

it('oka chat view refuses an id that is not in the conversation, instead of showing nothing for ever', async () => {
  using folder = temporaryFolder();
  await oka('init', '--dir', folder.dir);
  const home = ['--dir', folder.dir];
  await oka('chat', 'new', 'trip', ...home);
  await oka('ask', 'anything?', ...home);
  expect(await oka('chat', 'view', 'trip', '--since', '0000000000a1', ...home)).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no message "0000000000a1"'),
  });
});
