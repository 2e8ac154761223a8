/** Files with which a person stops everything, or pauses everything new. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';

/** While it is there nothing runs. */
const stopFile = ({ oka }: Home): string => join(oka, 'STOP');

/** While it is there nothing new begins, and the queue fills. */
export const pauseFile = ({ oka }: Home): string => join(oka, 'PAUSED');

/** While it is there nobody has said that a restored home is the home now: it reaches nobody, and hears nobody. */
export const restoredFile = ({ oka }: Home): string => join(oka, 'RESTORED');

/** While it is there the fleet is stopped. The worker writes and removes it as the fleet orders, so it may start meanwhile. */
export const fleetStopFile = ({ oka }: Home): string => join(oka, 'FLEET_STOP');

/** While it is there the worker takes nothing new, and ends when it has finished. Removed when the next one starts. */
export const drainFile = ({ oka }: Home): string => join(oka, 'DRAIN');

export const isStopped = (home: Home): boolean => isStoppedHere(home) || existsSync(fleetStopFile(home));
export const isStoppedHere = (home: Home): boolean => existsSync(stopFile(home));
export const isDraining = (home: Home): boolean => existsSync(drainFile(home));

/** Why everything is stopped, and how to go on, for a person. */
export const describeStop = (home: Home): { why: string; fix: string } =>
  isStoppedHere(home)
    ? { why: `${stopFile(home)} is there`, fix: 'Remove the file to go on.' }
    : { why: 'the fleet is stopped', fix: 'Let it go on: oka fleet resume' };
export const isPaused = (home: Home): boolean => existsSync(pauseFile(home));
/** Whether nothing new begins. */
export const isHalted = (home: Home): boolean => isPaused(home) || isDraining(home);
