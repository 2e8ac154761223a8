/** The machine itself: reading its state, and changes that an assistant must never make. */
import { fullPath, namesSecret } from '../paths.ts';
import { external, never, read, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal } from '../shell-state.ts';

export const system: Table = {
  ...rows(
    `date uname hostname whoami id groups who w users logname uptime free vmstat iostat mpstat lscpu lsmem lsusb
    lspci lsof ps pgrep pidof pstree top htop tty locale localedef-list getconf which whereis whatis apropos
    lsb_release hostid sw_vers ss netstat neofetch fastfetch inxi dmesg last lastlog journalctl getcap printenv
    man info tldr cheat tput clear reset stty timedatectl hostnamectl localectl loginctl-list sestatus sensors
    acpi upower lslocks lsns lsmod modinfo ldd getfattr infocmp zdump xdpyinfo glxinfo nvidia-smi uuidgen cksfv
    dircolors command-not-found mesg ipcs rpm-query`,
    read('text', { takes: 'dfrs', judge: judgeInformation }),
  ),
  ip: read('text', {
    judge: (use) => {
      if (
        use.args.some(({ text }) => /^(?:add|del|delete|set|change|replace|flush|exec|up|down)$/.test(text)) ||
        use.args.some(({ text }) => /^-(?:b|B|batch)$/.test(text))
      )
        use.raise('deny', 'it changes the network of this machine');
    },
  }),
  ...rows(
    'ifconfig route arp',
    read('text', {
      judge: (use) => {
        if (
          use.operands.length > 1 ||
          use.args.some(({ text }) => /^(?:-[a-z]*[dsf]|--(?:delete|set|file)|flush|add|del|delete)$/.test(text))
        )
          use.raise('deny', 'it changes the network of this machine');
        if (use.args.some((arg) => namesSecret(use.state, arg)))
          use.raise('deny', `${use.name} is given the path of a secret`);
      },
    }),
  ),
  sysctl: read('text', {
    judge: (use) => {
      if (use.has('-w', '-p', '--load', '--system', '--write') || use.operands.some(({ text }) => text.includes('=')))
        use.raise('deny', 'it changes the kernel');
    },
  }),
  ...rows('sudo su doas pkexec runuser sudoedit sg newgrp gosu su-exec', never('takes the rights of another user')),
  ...rows(
    `chroot unshare nsenter setpriv capsh bwrap firejail proot fakeroot fakechroot pivot_root switch_root
    systemd-run machinectl`,
    never('leaves or changes the sandbox'),
  ),
  mount: read('own', {
    judge: (use) => {
      if (use.args.length > 0 && !use.args.every(({ text }) => /^-(?:l|v|-show-labels)$/.test(text)))
        use.raise('deny', 'it works on the disks of this machine');
    },
  }),
  systemctl: read('own', {
    judge: (use) => {
      const [verb] = use.operands;
      if (
        verb !== undefined &&
        !/^(?:status|is-active|is-enabled|is-failed|list-units|list-timers|list-unit-files)$/.test(verb.text)
      )
        use.raise('deny', 'it controls the services of this machine');
    },
  }),
  ...rows(
    `umount losetup swapon swapoff cryptsetup fdisk sfdisk cfdisk parted gdisk mkfs mke2fs mkswap wipefs
    hdparm badblocks fsck e2fsck resize2fs tune2fs debugfs lvcreate lvremove vgcreate pvcreate mdadm blkdiscard
    zpool zfs btrfs sgdisk eject`,
    never('works on the disks of this machine'),
  ),
  ...rows(
    `insmod modprobe rmmod depmod kexec reboot shutdown halt poweroff init telinit runlevel service
    initctl rc-service rc-update chkconfig update-rc.d launchctl sv s6-svc supervisorctl pm2 forever loginctl`,
    never('controls the services of this machine'),
  ),
  ...rows('crontab at batch atrm anacron fcrontab', never('schedules something to run later')),
  ...rows(
    `passwd chpasswd useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd visudo vipw vigr
    chsh chfn chage newusers faillock`,
    never('changes accounts'),
  ),
  ...rows(
    `setcap setfacl setfattr chattr chcon restorecon setenforce semanage aa-disable apparmor_parser mknod`,
    never('changes what programs may do'),
  ),
  ...rows(
    `iptables ip6tables nft ufw firewall-cmd ipset tc brctl iwconfig nmcli ifup ifdown dhclient ethtool`,
    never('changes the network of this machine'),
  ),
  ...rows(
    `gdb lldb strace ltrace gcore perf bpftrace bpftool dtrace sysdig systemtap stap rr frida jmap jstack py-spy`,
    never('inspects other processes'),
  ),
  ...rows('pkill killall skill snice renice fuser xkill slay killall5', never('acts on processes it did not start')),
  ...rows(
    `tmux screen script dtach abduco byobu zellij daemonize start-stop-daemon ttyd gotty wetty tmate upterm`,
    never('keeps running in the background'),
  ),
  ...rows(
    `ldconfig update-alternatives alternatives dpkg-reconfigure update-grub grub-install update-initramfs hwclock
    setterm loadkeys adjtimex timedatectl-set`,
    never('changes this machine'),
  ),
  ...rows(
    `ssh-add ssh-agent ssh-copy-id ssh-keyscan-all secret-tool security keyctl pass gopass gnome-keyring
    kwallet-query keychain pinentry gpg-agent`,
    never('handles secrets'),
  ),
  ...rows('oka', never('is the command people control the assistant with')),
  ...rows(
    'claude codex gemini aider cursor copilot opencode goose llm ollama sgpt cody continue amp',
    external('starts another assistant', { net: true }),
  ),
  ...rows(
    `xdg-open open sensible-browser firefox chromium google-chrome xdotool wmctrl xclip xsel pbcopy pbpaste
    wl-copy wl-paste scrot import screencapture arecord notify`,
    external("acts on a person's desktop"),
  ),
  ...rows('stress stress-ng fio bonnie++ sysbench crashme cpuburn forkbomb', never('is made to exhaust the machine')),
  ...rows('gpg gpg2 gpgv', read('own', { judge: judgeGpg })),
  openssl: read('own', {
    wordy: true,
    longs: [
      '-in',
      '-out',
      '-inkey',
      '-keyout',
      '-CAfile',
      '-config',
      '-engine',
      '-signature',
      '-sign',
      '-key',
      '-CAkey',
      '-cert',
      '-verify',
      '-subj',
      '-days',
      '-newkey',
      '-pass',
      '-passin',
      '-passout',
      '-k',
      '-K',
      '-iv',
      '-rand',
      '-writerand',
    ],
    rules: {
      '-in': judgeCertificate,
      '-sign': 'reads',
      '-key': 'reads',
      '-CAkey': 'reads',
      '-cert': 'reads',
      '-inkey': 'reads',
      '-CAfile': 'reads',
      '-signature': 'reads',
      '-out': 'writes',
      '-keyout': 'writes',
      '-writerand': 'writes',
      '-config': ['deny', 'can load code'],
      '-engine': ['deny', 'loads code'],
      '-provider-path': ['deny', 'loads code'],
      '-provider': 'fine',
    },
    judge: judgeOpenssl,
  }),
  ...rows('age age-keygen sops', external('works on encrypted secrets')),
  'ssh-keygen': read('own', {
    takes: 'fbtCNPmDOnIsVwYzrW',
    rules: { '-D': ['deny', 'loads code'], '-s': ['deny', 'signs with a key'] },
    judge: judgeKeygen,
  }),
  'ssh-keyscan': external('talks to another machine', { net: true }),
  ...rows('inotifywait fswatch', read('stat')),
  ...rows('logger wall write talk', never('writes messages to other users or the system log')),
  ...rows('systemd-analyze systemd-cgls systemd-detect-virt', read('text')),
};

