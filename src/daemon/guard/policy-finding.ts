/** What `oka doctor` reports about the policy: whether it can be loaded. */
import type { Finding } from '../../schema/finding.ts';
import type { Home } from '../../schema/home.ts';
import { fileFinding } from '../home/file-finding.ts';
import { lineClassifierOf } from './classifier.ts';
import { loadPolicy } from './policy-file.ts';

export function policyFinding(home: Home): Promise<Finding> {
  return fileFinding('policy', home.policy, async () => loadPolicy(home.policy, lineClassifierOf(home)));
}
