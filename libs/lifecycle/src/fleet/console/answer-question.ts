import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { dump } from 'js-yaml';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { textWithoutSecrets } from '#core/kernel/secrets/secret-texts';
import { withoutSecrets } from '#core/kernel/secrets/without-secrets';
import type { CatalogQuestion, ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { explainObject } from './explain-object.js';
import type { QuestionPlace } from './question-place.js';
import { reviewInCluster } from './review-in-cluster.js';

type ObjectQuestion = Extract<ConsoleQuestion, { kind: string }>;

const APIS = {
  Subscription: SUBSCRIPTION_API,
  InstallPlan: INSTALL_PLAN_API,
  ClusterServiceVersion: CSV_API,
  ClusterExtension: CLUSTER_EXTENSION_API,
  CatalogSource: CATALOG_SOURCE_API,
  ClusterCatalog: CLUSTER_CATALOG_API,
} as const satisfies Record<ObjectQuestion['kind'], Readonly<{ apiVersion: string; kind: string }>>;

/** The object that a question is about. */
const askedRef = ({ kind, namespace, name }: ObjectQuestion): ObjectRef => ({
  ...APIS[kind],
  name,
  ...(namespace === '' ? {} : { namespace }),
});

/** An object that is not there. */
const GONE: QuestionAnswer = { because: 'gone', message: 'it is no longer there' };

/** The answer to a question, from the cluster as it is now. Errors of the cluster are thrown. */
export async function answerQuestion(
  place: QuestionPlace,
  question: Exclude<ConsoleQuestion, CatalogQuestion>,
): Promise<QuestionAnswer> {
  if (question.ask === 'review') return (await reviewInCluster(place, question)) ?? GONE;
  const object = await place.client.get(askedRef(question));
  if (object === undefined) return GONE;
  return { answer: await ANSWERS[question.ask](place, question, object) };
}

type Answer = (place: QuestionPlace, question: ObjectQuestion, object: KubernetesObject) => Promise<unknown>;
const ANSWERS: Readonly<Record<ObjectQuestion['ask'], Answer>> = {
  explain: explainObject,
  object: async (_place, { kind }, object) => cutYaml(yamlOf({ ...object, ...APIS[kind] })),
  'whole-object': async (_place, { kind }, object) => packed(yamlOf({ ...object, ...APIS[kind] })),
  events: ({ client }, question, object) => eventsOf(client, question, object),
};

/** Characters that a page shows. */
const LONGEST_YAML = 256_000;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the object as YAML, without secrets, managed fields, and the copy of itself that kubectl leaves.
 */
function yamlOf(object: KubernetesObject): string {
  const { managedFields: _managed, annotations, ...metadata } = object.metadata;
  const { [LAST_APPLIED]: _last, ...kept } = annotations ?? {};
  const shown = {
    ...object,
    metadata: { ...metadata, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) },
  };
  return dump(withoutSecrets(shown), { noRefs: true, lineWidth: -1 });
}

const cutYaml = (yaml: string) => ({ yaml: yaml.slice(0, LONGEST_YAML), cut: yaml.length > LONGEST_YAML });

const zip = promisify(gzip);

/** An object of a megabyte has a tenth of it when it is packed: less for Redis and for the console. */
const packed = async (yaml: string) => ({ gzip: (await zip(yaml)).toString('base64') });

const MOST_EVENTS = 50;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The newest first. */
async function eventsOf(client: KubeClient, { kind, namespace }: ObjectQuestion, { metadata }: KubernetesObject) {
  const api = KIND.Event;
  // Events about objects without a namespace lie in this one.
  const where = namespace === '' ? 'default' : namespace;
  const fieldSelector = `involvedObject.name=${metadata.name}`;
  const list = await client.list(api, { namespace: where, fieldSelector });
  const items = (list?.items ?? [])
    .filter(({ involvedObject }) => {
      const about = Object(involvedObject);
      return about.kind === kind && about.name === metadata.name && (about.uid ?? metadata.uid) === metadata.uid;
    })
    .map((event) => ({
      at: text(event['lastTimestamp']) || text(event['eventTime']) || text(event.metadata.creationTimestamp),
      type: text(event['type']),
      reason: text(event['reason']),
      message: textWithoutSecrets(text(event['message'])).slice(0, 2_000),
      count: Number.isInteger(event['count']) ? Number(event['count']) : 1,
      by: text(Object(event['source']).component) || text(event['reportingComponent']),
    }))
    .toSorted((a, b) => byCodeUnit(b.at, a.at) || byCodeUnit(a.reason, b.reason) || byCodeUnit(a.message, b.message));
  return { items: items.slice(0, MOST_EVENTS) };
}
