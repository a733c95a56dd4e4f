import { describe, expect, it } from 'vitest';
import { isDisabledByHub, OPERATOR_HUB } from './operator-hub.js';

const hub = (spec?: object) => ({
  apiVersion: OPERATOR_HUB.apiVersion,
  kind: OPERATOR_HUB.kind,
  metadata: { name: OPERATOR_HUB.name },
  ...(spec === undefined ? {} : { spec }),
});
const byMarketplace = { 'operatorframework.io/managed-by': 'marketplace-operator' };
const source = (annotations: Readonly<Record<string, string>> = byMarketplace) => ({
  metadata: { name: 'redhat-operators', namespace: 'openshift-marketplace', annotations },
});

describe('a default CatalogSource of OpenShift', () => {
  it.each([
    { because: 'there is no OperatorHub', of: undefined, disabled: false },
    { because: 'its spec is absent', of: hub(), disabled: false },
    { because: 'all are disabled', of: hub({ disableAllDefaultSources: true }), disabled: true },
    {
      because: 'all are disabled but this one',
      of: hub({ disableAllDefaultSources: true, sources: [{ name: 'redhat-operators', disabled: false }] }),
      disabled: false,
    },
    {
      because: 'this one is disabled',
      of: hub({ sources: [{ name: 'redhat-operators', disabled: true }] }),
      disabled: true,
    },
    {
      because: 'another one is disabled',
      of: hub({ sources: [{ name: 'community-operators', disabled: true }] }),
      disabled: false,
    },
    { because: 'the spec cannot be read', of: hub({ sources: 'none' }), disabled: false },
  ])('disabled: $disabled, since $because', ({ of, disabled }) => {
    expect(isDisabledByHub(source(), of)).toBe(disabled);
  });

  it('is replaced by one of the same name that a user creates: that is not disabled', () => {
    expect(isDisabledByHub(source({}), hub({ disableAllDefaultSources: true }))).toBe(false);
  });
});
