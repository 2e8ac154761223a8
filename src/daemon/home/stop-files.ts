/** Files with which a person stops everything, or pauses everything new. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../schema/home.ts';

/** While it is there nothing runs. */
export const stopFile = ({ oka }: Home): string => join(oka, 'STOP');

/** While it is there nothing new begins, and the queue fills. */
export const pauseFile = ({ oka }: Home): string => join(oka, 'PAUSED');

export const isStopped = (home: Home): boolean => existsSync(stopFile(home));
export const isPaused = (home: Home): boolean => existsSync(pauseFile(home));
