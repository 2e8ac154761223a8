import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../../src/kit/settings.ts';
import { makePairingCode, takePairingCode } from '../../../../src/rooms/channels/messenger/pairing-code.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { mkdirSync } from 'node:fs';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

function withHome(test: (home: ReturnType<typeof homeAt>) => void): void {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  mkdirSync(join(home.oka, 'state'), { recursive: true });
  test(home);
}

describe('the code that pairs a person with a messenger', () => {
  it('counts once, for its channel, within ten minutes, however it is written', () =>
    withHome((home) => {
      const { code } = makePairingCode(home, 'phone', NOW);
      expect(takePairingCode(home, 'other', code, NOW)).toBe(false);
      expect(takePairingCode(home, 'phone', ` ${code.toUpperCase().replace('-', ' ')} `, NOW + 9 * MINUTE)).toBe(true);
      expect(takePairingCode(home, 'phone', code, NOW)).toBe(false);
    }));

  it.each([
    ['too late', NOW + 11 * MINUTE],
    ['made in the future, by a clock that was set back since', NOW - MINUTE],
  ])('is gone %s', (_when, at) =>
    withHome((home) => {
      const { code } = makePairingCode(home, 'phone', NOW);
      expect(takePairingCode(home, 'phone', code, at)).toBe(false);
      expect(takePairingCode(home, 'phone', code, NOW)).toBe(false);
    }),
  );

  it('is gone when twenty others were tried, and stands in no file', () =>
    withHome((home) => {
      const { code } = makePairingCode(home, 'phone', NOW);
      const file = join(home.oka, 'state', 'pairing-phone.json');
      expect(readFileSync(file, 'utf8')).not.toContain(code.replace('-', ''));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      for (let tried = 0; tried < 20; tried += 1)
        expect(takePairingCode(home, 'phone', `wrong-${tried}`, NOW)).toBe(false);
      expect(takePairingCode(home, 'phone', code, NOW)).toBe(false);
    }));
});
