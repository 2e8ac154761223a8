/** curl and wget: fetching a page by a literal address is reading; all else is asked about. */
import { fullPath } from '../paths.ts';
import { hasCredentials, hostOf, isMetadata, oddAddress } from '../hosts.ts';
import { read, type Row, type Use } from '../row.ts';
import { type Arg, HOLE, literal, shown } from '../scene.ts';

export const sends = (why: string): readonly ['external_mutation', string] => ['external_mutation', why];

export const data = sends('sends data');

export const credentials = sends('shows credentials');

const runs: readonly ['deny', string] = ['deny', 'runs a program or loads options from a file'];

export const curl: Row = read('own', {
  net: true,
  takes: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz',
  longs: words(
    `--output --output-dir --header --user-agent --referer --request --url --max-time --connect-timeout --retry
    --retry-delay --retry-max-time --range --data --data-raw --data-binary --data-urlencode --data-ascii --json
    --form --form-string --upload-file --user --cookie --cookie-jar --config --proxy --cacert --cert --key
    --dump-header --write-out --interface --resolve --connect-to --unix-socket --abstract-unix-socket
    --limit-rate --max-filesize --trace --trace-ascii --stderr --netrc-file --proto --proto-redir --dns-servers
    --doh-url --oauth2-bearer --quote --aws-sigv4 --variable --expand-url --url-query --max-redirs --speed-time
    --speed-limit --ciphers --etag-save --etag-compare --hsts --alt-svc --libcurl --engine --capath --crlfile
    --preproxy --proxy1.0 --mail-auth --tlsuser --ipfs-gateway --socks5 --socks5-hostname --socks4 --socks4a --request-target --mail-from --mail-rcpt
    --telnet-option --time-cond --create-file-mode --login-options --proxy-user --proxy-header --pass --noproxy`,
  ),
  rules: {
    '-o': saves,
    '--output': saves,
    '--output-dir': saves,
    '-O': ['write_local', 'writes a file'],
    '--remote-name': ['write_local', 'writes a file'],
    '--remote-name-all': ['write_local', 'writes files'],
    '-D': 'writes',
    '--dump-header': 'writes',
    '-c': 'writes',
    '--cookie-jar': 'writes',
    '--trace': 'writes',
    '--trace-ascii': 'writes',
    '--stderr': 'writes',
    '--etag-save': 'writes',
    '--hsts': 'writes',
    '--alt-svc': 'writes',
    '--libcurl': 'writes',
    '--etag-compare': 'reads',
    '-d': posts,
    '--data': posts,
    '--data-raw': posts,
    '--data-binary': posts,
    '--data-urlencode': posts,
    '--data-ascii': posts,
    '--json': data,
    '-F': posts,
    '--form': posts,
    '--form-string': data,
    '-T': posts,
    '--upload-file': posts,
    '--url-query': posts,
    '-u': credentials,
    '--user': credentials,
    '--proxy-user': credentials,
    '-U': credentials,
    '-n': ['deny', 'uses stored passwords'],
    '--netrc': ['deny', 'uses stored passwords'],
    '--netrc-file': ['deny', 'uses stored passwords'],
    '--netrc-optional': ['deny', 'uses stored passwords'],
    '-E': credentials,
    '--cert': credentials,
    '--key': credentials,
    '--oauth2-bearer': credentials,
    '--aws-sigv4': credentials,
    '--negotiate': credentials,
    '--ntlm': credentials,
    '--delegation': credentials,
    '-b': credentials,
    '--cookie': credentials,
    '-H': header,
    '--header': header,
    '--proxy-header': header,
    '-A': plainText,
    '--user-agent': plainText,
    '-e': plainText,
    '--referer': plainText,
    '-X': method,
    '--request': method,
    '-K': runs,
    '--config': runs,
    '--engine': runs,
    '--unix-socket': ['deny', 'talks to another program of this machine'],
    '--abstract-unix-socket': ['deny', 'talks to another program of this machine'],
    '-x': sends('goes by way of another machine'),
    '--proxy': sends('goes by way of another machine'),
    '--proxy1.0': sends('goes by way of another machine'),
    '--mail-auth': sends('sends mail'),
    '--tlsuser': credentials,
    '--ipfs-gateway': sends('goes by way of another machine'),
    '--preproxy': sends('goes by way of another machine'),
    '--socks5': sends('goes by way of another machine'),
    '--socks5-hostname': sends('goes by way of another machine'),
    '--socks4': sends('goes by way of another machine'),
    '--socks4a': sends('goes by way of another machine'),
    '--resolve': sends('goes to an address of its own'),
    '--connect-to': sends('goes to an address of its own'),
    '--doh-url': sends('asks a name server of its own'),
    '--dns-servers': sends('asks a name server of its own'),
    '-Q': sends('gives commands to a server'),
    '--quote': sends('gives commands to a server'),
    '--mail-from': sends('sends mail'),
    '--mail-rcpt': sends('sends mail'),
    '-t': sends('gives options to a server'),
    '-w': writeOut,
    '--write-out': writeOut,
    '--variable': sends('fills in variables'),
    '--url': (url, use) => url && fetches(use, url),
    '--request-target': sends('hides what is asked for'),
  },
  judge: judgeCurl,
});

