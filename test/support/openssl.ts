/** Certificates for servers on this machine. */
import { spawnSync } from 'node:child_process';

/** Runs in a folder; arguments hold no spaces. */
export function openssl(cwd: string, args: string): void {
  const { error, status, stderr } = spawnSync('openssl', args.split(' '), { cwd, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(stderr);
}

/** `NAME.key` and `NAME.crt` for hosts; the certificate signs itself and is thereby its own authority. */
export function selfSigned(folder: string, name: string, hosts: readonly string[]): void {
  const names = hosts.map((host) => `DNS:${host}`).join(',');
  openssl(
    folder,
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name} ` +
      `-addext subjectAltName=${names} -keyout ${name}.key -out ${name}.crt`,
  );
}
