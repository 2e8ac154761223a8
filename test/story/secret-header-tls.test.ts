/** A secret that the egress proxy adds to requests over TLS, which it reads with an authority of its own. */
import { writeFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/kit/egress/certificates.ts';
import { temporaryFolder } from '../support/cli.ts';
import { canJail, whyNot } from '../support/launcher.ts';
import { curl, HEADER, listening, sendWith, VALUE } from '../support/secret-sender.ts';

describe.skipIf(!canJail || !curl)(`a secret with a header${whyNot}`, () => {
  it('reaches a server behind TLS, too, whose certificate is verified', async () => {
    const authority = createAuthority();
    using folder = temporaryFolder();
    const ca = join(folder.dir, 'ca.pem');
    writeFileSync(ca, authority.certificate(Date.now()));
    using server = await listening((on) => createSecureServer(authority.issue('localhost', Date.now()), on));
    const host = `localhost:${server.port}`;
    const untrusted = await sendWith(`https://${host}/`, host, HEADER);
    expect(untrusted.code).not.toBe(0);
    expect(server.received).toEqual([]);
    const ran = await sendWith(`https://${host}/`, host, HEADER, { NODE_EXTRA_CA_CERTS: ca });
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(server.received.map(({ header }) => header)).toEqual([`Bearer ${VALUE}`]);
    expect(server.received[0]?.body).not.toContain(VALUE);
  });
});
