/**
 * Owns: which content of each skill may be used, and a copy of exactly that content.
 *
 * 1. What is read or run of a skill is the copy, never the folder that it came from: a change there has no effect
 *    until it is accepted.
 * 2. The first content of a skill is accepted when it is first used; another one only by a person.
 * 3. A pin that cannot be read, and a copy that is not what the pin says, close the skill. They are never replaced silently.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, replaceFile, writeNewFile } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { SkillPin } from '../../core/schema/skill.ts';
import { readSkillFolder, type SkillFolder } from '../../kit/skills/skill-folder.ts';

type PinState = { kind: 'none' } | { kind: 'pinned'; pin: SkillPin } | { kind: 'unreadable'; why: string };

export type SkillStore = {
  pinOf: (name: string) => PinState;
  /** The accepted content. Throws when there is none, or it is not what was accepted (3). */
  accepted: (name: string) => SkillFolder;
  /** Makes this content the accepted one. */
  accept: (skill: SkillFolder, by: SkillPin['by'], now: number) => SkillPin;
  forget: (name: string) => void;
};

const PIN = 'pin.json';

export function openSkillStore(folder: string): SkillStore {
  const placeOf = (name: string): string => join(folder, name);
  const pinOf = (name: string): PinState => readPin(join(placeOf(name), PIN));
  return {
    pinOf,
    accepted: (name) => {
      const state = pinOf(name);
      if (state.kind === 'unreadable') throw closed(name, state.why);
      if (state.kind === 'none') throw closed(name, 'it was never accepted');
      const copy = readSkillFolder(join(placeOf(name), copyName(state.pin)), name);
      if ('problems' in copy) throw closed(name, `its accepted copy cannot be read: ${copy.problems.join('; ')}`);
      if (copy.sha256 !== state.pin.sha256) throw closed(name, 'its accepted copy was changed');
      return copy;
    },
    accept: (skill, by, now) => {
      const { name, folder: source, sha256 } = skill;
      const before = pinOf(name);
      const pin = SkillPin.parse({ name, source, sha256, at: new Date(now).toISOString(), by });
      writeCopy(join(placeOf(name), copyName(pin)), skill);
      replaceFile(join(placeOf(name), PIN), `${JSON.stringify(pin, null, 2)}\n`, { durable: true });
      removeOlder(placeOf(name), [copyName(pin), ...(before.kind === 'pinned' ? [copyName(before.pin)] : [])]);
      return pin;
    },
    forget: (name) => rmSync(placeOf(name), { recursive: true, force: true }),
  };
}

const copyName = ({ sha256 }: SkillPin): string => sha256.slice(0, 16);

const closed = (name: string, why: string): OkaError =>
  new OkaError('refused', `the skill ${name} cannot be used: ${why}`, {
    fix: `Read it and accept it again: oka skills show ${name} --accept`,
  });

function readPin(file: string): PinState {
  try {
    return { kind: 'pinned', pin: SkillPin.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { kind: 'none' };
    return { kind: 'unreadable', why: `${file} cannot be read` };
  }
}

/** Written next to its place and renamed, so that a copy is complete or not there. */
function writeCopy(place: string, { files, sha256, name }: SkillFolder): void {
  const there = readSkillFolder(place, name);
  if (!('problems' in there) && there.sha256 === sha256) return;
  const fresh = `${place}.${process.pid}.tmp`;
  rmSync(fresh, { recursive: true, force: true });
  for (const { path, content, isExecutable } of files) {
    makeFolder(dirname(join(fresh, path)));
    writeNewFile(join(fresh, path), content, { mode: isExecutable ? 0o755 : 0o644 });
  }
  rmSync(place, { recursive: true, force: true });
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  renameSync(fresh, place);
}

/** The copy before this one stays for a script that still runs from it. */
function removeOlder(folder: string, current: readonly string[]): void {
  for (const name of readdirSync(folder))
    if (name !== PIN && !current.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}
