import { describe, expect, it } from 'vitest';
import { findServer, type ResolveServices } from '../../../src/rooms/accounts/find-servers.ts';

const none = (): Promise<never> => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
const record = (name: string, port: number, priority = 0, weight = 0) => ({ name, port, priority, weight });

describe('the server of a domain', () => {
  it('is what its records name first, and encrypted', async () => {
    const asked: string[] = [];
    const resolve: ResolveServices = (name) => {
      asked.push(name);
      return name === '_imaps._tcp.home.test'
        ? Promise.resolve([
            record('b.home.test', 994, 10),
            record('a.home.test', 993),
            record('c.home.test', 995, 0, -1),
          ])
        : none();
    };
    expect(await findServer('imap', 'home.test', resolve)).toEqual({
      host: 'a.home.test',
      port: 993,
      security: 'tls',
      isForeign: false,
    });
    expect(asked).toEqual(['_imaps._tcp.home.test']);
  });

  it('to send by has records of its own', async () => {
    const resolve: ResolveServices = (name) =>
      name === '_submissions._tcp.home.test' ? Promise.resolve([record('smtp.home.test', 465)]) : none();
    expect(await findServer('smtp', 'home.test', resolve)).toMatchObject({ host: 'smtp.home.test', security: 'tls' });
  });

  it('in another domain is named as such: the password would go there', async () => {
    const resolve: ResolveServices = (name) =>
      name.startsWith('_imap._tcp') ? Promise.resolve([record('imap.nothome.test', 143)]) : none();
    expect(await findServer('imap', 'home.test', resolve)).toMatchObject({ security: 'starttls', isForeign: true });
  });

  it('is none where none is published, also where that is said by a dot', async () => {
    expect(await findServer('imap', 'home.test', none)).toBeNull();
    expect(await findServer('imap', 'home.test', () => Promise.resolve([record('', 0)]))).toBeNull();
    const refused = (): Promise<never> => Promise.reject(new Error('connection refused'));
    expect(await findServer('imap', 'home.test', refused)).toContain('the DNS could not be asked');
  });
});
