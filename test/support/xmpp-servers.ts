/** Real servers of XMPP on this machine, Prosody and ejabberd, and people who have accounts there. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelTools } from '../../src/core/schema/channel-port.ts';
import { XmppChannel } from '../../src/rooms/channels/xmpp/xmpp-settings.ts';
import { openStream, type XmppStream } from '../../src/rooms/channels/xmpp/xmpp-stream.ts';
import { childOf, type Markup, innerText } from '../../src/rooms/channels/xmpp/xmpp-xml.ts';
import { selfSigned } from './openssl.ts';

export const DOMAIN = 'home.test';
export const PASSWORD = 'correct-horse-7';
export const OKA = `oka@${DOMAIN}`;
const ACCOUNTS = ['oka', 'ann', 'bob', 'mallory'];

const libraries = globSync('/usr/lib/*/ejabberd-*/ebin')[0]?.replace(/\/ejabberd-[^/]+\/ebin$/, '');
export type XmppKind = 'prosody' | 'ejabberd';
export const xmppHere: Readonly<Record<XmppKind, boolean>> = {
  prosody: existsSync('/usr/bin/prosody'),
  ejabberd: libraries !== undefined && existsSync('/usr/bin/erl'),
};

export type XmppServer = AsyncDisposable & {
  /** The entry of channels.json. */
  entry: Readonly<Record<string, unknown>>;
  stop: () => Promise<void>;
  start: () => Promise<void>;
  /** Logs in as somebody who has an account. */
  join: (user: string) => Promise<XmppPerson>;
};

