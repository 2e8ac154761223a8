/** What `oka doctor` reports about the policy: whether it can be loaded. A new folder has none before its first start. */
import { existsSync } from 'node:fs';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { fileFinding } from '../../kit/home/file-finding.ts';
import { isKnown, marksOf } from '../../kit/home/home-identity.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';

export async function policyFinding(home: Home): Promise<Finding> {
  if (!existsSync(home.policy) && !isKnown(marksOf(home)))
    return { state: 'good', what: 'policy', found: 'none yet; the first start makes it, or: oka init' };
  return fileFinding('policy', home.policy, async () => loadPolicy(home.policy, lineClassifierOf(home)));
}
