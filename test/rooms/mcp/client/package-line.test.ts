import { expect, test } from 'vitest';
import { installWords, parsePackageLine } from '../../../../src/rooms/mcp/client/package-line.ts';

const install = (line: string): string | null => {
  const [command = '', ...args] = line.split(' ');
  const found = parsePackageLine(command, args);
  if (found === null) return null;
  return 'problem' in found
    ? found.problem
    : [installWords(found), found.program ?? '', ...found.args].join(' ').trim();
};

test('a command that would fetch a package names what has to be installed', () => {
  expect(install('npx -y @modelcontextprotocol/server-filesystem /home/me')).toBe(
    'node:@modelcontextprotocol/server-filesystem  /home/me',
  );
  expect(install('npx --yes some-server@1.2.3 --port 1')).toBe('node:some-server@1.2.3  --port 1');
  expect(install('npx -p @x/tools@latest serve a')).toBe('node:@x/tools serve a');
  expect(install('pnpm dlx server')).toBe('node:server');
  expect(install('uvx mcp-server-git --repository /r')).toBe('python:mcp-server-git  --repository /r');
  expect(install('uvx --from mcp-server-time==1.0 time-server')).toBe('python:mcp-server-time==1.0 time-server');
  expect(install('uv tool run mcp-server-git')).toBe('python:mcp-server-git');
  expect(install('node /srv/server.js')).toBeNull();
  expect(install('/usr/bin/npx')).toContain('names no package');
  expect(install('npx github:me/server')).toContain('is not a package of npm');
  expect(install('uvx --with x y')).toContain('--with');
});
