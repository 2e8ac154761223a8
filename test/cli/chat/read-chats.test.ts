/** Scripts ask for new messages often, so that these commands start fast: they load what they need to read, no more. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { launcher, oka, temporaryFolder } from '../../support/cli.ts';
import { casesOf } from '../../support/thorough.ts';

const trace = fileURLToPath(new URL('../../support/print-modules.ts', import.meta.url));

const COMMANDS = [['chat'], ['chat', '--json'], ['chat', 'view', 'trip', '--json']];

it.each(casesOf(COMMANDS, ({ length }) => length > 2).map((words) => [words]))(
  'oka %j loads no schemas, no other view and no table of other commands',
  async (words) => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    const home = ['--dir', folder.dir];
    await oka('chat', 'new', 'trip', ...home);
    await oka('ask', 'anything?', ...home); // without a model; takes the requests up
    const { stderr, stdout, status } = spawnSync(process.execPath, ['--import', trace, launcher, ...words, ...home], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toMatchObject({ status: 0 });
    const loaded = stderr.split('\n').filter((line) => line.startsWith('loaded '));
    expect(loaded.some((line) => line.endsWith('/chat/chat-view.ts'))).toBe(true);
    const unwanted = /node_modules|\/src\/(?:views|engine|guard|memory)\/|cli\/commands\.ts|daemon\/rooms\.ts/;
    expect(loaded.filter((line) => unwanted.test(line))).toEqual([]);
  },
);

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
