import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/guard/classify/classify-command.ts';
import { classOf, corpus, isAllowed, where } from './corpus.ts';
import { isThorough } from '../../../support/thorough.ts';
import { rewrites } from './rewrites.ts';

const dangerous = corpus.filter((each) => !isAllowed(each.class));
/** Every rewrite of every command; otherwise one in PART, so that each command and each rewrite still has its turns. */
const PART = isThorough ? 1 : 40;
const rewritten = (cmd: string, index: number): [how: string, text: string][] =>
  Object.entries(rewrites).flatMap(([how, rewrite], number) => {
    const text = (index + number) % PART === 0 ? rewrite(cmd) : null;
    return text === null ? [] : [[how, text]];
  });

describe('the corpus', () => {
  it('is large enough and mostly of things that people really run', () => {
    expect(corpus.length).toBeGreaterThan(400);
    expect((corpus.length - dangerous.length) / corpus.length).toBeGreaterThan(0.45);
    expect(new Set(corpus.map(({ cmd }) => cmd)).size).toBe(corpus.length);
  });

  it('every command has the class it is labelled with, and a reason that names no hidden character', () => {
    const found = corpus.map(({ cmd, class: label }) => ({ cmd, label, ...classify({ line: cmd }, where) }));
    const wrong = found.filter((each) => each.class !== each.label);
    expect(wrong.map(({ cmd, label, class: other }) => `${label}, but ${other}: ${cmd}`)).toEqual([]);
    for (const { reason } of found) expect(reason).toMatch(/^[^\p{Cc}\p{Co}]+$/u);
  });

  it('what bash refuses to parse is refused', () => {
    const short = corpus.filter(({ cmd }) => /[()'"`|;]/.test(cmd) && cmd.length < 20);
    const script = 'for each; do bash -n -c "$each" 2>/dev/null; echo $?; done';
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...short.map(({ cmd }) => cmd)], { encoding: 'utf8' });
    const statuses = stdout.trim().split('\n');
    expect(statuses).toHaveLength(short.length);
    const unparsable = short.filter((_, index) => statuses[index] !== '0');
    expect(unparsable.length).toBeGreaterThan(0);
    expect(unparsable.filter(({ cmd }) => isAllowed(classOf(cmd)))).toEqual([]);
  });
});

describe('rewrites', () => {
  it('no dangerous command is allowed however it is written', () => {
    const escaped = corpus
      .filter((each) => !isAllowed(each.class) && each.why !== 'does not parse')
      .flatMap(({ cmd }, index) => rewritten(cmd, index).filter(([, text]) => isAllowed(classOf(text))));
    expect(escaped).toEqual([]);
  });

  it.each([
    ['read', 0.05],
    ['write_local', 0.1],
  ] as const)(
    'few harmless commands of class %s are asked about or refused however they are written',
    (label, most) => {
      const tried = corpus.filter((each) => each.class === label).flatMap(({ cmd }, index) => rewritten(cmd, index));
      const alarms = tried.filter(([, text]) => !isAllowed(classOf(text)));
      expect(tried.length).toBeGreaterThan(1000 / PART);
      expect(alarms.length / tried.length, alarms.slice(0, 20).join('\n')).toBeLessThan(most);
    },
  );
});
