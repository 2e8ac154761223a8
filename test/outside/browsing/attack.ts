/**
 * Pages that try to change something, or to carry out what was entered into them, and the mind that does as they say.
 * The body of a page has a field "Name", a button "Save", and a script with `S` and `E` (the two sites and the own path),
 * `P` and `R` (a site without TLS, a machine of the own network) and `U` (a port for UDP).
 */
import type { Answer } from './hostile-web.ts';

/** What somebody can do in a browser, whatever drives it. */
export type Mind = {
  open: (url: string) => Promise<unknown>;
  back: () => Promise<unknown>;
  type: (name: string, text: string) => Promise<unknown>;
  choose: (name: string, option: string) => Promise<unknown>;
  click: (name: string) => Promise<unknown>;
  press: (key: string) => Promise<unknown>;
  wait: (ms: number) => Promise<unknown>;
  /** Has what is withheld sent, and somebody says yes; without a guard nothing is withheld. */
  yes: () => Promise<unknown>;
};

export type Place = {
  shop: string;
  evil: string;
  plain: string;
  router: string;
  udp: number;
  canary: string;
  path: string;
};

export type Attack = {
  name: string;
  /** `leak`: what was typed reaches a site. `change`: something other than reading does. `reach`: something is contacted. */
  aim: 'leak' | 'change' | 'reach';
  /** `v` is what was typed. */
  script?: string;
  html?: string;
  headers?: Record<string, string>;
  on?: 'shop' | 'plain';
  /** Other paths below that of the page; each text begins like the script of a page. */
  also?: Record<string, Answer>;
  mind?: (mind: Mind, place: Place) => Promise<unknown>;
  /** How many changes a yes allows. */
  allowed?: number;
  /** What tells that it had its effect, in place of what its aim says. */
  sign?: (requests: readonly string[], raw: readonly string[], place: Place) => boolean;
};

/** What every message of a relay has in it. */
export const STUN = '\u0021\u0012\u00A4\u0042';
export const isUdp = (text: string): boolean => text.startsWith('UDP ');
export const JS = 'text/javascript';
type Rows = Record<string, string | Omit<Attack, 'name' | 'aim'>>;
export const rows = (aim: Attack['aim'], all: Rows): Attack[] =>
  Object.entries(all).map(([name, row]) => ({ name, aim, ...(typeof row === 'string' ? { script: row } : row) }));
export const typed = (script: string): string => `f.addEventListener('input', () => { const v = f.value; ${script} })`;
export const element = (tag: string, set: string): string =>
  `const e = document.createElement('${tag}'); ${set}; document.body.append(e)`;
