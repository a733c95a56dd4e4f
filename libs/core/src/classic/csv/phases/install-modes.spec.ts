import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { installModesError, unsupportedTargets } from './install-modes.js';

const csv = (...supported: string[]): ClusterServiceVersion => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'gear.v1', namespace: 'mill' },
  spec: { installModes: supported.map((type) => ({ type, supported: true })) },
});

describe('api-types.md §5, install modes against target namespaces', () => {
  it.each([
    { modes: ['OwnNamespace'], targets: ['mill'], error: undefined, because: 'own namespace' },
    {
      modes: ['AllNamespaces'],
      targets: ['mill'],
      error: 'OwnNamespace InstallModeType not supported, cannot configure to watch own namespace',
      because: 'own namespace asked of a global operator',
    },
    { modes: ['AllNamespaces'], targets: [''], error: undefined, because: 'all namespaces' },
    {
      modes: ['OwnNamespace'],
      targets: [''],
      error: 'AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces',
      because: 'all namespaces asked of a local operator',
    },
    { modes: ['SingleNamespace'], targets: ['quarry'], error: undefined, because: 'one other namespace' },
    {
      modes: ['OwnNamespace'],
      targets: ['quarry'],
      error: 'SingleNamespace InstallModeType not supported, cannot configure to watch one namespace',
      because: 'one other namespace is not the own one',
    },
    {
      modes: ['MultiNamespace'],
      targets: ['quarry', 'silo'],
      error: undefined,
      because: 'several, own not among them',
    },
    {
      modes: ['OwnNamespace'],
      targets: ['quarry', 'silo'],
      error: 'MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces',
      because: 'several asked of an operator for one',
    },
    {
      modes: ['MultiNamespace'],
      targets: ['mill', 'quarry'],
      error: 'OwnNamespace InstallModeType not supported, cannot configure to watch own namespace',
      because: 'several with the own one need both modes',
    },
    {
      modes: ['MultiNamespace', 'AllNamespaces'],
      targets: ['', 'quarry'],
      error: 'operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1',
      because: 'everything and one more makes no sense',
    },
    {
      modes: ['OwnNamespace'],
      targets: [],
      error: 'operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces',
      because: 'nothing to watch',
    },
  ])('$because', ({ modes, targets, error }) => {
    expect(unsupportedTargets(csv(...modes), 'mill', targets)).toBe(error);
  });

  it('does not take a mode that is listed as unsupported', () => {
    const off = csv();
    off.spec.installModes = [{ type: 'OwnNamespace', supported: false }];
    expect(unsupportedTargets(off, 'mill', ['mill'])).toContain('OwnNamespace InstallModeType not supported');
  });

  it('refuses a list that names a mode twice', () => {
    expect(installModesError(csv('OwnNamespace', 'OwnNamespace'))).toContain('InstallMode list contains duplicates');
    expect(installModesError(csv('OwnNamespace', 'AllNamespaces'))).toBeUndefined();
  });
});