export async function openXmppServer(kind: XmppKind): Promise<XmppServer> {
  const dir = mkdtempSync(join(tmpdir(), 'oka-xmpp-'));
  for (const folder of ['data', 'up']) mkdirSync(join(dir, folder));
  selfSigned(dir, 'server', [DOMAIN, `rooms.${DOMAIN}`, `upload.${DOMAIN}`]);
  const [port, filePort] = await Promise.all([freePort(), freePort()]);
  const place = { dir, port, filePort };
  writeFileSync(join(dir, 'all.pem'), ['key', 'crt'].map((end) => readFileSync(join(dir, `server.${end}`))).join('\n'));
  writeFileSync(join(dir, 'prosody.cfg.lua'), prosodyConfig(place));
  writeFileSync(join(dir, 'ejabberd.yml'), ejabberdConfig(place));
  if (kind === 'prosody')
    for (const user of ACCOUNTS)
      spawnSync('prosodyctl', ['--config', join(dir, 'prosody.cfg.lua'), 'register', user, DOMAIN, PASSWORD]);
  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    server = kind === 'prosody' ? startProsody(dir) : startEjabberd(dir);
    await untilListening(port, server, join(dir, 'log'));
  };
  const stop = async (): Promise<void> => {
    server?.kill('SIGKILL');
    if (server !== null && server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  await start();
  const certificate = new X509Certificate(readFileSync(join(dir, 'server.crt'))).fingerprint256;
  const at = { kind: 'xmpp', host: '127.0.0.1', port, certificate, file_hosts: ['127.0.0.1'] };
  const people: XmppPerson[] = [];
  return {
    entry: { ...at, address: OKA, password: 'secret:XMPP' },
    start,
    stop,
    join: async (user) => {
      const settings = XmppChannel.parse({ ...at, address: `${user}@${DOMAIN}`, password: 'secret:XMPP' });
      const person = new XmppPerson(await openStream(settings, tools, { resource: 'phone', signal: never }), user);
      people.push(person);
      return person;
    },
    [Symbol.asyncDispose]: async () => {
      for (const person of people) person.leave();
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const never = new AbortController().signal;
const tools: ChannelTools = {
  name: 'a person',
  reveal: () => Promise.resolve(PASSWORD),
  fetch: () => Promise.reject(new Error('people fetch nothing')),
  proxyFor: () => Promise.resolve(null),
};

export type XmppShown = { id: string; from: string; text: string; edits: number; file: string | null };

export class XmppPerson {
  readonly address: string;
  /** What this person sees, corrections applied. */
  readonly shown: XmppShown[] = [];
  readonly #stream: XmppStream;
  #count = 0;

  constructor(stream: XmppStream, user: string) {
    this.address = `${user}@${DOMAIN}`;
    this.#stream = stream;
    stream.onMessage = (message) => {
      const text = innerText(childOf(message, 'body'));
      if (text === '') return;
      const { id = '', from = '' } = message.attrs;
      const replaced = childOf(message, 'replace')?.attrs['id'];
      const before = this.shown.find((each) => each.id === replaced);
      const link = childOf(message, 'x', 'jabber:x:oob');
      if (before !== undefined) Object.assign(before, { text, edits: before.edits + 1 });
      else
        this.shown.push({
          id,
          from,
          text,
          edits: 0,
          file: link === undefined ? null : innerText(childOf(link, 'url')),
        });
    };
    stream.send(['presence', {}]);
  }

  /** Resolves to the id of the message once the server has it. */
  async write(text: string, more: Markup[] = [], { to = OKA, type = 'chat' } = {}): Promise<string> {
    const id = `m${(this.#count += 1)}-${Math.trunc(Math.random() * 1e9)}`;
    await this.#stream.deliver(['message', { to, type, id }, ['body', {}, text], ...more], never);
    return id;
  }

  answer(message: XmppShown, text: string): Promise<string> {
    return this.write(text, [['reply', { xmlns: 'urn:xmpp:reply:0', to: OKA, id: message.id }]]);
  }

  /** A file at an address, as clients send it after it was uploaded. */
  sendLink(url: string): Promise<string> {
    return this.write(url, [['x', { xmlns: 'jabber:x:oob' }, ['url', {}, url]]]);
  }

  /** As it is, in the stream of this person. */
  send(markup: Markup): void {
    this.#stream.send(markup);
  }

  leave(): void {
    this.#stream.close();
  }
}

type Place = { dir: string; port: number; filePort: number };

function startProsody(dir: string): ChildProcess {
  return spawn('prosody', ['-F', '--config', join(dir, 'prosody.cfg.lua')], { stdio: 'ignore' });
}

function startEjabberd(dir: string): ChildProcess {
  const users = ACCOUNTS.map((user) => `<<"${user}">>`).join(',');
  const register = `[ejabberd_auth:try_register(U, <<"${DOMAIN}">>, <<"${PASSWORD}">>) || U <- [${users}]].`;
  const env = {
    ...process.env,
    HOME: dir,
    ERL_LIBS: libraries,
    EJABBERD_CONFIG_PATH: join(dir, 'ejabberd.yml'),
    EJABBERD_LOG_PATH: join(dir, 'log'),
    ERL_CRASH_DUMP: join(dir, 'dump'),
  };
  const words = ['-noinput', '-mnesia', 'dir', `"${join(dir, 'data')}"`, '-s', 'ejabberd', '-eval', register];
  return spawn('erl', words, { env, cwd: dir, stdio: 'ignore' });
}

const prosodyConfig = ({ dir, port, filePort }: Place): string => {
  const tls = `{ key = "${dir}/server.key", certificate = "${dir}/server.crt" }`;
  return `run_as_root = true
daemonize = false
pidfile = "${dir}/pid"
data_path = "${dir}/data"
certificates = "${dir}"
interfaces = { "127.0.0.1" }
c2s_ports = { ${port} }
s2s_ports = { }
http_ports = { }
https_ports = { ${filePort} }
https_interfaces = { "127.0.0.1" }
https_ssl = ${tls}
ssl = ${tls}
c2s_require_encryption = true
modules_enabled = { "roster", "saslauth", "tls", "disco", "ping", "mam", "offline" }
modules_disabled = { "s2s" }
authentication = "internal_hashed"
default_archive_policy = true
limits = { }
log = { info = "${dir}/log" }
VirtualHost "${DOMAIN}"
Component "rooms.${DOMAIN}" "muc"
  modules_enabled = { "muc_mam" }
  muc_log_by_default = true
Component "upload.${DOMAIN}" "http_file_share"
  http_host = "127.0.0.1"
  http_external_url = "https://127.0.0.1:${filePort}/"
`;
};

const ejabberdConfig = ({ dir, port, filePort }: Place): string => `hosts: [${DOMAIN}]
loglevel: warning
certfiles: ["${dir}/all.pem"]
listen:
  - {port: ${port}, ip: "127.0.0.1", module: ejabberd_c2s, starttls_required: true}
  - {port: ${filePort}, ip: "127.0.0.1", module: ejabberd_http, tls: true, request_handlers: {"/upload": mod_http_upload}}
acl:
  local: {user_regexp: ""}
access_rules:
  local: {allow: local}
modules:
  mod_disco: {}
  mod_ping: {}
  mod_roster: {}
  mod_offline: {}
  mod_mam: {default: never}
  mod_muc: {host: "rooms.${DOMAIN}", access_create: local, default_room_options: {mam: true}}
  mod_http_upload: {host: "upload.${DOMAIN}", docroot: "${dir}/up", put_url: "https://127.0.0.1:${filePort}/upload", access: local}
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port: number, server: ChildProcess, log: string): Promise<void> {
  for (let attempt = 0; attempt < 2400 && server.exitCode === null; attempt += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    const isOpen = await Promise.race([once(socket, 'connect'), once(socket, 'error').then(() => null)]).catch(
      () => null,
    );
    socket.destroy();
    if (isOpen !== null) return;
    await sleep(50);
  }
  throw new Error(`the server does not run: ${existsSync(log) ? readFileSync(log, 'utf8') : 'it has written no log'}`);
}
