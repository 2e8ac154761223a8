/**
 * A real mail server on this machine: Dovecot (IMAP) and an SMTP server. Mail to a mailbox here is delivered as a server
 * of the operator would deliver it; mail to anybody else is only collected.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { freePort, isListening } from './free-port.ts';
import { openssl } from './openssl.ts';

export const hasDovecot =
  ['/usr/sbin/dovecot', '/usr/bin/dovecot', '/usr/local/sbin/dovecot'].find((path) => existsSync(path)) ?? null;

export type SentMail = { to: string[]; raw: string; mail: Email };

export type MailServers = AsyncDisposable & {
  imapPort: number;
  imapsPort: number;
  smtpPort: number;
  /** The fingerprint of the certificate of all of them. */
  fingerprint: string;
  password: string;
  /** What was handed to the SMTP server, in order. It takes nothing for addresses at refused.test. */
  sent: SentMail[];
  /** Puts a mail into the mailbox, as it is; `folder` is one of Sent, Drafts, Archive, Junk and Trash. */
  deliver: (raw: string | Uint8Array, folder?: string) => void;
  /** The mails in the mailbox, or in a folder, with their flags as Maildir writes them (`S`: seen); empty for unread ones. */
  mails: (folder?: string) => { raw: string; flags: string }[];
  /** Gives all mails new numbers, and the mailbox another UIDVALIDITY. */
  renumber: () => void;
  /** Nothing in it can be read or changed any more. */
  closeFolder: (folder: string) => void;
  /** While true, the SMTP server refuses connections. */
  setDown: (isDown: boolean) => Promise<void>;
};

