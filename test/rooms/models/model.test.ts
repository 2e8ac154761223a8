import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, type Ran, temporaryFolder } from '../../support/cli.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { say } from '../../support/wire-server-reply.ts';

describe('oka model', { timeout: 60_000 }, () => {
  it('tests a model, uses it once it has answered, and lists it; a model that does not answer changes nothing', async () => {
    using folder = temporaryFolder();
    await using server = await openWireServer(() => say('ready'));
    const run = (...words: string[]): Promise<Ran> => oka('model', ...words, '--dir', folder.dir);
    await oka('init', '--dir', folder.dir);
    const config = join(folder.dir, '.oka/rules/config.json');
    writeFileSync(config, '{ "inbox": { "parallel": 3 } }');
    expect((await run('list')).out).toContain('No model is set');
    expect(await run('test')).toMatchObject({ code: 2, err: expect.stringContaining('oka model use') });
    expect(await run('use', 'custom:x', '--url', 'http://127.0.0.1:9/v1')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/does not answer[^]*Nothing was changed/),
    });
    expect(readFileSync(config, 'utf8')).toBe('{ "inbox": { "parallel": 3 } }');
    const url = `${server.url}/v1`;
    expect(await run('use', 'custom:x', '--url', url)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/answers[^]*ready[^]*custom:x is set/),
    });
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
      inbox: { parallel: 3 },
      models: { use: 'custom:x', settings: { 'custom:x': { base_url: url } } },
    });
    expect((await run('test')).code).toBe(0);
    expect((await run('list')).out).toMatch(/everything else +custom:x/);
    expect(await run('use', 'nobody:x')).toMatchObject({ code: 2, err: expect.stringContaining('no provider') });
  });
});
