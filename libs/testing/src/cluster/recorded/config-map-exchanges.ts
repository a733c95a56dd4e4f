import { NAMESPACE, type RecordedExchange } from './exchange.js';

const ALL = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const A = `${ALL}/a`;
const B = `${ALL}/b`;
const map = (name: string, data?: Record<string, string>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...(data === undefined ? {} : { data }),
});
const post = (because: string, body: unknown, query = ''): RecordedExchange => ({
  because,
  method: 'POST',
  path: `${ALL}${query}`,
  body,
});
const put = (because: string, path: string, body: unknown): RecordedExchange => ({
  because,
  method: 'PUT',
  path,
  body,
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
const get = (because: string, path: string): RecordedExchange => ({ because, method: 'GET', path });
const remove = (because: string, path: string, body?: unknown): RecordedExchange => ({
  because,
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
});

/**
 * Behaviour of every kind, on the simplest one: writes, refusals, patches, ownership of fields, finalizers.
 */
export const configMapExchanges: readonly RecordedExchange[] = [
  post('the creator owns what it wrote', map('a', { x: '1' }), '?fieldManager=m'),
  post('a name is taken once', map('a', { x: '1' })),
  post('an object needs a name', { metadata: {} }),
  post('a name has a form', { metadata: { name: 'B_' } }),
  post('a new object has no resourceVersion yet', { metadata: { name: 'rv', resourceVersion: '1' } }),
  post('labels have a form', { metadata: { name: 'rv', labels: { 'a b': 'c d' } } }),
  post('the namespace of the body must be that of the path', map('k', {}, { namespace: 'other' })),
  post('a dry run writes nothing', map('dry'), '?dryRun=All&fieldManager=m'),
  get('after a dry run there is nothing', `${ALL}/dry`),
  { ...post('a namespace must be there', map('x')), path: '/api/v1/namespaces/nope/configmaps' },
  get('a list of a missing namespace is empty', '/api/v1/namespaces/nope/configmaps?fieldSelector=metadata.name%3Dx'),
  get('fields that cannot be selected by are refused', `${ALL}?fieldSelector=spec.x%3D1`),
  put('a PUT changes owners', `${A}?fieldManager=n`, map('a', { x: '2', y: '3' })),
  put('a PUT creates nothing', `${ALL}/q`, map('q')),
  put('the name of the body must be that of the path', `${ALL}/q`, map('r')),
  patch('a merge patch removes with null', `${A}?fieldManager=o`, 'merge', { data: { y: null, z: '1' } }),
  patch('a patch creates nothing', `${ALL}/q`, 'merge', {}),
  patch('a failed test of a JSON patch is 422', A, 'jsonPatch', [{ op: 'test', path: '/data/x', value: 'nope' }]),
  patch('a stale resourceVersion conflicts', A, 'merge', { metadata: { resourceVersion: '1' } }),
  apply('an apply needs a field manager', B, map('b')),
  apply('an apply needs a kind', `${B}?fieldManager=x`, {}),
  apply('another manager owns the field', `${A}?fieldManager=s`, map('a', { x: '3', q: '1' })),
  apply('force takes it', `${A}?fieldManager=s&force=true`, map('a', { x: '3', q: '1' })),
  apply('what is no longer applied goes', `${A}?fieldManager=s&force=true`, map('a', { q: '1' })),
  apply('several conflicts are all named', `${A}?fieldManager=t`, map('a', { q: '2', x: '9', z: '7' })),
  apply('an equal value is owned by both', `${A}?fieldManager=t`, map('a', { q: '1' })),
  apply('one of two owners lets go: it stays', `${A}?fieldManager=s`, map('a')),
  apply('the other too: it goes', `${A}?fieldManager=t`, map('a')),
  apply(
    'finalizers and labels are owned one by one',
    `${B}?fieldManager=x`,
    map('b', { k: 'v' }, { labels: { l: '1', m: '2' }, finalizers: ['a.b/c'], annotations: { x: 'y' } }),
  ),
  apply(
    'and removed one by one',
    `${B}?fieldManager=x`,
    map('b', { k: 'v' }, { labels: { l: '1' }, finalizers: ['a.b/c'] }),
  ),
  remove('a finalizer holds the object', B),
  remove('deleting it again changes nothing', B),
  patch('the last finalizer gone, it goes', B, 'merge', { metadata: { finalizers: null } }),
  get('and is gone', B),
  remove('a wrong uid protects', A, { preconditions: { uid: 'zz' } }),
  remove('a wrong resourceVersion protects', A, { preconditions: { resourceVersion: '2' } }),
  remove('a deletion names what it deleted', A),
  remove('twice is once too often', A),
];
