/** What every source of secrets has to do, whatever it is; a further one calls this with a stand of its own. */
import { expect, it } from 'vitest';
import { OkaError } from '../../src/core/schema/errors.ts';
import type { CredentialProvider } from '../../src/core/schema/ports.ts';

/** A source that has a secret TOKEN for the tool shell and the host api.example.org. */
export type CredentialStand = {
  provider: Pick<CredentialProvider, 'find'>;
  /** Gives TOKEN a value, at the source; what the provider may remember of an earlier one is outdated. */
  set: (value: string) => Promise<unknown> | void;
  /** Makes the source unreadable. */
  damage: () => void;
};

export function credentialContract(open: () => Promise<CredentialStand> | CredentialStand): void {
  it('a secret has its value, its rules and a fingerprint that does not reveal it', async () => {
    const { provider, set } = await open();
    await set('blue-harbour-93x');
    const found = await provider.find('TOKEN');
    expect(found).toMatchObject({ value: 'blue-harbour-93x', tools: ['shell'], hosts: ['api.example.org'] });
    expect(found?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
  });

  it('null is the answer for a name that it does not have, also for one that every object has', async () => {
    const { provider, set } = await open();
    await set('blue-harbour-93x');
    expect(await provider.find('OTHER')).toBeNull();
    expect(await provider.find('constructor')).toBeNull();
  });

  it('the value is the current one, and so is its fingerprint', async () => {
    const { provider, set } = await open();
    await set('blue-harbour-93x');
    const [first, same] = [await provider.find('TOKEN'), await provider.find('TOKEN')];
    expect(same?.fingerprint).toBe(first?.fingerprint);
    await set('green-valley-17y');
    const second = await provider.find('TOKEN');
    expect(second?.value).toBe('green-valley-17y');
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
  });

  it('requests at the same time all get it', async () => {
    const { provider, set } = await open();
    await set('blue-harbour-93x');
    const found = await Promise.all(Array.from({ length: 5 }, () => provider.find('TOKEN')));
    expect(found.map((each) => each?.value)).toEqual(Array(5).fill('blue-harbour-93x'));
  });

  it('a value that redaction would find everywhere is refused and not quoted', async () => {
    const { provider, set } = await open();
    const refused = await (async () => (await set('zq7'), provider.find('TOKEN')))().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OkaError);
    expect(refused).toMatchObject({ message: expect.stringContaining('fewer than'), fix: expect.any(String) });
    expect(String((refused as Error).stack)).not.toContain('zq7');
  });

  it('a source that cannot be read is an error with a fix, not a secret that is missing', async () => {
    const { provider, set, damage } = await open();
    await set('blue-harbour-93x');
    damage();
    const failed = await provider.find('TOKEN').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OkaError);
    expect((failed as OkaError).fix).toBeTypeOf('string');
    expect(JSON.stringify([(failed as Error).message, (failed as OkaError).fix])).not.toContain('blue-harbour');
  });
}