function judgeInformation(use: Use): void {
  const { name, args, operands, raise } = use;
  if (name === 'date' && (use.has('-s', '--set') || operands.some(({ text }) => /^\d{8,}/.test(text))))
    raise('deny', 'it sets the clock');
  if (name === 'date')
    for (const option of use.options)
      if (/^-[fr]$|^--(?:file|reference)/.test(option.name) && option.value) use.reads(option.value);
  if (name === 'hostname' && (operands.length > 0 || use.has('-F', '-b'))) raise('deny', 'it renames the machine');
  if (
    name.endsWith('ctl') &&
    args.some(({ text }) => /^(?:set|enable|disable)|--(?:vacuum|rotate|flush|sync)/.test(text))
  )
    raise('deny', 'it changes this machine');
  if (name === 'ss' && use.has('-K', '--kill')) raise('deny', 'ss -K closes connections of other programs');
  if (
    /^(?:hostnamectl|localectl|timedatectl)$/.test(name) &&
    operands.some(({ text }) => !/^(?:status|show|list-\w+)/.test(text))
  )
    raise('deny', 'it changes this machine');
  if (name === 'dmesg' && use.has('-c', '-C', '-n', '-D', '-E')) raise('deny', 'it changes the kernel log');
  if (name === 'ps' && args.some(({ text }) => /e(?:ww|$)/.test(text) && !text.startsWith('-')))
    raise('external_mutation', 'ps e shows the environment of programs');
  if (name === 'printenv') judgePrintenv(use);
  if (name === 'man' || name === 'info') judgeMan(use);
  if (name === 'lsof' || name === 'ldd') operands.forEach((arg: Arg) => use.stats(arg));
  if (
    name === 'ldd' &&
    operands.some(({ text }) => !text.startsWith('/usr') && !text.startsWith('/bin') && !text.startsWith('/lib'))
  )
    raise('write_local', 'ldd may run the program it inspects');
  if (name !== 'which' && args.some((arg) => namesSecret(use.state, arg)))
    raise('deny', `${name} is given the path of a secret`);
  if (name.endsWith('fetch') && args.some(({ text }) => /^--?(?:config|c$|source|print_info)/.test(text)))
    raise('deny', `an option of ${name} loads code`);
}

