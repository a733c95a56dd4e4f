import { describe, expect, it } from 'vitest';
import { bundle, csv, modes, request } from '../sample-bundle.fixture.js';
import { readConfig } from './bundle-config.js';

const PREFIX = 'invalid ClusterExtension configuration: invalid configuration: ';
const configured = (supported: readonly string[], config: unknown, parts = {}) =>
  readConfig(bundle(csv({ installModes: modes(...supported) })), request({ config, ...parts }));
const complaint = (supported: readonly string[], config: unknown) => {
  const result = configured(supported, config);
  return 'error' in result ? result.error.replace(PREFIX, '') : undefined;
};

const OWN_ONLY =
  `invalid format for field "watchNamespace": 'shop' is not valid ownNamespaceInstallMode: invalid value "shop": must be "mill" ` +
  '(the namespace where the operator is installed) because this operator only supports OwnNamespace install mode';
const SINGLE_ONLY =
  `invalid format for field "watchNamespace": 'mill' is not valid singleNamespaceInstallMode: invalid value "mill": must be ` +
  'different from "mill" (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace';
const several = (...texts: string[]) => `multiple errors found:\n  - ${texts.join('\n  - ')}`;
const NO_BRANCH = 'invalid value for field "watchNamespace"';
const NOT_NULL = 'invalid type for field "watchNamespace": got string, want null';
const PATTERN = 'field "watchNamespace" must match pattern "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"';

type Row = Readonly<{ supported: readonly string[]; config: unknown; says: string | undefined; because: string }>;

describe('watchNamespace', () => {
  const [all, own, single] = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace'] as const;
  it.each<Row>([
    { supported: [all], config: {}, says: undefined, because: 'there is nothing to choose' },
    {
      supported: [all],
      config: { watchNamespace: 'shop' },
      says: 'unknown field "watchNamespace"',
      because: 'nor to say',
    },
    { supported: [all, own, single], config: { watchNamespace: null }, says: undefined, because: 'null is absent' },
    { supported: [all, own, single], config: { watchNamespace: 'shop' }, says: undefined, because: 'any is supported' },
    { supported: [all, own], config: { watchNamespace: 'mill' }, says: undefined, because: 'it is its own' },
    {
      supported: [all, own],
      config: { watchNamespace: 'shop' },
      says: several(NO_BRANCH, NOT_NULL, OWN_ONLY),
      because: 'only its own is supported beside all',
    },
    {
      supported: [all, single],
      config: { watchNamespace: 'mill' },
      says: several(NO_BRANCH, NOT_NULL, SINGLE_ONLY),
      because: 'only another one is supported beside all',
    },
    {
      supported: [all, own, single],
      config: { watchNamespace: '' },
      says: several(
        NO_BRANCH,
        NOT_NULL,
        'validation failed',
        'field "watchNamespace" must have minimum length of 1 (len=0)',
        PATTERN,
      ),
      because: 'two rules of one branch are a group, which OLM names so',
    },
    {
      supported: [own],
      config: undefined,
      says: 'required field "watchNamespace" is missing',
      because: 'it must be said',
    },
    {
      supported: [own],
      config: { colour: 'red' },
      says: several('required field "watchNamespace" is missing', 'unknown field "colour"'),
      because: 'what is missing comes first',
    },
    {
      supported: [own, single],
      config: { watchNamespace: '', colour: 'red' },
      says: several(
        'validation failed',
        'field "watchNamespace" must have minimum length of 1 (len=0)',
        PATTERN,
        'unknown field "colour"',
      ),
      because: 'what is unknown comes last',
    },
    {
      supported: [own],
      config: { watchNamespace: null },
      says: 'required field "watchNamespace" is missing',
      because: 'null is absent',
    },
    { supported: [own], config: { watchNamespace: 'shop' }, says: OWN_ONLY, because: 'it must be its own' },
    { supported: [single], config: { watchNamespace: 'mill' }, says: SINGLE_ONLY, because: 'it must be another' },
    { supported: [own, single], config: { watchNamespace: 'mill' }, says: undefined, because: 'any is supported' },
    {
      supported: [own, single],
      config: { watchNamespace: 'a'.repeat(64) },
      says: 'field "watchNamespace" must have maximum length of 63 (len=64)',
      because: 'no namespace has so long a name',
    },
    {
      supported: [own, single],
      config: { watchNamespace: `-${'a'.repeat(63)}` },
      says: several('field "watchNamespace" must have maximum length of 63 (len=64)', PATTERN),
      because: 'each rule that is broken is told',
    },
    { supported: [all], config: [], says: 'invalid type: got array, want object', because: 'it is no object' },
    { supported: [all], config: { b: 1, a: 2 }, says: 'unknown field "a"', because: 'the first of the unknown' },
    { supported: [all], config: { constructor: 1 }, says: 'unknown field "constructor"', because: 'keys are data' },
  ])('$supported with $config: $because', ({ supported, config, says }) => {
    expect(complaint(supported, config)).toBe(says);
  });

  it('is not asked for with the feature gate off, unless something is configured', () => {
    const gates = {};
    expect(configured([own], undefined, { gates })).toEqual({});
    expect(configured([own], {}, { gates })).toMatchObject({ reason: 'InvalidConfiguration' });
  });
});

