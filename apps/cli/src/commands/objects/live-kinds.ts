import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { condition, text } from '../../clusters/field.js';
import { ageText } from '../../output/age-text.js';
import { UsageError } from '../../terminal/io.js';

type Column = readonly [heading: string, cell: (object: KubernetesObject, now: Date) => string];

/** A kind as the live verbs know it: its API, its common name, and its columns. */
export type LiveKind = Readonly<{
  api: Readonly<{ apiVersion: string; kind: string }>;
  /** The name of the kind in `-o name`. */
  resource: string;
  namespaced: boolean;
  /** The printer columns of its CustomResourceDefinition, and the state if that has none. */
  columns: readonly Column[];
  /** Additional columns of `-o wide`. */
  wide: readonly Column[];
}>;

const at =
  (...path: readonly (string | number)[]) =>
  (object: KubernetesObject) =>
    text(object, ...path);
const isTrue = (type: string) => (object: KubernetesObject) => condition(object, type);
const age: Column = ['AGE', ({ metadata }, now) => ageText(metadata.creationTimestamp, now)];

const subscriptions: LiveKind = {
  api: SUBSCRIPTION_API,
  resource: 'subscription.operators.coreos.com',
  namespaced: true,
  columns: [
    ['PACKAGE', at('spec', 'name')],
    ['SOURCE', at('spec', 'source')],
    ['CHANNEL', at('spec', 'channel')],
    ['INSTALLED', at('status', 'installedCSV')],
    ['STATE', at('status', 'state')],
  ],
  wide: [['CURRENT', at('status', 'currentCSV')], age],
};
const installPlans: LiveKind = {
  api: INSTALL_PLAN_API,
  resource: 'installplan.operators.coreos.com',
  namespaced: true,
  columns: [
    ['CSV', at('spec', 'clusterServiceVersionNames', 0)],
    ['APPROVAL', at('spec', 'approval')],
    ['APPROVED', at('spec', 'approved')],
    ['PHASE', at('status', 'phase')],
  ],
  wide: [age],
};
const csvs: LiveKind = {
  api: CSV_API,
  resource: 'clusterserviceversion.operators.coreos.com',
  namespaced: true,
  columns: [
    ['DISPLAY', at('spec', 'displayName')],
    ['VERSION', at('spec', 'version')],
    ['RELEASE', at('spec', 'release')],
    ['REPLACES', at('spec', 'replaces')],
    ['PHASE', at('status', 'phase')],
  ],
  wide: [['REASON', at('status', 'reason')], age],
};
const catalogSources: LiveKind = {
  api: CATALOG_SOURCE_API,
  resource: 'catalogsource.operators.coreos.com',
  namespaced: true,
  columns: [
    ['DISPLAY', at('spec', 'displayName')],
    ['TYPE', at('spec', 'sourceType')],
    ['PUBLISHER', at('spec', 'publisher')],
    ['STATE', at('status', 'connectionState', 'lastObservedState')],
    age,
  ],
  wide: [
    ['PRIORITY', at('spec', 'priority')],
    ['IMAGE', at('spec', 'image')],
  ],
};
const clusterCatalogs: LiveKind = {
  api: CLUSTER_CATALOG_API,
  resource: 'clustercatalog.olm.operatorframework.io',
  namespaced: false,
  columns: [['LASTUNPACKED', at('status', 'lastUnpacked')], ['SERVING', isTrue('Serving')], age],
  wide: [['IMAGE', at('spec', 'source', 'image', 'ref')]],
};
const extensions: LiveKind = {
  api: KIND.ClusterExtension,
  resource: 'clusterextension.olm.operatorframework.io',
  namespaced: false,
  columns: [
    ['INSTALLED BUNDLE', at('status', 'install', 'bundle', 'name')],
    ['VERSION', at('status', 'install', 'bundle', 'version')],
    ['INSTALLED', isTrue('Installed')],
    ['PROGRESSING', isTrue('Progressing')],
    age,
  ],
  wide: [
    ['PACKAGE', at('spec', 'source', 'catalog', 'packageName')],
    ['NAMESPACE', at('spec', 'namespace')],
  ],
};

const WORDS: readonly (readonly [words: readonly string[], kinds: readonly LiveKind[]])[] = [
  [['subscriptions', 'subscription', 'subs', 'sub'], [subscriptions]],
  [['installplans', 'installplan', 'ip'], [installPlans]],
  [['csvs', 'csv', 'clusterserviceversions', 'clusterserviceversion'], [csvs]],
  [['extensions', 'extension', 'clusterextensions', 'clusterextension'], [extensions]],
  [
    ['catalogs', 'catalog'],
    [catalogSources, clusterCatalogs],
  ],
  [['catalogsources', 'catalogsource', 'catsrc'], [catalogSources]],
  [['clustercatalogs', 'clustercatalog'], [clusterCatalogs]],
];

/** API groups of these kinds. */
const GROUPS: readonly string[] = [
  ...new Set(WORDS.flatMap(([, kinds]) => kinds).map(({ api }) => api.apiVersion.split('/')[0] ?? '')),
];

/** The words of `flotilla get`, the one to teach first. */
const KIND_WORDS: readonly string[] = WORDS.map(([[first = '']]) => first);

/** The kinds that a word on the command line means; `catalogs` are those of OLM Classic and of OLM v1. */
export function kindsOf(word: string): readonly LiveKind[] {
  const plain = withoutGroup(word);
  const found = WORDS.find(([words]) => words.includes(plain.toLowerCase()));
  const ofGroup = found?.[1].filter(({ api }) => plain === word || isOfGroup(word, api)) ?? [];
  if (ofGroup.length > 0) return ofGroup;
  const hint = didYouMean(
    word,
    WORDS.flatMap(([words]) => words),
  );
  throw new UsageError(`there is no kind "${word}" here${hint}; name one of ${KIND_WORDS.join(', ')}`);
}

/** The word without a group: `subscription` of `subscription.operators.coreos.com`. */
export function withoutGroup(word: string): string {
  const [plain = ''] = word.split('.');
  return GROUPS.some((group) => word.toLowerCase().endsWith(`.${group}`)) ? plain : word;
}

const isOfGroup = (word: string, { apiVersion }: LiveKind['api']): boolean => {
  const [group = '', version = ''] = apiVersion.split('/');
  const behind = word.toLowerCase().slice(word.indexOf('.') + 1);
  return behind === group || behind === `${version}.${group}`;
};
