/**
 * Owns: which requests to a package registry only fetch packages.
 *
 * Q1 GET and HEAD, and POST to the two endpoints with which npm asks about known vulnerabilities.
 * Q2 None with credentials: a step has none of its own, so they would be somebody else's.
 */
import type { IncomingMessage } from 'node:http';

const AUDIT = /^\/(?:[^?#]*\/)?-\/npm\/v1\/security\/(?:advisories\/bulk|audits(?:\/quick)?)$/;
const CREDENTIALS = ['authorization', 'cookie', 'npm-otp', 'x-npm-auth', 'x-api-key', 'private-token', 'job-token'];

/** Why a request is not passed on to a registry, or null. */
export function registryObjection({ method = 'GET', headers }: IncomingMessage, path: string): string | null {
  const isAudit = method === 'POST' && AUDIT.test(path);
  if (method !== 'GET' && method !== 'HEAD' && !isAudit)
    return `${method} is not passed on to a package registry: this step may only fetch packages`;
  const sent = CREDENTIALS.find((name) => headers[name] !== undefined);
  if (sent !== undefined) return `${sent} is not passed on to a package registry: the step has no account there`;
  return null;
}
