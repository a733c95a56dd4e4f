import { describe, expect, it } from 'vitest';
import { bundle, crd, csv, deployment, modes, webhook } from '../sample-bundle.fixture.js';
import { bundleProblems } from './bundle-problems.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const [VALIDATING, MUTATING, CONVERSION] = [
  'ValidatingAdmissionWebhook',
  'MutatingAdmissionWebhook',
  'ConversionWebhook',
] as const;

const rules = (apiGroups: string[], resources: string[]) => ({ rules: [{ apiGroups, resources }] });
const owned = (...names: string[]) => ({ customresourcedefinitions: { owned: names.map((name) => ({ name })) } });
const called = (...webhookdefinitions: object[]) => csv({ webhookdefinitions });

describe('what OLM v1 refuses in a bundle', () => {
  it.each([
    { what: csv(), others: [], says: [], because: 'it is good' },
    {
      what: csv({}, { deployments: ['b', 'a', 'b', 'a', 'a'].map((name) => deployment(name)) }),
      others: [],
      says: ['a', 'b'].map((name) => `cluster service version contains duplicate strategy deployment spec '${name}'`),
      because: 'each duplicate once, sorted',
    },
    {
      what: csv({}, { deployments: ['a-', `A${'a'.repeat(253)}`, ''].map((name) => deployment(name)) }),
      others: [],
      says: [
        `invalid cluster service version strategy deployment name '': ${SUBDOMAIN}`,
        `invalid cluster service version strategy deployment name 'A${'a'.repeat(253)}': ${SUBDOMAIN}, must be no more than 253 bytes`,
        `invalid cluster service version strategy deployment name 'a-': ${SUBDOMAIN}`,
      ],
      because: 'names are of objects',
    },
    {
      what: csv(owned('b.example', 'a.example', 'c.example')),
      others: [crd('c.example'), crd('d.example'), crd('d.example')],
      says: [
        "bundle contains duplicate custom resource definition 'd.example'",
        ...['a', 'b'].map(
          (name) =>
            `cluster service definition references owned custom resource definition '${name}.example' not found in bundle`,
        ),
      ],
      because: 'CRDs come with the bundle, once',
    },
    {
      what: csv(),
      others: [crd('clusterextensions.olm.operatorframework.io')],
      says: [
        'CustomResourceDefinition "clusterextensions.olm.operatorframework.io" defines an API of OLM or Flotilla, and no bundle may install or replace it',
      ],
      because: 'the hub acts on objects of these kinds with its own rights',
    },
    {
      what: called(webhook(MUTATING, 'b', { deploymentName: 'x' }), webhook(VALIDATING, 'a', { deploymentName: 'x' })),
      others: [],
      says: [
        `webhook of type '${MUTATING}' with name 'b' references non-existent deployment 'x'`,
        `webhook of type '${VALIDATING}' with name 'a' references non-existent deployment 'x'`,
      ],
      because: 'somebody must answer, by deployment, type and name',
    },
    {
      what: called(webhook(VALIDATING, 'a'), webhook(MUTATING, 'a'), webhook(MUTATING, 'a')),
      others: [],
      says: [`duplicate webhook 'a' of type '${MUTATING}'`],
      because: 'one name in two types is fine, twice in one is not',
    },
    {
      what: called(webhook(VALIDATING, 'a-'), webhook(CONVERSION, '')),
      others: [],
      says: [
        `webhook of type '${CONVERSION}' has invalid name '': ${SUBDOMAIN}`,
        `webhook of type '${VALIDATING}' has invalid name 'a-': ${SUBDOMAIN}`,
      ],
      because: 'a dash at the end is refused, though it would be cut',
    },
    {
      what: csv({
        ...owned('c.example'),
        webhookdefinitions: [
          webhook(CONVERSION, 'b', { conversionCRDs: ['x.example', 'c.example'] }),
          webhook(CONVERSION, 'a', { conversionCRDs: ['c.example'] }),
        ],
      }),
      others: [crd('c.example')],
      says: [
        "conversion webhooks [a,b] reference same custom resource definition 'c.example'",
        "conversion webhook 'b' references custom resource definition 'x.example' not owned bundle",
      ],
      because: 'one webhook converts a CRD, and only of this bundle',
    },
    {
      what: csv({
        installModes: modes('SingleNamespace', 'AllNamespaces'),
        webhookdefinitions: [webhook(CONVERSION, 'c'), webhook(VALIDATING, 'v')],
      }),
      others: [],
      says: [
        'bundle contains conversion webhook "c" and supports install modes [AllNamespaces SingleNamespace] - conversion webhooks are ' +
          'only supported for bundles that only support AllNamespaces install mode',
      ],
      because: 'conversion is cluster-wide',
    },
    {
      what: called(
        webhook(VALIDATING, 'a', rules(['apps', '*'], ['pods'])),
        webhook(
          MUTATING,
          'b',
          rules(['admissionregistration.k8s.io'], ['*', 'ValidatingWebhookConfigurations', 'others']),
        ),
        webhook(CONVERSION, 'c', rules(['*'], ['*'])),
      ),
      others: [],
      says: [
        'webhook "a" contains forbidden rule: admission webhook rules cannot reference API group "*"',
        'webhook "b" contains forbidden rule: admission webhook rules cannot reference resource "*" for API group "admissionregistration.k8s.io"',
        'webhook "b" contains forbidden rule: admission webhook rules cannot reference resource "ValidatingWebhookConfigurations" for API group "admissionregistration.k8s.io"',
      ],
      because: 'rules of conversion webhooks are not looked at',
    },
    {
      what: csv(),
      others: [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' } },
        { apiVersion: 'other.example/v1', kind: 'Service', metadata: { name: 's' } },
        { apiVersion: 'v1', kind: 'Namespace', metadata: {} },
      ],
      says: ['unsupported resource "d" with kind "DaemonSet"', 'unsupported resource "" with kind "Namespace"'],
      because: 'only kinds count, not groups',
    },
    {
      what: csv(),
      others: [
        crd('c.example'),
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Bad_Name' } },
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', labels: { 'a b': 'c' } } },
      ],
      says: [
        'ConfigMap Bad_Name: metadata.name "Bad_Name" is not a DNS name: at most 253 lower-case letters, digits, "-" and "."',
        'Secret s: metadata.labels: "a b" is not a label key',
      ],
      because: 'no API server takes these objects, whatever was applied before them',
    },
  ])('$because', ({ what, others, says }) => {
    expect(bundleProblems(bundle(what, ...others))).toEqual(says);
  });

  it('is a missing package name, too', () => {
    expect(bundleProblems({ ...bundle(csv()), packageName: '' })).toEqual(['package name is empty']);
  });
});
