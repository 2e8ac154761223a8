import { describe, expect, it } from 'vitest';
import { mentionedNames, resolveMentions } from '../../../../src/rooms/chat/model/mentions.ts';

describe('the names that a text mentions', () => {
  it.each([
    ['@arya and @gendry, please', ['arya', 'gendry']],
    ['@gendry first, then @arya, then @gendry again', ['gendry', 'arya']],
    ['(@arya) "@gendry" *@oka*,@jon', ['arya', 'gendry', 'oka', 'jon']],
    ["@Arya's turn. Thanks @gendry.", ['arya', 'gendry']],
    ['@night-watch @two_words @all', ['night-watch', 'two_words', 'all']],
    ['@arya\r\n@gendry\n', ['arya', 'gendry']],
  ])('are those of %j', (text, names) => {
    expect(mentionedNames(text)).toEqual(names);
  });

  it.each([
    'write to someone@arya or a.b+c@arya',
    'the package @arya/core, the host @arya.example, the account @arya@example',
    'see https://example.org/@arya',
    '`@arya` is the decorator',
    '> @arya said so',
    '  > quoted: @arya',
    '```\n@arya\n```',
    '~~~ts\n@arya\n```\n@gendry\n~~~',
    '````\n```\n@arya\n```\n````',
    'an open fence\n```\n@arya',
    'escaped \\@arya, é@arya, @1arya, @ arya',
    'mail: <arya@winter.example>',
  ])('are none in %j', (text) => {
    expect(mentionedNames(text)).toEqual([]);
  });

  it('are found behind a fence that is closed', () => {
    expect(mentionedNames('```\n@arya\n```\n@gendry')).toEqual(['gendry']);
  });

  it('take linear time on hostile text', () => {
    const hostile = ['@'.repeat(200_000), '`'.repeat(200_000), '@a-'.repeat(70_000), '> '.repeat(100_000)];
    for (const text of hostile) expect(mentionedNames(text).length).toBeLessThan(2);
  });
});

describe('whom a message asks', () => {
  const context = {
    author: 'user',
    known: ['oka', 'arya', 'gendry'],
    members: ['arya', 'gendry'],
    others: ['user', 'system'],
  };

  it('is each agent once, in the order of mention, and names nobody knows are listed', () => {
    expect(resolveMentions('@gendry @hodor @arya @gendry @user', context)).toEqual({
      agents: ['gendry', 'arya'],
      unknown: ['hodor'],
      refused: [],
      isAll: false,
    });
  });

  it('is every member for @all, but never the author', () => {
    expect(resolveMentions('@all what now?', { ...context, author: 'arya' })).toMatchObject({
      agents: ['gendry'],
      isAll: true,
    });
  });

  it('leaves out whom the author may not mention', () => {
    expect(resolveMentions('@oka @gendry', { ...context, author: 'arya', allowed: ['gendry'] })).toMatchObject({
      agents: ['gendry'],
      refused: ['oka'],
    });
  });
});
