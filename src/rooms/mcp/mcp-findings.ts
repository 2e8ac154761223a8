/** What `oka doctor` reports about MCP servers. Asks none of them. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { serverState } from './accepted-tools.ts';
import { loadServers } from './mcp-file.ts';

export function mcpFindings(home: Home): Finding[] {
  const { servers, problems } = loadServers(home);
  const wrong = problems.map(
    ({ server, problem }): Finding => ({
      state: 'odd',
      what: 'MCP',
      found: server === null ? problem : `the server ${server} cannot be used: ${problem}`,
      fix: 'Correct .oka/rules/mcp.json.',
    }),
  );
  const found = [...servers].flatMap(([name, server]): Finding[] => {
    const now = serverState(home, name, server);
    const fix = `See its tools and decide: oka mcp tools ${name}`;
    if (now.state === 'unusable') return [{ state: 'odd', what: 'MCP', found: `the server ${name}: ${now.why}`, fix }];
    if (now.state === 'waiting')
      return [{ state: 'odd', what: 'MCP', found: `the server ${name} waits for you: ${now.why}`, fix }];
    if (now.changed.length === 0) return [];
    return [
      { state: 'odd', what: 'MCP', found: `${name}: changed since they were accepted: ${now.changed.join(', ')}`, fix },
    ];
  });
  if (servers.size === 0 || wrong.length + found.length > 0) return [...wrong, ...found];
  return [
    {
      state: 'good',
      what: 'MCP',
      found: `${servers.size} server${servers.size === 1 ? '' : 's'}, as you accepted them`,
    },
  ];
}
