import type { ExtensionPass } from '../extensions/extension-pass.js';
import { followBundle } from './follow-bundle.js';
import { releaseRevision } from './helm-release.js';
import { accountProblem } from './preflight.js';
import { CHECK_AGAIN_MS, type NextRevision } from './revision-decision.js';
import { rollBackRevision } from './roll-back-revision.js';
import { takeOverRelease } from './take-over-release.js';
import { wantedBundle } from './wanted-bundle.js';

/** Resolves, pulls, renders and checks the desired bundle. Writes nothing. */
export async function nextRevision(pass: ExtensionPass): Promise<NextRevision> {
  const account = await accountProblem(pass);
  if (account !== undefined) {
    const trouble = { reason: 'Retrying', message: account, installedUnknown: true } as const;
    return { next: 'trouble', trouble, againAfterMs: CHECK_AGAIN_MS };
  }
  const release = await releaseRevision(pass);
  if (release !== undefined) return takeOverRelease(pass, release);
  const wanted = await wantedBundle(pass);
  if (wanted.kind === 'wait') return { next: 'wait' };
  if (wanted.kind === 'trouble') return { next: 'trouble', trouble: wanted.trouble };
  if (wanted.kind === 'rollback') return rollBackRevision(pass, wanted.to);
  const { deprecation, note } = wanted;
  return { deprecation, note, ...(await followBundle(pass, wanted)) };
}
