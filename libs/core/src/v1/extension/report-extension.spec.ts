import { describe, expect, it } from 'vitest';
import type { ClusterExtension } from '../../kernel/api/cluster-extension.js';
import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { revisionStates } from '../revision/revision-states.js';
import { type ExtensionReport, extensionStatusOf, statusEvents } from './report-extension.js';

const NOW = new Date('2026-01-02T00:00:00Z');
const BEFORE = '2026-01-01T00:00:00Z';
const extension: ClusterExtension = {
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
  metadata: { name: 'lamp', generation: 3 },
  spec: { namespace: 'lights', source: { sourceType: 'Catalog', catalog: { packageName: 'lamp' } } },
};
type Said = readonly [type: string, status: string, reason: string, message: string];
const revision = (number: number, ...said: readonly Said[]): ClusterObjectSet => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterObjectSet',
  metadata: {
    name: `lamp-${number}`,
    annotations: {
      'olm.operatorframework.io/bundle-name': `lamp.v${number}.0.0`,
      'olm.operatorframework.io/bundle-version': `${number}.0.0`,
      'olm.operatorframework.io/bundle-reference': `registry.example/lamp:${number}`,
    },
  },
  spec: { lifecycleState: 'Active', revision: number },
  status: {
    conditions: said.map(([type, status, reason, message]) => ({
      type,
      status,
      reason,
      message,
      lastTransitionTime: BEFORE,
    })),
  },
});
const done = (number: number) =>
  revision(
    number,
    ['Available', 'True', 'ProbesSucceeded', 'ready'],
    ['Progressing', 'True', 'Succeeded', 'has rolled out.'],
    ['Succeeded', 'True', 'Succeeded', ''],
  );
const rolling = (number: number, reason = 'RollingOut') =>
  revision(number, ['Available', 'False', 'ProbeFailure', 'no'], ['Progressing', 'True', reason, 'under way']);
const unknownDeprecation = 'Unknown DeprecationStatusUnknown';

const report = (revisions: readonly ClusterObjectSet[], more: Omit<ExtensionReport, 'states'> = {}) =>
  extensionStatusOf(extension, { states: revisionStates(revisions), ...more }, NOW);
const said = (status: ReturnType<typeof report>, type: string) => {
  const found = status.conditions?.find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
};

