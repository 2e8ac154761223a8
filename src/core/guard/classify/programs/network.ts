/** HTTP clients besides curl and wget, and name lookups. */
import { read, rows, type Table, type Use } from '../program-row.ts';
import { literal } from '../shell-state.ts';
import { credentials, curl, data, judgeAddress, judgeHeader, judgeMethod, sends, wget } from './fetch.ts';

export const network: Table = {
  curl,
  wget,
  ...rows(
    'http https httpie xh',
    read('own', {
      net: true,
      takes: 'aApo',
      rules: {
        '-a': credentials,
        '--auth': credentials,
        '-A': credentials,
        '-o': 'writes',
        '--output': 'writes',
        '-d': ['write_local', 'writes a file'],
        '--download': ['write_local', 'writes a file'],
        '-f': data,
        '--form': data,
        '--raw': data,
        '--session': credentials,
        '--session-read-only': credentials,
        '--proxy': sends('goes through a proxy'),
        '--multipart': data,
      },
      judge: judgeHttpie,
    }),
  ),
  ...rows(
    'dig nslookup host drill whois ping ping6 traceroute tracepath mtr getent resolvectl',
    read('own', { judge: judgeLookup }),
  ),
};

function judgeHttpie(use: Use): void {
  const [first, ...rest] = use.operands;
  const verb = /^[A-Za-z]+$/.test(first?.text ?? '') && first?.text !== 'localhost' ? first : undefined;
  const url = verb ? rest[0] : first;
  const items = verb ? rest.slice(1) : rest;
  if (url)
    judgeAddress(
      use,
      /^[a-z]+:/.test(url.text) ? url : { ...url, text: `http://${url.text.replace(/^:/, 'localhost:')}` },
    );
  if (verb) judgeMethod(verb, use);
  if (items.some(({ text }) => /(?<!=)(?:=|:=|@)(?!=)/.test(text)) || use.stdin.from !== 'nothing')
    use.raise('external_mutation', 'it sends data');
  for (const { text } of items) judgeHeader(literal(text), use);
}

/** Other machines see the name that is looked up, so it must not carry local data. */
function judgeLookup(use: Use): void {
  const local = use.name === 'getent' && !/hosts|ahosts/.test(use.operands[0]?.text ?? '');
  if (use.args.some(({ text }) => /^g?shadow$/.test(text)) && use.name === 'getent')
    use.raise('deny', 'getent would show passwords');
  if (local) return;
  if (use.stdin.from !== 'nothing' && use.name === 'nslookup')
    use.raise('deny', 'nslookup would look up names from its standard input');
  if (use.operands.some(({ text }) => text.split('.').some((label) => label.length > 30)))
    use.raise('deny', `${use.name} may leak data through a name lookup`);
  if (use.args.some(({ open, hidden }) => open || hidden))
    use.raise('deny', `${use.name} would leak local data through a name lookup`);
  if (use.has('-f') && use.name.startsWith('ping')) use.raise('deny', 'ping -f floods a machine');
  if (use.has('-f') && use.name === 'dig') use.raise('external_mutation', 'dig -f reads names from a file');
  if (use.has('-p') && use.name.startsWith('ping')) use.raise('deny', 'ping -p sends data');
  for (const target of use.operands)
    if (/[.:]|^localhost$/.test(target.text) && !target.text.startsWith('@')) use.contacts(target);
  use.state.tally.net = true;
}
