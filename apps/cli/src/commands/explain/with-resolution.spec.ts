import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '#core/cluster/diagnosis/diagnosis';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { csv, subscription } from '../../clusters/live-objects.fixture.js';
import { type ResolutionNow, withResolution } from './with-resolution.js';

const WELL: Diagnosis = {
  code: 'well',
  standing: 'well',
  because: ['mill.v1.1.0 is installed and its operator runs.'],
  todo: [],
};
const FAILED: Diagnosis = {
  code: 'resolution-failed',
  standing: 'failed',
  because: ['Its namespace could not be resolved.'],
  todo: [],
};
const GOES_ON: ResolutionNow = { well: true, state: 'settled', text: 'nothing is newer' };
const orphan = {
  kind: 'installed',
  subject: 'mill.v1.0.0',
  text: '',
  facts: { namespace: 'team' },
  because: [],
} as const;
const STOPPED: ResolutionNow = {
  ...{ well: false, state: 'cannot-be-met', message: 'no' },
  ...{ text: 'mill.v1.0.0 stays.\nDelete it, or not.', advice: 'Delete it, or not.', explanation: [orphan] },
};
const old = (phase: string): ClusterServiceVersion => {
  const one = csv('mill.v1.0.0', phase);
  return { ...one, metadata: { ...one.metadata, labels: { 'operators.coreos.com/mill.team': '' } } };
};
const around = (phase: string, ...subscriptions: ReturnType<typeof subscription>[]) => ({
  csvs: [csv('mill.v1.1.0', 'Succeeded'), old(phase)],
  subscriptions,
});

describe('what explain says of a Subscription', () => {
  it('is what resolution adds, where that goes on', () => {
    expect(withResolution(WELL, GOES_ON, around('Succeeded'))).toEqual({ ...WELL, resolution: GOES_ON });
  });

  it.each(['Replacing', 'Deleting'])(
    'is not contradicted by a resolution that fails while the old version is %s',
    (phase) => {
      const said = withResolution(WELL, STOPPED, around(phase));
      expect(said).toEqual({
        ...WELL,
        because: [...WELL.because, 'ClusterServiceVersion mill.v1.0.0, which was replaced, is being removed.'],
      });
    },
  );

  it('is not well where nothing newer can come', () => {
    const said = withResolution(WELL, STOPPED, around('Succeeded'));
    expect(said).toMatchObject({ code: 'resolution-failed', standing: 'failed', todo: [], resolution: STOPPED });
    expect(said.because).toEqual([
      ...WELL.because,
      'Its namespace cannot be resolved now, so no newer version is installed:',
    ]);
  });

  it('has the commands for its objects in place of what resolution advises in general', () => {
    const said = withResolution(FAILED, STOPPED, around('Succeeded', subscription()));
    expect(said.todo).toEqual([
      expect.stringMatching(/ patch subscription mill --subresource=status .*mill\.v1\.0\.0/),
    ]);
    expect(said.resolution?.text).toBe('mill.v1.0.0 stays.');
  });
});
