import { gunzipSync } from 'node:zlib';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type RevisionContent, revisionContent } from '#core/v1/revision/revision-content';
import type { RevisionsPass } from './extension-pass.js';

/** A CRD of 900 KiB compressed is far below this. */
const MAX_OBJECT_BYTES = 32 * 2 ** 20;

/** The manifests of a revision, from the Secrets that were read with it. */
export function readContent({ read, deps }: RevisionsPass, revision: ClusterObjectSet): RevisionContent {
  const { systemNamespace } = deps;
  const inflate = (bytes: Uint8Array) => gunzipSync(bytes, { maxOutputLength: MAX_OBJECT_BYTES });
  return revisionContent(revision, (place) => read.secrets.get(place), { systemNamespace, inflate });
}
