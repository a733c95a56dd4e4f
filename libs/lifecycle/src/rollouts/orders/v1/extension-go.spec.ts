import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESULT_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { ExtensionEnvironment } from '../../../v1/extensions/extension-environment.fixture.js';
import { keepExtensionResult } from './extension-go.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const BEFORE = '2026-06-01T11:00:00.000Z';
const FAILED = { rollout: 'gear-1', attempt: 2, bundle: 'gear.v2', result: 'Failed', reason: 'Blocked' };
const ROW = {
  rollout: 'gear-1',
  attempt: 2,
  result: 'Failed',
  resultReason: 'Blocked',
  target: { bundle: 'gear.v2' },
} as unknown as AssignmentRow;

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

describe('how an attempt ended', () => {
  it.each([
    { because: 'nothing is kept yet', kept: undefined, row: {}, written: true },
    { because: 'an earlier attempt failed for the same reason', kept: { attempt: 1 }, row: {}, written: true },
    { because: 'it failed for another reason', kept: { reason: 'ProgressDeadlineExceeded' }, row: {}, written: true },
    { because: 'another rollout failed', kept: { rollout: 'gear-0' }, row: {}, written: true },
    { because: 'it is kept already', kept: {}, row: {}, written: false },
  ])('is kept on the ClusterExtension once: $because', async ({ kept, row, written }) => {
    const before = kept === undefined ? undefined : JSON.stringify({ ...FAILED, at: BEFORE, ...kept });
    const after = JSON.stringify({ ...FAILED, at: NOW.toISOString() });
    expect(await annotationAfter(before, row)).toBe(written ? after : before);
  });

  it.each([
    { because: 'it is done', before: JSON.stringify({ ...FAILED, at: BEFORE }), row: { result: 'Done' } },
    { because: 'it is done, and no failure was kept', before: undefined, row: { result: 'Done' } },
    { because: 'it has not ended', before: undefined, row: { result: undefined } },
  ])('is not kept where $because', async ({ before, row }) => {
    expect(await annotationAfter(before, row)).toBeUndefined();
  });
});

async function annotationAfter(before: string | undefined, row: object): Promise<unknown> {
  env.extension({}, before === undefined ? {} : { annotations: { [RESULT_ANNOTATION]: before } });
  const read = () => env.cluster.get({ ...CLUSTER_EXTENSION_API, name: 'gear' }) as unknown as ClusterExtension;
  await keepExtensionResult(env.client, { ...ROW, ...row }, { extension: read() }, NOW);
  return read().metadata.annotations?.[RESULT_ANNOTATION];
}
