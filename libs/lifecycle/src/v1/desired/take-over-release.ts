import type { ExtensionPass } from '../extensions/extension-pass.js';
import type { ReleaseRevision } from './helm-release.js';
import { permissionProblems } from './preflight.js';
import { CHECK_AGAIN_MS, type NextRevision, troubleOf } from './revision-decision.js';

/** Makes a revision of a Helm release. The running objects stay as they are, so its CRDs need no check. */
export async function takeOverRelease(pass: ExtensionPass, release: ReleaseRevision): Promise<NextRevision> {
  const again = { againAfterMs: CHECK_AGAIN_MS };
  if ('error' in release) {
    const trouble = { reason: 'Retrying', message: release.error, installedUnknown: true } as const;
    return { next: 'trouble', trouble, ...again };
  }
  const { desired } = release;
  const problems = await permissionProblems(pass, desired);
  if (problems !== undefined) {
    return { next: 'trouble', trouble: troubleOf(desired.from, 'Retrying', problems), ...again };
  }
  return { next: 'make', desired, note: 'A Helm release of OLM v1 becomes a revision; running objects do not change.' };
}
