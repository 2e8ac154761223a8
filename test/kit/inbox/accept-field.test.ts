import { describe, expect, it } from 'vitest';
import { readTask } from '../../../src/kit/inbox/parse-task.ts';
import { GRAMMAR, parseCheck } from '../../../src/kit/task/checks.ts';

const acceptOf = (lines: string): readonly string[] | undefined =>
  readTask(Buffer.from(`---\n${lines}\n---\n# T\n\nText.\n`), 'task.md').task.accept;

describe('accept', () => {
  it.each(GRAMMAR.flatMap(({ examples }) => examples))('%s is a criterion without quotes, too', (example) => {
    expect(acceptOf(`accept:\n  - ${example}`)).toEqual([example]);
    expect(acceptOf(`accept:\n- ${example} # why\n- file: other.md\ntags: [a]`)).toEqual([example, 'file: other.md']);
    expect(parseCheck(example)).not.toMatchObject({ kind: 'problem' });
  });

  it.each([
    ['accept:\n  - "rows: a.csv >= 2"', ['rows: a.csv >= 2']],
    ['accept:\n  - \'contains: a.md "x: y"\'', ['contains: a.md "x: y"']],
    ['accept: ["file: a.md", b.md exists]', ['file: a.md', 'b.md exists']],
    ['accept: "file: a.md"', ['file: a.md']],
    ['accept: The totals are right.', ['The totals are right.']],
    ['accept:\n  file: a.md\n  rows: b.csv == 3', ['file: a.md', 'rows: b.csv == 3']],
    ['accept: [rows: a.csv >= 2]', ['rows: a.csv >= 2']],
    ['accept:\n  - command: "test -s \'a b\'"', ["command: test -s 'a b'"]],
    ['accept:\n  - command: "a b" "c d"', ['command: "a b" "c d"']],
    ['accept:\n  - command: [ -s a.md ]', ['command: [ -s a.md ]']],
    ['accept:\n  - command: |\n      test -s a\n      test -s b', ['command: test -s a\ntest -s b']],
    ['accept:\n  - rows: a.csv\n      >= 2', ['rows: a.csv >= 2']],
    ['accept:\n  - file: "my report.md" is not empty', ['file: "my report.md" is not empty']],
    ['accept:\n  - unchanged: *.csv', ['unchanged: *.csv']],
    ['accept:\n  - contains: a.md "5 # 6"   # in the list', ['contains: a.md "5 # 6"']],
    ['accept:\n  - The report names two: Ann and Bob.', ['The report names two: Ann and Bob.']],
    ['accept:\n  - prose: result: every total is right', ['prose: result: every total is right']],
    ['accept:\n\n  # a comment\n  - file: 2026', ['file: 2026']],
    ['title: A\naccept:\n  - file: a\n\n  - file: b\ntags:\n  - c', ['file: a', 'file: b']],
  ])('%j is read as it is meant', (lines, criteria) => {
    expect(acceptOf(lines)).toEqual(criteria);
  });

  it.each([
    ['accept:\n  - rows: a.csv >= 2\n    file: b.md', 'accept.0'],
    ['accept:\n  - json: { a: 1 }\n    more: 2', 'accept.0'],
    ['accept:\n  - file:\n      - a', 'accept.0'],
    ['accept:\n  -', 'accept.0'],
    ['accept: 5', 'accept'],
  ])('%j is refused with the place', (lines, place) => {
    expect(() => acceptOf(lines)).toThrow(`front matter field "${place}"`);
  });

  it('a line in the text of a task is never taken for a criterion, and line numbers in messages stay', () => {
    const text = '---\ntitle: A\n---\naccept:\n  - rows: "a" b\n';
    expect(readTask(Buffer.from(text), 'task.md').body).toBe('accept:\n  - rows: "a" b\n');
    expect(() => acceptOf('accept:\n  - rows: "a" >= 2\ntitle: a: b')).toThrow('line 4');
  });
});
