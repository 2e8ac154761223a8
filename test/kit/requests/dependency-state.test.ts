import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../../src/core/schema/dependency.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { auditTools } from '../../../src/rooms/dependencies/install/audit-tools.ts';
import { dependencies, type Dependencies, countMissed } from '../../../src/kit/requests/dependency-state.ts';
import { switchLinks, removeUnfinished, linkTarget, removeLinks } from '../../../src/kit/sandbox/tool-links.ts';
import { findPresent } from '../../../src/rooms/dependencies/install/find-present.ts';
import { measureTree } from '../../../src/rooms/dependencies/install/measure-tree.ts';
import { temporaryFolder } from '../../support/cli.ts';

const receipt = (name: string, more: Partial<Receipt> = {}): Receipt => ({
  by: 'node',
  name,
  version: '1.0.0',
  folder: `node/${name}@1.0.0`,
  links: { [`node/bin/${name}`]: `../${name}@1.0.0/cli` },
  commands: [name],
  replaces: null,
  contains: [{ name, version: '1.0.0', integrity: 'sha512-A' }],
  integrity: 'sha512-A',
  tree: 'a'.repeat(64),
  bytes: 1,
  ms: 1,
  from: 'somewhere',
  scripts: false,
  why: 'x',
  for_run: 'r1',
  ...more,
});

function folded(events: readonly NewEvent[]): Dependencies {
  let state = dependencies.initial();
  events.forEach((event, index) => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
    state = dependencies.apply(state, { seq: index + 1, at, run: null, ...event } as unknown as Event);
  });
  return state;
}

describe('what the ledger says about tools', () => {
  it('a command that names a program has used its package; one that only contains the word has not', () => {
    const call = (line: string): NewEvent => ({
      type: 'call.started',
      run: 'r',
      data: { call: 'r.a.0.1', node: 'a', tool: 'shell', class: 'write_local', input: { line } },
    });
    const used = (line: string): string | null =>
      folded([{ type: 'dependency.installed', data: receipt('rg') }, call(line)]).installed['node:rg']?.used ?? null;
    expect(used('cat x | rg y')).toBe('2026-01-01T00:01:00.000Z');
    expect([used('echo target'), used('rg-x'), used('x.rg')]).toEqual([null, null, null]);
  });

  it('an environment that takes over brings along what was in the one before', () => {
    const first = receipt('a', { by: 'python', folder: 'venvs/1', links: { python: 'venvs/1' } });
    const second = receipt('b', {
      by: 'python',
      folder: 'venvs/2',
      links: { python: 'venvs/2' },
      replaces: 'venvs/1',
      tree: 'b'.repeat(64),
    });
    const { installed } = folded([first, second].map((data): NewEvent => ({ type: 'dependency.installed', data })));
    expect(installed['python:a']).toMatchObject({ folder: 'venvs/2', tree: 'b'.repeat(64) });
  });

  it('how often a step missed something is forgotten with its run', () => {
    const need = { kind: 'command', name: 'jq', evidence: '' } as const;
    const wait: NewEvent = {
      type: 'wait.opened',
      run: 'r',
      data: { wait: 'r.a.0.w0', node: 'a', for: { kind: 'requirement', name: 'jq', need } },
    };
    expect(countMissed(folded([wait, wait]), 'r', 'a', need)).toEqual({ same: 2, step: 2, run: 2 });
    expect(countMissed(folded([wait, wait]), 'r', 'b', need)).toEqual({ same: 0, step: 0, run: 2 });
    expect(folded([wait, { type: 'run.ended', run: 'r', data: { status: 'done', reason: '' } }]).missed).toEqual({});
  });

  it('the lock has what is installed, in one order, and is gone when nothing is', () => {
    const state = folded(['b', 'a'].map((name): NewEvent => ({ type: 'dependency.installed', data: receipt(name) })));
    const text = dependencies.render?.(state).get('tools/lock.json') ?? '';
    expect(Object.keys((JSON.parse(text) as { tools: object }).tools)).toEqual(['node:a', 'node:b']);
    expect(dependencies.render?.(dependencies.initial()).size).toBe(0);
  });
});

