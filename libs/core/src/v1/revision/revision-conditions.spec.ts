import { describe, expect, it } from 'vitest';
import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { type RolloutState, revisionConditions } from './revision-conditions.js';

const MADE = '2026-01-01T00:00:00Z';
const minutesLater = (minutes: number) => new Date(Date.parse(MADE) + minutes * 60_000);
const held = (type: string, reason: string, message = '') => ({
  type,
  status: 'True',
  reason,
  message,
  lastTransitionTime: MADE,
});
const revision = (progressDeadlineMinutes?: number, succeeded = false): ClusterObjectSet => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterObjectSet',
  metadata: {
    name: 'lamp-1',
    creationTimestamp: MADE,
    annotations: { 'olm.operatorframework.io/bundle-version': '1.2.0' },
  },
  spec: { lifecycleState: 'Active', revision: 1, ...(progressDeadlineMinutes && { progressDeadlineMinutes }) },
  status: {
    conditions: succeeded ? [held('Succeeded', 'Succeeded'), held('Available', 'ProbesSucceeded', 'all well')] : [],
  },
});
const said = (of: ClusterObjectSet, rollout: RolloutState, now = minutesLater(1)) =>
  revisionConditions(of, rollout, now).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );

const SUCCEEDED = 'Succeeded=True Succeeded: Revision succeeded rolling out.';
const ROLLED_OUT = 'Progressing=True Succeeded: Revision 1.2.0 has rolled out.';
const waiting: RolloutState = { state: 'waiting', failures: ['Object Deployment.apps/v1 lights/lamp: why'] };

describe('the conditions of a revision', () => {
  it.each([
    {
      because: 'all is there',
      of: revision(),
      rollout: { state: 'complete' },
      conditions: ['Available=True ProbesSucceeded: Objects are available and pass all probes.', ROLLED_OUT, SUCCEEDED],
    },
    {
      because: 'something is not ready',
      of: revision(),
      rollout: waiting,
      conditions: [
        'Available=False ProbeFailure: Object Deployment.apps/v1 lights/lamp: why',
        'Progressing=True RollingOut: Revision 1.2.0 is rolling out.',
      ],
    },
    {
      because: 'what was ready once fails: it has rolled out all the same',
      of: revision(undefined, true),
      rollout: waiting,
      conditions: ['Available=False ProbeFailure: Object Deployment.apps/v1 lights/lamp: why', ROLLED_OUT, SUCCEEDED],
    },
    {
      because: 'something stands in the way from the start: nothing is known of its objects',
      of: revision(),
      rollout: { state: 'retrying', error: 'collision' },
      conditions: ['Progressing=True Retrying: collision'],
    },
    {
      because: 'something stands in the way of what was ready',
      of: revision(undefined, true),
      rollout: { state: 'retrying', error: 'collision' },
      conditions: ['Available=Unknown Reconciling: collision', 'Progressing=True Retrying: collision', SUCCEEDED],
    },
    {
      because: 'somebody must put it right',
      of: revision(10),
      rollout: { state: 'blocked', error: 'not immutable' },
      conditions: ['Progressing=False Blocked: not immutable'],
    },
    {
      because: 'somebody must put it right, and its objects are as they were',
      of: revision(10, true),
      rollout: { state: 'blocked', error: 'not immutable' },
      conditions: ['Available=True ProbesSucceeded: all well', 'Progressing=False Blocked: not immutable', SUCCEEDED],
    },
    {
      because: 'its objects are being taken away',
      of: revision(),
      rollout: { state: 'archiving' },
      conditions: ['Progressing=True Retrying: removing revision resources that are not owned by another revision'],
    },
    {
      because: 'it is archived',
      of: revision(undefined, true),
      rollout: { state: 'archived' },
      conditions: [
        'Available=Unknown Archived: revision is archived',
        'Progressing=False Archived: revision is archived',
        SUCCEEDED,
      ],
    },
  ] as const)('$because', ({ of, rollout, conditions }) => {
    expect(said(of, rollout)).toEqual(conditions);
  });

  it.each([
    { minutes: 1, now: 0.9, reason: 'True RollingOut' },
    { minutes: 1, now: 1, reason: 'False ProgressDeadlineExceeded' },
    { minutes: 10, now: 9, reason: 'True RollingOut' },
  ])('a deadline of $minutes min after $now min: $reason', ({ minutes, now, reason }) => {
    expect(said(revision(minutes), waiting, minutesLater(now))[1]).toMatch(`Progressing=${reason}`);
  });

  it('a missed deadline quotes what was said of progress last, and success undoes it', () => {
    expect(said(revision(1), waiting, minutesLater(2))[1]).toBe(
      'Progressing=False ProgressDeadlineExceeded: Revision has not rolled out for 1 minute(s). Last status: Revision 1.2.0 is rolling out.',
    );
    expect(said(revision(12), { state: 'retrying', error: 'collision' }, minutesLater(12))[0]).toBe(
      'Progressing=False ProgressDeadlineExceeded: Revision has not rolled out for 12 minute(s). Last status: collision',
    );
    expect(said(revision(1), { state: 'complete' }, minutesLater(2))[1]).toBe(ROLLED_OUT);
    expect(said(revision(1, true), waiting, minutesLater(2))[1]).toBe(ROLLED_OUT);
  });

  it('of a ClusterObjectSet without a version of a bundle read well', () => {
    const { annotations: _version, ...metadata } = revision().metadata;
    const bare = { ...revision(), metadata };
    expect(said(bare, { state: 'complete' })).toContain('Progressing=True Succeeded: Revision has rolled out.');
    expect(said(bare, waiting)).toContain('Progressing=True RollingOut: Revision is rolling out.');
  });
});
