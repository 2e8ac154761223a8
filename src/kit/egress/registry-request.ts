/**
 * Owns: which requests to a package registry only fetch packages, and what of them goes on.
 *
 * Q1 GET and HEAD without a body and without a query, for a path that the step may ask for (package-scope.ts).
 * Q2 None with credentials: a step has none of its own, so they would be somebody else's.
 * Q3 Of the headers only the kind of answer goes on, and only in the forms that package managers use.
 */
import type { IncomingMessage } from 'node:http';
import type { Registry } from '../../core/guard/egress-rule.ts';
import { readFraming } from './headers.ts';
import type { PackageScope } from './package-scope.ts';

const CREDENTIALS = ['authorization', 'cookie', 'npm-otp', 'x-npm-auth', 'x-api-key', 'private-token', 'job-token'];
const KINDS =
  /^(?:application\/(?:vnd\.(?:npm\.install|pypi\.simple)\.\w+\+(?:json|html)|json|octet-stream)|text\/html|\*\/\*)$/;

/** Why a request is not passed on to a registry, or null. */
export function registryObjection(
  { method = 'GET', headers, rawHeaders, httpVersion }: IncomingMessage,
  path: string,
  registry: Registry,
  scope: PackageScope,
): string | null {
  if (method !== 'GET' && method !== 'HEAD')
    return `${method} is not passed on to a package registry: this step may only fetch packages`;
  const sent = CREDENTIALS.find((name) => headers[name] !== undefined);
  if (sent !== undefined) return `${sent} is not passed on to a package registry: the step has no account there`;
  const framing = readFraming(rawHeaders, httpVersion);
  if (!('none' in framing) && !('length' in framing && framing.length === '0'))
    return 'a request with a body is not passed on to a package registry: this step may only fetch packages';
  if (scope.isExhausted()) return 'this task has asked for too many packages that do not exist';
  if (path.includes('?') || !scope.admits(registry, path))
    return `${path.slice(0, 100)}: neither the command nor a manifest or lock file on the desk names this package, and none of theirs depends on it; what a command adds to a manifest, the next command can install`;
  return null;
}

/** The headers with which a package is fetched. */
export function fetchHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kinds = (headers.accept ?? '*/*').split(',').map((each) => each.trim().replace(/\s*;.*$/s, ''));
  return { accept: kinds.filter((each) => KINDS.test(each)).join(', ') || '*/*', 'user-agent': 'oka' };
}
