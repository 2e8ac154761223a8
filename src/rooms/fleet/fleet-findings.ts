/** What `oka doctor` reports about the message servers of a fleet. */
import { failedServers, RESTART } from './servers/failed-servers.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { fleetEnvironment } from '../../kit/settings.ts';

export async function fleetFindings(): Promise<Finding[]> {
  const environment = fleetEnvironment();
  if (environment === null) return [];
  const failed = await failedServers(environment.monitors);
  return failed.map((found) => ({ state: 'bad', what: 'fleet', found, fix: RESTART }));
}
