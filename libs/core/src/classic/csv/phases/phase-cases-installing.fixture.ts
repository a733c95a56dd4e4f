import { held, installed } from '../serving/serving.fixture.js';
import { gear, installedDeployments } from '../world/csv-world.fixture.js';
import {
  at,
  type Case,
  checks,
  condition,
  configured,
  converts,
  crd,
  everywhere,
  foreign,
  GUARDS_ALL,
  guarded,
  guardsAll,
  LONG_AGO,
  MISSING,
  magic,
  mixed,
  NO_VERB,
  noVerb,
  OTHER_HASH,
  owns,
  PAST_DEADLINE,
  pastDeadline,
  providing,
  SUCCEEDED,
  seesAll,
  serves,
  servingGroup,
  tooNew,
  twice,
  UNHASHED,
  UNKNOWN,
  unhashed,
  waiting,
  withDeployments,
} from './phase-cases.fixture.js';

/** Cases of a CSV on its way to Succeeded, by phase. */
export const INSTALLING_CASES: Readonly<Record<string, readonly Case[]>> = {
  '': [
    { when: 'always', goes: 'Pending / RequirementsUnknown', csv: gear('v1'), says: 'requirements not yet checked' },
  ],
  Pending: [
    {
      when: 'CSV it replaces exists and is not upgradeable',
      goes: 'Pending / OperatorConditionNotUpgradeable',
      csv: gear('v2', { replaces: 'v1' }, at('Pending')),
      others: [gear('v1', {}, at('Replacing'))],
      parts: condition('v1', 'busy'),
      says: 'operator is not upgradeable: the operator is not upgradeable: busy',
    },
    ...[magic, noVerb, mixed].map((spec) => ({
      when: 'strategy name not deployment, or a rule has no verb or mixes resources and URLs',
      goes: 'Failed / InvalidInstallStrategy',
      csv: gear('v1', spec, at('Pending')),
      says:
        spec === magic
          ? UNKNOWN
          : spec === noVerb
            ? NO_VERB
            : 'install strategy invalid: rule cannot apply to both regular resources and non-resource URLs',
    })),
    {
      when: 'some requirement unmet',
      goes: 'Pending / RequirementsNotMet',
      csv: gear('v1', tooNew, at('Pending')),
      says: "one or more requirements couldn't be found",
    },
    {
      when: 'duplicate webhook generateName, or forbidden webhook rules',
      goes: 'Failed / InvalidWebhookDescription',
      csv: gear('v1', twice, at('Pending')),
      says: 'CSV contains repeated WebhookDescription name',
    },
    {
      when: 'duplicate webhook generateName, or forbidden webhook rules',
      goes: 'Failed / InvalidWebhookDescription',
      csv: gear('v1', guardsAll, at('Pending')),
      says: GUARDS_ALL,
    },
    {
      when: 'CRD owned by a CSV of the namespace outside the replacement chain',
      goes: 'Failed / OwnerConflict',
      csv: gear('v2', owns, at('Pending')),
      others: [gear('other', owns, at('Succeeded'))],
      parts: { ...crd(), ...providing },
      says: 'conflicting CRD owner in namespace',
    },
    {
      when: 'owned APIService exists and is not adoptable',
      goes: 'Failed / OwnerConflict',
      csv: gear('v1', serves, at('Pending')),
      parts: { ...foreign, ...servingGroup },
      says: 'unable to adopt APIService',
    },
    ...['Succeeded', 'Failed', 'Installing'].map((phase) => ({
      when: 'replaced CSV exists and its phase is not Replacing',
      csv: gear('v2', { replaces: 'v1' }, at('Pending')),
      others: [gear('v1', {}, at(phase))],
    })),
    {
      when: 'else',
      goes: 'InstallReady / AllRequirementsMet',
      csv: gear('v1', guarded, at('Pending')),
      says: 'all requirements found, attempting install',
    },
    {
      when: 'else',
      goes: 'InstallReady / AllRequirementsMet',
      csv: gear('v2', { ...owns, replaces: 'v1' }, at('Pending')),
      others: [gear('v1', owns, at('Replacing'))],
      parts: { ...crd(), ...providing },
      says: 'all requirements found, attempting install',
    },
    {
      when: 'else',
      goes: 'InstallReady / AllRequirementsMet',
      csv: gear('v2', { replaces: 'v2' }, at('Pending')),
      says: 'all requirements found, attempting install',
    },
  ],
  InstallReady: [
    {
      when: 'strategy name not deployment',
      goes: 'Failed / InvalidInstallStrategy',
      csv: gear('v1', magic, at('InstallReady')),
      says: UNKNOWN,
    },
    {
      when: 'Flotilla: installed too often of late',
      csv: gear(
        'v1',
        {},
        at('InstallReady', 'AllRequirementsMet', {
          conditions: Array.from({ length: 6 }, () => ({
            phase: 'InstallReady',
            reason: 'AllRequirementsMet',
            message: '',
            lastUpdateTime: '2026-01-01T00:09:30Z',
          })),
        }),
      ),
    },
    { when: 'Flotilla: certificates are being created', csv: gear('v1', guarded, at('InstallReady')) },
    {
      when: 'install error',
      goes: 'Failed / InstallComponentFailed',
      csv: seesAll(gear('v1', converts('others.example.com'), at('InstallReady'))),
      parts: { ...crd(), ...everywhere, servingCertificates: held() },
      says: 'install strategy failed: csv v1 does not own CRD others.example.com',
    },
    {
      when: 'ok',
      goes: 'Installing / InstallSucceeded',
      csv: gear('v1', {}, at('InstallReady')),
      says: 'waiting for install components to report healthy',
      does: [{ do: 'create', object: { kind: 'Deployment', metadata: { name: 'gear' } } }],
    },
  ],
  Installing: [
    {
      when: 'strategy name not deployment',
      goes: 'Failed / InvalidInstallStrategy',
      csv: gear('v1', magic, at('Installing')),
      says: UNKNOWN,
    },
    {
      when: 'CA bundle or cert secret unreadable',
      goes: 'Pending / NeedsReinstall',
      csv: gear('v1', guarded, at('Installing')),
      parts: { ...installed(gear('v1', guarded)), servingCertificates: new Map() },
      says: 'calculated deployment install is bad',
    },
    {
      when: 'CA bundle or cert secret unreadable',
      goes: 'Pending / NeedsReinstall',
      csv: gear('v1', guarded, at('Installing')),
      parts: { ...installed(gear('v1', guarded)), webhookConfigurations: [] },
      says: 'calculated deployment install is bad',
    },
    {
      when: 'not ok and 5 min since last phase transition',
      goes: 'Failed / InstallCheckFailed',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: LONG_AGO })),
      says: 'install timeout',
    },
    {
      when: 'check: anything else',
      goes: 'Installing / InstallWaiting',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: '2026-01-01T00:05:01Z' })),
      // One of that name belongs to another CSV.
      parts: { deployments: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gear' } }] },
      says: `installing: ${MISSING}`,
    },
    {
      when: 'Flotilla: its replacement has succeeded with its Deployment',
      goes: 'Replacing / BeingReplaced',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting')),
      others: [gear('v2', { replaces: 'v1' }, at('Replacing')), gear('v3', { replaces: 'v2' }, at('Succeeded'))],
      parts: { deployments: installedDeployments(gear('v3', { replaces: 'v2' })) },
      says: 'being replaced by csv: v2',
    },
    {
      when: 'check: anything else',
      goes: 'Installing / InstallWaiting',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting')),
      // The CSV that replaces it does not exist yet.
      others: [gear('v2', { replaces: 'v1' }, at('Installing'))],
      parts: { deployments: installedDeployments(gear('v2', { replaces: 'v1' })) },
      says: `installing: ${MISSING}`,
    },
    {
      when: 'Flotilla: a Deployment is gone',
      goes: 'InstallReady / InstallWaiting',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: '2026-01-01T00:05:01Z' })),
      says: `installing: ${MISSING}`,
    },
    ...[waiting, pastDeadline].flatMap((change) =>
      [{}, { lastTransitionTime: LONG_AGO }].map((times) => ({
        when: 'Flotilla: a Deployment is installed with another spec',
        goes: 'InstallReady / InstallWaiting',
        csv: gear('v1', {}, at('Installing', 'InstallWaiting', times)),
        parts: { ...withDeployments(gear('v1'), change), ...configured },
        says: OTHER_HASH,
      })),
    ),
    {
      when: 'check: Deployment hash/annotation drift',
      goes: 'InstallReady / InstallWaiting',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: LONG_AGO })),
      parts: withDeployments(gear('v1'), unhashed),
      says: UNHASHED,
    },
    {
      when: 'check: unrecoverable',
      goes: 'Failed / InstallCheckFailed',
      csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: LONG_AGO })),
      parts: withDeployments(gear('v1'), pastDeadline),
      says: PAST_DEADLINE,
    },
    {
      when: 'check: APIServices unavailable',
      goes: 'Installing / InstallWaiting',
      csv: gear('v1', serves, at('Installing')),
      parts: {
        ...installed(gear('v1', serves), servingGroup),
        deployments: installedDeployments(gear('v1', serves), {}, installed(gear('v1', serves))),
        servedKinds: new Set(),
      },
      says: 'apiServices not installed',
    },
    ...checks('Installing', 'InstallSucceeded', 'Installing / InstallWaiting'),
    {
      when: 'check ok',
      goes: 'Succeeded / InstallSucceeded',
      csv: gear('v1', {}, at('Installing')),
      parts: installed(gear('v1')),
      says: SUCCEEDED,
    },
  ],
};
