/** The environment variables of sandboxed commands: PATH, git and npm settings. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { pathWithin } from '../../core/guard/command-rights.ts';
import type { Home } from '../../core/schema/home.ts';
import { shimFolder } from './tool-links.ts';
import { programFolders } from './sandbox-places.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { certificateFiles, commandEnvironment } from '../settings.ts';

/** PATH without what oka installed: for a read, and for checking which programs the machine itself has. */
export function barePath(home: Home): string {
  const shims = shimFolder(join(home.oka, 'tools'));
  return reachablePath(home)
    .split(':')
    .filter((folder) => folder !== shims)
    .join(':');
}

/** PATH of a sandboxed command. */
export function reachablePath(home: Home): string {
  const { PATH = '' } = commandEnvironment(home);
  const { oka } = home;
  return pathWithin(PATH, { oka, tools: join(oka, 'tools'), programs: programFolders(process.execPath) });
}

/** Without the network, retries are pointless. */
export const OFFLINE: Readonly<Record<string, string>> = { npm_config_fetch_retries: '0' };

/**
 * Package managers with the network run no code of packages or of the desk: neither lifecycle scripts nor hooks that a
 * file on the desk names. Set by environment, which overrules files of the project, and by rc for those that read only that.
 */
export async function withoutScripts(scratch: string, npmrc = ''): Promise<Record<string, string>> {
  const userconfig = join(scratch, 'npmrc');
  await writeFile(userconfig, `${npmrc}ignore-scripts=true\n`, { mode: 0o600 });
  return {
    npm_config_userconfig: userconfig,
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false', // the proxy passes on no request with a body
    npm_config_update_notifier: 'false',
    npm_config_git: 'git',
    pnpm_config_ignore_scripts: 'true',
    pnpm_config_ignore_pnpmfile: 'true',
    YARN_ENABLE_SCRIPTS: 'false',
    YARN_IGNORE_SCRIPTS: 'true',
    YARN_IGNORE_PATH: '1',
    PIP_ONLY_BINARY: ':all:', // a source distribution runs its own code when it is built
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
  };
}

/** Where systems have the authorities that programs trust. */
const BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];
const TRUST_VARIABLES = `
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE PIP_CERT GIT_SSL_CAINFO CARGO_HTTP_CAINFO
  YARN_HTTPS_CA_FILE_PATH npm_config_cafile pnpm_config_cafile`
  .trim()
  .split(/\s+/);

/** Lets the programs of a step trust the proxy's own authority, besides those that they trust anyway. */
export async function trustedAuthorities(
  scratch: string,
  authority: string | null,
  more: readonly string[] = [],
): Promise<Record<string, string>> {
  if (authority === null) return {};
  const known = [...certificateFiles(), ...BUNDLES].filter((path) => lstatIfPresent(path) !== undefined);
  // its certificates are missing, and the call says so
  const texts = await Promise.all(known.map((path) => readFile(path, 'utf8').catch(() => '')));
  const file = join(scratch, 'authorities.pem');
  const all = texts.some((text) => text.includes('BEGIN CERTIFICATE')) ? texts : [...rootCertificates];
  await writeFile(file, [...all, ...more, authority].join('\n'), { mode: 0o600 });
  return Object.fromEntries(TRUST_VARIABLES.map((name) => [name, file]));
}

/** A repository on the desk may name programs for git to run; a read, and a step with a secret, runs none of them. */
export const NEUTRAL_GIT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  ...gitConfig({
    'core.fsmonitor': 'false',
    'core.hooksPath': '/dev/null',
    'core.pager': 'cat',
    'core.sshCommand': 'ssh',
    'credential.helper': '',
    'protocol.ext.allow': 'never',
    'safe.directory': '*',
  }),
};

function gitConfig(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Record<string, string>;
}
