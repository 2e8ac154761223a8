import { describe, expect, it } from 'vitest';
import { claimsIn, type DoneFacts, findUnbackedClaims } from '../../../../src/rooms/task/roles/answer-claims.ts';

const nothing: DoneFacts = {
  changed: [],
  removed: [],
  calls: [],
  hosts: [],
  isTarget: () => false,
  exists: () => false,
};
const call = (tool: string, input: object, leavesMachine = false): DoneFacts['calls'][number] => ({
  tool,
  input: JSON.stringify(input),
  changes: true,
  leavesMachine,
});
const subjectsIn = (answer: string): string[] => claimsIn(answer).flatMap(({ subjects }) => subjects);

describe('A1 what counts as a claim', () => {
  it.each([
    ['I wrote report.md.', ['report.md']],
    ["I've created a.md and b.md from c.csv.", ['a.md', 'b.md']],
    ['- Saved out.csv', ['out.csv']],
    ['I read the notes and wrote sum.txt.', ['sum.txt']],
    ['I deleted old.txt.', ['old.txt']],
    ['I sent it to bob@example.org.', ['bob@example.org']],
    ['I fetched https://example.org/a.', ['https://example.org/a']],
    ['report.md was updated.', ['report.md']],
  ])('is found in %j', (answer, subjects) => {
    expect(subjectsIn(answer)).toEqual(subjects);
  });

  it.each([
    'I did not write report.md.',
    'I could write report.md.',
    'Please check report.md.',
    'If you want, report.md is written again.',
    'Was report.md written?',
    'report.md has three lines.',
    'The minutes say "I wrote report.md".',
    'contract.pdf was sent to bob@example.org on 3 May.',
    'The mail that list.csv names was sent in May.',
  ])('is not found in %j', (answer) => {
    expect(claimsIn(answer)).toEqual([]);
  });
});

describe('A2 a claim about a file', () => {
  it('is backed by a change of the desk', () => {
    expect(findUnbackedClaims('I wrote report.md.', { ...nothing, changed: ['job/report.md'] })).toEqual([]);
  });

  it('is backed by a call that names it and may change things, and by no other', () => {
    const writes = call('shell', { line: 'sort a > report.md' });
    expect(findUnbackedClaims('I wrote report.md.', { ...nothing, calls: [writes] })).toEqual([]);
    expect(findUnbackedClaims('I wrote report.md.', { ...nothing, calls: [{ ...writes, changes: false }] })).toEqual([
      'unbacked: the answer says "I wrote report.md.", but no call of this task wrote report.md',
    ]);
  });

  it('names what is missing, and says what nobody did', () => {
    const answer = 'I wrote a.md and b.md. I removed c.md.';
    expect(findUnbackedClaims(answer, { ...nothing, changed: ['a.md'] })).toEqual([
      'unbacked: the answer says "I wrote a.md and b.md.", but no call of this task wrote b.md',
      'unbacked: the answer says "I removed c.md.", but no call of this task removed c.md',
    ]);
  });

  it('may be about somebody else where the worker does not say that it was itself, unless the file was its target', () => {
    const answer = 'minutes.md was written in May.';
    expect(findUnbackedClaims(answer, { ...nothing, exists: () => true })).toEqual([]);
    expect(findUnbackedClaims(answer, nothing)).toHaveLength(1);
    expect(findUnbackedClaims(answer, { ...nothing, exists: () => true, isTarget: () => true })).toHaveLength(1);
  });

  it.each([
    ['I removed a.txt from the list in index.md.', 'index.md'],
    ['I removed `a.txt` from index.md.', 'index.md'],
    ['I replaced 2023.md with 2024.md in index.md.', 'index.md'],
    ['I added b.txt and c.txt to `index.md`.', 'index.md'],
    ['I submitted the count to index.md.', 'index.md'],
    ['Fixed the link to old.md in docs/index.md.', 'docs/index.md'],
  ])('about what stands in a file is backed by a change of that file: %s', (answer, changed) => {
    expect(findUnbackedClaims(answer, { ...nothing, changed: [changed] })).toEqual([]);
    expect(findUnbackedClaims(answer, nothing)).toHaveLength(1);
    expect(findUnbackedClaims(answer, { ...nothing, changed: ['other.md'] })).toHaveLength(1);
  });

  it('that was written needs the file to be there, unless the answer says where it went', () => {
    const calls = [call('files.write', { path: 'summary.md', content: 's' })];
    const gone = ['unbacked: the answer says "I wrote summary.md.", but summary.md is not there'];
    expect(findUnbackedClaims('I wrote summary.md.', { ...nothing, calls })).toEqual(gone);
    expect(findUnbackedClaims('I wrote summary.md.', { ...nothing, calls, exists: () => true })).toEqual([]);
    expect(findUnbackedClaims('I wrote summary.md.', { ...nothing, calls, changed: ['summary.md'] })).toEqual([]);
    const removed = { ...nothing, changed: ['summary.md'], removed: ['summary.md'] };
    expect(findUnbackedClaims('I wrote summary.md.', removed)).toEqual(gone);
    const moved = { ...removed, changed: ['summary.md', 'old/notes.md'] };
    expect(findUnbackedClaims('I wrote summary.md and moved it to old/notes.md.', moved)).toEqual([]);
    const outside = [call('shell', { line: 'cp a ~/papers/summary.md' })];
    expect(findUnbackedClaims('I wrote summary.md.', { ...nothing, calls: outside })).toEqual([]);
  });

  it('about a move needs one of its two names', () => {
    expect(findUnbackedClaims('I moved a.txt to b.txt.', { ...nothing, changed: ['b.txt'] })).toEqual([]);
    expect(findUnbackedClaims('I moved a.txt to b.txt.', nothing)).toHaveLength(1);
  });
});

describe('A3 a claim about a message or a host', () => {
  it('is backed by a call that left the machine and names it', () => {
    const answer = 'I sent the list to bob@example.org.';
    const sent = call('http.post', { to: 'bob@example.org' }, true);
    expect(findUnbackedClaims(answer, { ...nothing, calls: [sent] })).toEqual([]);
    expect(findUnbackedClaims(answer, { ...nothing, calls: [{ ...sent, leavesMachine: false }] })).toHaveLength(1);
    expect(findUnbackedClaims(answer, { ...nothing, calls: [call('http.post', { to: 'eve' }, true)] })).toHaveLength(1);
  });

  it('without a name needs any call that left the machine', () => {
    expect(findUnbackedClaims('I sent the message.', nothing)).toHaveLength(1);
    expect(findUnbackedClaims('I sent the message.', { ...nothing, calls: [call('http.post', {}, true)] })).toEqual([]);
  });

  it('about a page is backed by the host that was asked', () => {
    const answer = 'I fetched https://example.org/a.';
    expect(findUnbackedClaims(answer, { ...nothing, hosts: ['example.org:443'] })).toEqual([]);
    expect(findUnbackedClaims(answer, { ...nothing, hosts: ['example.com:443'] })).toHaveLength(1);
  });
});