describe('v1-extension.md, status of a ClusterExtension', () => {
  const NOTHING = 'No bundle installed';
  const trouble = { reason: 'Retrying', message: 'no bundles found' } as const;
  const ONE = 'True Succeeded: Installed bundle registry.example/lamp:1 successfully';

  it.each([
    {
      because: 'Installed False/Failed, Progressing True/Retrying: nothing can be had',
      revisions: [],
      trouble,
      installed: `False Failed: ${NOTHING}`,
      progressing: 'True Retrying: no bundles found',
    },
    {
      because: 'Installed False/Absent, Progressing True/RollingOut: first revision rolling out healthily',
      revisions: [rolling(1)],
      installed: `False Absent: ${NOTHING}`,
      progressing: 'True RollingOut: under way no',
    },
    {
      because: 'Installed False/Failed: the newest rolling-out revision is Retrying',
      revisions: [rolling(1, 'Retrying')],
      installed: `False Failed: ${NOTHING}`,
      progressing: 'True Retrying: under way',
    },
    {
      because: 'Installed True/Succeeded, Progressing True/Succeeded: all is well',
      revisions: [done(1)],
      installed: ONE,
      progressing: 'True Succeeded: has rolled out.',
      available: 'True ProbesSucceeded: ready',
    },
    {
      because: 'Progressing True/RollingOut mirrors the newest rolling-out revision, Available the installed one',
      revisions: [done(1), rolling(2)],
      installed: ONE,
      progressing: 'True RollingOut: under way no',
      available: 'True ProbesSucceeded: ready',
    },
    {
      because: 'Progressing True/Retrying: no update can be had',
      revisions: [done(1)],
      trouble,
      installed: ONE,
      progressing: 'True Retrying: no bundles found',
      available: 'True ProbesSucceeded: ready',
    },
    {
      because: 'Progressing False/InvalidConfiguration: its configuration is wrong',
      revisions: [],
      trouble: { reason: 'InvalidConfiguration', message: 'unknown field' } as const,
      installed: `False Failed: ${NOTHING}`,
      progressing: 'False InvalidConfiguration: unknown field',
    },
    {
      because: 'Installed Unknown/Failed: it is not known what is installed',
      revisions: [],
      trouble: { ...trouble, installedUnknown: true } as const,
      installed: 'Unknown Failed: no bundles found',
      progressing: 'True Retrying: no bundles found',
    },
    {
      because: 'Progressing False/Blocked: only another spec can help',
      revisions: [done(1)],
      trouble: { reason: 'Blocked', message: 'invalid reference' } as const,
      installed: ONE,
      progressing: 'False Blocked: invalid reference',
      available: 'True ProbesSucceeded: ready',
    },
    {
      because: 'Progressing False/ProgressDeadlineExceeded mirrors the revision',
      revisions: [
        revision(1, [
          'Progressing',
          'False',
          'ProgressDeadlineExceeded',
          'Revision has not rolled out for 10 minute(s). Last status: Revision 1.0.0 is rolling out.',
        ]),
      ],
      installed: `False Absent: ${NOTHING}`,
      progressing:
        'False ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s). Last status: Revision 1.0.0 is rolling out.',
    },
    {
      because: 'a rollout names the object that it waits for',
      revisions: [
        revision(
          1,
          ['Available', 'False', 'ProbeFailure', 'Object Deployment.apps/v1 lamps/lamp: not ready'],
          ['Progressing', 'True', 'RollingOut', 'Revision 1.0.0 is rolling out.'],
        ),
      ],
      installed: `False Absent: ${NOTHING}`,
      progressing: 'True RollingOut: Revision 1.0.0 is rolling out. Object Deployment.apps/v1 lamps/lamp: not ready',
    },
    {
      because: 'and so does one that is late',
      revisions: [
        revision(
          1,
          ['Available', 'False', 'ProbeFailure', 'Object Deployment.apps/v1 lamps/lamp: not ready'],
          ['Progressing', 'False', 'ProgressDeadlineExceeded', 'Revision has not rolled out for 10 minute(s).'],
        ),
      ],
      installed: `False Absent: ${NOTHING}`,
      progressing:
        'False ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s). Object Deployment.apps/v1 lamps/lamp: not ready',
    },
  ])('$because', ({ revisions, installed, progressing, ...rest }) => {
    const status = report(revisions, 'trouble' in rest ? { trouble: rest.trouble } : {});
    expect(said(status, 'Installed')).toBe(installed);
    expect(said(status, 'Progressing')).toBe(progressing);
    expect(said(status, 'Available')).toBe('available' in rest ? rest.available : undefined);
  });

  it('lists the installed revision by name, and with their conditions those that roll out', () => {
    const { install, activeRevisions } = report([rolling(3), done(1), rolling(2)]);
    expect(install).toEqual({ bundle: { name: 'lamp.v1.0.0', version: '1.0.0' } });
    expect(activeRevisions?.map(({ name, conditions }) => [name, conditions?.map(({ type }) => type)])).toEqual([
      ['lamp-1', undefined],
      ['lamp-2', ['Available', 'Progressing']],
      ['lamp-3', ['Available', 'Progressing']],
    ]);
  });

  it('reports what a catalog says of the installed bundle, and nothing where none could be asked', () => {
    const deprecation = [{ reference: { schema: 'olm.bundle', name: 'lamp.v1.0.0' }, message: 'too old' }];
    expect(said(report([done(1)], { deprecation }), 'BundleDeprecated')).toBe('True Deprecated: too old');
    expect(said(report([rolling(1)], { deprecation }), 'BundleDeprecated')).toBe(
      'Unknown Absent: no bundle installed yet',
    );
    expect(said(report([rolling(1)], { deprecation }), 'Deprecated')).toBe('False NotDeprecated: not deprecated');
    expect(said(report([done(1)]), 'BundleDeprecated')).toMatch(unknownDeprecation);
  });

  it('names a version that is held back once all is well', () => {
    const note = 'Version "2.0.0" is held back.';
    expect(said(report([done(1)], { note }), 'Progressing')).toBe(`True Succeeded: has rolled out. ${note}`);
    expect(said(report([done(1), rolling(2)], { note }), 'Progressing')).toBe('True RollingOut: under way no');
  });

  it('keeps the time of a condition as long as its status stays', () => {
    const held = extensionStatusOf(extension, { states: revisionStates([rolling(1)]) }, new Date(BEFORE));
    const next = extensionStatusOf({ ...extension, status: held }, { states: revisionStates([done(1)]) }, NOW);
    const times = Object.fromEntries(
      (next.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    );
    expect(times).toMatchObject({ Progressing: BEFORE, Installed: '2026-01-02T00:00:00Z' });
    expect(next.conditions?.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true);
  });

  it('makes an Event of what is new, and only of that', () => {
    const status = report([done(1)]);
    const reasons = statusEvents(extension, status).map(({ type, reason }) => `${type} ${reason}`);
    expect(reasons).toEqual([
      'Normal AvailableProbesSucceeded',
      'Normal InstalledSucceeded',
      'Normal ProgressingSucceeded',
    ]);
    expect(statusEvents({ ...extension, status }, status)).toEqual([]);
    const failing = report([done(1)], { trouble });
    expect(statusEvents({ ...extension, status }, failing).map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Warning ProgressingRetrying',
    ]);
  });
});
