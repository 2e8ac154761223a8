import { expect, it } from 'vitest';
import { browserName } from '../../../../src/kit/web/login/browser-name.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/156.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/150.0.0.0 Safari/537.36 Edg/150.0`, 'Edge on Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on a Mac'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${WEBKIT} Version/19.0 Safari/604.1`, 'Safari on iPhone'],
  ['curl/8.5.0', 'a browser'],
  [undefined, 'a browser'],
])('%s is named %s', (agent, name) => expect(browserName(agent)).toBe(name));