// Answers of santhosh-tekuri/jsonschema 6.0.2, the checker in OLM v1, in OLM's words.
describe('deploymentConfig', () => {
  const at = (config: unknown) => ({ deploymentConfig: config });
  it.each([
    { config: null, says: 'required field "deploymentConfig" is missing' },
    { config: [], says: 'invalid type for field "deploymentConfig": got array, want object' },
    { config: { selector: {} }, says: 'unknown field "selector"' },
    { config: { env: {} }, says: 'invalid type for field "deploymentConfig.env": got object, want array' },
    { config: { env: [{}] }, says: 'validation failed' },
    { config: { env: [{}, {}] }, says: several('validation failed', 'validation failed') },
    {
      config: { env: [{ value: 5 }] },
      says: several(
        'validation failed',
        'required field "name" is missing',
        'invalid type for field "deploymentConfig.env.0.value": got number, want string',
      ),
    },
    { config: { env: [{ name: 'a', valueFrom: { secretKeyRef: {} } }] }, says: 'validation failed' },
    { config: { resources: { limits: { cpu: true } } }, says: 'validation failed' },
    { config: { resources: { limits: { cpu: 1 } } }, says: undefined },
    {
      config: { nodeSelector: { a: 5 } },
      says: 'invalid type for field "deploymentConfig.nodeSelector.a": got number, want string',
    },
    { config: { nodeSelector: null }, says: 'required field "deploymentConfig.nodeSelector" is missing' },
    { config: { tolerations: [{ tolerationSeconds: 1.5 }] }, says: 'validation failed' },
    { config: { volumeMounts: [{ name: 'v' }] }, says: 'validation failed' },
    { config: { volumes: [{ name: 'v', unknown: true }] }, says: undefined },
  ])('$config: $says', ({ config, says }) => {
    expect(complaint(['AllNamespaces'], at(config))).toBe(says);
  });

  it('reports what failed where OLM does not', () => {
    const config = at({ volumes: [{ name: 'v', secret: { items: [{}] } }], env: [{ name: 1 }] });
    expect(configured(['AllNamespaces'], config)).toMatchObject({
      details: [
        'invalid type for field "deploymentConfig.env.0.name": got number, want string',
        'deploymentConfig.volumes.0.secret.items.0: required field "key" is missing',
      ],
    });
  });

  it('is unknown with its feature gate off', () => {
    const result = configured(['AllNamespaces'], at({}), { gates: { SingleOwnNamespaceInstallSupport: true } });
    expect(result).toMatchObject({ error: `${PREFIX}unknown field "deploymentConfig"` });
  });
});
