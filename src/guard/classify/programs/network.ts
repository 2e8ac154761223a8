/** What reaches other machines. Fetching a page by a literal address is reading; all else is asked about. */
import { fullPath } from '../paths.ts';
import { hasCredentials, hostOf, isMetadata } from '../hosts.ts';
import { external, never, read, type Row, rows, type Table, type Use } from '../row.ts';
import { type Arg, HOLE, literal, shown } from '../scene.ts';

const sends = (why: string): readonly ['external_mutation', string] => ['external_mutation', why];
const data = sends('sends data');
const credentials = sends('shows credentials');
const runs: readonly ['deny', string] = ['deny', 'runs a program or loads options from a file'];

const curl: Row = read('own', {
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
    --preproxy --socks5 --socks5-hostname --socks4 --socks4a --request-target --mail-from --mail-rcpt
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

const wget: Row = read('own', {
  net: true,
  takes: 'oaiOPUeBtTQwADIXlR',
  longs: words(
    `--output-document --output-file --directory-prefix --header --user-agent --post-data --post-file --method
    --body-data --body-file --user --password --load-cookies --save-cookies --execute --config --input-file
    --tries --timeout --wait --limit-rate --referer --accept --reject --domains --level --warc-file
    --append-output --use-askpass --proxy-user --proxy-password`,
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
        '--proxy': sends('goes by way of another machine'),
        '--multipart': data,
      },
      judge: judgeHttpie,
    }),
  ),
  ...rows(
    'dig nslookup host drill whois ping ping6 traceroute tracepath mtr getent resolvectl',
    read('own', { judge: judgeLookup }),
  ),
  ...rows('nc ncat netcat socat telnet', external('talks to another machine', { net: true, judge: judgeRaw })),
  ...rows(
    'ssh slogin autossh mosh sshpass',
    external('works on another machine', {
      net: true,
      takes: 'BbcDEeFIiJLlmOopQRSWw',
      rules: sshRules(),
      judge: hosts,
    }),
  ),
  ...rows(
    'scp sftp',
    external('copies to or from another machine', { net: true, takes: 'cDFiJloPSX', rules: sshRules(), judge: hosts }),
  ),
  rsync: read('own', {
    takes: 'efTBM',
    longs: words(
      `--rsh --exclude --include --filter --exclude-from --include-from --files-from --backup-dir --suffix
    --log-file --temp-dir --partial-dir --out-format --rsync-path --bwlimit --password-file --port --chmod
    --chown --info --max-size --min-size --compare-dest --link-dest --copy-dest`,
    ),
    rules: {
      '-e': runs,
      '--rsh': runs,
      '--rsync-path': runs,
      '--daemon': runs,
      '--log-file': 'writes',
      '--backup-dir': 'writes',
      '--temp-dir': 'writes',
      '-T': 'writes',
      '--password-file': credentials,
      '--files-from': 'reads',
      '--early-input': 'reads',
    },
    judge: judgeRsync,
  }),
  ...rows(
    `ftp lftp tftp ncftp ncftpput aria2c axel yt-dlp youtube-dl rclone s3cmd mc restic borg duplicity
    magic-wormhole wormhole croc transfer syncthing`,
    external('copies to or from another machine', {
      net: true,
      judge: (use) => {
        if (use.args.some(({ text }) => /^--(?:exec|on-download|netrc-cmd|password-command)|^!|;\s*!/.test(text)))
          use.raise('deny', 'an option runs a program');
      },
    }),
  ),
  ...rows(
    `mail mailx mutt neomutt sendmail msmtp swaks s-nail ssmtp telegram-send slackcat ntfy notify-send`,
    external('sends a message', { net: true }),
  ),
  ...rows(
    'nmap masscan zmap nikto hping3 arping tcpdump tshark wireshark dumpcap ngrep ettercap',
    external('looks at the network of others', { net: true }),
  ),
  ...rows(
    'ngrok cloudflared localtunnel lt bore chisel frpc tailscale wireguard wg wg-quick openvpn',
    never('opens this machine to others', { net: true }),
  ),
  ...rows(
    `psql mysql mariadb mongo mongosh redis-cli pg_dump pg_restore mysqldump mysqladmin cqlsh clickhouse-client
    sqlcmd sqlplus influx createdb dropdb etcdctl kafka-console-producer amqp-publish mosquitto_pub
    mosquitto_sub`,
    external('works on a database server', { net: true, judge: judgeDatabase }),
  ),
  ...rows(
    `aws gcloud gsutil bq az doctl heroku vercel netlify fly flyctl firebase wrangler linode-cli ibmcloud oci
    eksctl sam serverless sls cdk pulumi terragrunt packer vault consul nomad boundary ansible ansible-playbook
    ansible-galaxy salt chef puppet fab cap stripe twilio op bw lpass supabase railway render convex`,
    external("acts on somebody's account", { net: true }),
  ),
  ...rows('terraform tofu', read('own', { judge: judgeTerraform })),
  ...rows('gh glab hub tea jira linear', external('acts on a forge or tracker', { net: true })),
  ...rows(
    'kubectl oc helm k9s kustomize skaffold argocd flux istioctl minikube kind k3d kubeadm',
    external('acts on a cluster', { net: true }),
  ),
};

