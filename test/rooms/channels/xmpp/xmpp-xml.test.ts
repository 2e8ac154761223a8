/** Streams of XMPP in pieces of any size, what is refused, and what is written. */
import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Element, StreamReader, innerText, write } from '../../../../src/rooms/channels/xmpp/xmpp-xml.ts';

function read(...pieces: string[]): { elements: Element[]; isOver: boolean } {
  const elements: Element[] = [];
  let isOver = false;
  const reader = new StreamReader({ element: (each) => elements.push(each), end: () => (isOver = true) });
  for (const piece of pieces) reader.write(piece);
  return { elements, isOver };
}

const HEAD = "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='urn:streams' id='1>2'>";

describe('the XML of XMPP', () => {
  it('is the same however it is cut, with its namespaces', () => {
    const all = `${HEAD}<stream:features/><message id='a&amp;&#x41;'><body>1 &lt; 2<![CDATA[<b>]]></body>\n</message> </stream:stream>`;
    const whole = read(all);
    expect(whole.elements.map(({ name, ns }) => [name, ns])).toEqual([
      ['features', 'urn:streams'],
      ['message', 'jabber:client'],
    ]);
    expect(whole.elements[1]?.attrs['id']).toBe('a&A');
    expect(innerText(whole.elements[1]?.children[0] as Element)).toBe('1 < 2<b>');
    expect(whole.isOver).toBe(true);
    expect(read(...all.split(''))).toEqual(whole);
  });

  it('refuses what XMPP forbids', () => {
    for (const bad of [
      '<!DOCTYPE a [<!ENTITY b "c">]>',
      '<!-- hidden -->',
      '<?php x?>',
      '<a>&b;</a>',
      '<a>&constructor;</a>',
      '<a></b>',
      '<a>'.repeat(70),
      `<a b='${'x'.repeat(1024 * 1024)}`,
    ])
      expect(() => read(HEAD, bad), bad.slice(0, 20)).toThrow('the server');
  });

  it('writes nothing that is not read as it was, but for characters that XML cannot contain', () => {
    assert(
      property(string({ unit: 'binary' }), string({ unit: 'grapheme' }), (text, name) => {
        const [message] = read(HEAD, write(['message', { to: name }, ['body', {}, text]])).elements;
        const legal = (each: string): string =>
          each.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
        expect(message?.attrs['to']).toBe(legal(name));
        const body = message?.children[0] as Element;
        expect(innerText(body)).toBe(legal(text));
      }),
    );
  });
});
