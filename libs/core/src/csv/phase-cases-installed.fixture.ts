import { gear } from './csv-world.fixture.js';
import {
  at,
  type Case,
  checks,
  converts,
  crd,
  everywhere,
  failForward,
  foreign,
  GUARDS_ALL,
  guarded,
  guardsAll,
  magic,
  NAME,
  NO_VERB,
  noVerb,
  owns,
  providing,
  SUCCEEDED,
  seesAll,
  serves,
  servingGroup,
  tooNew,
  UNKNOWN,
} from './phase-cases.fixture.js';
import { held, heldButDue, installed } from './serving/serving.fixture.js';

/** Cases of a CSV that has been installed, or failed to be, by phase. */
export const INSTALLED_CASES: Readonly<Record<string, readonly Case[]>> = {
  Succeeded: [
    {
      when: 'another non-copied CSV has spec.replaces = this',
      csv: gear('v1', {}, at('Succeeded')),
      others: [gear('v2', { replaces: 'v1' })],
      says: 'being replaced by csv: v2',
    },
    { when: 'strategy name not deployment', csv: gear('v1', magic, at('Succeeded')), says: UNKNOWN },
    {
      when: 'owned APIService resources broken',
      csv: gear('v1', serves, at('Succeeded')),
      parts: servingGroup,
      says: 'apiservice.apiregistration.k8s.io "v1.run.example.org" not found',
    },
    {
      when: 'certs due',
      csv: gear('v1', guarded, at('Succeeded')),
      parts: { servingCertificates: heldButDue() },
      says: 'CSV owns resources that require a cert refresh',
    },
    {
      when: 'certs due',
      csv: gear('v1', guarded, at('Succeeded')),
      says: 'CSV owns resources that require a cert refresh',
    },
    { when: 'strategy invalid', csv: gear('v1', noVerb, at('Succeeded')), says: NO_VERB },
    { when: 'requirements lost', csv: gear('v1', tooNew, at('Succeeded')), says: 'requirements no longer met' },
    {
      when: 'bad CA data',
      csv: gear('v1', guarded, at('Succeeded')),
      parts: { ...installed(gear('v1', guarded)), webhookConfigurations: [] },
      says: 'calculated deployment install is bad',
    },
    {
      when: 'bad CA data',
      csv: seesAll(gear('v1', converts(NAME), at('Succeeded'))),
      parts: { ...installed(seesAll(gear('v1', converts(NAME)))), ...crd(), ...everywhere },
      says: 'calculated deployment install is bad',
    },
    ...checks('Succeeded', 'InstallSucceeded'),
    { when: 'ok', csv: gear('v1', {}, at('Succeeded')), parts: installed(gear('v1')), says: SUCCEEDED },
  ],
  Failed: [
    {
      when: 'fail-forward group and a replacement exists',
      csv: gear('v1', {}, at('Failed')),
      others: [gear('v2', { replaces: 'v1' })],
      parts: failForward,
      says: 'Fail Forward is enabled, allowing Failed csv to be replaced by csv: v2',
    },
    {
      when: 'strategy name not deployment',
      csv: gear('v1', magic, at('Failed', 'NoOperatorGroup')),
      says: UNKNOWN,
    },
    ...['NoTargetNamespaces', 'NoOperatorGroup', 'TooManyOperatorGroups', 'UnsupportedOperatorGroup'].map((reason) => ({
      when: 'reason was about group or targets',
      csv: gear('v1', {}, at('Failed', reason)),
      says: 'InstallModes now support target namespaces',
    })),
    {
      when: 'reason InterOperatorGroupOwnerConflict',
      csv: gear('v1', {}, at('Failed', 'InterOperatorGroupOwnerConflict')),
      says: 'OperatorGroup no longer intersecting with conflicting owner',
    },
    {
      when: 'reason CannotModifyStatic…',
      csv: gear('v1', {}, at('Failed', 'CannotModifyStaticOperatorGroupProvidedAPIs')),
      says: 'static OperatorGroup and intersecting groups now support providedAPIs',
    },
    { when: 'strategy invalid', csv: gear('v1', noVerb, at('Failed', 'ComponentUnhealthy')), says: NO_VERB },
    {
      when: 'Flotilla: webhooks still invalid',
      csv: gear('v1', guardsAll, at('Failed', 'InvalidWebhookDescription')),
      says: GUARDS_ALL,
    },
    {
      when: 'Flotilla: CRD still owned by another',
      csv: gear('v2', owns, at('Failed', 'OwnerConflict')),
      others: [gear('other', owns, at('Succeeded'))],
      parts: { ...crd(), ...providing },
      says: 'conflicting CRD owner in namespace',
    },
    {
      when: 'Flotilla: install still impossible',
      csv: seesAll(gear('v1', converts(), at('Failed', 'InstallComponentFailed'))),
      parts: { ...crd(), ...everywhere, servingCertificates: held() },
      says: 'install strategy failed: unable to manager conversion webhook: conversion webhook must have at least one CRD specified',
    },
    {
      when: 'requirements unmet',
      csv: gear('v1', tooNew, at('Failed', 'ComponentUnhealthy')),
      says: 'requirements not met',
    },
    {
      when: 'Flotilla: install refused a short while ago',
      csv: gear(
        'v1',
        {},
        at('Failed', 'InstallComponentFailed', { lastTransitionTime: '2026-01-01T00:09:59Z', conditions: [] }),
      ),
    },
    {
      when: 'owned APIService unadoptable',
      csv: gear('v1', serves, at('Failed', 'APIServiceResourceIssue')),
      parts: { ...foreign, ...servingGroup },
    },
    {
      when: 'APIService resources broken and none unadoptable',
      csv: gear('v1', serves, at('Failed', 'APIServiceResourceIssue')),
      parts: servingGroup,
      says: 'apiservice.apiregistration.k8s.io "v1.run.example.org" not found',
    },
    {
      when: 'certs due',
      csv: gear('v1', guarded, at('Failed')),
      parts: { servingCertificates: heldButDue() },
      says: 'owned APIServices need cert refresh',
    },
    {
      when: 'bad CA data',
      csv: gear('v1', guarded, at('Failed')),
      parts: { ...installed(gear('v1', guarded)), webhookConfigurations: [] },
      says: 'calculated deployment install is bad',
    },
    ...checks('Failed', 'ComponentUnhealthy'),
    { when: 'check ok', csv: gear('v1', {}, at('Failed')), parts: installed(gear('v1')), says: SUCCEEDED },
  ],
  Replacing: [
    {
      when: 'it itself replaces an existing CSV',
      csv: gear('v2', { replaces: 'v1' }, at('Replacing')),
      others: [gear('v1', {}, at('Replacing')), gear('v3', { replaces: 'v2' }, at('Succeeded'))],
    },
    {
      when: 'replacement (fail-forward: last of the chain) Succeeded',
      csv: gear('v1', {}, at('Replacing')),
      others: [gear('v2', { replaces: 'v1' }, at('Succeeded'))],
      says: 'has been replaced by a newer ClusterServiceVersion that has successfully installed.',
    },
    {
      when: 'replacement (fail-forward: last of the chain) Succeeded',
      csv: gear('v1', {}, at('Replacing')),
      others: [gear('v2', { replaces: 'v1' }, at('Failed')), gear('v3', { replaces: 'v2' }, at('Succeeded'))],
      parts: failForward,
      says: 'has been replaced by a newer ClusterServiceVersion that has successfully installed.',
    },
    {
      when: 'replacement not Succeeded, or none',
      csv: gear('v1', {}, at('Replacing')),
      others: [gear('v2', { replaces: 'v1' }, at('Installing'))],
    },
    { when: 'replacement not Succeeded, or none', csv: gear('v1', {}, at('Replacing')) },
  ],
  Deleting: [
    {
      when: 'always',
      csv: gear('v1', {}, at('Deleting')),
      does: [{ do: 'delete', ref: { kind: 'ClusterServiceVersion', name: 'v1', namespace: 'mill' }, uid: 'uid-of-v1' }],
    },
  ],
};
