/** Remote machines, cloud accounts, databases and other services. */
import { external, never, read, type Row, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, toDisplay } from '../shell-state.ts';
import { judgePathsInWords } from './paths-in-words.ts';

const runs: readonly ['deny', string] = ['deny', 'runs a program or loads options from a file'];
const credentials: readonly ['external_mutation', string] = ['external_mutation', 'shows credentials'];

export const remote: Table = {
  ...rows('nc ncat netcat socat telnet', external('talks to another machine', { net: true, judge: judgeRaw })),
  ...rows(
    'ssh slogin autossh mosh sshpass',
    external('works on another machine', {
      net: true,
      takes: 'BbcDEeFIiJLlmOopQRSWw',
      rules: sshRules(),
      judge: judgeHosts,
    }),
  ),
  ...rows(
    'scp sftp',
    external('copies to or from another machine', {
      net: true,
      takes: 'cDFiJloPSX',
      rules: sshRules(),
      judge: judgeHosts,
    }),
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
    external('scans or sniffs a network', { net: true }),
  ),
  ...rows(
    'ngrok cloudflared localtunnel lt bore chisel frpc tailscale wireguard wg wg-quick openvpn',
    never('opens this machine to other machines', { net: true }),
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
    external('acts on an online account', { net: true }),
  ),
  ...rows('terraform tofu', read('own', { judge: judgeTerraform })),
  ...rows('gh glab hub tea jira linear', external('acts on a forge or tracker', { net: true })),
  ...rows(
    'kubectl oc helm k9s kustomize skaffold argocd flux istioctl minikube kind k3d kubeadm',
    external('acts on a cluster', { net: true }),
  ),
};

function judgeRaw(use: Use): void {
  const short = use.args.some(({ text }) => /^-[a-zA-Z]*[elcU]/.test(text) && !text.startsWith('--'));
  if (
    (use.name !== 'telnet' && short) ||
    use.args.some(({ text }) => /EXEC|SYSTEM|LISTEN|OPEN:|--(?:sh-)?exec|--lua-exec|--listen/i.test(text))
  )
    use.raise('deny', 'it opens this machine to other machines');
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
  const way: readonly ['deny', string] = ['deny', 'forwards a port or a connection'];
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
    '-A': ['deny', 'forwards private keys'],
  };
}

function judgeHosts(use: Use): void {
  for (const arg of use.operands)
    if (/[@:]/.test(arg.text) || use.name === 'ssh') {
      use.contacts(arg);
      if (use.name === 'ssh') break;
    } else use.reads(arg);
}

function judgeRsync(use: Use): void {
  judgePathsInWords(use, false);
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
  use.raise('external_mutation', `${use.name} ${toDisplay(sub)} acts on an online account`);
  use.state.tally.net = true;
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
