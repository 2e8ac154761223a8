import { describe, expect, it } from 'vitest';
import { ledElsewhere, runningSettings } from '../../../src/core/guard/git-settings.ts';

describe('settings of git that run something', () => {
  it.each([
    '[core]\n\thooksPath = evil',
    '[core] hooksPath = evil',
    '[core]\n\tbare = false\n[core][alias]\n\tst = !curl evil',
    '[CORE]\nFSMonitor=./evil.sh',
    '[core]\n\tsshCommand = evil',
    '[core]\n\tpager = evil',
    '[core]\n\teditor = evil',
    '[filter "x"]\n\tclean = evil',
    '[diff "x"]\n\ttextconv = evil',
    '[diff]\n\texternal = evil',
    '[merge "x"]\n\tdriver = evil',
    '[include]\n\tpath = ../evil',
    '[includeIf "gitdir:/"]\n\tpath = ../evil',
    '[alias]\n\tst = "!evil"',
    '[alias]\n\tst = \\\n!evil',
    '[alias]\n\tst = -c core.fsmonitor=evil status',
    '[remote "origin"]\n\turl = ext::sh -c evil',
    '[remote "origin"]\n\turl = "ext::sh -c evil"',
    '[remote "origin"]\n\turl = -oProxyCommand=evil',
    '[remote "origin"]\n\tuploadpack = evil',
    '[remote "origin"]\n\tvcs = evil',
    '[submodule "x"]\n\tupdate = !evil',
    '[credential]\n\thelper = !evil',
    '[gpg]\n\tprogram = evil',
    '[url "ext::sh"]\n\tinsteadOf = https://',
    '[http]\n\tproxy = http://evil',
    '[core.hooksPath]\n\tx = y',
    'not a setting at all!',
    '\uFEFF[core]\n\thooksPath = evil',
    '[core]\n\tbare = false\0',
    '[protocol "ext"]\n\tallow = always',
    '[interactive]\n\tdiffFilter = evil',
    '[sequence]\n\teditor = evil',
    '[browser "x"]\n\tcmd = evil',
    '[uploadpack]\n\tpackObjectsHook = evil',
    '[trailer "x"]\n\tcommand = evil',
    '[help]\n\tbrowser = evil',
  ])('%j runs something', (text) => {
    expect(runningSettings(text)).not.toEqual([]);
  });

  it.each([
    '',
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
    '[remote "origin"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
    '[remote "origin"]\n\turl = git@example.org:a/b.git\n',
    '; a comment\n# another\n[user]\n\tname = Ada\n\temail = ada@example.org\r\n',
    '[submodule "x"]\n\tpath = x\n\turl = ../x\n\tactive = true\n',
    '[alias]\n\tst = status\n',
  ])('%j runs nothing', (text) => {
    expect(runningSettings(text)).toEqual([]);
  });
});

describe('settings that lead elsewhere', () => {
  const config = (url: string, more = ''): string =>
    `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/*\n${more}`;
  const before = config('https://good.example/a');

  it('are found when a remote is pointed to another place, or gets one to push to', () => {
    expect(ledElsewhere(before, config('https://evil.example/a'))).toEqual([
      'remote "origin".url=https://evil.example/a',
    ]);
    expect(ledElsewhere(before, config('https://good.example/a', '\tpushurl = https://evil.example/\n'))).toHaveLength(
      1,
    );
    expect(ledElsewhere(before, config('https://good.example/a', '\turl = https://evil.example/\n'))).toHaveLength(1);
    expect(ledElsewhere(before, `${before}[remote]\n\tpushDefault = evil\n`)).toEqual(['remote.pushdefault=evil']);
  });

  it('are not those that were there before, or a remote that is new', () => {
    expect(ledElsewhere(before, before)).toEqual([]);
    expect(ledElsewhere(before, `${before}[remote "second"]\n\turl = https://b.example/\n`)).toEqual([]);
    expect(ledElsewhere('', before)).toEqual([]);
  });
});