function judgePrintenv({ operands, raise }: Use): void {
  if (operands.length === 0) raise('external_mutation', 'printenv would show the whole environment');
  if (operands.some(({ text, open }) => open || /SECRET|TOKEN|PASS|KEY|CREDENTIAL|AUTH/i.test(text)))
    raise('external_mutation', 'printenv would show a secret');
}

function judgeMan({ args, raise }: Use): void {
  if (
    args.some(
      ({ text }) =>
        /^(?:-[PHpTXtC]|--(?:pager|html|preprocessor|troff|config-file|ditroff))/.test(text) || /^[/.~]/.test(text),
    )
  )
    raise('deny', 'an option of man runs a program');
}

function judgeGpg(use: Use): void {
  const texts = use.args.map(({ text }) => text);
  if (
    texts.some((text) =>
      /^--(?:export-secret|list-secret|passphrase|gen-|quick-|delete|import|edit-key|recv|send|search-keys|refresh|homedir|keyserver|photo-viewer|exec-path|options|sign|detach|clearsign|card|change-pin|pinentry)|^-(?:s|K)$/.test(
        text,
      ),
    )
  )
    return use.raise('deny', 'it handles keys');
  if (texts.some((text) => /^(?:-d|--decrypt)$/.test(text)))
    return use.raise('external_mutation', "it decrypts with a person's key");
  if (texts.some((text) => /^(?:-c|-e|--symmetric|--encrypt|-r|--recipient|-o|--output)$/.test(text))) {
    const out = use.args[texts.findIndex((text) => /^(?:-o|--output)$/.test(text)) + 1];
    if (texts.some((text) => /^(?:-o|--output)$/.test(text)) && out) use.writes(out);
    use.raise('external_mutation', "it encrypts with a person's key");
  }
  use.operands.forEach(use.reads);
}

function judgeOpenssl(use: Use): void {
  const sub = use.args[0]?.text ?? '';
  if (/^(?:engine|provider)$/.test(sub)) use.raise('deny', 'openssl would load code');
  if (/^(?:s_client|s_server|s_time|ocsp|cmp|tsget|ts)$/.test(sub))
    use.raise('external_mutation', 'openssl would talk to another machine');
  if (/^(?:genrsa|genpkey|req|ecparam|ca|pkcs12)$/.test(sub))
    use.raise('write_local', 'openssl makes keys on the desk');
  if (/^(?:enc|base64|aes|des|smime|cms|rsautl|pkeyutl)/.test(sub)) {
    use.state.tally.decodes = true;
    const out = use.options.find(({ name }) => name === '-out')?.value;
    const full = out && fullPath(use.state, out.text);
    if (full) use.state.written.set(full, null);
  }
  if (/^(?:rand|version|list|help|ciphers|speed|prime|passwd)$/.test(sub)) return;
  for (const arg of use.operands.slice(1)) if (/[/.]/.test(arg.text)) use.reads(arg);
}

/** A certificate is public; any other file with such a name may be a key. */
function judgeCertificate(file: Arg | null, use: Use): void {
  if (file === null) return;
  const shown = /^(?:x509|crl|verify)$/.test(use.args[0]?.text ?? '') && !/key|priv/i.test(file.text);
  (shown && /\.(?:pem|crt|cer)$/.test(file.text) && !/^[/~]|\.\.\//.test(file.text) ? use.stats : use.reads)(file);
}

function judgeKeygen(use: Use): void {
  const at = use.args.findIndex(({ text }) => text === '-f');
  const shows = use.has('-l', '-F', '-B', '-L');
  const file = at === -1 ? literal('~/.ssh/id_rsa') : (use.args[at + 1] as Arg);
  if (shows) return use.reads(file);
  use.writes(file);
  if (use.has('-y')) use.reads(file);
}