function judgeCurl(use: Use): void {
  for (const url of use.operands)
    fetches(
      use,
      /^[a-z][\w+.-]*:/i.test(url.text) || url.text.startsWith(HOLE) ? url : { ...url, text: `http://${url.text}` },
    );
}

/** One address. Literal, without credentials or local data, it is only read. */
function fetches(use: Use, url: Arg): void {
  use.contacts(url);
  const { text } = url;
  if (url.hidden) use.raise('deny', 'nobody can see where it would go');
  if (text.includes(HOLE)) use.raise('external_mutation', `the address ${shown(text)} is only known when it runs`);
  if (/^file:/i.test(text)) return use.reads(literal(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')));
  if (/^(?:gopher|dict|telnet|ldaps?|smb|smbs|tftp|imaps?|pop3s?|rtsp|mqtt):/i.test(text))
    return use.raise('deny', `${shown(text)} speaks to a service that pages are not fetched from`);
  if (/^(?:ftps?|scp|sftp|smtps?):/i.test(text)) use.raise('external_mutation', `${shown(text)} is not a page`);
  if (hasCredentials(text)) use.raise('external_mutation', 'the address carries credentials');
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
    /^(?:[\w.-]*=)?[@<](.+)$/s.exec(value.text)?.[1] ??
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

function header(value: Arg | null, use: Use): void {
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

function method(value: Arg | null, use: Use): void {
  if (!/^(?:GET|HEAD|OPTIONS)$/i.test(value?.text ?? ''))
    use.raise('external_mutation', `${use.name} would do more than fetch: ${shown(value?.text ?? '')}`);
}

function writeOut(value: Arg | null, use: Use): void {
  if (/^@|output\{/.test(value?.text ?? '')) use.raise('deny', 'curl -w would read or write a file');
}

function judgeHttpie(use: Use): void {
  const [first, ...rest] = use.operands;
  const verb = /^[A-Z]+$/.test(first?.text ?? '') ? first : undefined;
  const url = verb ? rest[0] : first;
  const items = verb ? rest.slice(1) : rest;
  if (url)
    fetches(use, /^[a-z]+:/.test(url.text) ? url : { ...url, text: `http://${url.text.replace(/^:/, 'localhost:')}` });
  if (verb) method(verb, use);
  if (items.some(({ text }) => /(?<!=)(?:=|:=|@)(?!=)/.test(text)) || use.stdin.from !== 'nothing')
    use.raise('external_mutation', 'it sends data');
  for (const { text } of items) header(literal(text), use);
}

/** A name that is asked for is seen by others: it must not carry anything. */
function judgeLookup(use: Use): void {
  const local = use.name === 'getent' && !/hosts|ahosts/.test(use.operands[0]?.text ?? '');
  if (local) return;
  if (use.args.some(({ open, hidden }) => open || hidden))
    use.raise('deny', `${use.name} would carry local data out in a name`);
  if (use.has('-f') && use.name.startsWith('ping')) use.raise('deny', 'ping -f floods a machine');
  if (use.has('-f') && use.name === 'dig') use.raise('external_mutation', 'dig -f takes names from a file');
  if (use.has('-p') && use.name.startsWith('ping')) use.raise('deny', 'ping -p carries data out');
  for (const target of use.operands)
    if (/[.:]|^localhost$/.test(target.text) && !target.text.startsWith('@')) use.contacts(target);
  use.scene.tally.net = true;
}

function judgeRaw(use: Use): void {
  const short = use.args.some(({ text }) => /^-[a-zA-Z]*[elcU]/.test(text) && !text.startsWith('--'));
  if (
    (use.name !== 'telnet' && short) ||
    use.args.some(({ text }) => /EXEC|SYSTEM|LISTEN|OPEN:|--(?:sh-)?exec|--lua-exec|--listen/i.test(text))
  )
    use.raise('deny', 'it opens this machine to others');
  const target = use.operands.find(({ text }) => !/^\d+$/.test(text));
  if (target) use.contacts(target);
}

function sshRules(): NonNullable<Row['rules']> {
  const option = (value: Arg | null, use: Use): void => {
    if (
      /Command|Forward|Proxy|Include|IdentityFile|PKCS11|SecurityKeyProvider|Tunnel|KnownHostsCommand|ControlPath|SendEnv|SetEnv/i.test(
        value?.text ?? '',
      ) ||
      value?.open
    )
      use.raise('deny', `${use.name} -o can run a program here`);
  };
  const way: readonly ['deny', string] = ['deny', 'opens a way into or out of this machine'];
  return {
    '-o': option,
    '-F': ['deny', 'loads configuration'],
    '-i': ['deny', 'uses a private key'],
    '-S': ['deny', 'runs a program here'],
    '-R': way,
    '-L': way,
    '-D': way,
    '-w': way,
    '-J': way,
    '-A': ['deny', 'lends keys'],
  };
}

function hosts(use: Use): void {
  for (const arg of use.operands)
    if (/[@:]/.test(arg.text) || use.name === 'ssh') {
      use.contacts(arg);
      if (use.name === 'ssh') break;
    } else use.reads(arg);
}

function judgeRsync(use: Use): void {
  const remote = use.operands.filter(({ text }) => /^[^/]*:|^rsync:/.test(text));
  for (const arg of remote) use.contacts(arg);
  if (remote.length > 0) use.raise('external_mutation', 'rsync copies to or from another machine');
  const target = use.operands.at(-1);
  for (const arg of use.operands)
    if (!remote.includes(arg)) (arg === target && use.operands.length > 1 ? use.writes : use.reads)(arg);
  if (use.operands.length < 2 || use.has('-n', '--dry-run')) return;
  use.raise('write_local', 'rsync writes on the desk');
}

function judgeTerraform(use: Use): void {
  const sub = use.operands[0]?.text ?? '';
  if (/^(?:version|validate|graph|providers)$/.test(sub)) return;
  if (sub === 'fmt') return use.raise('write_local', 'terraform fmt changes files on the desk');
  use.raise('external_mutation', `${use.name} ${shown(sub)} acts on somebody's account`);
  use.scene.tally.net = true;
}

function judgeDatabase(use: Use): void {
  if (
    use.args.some(({ text }) =>
      /\\!|(?:TO|FROM)\s+PROGRAM|\\copy.*program|\bsystem\s|INTO\s+OUTFILE|LOAD_FILE|CONFIG\s+SET|xp_cmdshell|\beval\s/i.test(
        text,
      ),
    )
  )
    use.raise('deny', `${use.name} would run a program or write files`);
}

function words(text: string): string[] {
  return text.split(/\s+/);
}