/** `own` are the addresses whose mail lands in the mailbox, without what stands behind a `+`. */
export async function openMailServers({
  own,
  onMail,
}: {
  own: readonly string[];
  onMail?: (raw: string) => string;
}): Promise<MailServers> {
  if (hasDovecot === null) throw new Error('there is no Dovecot: apt-get install dovecot-imapd');
  const dir = mkdtempSync(join(tmpdir(), 'oka-mail-'));
  chmodSync(dir, 0o755);
  openssl(dir, 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=mail.test -keyout key.pem -out cert.pem');
  const [imapPort, imapsPort] = await Promise.all([freePort(), freePort()]);
  const owner = process.getuid?.() === 0 ? nobody() : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const box = join(dir, 'box');
  for (const folder of ['', ...FOLDERS.map((name) => `.${name}`)])
    for (const part of ['', 'cur', 'new', 'tmp']) makeFolder(join(box, folder, part), owner);
  writeFileSync(join(dir, 'dovecot.conf'), dovecotConfig(dir, imapPort, imapsPort, owner));
  const dovecot = spawn(hasDovecot, ['-F', '-c', join(dir, 'dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilListening(imapPort, dovecot, join(dir, 'log'));
  const sent: SentMail[] = [];
  let count = 0;
  const deliver = (raw: string | Uint8Array, folder?: string): void => {
    count += 1;
    const into = folder === undefined ? box : join(box, `.${folder}`);
    const name = `${Date.now()}.${process.pid}_${String(count).padStart(6, '0')}.test`;
    writeFileSync(join(into, 'tmp', name), raw);
    chownSync(join(into, 'tmp', name), owner.uid, owner.gid);
    renameSync(join(into, 'tmp', name), join(into, 'new', name));
  };
  const isOwn = (address: string): boolean => own.includes(address.toLowerCase().replace(/\+[^@]*@/, '@'));
  const openSmtp = async (port: number): Promise<SMTPServer> => {
    const server = new SMTPServer({
      key: readFileSync(join(dir, 'key.pem')),
      cert: readFileSync(join(dir, 'cert.pem')),
      authOptional: true,
      onAuth: ({ username, password }, _, done) =>
        password === PASSWORD ? done(null, { user: username ?? '' }) : done(new Error('wrong password')),
      onRcptTo: ({ address }, _, done) =>
        done(address.endsWith('@refused.test') ? new Error('no such mailbox') : undefined),
      onData: (stream, session, done) => {
        const take = async (bytes: Buffer): Promise<void> => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          sent.push({ to, raw: bytes.toString(), mail: await PostalMime.parse(bytes) });
          if (to.some(isOwn)) deliver(onMail?.(bytes.toString()) ?? bytes);
          done();
        };
        void buffer(stream).then(take, done); // whoever breaks off has sent nothing
      },
    });
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  let smtp = await openSmtp(0);
  const smtpPort = (smtp.server.address() as AddressInfo).port;
  const closeSmtp = (): Promise<void> => new Promise((resolve) => smtp.close(() => resolve()));
  return {
    imapPort,
    imapsPort,
    smtpPort,
    fingerprint: new X509Certificate(readFileSync(join(dir, 'cert.pem'))).fingerprint256,
    password: PASSWORD,
    sent,
    deliver,
    mails: (folder) => mailsIn(folder === undefined ? box : join(box, `.${folder}`)),
    renumber: () => {
      for (const name of readdirSync(box)) if (name.startsWith('dovecot')) rmSync(join(box, name), { recursive: true });
    },
    closeFolder: (folder) => chmodSync(join(box, `.${folder}`), 0),
    setDown: async (isDown) => {
      if (isDown) await closeSmtp();
      else smtp = await openSmtp(smtpPort);
    },
    [Symbol.asyncDispose]: async () => {
      await closeSmtp();
      dovecot.kill();
      if (dovecot.exitCode === null) await once(dovecot, 'exit');
      for (const folder of FOLDERS) chmodSync(join(box, `.${folder}`), 0o700);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const PASSWORD = 'correct-horse-7';
const FOLDERS = ['Sent', 'Drafts', 'Archive', 'Junk', 'Trash'];

function dovecotConfig(dir: string, imapPort: number, imapsPort: number, owner: { uid: number; gid: number }): string {
  const user = spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim();
  const internal =
    user === 'root'
      ? ''
      : `default_internal_user = ${user}\ndefault_internal_group = ${spawnSync('id', ['-gn'], { encoding: 'utf8' }).stdout.trim()}\ndefault_login_user = ${user}\n`;
  return `protocols = imap
listen = 127.0.0.1
base_dir = ${dir}/run
state_dir = ${dir}/state
log_path = ${dir}/log
${internal}ssl = yes
ssl_cert = <${dir}/cert.pem
ssl_key = <${dir}/key.pem
disable_plaintext_auth = no
mail_location = maildir:${dir}/box
first_valid_uid = ${owner.uid}
namespace inbox {
  inbox = yes
${FOLDERS.map((name) => `  mailbox ${name} {\n    special_use = \\${name}\n    auto = subscribe\n  }\n`).join('')}}
mail_max_userip_connections = 100
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${dir}/box
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = ${imapsPort}
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`;
}

function makeFolder(path: string, { uid, gid }: { uid: number; gid: number }): void {
  mkdirSync(path, { recursive: true });
  chownSync(path, uid, gid);
}

function nobody(): { uid: number; gid: number } {
  const idOf = (flag: string): number => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function untilListening(port: number, server: ChildProcess, log: string): Promise<void> {
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    if (server.exitCode !== null) break;
    if (await isListening(port)) return;
    await sleep(50);
  }
  throw new Error(`Dovecot does not run: ${existsSync(log) ? readFileSync(log, 'utf8') : 'it has written no log'}`);
}

/** A mail that the server renames while it is looked for is looked for again. */
function mailsIn(box: string): { raw: string; flags: string }[] {
  for (;;)
    try {
      return ['new', 'cur'].flatMap((folder) =>
        readdirSync(join(box, folder)).map((name) => ({
          raw: readFileSync(join(box, folder, name), 'utf8'),
          flags: name.split(':2,')[1] ?? '',
        })),
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}