describe('the folder of tools', () => {
  it('I1 what no receipt speaks of is swept away, and nothing else', () => {
    using folder = temporaryFolder();
    for (const path of [
      'node/a@1.0.0',
      'node/b@1.0.0',
      'node/.new-x',
      'node/bin',
      'node/lib',
      'venvs/3',
      'bin',
      'cache',
    ])
      mkdirSync(join(folder.dir, path), { recursive: true });
    writeFileSync(join(folder.dir, 'bin', 'mine'), '');
    symlinkSync('../node/b@1.0.0', join(folder.dir, 'bin', 'b'));
    expect(removeUnfinished(folder.dir, ['node/a@1.0.0']).toSorted()).toEqual([
      'bin/b',
      'node/.new-x',
      'node/b@1.0.0',
      'venvs/3',
    ]);
  });

  it('links are switched, and only those that still lead there are taken away', () => {
    using folder = temporaryFolder();
    switchLinks(folder.dir, { 'bin/x': '../a', 'bin/y': '../a' });
    switchLinks(folder.dir, { 'bin/x': '../b' });
    removeLinks(folder.dir, { 'bin/x': '../a', 'bin/y': '../a' });
    expect([linkTarget(join(folder.dir, 'bin/x')), linkTarget(join(folder.dir, 'bin/y'))]).toEqual(['../b', null]);
  });

  it('the audit finds what was changed, is missing, or was put there by somebody else', async () => {
    using folder = temporaryFolder();
    const tools = folder.dir;
    for (const name of ['same', 'other', 'mode']) {
      mkdirSync(join(tools, 'node', `${name}@1.0.0`), { recursive: true });
      writeFileSync(join(tools, 'node', `${name}@1.0.0`, 'cli'), name);
    }
    const names = ['same', 'other', 'mode', 'gone'];
    const installed = Object.fromEntries(
      await Promise.all(
        names.map(async (name) => {
          const tree = name === 'gone' ? '' : (await measureTree(join(tools, 'node', `${name}@1.0.0`))).tree;
          return [`node:${name}`, { ...receipt(name, { tree }), at: '', run: null, used: null }] as const;
        }),
      ),
    );
    for (const { links } of Object.values(installed)) switchLinks(tools, links);
    expect((await auditTools(tools, installed)).map(({ state }) => state)).toEqual(['same', 'same', 'same', 'missing']);
    writeFileSync(join(tools, 'node', 'other@1.0.0', 'cli'), 'changed');
    chmodSync(join(tools, 'node', 'mode@1.0.0', 'cli'), 0o755);
    symlinkSync('/bin/sh', join(tools, 'node', 'bin', 'ls'));
    const found = await auditTools(tools, installed);
    expect(found.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'node:same same',
      'node:other changed',
      'node:mode changed',
      'node:gone missing',
      'node/bin/ls stray',
    ]);
  });
});

describe('whether something is there', () => {
  it('is found where programs look for it, and nowhere else', () => {
    using folder = temporaryFolder();
    const root = folder.dir;
    const eyes = { path: `${root}/bin:${root}/more`, python: `${root}/python`, modules: `${root}/modules`, root };
    for (const path of [
      'bin',
      'more/dir',
      'usr/lib/aarch64-linux-gnu/pkgconfig',
      'usr/include/openssl',
      'usr/lib/locale/de_DE.utf8',
      'usr/share/fonts/x',
      'python/lib/python3.11/site-packages/yaml',
    ])
      mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, 'bin/plain'), '');
    writeFileSync(join(root, 'more/run'), '', { mode: 0o755 });
    writeFileSync(join(root, 'usr/lib/aarch64-linux-gnu/libGL.so.1'), '');
    writeFileSync(join(root, 'usr/lib/aarch64-linux-gnu/pkgconfig/zlib.pc'), '');
    writeFileSync(join(root, 'usr/include/openssl/ssl.h'), '');
    const there = (kind: Parameters<typeof findPresent>[0]['kind'], name: string): boolean =>
      findPresent({ kind, name }, eyes).there;
    expect([
      there('command', 'run'),
      there('library', 'libGL.so.1'),
      there('header', 'openssl/ssl.h'),
      there('pkgconfig', 'zlib'),
    ]).toEqual([true, true, true, true]);
    expect([there('locale', 'de_DE.UTF-8'), there('font', 'fonts'), there('python', 'yaml')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([
      there('command', 'plain'),
      there('command', 'dir'),
      there('library', 'libGL.so'),
      there('python', 'bs4'),
      there('locale', 'fr_FR.UTF-8'),
      there('node', 'x'),
    ]).toEqual([false, false, false, false, false, false]);
  });
});
