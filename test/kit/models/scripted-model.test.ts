import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelsFrom } from '../../../src/kit/models/role-models.ts';
import { scriptedFromFile, scriptedModel } from '../../../src/kit/models/scripted-model.ts';
import { ask, failureOf, folder, settings, turn } from './support.ts';

const stop = AbortSignal.abort();

describe('scriptedModel', () => {
  it('answers in order, and says when it has nothing left', async () => {
    const model = scriptedModel([{ text: 'one' }, { call: { name: 'Finish', input: { done: true } } }]);
    expect(await turn(model, 'whole', ask('a'))).toMatchObject({ text: 'one', call: null, model: 'scripted:list' });
    expect(await turn(model, 'streamed', ask('b'))).toMatchObject({ call: { name: 'Finish', input: { done: true } } });
    const failure = await failureOf(turn(model, 'whole', ask('c')));
    expect(failure.message).toBe('the script has no answer left for the executor');
  });

  it('an answer may wait for its role and its words, and come more than once', async () => {
    const model = scriptedModel([
      { role: 'critic', text: 'judged', times: 'always' },
      { has: ['apple', 'pear'], text: 'fruit', times: 2 },
      { text: 'else', times: 'always' },
    ]);
    const said = async (text: string, role: 'critic' | 'planner' = 'planner') =>
      (await turn(model, 'whole', ask(text, { role }))).text;
    expect(await said('apple and pear')).toBe('fruit');
    expect(await said('apple')).toBe('else');
    expect(await said('pear, apple')).toBe('fruit');
    expect(await said('pear, apple')).toBe('else');
    expect([await said('x', 'critic'), await said('y', 'critic')]).toEqual(['judged', 'judged']);
  });

  it('can fail as models do, and report the cost the script sets', async () => {
    const model = scriptedModel([{ fails: 'down' }, { text: 'back', usage: { tokens_in: 9, tokens_out: 2 } }]);
    expect((await failureOf(turn(model, 'whole', ask('a')))).problem).toMatchObject({ kind: 'down', temporary: true });
    expect((await turn(model, 'whole', ask('a'))).usage).toEqual({ tokens_in: 9, tokens_out: 2, usd: 0 });
  });

  it('streams its words one by one, and stops when aborted', async () => {
    const told: string[] = [];
    const model = scriptedModel((_, count) => ({ text: `turn ${count} of many` }), 'scripted:mine');
    await model.stream(ask('a'), new AbortController().signal, (text) => told.push(text));
    expect(told).toEqual(['turn ', '0 ', 'of ', 'many']);
    expect(model.id).toBe('scripted:mine');
    expect((await failureOf(turn(model, 'whole', ask('b'), stop))).problem.kind).toBe('stopped');
  });
});

describe('a script in a file', () => {
  const write = (text: string): string => {
    const file = join(folder(), 'script.json');
    writeFileSync(file, text);
    return file;
  };

  it('is named by scripted:path, from the folder of the settings', async () => {
    const at = folder();
    writeFileSync(join(at, 'demo.json'), '{"answers": [{"text": "hello from a file"}]}');
    const models = modelsFrom(settings({ environment: { OKA_MODEL: 'scripted:demo.json' }, folder: at }));
    const model = models.for('planner');
    expect(model?.id).toBe('scripted:demo.json');
    if (model !== null) expect((await turn(model, 'whole', ask('hi'))).text).toBe('hello from a file');
  });

  it.each([
    ['{"answers": []}', 'answers:'],
    ['{"answers": [{"txt": "x"}]}', 'answers.0:'],
    ['{"answers": [{"call": {}}]}', 'answers.0.call.name:'],
    ['{"answers": [', 'JSON'],
    ['', 'JSON'],
  ])('%s is refused with its place', (text, place) => {
    const file = write(text);
    expect(() => scriptedFromFile(file, 'x')).toThrow(file);
    expect(() => scriptedFromFile(file, 'x')).toThrow(place);
  });

  it('anything but a regular file is not opened', () => {
    const at = folder();
    mkdirSync(join(at, 'folder.json'));
    symlinkSync('/dev/zero', join(at, 'link.json'));
    expect(() => scriptedFromFile(join(at, 'folder.json'), 'x')).toThrow('is not a regular file');
    expect(() => scriptedFromFile(join(at, 'link.json'), 'x')).toThrow('is not a regular file');
    expect(() => scriptedFromFile(join(at, 'none.json'), 'x')).toThrow('does not exist');
  });
});
