/**
 * A page of another port of this machine, which a browser sends the cookie of the dashboard along to: it can neither look
 * nor change anything, and cannot tell whether somebody is logged in.
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard } from '../../support/dashboard.ts';

const VALUE = 'tulips-of-the-person';
/** What the page does with the address of the dashboard; what it learns is what it returns. */
const TRIES: Readonly<Record<string, string>> = {
  'reads a query': `(await fetch(at + 'api/v1/run?run=garden', { credentials: 'include' })).text()`,
  'reads a query without being let': `fetch(at + 'api/v1/run?run=garden', { credentials: 'include', mode: 'no-cors' }).then((r) => r.text())`,
  'reads a page': `(await fetch(at + 'runs/garden', { credentials: 'include' })).text()`,
  'reads a result': `(await fetch(at + 'files/garden/RESULT.md', { credentials: 'include' })).text()`,
  'reads the stream': `new Promise((d) => { const s = new EventSource(at + 'api/v1/events', { withCredentials: true }); s.onmessage = (m) => d(m.data); setTimeout(() => d(''), 800); })`,
  'gets a ticket': `(await fetch(at + 'api/v1/ticket', { credentials: 'include' })).text()`,
  'reads in a frame': `new Promise((d) => { const f = document.createElement('iframe'); f.src = at + 'runs/garden'; f.onload = () => { try { d(f.contentDocument.body.innerText); } catch { d(''); } }; document.body.append(f); setTimeout(() => d(''), 1500); })`,
  'reads in a window': `new Promise((d) => { const w = window.open(at + 'runs/garden'); setTimeout(() => { try { d(w.document.body.innerText); } catch { d(''); } }, 1500); })`,
  'keeps hold of a window': `new Promise((d) => { const w = window.open(at + 'runs/garden'); setTimeout(() => d(w.closed ? '' : 'open ' + (() => { try { return w.frames.length; } catch { return ''; } })()), 1500); })`,
  'loads a script': `new Promise((d) => { const s = document.createElement('script'); s.src = at + 'api/v1/run?run=garden'; s.onload = () => d('loaded'); s.onerror = () => d(''); document.body.append(s); })`,
  'loads a picture': `new Promise((d) => { const s = new Image(); s.src = at + 'files/garden/picture.svg'; s.onload = () => d('loaded'); s.onerror = () => d(''); })`,
  'loads a style': `new Promise((d) => { const s = document.createElement('link'); s.rel = 'stylesheet'; s.href = at + 'files/garden/RESULT.md'; s.onload = () => d('loaded'); s.onerror = () => d(''); document.body.append(s); })`,
  'loads a frame as an object': `new Promise((d) => { const s = document.createElement('object'); s.data = at + 'files/garden/RESULT.md'; s.onload = () => d('loaded'); s.onerror = () => d(''); document.body.append(s); setTimeout(() => d(''), 800); })`,
  'opens a web socket': `new Promise((d) => { const s = new WebSocket(at.replace('http', 'ws') + 'api/v1/events'); s.onopen = () => d('open'); s.onerror = () => d(''); })`,
  'reads what the other page keeps': `Object.keys(localStorage).concat(Object.keys(sessionStorage)).join()`,
  'reads its databases': `(await indexedDB.databases()).map((each) => each.name).join()`,
  'reads its cache': `(await caches.keys()).join()`,
  'reads the cookie': `document.cookie.includes('oka_') ? document.cookie : ''`,
  'asks its service worker': `(await navigator.serviceWorker.getRegistrations()).map((each) => each.scope).join()`,
  'listens to its channels': `new Promise((d) => { const c = new BroadcastChannel('oka'); c.onmessage = (m) => d(JSON.stringify(m.data)); setTimeout(() => d(''), 500); })`,
  'posts JSON': `fetch(at + 'api/v1/intakes', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body }).then((r) => r.ok ? 'ok' : '')`,
  'posts text': `fetch(at + 'api/v1/intakes', { method: 'POST', credentials: 'include', mode: 'no-cors', body }).then((r) => r.ok ? 'ok' : '')`,
  'posts with a beacon': `(navigator.sendBeacon(at + 'api/v1/intakes', new Blob([body], { type: 'text/plain' })), '')`,
  'posts a form': `new Promise((d) => { const f = document.createElement('form'); f.method = 'post'; f.action = at + 'api/v1/intakes'; f.enctype = 'text/plain'; f.target = 'away'; const i = document.createElement('input'); i.name = body.slice(0, -1) + ',"x":"'; i.value = '"}'; f.append(i); document.body.append(f); f.submit(); setTimeout(() => d(''), 800); })`,
  'posts while a page is left': `fetch(at + 'api/v1/intakes', { method: 'POST', credentials: 'include', keepalive: true, mode: 'no-cors', headers: { 'content-type': 'application/json' }, body }).then(() => '')`,
  'drops a task': `fetch(at + 'api/v1/tasks', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'application/octet-stream' }, body }).then(() => '')`,
  'logs somebody in': `fetch(at + 'api/v1/login', { method: 'POST', credentials: 'include', mode: 'no-cors', body: JSON.stringify({ link: 'A'.repeat(43) }) }).then(() => '')`,
  'logs the person out': `fetch(at + 'api/v1/logout', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'application/json' }, body: '{}' }).then(() => '')`,
};

