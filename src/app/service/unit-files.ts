/** What starts oka with the machine: the text of a systemd user unit, of a launchd agent, and of a line for cron. Pure. */

export type Started = {
  /** Names the unit; one for each home. */
  name: string;
  /** Node and the script of oka, by absolute paths. */
  program: readonly string[];
  dir: string;
  /** Where commands of tasks are looked up. */
  path: string;
};

const argumentsOf = ({ program, dir }: Started): string[] => [...program, 'up', '--no-setup', '--dir', dir];

/** Where nobody would tell a refusal from a crash: oka itself waits until a person has changed its reason. */
const stayingOf = (started: Started): string[] => [...argumentsOf(started), '--stay'];

/**
 * A refusal (exit 2 or 3) is for a person and not tried again; anything else that ends it is. The launcher of commands makes
 * its own sandbox, so what would take namespaces or system calls from it is not here.
 */
export function systemdUnit(started: Started): string {
  return `[Unit]
Description=oka, the assistant in ${specifiers(started.dir)}
StartLimitIntervalSec=10min
StartLimitBurst=10

[Service]
Type=notify
NotifyAccess=all
ExecStart=${argumentsOf(started)
    .map((word) => quoted(word.replaceAll('$', () => '$$')))
    .join(' ')}
Environment=${quoted(`PATH=${started.path}`)}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 3
TimeoutStartSec=5min
TimeoutStopSec=30
KillMode=mixed
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
KeyringMode=private
LimitCORE=0
OOMPolicy=continue

[Install]
WantedBy=default.target
`;
}

const specifiers = (text: string): string => text.replaceAll('%', '%%');

/** As systemd reads a word: in quotes, with its own escapes, and no specifier. A command also has variables. */
function quoted(word: string): string {
  return `"${specifiers(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

export function launchdAgent(started: Started, log: string): string {
  const strings = [...stayingOf(started), '--log', log].map((word) => `    <string>${xml(word)}</string>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${xml(started.name)}</string>
  <key>ProgramArguments</key>
  <array>
${strings.join('')}  </array>
  <key>EnvironmentVariables</key><dict><key>PATH</key><string>${xml(started.path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>ExitTimeOut</key><integer>30</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${xml(log)}</string>
  <key>StandardErrorPath</key><string>${xml(log)}</string>
</dict>
</plist>
`;
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** For machines with neither: a line of crontab. */
export function cronLine(started: Started): string {
  const words = stayingOf(started).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  return `@reboot PATH='${started.path.replaceAll("'", `'\\''`)}' ${words.join(' ')} 2>&1 | logger -t oka`.replaceAll(
    '%',
    '\\%',
  );
}
