/** curl and wget: fetching a page from a literal address is a read; anything else needs an approval. */
import { fullPath } from '../paths.ts';
import { hasCredentials, hostOf, isMetadata, suspiciousAddress } from '../hosts.ts';
import { read, type Row, type Use } from '../program-row.ts';
import { type Arg, HOLE, literal, toDisplay } from '../shell-state.ts';

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
    '-o': judgeSavedFile,
    '--output': judgeSavedFile,
    '--output-dir': judgeSavedFile,
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
    '-d': judgeData,
    '--data': judgeData,
    '--data-raw': judgeData,
    '--data-binary': judgeData,
    '--data-urlencode': judgeData,
    '--data-ascii': judgeData,
    '--json': data,
    '-F': judgeData,
    '--form': judgeData,
    '--form-string': data,
    '-T': judgeData,
    '--upload-file': judgeData,
    '--url-query': judgeData,
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
    '-H': judgeHeader,
    '--header': judgeHeader,
    '--proxy-header': judgeHeader,
    '-A': judgePlainText,
    '--user-agent': judgePlainText,
    '-e': judgePlainText,
    '--referer': judgePlainText,
    '-X': judgeMethod,
    '--request': judgeMethod,
    '-K': runs,
    '--config': runs,
    '--engine': runs,
    '--unix-socket': ['deny', 'talks to another program on this machine'],
    '--abstract-unix-socket': ['deny', 'talks to another program on this machine'],
    '-x': sends('goes through a proxy'),
    '--proxy': sends('goes through a proxy'),
    '--proxy1.0': sends('goes through a proxy'),
    '--mail-auth': sends('sends mail'),
    '--tlsuser': credentials,
    '--ipfs-gateway': sends('goes through a proxy'),
    '--preproxy': sends('goes through a proxy'),
    '--socks5': sends('goes through a proxy'),
    '--socks5-hostname': sends('goes through a proxy'),
    '--socks4': sends('goes through a proxy'),
    '--socks4a': sends('goes through a proxy'),
    '--resolve': sends('connects to another address than the URL names'),
    '--connect-to': sends('connects to another address than the URL names'),
    '--doh-url': sends('uses its own name server'),
    '--dns-servers': sends('uses its own name server'),
    '-Q': sends('gives commands to a server'),
    '--quote': sends('gives commands to a server'),
    '--mail-from': sends('sends mail'),
    '--mail-rcpt': sends('sends mail'),
    '-t': sends('gives options to a server'),
    '-w': judgeWriteOut,
    '--write-out': judgeWriteOut,
    '--variable': sends('expands variables'),
    '--url': (url, use) => url && judgeAddress(use, url),
    '--request-target': sends('hides what is requested'),
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
    '-O': judgeSavedFile,
    '--output-document': judgeSavedFile,
    '-o': 'writes',
    '--output-file': 'writes',
    '-a': 'writes',
    '--append-output': 'writes',
    '-P': 'writes',
    '--directory-prefix': 'writes',
    '--save-cookies': 'writes',
    '--warc-file': 'writes',
    '--post-data': judgeData,
    '--post-file': judgeSentFile,
    '--body-data': judgeData,
    '--body-file': judgeSentFile,
    '--method': judgeMethod,
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
    '--header': judgeHeader,
    '-U': judgePlainText,
    '--user-agent': judgePlainText,
    '--referer': judgePlainText,
    '-e': runs,
    '--execute': runs,
    '--config': runs,
    '--use-askpass': runs,
    '-i': sends('reads addresses from a file'),
    '--input-file': sends('reads addresses from a file'),
    '--ask-password': credentials,
  },
  judge: (use) => {
    const silent = use.has('-O', '--output-document', '--spider');
    for (const url of use.operands)
      judgeAddress(use, /^[a-z]+:/i.test(url.text) ? url : { ...url, text: `http://${url.text}` });
    if (!silent)
      for (const url of use.operands)
        judgeSavedFile(
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
    judgeAddress(
      use,
      /^[a-z][\w+.-]*:/i.test(url.text) || url.text.startsWith(HOLE) ? url : { ...url, text: `http://${url.text}` },
    );
}

/** Judges one address: a literal one without credentials or local data is only read. */
export function judgeAddress(use: Use, url: Arg): void {
  use.contacts(url);
  const { text } = url;
  if (url.hidden) use.raise('deny', 'its destination is hidden');
  if (text.includes(HOLE)) use.raise('external_mutation', `the address ${toDisplay(text)} is not known before it runs`);
  if (/^file:/i.test(text)) return use.reads(literal(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')));
  if (/^(?:gopher|dict|telnet|ldaps?|smb|smbs|tftp|imaps?|pop3s?|rtsp|mqtt):/i.test(text))
    return use.raise('deny', `${toDisplay(text)} uses a protocol other than HTTP`);
  if (/^(?:ftps?|scp|sftp|smtps?):/i.test(text)) use.raise('external_mutation', `${toDisplay(text)} is not a page`);
  if (hasCredentials(text)) use.raise('external_mutation', 'the address carries credentials');
  const odd = suspiciousAddress(text);
  if (odd !== null) use.raise('external_mutation', `${toDisplay(text)} ${odd}`);
  if (isMetadata(hostOf(text) ?? '')) use.raise('deny', 'that address hands out the credentials of this machine');
}

/** Remembers a downloaded file, so that it is not run without review. */
function judgeSavedFile(to: Arg | null, use: Use): void {
  if (to === null || to.text === '-') return;
  use.writes(to);
  const full = fullPath(use.state, to.text);
  if (full !== null) use.state.written.set(full, null);
}

/** With -G, literal data only becomes part of the address. */
function judgeData(value: Arg | null, use: Use): void {
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

function judgeSentFile(value: Arg | null, use: Use): void {
  if (value) use.reads(value);
  use.raise('external_mutation', `${use.name} sends a file`);
}

export function judgeHeader(value: Arg | null, use: Use): void {
  const text = value?.text ?? '';
  if (text.startsWith('@')) judgeSentFile({ ...literal(text.slice(1)) }, use);
  if (
    /^\s*(?:(?:proxy-)?authorization|cookie|x-[\w-]*(?:key|token|auth|secret)[\w-]*|[\w-]*(?:api-?key|token)|private-token|x-http-method-override)\s*:/i.test(
      text,
    )
  )
    use.raise('external_mutation', 'a header carries credentials');
  if (text.includes(HOLE) || value?.hidden) use.raise('external_mutation', 'a header is not known before it runs');
}

function judgePlainText(value: Arg | null, use: Use): void {
  if (value?.text.includes(HOLE)) use.raise('external_mutation', 'local data would be sent along');
}

export function judgeMethod(value: Arg | null, use: Use): void {
  if (!/^(?:GET|HEAD|OPTIONS)$/i.test(value?.text ?? ''))
    use.raise('external_mutation', `${use.name} would do more than fetch: ${toDisplay(value?.text ?? '')}`);
}

function judgeWriteOut(value: Arg | null, use: Use): void {
  if (/^@|output\{/.test(value?.text ?? '')) use.raise('deny', 'curl -w would read or write a file');
}

function words(text: string): string[] {
  return text.split(/\s+/);
}