describe.skipIf(browserProgram === null)('a page of another port of this machine', { timeout: 300_000 }, () => {
  let dashboard: Dashboard;
  let near: Server;
  let own: Page;
  let evil: Page;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { story } = dashboard;
    const line = `printf '<svg xmlns="http://www.w3.org/2000/svg"/>' > picture.svg; echo ${VALUE}`;
    story.drop('garden.md', `---\nid: garden\n---\n# Garden\n\n\`\`\`bash\n${line}\n\`\`\`\n`);
    await story.ended('garden');
    own = await dashboard.open('runs/garden');
    near = createServer((_, answer) => void answer.setHeader('content-type', 'text/html').end('<body>near')).listen(
      0,
      '127.0.0.1',
    );
    await once(near, 'listening');
    evil = await own.context().newPage();
    const { hostname } = new URL(dashboard.address);
    await evil.goto(`http://${hostname}:${(near.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    near.closeAllConnections();
    near.close();
    await dashboard.close();
  });

  /** What a page learns, and whether somebody has changed anything. */
  async function effectOf(page: Page, code: string): Promise<{ learned: string; changed: boolean }> {
    const files = (): string =>
      ['.oka/intake', 'workspace/inbox', '.oka/web/sessions']
        .flatMap((folder) =>
          readdirSync(join(dashboard.story.home.dir, folder)).filter((name) => !name.startsWith('.')),
        )
        .join();
    const before = files();
    const given = JSON.stringify({ at: dashboard.address, body: JSON.stringify({ kind: 'cancel', run: 'garden' }) });
    const learned = await page.evaluate<string>(
      `(async () => { const { at, body } = ${given}; try { return await (async () => ${code.startsWith('(await') ? `await ${code}` : code})(); } catch { return ''; } })()`,
    );
    await page.evaluate('new Promise((done) => setTimeout(done, 300))');
    return { learned, changed: files() !== before };
  }

  it('of the dashboard itself can do all of this', async () => {
    expect((await effectOf(own, TRIES['reads a page'] ?? '')).learned).toContain('<html');
    expect((await effectOf(own, TRIES['reads what the other page keeps'] ?? '')).learned).not.toBe('');
  });

  it.each(Object.entries(TRIES))('%s: in vain', async (_, code) => {
    const { learned, changed } = await effectOf(evil, code);
    expect(changed).toBe(false);
    expect(learned.replace(/^open ?$/, '')).toBe('');
  });

  it('leaves the person logged in', async () => {
    await own.reload();
    await own.getByText(VALUE).first().waitFor({ state: 'attached' });
  });
});
