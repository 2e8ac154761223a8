import { describe, expect, it } from 'vitest';
import type { Need } from '../../../../src/core/schema/dependency.ts';
import { type Remedy, chooseRemedy } from '../../../../src/rooms/dependencies/install/choose-remedy.ts';
import { parseNeed } from '../../../../src/rooms/dependencies/install/requires.ts';

const around = { machine: { os: 'linux', cpu: 'x64' }, binaries: ['yq'] };
const way = (kind: Need['kind'], name: string, more: Partial<Need> = {}): Remedy =>
  chooseRemedy({ kind, name, evidence: '', ...more }, around);
const shortly = (found: Remedy): string =>
  found.kind === 'install'
    ? `${found.input.by} ${found.input.name} ${found.input.vouched}`
    : found.kind === 'person'
      ? `person ${found.packages.join(' ')}`
      : found.kind;

describe('how a need can be met', () => {
  it.each([
    ['command', 'cowsay', 'node cowsay table'],
    ['command', 'prettier', 'node prettier table'],
    ['command', 'tsx', 'node tsx table'],
    ['command', 'tsc', 'node typescript table'],
    ['command', 'rg', 'node @vscode/ripgrep-linux-x64 table'],
    ['command', 'csvcut', 'python csvkit table'],
    ['command', 'ruff', 'python ruff table'],
    ['command', 'http', 'python httpie table'],
    ['command', 'yq', 'binary yq operator'],
    ['command', 'jq', 'person jq'],
    ['command', 'fd', 'person fd-find'],
    ['command', 'ffmpeg', 'person ffmpeg'],
    ['command', 'soffice', 'person libreoffice'],
    ['command', 'gcc', 'person gcc'],
    ['command', 'chromium', 'person chromium'],
    ['python', 'cv2', 'python opencv-python-headless table'],
    ['python', 'yaml', 'python PyYAML table'],
    ['python', 'bs4', 'python beautifulsoup4 table'],
    ['python', 'PIL', 'python Pillow table'],
    ['python', 'sklearn', 'python scikit-learn table'],
    ['node', 'lodash', 'node lodash table'],
    ['library', 'libGL.so.1', 'person libgl1'],
    ['library', 'libz.so', 'person zlib1g-dev'],
    ['library', 'perl:JSON::XS', 'person libjson-xs-perl'],
    ['library', 'python:tkinter', 'person python3-tk'],
    ['header', 'openssl/ssl.h', 'person libssl-dev'],
    ['header', 'zlib.h', 'person zlib1g-dev'],
    ['pkgconfig', 'gtk+-3.0', 'person libgtk-3-dev'],
    ['locale', 'de_DE.UTF-8', 'person locales'],
    ['font', 'fonts', 'person fonts-dejavu-core'],
    ['device', '/dev/video0', 'person '],
    ['capability', 'CAP_NET_ADMIN', 'person '],
  ] as const)('%s %s: %s', (kind, name, expected) => {
    expect(shortly(way(kind, name))).toBe(expected);
  });

  it('Y1 a name that only a failure gave and nobody knows is vouched for by nobody', () => {
    expect(shortly(way('node', 'frobnicator'))).toBe('node frobnicator nobody');
    expect(shortly(way('python', 'frob_nicator'))).toBe('python frob-nicator nobody');
    expect(shortly(way('node', 'frobnicator', { vouched: 'operator' }))).toBe('node frobnicator operator');
  });

  it('Y2 a command that no table knows is asked for, with the ways to find its package; a misspelt one is not', () => {
    expect(way('command', 'pdfgrep')).toMatchObject({
      kind: 'person',
      packages: [],
      reason: expect.stringContaining('`apt-file search bin/pdfgrep`') as string,
    });
    for (const [written, meant] of [
      ['grpe', 'grep'],
      ['gti', 'git'],
      ['ffmpg', 'ffmpeg'],
      ['mkdirr', 'mkdir'],
    ] as const)
      expect(way('command', written)).toMatchObject({
        kind: 'unknown',
        advice: expect.stringContaining(`did you mean "${meant}"?`) as string,
      });
    expect(shortly(way('command', 'grpe', { vouched: 'operator' }))).toBe('person ');
  });

  it('every command of Debian that a step misses is installed or asked for', () => {
    const names =
      'zbarimg lsusb modprobe nft mkfs.btrfs pdfgrep lspci dmidecode smartctl hdparm iptables brctl ethtool iw wpa_supplicant rfkill bluetoothctl upower powertop lvcreate pvs vgs mdadm cryptsetup parted gdisk sgdisk fdisk mkfs.ext4 mkfs.xfs xfs_repair btrfs zpool e2fsck tune2fs blkid losetup kpartx qemu-img qemu-system-x86_64 virsh virt-install vagrant packer buildah skopeo runc crun helm minikube k3s nginx apache2 caddy haproxy varnishd squid unbound named dnsmasq postfix exim4 dovecot mutt notmuch offlineimap isync mbsync khal vdirsyncer ledger hledger beancount taskwarrior timew remind calcurse gpsbabel gdalinfo ogr2ogr osmium osm2pgsql qgis mapnik-config grass saga_cmd blender povray openscad freecad gerbv ngspice iverilog yosys verilator avrdude openocd esptool dfu-util flashrom picocom minicom sigrok-cli';
    const left = names.split(' ').filter((name) => way('command', name).kind === 'unknown');
    expect(names.split(' ').length).toBeGreaterThanOrEqual(100);
    expect(left).toEqual([]);
  });

  it('a newer interpreter is another image, a newer package is not', () => {
    expect(way('command', 'node', { version: '>=99' })).toMatchObject({
      kind: 'person',
      reason: expect.stringContaining('>=99') as string,
    });
    expect(way('command', 'prettier', { version: '>=3' })).toMatchObject({
      kind: 'install',
      input: { version: '>=3' },
    });
  });
});

describe('what a task says it needs', () => {
  it.each([
    ['jq', { kind: 'command', name: 'jq' }],
    ['rg>=14', { kind: 'command', name: 'rg', version: '>=14' }],
    ['node:prettier@3', { kind: 'node', name: 'prettier', version: '3', package: 'node:prettier' }],
    ['node:@scope/thing@^1.2', { kind: 'node', name: '@scope/thing', version: '^1.2' }],
    ['python:PyYAML', { kind: 'python', name: 'PyYAML', package: 'python:PyYAML' }],
    ['python:PyYAML >= 6, < 7', { kind: 'python', version: '>=6,<7' }],
    ['apt:ffmpeg', { kind: 'command', name: 'ffmpeg', package: 'apt:ffmpeg' }],
    ['lib:libGL.so.1', { kind: 'library', name: 'libGL.so.1' }],
  ])('%s', (text, expected) => {
    expect(parseNeed(text)).toMatchObject({ ...expected, vouched: 'operator' });
  });

  it.each(['', '; rm -rf /', '--global', 'a b c', '$(x)', '../x'])('%j cannot be read', (text) => {
    expect(parseNeed(text)).toBeNull();
  });
});
