/** What `oka doctor` reports about the folders that the policy opens: those that no task can have, and why. */
import { realpathSync } from 'node:fs';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { folderPlaces, isInContainer } from '../../kit/settings.ts';
import { openApprovedFolders } from './approved-folders.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { mountAdvice } from './folder-grants.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';
import { policyFolderProblems } from './task-folders.ts';

/** Nothing when the policy opens none, or cannot be read, which is a finding of its own. */
export function folderFindings(home: Home): Finding[] {
  const folders = foldersIn(home);
  if (folders.length === 0) return [];
  const places = folderPlaces({ oka: realpathSync(home.oka), workspace: realpathSync(home.workspace) });
  const problems = policyFolderProblems(folders, places, openApprovedFolders(home).list());
  if (problems.length === 0)
    return [{ state: 'good', what: 'folders', found: `${folders.length} outside the desk, as POLICY.md opens them` }];
  return problems.map(({ written, problem, isMissing, access }) => ({
    state: 'odd',
    what: 'folders',
    found: `${written} ${problem}, so no task can use it`,
    fix:
      isMissing && isInContainer()
        ? mountAdvice(written, access)
        : `${isMissing ? 'Make it, or correct' : 'Correct'} its entry below folders: in .oka/rules/POLICY.md.`,
  }));
}

function foldersIn(home: Home): ReturnType<typeof loadPolicy>['policy']['folders'] {
  try {
    return loadPolicy(home.policy, lineClassifierOf(home)).policy.folders;
  } catch {
    return []; // a policy that is not valid is a finding of its own
  }
}
