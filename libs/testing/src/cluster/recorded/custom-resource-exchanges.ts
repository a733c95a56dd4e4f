import { NAMESPACE, type RecordedExchange } from './exchange.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ALL = `/apis/t.dev/v1/namespaces/${NAMESPACE}/foos`;
const G = `${ALL}/g`;

const text = { type: 'string' };
const specSchema = {
  type: 'object',
  required: ['a', 'b'],
  properties: {
    a: { type: 'string', enum: ['x', 'y'] },
    b: { type: 'integer', minimum: 1, maximum: 5 },
    c: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 3 },
    d: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text, v: { type: 'integer', default: 7 } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    e: { 'x-kubernetes-int-or-string': true },
    f: { type: 'object', additionalProperties: text },
    g: { type: 'boolean', nullable: true },
    h: { type: 'array', items: text, maxItems: 2, minItems: 1 },
    i: { type: 'string', format: 'date-time' },
    j: { type: 'number', exclusiveMinimum: true, minimum: 0 },
    k: { type: 'object', minProperties: 1, additionalProperties: { type: 'object', properties: { z: text } } },
    l: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    m: { type: 'object', oneOf: [{ required: ['p'] }, { required: ['q'] }], properties: { p: text, q: text } },
    n: { type: 'integer', multipleOf: 2 },
    o: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { p: text } },
  },
};

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.t.dev' },
  spec: {
    group: 't.dev',
    scope: 'Namespaced',
    names: { plural: 'foos', kind: 'Foo' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: { status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, spec: specSchema },
          },
        },
      },
    ],
  },
};

const foo = (name: string, spec: unknown, rest: object = {}) => ({
  apiVersion: 't.dev/v1',
  kind: 'Foo',
  metadata: { name },
  spec,
  ...rest,
});
const create = (because: string, name: string, spec: unknown, query = '?fieldManager=m'): RecordedExchange => ({
  because,
  method: 'POST',
  path: `${ALL}${query}`,
  body: foo(name, spec),
});
const patch = (
  because: string,
  path: string,
  type: NonNullable<RecordedExchange['type']>,
  body: unknown,
): RecordedExchange => ({
  because,
  method: 'PATCH',
  path,
  type,
  body,
});
const apply = (because: string, path: string, body: unknown) => patch(because, path, 'apply', body);
const valid = { a: 'x', b: 1 };
const lists = {
  ...valid,
  d: [{ name: 'q', v: 1 }, { name: 'r' }],
  l: ['1', '2'],
  o: { p: 'q' },
  k: { zz: { z: '1' } },
  h: ['1'],
};
const status = { p: { q: '1' }, c: [{ type: 'a' }] };

/**
 * Effects of a definition: discovery, schema, pruning, defaults, ownership by its list types, the status
 * subresource.
 */
export const customResourceExchanges: readonly RecordedExchange[] = [
  {
    because: 'a name must be plural.group',
    method: 'POST',
    path: `${DEFINITIONS}?dryRun=All&fieldManager=m`,
    body: { ...definition, metadata: { name: 'foo' } },
  },
  {
    because: 'a definition is taken',
    method: 'POST',
    path: `${DEFINITIONS}?dryRun=All&fieldManager=m`,
    body: definition,
  },
  {
    because: 'and stored',
    method: 'PATCH',
    path: `${DEFINITIONS}/foos.t.dev?fieldManager=m`,
    type: 'apply',
    body: definition,
  },
  { because: 'its group is served soon', method: 'GET', path: '/apis/t.dev', until: 200 },
  { because: 'and its resources', method: 'GET', path: `${ALL}?limit=500`, until: 200 },
  create('required fields are asked for', 'f1', {}),
  create('enum, limits and lengths are checked', 'f2', { a: 'z', b: 9, c: 'A' }),
  create('types are checked', 'f3', { a: 1, b: 'x' }),
  create('an integer is whole', 'f4', { a: 'x', b: 1.5 }),
  create('items and keys of a list-map are checked', 'f5', { ...valid, d: [{ v: 3 }, { name: 'n' }, { name: 'n' }] }),
  create('int-or-string, maps and short lists', 'f6', { ...valid, e: true, f: { x: 1 }, g: null, h: [] }),
  create('long lists, formats, exclusive limits, empty maps', 'f7', {
    ...valid,
    h: ['a', 'b', 'c'],
    i: 'zz',
    j: 0,
    k: {},
  }),
  create('sets, oneOf and multiples', 'f8', { ...valid, l: ['a', 'a'], m: {}, n: 3 }),
  create('oneOf takes one only', 'f9', { ...valid, m: { p: '1', q: '2' } }),
  create('null is no value where null is not allowed', 'f10', { a: null, b: 1, c: null }),
  create('a list is no object', 'f11', []),
  create('a string is no object', 'f12', 's'),
  create('unknown fields are pruned with a warning, defaults set', 'f13', {
    ...valid,
    bogus: 2,
    d: [{ name: 'q', zap: 1 }],
  }),
  create(
    'strictly, they are refused',
    'f14',
    { ...valid, bogus: 2, d: [{ name: 'q', zap: 1 }] },
    '?fieldValidation=Strict',
  ),
  create('maps, sets and atomic parts are owned as the schema says', 'f15', {
    ...valid,
    o: { p: 'q' },
    k: { zz: { z: '1' } },
    l: ['q'],
    f: { a: '1' },
  }),
  {
    because: 'the version must be that of the path',
    method: 'POST',
    path: ALL,
    body: { apiVersion: 't.dev/v2', kind: 'Foo', metadata: { name: 'x' } },
  },
  apply('an apply owns by list type', `${G}?fieldManager=x`, foo('g', lists)),
  apply(
    'conflicts name the item',
    `${G}?fieldManager=y`,
    foo('g', { ...lists, d: [{ name: 'q', v: 2 }, { name: 't' }], l: ['3'] }),
  ),
  apply(
    'force takes the item, adds to lists',
    `${G}?fieldManager=y&force=true`,
    foo('g', { ...lists, d: [{ name: 'q', v: 2 }, { name: 't' }], l: ['3'] }),
  ),
  apply('what only the first applied goes', `${G}?fieldManager=x`, foo('g', valid)),
  apply('status is applied on its own', `${G}/status?fieldManager=x`, {
    apiVersion: 't.dev/v1',
    kind: 'Foo',
    metadata: { name: 'g' },
    status,
  }),
  patch('on /status the spec does not change', `${G}/status?fieldManager=z`, 'merge', {
    status: { p: { q: '2' } },
    spec: { b: 2 },
  }),
  patch('on the object the status does not', `${G}?fieldManager=z`, 'merge', {
    status: { p: { q: '3' } },
    spec: { b: 2 },
    metadata: { labels: { a: 'b' } },
  }),
  apply('a status conflict names the subresource', `${G}/status?fieldManager=x`, {
    apiVersion: 't.dev/v1',
    kind: 'Foo',
    metadata: { name: 'g' },
    status,
  }),
  patch('custom resources have no strategic merge', `${G}?fieldManager=z`, 'strategic', { spec: { b: 3 } }),
  { because: 'a PUT of a custom resource needs a resourceVersion', method: 'PUT', path: G, body: foo('g', valid) },
  { because: 'lists select by label', method: 'GET', path: `${ALL}?labelSelector=a%3Db` },
  { because: 'deletion of a custom resource', method: 'DELETE', path: G },
  { because: 'deletion of a definition', method: 'DELETE', path: `${DEFINITIONS}/foos.t.dev` },
  { because: 'takes its objects and itself', method: 'GET', path: `${DEFINITIONS}/foos.t.dev`, until: 404 },
];
