import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withReferencedHosts } from '../../../src/core/guard/referenced-hosts.ts';
import type { Classified } from '../../../src/core/schema/command.ts';
import { temporaryFolder } from '../../support/cli.ts';

const outside: Classified = { class: 'external_mutation', reason: '', programs: [], paths: [], hosts: [], net: false };
const git = { ...outside, programs: ['git'], net: true };
const CONFIG = `[core]
\tbare = false
[remote "origin"]
\turl = https://git.example.org/a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "mirror"]
\turl = git@mirror.example.net:a/b.git
\tpushurl = ssh://git@push.example.net:2222/a/b.git
[remote "disk"]
\turl = ../elsewhere
[branch "main"]
\turl = https://not-a-remote.example
`;
const SCRIPT = `#!/bin/sh
# see https://docs.example.com/page
curl -T out.tgz "https://up.example.org:8443/$1"
curl https://$HOST/x https://half.example.$TLD/y
`;

/** The hosts that a command refers to on a desk with a repository and some scripts. */
function hostsOf(line: string, found: Classified, dir = '.'): { hosts: readonly string[]; net: boolean } {
  using folder = temporaryFolder();
  const desk = folder.dir;
  mkdirSync(join(desk, 'repo/.git'), { recursive: true });
  mkdirSync(join(desk, 'repo/src/deep'), { recursive: true });
  writeFileSync(join(desk, 'repo/.git/config'), CONFIG);
  writeFileSync(join(desk, 'deploy.sh'), SCRIPT);
  writeFileSync(join(desk, 'data.csv'), 'https://data.example.org/x');
  const { hosts, net } = withReferencedHosts({ line }, found, join(desk, dir), desk);
  return { hosts, net };
}

describe('hosts that a command reaches without naming them', () => {
  it.each([
    ['git push origin main', ['git.example.org']],
    ['git push', ['git.example.org']],
    ['git push mirror', ['mirror.example.net:22', 'push.example.net:2222']],
    ['git push disk', []],
  ])('%s: those of the remote', (line, hosts) => {
    expect(hostsOf(line, git, 'repo/src/deep').hosts).toEqual(hosts);
  });

  it('a repository above the desk does not count, and none is none', () => {
    expect(hostsOf('git push', git).hosts).toEqual([]);
  });

  it('a script: complete URLs in it, and only those; files of data do not count', () => {
    const script = { ...outside, paths: ['deploy.sh', 'data.csv'] };
    expect(hostsOf('bash deploy.sh data.csv', script)).toEqual({
      hosts: ['docs.example.com', 'up.example.org:8443'],
      net: true,
    });
    expect(hostsOf('bash deploy.sh', { ...script, class: 'write_local' })).toEqual({ hosts: [], net: false });
  });
});
