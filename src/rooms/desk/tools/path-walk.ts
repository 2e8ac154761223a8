/**
 * Owns: going from the desk to a place in it, one part of the path after the other.
 *
 * W1 A folder is opened by the descriptor of the one before it and never through a link.
 * W2 What a link says is text, walked like a path from where the link is: `..` goes back to a folder that is
 *    open, and never above the desk. So nothing outside is touched, and nothing swapped in between leads out.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, readlink } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve } from 'node:path';
import { errnoOf } from '../../../core/schema/errors.ts';
import { failure, Refused } from '../../../kit/define-tool.ts';
import { Folder, openTop } from './folder-handle.ts';

/** `links` names what a link leads to, or the link itself; `make` creates the folders in between. */
export type WalkOptions = { links: 'followed' | 'named'; make?: boolean };

const MAX_DEPTH = 100;
/** As many as the kernel follows. */
const MAX_LINKS = 40;
const INSIDE = 'Only what is inside the desk can be used.';
const RELATIVE = 'Give a path relative to the desk.';
/** Control characters, what turns the direction of writing, and what has no width. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** A part still to be walked, and the link it came from. */
type Part = { name: string; link: string | null };

/** The folders from the desk down to the current one; all of them stay open until the walk is over. */
class Trail implements AsyncDisposable {
  readonly desk: string;
  readonly path: string;
  readonly folders: Folder[];
  links = 0;

  constructor(desk: string, path: string, top: Folder) {
    this.desk = desk;
    this.path = path;
    this.folders = [top];
  }

  get top(): Folder {
    return this.folders[0] as Folder;
  }

  get here(): Folder {
    return this.folders.at(-1) as Folder;
  }

  async down(name: string): Promise<void> {
    if (this.folders.length > MAX_DEPTH) throw failure(`${this.path} is nested too deep`, 'Use a shorter path.');
    this.folders.push(await this.here.enter(name));
  }

  async up(): Promise<void> {
    if (this.folders.length === 1) throw new Refused(`${this.path} leads out of the desk`, INSIDE);
    await this.folders.pop()?.[Symbol.asyncDispose]();
  }

  async backToTop(): Promise<void> {
    while (this.folders.length > 1) await this.up();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.folders.splice(0)) await folder[Symbol.asyncDispose]();
  }
}

export async function openTrail(desk: string, path: string): Promise<Trail> {
  return new Trail(resolve(desk), path, await openTop(desk));
}

/** Walks into the folder that the path names. */
export async function walkInto(trail: Trail): Promise<void> {
  const last = await walkTo(trail, { links: 'followed' });
  if (last !== null) await trail.down(last);
  await assertInside(trail);
}

/** Walks into the folder that contains what the path names, and returns its name there; null when that is the desk. */
export async function walkTo(trail: Trail, way: WalkOptions): Promise<string | null> {
  const left: Part[] = splitDeskPath(trail.desk, trail.path).map((name) => ({ name, link: null }));
  if (left.length > MAX_DEPTH) throw failure(`${trail.path.slice(0, 100)}… is nested too deep`, 'Use a shorter path.');
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    const last = left.length === 0;
    if (last && part.name !== '..' && way.links === 'named') return await arriveAt(trail, part.name);
    if (part.name === '..') await trail.up();
    else {
      const found = await statPart(trail.here, part);
      if (found?.isSymbolicLink()) left.unshift(...(await readLinkParts(trail, part.name)));
      else if (last) return await arriveAt(trail, part.name);
      else await enterPart(trail, part.name, found, way.make === true);
    }
  }
  if (trail.folders.length === 1) return null;
  const name = basename(trail.here.real);
  await trail.up();
  return await arriveAt(trail, name);
}

/** The parts of a path below the desk (P1). */
function splitDeskPath(desk: string, path: string): string[] {
  if (path.includes('\0')) throw new Refused('the path has a NUL in it', RELATIVE);
  if (!path.isWellFormed()) throw new Refused('the path is not proper Unicode', RELATIVE);
  if (INVISIBLE.test(path)) throw new Refused(`${JSON.stringify(path)} has characters that cannot be seen`, RELATIVE);
  if (path.split('/').includes('..')) throw new Refused(`${path} has .. in it`, RELATIVE);
  const inside = isAbsolute(path) ? relative(resolve(desk), path) : path;
  if (isOutside(inside)) throw new Refused(`${path} is outside the desk`, RELATIVE);
  return splitNames(inside);
}

const isOutside = (fromTop: string): boolean => isAbsolute(fromTop) || fromTop.split('/')[0] === '..';
const splitNames = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

async function arriveAt(trail: Trail, name: string): Promise<string> {
  await assertInside(trail);
  return name;
}

/** A folder that was moved away during the walk is not used any more. */
async function assertInside({ top, here, path }: Trail): Promise<void> {
  const now = await here.whereabouts();
  if (isOutside(relative(await top.whereabouts(), now))) throw new Refused(`${path} leads out of the desk`, INSIDE);
}

/** Null when nothing has this name. */
async function statPart(folder: Folder, { name, link }: Part): Promise<Stats | null> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    if (link !== null) throw new Refused(`${link} is a link that leads nowhere`, 'Remove it first.');
    return null;
  }
}

/** What a link says, as parts to walk on with. */
async function readLinkParts(trail: Trail, link: string): Promise<Part[]> {
  trail.links += 1;
  if (trail.links > MAX_LINKS) throw failure(`${trail.path} is a circle of links`, 'Name the file itself.');
  const text = await readlink(trail.here.at(link));
  if (!isAbsolute(text)) return splitNames(text).map((name) => ({ name, link }));
  const from = [trail.top.real, trail.desk].find((top) => text === top || text.startsWith(`${top}/`));
  if (from === undefined) throw new Refused(`${trail.path} leads out of the desk`, INSIDE);
  await trail.backToTop();
  return splitNames(text.slice(from.length)).map((name) => ({ name, link }));
}

async function enterPart(trail: Trail, name: string, found: Stats | null, make: boolean): Promise<void> {
  if (found !== null && !found.isDirectory())
    throw failure(`${trail.path} goes through something that is not a folder`, 'See what is there with files.list.');
  if (found === null && make) await makeFolder(trail.here.at(name));
  await trail.down(name);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