export const wget: Row = read('own', {
  net: true,
  takes: 'oaiOPUeBtTQwADIXlR',
  longs: words(
    `--output-document --output-file --directory-prefix --header --user-agent --post-data --post-file --method
    --body-data --body-file --user --password --load-cookies --save-cookies --execute --config --input-file
    --tries --timeout --wait --limit-rate --referer --accept --reject --domains --level --warc-file
    --append-output --certificate --private-key --hsts-file --rejected-log --use-askpass --proxy-user --proxy-password`,
  ),
  rules: {
    '-O': saves,
    '--output-document': saves,
    '-o': 'writes',
    '--output-file': 'writes',
    '-a': 'writes',
    '--append-output': 'writes',
    '-P': 'writes',
    '--directory-prefix': 'writes',
    '--save-cookies': 'writes',
    '--warc-file': 'writes',
    '--post-data': posts,
    '--post-file': file,
    '--body-data': posts,
    '--body-file': file,
    '--method': method,
    '--user': credentials,
    '--password': credentials,
    '--http-user': credentials,
    '--http-password': credentials,
    '--proxy-user': credentials,
    '--load-cookies': credentials,
    '--certificate': credentials,
    '--private-key': credentials,
    '--hsts-file': 'writes',
    '--rejected-log': 'writes',
    '--ftp-user': credentials,
    '--ftp-password': credentials,
    '--header': header,
    '-U': plainText,
    '--user-agent': plainText,
    '--referer': plainText,
    '-e': runs,
    '--execute': runs,
    '--config': runs,
    '--use-askpass': runs,
    '-i': sends('takes addresses from a file'),
    '--input-file': sends('takes addresses from a file'),
    '--ask-password': credentials,
  },
  judge: (use) => {
    const silent = use.has('-O', '--output-document', '--spider');
    for (const url of use.operands)
      fetches(use, /^[a-z]+:/i.test(url.text) ? url : { ...url, text: `http://${url.text}` });
    if (!silent)
      for (const url of use.operands)
        saves(
          {
            ...url,
            text:
              url.text
                .replace(/[?#].*/, '')
                .split('/')
                .at(-1) || 'index.html',
          },
          use,
        );
  },
});

function judgeCurl(use: Use): void {
  for (const url of use.operands)
    fetches(
      use,
      /^[a-z][\w+.-]*:/i.test(url.text) || url.text.startsWith(HOLE) ? url : { ...url, text: `http://${url.text}` },
    );
}

/** One address. Literal, without credentials or local data, it is only read. */
export function fetches(use: Use, url: Arg): void {
  use.contacts(url);
  const { text } = url;
  if (url.hidden) use.raise('deny', 'nobody can see where it would go');
  if (text.includes(HOLE)) use.raise('external_mutation', `the address ${shown(text)} is only known when it runs`);
  if (/^file:/i.test(text)) return use.reads(literal(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')));
  if (/^(?:gopher|dict|telnet|ldaps?|smb|smbs|tftp|imaps?|pop3s?|rtsp|mqtt):/i.test(text))
    return use.raise('deny', `${shown(text)} speaks to a service that pages are not fetched from`);
  if (/^(?:ftps?|scp|sftp|smtps?):/i.test(text)) use.raise('external_mutation', `${shown(text)} is not a page`);
  if (hasCredentials(text)) use.raise('external_mutation', 'the address carries credentials');
  const odd = oddAddress(text);
  if (odd !== null) use.raise('external_mutation', `${shown(text)} ${odd}`);
  if (isMetadata(hostOf(text) ?? '')) use.raise('deny', 'there this machine would hand out its credentials');
}

/** What is fetched into a file is remembered, so that it is not run unseen. */
function saves(to: Arg | null, use: Use): void {
  if (to === null || to.text === '-') return;
  use.writes(to);
  const full = fullPath(use.scene, to.text);
  if (full !== null) use.scene.written.set(full, null);
}

/** With -G literal data only becomes part of the address. */
function posts(value: Arg | null, use: Use): void {
  if (value === null) return use.raise('external_mutation', `${use.name} sends data`);
  const from =
    /^(?:[\w.-]*=?)?[@<](.+)$/s.exec(value.text)?.[1] ??
    (use.options.some(({ name, value: own }) => own === value && /^-T$|upload/.test(name)) ? value.text : undefined);
  if (from !== undefined && from !== '-') use.reads({ ...value, text: from.replace(/;.*/, '') });
  const query =
    use.has('-G', '--get') || use.options.some(({ name, value: own }) => own === value && name === '--url-query');
  if (!query || from !== undefined || value.text.includes(HOLE))
    use.raise('external_mutation', `${use.name} sends data`);
}

function file(value: Arg | null, use: Use): void {
  if (value) use.reads(value);
  use.raise('external_mutation', `${use.name} sends a file`);
}

export function header(value: Arg | null, use: Use): void {
  const text = value?.text ?? '';
  if (text.startsWith('@')) file({ ...literal(text.slice(1)) }, use);
  if (
    /^\s*(?:(?:proxy-)?authorization|cookie|x-[\w-]*(?:key|token|auth|secret)[\w-]*|[\w-]*(?:api-?key|token)|private-token|x-http-method-override)\s*:/i.test(
      text,
    )
  )
    use.raise('external_mutation', 'a header carries credentials');
  if (text.includes(HOLE) || value?.hidden) use.raise('external_mutation', 'a header is only known when it runs');
}

function plainText(value: Arg | null, use: Use): void {
  if (value?.text.includes(HOLE)) use.raise('external_mutation', 'something from this machine is sent along');
}

export function method(value: Arg | null, use: Use): void {
  if (!/^(?:GET|HEAD|OPTIONS)$/i.test(value?.text ?? ''))
    use.raise('external_mutation', `${use.name} would do more than fetch: ${shown(value?.text ?? '')}`);
}

function writeOut(value: Arg | null, use: Use): void {
  if (/^@|output\{/.test(value?.text ?? '')) use.raise('deny', 'curl -w would read or write a file');
}

function words(text: string): string[] {
  return text.split(/\s+/);
}
