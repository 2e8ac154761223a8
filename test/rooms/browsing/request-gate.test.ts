import { describe, expect, it } from 'vitest';
import { type Paused, RequestGate } from '../../../src/rooms/browsing/request-gate.ts';

type Asked = { url: string; method?: string; type?: string; frame?: string; body?: string };
let count = 0;

const paused = ({ url, method = 'GET', type = 'Image', frame = 'tab', body }: Asked): Paused => ({
  requestId: `n${(count += 1)}`,
  frameId: frame,
  resourceType: type,
  request: { url, method, headers: {}, ...(body === undefined ? {} : { postData: body, hasPostData: true }) },
});

/** A gate, and what the browser was told. */
function openGate(): { gate: RequestGate; went: string[]; refused: string[]; reached: string[]; navigated: string[] } {
  const [went, refused, reached, navigated]: string[][] = [[], [], [], []] as never;
  const gate = new RequestGate({
    go: (id) => Promise.resolve(went?.push(id)),
    refuse: (id) => Promise.resolve(refused?.push(id)),
    navigate: (_, url) => Promise.resolve(navigated?.push(url)),
    open: ({ host }) => void reached?.push(host),
    isTab: (frame) => frame === 'tab',
  });
  return { gate, went: went ?? [], refused: refused ?? [], reached: reached ?? [], navigated: navigated ?? [] };
}

const heldUrls = (gate: RequestGate): string[] => [...gate.held.values()].map(({ request }) => request.url);

describe('requests of a browser', () => {
  it('G1 reading goes on, and everything else is held', () => {
    const { gate, went, reached } = openGate();
    gate.take(paused({ url: 'https://shop.example/a.png' }));
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT'])
      gate.take(paused({ url: `https://shop.example/${method}`, method, type: 'Fetch' }));
    expect(went).toHaveLength(1);
    expect(heldUrls(gate)).toHaveLength(5);
    expect(reached).toEqual(['shop.example']);
  });

  it('G1 a GET with a body is not reading', () => {
    const { gate, went } = openGate();
    gate.take(paused({ url: 'https://shop.example/', type: 'Fetch', body: 'secret' }));
    expect(went).toEqual([]);
  });

  it('G2 what was entered holds everything, until it was sent to the site where it was entered', async () => {
    const { gate, went } = openGate();
    gate.enter('shop.example', 'tea for two');
    gate.take(paused({ url: 'https://elsewhere.example/a.png?tea' }));
    gate.take(paused({ url: 'https://shop.example/search?q=tea+for+two', type: 'Fetch' }));
    expect(went).toEqual([]);
    const [, search] = [...gate.held.values()];
    if (search !== undefined) await gate.send(search);
    expect(went).toHaveLength(2);
    expect(gate.held.size).toBe(0);
  });

  it('G2 a request without all of it, or to another site, opens nothing', async () => {
    const { gate } = openGate();
    gate.enter('shop.example', 'tea');
    gate.enter('shop.example', 'my address');
    gate.take(paused({ url: 'https://shop.example/cart?q=tea', type: 'Fetch' }));
    gate.take(paused({ url: 'https://elsewhere.example/?q=tea&a=my+address', type: 'Fetch' }));
    for (const each of gate.held.values()) await gate.send(each);
    gate.take(paused({ url: 'https://elsewhere.example/a.png' }));
    expect(heldUrls(gate)).toEqual(['https://elsewhere.example/a.png']);
  });

  it('G2 is not ended by another page, and only by whole words', async () => {
    const { gate } = openGate();
    gate.enter('shop.example', '2');
    gate.enter('shop.example', 'Germany', 'DE');
    gate.dropAll();
    gate.take(paused({ url: 'https://shop.example/a2?n=22&c=DE', type: 'Fetch' }));
    for (const each of gate.held.values()) await gate.send(each);
    expect(gate.isEntered).toBe(true);
    gate.take(paused({ url: 'https://shop.example/cart', method: 'POST', type: 'Fetch', body: '{"n":2}' }));
    for (const each of gate.held.values()) await gate.send(each);
    expect(gate.isEntered).toBe(false);
  });

  it('G3 a tab goes to another host only after a decision, a frame is what a page loads', async () => {
    const { gate, went, refused, navigated } = openGate();
    gate.openHost('shop.example');
    gate.take(paused({ url: 'https://shop.example/', type: 'Document' }));
    gate.take(paused({ url: 'https://frame.example/', type: 'Document', frame: 'inside' }));
    expect(went).toHaveLength(2);
    gate.take(paused({ url: 'https://other.example/', type: 'Document' }));
    expect([went.length, refused.length, gate.isLeaving]).toEqual([2, 1, true]);
    const [leaving] = gate.takeLeaving();
    if (leaving !== undefined) await gate.follow(leaving);
    expect(navigated).toEqual(['https://other.example/']);
    gate.take(paused({ url: 'https://other.example/', type: 'Document' }));
    expect(went).toHaveLength(3);
  });

  it('G4 what is neither http nor https is refused', () => {
    const { gate, refused } = openGate();
    for (const url of ['file:///etc/passwd', 'ftp://shop.example/', 'chrome://settings', 'nonsense'])
      gate.take(paused({ url, type: 'Document' }));
    expect(refused).toHaveLength(4);
  });

  it('G6 a page that is sent is sent once, as it was held, and its answer is told', async () => {
    const { gate, went, navigated } = openGate();
    gate.take(paused({ url: 'https://shop.example/cart', method: 'POST', type: 'Document', body: 'a=1' }));
    const [held] = gate.held.values();
    if (held === undefined) throw new Error('it was not held');
    const { answer } = await gate.send(held);
    expect(navigated).toEqual(['https://shop.example/cart']);
    const again = paused({ url: 'https://shop.example/cart', type: 'Document' });
    gate.take(again);
    gate.take({ ...again, responseStatusCode: 303 });
    expect(await answer).toEqual({ status: 303 });
    expect(went).toEqual([again.requestId, again.requestId]);
    gate.take(paused({ url: 'https://shop.example/cart', method: 'POST', type: 'Document', body: 'a=1' }));
    expect(heldUrls(gate)).toEqual(['https://shop.example/cart']);
  });
});
